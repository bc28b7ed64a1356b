//===- Gate.h - who is inside the compiler --------------------------------===//
// Compiling and loading run without the GIL and use state of the library that
// neither a fork nor the end of the process may cut through:
//
//   - a fork waits until nobody is inside, so that no lock of the compiler is
//     held for ever in the child
//   - at exit the interpreter waits likewise, and other threads than the main
//     one are held at the gate until the process ends
//
// Launches are not counted: they may take for ever, and keep what they use.
//===----------------------------------------------------------------------===//
#pragma once

#include "PythonAPI.h"

namespace tessera::python {

/// Lets the calling thread into the compiler, without the GIL, while it lives.
class Inside {
public:
  Inside();
  ~Inside();
  Inside(const Inside &) = delete;
  Inside &operator=(const Inside &) = delete;

private:
  PyThreadState *state;
};

/// Registers with atexit and os.register_at_fork; `module` holds the functions. False: an
/// exception is set.
bool guardExitAndFork(PyObject *module);

} // namespace tessera::python
