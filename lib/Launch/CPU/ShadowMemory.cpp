//===- ShadowMemory.cpp - who touched which element -----------------------===//
// The usual visit finds nothing, mostly by looking at the region's own entry.
// Only a region where something is wrong is looked at element by element.
//
// Launches have entries of their own, so that nothing needs to be cleared
// between them until the numbers are used up.
//
// The writer that is kept is the one with the smallest number: then the pair of
// writers that is reported for an element does not depend on the order in which
// threads came by. The top bit of an entry says that its element was reported,
// so that elements are counted once.
//===----------------------------------------------------------------------===//
#include "ShadowMemory.h"
#include <algorithm>
#include <cstring>

namespace tessera {

static constexpr uint64_t kRegion = 256;
static constexpr uint32_t kReported = 0x80000000;
static constexpr uint32_t kMixed = 0xffffffff; // look at the elements
/// Entries stay below this, so that the bits above are free.
static constexpr uint32_t kLastEntry = 0x7ffffff0;

/// The state that all elements of a region share. All zeros: no access happened.
struct ShadowMemory::Region {
  enum Content : uint32_t { Nothing, Everything, Something };
  uint32_t lock;
  uint32_t content; // only of memory that is not initialised
  Entry writer, reader;
};

/// Elements [first, first + count) of the region that begins at `begin`.
struct ShadowMemory::Span {
  uint64_t begin, size, first, count;
  bool isWhole() const { return count == size; }
};

struct ShadowMemory::Visit {
  Entry me;
  bool reads, writes;
  bool findsWriters, findsReaders; // meeting them is a mistake
  bool recordsWrite, recordsRead;
  Entry written; // what is recorded for a write
};

void ShadowMemory::describe(uint64_t count, bool initialized) {
  elements = count;
  isInitialized = initialized;
}

void ShadowMemory::allocate() {
  auto get = [&](HostBuffer &buffer, uint64_t bytes) {
    llvm::Expected<HostBuffer> memory = HostBuffer::allocate(bytes);
    if (memory)
      buffer = std::move(*memory);
    else
      missing = true;
    llvm::consumeError(memory.takeError());
  };
  get(regions, (elements / kRegion + 1) * sizeof(Region));
  get(writerBytes, elements * sizeof(Entry));
  get(readerBytes, elements * sizeof(Entry));
  if (!isInitialized)
    get(writtenBytes, elements);
}

void ShadowMemory::beginLaunch(uint64_t programs) {
  // Very large grids share entries: a meeting of two that do is not seen.
  limit = std::clamp<uint64_t>(programs, 1, kLastEntry / 2);
  uint64_t next = uint64_t(several) + 1;
  if (next + limit + 2 > kLastEntry) { // all numbers were used: begin anew
    next = 1;
    auto *region = reinterpret_cast<Region *>(regions.data());
    for (uint64_t i = 0; i < regions.size() / sizeof(Region); ++i)
      region[i].writer = region[i].reader = 0;
  }
  base = Entry(next);
  ordered = base + Entry(limit);
  several = ordered + 1;
}

uint64_t ShadowMemory::programOf(Entry entry) const {
  if (entry < base)
    return kNobody;
  return entry == ordered ? kOrdered : entry == several ? kSeveral : entry - base;
}

namespace {
/// Holds one region.
class RegionLock {
public:
  explicit RegionLock(uint32_t &word) : flag(word) {
    while (flag.exchange(1, std::memory_order_acquire))
      while (flag.load(std::memory_order_relaxed))
        pauseBriefly();
  }
  ~RegionLock() { flag.store(0, std::memory_order_release); }

private:
  static void pauseBriefly() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  std::atomic_ref<uint32_t> flag;
};
} // namespace

//===----------------------------------------------------------------------===//
// Entries of regions and of elements
//===----------------------------------------------------------------------===//

bool ShadowMemory::hasForeign(Entry whole, const Entry *entries, const Span &span, Entry me) const {
  if (whole != kMixed)
    return isForeign(whole, me);
  return loops.hasForeign(entries + span.first, span.count, base, me);
}

void ShadowMemory::expand(Entry &whole, Entry *entries, const Span &span) {
  if (whole != kMixed)
    loops.fill(entries + span.begin, span.size, whole);
  whole = kMixed;
}

void ShadowMemory::expandWritten(Region &region, const Span &span) {
  if (region.content == Region::Everything)
    std::memset(written() + span.begin, 1, span.size);
  region.content = Region::Something; // bytes of a region that holds nothing are 0
}

void ShadowMemory::recordWrite(const Visit &visit, Region &region, const Span &span) {
  if (span.isWhole()) {
    region.writer = visit.written;
  } else if (region.writer != visit.written) {
    expand(region.writer, writers(), span);
    loops.fill(writers() + span.first, span.count, visit.written);
  }
}

void ShadowMemory::mergeReader(Entry &reader, Entry me) const {
  Entry reported = reader & kReported, old = reader & ~kReported;
  if (old < base) // of an earlier launch
    reported = 0;
  reader = reported | (old < base || old == me ? me : several);
}

void ShadowMemory::recordRead(const Visit &visit, Region &region, const Span &span) {
  if (region.reader != kMixed && span.isWhole())
    return mergeReader(region.reader, visit.me);
  if (region.reader == visit.me)
    return;
  expand(region.reader, readers(), span);
  for (uint64_t i = span.first; i < span.first + span.count; ++i)
    mergeReader(readers()[i], visit.me);
}

//===----------------------------------------------------------------------===//
// Visits
//===----------------------------------------------------------------------===//

/// Something is wrong in the span, or was before. Elements have entries.
void ShadowMemory::visitSlowly(const Visit &visit, const Span &span, MistakeHandler report) {
  auto current = [&](Entry entry) { return (entry & ~kReported) < base ? 0 : entry; };
  for (uint64_t i = span.first; i < span.first + span.count; ++i) {
    if (!isInitialized && visit.reads && !written()[i])
      report(Mistake::Unwritten, i, kNobody, true);
    Entry &writer = writers()[i], &reader = readers()[i];
    writer = current(writer);
    reader = current(reader);
    Entry wrote = writer & ~kReported, read = reader & ~kReported;
    if (visit.findsWriters && isForeign(wrote, visit.me)) {
      Entry &entry = visit.writes ? writer : reader;
      report(visit.writes ? Mistake::BothWrite : Mistake::ReadAndWritten, i, programOf(wrote),
             !(entry & kReported));
      entry |= kReported;
    }
    if (visit.findsReaders && isForeign(read, visit.me)) {
      report(Mistake::ReadAndWritten, i, programOf(read), !(reader & kReported));
      reader |= kReported;
    }
    if (visit.recordsWrite) {
      bool keeps = wrote >= base && wrote < visit.written;
      writer = (writer & kReported) | (keeps ? wrote : visit.written);
    }
    // A reader that was only marked is nobody, and becomes this one.
    if (visit.recordsRead)
      reader = (reader & kReported) | (read < base || read == visit.me ? visit.me : several);
    if (!isInitialized && visit.writes)
      written()[i] = 1;
  }
}

void ShadowMemory::visitRegion(const Visit &visit, const Span &span, MistakeHandler report) {
  Region &region = reinterpret_cast<Region *>(regions.data())[span.begin / kRegion];
  RegionLock lock(region.lock);
  auto lacks = [&] {
    if (isInitialized || !visit.reads || region.content == Region::Everything)
      return false;
    return region.content == Region::Nothing ||
           std::memchr(written() + span.first, 0, span.count) != nullptr;
  };
  if ((visit.findsWriters && hasForeign(region.writer, writers(), span, visit.me)) ||
      (visit.findsReaders && hasForeign(region.reader, readers(), span, visit.me)) || lacks()) {
    expand(region.writer, writers(), span);
    expand(region.reader, readers(), span);
    if (!isInitialized)
      expandWritten(region, span);
    return visitSlowly(visit, span, report);
  }
  if (visit.recordsWrite)
    recordWrite(visit, region, span);
  if (visit.recordsRead)
    recordRead(visit, region, span);
  if (isInitialized || !visit.writes || region.content == Region::Everything)
    return;
  if (span.isWhole()) {
    region.content = Region::Everything;
  } else {
    expandWritten(region, span);
    std::memset(written() + span.first, 1, span.count);
  }
}

void ShadowMemory::visit(const AccessSite &site, uint64_t program, uint64_t first, uint64_t count,
                         MistakeHandler report) {
  std::call_once(allocated, [this] { allocate(); });
  if (isMissing())
    return;
  bool plain = !site.has(AccessSite::Atomic), inOrder = site.has(AccessSite::Ordered);
  bool reads = site.has(AccessSite::Reads), writes = site.has(AccessSite::Writes);
  bool watched = plain && !inOrder;
  Entry me = entryOf(program);
  Visit visit = {me,
                 reads,
                 writes,
                 watched && (writes || site.has(AccessSite::MeetsWrites)),
                 watched && writes && site.has(AccessSite::MeetsReads),
                 plain && writes,
                 watched && reads && site.has(AccessSite::MeetsWrites),
                 inOrder ? ordered : me};
  while (count > 0) {
    uint64_t begin = first / kRegion * kRegion, size = std::min(kRegion, elements - begin);
    uint64_t here = std::min(count, begin + size - first);
    visitRegion(visit, {begin, size, first, here}, report);
    first += here;
    count -= here;
  }
}

} // namespace tessera
