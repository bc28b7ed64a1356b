//===- Arrays.cpp - what an argument is, and where its memory lies --------===//
#include "Arrays.h"
#include "Messages.h"
#include "Surroundings.h"

namespace tessera::python {

//===----------------------------------------------------------------------===//
// Remembering
//===----------------------------------------------------------------------===//

namespace {
/// Object → small number, by identity; owns its keys. Open addressing; when half full it forgets
/// everything, which costs a little time once.
class Memo {
public:
  /// 0 if the object is not known.
  uint32_t find(PyObject *key) const {
    for (size_t i = place(key);; i = (i + 1) % kSize)
      if (entries[i].key == key || !entries[i].key)
        return entries[i].value;
  }
  void remember(PyObject *key, uint32_t value) {
    if (count >= kSize / 2)
      clear();
    size_t i = place(key);
    while (entries[i].key && entries[i].key != key)
      i = (i + 1) % kSize;
    if (!entries[i].key) {
      Py_INCREF(key);
      entries[i].key = key;
      ++count;
    }
    entries[i].value = value;
  }
  void clear() {
    for (Entry &entry : entries) {
      PyObject *key = std::exchange(entry.key, nullptr);
      entry.value = 0;
      Py_XDECREF(key);
    }
    count = 0;
  }

private:
  static constexpr size_t kSize = 512;
  static size_t place(PyObject *key) {
    auto bits = reinterpret_cast<uintptr_t>(key);
    return ((bits >> 4) ^ (bits >> 13)) % kSize;
  }
  struct Entry {
    PyObject *key;
    uint32_t value;
  };
  Entry entries[kSize] = {};
  size_t count = 0;
};
} // namespace

static Memo kinds;    // of types
static Memo elements; // of dtype objects; the value is 1 + the element

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

namespace {
struct Registered {
  PyTypeObject *type;
  Kind kind;
};
} // namespace
static Registered registered[16]; // a handful: constexpr, descriptor, function types
static size_t registeredCount = 0;

void registerKind(PyTypeObject *type, Kind kind) {
  for (size_t i = 0; i < registeredCount; ++i)
    if (registered[i].type == type)
      return;
  if (registeredCount == sizeof(registered) / sizeof(registered[0]))
    return;
  Py_INCREF(type);
  registered[registeredCount++] = {type, kind};
  kinds.clear();
}

static bool has(PyObject *object, PyObject *name) { return PyObject_HasAttr(object, name); }

/// What a type, or an instance that has attributes of its own, offers.
static Kind kindByAttributes(PyObject *object) {
  if (has(object, names.dataPtr) && has(object, names.dtype))
    return Kind::Pointer;
  if (has(object, names.cudaArrayInterface))
    return Kind::CudaInterface;
  if (has(object, names.arrayInterface))
    return Kind::ArrayInterface;
  if (has(object, names.dlpack))
    return Kind::DLPack;
  return Kind::Other;
}

/// Whoever's: descriptors are known by their name, so that Triton's own serve too.
static bool isNamedDescriptor(PyTypeObject *type) {
  Ref name = Ref::take(PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), "__name__"));
  return name && PyUnicode_CompareWithASCIIString(name.get(), "TensorDescriptor") == 0;
}

namespace {
/// How torch.Tensor itself is asked; kept for ever once a tensor was seen.
struct TensorFunctions {
  PyObject *dataPtr = nullptr; // torch.Tensor.data_ptr
  // Its C function; null where it is something else.
  PyCFunction quickDataPtr = nullptr;
  PyObject *dtype = nullptr; // torch.Tensor.dtype, a descriptor
  descrgetfunc quickDtype = nullptr;
};
} // namespace
static TensorFunctions tensors;
QuickTensors quickTensors;

/// An attribute of torch or of a module in it; null without an exception if there is none.
static Ref attributeOf(const char *module, const char *name) {
  Ref loaded = loadedModule(module);
  Ref found = loaded ? Ref::take(PyObject_GetAttrString(loaded.get(), name)) : Ref();
  PyErr_Clear();
  return found;
}

