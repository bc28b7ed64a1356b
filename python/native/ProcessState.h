//===- ProcessState.h - names, types and other packages -------------------===//
// What the extension knows of the process it lives in: its own types, interned
// names, and torch and NumPy where they are loaded. Nothing is ever imported
// for its own sake: sys.modules is asked.
//===----------------------------------------------------------------------===//
#pragma once

#include "PythonAPI.h"

namespace tessera::python {

/// X(member, text): attribute names, interned so that lookups compare pointers.
#define TESSERA_NAMES(X)                                                                           \
  X(dataPtr, "data_ptr")                                                                           \
  X(dtype, "dtype")                                                                                \
  X(isCuda, "is_cuda")                                                                             \
  X(getDevice, "get_device")                                                                       \
  X(device, "device")                                                                              \
  X(type, "type")                                                                                  \
  X(value, "value")                                                                                \
  X(cacheKey, "cache_key")                                                                         \
  X(base, "base")                                                                                  \
  X(shape, "shape")                                                                                \
  X(strides, "strides")                                                                            \
  X(blockShape, "block_shape")                                                                     \
  X(padding, "padding")                                                                            \
  X(arrayStruct, "__array_struct__")                                                               \
  X(arrayInterface, "__array_interface__")                                                         \
  X(cudaArrayInterface, "__cuda_array_interface__")                                                \
  X(dlpack, "__dlpack__")                                                                          \
  X(dlpackDevice, "__dlpack_device__")                                                             \
  X(makeVariant, "_make_variant")                                                                  \
  X(guardsChanged, "_guards_changed")                                                              \
  X(compileForWarmup, "_compile_for_warmup")                                                       \
  X(warmUpByRun, "_warm_up_by_run")                                                                \
  X(targetOfProgram, "_target_of_program")                                                         \
  X(run, "run")                                                                                    \
  X(grid, "grid")                                                                                  \
  X(warmup, "warmup")                                                                              \
  X(constexprText, "constexpr")                                                                    \
  X(aligned, "D")                                                                                  \
  X(empty, "")                                                                                     \
  X(cpu, "cpu")

struct Names {
#define TESSERA_DECLARE(member, text) PyObject *member;
  TESSERA_NAMES(TESSERA_DECLARE)
#undef TESSERA_DECLARE
};
extern Names names;

struct Types {
  PyTypeObject *session, *kernel, *device, *loadedKernel, *variant, *launchable;
  PyObject *compileFailure, *deviceFailure;
  PyObject *absent; // stands for a global that does not exist
};
extern Types types;

/// False: an exception is set.
bool makeNames();

/// A new type from a spec, added to the module; null with an exception set on failure.
PyTypeObject *addType(PyObject *module, PyType_Spec &spec);

/// json.loads(text)
Ref parseJSON(const char *text);

/// What sys.modules has under the name; null without an exception if there is none.
Ref loadedModule(const char *name);
/// Whether a type is module.name or derived from it, where the module is loaded.
bool isDerivedFrom(PyTypeObject *type, const char *module, const char *name);

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

/// A CUDA device's number, or the CPU.
using DeviceNumber = int;
inline constexpr DeviceNumber kCPU = -1;
inline constexpr DeviceNumber kNoDevice = -2; // an exception is set

/// torch's current device, or the first.
DeviceNumber currentGPU();
/// Where kernels without tensors run.
DeviceNumber defaultDevice();
/// torch's current stream; 0 without torch. False: an exception is set.
bool currentStream(DeviceNumber device, uint64_t &stream);
/// In the child of a fork torch is asked again, which then says what cannot work there.
void forgetDevices();
/// "cpu", "cuda:1"
Ref deviceName(DeviceNumber device);

// Functions of the module.
PyObject *setDefaultDevice(PyObject *, PyObject *name);
PyObject *getCurrentDevice(PyObject *, PyObject *);
PyObject *getCurrentGPU(PyObject *, PyObject *);
PyObject *hasOneGPU(PyObject *, PyObject *);
PyObject *getCurrentStream(PyObject *, PyObject *const *args, Py_ssize_t count);

} // namespace tessera::python
