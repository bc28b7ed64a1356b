//===- Parameters.h - a kernel's parameters and how a call binds them -----===//
#pragma once

#include "Storage.h"

namespace tessera::python {

/// One parameter of a kernel; owns its references.
struct Parameter {
  enum Flag : unsigned {
    Constexpr = 1,
    DoNotSpecialize = 2,
    DoNotSpecializeOnAlignment = 4,
    Const = 8,
    Forced = 16, // has an annotated type; set by Parameters
  };
  PyObject *name = nullptr;         // interned
  PyObject *forced = nullptr;       // the annotated type as a str, or null
  PyObject *defaultValue = nullptr; // or null
  unsigned flags = 0;
  Storage storage; // of the forced type

  bool has(Flag flag) const { return flags & flag; }
};

/// The parameters of a kernel, and a table from names to them.
class Parameters {
public:
  Parameters() = default;
  ~Parameters();
  Parameters(const Parameters &) = delete;
  Parameters &operator=(const Parameters &) = delete;

  /// Reads (name, flags, forced type or None, has_default, default) tuples. False: an exception is
  /// set.
  bool read(PyObject *kernelName, PyObject *sequence);
  bool areSet() const { return kernel != nullptr; }
  size_t size() const { return count; }
  const Parameter &operator[](size_t i) const { return items[i]; }
  /// A copy of the parameters' flags in one array: most launches read nothing else of a parameter.
  const uint8_t *allFlags() const { return flags; }
  /// The kernel's name, for messages.
  PyObject *kernelName() const { return kernel; }
  /// The index of the parameter of that name, or -1; `guess` is compared first.
  Py_ssize_t find(PyObject *name, size_t guess) const;
  int traverse(visitproc visit, void *arg) const;
  void clear();

private:
  bool readOne(PyObject *description, Parameter &parameter);
  void index();

  PyObject *kernel = nullptr;
  Parameter *items = nullptr;
  size_t count = 0;
  uint8_t *flags = nullptr;
  uint32_t *table = nullptr; // by the name's hash: 1 + the parameter, or 0
  size_t tableSize = 0;      // a power of two
};

/// The arguments of a call, unbound.
struct Call {
  PyObject *const *positional;
  size_t positionalCount;
  PyObject *const *names; // of the keyword arguments
  PyObject *const *values;
  size_t keywordCount;
};

/// A keyword argument that is not a parameter.
struct Option {
  PyObject *name, *value;
};

/// The result of binding: a value for each parameter, and options. All values are borrowed from the
/// call and from the parameters' defaults, which outlive it.
struct Binding {
  PyObject *const *values = nullptr; // the call's own array if it has all values, else `filled`
  Buffer<Option, 8> options;
  Buffer<PyObject *, 64> filled;

  /// Copies the values, so that the binding outlives the array of the call.
  void keepValues(size_t count) {
    if (values == filled.data())
      return;
    std::memcpy(filled.extend(count), values, count * sizeof(PyObject *));
    values = filled.data();
  }
};

/// Binds arguments as Python does for a function. False: a TypeError is set that names the kernel.
bool bindInAnyOrder(const Parameters &parameters, const Call &call, Binding &binding);
inline bool bind(const Parameters &parameters, const Call &call, Binding &binding) {
  if (call.positionalCount != parameters.size() || call.keywordCount != 0)
    return bindInAnyOrder(parameters, call, binding);
  binding.values = call.positional;
  return true;
}

/// The binding as a dict {name: value}, in the parameters' order.
Ref boundDict(const Parameters &parameters, const Binding &binding);

} // namespace tessera::python
