//===- Guards.h - check that globals have not changed ---------------------===//
// A guard is (namespace, name, value): the value that a name had when a kernel
// was compiled. The namespace is a dict, or any object with attributes. Every
// launch compares all guards of its kernel.
//
// Cost: a look-up in a dict for each guard of a dict or a module.
//===----------------------------------------------------------------------===//
#pragma once

#include "PythonAPI.h"

namespace tessera::python {

class Guards {
public:
  Guards() = default;
  ~Guards() { clear(); }
  Guards(const Guards &) = delete;
  Guards &operator=(const Guards &) = delete;

  /// Takes an iterable of guards. False: an exception is set, and nothing has changed.
  bool set(PyObject *sequence);
  /// The guards as a tuple.
  Ref get() const;
  /// Compares all guards: 1 if they hold, 0 if not, -1 with an exception set. Reading an attribute
  /// may run Python code, which may set other guards.
  int hold() const;

  void clear();
  int traverse(visitproc visit, void *arg) const;

private:
  struct List;
  static void drop(List *list);
  List *list = nullptr; // null: there are none
};

/// _native.hold(guards): compares the guards of a tuple.
PyObject *holdGuards(PyObject *, PyObject *tuple);

} // namespace tessera::python
