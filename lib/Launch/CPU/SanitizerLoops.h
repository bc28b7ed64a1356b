//===- SanitizerLoops.h - the sanitizer's inner loops ---------------------===//
// Everything that every checked element passes through, for the widest vectors
// that the processor has.
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace tessera {

struct SanitizerLoops {
  /// Returns whether pointers[i] is pointers[0] + i * bytes, for all of them.
  bool (*areConsecutive)(const uint64_t *pointers, uint64_t count, uint64_t bytes);
  /// safe[i] = mask[i] (or 1, without a mask) and pointers[i] - base < limit; whether the
  /// mask let anything through that is not safe.
  bool (*checkBounds)(const uint64_t *pointers, const uint8_t *mask, uint8_t *safe, uint64_t count,
                      uint64_t base, uint64_t limit);
  /// Returns whether any entry is at least `base`, and not `me`.
  bool (*hasForeign)(const uint32_t *entries, uint64_t count, uint32_t base, uint32_t me);
  void (*fill)(uint32_t *entries, uint64_t count, uint32_t value);
};

/// For this machine.
const SanitizerLoops &sanitizerLoops();

} // namespace tessera
