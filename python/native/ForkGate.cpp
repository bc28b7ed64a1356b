//===- ForkGate.cpp - who is inside the compiler --------------------------===//
#include "ForkGate.h"
#include "ProcessState.h"
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <unistd.h>

namespace tessera::python {

namespace {
struct Gate {
  std::mutex lock;
  std::condition_variable left;
  unsigned inside = 0;
  bool isClosed = false; // for all but the main thread
};
} // namespace

/// Never destroyed: threads may be inside when the process ends.
static Gate &gate() {
  static Gate &one = *new Gate;
  return one;
}

static std::atomic<bool> isEnding = false; // as gate().isClosed, without the lock
static std::atomic<int> launches = 0;      // on the CPU, of all threads
static std::atomic<unsigned long> mainThread = 0;

bool isMainThread() { return PyThread_get_thread_ident() == mainThread; }

/// What CPython does with threads that want the GIL when the interpreter has ended.
[[noreturn]] static void sleepForEver() {
  while (true)
    ::pause();
}

/// The thread that forks, which holds the gate's lock; 0 if none does.
static std::atomic<unsigned long> forkingThread = 0;

Inside::Inside() : state(PyEval_SaveThread()) {
  Gate &g = gate();
  if (forkingThread == PyThread_get_thread_ident()) {
    ++g.inside; // another handler of the fork launches: the lock is this thread's
    return;
  }
  // Without the GIL: a fork holds the lock while other handlers of it run Python code.
  std::unique_lock<std::mutex> guard(g.lock);
  if (g.isClosed && !isMainThread()) {
    guard.unlock();
    sleepForEver();
  }
  ++g.inside;
}

Inside::~Inside() {
  Gate &g = gate();
  if (forkingThread == PyThread_get_thread_ident()) {
    --g.inside;
  } else {
    std::lock_guard<std::mutex> guard(g.lock);
    --g.inside;
    g.left.notify_all();
  }
  PyEval_RestoreThread(state);
}

Launching::Launching() { ++launches; }

Launching::~Launching() {
  --launches;
  if (isEnding && !isMainThread())
    sleepForEver();
}

bool Launching::shallEnd() { return isEnding; }

//===----------------------------------------------------------------------===//
// Exit and fork
//===----------------------------------------------------------------------===//

/// Runs before the interpreter is torn down, with threads still running. When a sub-interpreter
/// goes, the others go on.
static PyObject *close(PyObject *, PyObject *) {
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0)
    Py_RETURN_NONE;
  PyThreadState *state = PyEval_SaveThread();
  {
    std::unique_lock<std::mutex> guard(gate().lock);
    gate().isClosed = true;
    gate().left.wait(guard, [] { return gate().inside == 0; });
  }
  // Other threads' launches end between programs; one whose program does not end is left alone.
  isEnding = true;
  for (int i = 0; i < 400 && launches > 0; ++i)
    ::usleep(5000);
  PyEval_RestoreThread(state);
  Py_RETURN_NONE;
}

static unsigned forkDepth = 0; // how often that has come: handlers are registered again when a
                               // program imports tessera anew

/// Keeps the GIL while it waits for who is inside, who needs it only after having left; but not
/// while it waits for another thread's fork.
static PyObject *beforeFork(PyObject *, PyObject *) {
  unsigned long me = PyThread_get_thread_ident();
  if (forkingThread != me) {
    std::unique_lock<std::mutex> guard(gate().lock, std::try_to_lock);
    if (!guard.owns_lock()) {
      WithoutGIL wait;
      guard.lock();
    }
    gate().left.wait(guard, [] { return gate().inside == 0; });
    guard.release(); // afterFork opens it
    forkingThread = me;
  }
  ++forkDepth;
  Py_RETURN_NONE;
}

static PyObject *afterFork(PyObject *, PyObject *) {
  if (forkingThread == PyThread_get_thread_ident() && --forkDepth == 0) {
    forkingThread = 0;
    gate().lock.unlock();
  }
  Py_RETURN_NONE;
}

/// The child has this thread only, and does not end because the parent does.
static PyObject *afterForkInChild(PyObject *self, PyObject *none) {
  mainThread = PyThread_get_thread_ident();
  launches = 0;
  gate().isClosed = false;
  isEnding = false;
  forgetDevices();
  return afterFork(self, none);
}

static PyMethodDef functions[] = {
    {"_close", close, METH_NOARGS, nullptr},
    {"_before_fork", beforeFork, METH_NOARGS, nullptr},
    {"_after_fork", afterFork, METH_NOARGS, nullptr},
    {"_after_fork_in_child", afterForkInChild, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

bool addGate(PyObject *module) {
  if (PyModule_AddFunctions(module, functions) < 0)
    return false;
  Ref threading = Ref::take(PyImport_ImportModule("threading"));
  Ref main =
      threading ? Ref::take(PyObject_CallMethod(threading.get(), "main_thread", nullptr)) : Ref();
  Ref ident = main ? Ref::take(PyObject_GetAttrString(main.get(), "ident")) : Ref();
  if (!ident)
    return false;
  mainThread = PyLong_AsUnsignedLong(ident.get());
  return !PyErr_Occurred();
}

} // namespace tessera::python
