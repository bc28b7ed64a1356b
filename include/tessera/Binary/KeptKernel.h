//===- KeptKernel.h - a kernel that gives memory back ---------------------===//
// Programs keep their kernels, and need the artifacts of most of them once, to load them.
// A launch reads only those artifacts of a packed kernel that the device loads, and drops them
// afterwards, since the pack has them. They are read and checked again when somebody asks.
//
//   KeptKernel kept(std::move(kernel));
//   kept.use([&](const CompiledKernel &kernel) { return load(kernel); });
//
// Threads: any number may use one kernel at once.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Binary/CompiledKernel.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <mutex>

namespace tessera {

class KeptKernel {
public:
  explicit KeptKernel(CompiledKernel kernel = {}) : kernel(std::move(kernel)) {}

  const KernelRecord &record() const { return kernel.record; }
  /// Calls `work` with the kernel as it was found; once more with the whole kernel, if that fails
  /// and artifacts were not read.
  llvm::Error use(llvm::function_ref<llvm::Error(const CompiledKernel &)> work) const;
  /// The whole kernel, for good. Null if the pack was damaged since it was opened.
  const CompiledKernel *keep() const;

private:
  mutable std::mutex lock;
  mutable CompiledKernel kernel;                       // the record never changes
  mutable std::unique_ptr<const CompiledKernel> whole; // if it had to be read again
  mutable unsigned users = 0;                          // calls of use() that read `kernel`
  mutable bool isDropped = false, isKept = false;
};

} // namespace tessera
