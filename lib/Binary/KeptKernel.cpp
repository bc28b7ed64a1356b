//===- KeptKernel.cpp - a kernel that gives memory back -------------------===//
#include "tessera/Binary/KeptKernel.h"
#include "tessera/Binary/PackFile.h"

using namespace tessera;

llvm::Error KeptKernel::use(llvm::function_ref<llvm::Error(const CompiledKernel &)> work) const {
  std::unique_lock guard(lock);
  if (whole || isDropped) {
    const CompiledKernel *kept = whole.get();
    guard.unlock();
    if (kept)
      return work(*kept);
    llvm::Expected<CompiledKernel> again = kernel.pack->load(kernel.packEntry);
    return again ? work(*again) : again.takeError();
  }
  ++users;
  guard.unlock();
  llvm::Error error = work(kernel);
  if (error && kernel.isPartial) {
    llvm::Expected<CompiledKernel> again = kernel.pack->load(kernel.packEntry);
    if (again) {
      llvm::consumeError(std::move(error));
      error = work(*again);
    } else {
      llvm::consumeError(again.takeError());
    }
  }
  guard.lock();
  if (--users == 0 && !error && !isKept && kernel.pack) {
    kernel.artifacts.clear();
    std::string().swap(kernel.recordText); // an assignment would keep the memory
    isDropped = true;
  }
  return error;
}

const CompiledKernel *KeptKernel::keep() const {
  std::lock_guard guard(lock);
  if (whole)
    return whole.get();
  if (!isDropped && !kernel.isPartial) {
    isKept = true;
    return &kernel;
  }
  llvm::Expected<CompiledKernel> again = kernel.pack->load(kernel.packEntry);
  if (!again) {
    llvm::consumeError(again.takeError());
    return nullptr;
  }
  whole = std::make_unique<const CompiledKernel>(std::move(*again));
  return whole.get();
}
