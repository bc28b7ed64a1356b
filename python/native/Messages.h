//===- Messages.h - messages and tracebacks of exceptions -----------------===//
// Only for paths that end in an exception, because these functions may run
// Python code.
//===----------------------------------------------------------------------===//
#pragma once

#include "PythonAPI.h"

namespace tessera::python {

/// The name of a type: "list", "numpy.int64"; "object" if it has none.
Ref nameOf(PyTypeObject *type);

/// Advice for a value that kernels do not take, as the end of a sentence: "convert it with int()".
const char *adviceFor(PyObject *argument);

/// A text about keyword arguments that are neither parameters nor options: "; 'BLOK' is neither a
/// parameter nor an option; did you mean 'BLOCK'?". Empty if there are none. `missing` is a list of
/// the parameters without a value.
Ref strangersAmong(PyObject *const *names, size_t count, PyObject *missing);

/// Marks the current exception, if it is a TypeError, ValueError or OverflowError, as one whose
/// message is complete (`_says_all`): users need no traceback through this package.
void callItPlain();

/// Removes the traceback of the current exception if its message is complete, as a
/// CompilationError's is, and if only Tessera's own code ran between the launch and the place where
/// it was raised. The user then sees the line of the launch.
void forgetOwnFrames();

} // namespace tessera::python
