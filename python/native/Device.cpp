//===- Device.cpp - Device, LoadedKernel, Variant -------------------------===//
// Wraps the launching part of tessera.h. All launches go through launch() here.
//===----------------------------------------------------------------------===//
#include "Arguments.h"
#include "ForkGate.h"
#include "Objects.h"
#include "Threads.h"

namespace tessera::python {

void raiseDeviceFailure(char *message) {
  // An assertion of the kernel's failed: on the CPU, or as the CUDA driver calls it.
  bool isAssertion = message && (std::strstr(message, "a failed assertion") ||
                                 std::strstr(message, "CUDA_ERROR_ASSERT"));
  PyErr_SetString(isAssertion ? types.deviceAssertion : types.deviceFailure,
                  message ? message : "out of memory");
  tessera_string_free(message);
}

//===----------------------------------------------------------------------===//
// Device
//===----------------------------------------------------------------------===//

static DeviceObject *deviceOf(PyObject *self) { return reinterpret_cast<DeviceObject *>(self); }

static PyObject *newDevice(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  static const char *const kNames[] = {"name", "options", nullptr};
  PyObject *name;
  const char *options = "";
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "U|z:Device", const_cast<char **>(kNames), &name,
                                   &options))
    return nullptr;
  Text text(name);
  Ref self = text.get() ? Ref::take(PyType_GenericAlloc(type, 0)) : Ref();
  if (!self)
    return nullptr;
  DeviceObject *made = deviceOf(self.get());
  char *message = nullptr;
  tessera_status status;
  {
    Inside inside; // no fork may happen while the driver is being loaded
    status = tessera_device_open_with(text.get(), options, &made->device, &message);
  }
  if (status != TESSERA_DONE) {
    raiseDeviceFailure(message);
    return nullptr;
  }
  made->name = Ref::share(name).release();
  made->isCPU = std::strcmp(tessera_device_target(made->device), "cpu") == 0;
  if (made->isCPU)
    tessera_explain_crashes("TRITON_INTERPRET=1 checks every access and names the array and the "
                            "element (docs/sanitizer.md)");
  return self.release();
}

static void freeDevice(PyObject *self) {
  tessera_device_free(deviceOf(self)->device);
  Py_XDECREF(deviceOf(self)->name);
  freeInstance(self);
}

static PyObject *getDeviceName(PyObject *self, void *) {
  return Ref::share(deviceOf(self)->name).release();
}

static PyObject *getTarget(PyObject *self, void *) {
  return PyUnicode_FromString(tessera_device_target(deviceOf(self)->device));
}

static PyObject *getProperty(PyObject *self, PyObject *name) {
  if (!PyUnicode_Check(name))
    return PyErr_Format(PyExc_TypeError, "a property's name is a str, not %R", name);
  Text text(name);
  if (!text.get())
    return nullptr;
  return PyLong_FromLongLong(tessera_device_property(deviceOf(self)->device, text.get()));
}

static PyObject *canAccess(PyObject *self, PyObject *address) {
  uint64_t bits = PyLong_AsUnsignedLongLong(address);
  if (PyErr_Occurred())
    return nullptr;
  return PyBool_FromLong(
      tessera_device_can_access(deviceOf(self)->device, reinterpret_cast<void *>(bits)));
}