static void learnTensors() {
  Ref tensor = attributeOf("torch", "Tensor");
  if (tensors.dataPtr || !tensor)
    return;
  if (const DLPackExchange *exchange = exchangeOf(tensor.get());
      exchange && PyType_Check(tensor.get()))
    quickTensors = {reinterpret_cast<PyTypeObject *>(Ref::share(tensor.get()).release()), exchange};
  tensors.dtype = PyObject_GetAttr(tensor.get(), names.dtype);
  // Static types have told their slots since 3.10.
  if (tensors.dtype)
    tensors.quickDtype =
        reinterpret_cast<descrgetfunc>(PyType_GetSlot(Py_TYPE(tensors.dtype), Py_tp_descr_get));
  tensors.dataPtr = PyObject_GetAttr(tensor.get(), names.dataPtr);
  PyErr_Clear();
}

/// Whether the type has torch.Tensor's own data_ptr, which can then be called without a look-up.
static bool hasPlainPointer(PyTypeObject *type) {
  Ref own = Ref::take(PyObject_GetAttr(reinterpret_cast<PyObject *>(type), names.dataPtr));
  PyErr_Clear();
  return own && own.get() == tensors.dataPtr;
}

static Kind kindOfTensorType(PyTypeObject *type) {
  learnTensors();
  if (!hasPlainPointer(type))
    return Kind::Pointer;
  auto *object = reinterpret_cast<PyObject *>(type);
  bool isItself = object == attributeOf("torch", "Tensor").get() ||
                  object == attributeOf("torch.nn", "Parameter").get();
  return isItself ? Kind::Tensor : Kind::Torch;
}

static Kind kindOfType(PyTypeObject *type) {
  for (size_t i = 0; i < registeredCount; ++i)
    if (PyType_IsSubtype(type, registered[i].type))
      return registered[i].kind;
  if (type == Py_TYPE(Py_None))
    return Kind::None;
  if (PyType_IsSubtype(type, &PyBool_Type))
    return Kind::Bool;
  if (PyType_IsSubtype(type, &PyLong_Type))
    return Kind::Int;
  if (PyType_IsSubtype(type, &PyFloat_Type))
    return Kind::Float;
  if (PyType_IsSubtype(type, &PyTuple_Type))
    return Kind::Tuple;
  if (PyType_IsSubtype(type, types.launchable))
    return Kind::Function;
  if (isDerivedFrom(type, "torch", "Tensor"))
    return kindOfTensorType(type);
  if (isDerivedFrom(type, "numpy", "ndarray"))
    return Kind::NumPy;
  if (isDerivedFrom(type, "numpy", "generic")) // scalars look like arrays
    return Kind::Other;
  if (isDerivedFrom(type, "torch", "dtype"))
    return Kind::Dtype;
  if (isNamedDescriptor(type))
    return Kind::Descriptor;
  return kindByAttributes(reinterpret_cast<PyObject *>(type));
}

Kind kindOf(PyObject *argument) {
  auto *type = reinterpret_cast<PyObject *>(Py_TYPE(argument));
  if (uint32_t known = kinds.find(type)) [[likely]]
    return Kind(known);
  Kind kind = kindOfType(Py_TYPE(argument));
  kinds.remember(type, uint32_t(kind));
  return kind;
}

