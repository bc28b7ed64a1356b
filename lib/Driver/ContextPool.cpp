//===- ContextPool.cpp - MLIR contexts, used again ------------------------===//
#include "tessera/Driver/ContextPool.h"
#include "tessera/Support/HostMemory.h"
#include "tessera/Target/Target.h"

using namespace tessera;

/// After this much source text a context has interned a few MiB, and is dropped.
static constexpr size_t kMaxBytesRead = 256 << 10;
/// The number of contexts that are kept: enough for concurrent compilations on most machines.
static constexpr size_t kMaxFree = 16;

ContextPool::Lease::~Lease() {
  // Small kernels count as if they were a page long: each interns its locations.
  entry.bytesRead += 4 << 10;
  if (entry.bytesRead > kMaxBytesRead)
    return;
  std::lock_guard<std::mutex> lock(pool->mutex);
  if (pool->free.size() < kMaxFree)
    pool->free.push_back(std::move(entry));
}

std::unique_ptr<ContextPool::Lease> ContextPool::take() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!free.empty()) {
      Entry entry = std::move(free.back());
      free.pop_back();
      return std::make_unique<Lease>(this, std::move(entry));
    }
  }
  keepFreedMemory();
  Entry entry;
  entry.context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  // The option alone leaves the locks and the caches of each thread on, with which attributes and
  // types are made unique.
  entry.context->disableMultithreading();
  mlir::DialectRegistry registry;
  registerTargetDialects(registry);
  entry.context->appendDialectRegistry(registry);
  return std::make_unique<Lease>(this, std::move(entry));
}
