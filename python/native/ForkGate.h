//===- ForkGate.h - who is inside the compiler ----------------------------===//
// Compiling and loading run without the GIL and use state of the library that
// neither a fork nor the end of the process may cut through:
//
//   - a fork waits until nobody is inside, so that no lock of the compiler is
//     held for ever in the child
//   - at exit the interpreter waits likewise, and other threads than the main
//     one are held at the gate until the process ends
//
// Launches on the CPU are asked to end when the interpreter does; a fork does
// not wait for them, since they may take for ever and hold no lock.
//===----------------------------------------------------------------------===//
#pragma once

#include "PythonAPI.h"
#include <atomic>
#include <condition_variable>
#include <mutex>

namespace tessera::python {

/// Who is inside. Part of ProcessState, and never destroyed: threads may be inside when the process
/// ends.
struct ForkGate {
  std::mutex lock;
  std::condition_variable left;
  unsigned inside = 0;
  bool isClosed = false;                     // for all but the main thread
  std::atomic<bool> isEnding = false;        // as isClosed, without the lock
  std::atomic<int> launches = 0;             // on the CPU, of all threads
  std::atomic<unsigned long> mainThread = 0; // Python handles signals on this one
  /// The thread that forks, which holds the lock; 0 if none does.
  std::atomic<unsigned long> forkingThread = 0;
  /// How often beforeFork was called for this fork: handlers are registered again when a program
  /// imports tessera anew.
  unsigned forkDepth = 0;
};

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

/// Python handles signals, and ends, on this thread only. Needs no GIL.
bool isMainThread();

/// Counts a launch on the CPU while it lives; without the GIL.
class Launching {
public:
  Launching();
  /// Does not return on a thread that the end of the interpreter has overtaken.
  ~Launching();
  Launching(const Launching &) = delete;
  Launching &operator=(const Launching &) = delete;
  /// Whether launches on other threads than the main one shall end.
  static bool shallEnd();
};

/// Adds the functions that runtime/forks.py registers with atexit and os.register_at_fork, in each
/// interpreter. False: an exception is set.
bool addGate(PyObject *module);

} // namespace tessera::python
