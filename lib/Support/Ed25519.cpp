//===- Ed25519.cpp - signatures of packs ----------------------------------===//
// Three layers, each small: SHA-512; numbers modulo 2^255-19 in five limbs of 51 bits;
// points of the curve -x^2 + y^2 = 1 + d x^2 y^2 in extended coordinates (X:Y:Z:T) with
// x = X/Z, y = Y/Z, x y = T/Z, for which one complete formula adds any two points. Scalars modulo
// the group's order are reduced bit by bit, which is slow and short.
// No branch and no address depends on a secret.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Ed25519.h"
#include <cstring>

using namespace tessera;

namespace {
using Bytes = std::string_view;
__extension__ using Wide = unsigned __int128;
} // namespace

//===----------------------------------------------------------------------===//
// SHA-512 (FIPS 180-4)
//===----------------------------------------------------------------------===//

static constexpr uint64_t kRounds[80] = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
    0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
    0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
    0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
    0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
    0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
    0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
    0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
    0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
    0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
    0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
    0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
    0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
    0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
    0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
    0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
    0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
};

namespace {
class Sha512 {
public:
  void add(Bytes bytes) {
    for (char c : bytes) {
      block[used++] = uint8_t(c);
      if (used == sizeof(block))
        mix();
    }
    length += bytes.size();
  }

  std::array<uint8_t, 64> finish() {
    uint64_t bits = length * 8;
    block[used++] = 0x80;
    if (used > 112) {
      std::memset(block + used, 0, sizeof(block) - used);
      mix();
    }
    std::memset(block + used, 0, sizeof(block) - used);
    for (int i = 0; i < 8; ++i)
      block[127 - i] = uint8_t(bits >> (8 * i));
    mix();
    std::array<uint8_t, 64> digest;
    for (int i = 0; i < 64; ++i)
      digest[size_t(i)] = uint8_t(state[i / 8] >> (56 - 8 * (i % 8)));
    return digest;
  }

private:
  static uint64_t rotate(uint64_t x, int n) { return x >> n | x << (64 - n); }

  void mix() {
    uint64_t w[80], v[8];
    for (int i = 0; i < 16; ++i) {
      w[i] = 0;
      for (int k = 0; k < 8; ++k)
        w[i] = w[i] << 8 | block[8 * i + k];
    }
    for (int i = 16; i < 80; ++i)
      w[i] = w[i - 16] + w[i - 7] + (rotate(w[i - 15], 1) ^ rotate(w[i - 15], 8) ^ w[i - 15] >> 7) +
             (rotate(w[i - 2], 19) ^ rotate(w[i - 2], 61) ^ w[i - 2] >> 6);
    std::memcpy(v, state, sizeof(v));
    for (int i = 0; i < 80; ++i) {
      uint64_t e = rotate(v[4], 14) ^ rotate(v[4], 18) ^ rotate(v[4], 41);
      uint64_t a = rotate(v[0], 28) ^ rotate(v[0], 34) ^ rotate(v[0], 39);
      uint64_t first = v[7] + e + ((v[4] & v[5]) ^ (~v[4] & v[6])) + kRounds[i] + w[i];
      uint64_t second = a + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
      for (int k = 7; k > 0; --k)
        v[k] = v[k - 1];
      v[4] += first;
      v[0] = first + second;
    }
    for (int i = 0; i < 8; ++i)
      state[i] += v[i];
    used = 0;
  }

  uint64_t state[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
                       0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f,
                       0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
  uint8_t block[128];
  size_t used = 0;
  uint64_t length = 0;
};
} // namespace

std::array<uint8_t, 64> tessera::sha512(Bytes first, Bytes second, Bytes third) {
  Sha512 hash;
  hash.add(first);
  hash.add(second);
  hash.add(third);
  return hash.finish();
}

//===----------------------------------------------------------------------===//
// Numbers modulo p = 2^255 - 19
//===----------------------------------------------------------------------===//

namespace {
constexpr uint64_t kLimb = (uint64_t(1) << 51) - 1;

/// Limbs are below 2^52 between operations.
struct Field {
  uint64_t limb[5] = {};
};
} // namespace

static constexpr Field kOne = {{1}};
// -121665/121666, twice that, and the square root of -1.
static constexpr Field kD = {
    {0x34dca135978a3, 0x1a8283b156ebd, 0x5e7a26001c029, 0x739c663a03cbb, 0x52036cee2b6ff}};
static constexpr Field kTwoD = {
    {0x69b9426b2f159, 0x35050762add7a, 0x3cf44c0038052, 0x6738cc7407977, 0x2406d9dc56dff}};
static constexpr Field kRootOfMinusOne = {
    {0x61b274a0ea0b0, 0xd5a5fc8f189d, 0x7ef5e9cbd0c60, 0x78595a6804c9e, 0x2b8324804fc1d}};

static void carry(Field &a) {
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < 4; ++i) {
      a.limb[i + 1] += a.limb[i] >> 51;
      a.limb[i] &= kLimb;
    }
    a.limb[0] += 19 * (a.limb[4] >> 51);
    a.limb[4] &= kLimb;
  }
}

