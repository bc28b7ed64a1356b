//===- Arguments.cpp - classify a call's arguments ------------------------===//
#include "Arguments.h"
#include "Messages.h"

namespace tessera::python {

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

void nameArgument(PyObject *kernel, PyObject *argument) {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  bool isOurs = type == PyExc_TypeError || type == PyExc_ValueError || type == PyExc_OverflowError;
  if (!isOurs) { // an interrupt, or an error that the argument's own code raised
    PyErr_Restore(type, value, trace);
    return;
  }
  PyErr_Format(type, "argument %R of kernel %R: %S", argument, kernel, value ? value : Py_None);
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
}

static bool refuseType(PyObject *argument) {
  PyErr_Format(PyExc_TypeError, "a value of type %S cannot be passed to a kernel; %s",
               nameOf(Py_TYPE(argument)).get(), adviceFor(argument));
  return false;
}

//===----------------------------------------------------------------------===//
// Classifying
//===----------------------------------------------------------------------===//

namespace {
/// The properties of a value that the parameter specializes on: its flags.
struct Rules {
  unsigned flags = 0;
  bool specialize() const { return !(flags & Parameter::DoNotSpecialize); }
  bool align() const { return !(flags & Parameter::DoNotSpecializeOnAlignment); }
  bool areConst() const { return flags & Parameter::Const; }
  Role pointerRole() const { return areConst() ? Role::ConstPointer : Role::Pointer; }
  Key keyOf(uint64_t value, bool isSmall = false) const {
    if (!specialize())
      return Key::None;
    bool isDivisible = align() && value % 16 == 0;
    if (isSmall)
      return isDivisible ? Key::DivisibleSmall : Key::Small;
    return isDivisible ? Key::Divisible : Key::Empty;
  }
};

class Classifier {
public:
  Classifier(Arguments &arguments, size_t parameter) : out(arguments), parameter(parameter) {}

  bool addConstexpr(PyObject *argument);
  bool addForced(PyObject *argument, const Parameter &declared, Rules rules);
  bool addLeaf(PyObject *argument, Rules rules);
  bool addInt(PyObject *argument, Rules rules);
  bool addTensor(PyObject *argument, Rules rules);

private:
  bool addLargeInt(PyObject *argument, int overflow, Rules rules);
  bool addOne(PyObject *argument);
  bool addArray(PyObject *argument, Kind kind, Rules rules);
  bool addTuple(PyObject *argument);
  bool addDescriptor(PyObject *argument);
  bool addForcedPointer(PyObject *argument, Rules rules);
  bool addDtype(PyObject *dtype, Rules rules);
  /// Reads an array and stores its address in a slot.
  bool place(PyObject *array, Kind kind, bool isConst, Memory &memory);
  /// Stores the address of an array that was read in a slot.
  void take(PyObject *array, const Location &found, bool isReadOnly) {
    out.see(found.place, found.gpu);
    if (isReadOnly || out.notesElsewhere || !found.address) [[unlikely]]
      doubt(array, found, isReadOnly);
    out.slots.push(found.address);
  }
  void doubt(PyObject *array, const Location &found, bool isReadOnly);
  void addPointer(const Location &memory, Rules rules, bool isSmall) {
    out.words.push(
        Word::pack(rules.pointerRole(), memory.element, rules.keyOf(memory.address, isSmall)));
  }
  /// Returns whether the key promises a small tensor. A tensor without a place is that of a
  /// warm-up.
  bool isSmall(PyObject *array, const Location &memory) const {
    bool isOfGPU =
        memory.place == Place::GPU || (memory.place == Place::Unknown && out.takesDtypes);
    return isOfGPU && promisesSmallTensors() && isSmallTensor(array);
  }
  void addValue(PyObject *value) {
    out.words.push(Word::pack(Role::Constexpr));
    out.values.push(value);
  }
  bool addAttribute(PyObject *argument, PyObject *name);

