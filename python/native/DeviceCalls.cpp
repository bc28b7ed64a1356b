//===- DeviceCalls.cpp - what is rarely asked of a device -----------------===//
// Binaries of other compilers, the driver's limits, how many blocks a device
// holds: the methods behind `driver.active.utils`. None is on the launch path.
//===----------------------------------------------------------------------===//
#include "ForkGate.h"
#include "Objects.h"

namespace tessera::python {

static DeviceObject *deviceOf(PyObject *self) { return reinterpret_cast<DeviceObject *>(self); }

/// A size in bytes that the library takes as 32 bits. False: an exception is set.
static bool fits(unsigned long long bytes) {
  if (bytes <= INT32_MAX)
    return true;
  PyErr_Format(PyExc_ValueError, "a block has at most 2147483647 bytes or blocks, not %llu", bytes);
  return false;
}

PyObject *loadBinary(PyObject *self, PyObject *args, PyObject *keywords) {
  static const char *const kNames[] = {"symbol", "binary", "shared", nullptr};
  const char *symbol;
  PyObject *binary;
  long long shared = 0;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "sS|L:load_binary", const_cast<char **>(kNames),
                                   &symbol, &binary, &shared))
    return nullptr;
  if (shared < 0)
    return PyErr_Format(PyExc_ValueError, "shared memory has no negative size: %lld", shared);
  if (!fits(static_cast<unsigned long long>(shared)))
    return nullptr;
  Ref made = Ref::take(PyType_GenericAlloc(types.loadedKernel, 0));
  if (!made)
    return nullptr;
  auto *loaded = reinterpret_cast<LoadedKernelObject *>(made.get());
  loaded->device = deviceOf(Ref::share(self).release());
  loaded->name = PyUnicode_FromString(symbol);
  char *bytes = nullptr, *message = nullptr;
  Py_ssize_t size = 0;
  if (!loaded->name || PyBytes_AsStringAndSize(binary, &bytes, &size) < 0)
    return nullptr;
  tessera_status status;
  {
    Inside inside;
    status = tessera_load_binary(deviceOf(self)->device, symbol, bytes, size_t(size),
                                 uint32_t(shared), &loaded->loaded, &message);
  }
  if (status == TESSERA_DONE)
    return made.release();
  raiseDeviceFailure(message);
  return nullptr;
}

PyObject *setLimit(PyObject *self, PyObject *args) {
  PyObject *name;
  PyObject *bytes;
  if (!PyArg_ParseTuple(args, "UO!:set_limit", &name, &PyLong_Type, &bytes))
    return nullptr;
  Text text(name);
  uint64_t wanted = text.get() ? PyLong_AsUnsignedLongLong(bytes) : 0;
  if (PyErr_Occurred())
    return nullptr;
  char *message = nullptr;
  tessera_status status;
  {
    Inside inside;
    status = tessera_device_set_limit(deviceOf(self)->device, text.get(), wanted, &message);
  }
  if (status == TESSERA_DONE)
    Py_RETURN_NONE;
  raiseDeviceFailure(message);
  return nullptr;
}

PyObject *occupancy(PyObject *self, PyObject *args) {
  long long shared, cluster = 0;
  if (!PyArg_ParseTuple(args, "L|L:occupancy", &shared, &cluster))
    return nullptr;
  if (shared < 0 || cluster < 0)
    return PyErr_Format(PyExc_ValueError, "neither shared memory nor a cluster is negative");
  if (!fits(static_cast<unsigned long long>(shared)) ||
      !fits(static_cast<unsigned long long>(cluster)))
    return nullptr;
  int count = 0;
  char *message = nullptr;
  tessera_status status;
  {
    Inside inside;
    status = tessera_loaded_kernel_occupancy(reinterpret_cast<LoadedKernelObject *>(self)->loaded,
                                             uint32_t(shared), uint32_t(cluster), &count, &message);
  }
  if (status == TESSERA_DONE)
    return PyLong_FromLong(count);
  raiseDeviceFailure(message);
  return nullptr;
}

} // namespace tessera::python
