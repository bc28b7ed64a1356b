//===- ProcessState.cpp - all state that outlives a call ------------------===//
#include "ProcessState.h"
#include "tessera.h"
#include <cstdio>

namespace tessera::python {

[[clang::no_destroy]] ProcessState process; // threads may use it while the process ends

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

const DLPackExchange *exchangeOf(PyObject *type) {
  Ref capsule = Ref::take(PyObject_GetAttrString(type, "__dlpack_c_exchange_api__"));
  auto *table = capsule ? static_cast<const DLPackExchange *>(
                              PyCapsule_GetPointer(capsule.get(), "dlpack_exchange_api"))
                        : nullptr;
  PyErr_Clear();
  while (table && table->majorVersion != 1)
    table = table->older;
  return table && table->describeTensor ? table : nullptr;
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

static constexpr DeviceState &devices = process.devices;

/// Looks torch up. False: it is not loaded, or was built without CUDA.
static bool findTorch() {
  if (devices.torch.isKnown) [[likely]]
    return true;
  Ref module = loadedModule("torch._C");
  if (!module)
    return false;
  TorchCUDA found;
  found.getDevice.find(module.get(), "_cuda_getDevice", METH_NOARGS);
  found.getStream.find(module.get(), "_cuda_getCurrentRawStream", METH_O);
  if (!found.getDevice || !found.getStream)
    return false;
  Ref package = loadedModule("torch");
  Ref tensor = package ? Ref::take(PyObject_GetAttrString(package.get(), "Tensor")) : Ref();
  PyErr_Clear();
  if (!tensor) // torch is being imported
    return false;
  const DLPackExchange *exchange = exchangeOf(tensor.get());
  if (exchange && exchange->currentStream && found.getStream.isQuick())
    found.exchange = exchange;
  found.isKnown = true;
  devices.torch = found;
  return true;
}

/// Returns whether torch sees exactly one GPU. Called after asking torch for the current device,
/// which initializes CUDA; from then on the number does not change.
static bool countsOneDevice() {
  Ref module = loadedModule("torch._C");
  Ref count = module ? Ref::take(PyObject_CallMethod(module.get(), "_cuda_getDeviceCount", nullptr))
                     : Ref();
  long number = count ? PyLong_AsLong(count.get()) : -1;
  PyErr_Clear();
  return number == 1;
}

DeviceNumber currentGPU() {
  if (devices.torch.hasOneDevice || !findTorch())
    return 0;
  Ref number = devices.torch.getDevice(nullptr);
  long value = number ? PyLong_AsLong(number.get()) : -1;
  if (value < 0 || PyErr_Occurred())
    return kNoDevice;
  if (!devices.torch.isCounted) {
    devices.torch.isCounted = true;
    devices.torch.hasOneDevice = value == 0 && countsOneDevice();
  }
  return DeviceNumber(value);
}

void forgetDevices() { devices.torch.hasOneDevice = false; }

/// The kind of the machine's GPUs. torch calls AMD's "cuda" too, and says so in torch.version.hip.
static const char *gpuKind() {
  if (devices.kind) [[likely]]
    return devices.kind;
  Ref version = loadedModule("torch.version");
  if (!version)
    return "cuda"; // until a driver or torch says otherwise
  Ref hip = Ref::take(PyObject_GetAttrString(version.get(), "hip"));
  PyErr_Clear();
  devices.kind = hip && hip.get() != Py_None ? "hip" : "cuda";
  return devices.kind;
}

bool promisesSmallTensors() { return devices.chosenDefault != kCPU && gpuKind()[0] == 'h'; }

/// Returns whether a driver can open a GPU. The device stays open, because the next launch needs
/// its context.
static bool hasGPU() {
  if (!devices.hasGPU) {
    const char *known = gpuKind();
    bool opened = false;
    {
      Inside inside; // no fork may happen while dlopen looks for the driver
      for (const char *kind : {"cuda", "hip"}) {
        tessera_device *device = nullptr;
        if (opened || (devices.kind && std::strcmp(kind, known) != 0))
          continue;
        opened = tessera_device_open(kind, &device, nullptr) == TESSERA_DONE;
        if (opened)
          devices.kind = kind;
      }
    }
    devices.hasGPU = opened;
  }
  return *devices.hasGPU;
}

DeviceNumber defaultDevice() {
  if (devices.chosenDefault != kNoDevice)
    return devices.chosenDefault;
  return hasGPU() ? currentGPU() : kCPU;
}

bool currentStream(DeviceNumber device, uint64_t &stream) {
  stream = 0;
  if (!findTorch())
    return true;
  if (devices.torch.exchange) {
    void *found = nullptr;
    bool fine = devices.torch.exchange->currentStream(gpuKind()[0] == 'h' ? kDLRocm : kDLCuda,
                                                      device, &found) == 0;
    stream = reinterpret_cast<uint64_t>(found);
    return fine;
  }
  Ref number = Ref::take(PyLong_FromLong(device));
  Ref found = number ? devices.torch.getStream(number.get()) : Ref();
  if (!found)
    return false;
  stream = PyLong_AsUnsignedLongLong(found.get());
  return !PyErr_Occurred();
}

Ref deviceName(DeviceNumber device) {
  if (device == kCPU)
    return Ref::share(names.cpu);
  if (device < 0 || device >= DeviceState::kNames)
    return Ref::take(PyUnicode_FromFormat("%s:%d", gpuKind(), device));
  PyObject *&name = devices.names[device];
  if (name)
    return Ref::share(name);
  Ref made = Ref::take(PyUnicode_FromFormat("%s:%d", gpuKind(), device));
  if (made && devices.kind) // it stays
    name = Ref::share(made.get()).release();
  return made;
}

const char *kindOfName(const char *text, int &number) {
  for (const char *kind : {"cuda", "hip"}) {
    size_t size = std::strlen(kind);
    if (std::strncmp(text, kind, size) != 0)
      continue;
    number = 0;
    if (text[size] == 0 || (std::sscanf(text + size, ":%d", &number) == 1 && number >= 0))
      return kind;
  }
  return nullptr;
}

PyObject *setDefaultDevice(PyObject *, PyObject *name) {
  if (name == Py_None) {
    devices.chosenDefault = kNoDevice;
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
    devices.chosenDefault = kCPU;
  else if (const char *kind = kindOfName(text, number))
    devices.chosenDefault = number, devices.kind = kind;
  else
    return PyErr_Format(PyExc_ValueError,
                        "the devices are cpu, cuda and cuda:N, hip and hip:N, not %R", name);
  Py_RETURN_NONE;
}

PyObject *getCurrentDevice(PyObject *, PyObject *) {
  DeviceNumber device = defaultDevice();
  return device == kNoDevice ? nullptr : deviceName(device).release();
}

/// The current GPU: torch's, or that of set_default_device, or the first.
static DeviceNumber currentGPUOfProgram() {
  return !findTorch() && devices.chosenDefault >= 0 ? devices.chosenDefault : currentGPU();
}

PyObject *getCurrentGPU(PyObject *, PyObject *) {
  DeviceNumber device = currentGPUOfProgram();
  return device == kNoDevice ? nullptr : PyLong_FromLong(device);
}

PyObject *hasOneGPU(PyObject *, PyObject *) {
  bool isFirst = currentGPU() == 0; // currentGPU lets torch count its devices
  PyErr_Clear();
  return PyBool_FromLong(isFirst && devices.torch.hasOneDevice);
}

PyObject *getCurrentStream(PyObject *, PyObject *const *args, Py_ssize_t count) {
  if (count > 1)
    return PyErr_Format(PyExc_TypeError,
                        "current_stream takes a device's number, not %zd arguments", count);
  bool isGiven = count == 1 && args[0] != Py_None;
  long number = isGiven ? PyLong_AsLong(args[0]) : currentGPUOfProgram();
  uint64_t stream = 0;
  if (PyErr_Occurred() || !currentStream(DeviceNumber(number), stream))
    return nullptr;
  return PyLong_FromUnsignedLongLong(stream);
}

} // namespace tessera::python
