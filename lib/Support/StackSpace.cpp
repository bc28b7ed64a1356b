//===- StackSpace.cpp - enough stack for work that recurses ---------------===//
#include "tessera/Support/StackSpace.h"
#include <cstdint>
#include <pthread.h>

namespace tessera {

/// The lowest address of the thread's stack; 0 where nobody knows. Of the main thread, where its
/// limit would let it grow to.
static uintptr_t findStackEnd() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return 0;
  void *end = nullptr;
  size_t size = 0;
  bool isKnown = pthread_attr_getstack(&attributes, &end, &size) == 0;
  pthread_attr_destroy(&attributes);
  return isKnown ? reinterpret_cast<uintptr_t>(end) : 0;
}

size_t stackSpaceLeft() {
  static thread_local const uintptr_t end = findStackEnd();
  auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  // Below the end: on a stack that somebody has switched to, of which nothing is known.
  return end && here >= end ? here - end : SIZE_MAX;
}

static void *runWork(void *work) {
  (*static_cast<llvm::function_ref<void()> *>(work))();
  return nullptr;
}

void callWithStack(size_t bytes, llvm::function_ref<void()> work) {
  if (stackSpaceLeft() >= bytes)
    return work();
  pthread_attr_t attributes;
  pthread_t thread;
  bool isMade = pthread_attr_init(&attributes) == 0;
  if (isMade) {
    isMade = pthread_attr_setstacksize(&attributes, 2 * bytes) == 0 &&
             pthread_create(&thread, &attributes, runWork, &work) == 0;
    pthread_attr_destroy(&attributes);
  }
  if (!isMade)
    return work(); // most work needs little
  pthread_join(thread, nullptr);
}

} // namespace tessera