  Arguments &out;
  const size_t parameter;
};
} // namespace

/// The value of a constexpr object, or the cache key of a jit function.
bool Classifier::addAttribute(PyObject *argument, PyObject *name) {
  Ref value = Ref::take(PyObject_GetAttr(argument, name));
  if (!value)
    return false;
  addValue(value.get());
  out.own(std::move(value));
  return true;
}

bool Classifier::addConstexpr(PyObject *argument) {
  switch (kindOf(argument)) {
  case Kind::Constexpr:
    return addAttribute(argument, names.value);
  case Kind::Function:
    return addAttribute(argument, names.cacheKey);
  default:
    addValue(argument);
    return true;
  }
}

/// The int 1 for an instance of an int subclass that equals 1.
bool Classifier::addOne(PyObject *argument) {
  addValue(argument);
  if (Py_TYPE(argument) == &PyLong_Type)
    return true;
  Ref plain = Ref::take(PyLong_FromLong(1));
  if (!plain)
    return false;
  out.values[out.values.size() - 1] = plain.get();
  out.own(std::move(plain));
  return true;
}

bool Classifier::addLargeInt(PyObject *argument, int overflow, Rules rules) {
  uint64_t bits = overflow > 0 ? PyLong_AsUnsignedLongLong(argument) : 0;
  if (overflow < 0 || PyErr_Occurred()) {
    PyErr_Format(PyExc_OverflowError, "%R fits neither i64 nor u64", argument);
    return false;
  }
  out.words.push(Word::pack(Role::Scalar, Element::UInt64, rules.keyOf(bits)));
  out.slots.push(bits);
  return true;
}

bool Classifier::addInt(PyObject *argument, Rules rules) {
  int overflow = 0;
  long long number = PyLong_AsLongLongAndOverflow(argument, &overflow);
  if (overflow != 0)
    return addLargeInt(argument, overflow, rules);
  if (number == 1 && rules.specialize())
    return addOne(argument);
  Element element = number == int32_t(number) ? Element::Int32 : Element::Int64;
  out.words.push(Word::pack(Role::Scalar, element, rules.keyOf(uint64_t(number))));
  out.slots.push(uint64_t(number));
  return true;
}

bool Classifier::addTensor(PyObject *argument, Rules rules) {
  Location found;
  if (!readTensor(argument, found))
    return false;
  take(argument, found, false);
  addPointer(found, rules, isSmall(argument, found));
  return true;
}

/// Returns whether a tensor with address 0 has elements: tensors on torch's meta device have no
/// memory.
static bool hasElements(PyObject *tensor) {
  Ref count = Ref::take(PyObject_CallMethod(tensor, "numel", nullptr));
  bool isPositive = count && PyLong_Check(count.get()) && PyLong_AsLongLong(count.get()) > 0;
  PyErr_Clear();
  return isPositive;
}

void Classifier::doubt(PyObject *array, const Location &found, bool isReadOnly) {
  bool isHere = found.place == Place::GPU && (found.gpu < 0 || found.gpu == out.device);
  bool lacksMemory = !found.address && found.place == Place::Host && hasElements(array);
  if (lacksMemory || (out.notesElsewhere ? !isHere : isReadOnly))
    out.doubts.push({parameter, out.slots.size(), Py_TYPE(array), found.gpu, lacksMemory});
}

bool Classifier::place(PyObject *array, Kind kind, bool isConst, Memory &memory) {
  if (!readMemory(array, kind, memory))
    return false;
  take(array, memory, memory.isReadOnly && !isConst);
  if (memory.keeper)
    out.own(std::move(memory.keeper));
  return true;
}

bool Classifier::addArray(PyObject *argument, Kind kind, Rules rules) {
  Memory memory;
  if (!place(argument, kind, rules.areConst(), memory))
    return false;
  addPointer(memory, rules, isSmall(argument, memory));
  return true;
}

/// Elements of a tuple are classified by the default rules, whatever the parameter's flags are.
bool Classifier::addTuple(PyObject *argument) {
  if (Py_EnterRecursiveCall(" while classifying a tuple"))
    return false;
  auto count = size_t(PyTuple_Size(argument));
  if (count > Word::kMostExtra) {
    Py_LeaveRecursiveCall();
    PyErr_Format(PyExc_ValueError, "a tuple of %zu elements is too long for an argument", count);
    return false;
  }
  PyTypeObject *type = Py_TYPE(argument);
  bool isNamed = type != &PyTuple_Type &&
                 PyObject_HasAttrString(reinterpret_cast<PyObject *>(type), "_fields");
  out.words.push(Word::pack(Role::TupleBegin, Element::None, Key::None, uint32_t(count)));
  out.values.push(reinterpret_cast<PyObject *>(isNamed ? type : &PyTuple_Type));
  bool fine = true;
  for (size_t i = 0; fine && i < count; ++i)
    fine = addLeaf(PyTuple_GetItem(argument, Py_ssize_t(i)), Rules());
  out.words.push(Word::pack(Role::TupleEnd));
  Py_LeaveRecursiveCall();
  return fine;
}

/// Checks the properties of a descriptor that kernels rely on. It was checked when it was created,
/// but may have been changed since.
static bool checkDescriptor(const DescriptorParts &parts, Element element) {
  auto size = int64_t(sizeOf(element));
  for (size_t i = 0; i < parts.rank; ++i) {
    bool isLast = i + 1 == parts.rank;
    // The remainder first: the product might overflow.
    if (isLast ? parts.strides[i] == 1 : parts.strides[i] % 16 * size % 16 == 0)
      continue;
    PyErr_Format(PyExc_ValueError,
                 "stride %zu of the descriptor is %lld elements of %lld bytes: %s", i,
                 static_cast<long long>(parts.strides[i]), static_cast<long long>(size),
                 isLast ? "the last one must be 1" : "it must be a multiple of 16 bytes");
    return false;
  }
  if (!parts.padsWithNaN || Storage{element}.isFloat())
    return true;
  PyErr_Format(PyExc_ValueError, "the descriptor pads with nan, which no %s is", spell(element));
  return false;
}

bool Classifier::addDescriptor(PyObject *argument) {
  DescriptorParts parts;
  if (!readDescriptor(argument, parts))
    return false;
  Kind kind = arrayKindOf(parts.base.get());
  if (!isArray(kind)) {
    PyErr_Format(PyExc_TypeError, "the base of the descriptor is a %S, which is no array",
                 nameOf(Py_TYPE(parts.base.get())).get());
    return false;
  }
  Memory memory;
  if (!place(parts.base.get(), kind, false, memory))
    return false;
  if (memory.address % 16 != 0) {
    PyErr_SetString(PyExc_ValueError, "the base of the descriptor is not aligned to 16 bytes");
    return false;
  }
  if (!checkDescriptor(parts, memory.element))
    return false;
  // If rows are multiples of 16 bytes, a 16-byte access needs no mask.
  bool isWhole = parts.shape[parts.rank - 1] * int64_t(sizeOf(memory.element)) % 16 == 0;
  out.words.push(Word::pack(Role::Descriptor, memory.element, isWhole ? Key::Divisible : Key::Empty,
                            uint32_t(parts.rank) | (parts.padsWithNaN ? kPadsWithNaN : 0)));
  for (size_t i = 0; i < parts.rank; ++i) {
    out.words.push(parts.block[i]);
    out.slots.push(uint64_t(parts.shape[i]));
  }
  for (size_t i = 0; i < parts.rank; ++i)
    out.slots.push(uint64_t(parts.strides[i]));
  out.own(std::move(parts.base));
  return true;
}

/// Classifies a dtype as an aligned tensor without memory.
bool Classifier::addDtype(PyObject *dtype, Rules rules) {
  if (!out.takesDtypes)
    return refuseType(dtype);
  Location nowhere;
  nowhere.element = elementOf(dtype);
  if (nowhere.element == Element::None)
    return false;
  out.see(nowhere.place, nowhere.gpu);
  out.slots.push(0);
  addPointer(nowhere, rules, promisesSmallTensors());
  return true;
}

bool Classifier::addForcedPointer(PyObject *argument, Rules rules) {
  Kind kind = arrayKindOf(argument);
  Key key = Key::None;
  if (isArray(kind)) {
    Memory memory;
    if (!place(argument, kind, rules.areConst(), memory))
      return false;
    key = rules.keyOf(memory.address, isSmall(argument, memory));
  } else if (kind == Kind::Int) {
    uint64_t address = 0;
    if (!storeNumber(argument, Element::UInt64, address))
      return false;
    key = address == 1 && rules.specialize() ? Key::One : rules.keyOf(address);
    out.slots.push(address);
  } else if (kind == Kind::None || (kind == Kind::Dtype && out.takesDtypes)) {
    key = kind == Kind::None ? Key::None : rules.keyOf(0, promisesSmallTensors());
    out.slots.push(0);
  } else {
    return refuseType(argument);
  }
  out.words.push(Word::pack(Role::Forced, Element::None, key));
  return true;
}

bool Classifier::addForced(PyObject *argument, const Parameter &declared, Rules rules) {
  Kind kind = kindOf(argument);
  Ref inner;
  if (kind == Kind::Constexpr) {
    inner = Ref::take(PyObject_GetAttr(argument, names.value));
    if (!inner)
      return false;
    argument = inner.get();
    kind = kindOf(argument);
  }
  bool fine;
  if (declared.storage.isPointer) {
    fine = addForcedPointer(argument, rules);
  } else {
    uint64_t slot = 0;
    fine = storeNumber(argument, declared.storage.element, slot);
    bool isKeyed = kind == Kind::Int && !declared.storage.isFloat() &&
                   declared.storage.element != Element::Int1;
    Key key = !isKeyed ? Key::None : slot == 1 && rules.specialize() ? Key::One : rules.keyOf(slot);
    out.words.push(Word::pack(Role::Forced, Element::None, key));
    out.slots.push(slot);
  }
  if (inner)
    out.own(std::move(inner));
  return fine;
}

bool Classifier::addLeaf(PyObject *argument, Rules rules) {
  Kind kind = kindOf(argument);
  switch (kind) {
  case Kind::Int:
    return addInt(argument, rules);
  case Kind::Tensor:
    return addTensor(argument, rules);
  case Kind::Torch:
  case Kind::NumPy:
  case Kind::Pointer:
  case Kind::CudaInterface:
  case Kind::ArrayInterface:
  case Kind::DLPack:
    return addArray(argument, kind, rules);
  case Kind::None:
    addValue(argument);
    return true;
  case Kind::Bool:
    out.words.push(Word::pack(Role::Scalar, Element::Int1));
    out.slots.push(argument == Py_True);
    return true;
  case Kind::Float: {
    uint64_t slot = 0;
    if (!storeNumber(argument, Element::FP32, slot))
      return false;
    out.words.push(Word::pack(Role::Scalar, Element::FP32));
    out.slots.push(slot);
    return true;
  }
  case Kind::Tuple:
    return addTuple(argument);
  case Kind::Descriptor:
    return addDescriptor(argument);
  case Kind::Constexpr:
    return addAttribute(argument, names.value);
  case Kind::Function:
    return addAttribute(argument, names.cacheKey);
  case Kind::Dtype:
    return addDtype(argument, rules);
  case Kind::Unknown:
  case Kind::Other:
    break;
  }
  kind = arrayKindOf(argument);
  return isArray(kind) ? addArray(argument, kind, rules) : refuseType(argument);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

namespace {
/// The fast path for consecutive ints and torch tensors, which are most arguments of most launches.
/// It stops at an argument that needs the Classifier: an int 1, or a tensor whose type DLPack
/// cannot express.
class Row {
public:
  explicit Row(Arguments &arguments, size_t most)
      : out(arguments), word(out.words.reserve(most)), slot(out.slots.reserve(most)) {}
  ~Row() {
    out.words.endAt(word);
    out.slots.endAt(slot);
  }

  bool addInt(PyObject *argument, Rules rules) {
    int overflow = 0;
    long long number = PyLong_AsLongLongAndOverflow(argument, &overflow);
    if (number == 1 || overflow != 0) [[unlikely]]
      return false;
    add(Role::Scalar, number == int32_t(number) ? Element::Int32 : Element::Int64, uint64_t(number),
        rules);
    return true;
  }

  bool addTensor(PyObject *argument, const DLPackExchange *exchange, Rules rules) {
    DLTensor found;
    if (exchange->describeTensor(argument, &found) != 0) [[unlikely]] {
      PyErr_Clear(); // the Classifier reports the error
      return false;
    }
    bool onGPU = isOnGPU(found);
    if (!onGPU && found.deviceType != kDLHost) [[unlikely]]
      return false;
    uint32_t type;
    static_assert(offsetof(DLTensor, lanes) == offsetof(DLTensor, code) + 2);
    std::memcpy(&type, &found.code, sizeof(type));
    if (type != lastType) {
      element = elementOfTensor(argument, found);
      if (element == Element::None) [[unlikely]]
        return false;
      lastType = isDescribed(element) ? type : 0;
    }
    out.see(onGPU ? Place::GPU : Place::Host, onGPU ? found.deviceNumber : -1);
    bool isSmall = onGPU && promisesSmallTensors() && isSmallTensor(argument);
    add(rules.pointerRole(), element, reinterpret_cast<uint64_t>(found.data) + found.byteOffset,
        rules, isSmall);
    return true;
  }

private:
  void add(Role role, Element element, uint64_t value, Rules rules, bool isSmall = false) {
    *word++ = Word::pack(role, element, rules.keyOf(value, isSmall));
    *slot++ = value;
  }

  Arguments &out;
  uint32_t *word;
  uint64_t *slot;
  uint32_t lastType = 0; // no tensor has this type, because lanes are 1
  Element element = Element::None;
};
} // namespace

constexpr unsigned kSpecial = Parameter::Constexpr | Parameter::Forced;

/// Classifies arguments from the first one on; returns how many.
[[gnu::noinline]] static size_t addRow(PyObject *const *first, const uint8_t *flags, size_t count,
                                       Arguments &arguments) {
  Row row(arguments, count);
  const QuickTensors tensors = process.arguments.quickTensors;
  PyObject *const *const end = first + count;
  PyObject *const *argument = first;
  for (; argument != end; ++argument, ++flags) {
    Rules rules = {*flags};
    PyTypeObject *type = Py_TYPE(*argument);
    if (rules.flags & kSpecial)
      break;
    if (type == &PyLong_Type
            ? !row.addInt(*argument, rules)
            : type != tensors.type || !row.addTensor(*argument, tensors.exchange, rules))
      break;
  }
  return size_t(argument - first);
}

bool classify(const Parameters &parameters, const Binding &binding, Arguments &arguments) {
  const size_t count = parameters.size();
  const uint8_t *flags = parameters.allFlags();
  for (size_t i = 0; i < count; ++i) {
    PyTypeObject *type = Py_TYPE(binding.values[i]);
    if ((type == &PyLong_Type || type == process.arguments.quickTensors.type) &&
        !arguments.notesElsewhere) {
      i += addRow(binding.values + i, flags + i, count - i, arguments);
      if (i == count)
        break;
    }
    PyObject *argument = binding.values[i];
    Classifier classifier(arguments, i);
    Rules rules = {flags[i]};
    bool fine = rules.flags & Parameter::Constexpr ? classifier.addConstexpr(argument)
                : rules.flags & Parameter::Forced
                    ? classifier.addForced(argument, parameters[i], rules)
                    : classifier.addLeaf(argument, rules);
    if (!fine) [[unlikely]] {
      nameArgument(parameters.kernelName(), parameters[i].name);
      return false;
    }
  }
  return true;
}

DeviceNumber chooseDevice(const Arguments &arguments) {
  if (arguments.sees(Place::GPU))
    return currentGPU();
  if (arguments.sees(Place::Host))
    return kCPU;
  return defaultDevice();
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

/// Reads the ints of a list or tuple attribute; `count` gets their number.
static bool readExtents(PyObject *descriptor, PyObject *name, int64_t *extents, size_t &count) {
  Ref attribute = Ref::take(PyObject_GetAttr(descriptor, name));
  Ref list = attribute ? Ref::take(PySequence_Tuple(attribute.get())) : Ref();
  if (!list)
    return false;
  count = size_t(PyTuple_Size(list.get()));
  if (count == 0 || count > DescriptorParts::kMostDimensions) {
    PyErr_Format(PyExc_ValueError, "the descriptor's %U has %zu extents: 1 to 5 are possible", name,
                 count);
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    Ref index = Ref::take(PyNumber_Index(PyTuple_GetItem(list.get(), Py_ssize_t(i))));
    extents[i] = index ? PyLong_AsLongLong(index.get()) : -1;
    if (PyErr_Occurred())
      return false;
  }
  return true;
}

bool readDescriptor(PyObject *descriptor, DescriptorParts &parts) {
  parts.base = Ref::take(PyObject_GetAttr(descriptor, names.base));
  size_t strides = 0, blocks = 0;
  int64_t block[DescriptorParts::kMostDimensions];
  if (!parts.base || !readExtents(descriptor, names.shape, parts.shape, parts.rank) ||
      !readExtents(descriptor, names.strides, parts.strides, strides) ||
      !readExtents(descriptor, names.blockShape, block, blocks))
    return false;
  if (strides != parts.rank || blocks != parts.rank) {
    PyErr_SetString(PyExc_ValueError,
                    "the descriptor's shape, strides and block_shape differ in rank");
    return false;
  }
  for (size_t i = 0; i < parts.rank; ++i) {
    parts.block[i] = uint32_t(block[i]);
    bool isPositive = parts.shape[i] > 0 && block[i] > 0;
    if (isPositive && parts.shape[i] <= INT32_MAX && block[i] <= INT32_MAX)
      continue;
    PyErr_Format(isPositive ? PyExc_OverflowError : PyExc_ValueError,
                 "extent %zu of the descriptor is %lld in blocks of %lld: both are 1 to 2^31 - 1",
                 i, static_cast<long long>(parts.shape[i]), static_cast<long long>(block[i]));
    return false;
  }
  Ref padding = Ref::take(PyObject_GetAttr(descriptor, names.padding));
  if (!padding)
    return false;
  bool isText = PyUnicode_Check(padding.get());
  parts.padsWithNaN = isText && PyUnicode_CompareWithASCIIString(padding.get(), "nan") == 0;
  if (parts.padsWithNaN || (isText && PyUnicode_CompareWithASCIIString(padding.get(), "zero") == 0))
    return true;
  PyErr_Format(PyExc_ValueError, "the descriptor's padding is 'zero' or 'nan', not %R",
               padding.get());
  return false;
}

} // namespace tessera::python
