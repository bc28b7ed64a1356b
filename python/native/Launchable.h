//===- Launchable.h - a kernel, and what one call of it means -------------===//
#pragma once

#include "BoundGrid.h"
#include "Guards.h"
#include "Objects.h"
#include "Variants.h"

namespace tessera::python {

struct LaunchableObject {
  PyObject head;
  Parameters *parameters;
  Variants *variants;
  Guards *guards;
  PyObject *state;        // what the guards stand for, or null
  BoundObject *lastBound; // kernel[grid] of the last plain grid, or null
  char usesSlowPath;
  Variants *warm; // what warm-ups returned: compiled kernels, loaded or not
};

inline LaunchableObject *launchableOf(PyObject *self) {
  return reinterpret_cast<LaunchableObject *>(self);
}

/// What a call means.
struct Meaning {
  Binding binding;
  Arguments arguments;
  DeviceNumber device = kNoDevice;
};

/// Binds and classifies. False: an exception is set.
bool understand(PyObject *self, const Call &call, Meaning &meaning);

/// Lets Python refresh what it knows when a guard does not hold. False: an exception is set.
bool checkGuards(PyObject *self);

/// A call as Python's methods get it.
struct Description {
  Ref bound, specialization, options, device;

  explicit operator bool() const { return bound && specialization && options && device; }
  /// self.method(bound, specialization, options, device); null with an exception set on failure.
  Ref pass(PyObject *self, PyObject *method) const {
    return *this ? Ref::take(PyObject_CallMethodObjArgs(self, method, bound.get(),
                                                        specialization.get(), options.get(),
                                                        device.get(), nullptr))
                 : Ref();
  }
};
Description describe(const Parameters &parameters, const Wanted &wanted);

/// Looks again at arrays that the device or the kernel might not bear. False: an exception is set.
bool lookAgain(const Parameters &parameters, const Meaning &meaning,
               const LoadedKernelObject *loaded);

// Methods of Launchable (Warmup.cpp).
PyObject *warmUp(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywordNames);
PyObject *warmUpWithTuple(PyObject *self, PyObject *args);

/// A call from a tuple and a dict.
class UnpackedCall {
public:
  UnpackedCall(PyObject *args, PyObject *keywords) {
    for (Py_ssize_t i = 0; i < PyTuple_Size(args); ++i)
      positional.push(PyTuple_GetItem(args, i));
    PyObject *key, *value;
    Py_ssize_t position = 0;
    while (keywords && PyDict_Next(keywords, &position, &key, &value)) {
      areNames &= PyUnicode_Check(key) != 0;
      keys.push(key);
      values.push(value);
    }
  }
  /// False: a TypeError is set.
  bool check() const {
    if (!areNames)
      PyErr_SetString(PyExc_TypeError, "keywords must be strings");
    return areNames;
  }
  Call get() const {
    return {positional.data(), positional.size(), keys.data(), values.data(), keys.size()};
  }

private:
  Buffer<PyObject *, 64> positional, keys, values;
  bool areNames = true;
};

} // namespace tessera::python