static PyObject *synchronize(PyObject *self, PyObject *) {
  char *message = nullptr;
  tessera_status status;
  {
    WithoutGIL wait;
    status = tessera_synchronize(deviceOf(self)->device, &message);
  }
  if (status == TESSERA_DONE)
    Py_RETURN_NONE;
  raiseDeviceFailure(message);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

static LoadedKernelObject *loadedOf(PyObject *self) {
  return reinterpret_cast<LoadedKernelObject *>(self);
}

/// Notes how an argument is passed; takes over the reference to its name.
static bool notePassed(PassedArgument &passed, Ref name, const char *type, bool isReadOnly) {
  passed = {name.release(), storageOf(type), isReadOnly};
  if (!passed.storage.isKnown())
    PyErr_Format(PyExc_ValueError, "argument %R has the type '%s', which cannot be passed",
                 passed.name, type);
  return passed.storage.isKnown();
}

/// Reads what launches need of the kernel's ABI record.
static bool readRecord(LoadedKernelObject *loaded, const tessera_kernel *kernel) {
  loaded->name = PyUnicode_FromString(tessera_kernel_name(kernel));
  if (!loaded->name)
    return false;
  const char *name, *type;
  int isReadOnly;
  size_t count = 0;
  while (tessera_kernel_argument(kernel, count, &name, &type, &isReadOnly))
    ++count;
  loaded->arguments = static_cast<PassedArgument *>(std::calloc(count + 1, sizeof(PassedArgument)));
  if (!loaded->arguments) {
    PyErr_NoMemory();
    return false;
  }
  while (tessera_kernel_argument(kernel, loaded->argumentCount, &name, &type, &isReadOnly)) {
    Ref text = Ref::take(PyUnicode_FromString(name));
    if (!text || !notePassed(loaded->arguments[loaded->argumentCount++], std::move(text), type,
                             isReadOnly != 0))
      return false;
  }
  loaded->scratchBytes = uint64_t(tessera_kernel_number(kernel, "global_scratch_bytes"));
  loaded->scratchAlign = uint64_t(tessera_kernel_number(kernel, "global_scratch_align"));
  loaded->blocksPerProgram = uint64_t(tessera_kernel_number(kernel, "num_ctas"));
  return true;
}

static PyObject *load(PyObject *self, PyObject *kernel) {
  if (!PyObject_TypeCheck(kernel, types.kernel))
    return PyErr_Format(PyExc_TypeError, "load takes a Kernel, not %R", kernel);
  Ref made = Ref::take(PyType_GenericAlloc(types.loadedKernel, 0));
  if (!made)
    return nullptr;
  LoadedKernelObject *loaded = loadedOf(made.get());
  loaded->device = reinterpret_cast<DeviceObject *>(Ref::share(self).release());
  loaded->isOnCPU = loaded->device->isCPU;
  if (loaded->isOnCPU)
    findThreadsOfTorch();
  tessera_kernel *compiled = reinterpret_cast<KernelObject *>(kernel)->kernel;
  if (!readRecord(loaded, compiled))
    return nullptr;
  char *message = nullptr;
  tessera_status status;
  {
    Inside inside;
    status = tessera_load(loaded->device->device, compiled, &loaded->loaded, &message);
  }
  if (status != TESSERA_DONE) {
    raiseDeviceFailure(message);
    return nullptr;
  }
  return made.release();
}

static void freeLoadedKernel(PyObject *self) {
  LoadedKernelObject *loaded = loadedOf(self);
  tessera_loaded_kernel_free(loaded->loaded);
  Py_XDECREF(loaded->makeFallback);
  Py_XDECREF(reinterpret_cast<PyObject *>(loaded->fallback));
  for (size_t i = 0; i < loaded->argumentCount; ++i)
    Py_XDECREF(loaded->arguments[i].name);
  std::free(loaded->arguments);
  Py_XDECREF(loaded->name);
  Py_XDECREF(reinterpret_cast<PyObject *>(loaded->device));
  freeInstance(self);
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

PyObject *setAllocator(PyObject *, PyObject *value) {
  if (value != Py_None && !PyCallable_Check(value))
    return PyErr_Format(PyExc_TypeError, "an allocator is callable or None, not %R", value);
  PyObject *old =
      std::exchange(process.allocator, value == Py_None ? nullptr : Ref::share(value).release());
  Py_XDECREF(old);
  Py_RETURN_NONE;
}

/// Calls the user's allocator with (bytes, alignment, stream); `keeper` gets the owner of the memory.
static bool allocateScratch(const LoadedKernelObject *loaded, LaunchRequest &request, Ref &keeper) {
  uint64_t blocks = uint64_t(request.grid[0]) * request.grid[1] * request.grid[2];
  uint64_t bytes = 0;
  if (__builtin_mul_overflow(blocks * loaded->blocksPerProgram, loaded->scratchBytes, &bytes) ||
      bytes > uint64_t(INT64_MAX)) {
    PyErr_Format(PyExc_MemoryError, "kernel %R needs more scratch memory than exists",
                 loaded->name);
    return false;
  }
  if (bytes == 0)
    return true;
  Ref call = Ref::share(process.allocator);
  keeper = Ref::take(PyObject_CallFunction(call.get(), "LLK", static_cast<long long>(bytes),
                                           static_cast<long long>(loaded->scratchAlign),
                                           static_cast<unsigned long long>(request.stream)));
  if (!keeper)
    return false;
  Memory memory;
  Kind kind = arrayKindOf(keeper.get());
  if (kind == Kind::Int)
    return storeNumber(keeper.get(), Element::UInt64, request.scratch);
  if (!isArray(kind)) {
    PyErr_Format(PyExc_TypeError,
                 "the allocator of scratch memory returned %R, which has no data_ptr()",
                 keeper.get());
    return false;
  }
  if (!readMemory(keeper.get(), kind, memory))
    return false;
  request.scratch = memory.address;
  return true;
}

/// Called several times per second during a launch on the CPU: whether a signal handler raised an
/// exception, or the interpreter is exiting. Only the main thread may take the GIL for that. Another
/// thread that waits for the GIL after the interpreter has ended never returns, while threads of
/// the pool would still be running the launch.
static int shallEnd(void *state) {
  if (!isMainThread())
    return Launching::shallEnd();
  auto *saved = static_cast<PyThreadState **>(state);
  PyEval_RestoreThread(*saved);
  int raised = PyErr_CheckSignals() < 0;
  *saved = PyEval_SaveThread();
  return raised;
}

/// Tensor maps cannot be built for a launch: lets Python compile and load the variant without them,
/// once. `message` says why; it becomes an exception if there is no such variant.
[[gnu::cold]] static bool provideFallback(LoadedKernelObject *loaded, char *message) {
  if (!loaded->makeFallback || loaded->fallback) {
    raiseDeviceFailure(message);
    return false;
  }
  tessera_string_free(message);
  Ref make = Ref::share(loaded->makeFallback);
  Ref made = Ref::take(PyObject_CallFunctionObjArgs(make.get(), nullptr));
  if (!made)
    return false;
  if (loaded->fallback) // another thread has set it meanwhile
    return true;
  if (!PyObject_TypeCheck(made.get(), types.loadedKernel)) {
    PyErr_Format(PyExc_TypeError, "a variant without tensor maps is a LoadedKernel, not %R",
                 made.get());
    return false;
  }
  char *refusal = nullptr;
  if (tessera_loaded_kernel_set_fallback(loaded->loaded, loadedOf(made.get())->loaded, &refusal) !=
      TESSERA_DONE) {
    raiseDeviceFailure(refusal);
    return false;
  }
  loaded->fallback = loadedOf(made.release());
  return true;
}

bool launch(LoadedKernelObject *loaded, LaunchRequest &request) {
  Ref scratch;
  if (loaded->scratchBytes && process.allocator && !request.scratch && !loaded->isOnCPU &&
      !allocateScratch(loaded, request, scratch))
    return false;
  Buffer<void *, 128> pointers;
  void **pointer = pointers.extend(request.slotCount);
  for (size_t i = 0; i < request.slotCount; ++i)
    pointer[i] = &request.slots[i];
  char *message = nullptr;
  PyThreadState *state = PyEval_SaveThread();
  tessera_launch_request wanted = {};
  wanted.size = sizeof(wanted);
  wanted.grid_x = request.grid[0];
  wanted.grid_y = request.grid[1];
  wanted.grid_z = request.grid[2];
  wanted.arguments = pointers.data();
  wanted.argument_count = request.slotCount;
  wanted.stream = reinterpret_cast<void *>(request.stream);
  wanted.scratch = request.scratch;
  wanted.profile = request.profile;
  wanted.is_interrupted = shallEnd;
  wanted.data = &state;
  wanted.extents = request.extents;
  tessera_status status;
  if (loaded->isOnCPU) {
    chooseThreads(wanted);
    Launching launching;
    status = tessera_launch_with(loaded->loaded, &wanted, &message);
  } else {
    status = tessera_launch_with(loaded->loaded, &wanted, &message);
  }
  PyEval_RestoreThread(state);
  if (status == TESSERA_DONE) [[likely]] {
    if (!message)
      return true;
    bool goesOn = PyErr_WarnEx(PyExc_RuntimeWarning, message, 1) == 0;
    tessera_string_free(message);
    return goesOn;
  }
  if (status == TESSERA_NO_TENSOR_MAP) // then the library takes the fallback by itself
    return provideFallback(loaded, message) && launch(loaded, request);
  if (PyErr_Occurred()) // a signal handler raised
    tessera_string_free(message);
  else
    raiseDeviceFailure(message);
  return false;
}

/// Flattens tuples and descriptors as docs/abi.md describes; `flat` owns its items.
static bool flatten(PyObject *value, Buffer<PyObject *, 128> &flat) {
  Kind kind = kindOf(value);
  if (kind == Kind::Tuple) {
    if (Py_EnterRecursiveCall(" while flattening a tuple"))
      return false;
    bool fine = true;
    for (Py_ssize_t i = 0; fine && i < PyTuple_Size(value); ++i)
      fine = flatten(PyTuple_GetItem(value, i), flat);
    Py_LeaveRecursiveCall();
    return fine;
  }
  if (kind != Kind::Descriptor) {
    flat.push(Ref::share(value).release());
    return true;
  }
  DescriptorParts parts;
  if (!readDescriptor(value, parts))
    return false;
  flat.push(parts.base.release());
  for (size_t i = 0; i < parts.rank; ++i)
    flat.push(PyLong_FromLongLong(parts.shape[i]));
  for (size_t i = 0; i < parts.rank; ++i)
    flat.push(PyLong_FromLongLong(parts.strides[i]));
  for (PyObject *part : flat)
    if (!part)
      return false;
  return true;
}

/// Stores one value in one slot, converted to the record's type.
static bool storeValue(PyObject *value, const Storage &storage, uint64_t &slot, Ref &keeper) {
  if (!storage.isPointer)
    return storeNumber(value, storage.element, slot);
  Kind kind = arrayKindOf(value);
  slot = 0;
  if (kind == Kind::None)
    return true;
  if (kind == Kind::Int)
    return storeNumber(value, Element::UInt64, slot);
  Memory memory;
  if (!readMemory(value, kind, memory))
    return false;
  slot = memory.address;
  keeper = std::move(memory.keeper);
  return true;
}

static bool storeAll(LoadedKernelObject *loaded, const Buffer<PyObject *, 128> &flat,
                     Buffer<uint64_t, 128> &slots, Buffer<PyObject *, 128> &keepers) {
  if (flat.size() != loaded->argumentCount) {
    PyErr_Format(PyExc_TypeError, "kernel %R takes %zu arguments and was given %zu", loaded->name,
                 loaded->argumentCount, flat.size());
    return false;
  }
  for (size_t i = 0; i < flat.size(); ++i) {
    const PassedArgument &passed = loaded->arguments[i];
    uint64_t slot = 0;
    Ref keeper;
    if (!storeValue(flat[i], passed.storage, slot, keeper)) {
      nameArgument(loaded->name, passed.name);
      return false;
    }
    slots.push(slot);
    if (keeper)
      keepers.push(keeper.release());
  }
  return true;
}

/// Reads [(address, bytes), ...], one for each slot, or None.
static bool readExtents(PyObject *list, size_t count, Buffer<tessera_extent, 128> &extents) {
  if (!list || list == Py_None)
    return true;
  Ref items = Ref::take(PySequence_Tuple(list));
  if (!items)
    return false;
  if (size_t(PyTuple_Size(items.get())) != count) {
    PyErr_Format(PyExc_ValueError, "there are %zd extents for %zu arguments",
                 PyTuple_Size(items.get()), count);
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    unsigned long long address = 0, bytes = 0;
    PyObject *item = PyTuple_GetItem(items.get(), Py_ssize_t(i));
    if (!PyTuple_Check(item) || !PyArg_ParseTuple(item, "KK:extents", &address, &bytes)) {
      if (!PyErr_Occurred())
        PyErr_Format(PyExc_TypeError, "an extent is (address, bytes), not %R", item);
      return false;
    }
    extents.push({address, bytes});
  }
  return true;
}

static PyObject *launchGenerically(PyObject *self, PyObject *args, PyObject *keywords) {
  static const char *const kNames[] = {"gx",      "gy",      "gz",      "stream", "values",
                                       "scratch", "profile", "extents", nullptr};
  LoadedKernelObject *loaded = loadedOf(self);
  long long grid[3];
  unsigned long long stream, scratch = 0, profile = 0;
  PyObject *values, *extentList = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "LLLKO!|KKO:launch", const_cast<char **>(kNames),
                                   &grid[0], &grid[1], &grid[2], &stream, &PyTuple_Type, &values,
                                   &scratch, &profile, &extentList))
    return nullptr;
  for (long long extent : grid)
    if (extent < 0 || extent > INT32_MAX)
      return PyErr_Format(PyExc_ValueError, "a grid's extent is from 0 to 2147483647, not %lld",
                          extent);
  Buffer<PyObject *, 128> flat, keepers;
  Buffer<uint64_t, 128> slots;
  Buffer<tessera_extent, 128> extents;
  bool fine = flatten(values, flat) && storeAll(loaded, flat, slots, keepers) &&
              readExtents(extentList, slots.size(), extents);
  if (fine) {
    LaunchRequest request = {{uint32_t(grid[0]), uint32_t(grid[1]), uint32_t(grid[2])},
                             slots.data(),
                             slots.size(),
                             stream,
                             scratch,
                             profile,
                             extents.empty() ? nullptr : extents.data()};
    fine = launch(loaded, request);
  }
  for (PyObject *object : flat)
    Py_XDECREF(object);
  for (PyObject *object : keepers)
    Py_DECREF(object);
  if (!fine)
    return nullptr;
  Py_RETURN_NONE;
}

