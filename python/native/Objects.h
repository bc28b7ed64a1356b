//===- Objects.h - C structs of the extension's Python types --------------===//
#pragma once

#include "PythonAPI.h"
#include "Storage.h"
#include "ProcessState.h"
#include "tessera.h"

namespace tessera::python {

struct SessionObject {
  PyObject head;
  tessera_session *session;
};

struct KernelObject {
  PyObject head;
  tessera_kernel *kernel;
  PyObject *warnings; // a JSON report of warnings, or None
};

struct DeviceObject {
  PyObject head;
  tessera_device *device;
  PyObject *name;
  bool isCPU;
};

/// An argument that a launch passes, as the kernel's ABI record describes it (docs/abi.md).
struct PassedArgument {
  PyObject *name;
  Storage storage;
  bool isReadOnly;
};

struct LoadedKernelObject {
  PyObject head;
  tessera_loaded_kernel *loaded;
  uint64_t scratchBytes; // for each CTA
  bool isOnCPU;
  DeviceObject *device; // must outlive the loaded kernel
  PyObject *name;       // the kernel's name, for messages
  PassedArgument *arguments;
  size_t argumentCount;
  uint64_t scratchAlign;
  uint64_t blocksPerProgram;
  PyObject *makeFallback;       // () -> LoadedKernel without tensor maps, or null
  LoadedKernelObject *fallback; // what it made; must outlive the loaded kernel
};

struct VariantObject {
  PyObject head;
  LoadedKernelObject *loaded;
  PyObject *result;
  unsigned long long launches;
};

/// The parameters of one launch.
struct LaunchRequest {
  uint32_t grid[3];
  uint64_t *slots; // 8 bytes each; the value is in the first bytes
  size_t slotCount;
  uint64_t stream;
  uint64_t scratch = 0, profile = 0;       // 0: none
  const tessera_extent *extents = nullptr; // the memory of each slot, for sanitized kernels
};

/// Calls the user's allocator if the kernel needs scratch memory, releases the GIL and launches.
/// False: an exception is set.
bool launch(LoadedKernelObject *loaded, LaunchRequest &request);

/// Raises DeviceFailure with the message, and frees the message.
void raiseDeviceFailure(char *message);

// Methods of Device and of LoadedKernel (DeviceCalls.cpp).
PyObject *loadBinary(PyObject *device, PyObject *args, PyObject *keywords);
PyObject *setLimit(PyObject *device, PyObject *args);
PyObject *occupancy(PyObject *loaded, PyObject *args);

/// Implements explain_page(report) -> str (Session.cpp).
PyObject *explainPage(PyObject *, PyObject *args);
/// Implements handle_breakpoints() (Breakpoints.cpp).
PyObject *handleBreakpoints(PyObject *, PyObject *);

// Each adds its types to the module. False: an exception is set.
bool addSessionTypes(PyObject *module);
bool addDeviceTypes(PyObject *module);
bool addLaunchTypes(PyObject *module);

// Functions of the module.
PyObject *setAllocator(PyObject *, PyObject *allocator);
PyObject *registerType(PyObject *, PyObject *args);
PyObject *setLaunchHooks(PyObject *, PyObject *args);
PyObject *setProgramTarget(PyObject *, PyObject *has);

} // namespace tessera::python
