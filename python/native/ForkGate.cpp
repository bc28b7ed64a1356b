//===- ForkGate.cpp - let forks and exit wait for compilations ------------===//
#include "ForkGate.h"
#include "ProcessState.h"
#include <sys/syscall.h>
#include <unistd.h>

namespace tessera::python {

static constexpr ForkGate &gate = process.gate;

static constexpr unsigned kUnknown = ~0u;
/// The number of interrupts when this thread's compilation began; unknown on a thread of the
/// library's.
static thread_local unsigned interruptsBefore = kUnknown;

bool isMainThread() { return PyThread_get_thread_ident() == gate.mainThread; }

/// CPython does the same with threads that wait for the GIL after the interpreter has ended.
[[noreturn]] static void sleepForEver() {
  while (true)
    ::pause();
}

Inside::Inside() : state(PyEval_SaveThread()) {
  interruptsBefore = gate.interrupts;
  if (gate.forkingThread == PyThread_get_thread_ident()) {
    ++gate.inside; // another fork handler compiles, while this thread holds the lock
    return;
  }
  // The GIL must not be held here: a fork holds the lock while other fork handlers run Python code.
  std::unique_lock<std::mutex> guard(gate.lock);
  if (gate.isClosed && !isMainThread()) {
    guard.unlock();
    sleepForEver();
  }
  ++gate.inside;
}

Inside::~Inside() {
  if (gate.forkingThread == PyThread_get_thread_ident()) {
    --gate.inside;
  } else {
    std::lock_guard<std::mutex> guard(gate.lock);
    --gate.inside;
    gate.left.notify_all();
  }
  PyEval_RestoreThread(state);
}

//===----------------------------------------------------------------------===//
// Interrupts
//===----------------------------------------------------------------------===//

static thread_local double lastSeconds = 0; // of the last call of watchCompilation
static constexpr double kLong = 2;          // seconds

/// Calls tessera.compiler.waiting.tell(work, seconds). Returns whether that was interrupted: Ctrl-C
/// may come while it prints. Needs the GIL.
static bool tellWork(const char *work, double seconds) {
  Ref module = Ref::take(PyImport_ImportModule("tessera.compiler.waiting"));
  if (module)
    Ref::take(PyObject_CallMethod(module.get(), "tell", "sd", work, seconds));
  if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_Exception)) // KeyboardInterrupt is none
    PyErr_Clear();
  return PyErr_Occurred() != nullptr;
}

int watchCompilation(void *, const char *work, double seconds) {
  bool becomesLong = lastSeconds < kLong && seconds >= kLong;
  lastSeconds = seconds;
  if (!isMainThread())
    return gate.isClosed ||
           (interruptsBefore != kUnknown && gate.interrupts != interruptsBefore);
  PyGILState_STATE state = PyGILState_Ensure();
  int raised = PyErr_CheckSignals() < 0;
  if (!raised && becomesLong)
    raised = tellWork(work, seconds);
  PyGILState_Release(state);
  return raised;
}

static PyObject *interruptCompilations(PyObject *, PyObject *) {
  ++gate.interrupts;
  Py_RETURN_NONE;
}

Launching::Launching() { ++gate.launches; }

Launching::~Launching() {
  --gate.launches;
  if (gate.isEnding && !isMainThread())
    sleepForEver();
}

bool Launching::shallEnd() { return gate.isEnding; }

//===----------------------------------------------------------------------===//
// Exit and fork
//===----------------------------------------------------------------------===//

/// Called by atexit, before the interpreter is torn down, while other threads are still running. Does
/// nothing when a sub-interpreter ends.
static PyObject *close(PyObject *, PyObject *) {
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0)
    Py_RETURN_NONE;
  PyThreadState *state = PyEval_SaveThread();
  {
    std::unique_lock<std::mutex> guard(gate.lock);
    gate.isClosed = true;
    gate.left.wait(guard, [] { return gate.inside == 0; });
  }
  // Launches of other threads stop between two programs. Give up after 2 seconds, in case a program
  // never ends.
  gate.isEnding = true;
  for (int i = 0; i < 400 && gate.launches > 0; ++i)
    ::usleep(5000);
  PyEval_RestoreThread(state);
  Py_RETURN_NONE;
}

/// Waits until no thread is inside, with the GIL held: threads inside need the GIL only after they
/// have left. While another thread forks, the GIL is released.
static PyObject *beforeFork(PyObject *, PyObject *) {
  unsigned long me = PyThread_get_thread_ident();
  if (gate.forkingThread != me) {
    std::unique_lock<std::mutex> guard(gate.lock, std::try_to_lock);
    if (!guard.owns_lock()) {
      WithoutGIL wait;
      guard.lock();
    }
    gate.left.wait(guard, [] { return gate.inside == 0; });
    guard.release(); // afterFork unlocks it
    gate.forkingThread = me;
  }
  ++gate.forkDepth;
  Py_RETURN_NONE;
}

static PyObject *afterFork(PyObject *, PyObject *) {
  if (gate.forkingThread == PyThread_get_thread_ident() && --gate.forkDepth == 0) {
    gate.forkingThread = 0;
    gate.lock.unlock();
  }
  Py_RETURN_NONE;
}

/// The child has only this thread, and is not exiting even if the parent is.
static PyObject *afterForkInChild(PyObject *self, PyObject *none) {
  gate.mainThread = PyThread_get_thread_ident();
  gate.launches = 0;
  gate.isClosed = false;
  gate.isEnding = false;
  forgetDevices();
  process.threads.isForked = true;
  return afterFork(self, none);
}

static PyMethodDef functions[] = {
    {"interrupt_compilations", interruptCompilations, METH_NOARGS, nullptr},
    {"_close", close, METH_NOARGS, nullptr},
    {"_before_fork", beforeFork, METH_NOARGS, nullptr},
    {"_after_fork", afterFork, METH_NOARGS, nullptr},
    {"_after_fork_in_child", afterForkInChild, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

bool addGate(PyObject *module) {
  if (PyModule_AddFunctions(module, functions) < 0)
    return false;
  // The process's first thread is Python's main thread. Asking the module threading about it would
  // take a third of the package's import.
  if (::syscall(SYS_gettid) == ::getpid()) {
    gate.mainThread = PyThread_get_thread_ident();
    return true;
  }
  Ref threading = Ref::take(PyImport_ImportModule("threading"));
  Ref main =
      threading ? Ref::take(PyObject_CallMethod(threading.get(), "main_thread", nullptr)) : Ref();
  Ref ident = main ? Ref::take(PyObject_GetAttrString(main.get(), "ident")) : Ref();
  if (!ident)
    return false;
  gate.mainThread = PyLong_AsUnsignedLong(ident.get());
  return !PyErr_Occurred();
}

} // namespace tessera::python
