//===- ProcessState.h - all state that outlives a call --------------------===//
// One object, `process`, holds all state that the extension keeps between
// calls: its types and interned names, the current device and stream (torch's,
// if torch is loaded), caches of argument types, and the fork gate. CPython
// initializes the module once for all interpreters of a process, so the state
// belongs to the process, not to an interpreter. Code without the GIL may use
// only `gate`.
//
// The extension never imports torch or NumPy; it looks them up in sys.modules.
//===----------------------------------------------------------------------===//
#pragma once

#include "ArgumentCaches.h"
#include "ForkGate.h"
#include "PythonAPI.h"
#include "Threads.h"
#include <optional>

namespace tessera::python {

/// X(member, text): attribute names. They are interned, so that lookups compare pointers.
#define TESSERA_NAMES(X)                                                                           \
  X(dataPtr, "data_ptr")                                                                           \
  X(ptrRange, "ptr_range")                                                                         \
  X(untypedStorage, "untyped_storage")                                                             \
  X(size, "size")                                                                                  \
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
  PyObject *compileFailure, *deviceFailure, *deviceAssertion;
  PyObject *absent; // stands for a global that does not exist
};

/// A CUDA device's number, or the CPU.
using DeviceNumber = int;
inline constexpr DeviceNumber kCPU = -1;
inline constexpr DeviceNumber kNoDevice = -2; // an exception is set

/// A function of torch._C, never released. Most are C functions, which are called directly.
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
  /// Returns whether it is a C function, and not a replacement that is written in Python.
  bool isQuick() const { return function != nullptr; }
  /// `argument` is null for a function without arguments.
  Ref operator()(PyObject *argument) const {
    return Ref::take(function ? function(self, argument)
                              : PyObject_CallFunctionObjArgs(callable, argument, nullptr));
  }

private:
  PyObject *callable = nullptr, *self = nullptr;
  PyCFunction function = nullptr;
};

/// The functions of a torch that is loaded and was built for CUDA.
struct TorchCUDA {
  TorchFunction getDevice, getStream;
  const DLPackExchange *exchange = nullptr; // also returns the stream, without a Python int
  bool isKnown = false;
  bool hasOneDevice = false; // then it is always the current one
  bool isCounted = false;    // whether the devices have been counted
};

struct DeviceState {
  static constexpr DeviceNumber kNames = 16;
  TorchCUDA torch;
  DeviceNumber chosenDefault = kNoDevice; // set by set_default_device
  std::optional<bool> hasGPU;             // whether a driver can open a GPU; empty until asked
  const char *kind = nullptr;   // of the machine's GPUs, "cuda" or "hip"; null until known
  PyObject *names[kNames] = {}; // "cuda:0", ...: some programs ask before each launch
};

struct ProcessState {
  // Set once, when the module is initialized.
  Names names;
  Types types;
  // Launches and warm-ups call `run` in Python because a program has replaced `run`, because
  // TRITON_DEBUG adds an option, or (launches only) because there are launch hooks.
  bool launchesCallPython = false, warmupsCallPython = false;
  bool programHasTarget = false; // the program's own driver chooses the target of warm-ups
  PyObject *allocator = nullptr; // the user's allocator of scratch memory
  DeviceState devices;
  ArgumentCaches arguments;
  ForkGate gate;
  Threads threads;
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

/// sys.modules[name]; null without an exception if there is none.
Ref loadedModule(const char *name);
/// Returns whether a type is module.name or derived from it; false if the module is not loaded.
bool isDerivedFrom(PyTypeObject *type, const char *module, const char *name);

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

/// torch's current GPU, or the first one without torch.
DeviceNumber currentGPU();
/// The device that launches without tensors run on.
DeviceNumber defaultDevice();
/// torch's current stream; 0 without torch. False: an exception is set.
bool currentStream(DeviceNumber device, uint64_t &stream);
/// Returns whether launches promise which tensors are small: the kernels of AMD GPUs access those
/// by buffer instructions, and other targets have no use for the promise.
bool promisesSmallTensors();
/// Called in the child of a fork: torch is asked again, and raises if CUDA cannot work there.
void forgetDevices();
/// The kind of a GPU's name, "cuda" or "hip", and its number; null for other names.
const char *kindOfName(const char *text, int &number);
/// The device's name: "cpu", "cuda:1".
Ref deviceName(DeviceNumber device);

// Functions of the module.
PyObject *setDefaultDevice(PyObject *, PyObject *name);
PyObject *getCurrentDevice(PyObject *, PyObject *);
PyObject *getCurrentGPU(PyObject *, PyObject *);
PyObject *hasOneGPU(PyObject *, PyObject *);
PyObject *getCurrentStream(PyObject *, PyObject *const *args, Py_ssize_t count);

} // namespace tessera::python
