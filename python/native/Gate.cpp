//===- Gate.cpp - who is inside the compiler ------------------------------===//
#include "Gate.h"
#include "Surroundings.h"
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

Inside::Inside() : state(PyEval_SaveThread()) {
  Gate &g = gate();
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
  {
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

/// Runs before the interpreter is torn down, with threads still running.
static PyObject *close(PyObject *, PyObject *) {
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

/// Keeps the GIL: whoever is inside needs it only after having left.
static PyObject *beforeFork(PyObject *, PyObject *) {
  std::unique_lock<std::mutex> guard(gate().lock);
  gate().left.wait(guard, [] { return gate().inside == 0; });
  guard.release(); // afterFork opens it
  Py_RETURN_NONE;
}

static PyObject *afterFork(PyObject *, PyObject *) {
  gate().lock.unlock();
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

bool guardExitAndFork(PyObject *module) {
  if (PyModule_AddFunctions(module, functions) < 0)
    return false;
  Ref threading = Ref::take(PyImport_ImportModule("threading"));
  Ref main =
      threading ? Ref::take(PyObject_CallMethod(threading.get(), "main_thread", nullptr)) : Ref();
  Ref ident = main ? Ref::take(PyObject_GetAttrString(main.get(), "ident")) : Ref();
  if (!ident)
    return false;
  mainThread = PyLong_AsUnsignedLong(ident.get());
  if (PyErr_Occurred())
    return false;
  Ref atexit = Ref::take(PyImport_ImportModule("atexit"));
  Ref os = Ref::take(PyImport_ImportModule("os"));
  if (!atexit || !os)
    return false;
  Ref closing = Ref::take(PyObject_GetAttrString(module, "_close"));
  Ref before = Ref::take(PyObject_GetAttrString(module, "_before_fork"));
  Ref after = Ref::take(PyObject_GetAttrString(module, "_after_fork"));
  Ref inChild = Ref::take(PyObject_GetAttrString(module, "_after_fork_in_child"));
  if (!closing || !before || !after || !inChild)
    return false;
  Ref done = Ref::take(PyObject_CallMethod(atexit.get(), "register", "O", closing.get()));
  Ref fork = Ref::take(PyObject_GetAttrString(os.get(), "register_at_fork"));
  Ref none = Ref::take(PyTuple_New(0));
  Ref how = Ref::take(Py_BuildValue("{sOsOsO}", "before", before.get(), "after_in_parent",
                                    after.get(), "after_in_child", inChild.get()));
  if (!done || !fork || !none || !how)
    return false;
  return bool(Ref::take(PyObject_Call(fork.get(), none.get(), how.get())));
}

} // namespace tessera::python
