//===- ForkGate.h - let forks and exit wait for compilations --------------===//
// Threads compile and load kernels without the GIL, and hold locks of the
// library meanwhile. A thread that does so is "inside" the compiler.
//
//   - A fork waits until no thread is inside. Otherwise a lock that another
//     thread holds would never be released in the child.
//   - At exit the interpreter waits likewise, and then lets no thread but the
//     main one inside; the others sleep until the process ends.
//
// Launches on the CPU are asked to stop when the interpreter exits. A fork does
// not wait for them, because they hold no lock and may run for ever.
//===----------------------------------------------------------------------===//
#pragma once

#include "PythonAPI.h"
#include <atomic>
#include <condition_variable>
#include <mutex>

namespace tessera::python {

/// Counts the threads that are inside. Part of ProcessState, and never destroyed, because threads
/// may be inside when the process ends.
struct ForkGate {
  std::mutex lock;
  std::condition_variable left;
  unsigned inside = 0;
  std::atomic<bool> isClosed = false;        // no thread but the main one may enter
  std::atomic<bool> isEnding = false;        // the same, readable without the lock
  std::atomic<int> launches = 0;             // running launches on the CPU, of all threads
  /// The number of times that running compilations were asked to end.
  std::atomic<unsigned> interrupts = 0;
  std::atomic<unsigned long> mainThread = 0; // Python handles signals on this one
  /// The thread that is forking and holds the lock; 0 if none is.
  std::atomic<unsigned long> forkingThread = 0;
  /// The number of calls of beforeFork for this fork: the handlers are registered again if a program
  /// imports tessera a second time.
  unsigned forkDepth = 0;
};

/// Releases the GIL and counts the calling thread as inside the compiler while it lives.
class Inside {
public:
  Inside();
  ~Inside();
  Inside(const Inside &) = delete;
  Inside &operator=(const Inside &) = delete;

private:
  PyThreadState *state;
};

/// Returns whether this is the main thread, on which Python handles signals and exits. Needs no GIL.
bool isMainThread();

/// Called by the library several times per second while a compilation waits for an assembler. Says
/// what is going on, once, if that takes long; ends the compilation on a signal, at exit, and after
/// interrupt_compilations().
int watchCompilation(void *data, const char *work, double seconds);

/// Counts a launch on the CPU while it lives. Needs no GIL.
class Launching {
public:
  Launching();
  /// Does not return if the interpreter has exited and this is not the main thread.
  ~Launching();
  Launching(const Launching &) = delete;
  Launching &operator=(const Launching &) = delete;
  /// Returns whether launches on threads other than the main one should stop.
  static bool shallEnd();
};

/// Adds the functions that runtime/forks.py registers with atexit and os.register_at_fork, in each
/// interpreter. False: an exception is set.
bool addGate(PyObject *module);

} // namespace tessera::python
