//===- ShadowMemory.h - who touched which element -------------------------===//
// Beside each element of a buffer: the program that wrote it, the program that
// read it, and whether it holds anything. Kept only as far as a kernel needs
// it, in memory that is paid for when touched.
//
// Exact with any number of threads: elements are visited in regions of 1024,
// each under a lock of its own. A lock costs as much as 50 elements.
//===----------------------------------------------------------------------===//
#pragma once

#include "SanitizerLoops.h"
#include "tessera/Support/AccessSite.h"
#include "tessera/Support/HostMemory.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <atomic>
#include <cstdint>
#include <mutex>

namespace tessera {

/// A program as the shadow holds it: 1 and up. Several programs that read, and
/// programs that an atomic operation ordered, have no number.
using ShadowProgram = uint32_t;
inline constexpr ShadowProgram kNobody = 0, kSeveral = 0x7fffffff, kOrdered = 0x7ffffffe;
inline ShadowProgram shadowOf(uint64_t program) {
  return static_cast<ShadowProgram>(program % (kOrdered - 1)) + 1;
}

enum class Mistake : uint32_t { Outside, Unwritten, BothWrite, ReadAndWritten };

/// A mistake at `element` of the buffer; `other` met it there.
using MistakeHandler =
    llvm::function_ref<void(Mistake mistake, uint64_t element, ShadowProgram other, bool isNew)>;

class ShadowMemory {
public:
  /// `isInitialized` says whether all elements hold something from the start.
  void describe(uint64_t elements, bool isInitialized);

  /// `program` accesses elements [first, first + count) as `site` says.
  void visit(const AccessSite &site, ShadowProgram program, uint64_t first, uint64_t count,
             MistakeHandler report);

  /// Whether visits of `site` would change or find anything.
  bool concerns(const AccessSite &site) const;
  void forgetPrograms();
  /// Memory for it could not be had, and nothing is watched.
  bool isMissing() const { return missing; }

private:
  struct Visit;
  void allocate();
  void visitRegion(const Visit &visit, uint64_t first, uint64_t count, MistakeHandler report);
  void visitSlowly(const Visit &visit, uint64_t first, uint64_t count, MistakeHandler report);
  ShadowProgram *writers() { return reinterpret_cast<ShadowProgram *>(writerBytes.data()); }
  ShadowProgram *readers() { return reinterpret_cast<ShadowProgram *>(readerBytes.data()); }

  const SanitizerLoops &loops = sanitizerLoops();
  uint64_t elements = 0;
  bool isInitialized = true, missing = false;
  std::once_flag allocated;
  std::atomic<bool> usesWriters = false, usesReaders = false;
  HostBuffer writerBytes, readerBytes, written, locks;
};

} // namespace tessera
