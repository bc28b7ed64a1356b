//===- Guards.h - whether names still mean what a kernel was compiled with ===//
// A guard is (namespace, name, value), the namespace a dict or anything with
// attributes. Python gives them as a tuple; launches compare them side by side.
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
  /// As a tuple.
  Ref get() const;
  /// 1 if all names mean their values, 0 if not, -1 with an exception set. What it asks may run
  /// Python code, and that may set other guards.
  int hold() const;

  void clear();
  int traverse(visitproc visit, void *arg) const;

private:
  struct List;
  static void drop(List *list);
  List *list = nullptr; // null: there are none
};

} // namespace tessera::python