static Field add(const Field &a, const Field &b) {
  Field sum;
  for (int i = 0; i < 5; ++i)
    sum.limb[i] = a.limb[i] + b.limb[i];
  carry(sum);
  return sum;
}

static Field subtract(const Field &a, const Field &b) {
  Field difference; // with 4 p added, so that no limb is negative
  for (int i = 0; i < 5; ++i)
    difference.limb[i] = a.limb[i] + 4 * (i == 0 ? kLimb - 18 : kLimb) - b.limb[i];
  carry(difference);
  return difference;
}

static Field multiply(const Field &a, const Field &b) {
  Wide sum[5] = {};
  for (int i = 0; i < 5; ++i)
    for (int k = 0; k < 5; ++k)
      sum[(i + k) % 5] += Wide(a.limb[i]) * (i + k < 5 ? b.limb[k] : 19 * b.limb[k]);
  Field product;
  Wide over = 0;
  for (int i = 0; i < 5; ++i) {
    sum[i] += over;
    product.limb[i] = uint64_t(sum[i]) & kLimb;
    over = sum[i] >> 51;
  }
  Wide low = Wide(product.limb[0]) + over * 19;
  product.limb[0] = uint64_t(low) & kLimb;
  product.limb[1] += uint64_t(low >> 51);
  carry(product);
  return product;
}

/// a to the power of 2^count.
static Field squareTimes(Field a, int count) {
  for (; count > 0; --count)
    a = multiply(a, a);
  return a;
}

/// a to the power of 2^250 - 1, and a^11: both exponents below start with it.
static Field powerOf250Ones(const Field &a, Field &eleventh) {
  Field second = squareTimes(a, 1), ninth = multiply(a, squareTimes(second, 2));
  eleventh = multiply(ninth, second);
  Field ones5 = multiply(squareTimes(eleventh, 1), ninth);
  Field ones10 = multiply(squareTimes(ones5, 5), ones5);
  Field ones20 = multiply(squareTimes(ones10, 10), ones10);
  Field ones40 = multiply(squareTimes(ones20, 20), ones20);
  Field ones50 = multiply(squareTimes(ones40, 10), ones10);
  Field ones100 = multiply(squareTimes(ones50, 50), ones50);
  Field ones200 = multiply(squareTimes(ones100, 100), ones100);
  return multiply(squareTimes(ones200, 50), ones50);
}

static Field invert(const Field &a) { // a^(p-2) = a^(2^255 - 21)
  Field eleventh, ones = powerOf250Ones(a, eleventh);
  return multiply(squareTimes(ones, 5), eleventh);
}

static Field powerForRoot(const Field &a) { // a^((p-5)/8) = a^(2^252 - 3)
  Field unused, ones = powerOf250Ones(a, unused);
  return multiply(squareTimes(ones, 2), a);
}

static void toBytes(Field a, uint8_t bytes[32]) {
  carry(a);
  // Adding 19 carries out of bit 255 exactly if a >= p.
  uint64_t over = a.limb[0] + 19;
  for (int i = 1; i < 5; ++i)
    over = a.limb[i] + (over >> 51);
  a.limb[0] += 19 * (over >> 51);
  for (int i = 0; i < 4; ++i) {
    a.limb[i + 1] += a.limb[i] >> 51;
    a.limb[i] &= kLimb;
  }
  a.limb[4] &= kLimb;
  std::memset(bytes, 0, 32);
  for (int bit = 0; bit < 255; ++bit)
    bytes[bit / 8] |= uint8_t((a.limb[bit / 51] >> (bit % 51) & 1) << (bit % 8));
}

static Field fromBytes(const uint8_t bytes[32]) { // the top bit is another number's
  Field a;
  for (int bit = 0; bit < 255; ++bit)
    a.limb[bit / 51] |= uint64_t(bytes[bit / 8] >> (bit % 8) & 1) << (bit % 51);
  return a;
}