static PyObject *getLoadedDevice(PyObject *self, void *) {
  return Ref::share(reinterpret_cast<PyObject *>(loadedOf(self)->device)).release();
}

static PyObject *setFallback(PyObject *self, PyObject *make) {
  if (!PyCallable_Check(make))
    return PyErr_Format(PyExc_TypeError, "set_fallback takes a function, not %R", make);
  PyObject *old = std::exchange(loadedOf(self)->makeFallback, Ref::share(make).release());
  Py_XDECREF(old);
  Py_RETURN_NONE;
}

static PyObject *getResource(PyObject *self, PyObject *name) {
  if (!PyUnicode_Check(name))
    return PyErr_Format(PyExc_TypeError, "a resource's name is a str, not %R", name);
  Text text(name);
  if (!text.get())
    return nullptr;
  return PyLong_FromLong(tessera_loaded_kernel_resource(loadedOf(self)->loaded, text.get()));
}

static PyObject *getHandle(PyObject *self, PyObject *name) {
  if (!PyUnicode_Check(name))
    return PyErr_Format(PyExc_TypeError, "a handle's name is a str, not %R", name);
  Text text(name);
  if (!text.get())
    return nullptr;
  return PyLong_FromVoidPtr(tessera_loaded_kernel_handle(loadedOf(self)->loaded, text.get()));
}

