//===- ContextPool.h - MLIR contexts, used again --------------------------===//
// Making a context and loading the dialects takes as long as translating a small
// kernel, so a session keeps those it made, and with each the code generators of
// LLVM that its compilations have made. A context never forgets a type or a
// location that it has seen; one that has served its time is therefore dropped,
// and memory stays bounded.
//
// Threads: a pool may be shared; a lease belongs to one compilation.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Target/Target.h"
#include "mlir/IR/MLIRContext.h"
#include <memory>
#include <mutex>
#include <vector>

namespace tessera {

class ContextPool {
  struct Entry {
    std::unique_ptr<mlir::MLIRContext> context;
    MachineCache machines;
    size_t bytesRead = 0;
  };

public:
  /// A context for one compilation; goes back when the lease ends.
  class Lease {
  public:
    Lease(ContextPool *pool, Entry entry) : pool(pool), entry(std::move(entry)) {}
    Lease(const Lease &) = delete;
    Lease &operator=(const Lease &) = delete;
    ~Lease();
    mlir::MLIRContext &context() { return *entry.context; }
    MachineCache &machines() { return entry.machines; }
    /// Says how much text was compiled in it.
    void countText(size_t bytes) { entry.bytesRead += bytes; }

  private:
    ContextPool *pool;
    Entry entry;
  };

  /// A free context, or a new one.
  std::unique_ptr<Lease> take();

private:
  std::mutex mutex;
  std::vector<Entry> free;
};

} // namespace tessera
