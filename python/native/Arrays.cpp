//===- Arrays.cpp - read the memory of array arguments --------------------===//
#include "Arrays.h"
#include "Messages.h"
#include "ProcessState.h"

namespace tessera::python {

static constexpr ArgumentCaches &caches = process.arguments;

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

void registerKind(PyTypeObject *type, Kind kind) {
  RegisteredKinds &registered = caches.registered;
  for (size_t i = 0; i < registered.count; ++i)
    if (registered.entries[i].type == type)
      return;
  if (registered.count == RegisteredKinds::kMost)
    return;
  Py_INCREF(type);
  registered.entries[registered.count++] = {type, kind};
  caches.kinds.clear();
}

static bool has(PyObject *object, PyObject *name) { return PyObject_HasAttr(object, name); }

/// The kind by the attributes of a type, or of an instance.
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

/// Descriptors are recognized by their class name, so that Triton's own work too.
static bool isNamedDescriptor(PyTypeObject *type) {
  Ref name = Ref::take(PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), "__name__"));
  return name && PyUnicode_CompareWithASCIIString(name.get(), "TensorDescriptor") == 0;
}

/// An attribute of torch or of a module in it; null without an exception if there is none.
static Ref attributeOf(const char *module, const char *name) {
  Ref loaded = loadedModule(module);
  Ref found = loaded ? Ref::take(PyObject_GetAttrString(loaded.get(), name)) : Ref();
  PyErr_Clear();
  return found;
}

static void learnTensors() {
  Ref tensor = attributeOf("torch", "Tensor");
  if (caches.tensors.dataPtr || !tensor)
    return;
  if (const DLPackExchange *exchange = exchangeOf(tensor.get());
      exchange && PyType_Check(tensor.get()))
    caches.quickTensors = {reinterpret_cast<PyTypeObject *>(Ref::share(tensor.get()).release()),
                           exchange};
  caches.tensors.dtype = PyObject_GetAttr(tensor.get(), names.dtype);
  // PyType_GetSlot works for static types since Python 3.10.
  if (caches.tensors.dtype)
    caches.tensors.quickDtype = reinterpret_cast<descrgetfunc>(
        PyType_GetSlot(Py_TYPE(caches.tensors.dtype), Py_tp_descr_get));
  caches.tensors.dataPtr = PyObject_GetAttr(tensor.get(), names.dataPtr);
  PyErr_Clear();
}

/// Returns whether the type inherits torch.Tensor.data_ptr, which can then be called without a
/// look-up.
static bool hasPlainPointer(PyTypeObject *type) {
  Ref own = Ref::take(PyObject_GetAttr(reinterpret_cast<PyObject *>(type), names.dataPtr));
  PyErr_Clear();
  return own && own.get() == caches.tensors.dataPtr;
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
  const RegisteredKinds &registered = caches.registered;
  for (size_t i = 0; i < registered.count; ++i)
    if (PyType_IsSubtype(type, registered.entries[i].type))
      return registered.entries[i].kind;
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
  if (isDerivedFrom(type, "numpy", "generic")) // NumPy scalars have the attributes of arrays
    return Kind::Other;
  if (isDerivedFrom(type, "torch", "dtype"))
    return Kind::Dtype;
  if (isNamedDescriptor(type))
    return Kind::Descriptor;
  return kindByAttributes(reinterpret_cast<PyObject *>(type));
}

Kind kindOf(PyObject *argument) {
  auto *type = reinterpret_cast<PyObject *>(Py_TYPE(argument));
  if (uint32_t known = caches.kinds.find(type)) [[likely]]
    return Kind(known);
  Kind kind = kindOfType(Py_TYPE(argument));
  caches.kinds.remember(type, uint32_t(kind));
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
  if (uint32_t known = caches.elements.find(dtype)) [[likely]]
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
  caches.elements.remember(dtype, 1 + uint32_t(element));
  return element;
}

//===----------------------------------------------------------------------===//
// Reading memory
//===----------------------------------------------------------------------===//

/// Stores the results of data_ptr() and dtype.
static bool takeAnswers(Ref address, Ref dtype, Location &memory) {
  if (!address || !dtype)
    return false;
  // PyLong_AsSize_t is the fastest conversion for ints of two digits, as addresses are.
  static_assert(sizeof(size_t) == sizeof(uint64_t));
  memory.address = PyLong_AsSize_t(address.get());
  if (memory.address == uint64_t(-1) && PyErr_Occurred())
    return false;
  memory.element = elementOf(dtype.get());
  return memory.element != Element::None;
}

/// Reads the device of a torch tensor; the page of GPU memory is cached.
static bool askForPlace(PyObject *tensor, Location &memory) {
  memory.gpu = memory.address ? caches.gpuPages.find(memory.address) : -1;
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
    caches.gpuPages.remember(memory.address, memory.gpu);
  return true;
}