Kind arrayKindOf(PyObject *argument) {
  Kind kind = kindOf(argument);
  if (kind != Kind::Other || isDerivedFrom(Py_TYPE(argument), "numpy", "generic"))
    return kind;
  return kindByAttributes(argument);
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

Element elementOf(PyObject *dtype) {
  if (uint32_t known = elements.find(dtype)) [[likely]]
    return Element(known - 1);
  Ref name = Ref::take(PyObject_Str(dtype));
  if (!name)
    return Element::None;
  Text text(name.get());
  if (!text.get())
    return Element::None;
  Element element = elementNamed(text.get());
  if (element == Element::None) {
    PyErr_Format(PyExc_TypeError, "kernels do not know the type %S of its elements", name.get());
    return Element::None;
  }
  elements.remember(dtype, 1 + uint32_t(element));
  return element;
}

//===----------------------------------------------------------------------===//
// Owners of memory
//===----------------------------------------------------------------------===//

namespace {
/// Pages of 2 MiB, the driver's own, in which GPU memory was seen, and the GPU's number. The driver
/// keeps such addresses to itself, so nothing else comes to lie there; if it did, a wrong launch
/// would fail on the GPU instead of in checkReach. Host memory is not remembered.
class GPUPages {
public:
  /// The GPU, or -1.
  int find(uint64_t address) const {
    const Page &page = pages[place(address)];
    return page.number == address >> 21 ? int(page.gpu) : -1;
  }
  void remember(uint64_t address, int gpu) { pages[place(address)] = {address >> 21, gpu}; }

private:
  static size_t place(uint64_t address) { return (address >> 21 ^ address >> 31) % 1024; }
  struct Page {
    uint64_t number; // 0 is nobody's
    int64_t gpu;
  };
  Page pages[1024] = {};
};
} // namespace
static GPUPages gpuPages;

/// Takes the results of data_ptr() and dtype.
static bool takeAnswers(Ref address, Ref dtype, Location &memory) {
  if (!address || !dtype)
    return false;
  // The fastest of the conversions, where addresses have two digits.
  static_assert(sizeof(size_t) == sizeof(uint64_t));
  memory.address = PyLong_AsSize_t(address.get());
  if (memory.address == uint64_t(-1) && PyErr_Occurred())
    return false;
  memory.element = elementOf(dtype.get());
  return memory.element != Element::None;
}

/// Asks a torch tensor where it is; a GPU's page is remembered.
static bool askForPlace(PyObject *tensor, Location &memory) {
  memory.gpu = memory.address ? gpuPages.find(memory.address) : -1;
  memory.place = Place::GPU;
  if (memory.gpu >= 0)
    return true;
  Ref isCuda = Ref::take(PyObject_GetAttr(tensor, names.isCuda));
  if (!isCuda)
    return false;
  memory.place = isCuda.get() == Py_True ? Place::GPU : Place::Host;
  if (memory.place == Place::Host)
    return true;
  Ref number = Ref::take(PyObject_CallMethodObjArgs(tensor, names.getDevice, nullptr));
  memory.gpu = number ? int(PyLong_AsLong(number.get())) : -1;
  if (PyErr_Occurred())
    return false;
  if (memory.address && memory.gpu >= 0)
    gpuPages.remember(memory.address, memory.gpu);
  return true;
}

/// A type derived from torch.Tensor: its dtype and place may be its own.
static bool readTorch(PyObject *tensor, Location &memory) {
  Ref address = Ref::take(PyObject_CallFunctionObjArgs(tensors.dataPtr, tensor, nullptr));
  Ref dtype = address ? Ref::take(PyObject_GetAttr(tensor, names.dtype)) : Ref();
  return takeAnswers(std::move(address), std::move(dtype), memory) && askForPlace(tensor, memory);
}

/// torch.Tensor.data_ptr's C function, which only a method that is bound tells.
static PyCFunction functionOfDataPtr(PyObject *tensor) {
  Ref method = Ref::take(PyObject_GetAttr(tensor, names.dataPtr));
  PyErr_Clear();
  bool isPlain = method && PyCFunction_Check(method.get()) &&
                 PyCFunction_GetSelf(method.get()) == tensor &&
                 PyCFunction_GetFlags(method.get()) == METH_NOARGS;
  return isPlain ? PyCFunction_GetFunction(method.get()) : nullptr;
}

/// Without DLPack's exchange API.
static bool readOldTensor(PyObject *tensor, Location &memory) {
  if (!tensors.quickDataPtr)
    tensors.quickDataPtr = functionOfDataPtr(tensor);
  if (!tensors.quickDataPtr || !tensors.quickDtype)
    return readTorch(tensor, memory);
  Ref address = Ref::take(tensors.quickDataPtr(tensor, nullptr));
  Ref dtype = address ? Ref::take(tensors.quickDtype(tensors.dtype, tensor,
                                                     reinterpret_cast<PyObject *>(Py_TYPE(tensor))))
                      : Ref();
  return takeAnswers(std::move(address), std::move(dtype), memory) && askForPlace(tensor, memory);
}

static Element elementOfDLPack(const DLTensor &tensor) {
  return tensor.lanes == 1 ? elementOfDLPack(tensor.code, tensor.bits) : Element::None;
}

Element elementOfTensor(PyObject *tensor, const DLTensor &description) {
  Element element = elementOfDLPack(description);
  if (element != Element::None && isDescribed(element)) [[likely]]
    return element;
  Ref dtype = Ref::take(PyObject_GetAttr(tensor, names.dtype));
  element = dtype ? elementOf(dtype.get()) : Element::None;
  PyErr_Clear();
  return element;
}

bool readTensor(PyObject *tensor, Location &memory) {
  if (!quickTensors.exchange)
    return readOldTensor(tensor, memory);
  DLTensor found;
  if (quickTensors.exchange->describeTensor(tensor, &found) != 0) [[unlikely]] {
    PyErr_Clear(); // on a device, or of a type, that DLPack does not know
    return readOldTensor(tensor, memory);
  }
  memory.element = elementOfTensor(tensor, found);
  bool isOnGPU = found.deviceType == kDLCuda;
  if (memory.element == Element::None || (!isOnGPU && found.deviceType != kDLHost)) [[unlikely]]
    return readOldTensor(tensor, memory);
  memory.address = reinterpret_cast<uint64_t>(found.data) + found.byteOffset;
  memory.place = isOnGPU ? Place::GPU : Place::Host;
  memory.gpu = isOnGPU ? found.deviceNumber : -1;
  return true;
}

/// Objects with data_ptr() need not say where their memory is.
static bool readPointer(PyObject *array, Memory &memory) {
  Ref address = Ref::take(PyObject_CallMethodObjArgs(array, names.dataPtr, nullptr));
  Ref dtype = address ? Ref::take(PyObject_GetAttr(array, names.dtype)) : Ref();
  if (!takeAnswers(std::move(address), std::move(dtype), memory))
    return false;
  if (Ref isCuda = Ref::take(PyObject_GetAttr(array, names.isCuda))) {
    if (isCuda.get() == Py_None) // it has no memory
      return true;
    int truth = PyObject_IsTrue(isCuda.get());
    memory.place = truth > 0 ? Place::GPU : Place::Host;
    return truth >= 0;
  }
  PyErr_Clear();
  Ref device = Ref::take(PyObject_GetAttr(array, names.device));
  Ref text = device ? Ref::take(PyObject_Str(device.get())) : Ref();
  PyErr_Clear();
  if (text) {
    Text name(text.get());
    if (name.get() && std::strncmp(name.get(), "cuda", 4) == 0)
      memory.place = Place::GPU;
    else if (name.get() && std::strcmp(name.get(), "cpu") == 0)
      memory.place = Place::Host;
    PyErr_Clear();
  }
  return true;
}

namespace {
/// The struct of NumPy's array interface protocol, version 3.
struct ArrayStruct {
  int two;
  int rank;
  char typekind;
  int itemsize;
  int flags;
  Py_intptr_t *shape, *strides;
  void *data;
};
constexpr int kNotSwapped = 0x200, kWriteable = 0x400;
} // namespace

static bool refuseByteOrder() {
  PyErr_SetString(PyExc_TypeError, "its bytes are in another order than the machine's");
  return false;
}

static bool readNumPy(PyObject *array, Memory &memory) {
  Ref capsule = Ref::take(PyObject_GetAttr(array, names.arrayStruct));
  if (!capsule)
    return false;
  auto *found = static_cast<const ArrayStruct *>(PyCapsule_GetPointer(capsule.get(), nullptr));
  if (!found)
    return false;
  memory.address = reinterpret_cast<uint64_t>(found->data);
  memory.place = Place::Host;
  memory.isReadOnly = !(found->flags & kWriteable);
  memory.element = elementOfKind(found->typekind, found->itemsize);
  if (memory.element != Element::None && !(found->flags & kNotSwapped) && found->itemsize > 1)
    return refuseByteOrder();
  if (memory.element != Element::None)
    return true;
  Ref dtype = Ref::take(PyObject_GetAttr(array, names.dtype)); // ml_dtypes.bfloat16
  memory.element = dtype ? elementOf(dtype.get()) : Element::None;
  return memory.element != Element::None;
}

/// "<f4": byte order, kind, size.
static bool readTypeString(PyObject *text, Element &element) {
  if (!text || !PyUnicode_Check(text)) {
    PyErr_SetString(PyExc_TypeError, "its array interface has no typestr");
    return false;
  }
  Text owner(text);
  const char *letters = owner.get();
  if (!letters || std::strlen(letters) < 3) {
    PyErr_Format(PyExc_TypeError, "its array interface has the typestr %R", text);
    return false;
  }
  int size = std::atoi(letters + 2);
  if (letters[0] == '>' && size > 1)
    return refuseByteOrder();
  element = elementOfKind(letters[1], size);
  if (element == Element::None)
    PyErr_Format(PyExc_TypeError, "kernels do not know the type %R of its elements", text);
  return element != Element::None;
}

/// {"data": (address, is read-only), "typestr": "<f4", ...}
static bool readInterface(PyObject *array, PyObject *name, Memory &memory) {
  Ref interface = Ref::take(PyObject_GetAttr(array, name));
  if (!interface)
    return false;
  Ref data, type; // owned: asking for the truth of something may change the dict
  if (PyDict_Check(interface.get())) {
    data = Ref::share(PyDict_GetItemString(interface.get(), "data"));
    type = Ref::share(PyDict_GetItemString(interface.get(), "typestr"));
  }
  if (!data || !PyTuple_Check(data.get()) || PyTuple_Size(data.get()) != 2) {
    PyErr_Format(PyExc_TypeError, "its %U holds no address", name);
    return false;
  }
  PyObject *address = PyTuple_GetItem(data.get(), 0);
  if (address != Py_None) { // of an empty array
    memory.address = PyLong_AsUnsignedLongLong(address);
    if (PyErr_Occurred())
      return false;
  }
  int readOnly = PyObject_IsTrue(PyTuple_GetItem(data.get(), 1));
  if (readOnly < 0)
    return false;
  memory.isReadOnly = readOnly;
  return readTypeString(type.get(), memory.element);
}

static bool readDLPack(PyObject *array, Memory &memory) {
  Ref capsule = Ref::take(PyObject_CallMethodObjArgs(array, names.dlpack, nullptr));
  if (!capsule)
    return false;
  auto *tensor = static_cast<const DLTensor *>(PyCapsule_GetPointer(capsule.get(), "dltensor"));
  if (!tensor)
    return false;
  memory.address = reinterpret_cast<uint64_t>(tensor->data) + tensor->byteOffset;
  memory.element = elementOfDLPack(*tensor);
  memory.place = tensor->deviceType == kDLHost ? Place::Host
                 : tensor->deviceType == kDLCuda || tensor->deviceType == kDLCudaManaged
                     ? Place::GPU
                     : Place::Unknown;
  memory.keeper = std::move(capsule); // its owner frees the tensor with it
  if (memory.element == Element::None)
    PyErr_SetString(PyExc_TypeError, "kernels do not know the type of its elements");
  return memory.element != Element::None;
}

bool readMemory(PyObject *array, Kind kind, Memory &memory) {
  switch (kind) {
  case Kind::Tensor:
    return readTensor(array, memory);
  case Kind::Torch:
    return readTorch(array, memory);
  case Kind::NumPy:
    return readNumPy(array, memory);
  case Kind::Pointer:
    return readPointer(array, memory);
  case Kind::CudaInterface:
    memory.place = Place::GPU;
    return readInterface(array, names.cudaArrayInterface, memory);
  case Kind::ArrayInterface:
    memory.place = Place::Host;
    return readInterface(array, names.arrayInterface, memory);
  case Kind::DLPack:
    return readDLPack(array, memory);
  default:
    PyErr_Format(PyExc_TypeError, "a %S is no array", nameOf(Py_TYPE(array)).get());
    return false;
  }
}

} // namespace tessera::python
