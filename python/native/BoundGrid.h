//===- BoundGrid.h - kernel[grid] -----------------------------------------===//
// What `kernel[grid]` is until it is called. A grid that is a tuple of ints is
// read here; a launchable keeps the last such object, and fills it anew when
// nobody else has it, so most launches make none.
//===----------------------------------------------------------------------===//
#pragma once

#include "PythonAPI.h"

namespace tessera::python {

struct BoundObject {
  PyObject head;
  PyObject *(*call)(PyObject *self, PyObject *const *args, size_t count, PyObject *names);
  PyObject *launchable, *grid;
  uint32_t extents[3];
  bool isPlain; // the grid is a tuple of 1 to 3 ints, and these are its extents
};

/// kernel[grid]; `last` is the launchable's own field for it, at first null. Null: an exception is
/// set.
PyObject *bindGrid(PyObject *launchable, PyObject *grid, BoundObject *&last);

/// False: an exception is set.
bool makeBoundType();

// Of Launchable.cpp: the two ways in which kernel[grid] is called.
PyObject *callBound(PyObject *self, PyObject *const *args, size_t count, PyObject *names);
PyObject *callBoundWithTuple(PyObject *self, PyObject *args, PyObject *keywords);

} // namespace tessera::python