//===----------------------------------------------------------------------===//
// Variant
//===----------------------------------------------------------------------===//

static VariantObject *variantOf(PyObject *self) { return reinterpret_cast<VariantObject *>(self); }

static PyObject *newVariant(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  static const char *const kNames[] = {"loaded", "result", nullptr};
  PyObject *loaded, *result;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!O:Variant", const_cast<char **>(kNames),
                                   types.loadedKernel, &loaded, &result))
    return nullptr;
  Ref self = Ref::take(PyType_GenericAlloc(type, 0));
  if (!self)
    return nullptr;
  VariantObject *variant = variantOf(self.get());
  variant->loaded = loadedOf(Ref::share(loaded).release());
  variant->result = Ref::share(result).release();
  return self.release();
}

static int traverseVariant(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(variantOf(self)->result);
  return 0;
}

static int clearVariant(PyObject *self) {
  Py_CLEAR(variantOf(self)->result);
  return 0;
}

static void freeVariant(PyObject *self) {
  PyObject_GC_UnTrack(self);
  Py_XDECREF(reinterpret_cast<PyObject *>(variantOf(self)->loaded));
  clearVariant(self);
  freeInstance(self);
}

static PyObject *getVariantLoaded(PyObject *self, void *) {
  return Ref::share(reinterpret_cast<PyObject *>(variantOf(self)->loaded)).release();
}

