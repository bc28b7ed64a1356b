//===- Messages.h - what users read of an exception -----------------------===//
// Only for paths that end in an exception: everything here may run Python code.
//===----------------------------------------------------------------------===//
#pragma once

#include "PythonAPI.h"

namespace tessera::python {

/// "list", "numpy.int64"; "object" if it cannot be found out.
Ref nameOf(PyTypeObject *type);

/// What to do with a value that no kernel takes, as the end of a sentence: "convert it with int()".
const char *adviceFor(PyObject *argument);

/// Of keyword arguments, those that are no option either: "; 'BLOK' is neither a parameter nor an
/// option". Empty if there are none.
Ref strangersAmong(PyObject *const *names, size_t count);

/// The exception that is set, unless it is none of Python's plain ones, says all there is to say.
void callItPlain();

/// The exception that is set loses its traceback if it says all there is to say, as a
/// CompilationError does, and if no code but Tessera's ran between the launch and the place where
/// it was raised. What is left is the line of the launch.
void forgetOwnFrames();

} // namespace tessera::python
