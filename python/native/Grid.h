//===- Grid.h - how many programs a launch has ----------------------------===//
#pragma once

#include "Parameters.h"

namespace tessera::python {

/// The extents of a sequence of 1 to 3 ints, or of what a callable makes of {parameter: value}.
/// False: an exception is set that names the kernel.
bool evaluateGrid(PyObject *grid, const Parameters &parameters, const Binding &binding,
                  uint32_t (&extents)[3]);

} // namespace tessera::python
