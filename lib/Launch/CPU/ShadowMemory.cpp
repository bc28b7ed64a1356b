//===- ShadowMemory.cpp - who touched which element -----------------------===//
// The usual visit finds nothing: one pass decides that, a second records it,
// both simple enough for the vectoriser. Only a region where something is
// wrong is looked at element by element.
//
// The writer that is kept is the one with the smallest number: then the pair of
// writers that is reported for an element does not depend on the order in which
// threads came by. The top bit of an entry says that its element was reported,
// so that elements are counted once.
//===----------------------------------------------------------------------===//
#include "ShadowMemory.h"
#include <algorithm>
#include <atomic>
#include <cstring>

namespace tessera {

static constexpr uint64_t kRegion = 1024;
static constexpr ShadowProgram kReported = 0x80000000;

struct ShadowMemory::Visit {
  ShadowProgram me;
  bool reads, writes;
  bool findsWriters, findsReaders; // meeting them is a mistake
  bool recordsWrite, recordsRead;
  ShadowProgram written; // what is recorded for a write
};

void ShadowMemory::describe(uint64_t count, bool initialized) {
  elements = count;
  isInitialized = initialized;
}

bool ShadowMemory::concerns(const AccessSite &site) const {
  if (missing || elements == 0)
    return false;
  if (!isInitialized)
    return true;
  if (site.has(AccessSite::Atomic))
    return false;
  return site.has(AccessSite::Writes) || site.has(AccessSite::MeetsWrites);
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
  get(locks, elements / kRegion + 1);
  get(writerBytes, elements * sizeof(ShadowProgram));
  get(readerBytes, elements * sizeof(ShadowProgram));
  if (!isInitialized)
    get(written, elements);
}

void ShadowMemory::forgetPrograms() {
  // Memory that was never touched costs nothing as long as it stays so.
  if (usesWriters.exchange(false))
    std::memset(writerBytes.data(), 0, writerBytes.size());
  if (usesReaders.exchange(false))
    std::memset(readerBytes.data(), 0, readerBytes.size());
}

static void pauseBriefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

namespace {
/// Holds one region.
class RegionLock {
public:
  explicit RegionLock(char &byte) : flag(reinterpret_cast<uint8_t &>(byte)) {
    while (flag.exchange(1, std::memory_order_acquire))
      while (flag.load(std::memory_order_relaxed))
        pauseBriefly();
  }
  ~RegionLock() { flag.store(0, std::memory_order_release); }

private:
  std::atomic_ref<uint8_t> flag;
};
} // namespace

static bool anyZero(const uint8_t *bytes, uint64_t count) {
  return std::memchr(bytes, 0, count) != nullptr;
}

static void mergeReaders(ShadowProgram *readers, uint64_t count, ShadowProgram me) {
  for (uint64_t i = 0; i < count; ++i) {
    ShadowProgram old = readers[i], reported = old & kReported;
    old &= ~kReported;
    readers[i] = reported | (old == kNobody || old == me ? me : kSeveral);
  }
}

/// Something is wrong in [first, first + count), or was before.
void ShadowMemory::visitSlowly(const Visit &visit, uint64_t first, uint64_t count,
                               MistakeHandler report) {
  for (uint64_t i = first; i < first + count; ++i) {
    if (!isInitialized && visit.reads && !written.data()[i])
      report(Mistake::Unwritten, i, kNobody, true);
    ShadowProgram &writer = writers()[i], &reader = readers()[i];
    ShadowProgram wrote = writer & ~kReported, read = reader & ~kReported;
    if (visit.findsWriters && wrote != kNobody && wrote != visit.me) {
      ShadowProgram &entry = visit.writes ? writer : reader;
      report(visit.writes ? Mistake::BothWrite : Mistake::ReadAndWritten, i, wrote,
             !(entry & kReported));
      entry |= kReported;
    }
    if (visit.findsReaders && read != kNobody && read != visit.me) {
      report(Mistake::ReadAndWritten, i, read, !(reader & kReported));
      reader |= kReported;
    }
    if (visit.recordsWrite) {
      bool keeps = wrote != kNobody && wrote < visit.written;
      writer = (writer & kReported) | (keeps ? wrote : visit.written);
    }
    if (visit.recordsRead)
      mergeReaders(&reader, 1, visit.me);
    if (!isInitialized && visit.writes)
      written.data()[i] = 1;
  }
}

void ShadowMemory::visitRegion(const Visit &visit, uint64_t first, uint64_t count,
                               MistakeHandler report) {
  RegionLock lock(locks.data()[first / kRegion]);
  auto *holds = reinterpret_cast<uint8_t *>(written.data()) + first;
  bool wrong = (visit.findsWriters && loops.hasForeign(writers() + first, count, visit.me)) ||
               (visit.findsReaders && loops.hasForeign(readers() + first, count, visit.me)) ||
               (!isInitialized && visit.reads && anyZero(holds, count));
  if (wrong)
    return visitSlowly(visit, first, count, report);
  if (visit.recordsWrite)
    loops.fill(writers() + first, count, visit.written);
  if (visit.recordsRead)
    mergeReaders(readers() + first, count, visit.me);
  if (!isInitialized && visit.writes)
    std::memset(holds, 1, count);
}

void ShadowMemory::visit(const AccessSite &site, ShadowProgram program, uint64_t first,
                         uint64_t count, MistakeHandler report) {
  std::call_once(allocated, [this] { allocate(); });
  if (missing)
    return;
  bool plain = !site.has(AccessSite::Atomic), ordered = site.has(AccessSite::Ordered);
  bool reads = site.has(AccessSite::Reads), writes = site.has(AccessSite::Writes);
  bool watched = plain && !ordered;
  Visit visit = {program,
                 reads,
                 writes,
                 watched && (writes || site.has(AccessSite::MeetsWrites)),
                 watched && writes && site.has(AccessSite::MeetsReads),
                 plain && writes,
                 watched && reads && site.has(AccessSite::MeetsWrites),
                 ordered ? kOrdered : program};
  if (visit.recordsWrite && !usesWriters.load(std::memory_order_relaxed))
    usesWriters = true;
  // Reports of reads are marked in the readers' entries, too.
  if ((visit.recordsRead || visit.findsReaders) && !usesReaders.load(std::memory_order_relaxed))
    usesReaders = true;
  while (count > 0) {
    uint64_t here = std::min(count, kRegion - first % kRegion);
    visitRegion(visit, first, here, report);
    first += here;
    count -= here;
  }
}

} // namespace tessera
