//===- Grid.h - evaluate the grid of a launch -----------------------------===//
#pragma once

#include "Parameters.h"

namespace tessera::python {

/// Reads the extents of a grid: a sequence of 1 to 3 ints, or a callable that gets
/// {parameter: value} and returns such a sequence. False: an exception is set that names the kernel.
bool evaluateGrid(PyObject *grid, const Parameters &parameters, const Binding &binding,
                  uint32_t (&extents)[3]);

} // namespace tessera::python
