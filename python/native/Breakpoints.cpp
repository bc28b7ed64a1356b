//===- Breakpoints.cpp - breakpoint() in kernels under TRITON_INTERPRET ---===//
// The library calls stop() on the thread that runs the program. Python's
// debugger needs the thread that launched, so launches of kernels with
// breakpoints use one thread (runtime/interpreter.py).
//===----------------------------------------------------------------------===//
#include "ForkGate.h"
#include "Objects.h"

namespace tessera::python {

/// tessera.runtime.breakpoints.stop(variables, file, line, addresses, program). Needs the GIL. False:
/// an exception is set, such as that of the debugger's `quit`, which the launch raises.
static bool callDebugger(const char *variables, const char *file, uint32_t line,
                         const void *const *values, size_t count, const uint32_t program[3]) {
  Ref module = Ref::take(PyImport_ImportModule("tessera.runtime.breakpoints"));
  Ref addresses = Ref::take(PyList_New(0));
  for (size_t i = 0; addresses && i < count; ++i) {
    Ref address = Ref::take(PyLong_FromVoidPtr(const_cast<void *>(values[i])));
    if (!address || PyList_Append(addresses.get(), address.get()) < 0)
      return false;
  }
  return module && addresses &&
         Ref::take(PyObject_CallMethod(module.get(), "stop", "ssIO(III)", variables, file, line,
                                       addresses.get(), program[0], program[1], program[2]));
}

static int stop(const char *variables, const char *file, uint32_t line, const void *const *values,
                size_t count, const uint32_t program[3]) {
  PyGILState_STATE state = PyGILState_Ensure();
  bool goesOn = callDebugger(variables, file, line, values, count, program);
  PyGILState_Release(state);
  return !goesOn;
}

PyObject *handleBreakpoints(PyObject *, PyObject *) {
  tessera_handle_breakpoints(stop);
  Py_RETURN_NONE;
}

} // namespace tessera::python
