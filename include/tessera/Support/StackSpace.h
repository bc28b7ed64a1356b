//===- StackSpace.h - enough stack for work that recurses -----------------===//
// Compiling recurses as deeply as programs nest, and kernels on the CPU keep tiles on
// the stack. Both are called from threads of the host's, whose stacks may be small
// (Python's threading.stack_size, other languages' tasks) or nearly used up.
//
//   callWithStack(8 << 20, [&] { result = compile(...); });
//
// Ensures: `work` has run, once, when the call returns. If the calling thread has not so
// much left, it has run on a thread made for it, so it must not depend on which one.
// Cost: a comparison; where a thread asks for the first time, some microseconds.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstddef>

namespace tessera {

/// Returns the bytes that are left on the calling thread's stack; SIZE_MAX if unknown.
size_t stackSpaceLeft();

void callWithStack(size_t bytes, llvm::function_ref<void()> work);

} // namespace tessera
