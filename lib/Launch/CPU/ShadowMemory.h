//===- ShadowMemory.h - who touched which element -------------------------===//
// Beside each element of a buffer: the program that wrote it, the program that
// read it, and whether it holds anything. Kept only as far as a kernel needs
// it, in memory that is paid for when touched.
//
// Elements come in regions of 256. As long as one program at a time touches all
// of a region, which is how blocks are mostly written, an entry for the region
// is all there is; entries for its elements are made when that is no longer so.
//
// Exact with any number of threads: a region is visited under its lock.
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

/// The accessing program if it is not a single one that is identified by its number.
inline constexpr uint64_t kNobody = UINT64_MAX;      // nobody yet
inline constexpr uint64_t kSeveral = UINT64_MAX - 1; // more than one program read it
inline constexpr uint64_t kOrdered = UINT64_MAX - 2; // a program that an atomic had ordered

enum class Mistake : uint32_t { Outside, Unwritten, BothWrite, ReadAndWritten };

/// A mistake at `element` of the buffer, where `other` was before. `isNew` the
/// first time that it is told of the element.
using MistakeHandler =
    llvm::function_ref<void(Mistake mistake, uint64_t element, uint64_t other, bool isNew)>;

class ShadowMemory {
public:
  /// `isInitialized` says whether all elements hold something from the start.
  void describe(uint64_t elements, bool isInitialized);
  /// Forgets which program did what; what was written stays so.
  void beginLaunch(uint64_t programs);

  /// Returns whether visits of `site` would change or find anything.
  bool concerns(const AccessSite &site) const {
    constexpr uint32_t interesting = AccessSite::Writes | AccessSite::MeetsWrites;
    bool meets = (site.flags & interesting) && !site.has(AccessSite::Atomic);
    return elements != 0 && (meets || !isInitialized) && !isMissing();
  }
  /// `program` accesses elements [first, first + count) as `site` says.
  void visit(const AccessSite &site, uint64_t program, uint64_t first, uint64_t count,
             MistakeHandler report);

  /// Memory for it could not be had, and nothing is watched.
  bool isMissing() const { return missing.load(std::memory_order_relaxed); }

private:
  /// A program of this launch, or of an earlier one, which counts as nobody.
  using Entry = uint32_t;
  struct Region;
  struct Visit;
  struct Span;

  void allocate();
  Entry entryOf(uint64_t program) const { return base + Entry(program % limit); }
  uint64_t programOf(Entry entry) const;
  bool isForeign(Entry entry, Entry me) const { return entry >= base && entry != me; }
  bool hasForeign(Entry whole, const Entry *entries, const Span &span, Entry me) const;
  void expand(Entry &whole, Entry *entries, const Span &span);
  void expandWritten(Region &region, const Span &span);
  void recordWrite(const Visit &visit, Region &region, const Span &span);
  void recordRead(const Visit &visit, Region &region, const Span &span);
  void mergeReader(Entry &reader, Entry me) const;
  void visitRegion(const Visit &visit, const Span &span, MistakeHandler report);
  void visitSlowly(const Visit &visit, const Span &span, MistakeHandler report);

  Entry *writers() { return reinterpret_cast<Entry *>(writerBytes.data()); }
  Entry *readers() { return reinterpret_cast<Entry *>(readerBytes.data()); }
  uint8_t *written() { return reinterpret_cast<uint8_t *>(writtenBytes.data()); }

  const SanitizerLoops &loops = sanitizerLoops();
  uint64_t elements = 0;
  bool isInitialized = true;
  std::atomic<bool> missing = false;
  std::once_flag allocated;
  HostBuffer regions, writerBytes, readerBytes, writtenBytes;

  // Entries of this launch: base + program, then `ordered`, then `several`.
  Entry base = 1, ordered = 2, several = 3;
  uint64_t limit = 1; // programs that are told apart
};

} // namespace tessera
