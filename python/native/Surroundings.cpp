//===- Surroundings.cpp - names, types and other packages -----------------===//
#include "Surroundings.h"
#include "tessera.h"
#include <cstdio>

namespace tessera::python {

Names names;
Types types;

bool makeNames() {
#define TESSERA_INTERN(member, text)                                                               \
  if (!(names.member = PyUnicode_InternFromString(text)))                                          \
    return false;
  TESSERA_NAMES(TESSERA_INTERN)
#undef TESSERA_INTERN
  return true;
}

PyTypeObject *addType(PyObject *module, PyType_Spec &spec) {
  Ref type = Ref::take(PyType_FromSpec(&spec));
  if (!type)
    return nullptr;
  const char *dot = std::strrchr(spec.name, '.');
  Py_INCREF(type.get()); // AddObject takes one
  if (PyModule_AddObject(module, dot + 1, type.get()) < 0) {
    Py_DECREF(type.get());
    return nullptr;
  }
  return reinterpret_cast<PyTypeObject *>(type.release());
}

Ref parseJSON(const char *text) {
  Ref json = Ref::take(PyImport_ImportModule("json"));
  return json ? Ref::take(PyObject_CallMethod(json.get(), "loads", "s", text)) : Ref();
}

Ref loadedModule(const char *name) {
  Ref text = Ref::take(PyUnicode_FromString(name));
  Ref module = text ? Ref::take(PyImport_GetModule(text.get())) : Ref();
  PyErr_Clear();
  return module;
}

bool isDerivedFrom(PyTypeObject *type, const char *module, const char *name) {
  Ref loaded = loadedModule(module);
  Ref base = loaded ? Ref::take(PyObject_GetAttrString(loaded.get(), name)) : Ref();
  PyErr_Clear(); // a module that is being imported may not have it yet
  return base && PyType_Check(base.get()) &&
         PyType_IsSubtype(type, reinterpret_cast<PyTypeObject *>(base.get()));
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

namespace {
/// torch._C, where torch is loaded and was built for CUDA.
struct TorchFunctions {
  PyObject *getDevice = nullptr, *getStream = nullptr; // kept for ever once found
};
} // namespace

static const TorchFunctions &torchFunctions() {
  static TorchFunctions found;
  if (found.getStream)
    return found;
  Ref torch = loadedModule("torch._C");
  if (!torch)
    return found;
  Ref device = Ref::take(PyObject_GetAttrString(torch.get(), "_cuda_getDevice"));
  Ref stream = Ref::take(PyObject_GetAttrString(torch.get(), "_cuda_getCurrentRawStream"));
  PyErr_Clear();
  if (device && stream) {
    found.getDevice = device.release();
    found.getStream = stream.release();
  }
  return found;
}

DeviceNumber currentGPU() {
  PyObject *ask = torchFunctions().getDevice;
  if (!ask)
    return 0;
  Ref number = Ref::take(PyObject_CallNoArgs(ask));
  long value = number ? PyLong_AsLong(number.get()) : -1;
  return value < 0 || PyErr_Occurred() ? kNoDevice : DeviceNumber(value);
}

/// Whether the driver opens a GPU: asked once. The device stays open, because its context would be
/// made again for the launch that follows.
static bool hasGPU() {
  static int known = -1;
  if (known < 0) {
    tessera_device *device = nullptr;
    PyThreadState *state = PyEval_SaveThread();
    int opened = tessera_device_open("cuda", &device, nullptr) == TESSERA_DONE;
    PyEval_RestoreThread(state);
    known = opened;
  }
  return known;
}

static DeviceNumber chosenDefault = kNoDevice;

DeviceNumber defaultDevice() {
  if (chosenDefault != kNoDevice)
    return chosenDefault;
  return hasGPU() ? currentGPU() : kCPU;
}

bool currentStream(DeviceNumber device, uint64_t &stream) {
  stream = 0;
  PyObject *ask = torchFunctions().getStream;
  if (!ask)
    return true;
  Ref number = Ref::take(PyLong_FromLong(device));
  Ref found = number ? Ref::take(PyObject_CallFunctionObjArgs(ask, number.get(), nullptr)) : Ref();
  if (!found)
    return false;
  stream = PyLong_AsUnsignedLongLong(found.get());
  return !PyErr_Occurred();
}

Ref deviceName(DeviceNumber device) {
  if (device == kCPU)
    return Ref::share(names.cpu);
  return Ref::take(PyUnicode_FromFormat("cuda:%d", device));
}

PyObject *setDefaultDevice(PyObject *, PyObject *name) {
  if (name == Py_None) {
    chosenDefault = kNoDevice;
    Py_RETURN_NONE;
  }
  if (!PyUnicode_Check(name))
    return PyErr_Format(PyExc_TypeError, "a device's name is a str, not %R", name);
  Text owner(name);
  const char *text = owner.get();
  if (!text)
    return nullptr;
  int number = 0;
  if (std::strcmp(text, "cpu") == 0)
    chosenDefault = kCPU;
  else if (std::strcmp(text, "cuda") == 0)
    chosenDefault = 0;
  else if (std::sscanf(text, "cuda:%d", &number) == 1 && number >= 0)
    chosenDefault = number;
  else
    return PyErr_Format(PyExc_ValueError, "the devices are cpu, cuda and cuda:N, not %R", name);
  Py_RETURN_NONE;
}

PyObject *getCurrentDevice(PyObject *, PyObject *) {
  DeviceNumber device = defaultDevice();
  return device == kNoDevice ? nullptr : deviceName(device).release();
}

PyObject *getCurrentStream(PyObject *, PyObject *device) {
  long number = PyLong_AsLong(device);
  uint64_t stream = 0;
  if (PyErr_Occurred() || !currentStream(DeviceNumber(number), stream))
    return nullptr;
  return PyLong_FromUnsignedLongLong(stream);
}

} // namespace tessera::python