/// Reads an instance of a subclass of torch.Tensor, which may override dtype and is_cuda.
static bool readTorch(PyObject *tensor, Location &memory) {
  Ref address = Ref::take(PyObject_CallFunctionObjArgs(caches.tensors.dataPtr, tensor, nullptr));
  Ref dtype = address ? Ref::take(PyObject_GetAttr(tensor, names.dtype)) : Ref();
  return takeAnswers(std::move(address), std::move(dtype), memory) && askForPlace(tensor, memory);
}

/// The C function of torch.Tensor.data_ptr, which only a bound method gives access to.
static PyCFunction functionOfDataPtr(PyObject *tensor) {
  Ref method = Ref::take(PyObject_GetAttr(tensor, names.dataPtr));
  PyErr_Clear();
  bool isPlain = method && PyCFunction_Check(method.get()) &&
                 PyCFunction_GetSelf(method.get()) == tensor &&
                 PyCFunction_GetFlags(method.get()) == METH_NOARGS;
  return isPlain ? PyCFunction_GetFunction(method.get()) : nullptr;
}

/// Reads a tensor without DLPack's exchange API.
static bool readOldTensor(PyObject *tensor, Location &memory) {
  if (!caches.tensors.quickDataPtr)
    caches.tensors.quickDataPtr = functionOfDataPtr(tensor);
  if (!caches.tensors.quickDataPtr || !caches.tensors.quickDtype)
    return readTorch(tensor, memory);
  Ref address = Ref::take(caches.tensors.quickDataPtr(tensor, nullptr));
  Ref dtype =
      address ? Ref::take(caches.tensors.quickDtype(caches.tensors.dtype, tensor,
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
  if (!caches.quickTensors.exchange)
    return readOldTensor(tensor, memory);
  DLTensor found;
  if (caches.quickTensors.exchange->describeTensor(tensor, &found) != 0) [[unlikely]] {
    PyErr_Clear(); // DLPack does not support its device or its type
    return readOldTensor(tensor, memory);
  }
  memory.element = elementOfTensor(tensor, found);
  bool onGPU = isOnGPU(found);
  if (memory.element == Element::None || (!onGPU && found.deviceType != kDLHost)) [[unlikely]]
    return readOldTensor(tensor, memory);
  memory.address = reinterpret_cast<uint64_t>(found.data) + found.byteOffset;
  memory.place = onGPU ? Place::GPU : Place::Host;
  memory.gpu = onGPU ? found.deviceNumber : -1;
  return true;
}

/// object.name(); null without an exception if the call fails.
static Ref callIfPossible(PyObject *object, PyObject *name) {
  Ref result = Ref::take(PyObject_CallMethodObjArgs(object, name, nullptr));
  if (!result)
    PyErr_Clear();
  return result;
}

bool isSmallTensor(PyObject *tensor) {
  Ref storage = callIfPossible(tensor, names.untypedStorage);
  Ref size =
      storage ? callIfPossible(storage.get(), names.size) : callIfPossible(tensor, names.ptrRange);
  if (!size || !PyLong_Check(size.get()))
    return false;
  int overflow = 0;
  long long bytes = PyLong_AsLongLongAndOverflow(size.get(), &overflow);
  return overflow == 0 && bytes >= 0 && bytes < 1LL << 31;
}

/// Reads an object with data_ptr(), which may not say which device its memory is on.
static bool readPointer(PyObject *array, Memory &memory) {
  Ref address = Ref::take(PyObject_CallMethodObjArgs(array, names.dataPtr, nullptr));
  Ref dtype = address ? Ref::take(PyObject_GetAttr(array, names.dtype)) : Ref();
  if (!takeAnswers(std::move(address), std::move(dtype), memory))
    return false;
  if (Ref isCuda = Ref::take(PyObject_GetAttr(array, names.isCuda))) {
    if (isCuda.get() == Py_None) // a MockTensor, which has no memory
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
  PyErr_SetString(PyExc_TypeError,
                  "its bytes are in another order than the machine's; "
                  "array.astype(array.dtype.newbyteorder('=')) makes a copy in this one");
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

/// Parses "<f4": byte order, kind, size.
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

/// Reads a dict {"data": (address, is read-only), "typestr": "<f4", ...}.
static bool readInterface(PyObject *array, PyObject *name, Memory &memory) {
  Ref interface = Ref::take(PyObject_GetAttr(array, name));
  if (!interface)
    return false;
  Ref data, type; // owned, because evaluating a truth value may run code that changes the dict
  if (PyDict_Check(interface.get())) {
    data = Ref::share(PyDict_GetItemString(interface.get(), "data"));
    type = Ref::share(PyDict_GetItemString(interface.get(), "typestr"));
  }
  if (!data || !PyTuple_Check(data.get()) || PyTuple_Size(data.get()) != 2) {
    PyErr_Format(PyExc_TypeError, "its %U holds no address", name);
    return false;
  }
  PyObject *address = PyTuple_GetItem(data.get(), 0);
  if (address != Py_None) { // None for an empty array
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
  memory.place = tensor->deviceType == kDLHost                              ? Place::Host
                 : isOnGPU(*tensor) || tensor->deviceType == kDLCudaManaged ? Place::GPU
                                                                            : Place::Unknown;
  memory.keeper = std::move(capsule); // the capsule owns the tensor
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
