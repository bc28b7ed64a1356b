//===- Threads.h - which threads run kernels on the CPU -------------------===//
// A program that mixes torch's operators with kernels has two thread pools:
// OpenMP's, whose idle threads spin for milliseconds on every core, and the
// library's. Each slows the other. So, if torch is loaded and uses OpenMP,
// launches from the main thread run their programs in OpenMP's threads, too.
//
// The number of threads is that of TESSERA_NUM_THREADS or
// knobs.runtime.cpu_threads; else torch.get_num_threads() if torch is loaded;
// else that of OMP_NUM_THREADS; else one per usable core.
//===----------------------------------------------------------------------===//
#pragma once

#include "PythonAPI.h"
#include "tessera.h"

namespace tessera::python {

/// Part of ProcessState.
struct Threads {
  unsigned chosen = 0;   // by the program; 0 if it has not
  unsigned fallback = 0; // of OMP_NUM_THREADS; 0 if it is not set
  int (*torchCount)() = nullptr;        // at::get_num_threads
  void (*openMP)(void (*)(void *), void *, unsigned, unsigned) = nullptr; // GOMP_parallel
  bool isForked = false; // OpenMP's threads do not survive a fork, and its regions wait for them
};

/// Looks for torch's threads, if they have not been found. Called for each kernel that is loaded,
/// because programs may import torch at any time. Needs the GIL.
void findThreadsOfTorch();

/// Fills the fields of a launch on the CPU. Needs no GIL.
void chooseThreads(tessera_launch_request &request);

/// set_cpu_threads(chosen, fallback): 0 for the default.
PyObject *setCPUThreads(PyObject *, PyObject *args);
/// cpu_threads(): the number of threads that a launch from this thread would use; 0 means all cores.
PyObject *getCPUThreads(PyObject *, PyObject *);

} // namespace tessera::python
