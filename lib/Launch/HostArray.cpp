//===- HostArray.cpp - a tensor in host memory, and its contents ----------===//
// Random numbers come from Philox4x32-10 (Salmon et al., "Parallel random
// numbers: as easy as 1, 2, 3", SC 2011): four 32-bit words from a counter and
// a key, without state. The key is the seed; the counter is the block number
// and the argument's stream. Elements take their words in order:
//
//   uniform   one word: its top p bits times 2^-p, p the type's precision
//   normal    two words make two values by Box and Muller's transform
//   integers  two words: the high half of their product with the range
//
// log, sin and cos are the polynomials below rather than the C library's, which
// differ between versions; they use only operations that IEEE 754 defines, and
// contraction into fused operations is off, so every machine gets equal bits.
//===----------------------------------------------------------------------===//
#include "tessera/Launch/HostArray.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/ThreadPool.h"
#include "tessera/Support/Units.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>

#pragma clang fp contract(off)

// Wider vectors change no bit of the result, since nothing is contracted.
#if defined(__x86_64__)
#define TESSERA_VECTOR_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define TESSERA_VECTOR_CLONES
#endif

namespace tessera {

uint64_t HostArray::count() const {
  uint64_t product = 1;
  for (uint64_t extent : shape)
    product *= extent;
  return product;
}

static std::string printShape(llvm::ArrayRef<uint64_t> shape) {
  return llvm::join(llvm::map_range(shape, [](uint64_t n) { return std::to_string(n); }), "x");
}

llvm::Expected<HostArray> HostArray::create(DType type, llvm::ArrayRef<uint64_t> shape) {
  HostArray array;
  array.type = type;
  array.shape.assign(shape.begin(), shape.end());
  uint64_t bytes = type.bytesInMemory();
  bool overflow = false;
  for (uint64_t extent : shape)
    overflow |= __builtin_mul_overflow(bytes, extent, &bytes);
  if (llvm::is_contained(shape, 0u))
    bytes = 0;
  else if (overflow || bytes > uint64_t(INT64_MAX))
    return makeError("an array of shape " + printShape(shape) + " exceeds every memory");
  llvm::Expected<HostBuffer> buffer = HostBuffer::allocate(bytes);
  if (!buffer)
    return addContext("an array of shape " + printShape(shape), buffer.takeError());
  array.buffer = std::move(*buffer);
  return array;
}

uint64_t randomStream(llvm::StringRef argumentName) {
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a
  for (char c : argumentName)
    hash = (hash ^ uint8_t(c)) * 0x100000001b3;
  return hash;
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

namespace {
/// Blocks are made many at a time, one array per word, so that the compiler can
/// use vector instructions.
constexpr unsigned kBatch = 64; // blocks
struct Words {
  uint32_t word[4][kBatch];
};
} // namespace

TESSERA_VECTOR_CLONES static void philox(RandomSource source, uint64_t firstBlock, Words &out) {
  for (unsigned i = 0; i < kBatch; ++i) {
    uint64_t block = firstBlock + i;
    out.word[0][i] = uint32_t(block);
    out.word[1][i] = uint32_t(block >> 32);
    out.word[2][i] = uint32_t(source.stream);
    out.word[3][i] = uint32_t(source.stream >> 32);
  }
  uint32_t key0 = uint32_t(source.seed), key1 = uint32_t(source.seed >> 32);
  for (unsigned round = 0; round < 10; ++round) {
    for (unsigned i = 0; i < kBatch; ++i) {
      uint64_t product0 = uint64_t(0xD2511F53) * out.word[0][i];
      uint64_t product1 = uint64_t(0xCD9E8D57) * out.word[2][i];
      out.word[0][i] = uint32_t(product1 >> 32) ^ out.word[1][i] ^ key0;
      out.word[1][i] = uint32_t(product1);
      out.word[2][i] = uint32_t(product0 >> 32) ^ out.word[3][i] ^ key1;
      out.word[3][i] = uint32_t(product0);
    }
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
}

//===----------------------------------------------------------------------===//
// The normal distribution
//===----------------------------------------------------------------------===//

/// ln((word + 1) / 2^32), with an error below 1e-14.
[[gnu::always_inline]] static inline double logOfFraction(uint32_t word) {
  uint64_t bits = __builtin_bit_cast(uint64_t, double(word) + 1.0);
  // Split at sqrt(2) instead of 2, so that the series below sees |s| < 0.172.
  uint64_t shifted = bits - 0x3fe6a09e667f3bcdull;
  double exponent = double(int32_t(shifted >> 52)) - 32.0;
  double f = __builtin_bit_cast(double, (shifted & 0xfffffffffffffull) + 0x3fe6a09e667f3bcdull);
  double s = (f - 1.0) / (f + 1.0);
  double q = s * s;
  double series = 1.0 / 19;
  for (int k = 17; k >= 1; k -= 2) // ln f = 2 (s + s^3/3 + s^5/5 + ...)
    series = series * q + 1.0 / k;
  return exponent * 0.693147180559945309417 + 2.0 * s * series;
}

/// cos and sin of 2 pi word / 2^32.
[[gnu::always_inline]] static inline void circlePoint(uint32_t word, double &cosine, double &sine) {
  uint32_t quadrant = (word + 0x20000000u) >> 30; // nearest multiple of a quarter turn
  double t = double(int32_t(word - (quadrant << 30))) * 1.46291807926715968e-9; // 2 pi / 2^32
  double q = t * t;
  double s = -7.6471637318198165e-13; // -1/15!
  s = s * q + 1.6059043836821613e-10;
  s = s * q - 2.5052108385441720e-8;
  s = s * q + 2.7557319223985893e-6;
  s = s * q - 1.9841269841269841e-4;
  s = s * q + 8.3333333333333332e-3;
  s = s * q - 1.6666666666666666e-1;
  s = t + t * q * s;
  double c = 4.7794773323873853e-14; // 1/16!
  c = c * q - 1.1470745597729725e-11;
  c = c * q + 2.0876756987868100e-9;
  c = c * q - 2.7557319223985888e-7;
  c = c * q + 2.4801587301587302e-5;
  c = c * q - 1.3888888888888889e-3;
  c = c * q + 4.1666666666666664e-2;
  c = 1.0 - q * 0.5 + q * q * c;
  bool swapped = quadrant & 1;
  double x = swapped ? -s : c, y = swapped ? c : s;
  bool opposite = quadrant & 2;
  cosine = opposite ? -x : x;
  sine = opposite ? -y : y;
}

/// Two words to two values.
TESSERA_VECTOR_CLONES static void makeNormals(const uint32_t *a, const uint32_t *b, double *first,
                                              double *second) {
  for (unsigned i = 0; i < kBatch; ++i) {
    // Not std::sqrt, which sets errno and so cannot become a vector instruction.
    double radius = __builtin_elementwise_sqrt(-2.0 * logOfFraction(a[i]));
    double cosine, sine;
    circlePoint(b[i], cosine, sine);
    first[i] = radius * cosine;
    second[i] = radius * sine;
  }
}

//===----------------------------------------------------------------------===//
// Filling
//===----------------------------------------------------------------------===//

/// Elements a thread takes at a time: 1 MiB of fp32.
static constexpr uint64_t kElementsPerTask = 1 << 18;

/// Calls `make(first element, count, out)` for pieces of at most `piece` elements.
template <typename Make>
static void fillPieces(HostArray &array, uint64_t piece, ThreadPool &pool, Make make) {
  pool.parallelFor(array.count(), kElementsPerTask, [&](uint64_t begin, uint64_t end) {
    for (uint64_t at = begin; at < end; at += piece)
      make(at, std::min(piece, end - at), array.at(at));
  });
}

void fillNormal(HostArray &array, RandomSource source, ThreadPool &pool) {
  auto make = [&](uint64_t first, uint64_t count, void *out) {
    Words words;
    philox(source, first / 4, words);
    double lanes[4][kBatch], values[4 * kBatch];
    makeNormals(words.word[0], words.word[1], lanes[0], lanes[1]);
    makeNormals(words.word[2], words.word[3], lanes[2], lanes[3]);
    for (unsigned i = 0; i < kBatch; ++i)
      for (unsigned lane = 0; lane < 4; ++lane)
        values[4 * i + lane] = lanes[lane][i];
    encodeFloats(array.type, values, count, out);
  };
  fillPieces(array, 4 * kBatch, pool, make);
}

/// Significant bits of a float type, at most the 32 of a word.
static unsigned precision(DType type) { return std::min(type.floatFormat().mantissaBits + 1, 32u); }

void fillUniform(HostArray &array, RandomSource source, ThreadPool &pool) {
  unsigned bits = precision(array.type); // so that rounding cannot give 1
  double scale = std::ldexp(1.0, -int(bits));
  auto make = [&](uint64_t first, uint64_t count, void *out) {
    Words words;
    philox(source, first / 4, words);
    double values[4 * kBatch];
    for (unsigned i = 0; i < kBatch; ++i)
      for (unsigned lane = 0; lane < 4; ++lane)
        values[4 * i + lane] = double(words.word[lane][i] >> (32 - bits)) * scale;
    encodeFloats(array.type, values, count, out);
  };
  fillPieces(array, 4 * kBatch, pool, make);
}

/// Stores integers as elements of any type.
static void storeIntegers(const HostArray &array, const int64_t *values, uint64_t count,
                          void *out) {
  if (!array.type.isFloat())
    return encodeInts(array.type, values, count, out);
  double rounded[4 * kBatch];
  for (uint64_t i = 0; i < count; ++i)
    rounded[i] = double(values[i]);
  encodeFloats(array.type, rounded, count, out);
}

void fillIntegers(HostArray &array, int64_t low, int64_t high, RandomSource source,
                  ThreadPool &pool) {
  uint64_t range = uint64_t(high) - uint64_t(low);
  auto make = [&](uint64_t first, uint64_t count, void *out) {
    Words words;
    philox(source, first / 2, words);
    int64_t values[2 * kBatch];
    for (uint64_t i = 0; i < 2 * kBatch; ++i) {
      unsigned lane = unsigned(i % 2) * 2;
      uint64_t word = words.word[lane][i / 2] | uint64_t(words.word[lane + 1][i / 2]) << 32;
      values[i] = int64_t(uint64_t(low) + uint64_t((unsigned __int128)(word)*range >> 64));
    }
    storeIntegers(array, values, count, out);
  };
  fillPieces(array, 2 * kBatch, pool, make);
}

void fillSequence(HostArray &array, ThreadPool &pool) {
  auto make = [&](uint64_t first, uint64_t count, void *out) {
    int64_t values[4 * kBatch];
    for (uint64_t i = 0; i < count; ++i)
      values[i] = int64_t(first + i);
    storeIntegers(array, values, count, out);
  };
  fillPieces(array, 4 * kBatch, pool, make);
}

} // namespace tessera
