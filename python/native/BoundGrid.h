//===- BoundGrid.h - kernel[grid] -----------------------------------------===//
// The object that the expression `kernel[grid]` returns, a BoundKernel. It reads
// the extents of a grid that is a tuple of ints. A Launchable keeps its last
// such object and reuses it if nobody else has a reference to it, so that most
// launches allocate none.
//===----------------------------------------------------------------------===//
#pragma once

#include "PythonAPI.h"

namespace tessera::python {

struct BoundObject {
  PyObject head;
  PyObject *(*call)(PyObject *self, PyObject *const *args, size_t count, PyObject *names);
  PyObject *launchable, *grid;
  uint32_t extents[3];
  bool isPlain; // whether the grid is a tuple of 1 to 3 ints, which `extents` holds
};

/// Evaluates kernel[grid]. `last` is the field of the launchable that keeps the last object, null at
/// first. Returns null with an exception set on failure.
PyObject *bindGrid(PyObject *launchable, PyObject *grid, BoundObject *&last);

/// False: an exception is set.
bool makeBoundType();

// The two ways in which a BoundKernel is called; defined in Launchable.cpp.
PyObject *callBound(PyObject *self, PyObject *const *args, size_t count, PyObject *names);
PyObject *callBoundWithTuple(PyObject *self, PyObject *args, PyObject *keywords);

} // namespace tessera::python
