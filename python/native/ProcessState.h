//===- ProcessState.h - names, types and other packages -------------------===//
// All that the extension remembers between calls is in one object, `process`:
// its types and interned names, the current device and stream (torch's, where
// torch is loaded), caches of argument types, and who is inside the compiler.
// CPython initializes the module once for all interpreters of a process, so
// this state is the process's, not an interpreter's. Without the GIL only its
// `gate` may be used.
//
// torch and NumPy are never imported for their own sake: sys.modules is asked.
//===----------------------------------------------------------------------===//
#pragma once

#include "ArgumentCaches.h"
#include "ForkGate.h"
#include "PythonAPI.h"
#include <optional>

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

struct Types {
  PyTypeObject *session, *kernel, *device, *loadedKernel, *variant, *launchable, *boundKernel;
  PyObject *compileFailure, *deviceFailure;
  PyObject *absent; // stands for a global that does not exist
};

/// A CUDA device's number, or the CPU.
using DeviceNumber = int;
inline constexpr DeviceNumber kCPU = -1;
inline constexpr DeviceNumber kNoDevice = -2; // an exception is set

/// A function of torch._C; kept for ever once found. Most are C functions, which are called without
/// the interpreter's help.
class TorchFunction {
public:
  void find(PyObject *module, const char *name, int flags) {
    callable = PyObject_GetAttrString(module, name);
    PyErr_Clear();
    if (!callable || !PyCFunction_Check(callable) || PyCFunction_GetFlags(callable) != flags)
      return;
    function = PyCFunction_GetFunction(callable);
    self = PyCFunction_GetSelf(callable);
  }
  explicit operator bool() const { return callable != nullptr; }
  /// Whether it is C's, and not somebody's replacement in Python.
  bool isQuick() const { return function != nullptr; }
  /// `argument` is null for a function without.
  Ref operator()(PyObject *argument) const {
    return Ref::take(function ? function(self, argument)
                              : PyObject_CallFunctionObjArgs(callable, argument, nullptr));
  }

private:
  PyObject *callable = nullptr, *self = nullptr;
  PyCFunction function = nullptr;
};

/// torch, where it is loaded and was built for CUDA.
struct TorchCUDA {
  TorchFunction getDevice, getStream;
  const DLPackExchange *exchange = nullptr; // tells the stream too, without an int in between
  bool isKnown = false;
  bool hasOneDevice = false; // so it is the current one
  bool isCounted = false;    // whether the devices have been counted
};

struct DeviceState {
  static constexpr DeviceNumber kNames = 16;
  TorchCUDA torch;
  DeviceNumber chosenDefault = kNoDevice; // of set_default_device
  std::optional<bool> hasGPU;             // whether the driver opens a GPU, once it was asked
  PyObject *names[kNames] = {};           // "cuda:0", ...: programs ask before each launch
};

struct ProcessState {
  // Set when the module is initialized, and never again.
  Names names;
  Types types;
  // What launches and warm-ups must do besides. `run` of Python is called while a program has put
  // its own in the place of `run`, while TRITON_DEBUG adds an option, and for hooks of launches.
  bool launchesCallPython = false, warmupsCallPython = false;
  bool programHasTarget = false; // a driver of the program's own says what warm-ups compile for
  PyObject *allocator = nullptr; // the user's, for scratch memory
  DeviceState devices;
  ArgumentCaches arguments;
  ForkGate gate;
};
extern ProcessState process;
inline constexpr Names &names = process.names;
inline constexpr Types &types = process.types;

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