static bool isEqual(const Field &a, const Field &b) {
  uint8_t left[32], right[32];
  toBytes(a, left);
  toBytes(b, right);
  return std::memcmp(left, right, 32) == 0;
}

static bool isOdd(const Field &a) {
  uint8_t bytes[32];
  toBytes(a, bytes);
  return bytes[0] & 1;
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

namespace {
struct Point {
  Field x = {}, y = kOne, z = kOne, t = {};
};
} // namespace

static Point basePoint() {
  Point base;
  base.x = {{0x62d608f25d51a, 0x412a4b4f6592a, 0x75b7171a4b31d, 0x1ff60527118fe, 0x216936d3cd6e5}};
  base.y = {{0x6666666666658, 0x4cccccccccccc, 0x1999999999999, 0x3333333333333, 0x6666666666666}};
  base.t = multiply(base.x, base.y);
  return base;
}

static Point add(const Point &p, const Point &q) {
  Field a = multiply(subtract(p.y, p.x), subtract(q.y, q.x));
  Field b = multiply(add(p.y, p.x), add(q.y, q.x));
  Field c = multiply(multiply(p.t, kTwoD), q.t);
  Field d = multiply(add(p.z, p.z), q.z);
  Field e = subtract(b, a), f = subtract(d, c), g = add(d, c), h = add(b, a);
  return {multiply(e, f), multiply(g, h), multiply(f, g), multiply(e, h)};
}

/// Copies `from` to `to` if `mask` is all ones; leaves it if `mask` is 0.
static void copyIf(uint64_t mask, Point &to, const Point &from) {
  Field *targets[] = {&to.x, &to.y, &to.z, &to.t};
  const Field *sources[] = {&from.x, &from.y, &from.z, &from.t};
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 5; ++k)
      targets[i]->limb[k] ^= mask & (targets[i]->limb[k] ^ sources[i]->limb[k]);
}

static Point multiply(const uint8_t scalar[32], const Point &point) {
  Point sum;
  for (int bit = 255; bit >= 0; --bit) {
    sum = add(sum, sum);
    Point with = add(sum, point);
    copyIf(0 - uint64_t(scalar[bit / 8] >> (bit % 8) & 1), sum, with);
  }
  return sum;
}

static void encode(const Point &point, uint8_t bytes[32]) {
  Field inverse = invert(point.z);
  toBytes(multiply(point.y, inverse), bytes);
  bytes[31] |= uint8_t(isOdd(multiply(point.x, inverse)) << 7);
}

/// False if no point of the curve has this encoding.
static bool decode(const uint8_t bytes[32], Point &point) {
  point.y = fromBytes(bytes);
  uint8_t again[32];
  toBytes(point.y, again);
  again[31] |= bytes[31] & 0x80;
  if (std::memcmp(again, bytes, 32) != 0)
    return false; // y is p or more
  Field square = multiply(point.y, point.y);
  Field u = subtract(square, kOne), v = add(multiply(kD, square), kOne);
  Field v3 = multiply(multiply(v, v), v), v7 = multiply(multiply(v3, v3), v);
  point.x = multiply(multiply(u, v3), powerForRoot(multiply(u, v7)));
  if (!isEqual(multiply(v, multiply(point.x, point.x)), u))
    point.x = multiply(point.x, kRootOfMinusOne);
  if (!isEqual(multiply(v, multiply(point.x, point.x)), u))
    return false;
  bool isNegative = bytes[31] >> 7;
  if (isEqual(point.x, Field()) && isNegative)
    return false;
  if (isOdd(point.x) != isNegative)
    point.x = subtract(Field(), point.x);
  point.z = kOne;
  point.t = multiply(point.x, point.y);
  return true;
}

//===----------------------------------------------------------------------===//
// Scalars modulo the group's order
//===----------------------------------------------------------------------===//

static constexpr uint64_t kOrder[4] = {0x5812631a5cf5d3ed, 0x14def9dea2f79cd6, 0,
                                       0x1000000000000000};

/// Subtracts the order from `value` if it is not below it.
static void reduceOnce(uint64_t value[4]) {
  uint64_t difference[4], borrow = 0;
  for (int i = 0; i < 4; ++i) {
    Wide wide = Wide(value[i]) - kOrder[i] - borrow;
    difference[i] = uint64_t(wide);
    borrow = uint64_t(wide >> 64) & 1;
  }
  uint64_t keep = 0 - borrow;
  for (int i = 0; i < 4; ++i)
    value[i] = (value[i] & keep) | (difference[i] & ~keep);
}