static PyObject *getVariantResult(PyObject *self, void *) {
  PyObject *result = variantOf(self)->result;
  return Ref::share(result ? result : Py_None).release();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static PyMethodDef deviceMethods[] = {
    {"property", getProperty, METH_O, nullptr},
    {"synchronize", synchronize, METH_NOARGS, nullptr},
    {"load", load, METH_O, nullptr},
    {"can_access", canAccess, METH_O, nullptr},
    {"load_binary", asMethod(loadBinary), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"set_limit", setLimit, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
static PyGetSetDef deviceProperties[] = {
    {"name", getDeviceName, nullptr, nullptr, nullptr},
    {"target", getTarget, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
static PyType_Slot deviceSlots[] = {
    {Py_tp_new, reinterpret_cast<void *>(newDevice)},
    {Py_tp_dealloc, reinterpret_cast<void *>(freeDevice)},
    {Py_tp_methods, deviceMethods},
    {Py_tp_getset, deviceProperties},
    {0, nullptr},
};
static PyType_Spec deviceSpec = {"tessera._native.Device", sizeof(DeviceObject), 0,
                                 Py_TPFLAGS_DEFAULT, deviceSlots};

static PyObject *refuseNew(PyTypeObject *, PyObject *, PyObject *) {
  return PyErr_Format(PyExc_TypeError, "a LoadedKernel is what Device.load returns");
}
static PyMethodDef loadedMethods[] = {
    {"launch", asMethod(launchGenerically), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"resource", getResource, METH_O, nullptr},
    {"handle", getHandle, METH_O, nullptr},
    {"occupancy", occupancy, METH_VARARGS, nullptr},
    {"set_fallback", setFallback, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
static PyGetSetDef loadedProperties[] = {
    {"device", getLoadedDevice, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
static PyType_Slot loadedSlots[] = {
    {Py_tp_new, reinterpret_cast<void *>(refuseNew)},
    {Py_tp_dealloc, reinterpret_cast<void *>(freeLoadedKernel)},
    {Py_tp_methods, loadedMethods},
    {Py_tp_getset, loadedProperties},
    {0, nullptr},
};
static PyType_Spec loadedSpec = {"tessera._native.LoadedKernel", sizeof(LoadedKernelObject), 0,
                                 Py_TPFLAGS_DEFAULT, loadedSlots};

static PyMemberDef variantMembers[] = {
    {"launches", T_ULONGLONG, offsetof(VariantObject, launches), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
static PyGetSetDef variantProperties[] = {
    {"loaded", getVariantLoaded, nullptr, nullptr, nullptr},
    {"result", getVariantResult, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
static PyType_Slot variantSlots[] = {
    {Py_tp_new, reinterpret_cast<void *>(newVariant)},
    {Py_tp_dealloc, reinterpret_cast<void *>(freeVariant)},
    {Py_tp_traverse, reinterpret_cast<void *>(traverseVariant)},
    {Py_tp_clear, reinterpret_cast<void *>(clearVariant)},
    {Py_tp_getset, variantProperties},
    {Py_tp_members, variantMembers},
    {0, nullptr},
};
static PyType_Spec variantSpec = {"tessera._native.Variant", sizeof(VariantObject), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, variantSlots};

bool addDeviceTypes(PyObject *module) {
  return (types.device = addType(module, deviceSpec)) &&
         (types.loadedKernel = addType(module, loadedSpec)) &&
         (types.variant = addType(module, variantSpec));
}

} // namespace tessera::python
