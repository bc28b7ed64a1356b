//===- SanitizerLoops.cpp - the sanitizer's inner loops -------------------===//
// Plain loops that the compiler vectorises, once for each kind of vectors.
//===----------------------------------------------------------------------===//
#include "SanitizerLoops.h"

namespace tessera {

#define TESSERA_LOOP [[gnu::always_inline]] static inline

TESSERA_LOOP bool areConsecutive(const uint64_t *pointers, uint64_t count, uint64_t bytes) {
  uint64_t differs = 0, expected = pointers[0];
  for (uint64_t i = 0; i < count; ++i) {
    differs |= pointers[i] ^ expected;
    expected += bytes;
  }
  return differs == 0;
}

TESSERA_LOOP bool checkBounds(const uint64_t *pointers, const uint8_t *mask, uint8_t *safe,
                              uint64_t count, uint64_t base, uint64_t limit) {
  uint8_t outside = 0;
  if (!mask) {
    for (uint64_t i = 0; i < count; ++i) {
      uint8_t inside = pointers[i] - base < limit;
      safe[i] = inside;
      outside |= inside ^ 1;
    }
    return outside;
  }
  for (uint64_t i = 0; i < count; ++i) {
    uint8_t inside = pointers[i] - base < limit, wanted = mask[i];
    safe[i] = inside & wanted;
    outside |= (inside ^ 1) & wanted;
  }
  return outside;
}

TESSERA_LOOP bool hasForeign(const uint32_t *entries, uint64_t count, uint32_t base, uint32_t me) {
  uint32_t found = 0;
  for (uint64_t i = 0; i < count; ++i)
    found |= uint32_t(entries[i] >= base) & uint32_t(entries[i] != me);
  return found;
}

TESSERA_LOOP void fill(uint32_t *entries, uint64_t count, uint32_t value) {
  for (uint64_t i = 0; i < count; ++i)
    entries[i] = value;
}

/// The four of them, compiled with `attributes`.
#define TESSERA_VERSION(name, attributes)                                                          \
  struct name {                                                                                    \
    attributes static bool consecutive(const uint64_t *p, uint64_t n, uint64_t bytes) {            \
      return areConsecutive(p, n, bytes);                                                          \
    }                                                                                              \
    attributes static bool bounds(const uint64_t *p, const uint8_t *m, uint8_t *s, uint64_t n,     \
                                  uint64_t base, uint64_t limit) {                                 \
      return checkBounds(p, m, s, n, base, limit);                                                 \
    }                                                                                              \
    attributes static bool foreign(const uint32_t *e, uint64_t n, uint32_t base, uint32_t me) {    \
      return hasForeign(e, n, base, me);                                                           \
    }                                                                                              \
    attributes static void set(uint32_t *e, uint64_t n, uint32_t value) { fill(e, n, value); }     \
    static constexpr SanitizerLoops loops = {consecutive, bounds, foreign, set};                   \
  };

namespace {
TESSERA_VERSION(AnyMachine, )
#if defined(__x86_64__)
TESSERA_VERSION(AVX2, [[gnu::target("avx2")]])
TESSERA_VERSION(AVX512, [[gnu::target("avx512f,avx512bw,avx512vl,avx512dq")]])
#endif
} // namespace

const SanitizerLoops &sanitizerLoops() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq"))
    return AVX512::loops;
  if (__builtin_cpu_supports("avx2"))
    return AVX2::loops;
#endif
  return AnyMachine::loops;
}

} // namespace tessera