/// The remainder of a number of 64 bytes.
static void reduce(const uint64_t wide[8], uint8_t scalar[32]) {
  uint64_t rest[4] = {};
  for (int bit = 511; bit >= 0; --bit) {
    for (int i = 3; i > 0; --i)
      rest[i] = rest[i] << 1 | rest[i - 1] >> 63;
    rest[0] = rest[0] << 1 | (wide[bit / 64] >> (bit % 64) & 1);
    reduceOnce(rest);
  }
  for (int i = 0; i < 32; ++i)
    scalar[i] = uint8_t(rest[i / 8] >> (8 * (i % 8)));
}

static void readWords(const uint8_t *bytes, int count, uint64_t *words) {
  for (int i = 0; i < count; ++i) {
    words[i] = 0;
    for (int k = 7; k >= 0; --k)
      words[i] = words[i] << 8 | bytes[8 * i + k];
  }
}

static void reduceDigest(const std::array<uint8_t, 64> &digest, uint8_t scalar[32]) {
  uint64_t words[8];
  readWords(digest.data(), 8, words);
  reduce(words, scalar);
}

/// a b + c
static void multiplyAdd(const uint8_t a[32], const uint8_t b[32], const uint8_t c[32],
                        uint8_t scalar[32]) {
  uint64_t left[4], right[4], sum[8] = {};
  readWords(a, 4, left);
  readWords(b, 4, right);
  readWords(c, 4, sum);
  for (int i = 0; i < 4; ++i) {
    uint64_t over = 0;
    for (int k = 0; k < 4; ++k) {
      Wide wide = Wide(left[i]) * right[k] + sum[i + k] + over;
      sum[i + k] = uint64_t(wide);
      over = uint64_t(wide >> 64);
    }
    for (int k = i + 4; k < 8; ++k) {
      Wide wide = Wide(sum[k]) + over;
      sum[k] = uint64_t(wide);
      over = uint64_t(wide >> 64);
    }
  }
  reduce(sum, scalar);
}

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

static Bytes view(const uint8_t *bytes, size_t size) {
  return {reinterpret_cast<const char *>(bytes), size};
}

/// The secret scalar, and the prefix that makes nonces.
static std::array<uint8_t, 64> expand(const Ed25519Seed &seed) {
  std::array<uint8_t, 64> secret = sha512(view(seed.data(), 32));
  secret[0] &= 0xf8;
  secret[31] = uint8_t((secret[31] & 0x7f) | 0x40);
  return secret;
}

Ed25519KeyPair tessera::keyPairFromSeed(const Ed25519Seed &seed) {
  Ed25519KeyPair keys{seed, {}};
  encode(multiply(expand(seed).data(), basePoint()), keys.publicKey.data());
  return keys;
}

Ed25519Signature tessera::signMessage(const Ed25519KeyPair &keys, Bytes message) {
  std::array<uint8_t, 64> secret = expand(keys.seed);
  uint8_t nonce[32], challenge[32];
  reduceDigest(sha512(view(secret.data() + 32, 32), message), nonce);
  Ed25519Signature signature;
  encode(multiply(nonce, basePoint()), signature.data());
  reduceDigest(sha512(view(signature.data(), 32), view(keys.publicKey.data(), 32), message),
               challenge);
  uint8_t scalar[32];
  // The secret scalar is below 2^255, and so reduced by the product.
  multiplyAdd(challenge, secret.data(), nonce, scalar);
  std::memcpy(signature.data() + 32, scalar, 32);
  return signature;
}

bool tessera::verifySignature(const Ed25519Key &publicKey, Bytes message,
                              const Ed25519Signature &signature) {
  uint64_t given[4], reduced[4];
  readWords(signature.data() + 32, 4, given);
  std::memcpy(reduced, given, sizeof(given));
  reduceOnce(reduced);
  Point key;
  if (std::memcmp(given, reduced, sizeof(given)) != 0 || !decode(publicKey.data(), key))
    return false;
  uint8_t challenge[32], expected[32];
  reduceDigest(sha512(view(signature.data(), 32), view(publicKey.data(), 32), message), challenge);
  key.x = subtract(Field(), key.x);
  key.t = subtract(Field(), key.t);
  encode(add(multiply(signature.data() + 32, basePoint()), multiply(challenge, key)), expected);
  return std::memcmp(expected, signature.data(), 32) == 0;
}
