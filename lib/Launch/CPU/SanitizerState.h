//===- SanitizerState.h - what a sanitizer knows --------------------------===//
// Shared by Sanitizer.cpp, which the kernel's code calls, and
// SanitizerReports.cpp, which turns findings into sentences.
//===----------------------------------------------------------------------===//
#pragma once

#include "ProcessMemory.h"
#include "SanitizerLoops.h"
#include "ShadowMemory.h"
#include "tessera/Launch/Sanitizer.h"
#include <map>
#include <mutex>
#include <optional>
#include <tuple>

namespace tessera {

/// Arithmetic of an address that lost its upper bits.
struct Wrap {
  WrapSite site;
  int64_t left, right;
  SourcePlace place = {};
  uint64_t program = 0, element = 0; // whose address it is
};

/// All mistakes of one kind at one place, and the one that is shown: of the
/// first program that makes it.
struct Finding {
  uint64_t count = 0; // accesses; of mistakes between programs, elements
  uint64_t program = 0;
  uint64_t element = 0; // of the block
  uint64_t address = 0;
  int buffer = -1;          // index of the argument
  uint64_t other = kNobody; // who met it
};

/// A finding with what was known at compile time, copied: the code may be gone
/// when reports are made.
struct FindingAtSite {
  AccessSite site;
  AccessText text;
  Finding finding;
  std::optional<Wrap> wrap = {}; // of the first program in which one was seen
  unsigned explanations = 0;     // that were asked for
};

struct FindingKey {
  const AccessSite *site;
  Mistake mistake;
  bool operator<(const FindingKey &other) const {
    return std::tie(site, mistake) < std::tie(other.site, other.mistake);
  }
};

struct Buffer {
  SanitizedArgument argument;
  ShadowMemory shadow;
};

struct Sanitizer::State {
  /// First: where sanitized code may write (kSanitizerSinkBytes).
  alignas(64) char sink[kSanitizerSinkBytes] = {};
  const SanitizerLoops &loops = sanitizerLoops();
  std::vector<std::unique_ptr<Buffer>> buffers; // one per argument
  Grid grid;
  std::map<FindingKey, FindingAtSite> findings;
  mutable std::mutex mutex; // of the findings
  ProcessMemory memory;
  std::mutex memoryMutex; // of the memory

  int64_t check(const AccessSite &site, const uint64_t *pointers, const uint8_t *mask,
                uint8_t *safe, uint64_t program);
  void explain(const AccessSite &site, uint64_t program, int64_t element, const WrapSite &wrap,
               int64_t left, int64_t right);
  /// The argument whose memory holds all of the bytes, or -1.
  int findBuffer(uint64_t address, uint64_t bytes) const;

private:
  bool searchBuffers(const AccessSite &site, const uint64_t *pointers, const uint8_t *mask,
                     uint8_t *safe);
  /// The same for pointers that may point to anything, where no argument is.
  bool searchProcess(const AccessSite &site, const uint64_t *pointers, const uint8_t *mask,
                     uint8_t *safe);
  int64_t recordOutside(const AccessSite &site, const uint64_t *pointers, const uint8_t *mask,
                        const uint8_t *safe, uint64_t program);
  bool checkOne(const AccessSite &site, Buffer &buffer, uint64_t pointer, const uint8_t *mask,
                uint8_t *safe, uint64_t program);
  bool checkRows(const AccessSite &site, Buffer &buffer, const uint64_t *pointers,
                 const uint8_t *mask, uint8_t *safe, uint64_t program);
  bool checkElements(const AccessSite &site, const uint64_t *pointers, const uint8_t *mask,
                     uint8_t *safe, uint64_t program);
  void visitRow(const AccessSite &site, uint64_t address, const uint8_t *safe, uint64_t element,
                uint64_t program);
  void visitElements(const AccessSite &site, const uint64_t *pointers, const uint8_t *safe,
                     uint64_t element, uint64_t program);
  void visitRun(const AccessSite &site, int buffer, uint64_t address, uint64_t element,
                uint64_t count, uint64_t program);
  /// Returns whether an explanation is of use.
  bool record(const AccessSite &site, Mistake mistake, const Finding &found);
};

/// The result of the operation, exact, and as its few bits hold it.
struct WrapResult {
  __int128 exact, held;
  bool wrapped() const { return exact != held; }
};
WrapResult computeWrap(const Wrap &wrap);

} // namespace tessera
