//===- Threads.cpp - which threads run kernels on the CPU -----------------===//
// torch's functions are looked up in the libraries that torch itself is linked
// with, because another package may have loaded a second OpenMP. Their names
// are those of the Itanium C++ ABI and of GCC's OpenMP, which LLVM's and
// Intel's libraries have, too.
//===----------------------------------------------------------------------===//
#include "Threads.h"
#include "ForkGate.h"
#include "ProcessState.h"
#include <cstring>
#include <dlfcn.h>
#include <link.h>

namespace tessera::python {

static constexpr Threads &threads = process.threads;

/// Stores the path of a loaded library whose file begins with libtorch_cpu.so.
static int findLibrary(dl_phdr_info *info, size_t, void *path) {
  const char *slash = info->dlpi_name ? std::strrchr(info->dlpi_name, '/') : nullptr;
  if (!slash || std::strncmp(slash + 1, "libtorch_cpu.so", 15) != 0)
    return 0;
  *static_cast<const char **>(path) = info->dlpi_name;
  return 1;
}

void findThreadsOfTorch() {
  if (threads.torchCount)
    return;
  Ref torch = loadedModule("torch._C");
  if (!torch)
    return;
  const char *path = nullptr;
  dl_iterate_phdr(findLibrary, &path);
  void *library = path ? ::dlopen(path, RTLD_NOLOAD | RTLD_LAZY) : nullptr;
  if (!library)
    return; // never closed: torch stays loaded
  threads.torchCount = reinterpret_cast<int (*)()>(::dlsym(library, "_ZN2at15get_num_threadsEv"));
  Ref usesOpenMP = Ref::take(PyObject_GetAttrString(torch.get(), "has_openmp"));
  PyErr_Clear();
  if (usesOpenMP.get() == Py_True && threads.torchCount)
    threads.openMP = reinterpret_cast<decltype(threads.openMP)>(::dlsym(library, "GOMP_parallel"));
}

/// torch is asked here, and not at each launch, because most launches are too short to be shared.
static void runInOpenMP(void (*work)(void *), void *data, unsigned count) {
  int number = threads.chosen ? int(count) : threads.torchCount();
  if (number > 1)
    threads.openMP(work, data, unsigned(number), 0);
  else
    work(data);
}

static unsigned countThreads() {
  if (threads.chosen)
    return threads.chosen;
  int count = threads.torchCount && !threads.isForked ? threads.torchCount() : 0;
  return count > 0 ? unsigned(count) : threads.fallback;
}

void chooseThreads(tessera_launch_request &request) {
  // OpenMP has a pool for each thread that begins a region; the library has one for all.
  if (threads.openMP && !threads.isForked && isMainThread()) {
    request.threads = threads.chosen;
    request.host_threads = runInOpenMP;
  } else {
    request.threads = countThreads();
  }
}

PyObject *setCPUThreads(PyObject *, PyObject *args) {
  int chosen, fallback = 0;
  if (!PyArg_ParseTuple(args, "i|i:set_cpu_threads", &chosen, &fallback))
    return nullptr;
  if (chosen < 0 || chosen > 4096 || fallback < 0)
    return PyErr_Format(PyExc_ValueError,
                        "the number of threads for the CPU is from 1 to 4096, or 0 for the default, "
                        "not %i",
                        chosen);
  threads.chosen = unsigned(chosen);
  threads.fallback = unsigned(fallback);
  Py_RETURN_NONE;
}

PyObject *getCPUThreads(PyObject *, PyObject *) {
  findThreadsOfTorch();
  return PyLong_FromUnsignedLong(countThreads());
}

} // namespace tessera::python
