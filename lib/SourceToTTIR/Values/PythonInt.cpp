//===- PythonInt.cpp - integers without a width ---------------------------===//
// Every operation widens its operands so far that it cannot overflow, computes
// with APInt, and trims the result.
//===----------------------------------------------------------------------===//
#include "PythonInt.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallString.h"
#include <algorithm>
#include <cmath>
#include <vector>

using namespace tessera;
using llvm::APInt;

void PythonInt::trim() { bits = bits.trunc(std::max(1u, bits.getSignificantBits())); }

PythonInt PythonInt::parse(llvm::StringRef digits, unsigned radix) {
  // One more bit than needed, so that the value stays positive.
  unsigned width = APInt::getSufficientBitsNeeded(digits, radix) + 1;
  return PythonInt(APInt(width, digits, radix));
}

std::optional<PythonInt> PythonInt::fromDouble(double value) {
  if (!std::isfinite(value))
    return std::nullopt;
  return PythonInt(llvm::APIntOps::RoundDoubleToAPInt(value, 1100));
}

double PythonInt::toDouble() const {
  llvm::APFloat value(0.0);
  value.convertFromAPInt(bits, /*IsSigned=*/true, llvm::APFloat::rmNearestTiesToEven);
  return value.convertToDouble();
}

unsigned PythonInt::bitLength() const {
  return isNegative() ? (-*this).bits.getActiveBits() : bits.getActiveBits();
}

/// Eighteen digits at a time: APInt's own conversion divides once for each.
static std::string decimal(APInt magnitude) {
  constexpr uint64_t kChunk = 1'000'000'000'000'000'000;
  std::vector<uint64_t> chunks; // the last digits first
  while (magnitude.getActiveBits() > 64) {
    uint64_t rest = 0;
    APInt quotient;
    APInt::udivrem(magnitude, kChunk, quotient, rest);
    chunks.push_back(rest);
    magnitude = quotient.trunc(std::max(1u, quotient.getActiveBits()));
  }
  std::string text = std::to_string(magnitude.getZExtValue());
  while (!chunks.empty()) {
    std::string digits = std::to_string(chunks.back());
    text += std::string(18 - digits.size(), '0') + digits;
    chunks.pop_back();
  }
  return text;
}

std::string PythonInt::str(unsigned radix) const {
  if (radix == 10 && bits.getBitWidth() > 512)
    return isNegative() ? "-" + decimal((-*this).bits) : decimal(bits);
  llvm::SmallString<32> text;
  bits.toString(text, radix, /*Signed=*/true, /*formatAsCLiteral=*/false, /*UpperCase=*/false);
  return std::string(text);
}

/// Both numbers at a width where neither they nor `extra` more bits overflow.
static std::pair<APInt, APInt> widen(const APInt &a, const APInt &b, unsigned extra) {
  unsigned width = std::max(a.getBitWidth(), b.getBitWidth()) + extra;
  return {a.sext(width), b.sext(width)};
}

PythonInt PythonInt::operator-() const { return PythonInt(-bits.sext(bits.getBitWidth() + 1)); }
PythonInt PythonInt::operator~() const { return PythonInt(~bits); }

PythonInt PythonInt::operator+(const PythonInt &other) const {
  auto [a, b] = widen(bits, other.bits, 1);
  return PythonInt(a + b);
}
PythonInt PythonInt::operator-(const PythonInt &other) const {
  auto [a, b] = widen(bits, other.bits, 1);
  return PythonInt(a - b);
}
PythonInt PythonInt::operator&(const PythonInt &other) const {
  auto [a, b] = widen(bits, other.bits, 0);
  return PythonInt(a & b);
}
PythonInt PythonInt::operator|(const PythonInt &other) const {
  auto [a, b] = widen(bits, other.bits, 0);
  return PythonInt(a | b);
}
PythonInt PythonInt::operator^(const PythonInt &other) const {
  auto [a, b] = widen(bits, other.bits, 0);
  return PythonInt(a ^ b);
}

std::optional<PythonInt> PythonInt::mul(const PythonInt &other) const {
  unsigned width = bits.getBitWidth() + other.bits.getBitWidth();
  if (width > kMaxBits)
    return std::nullopt;
  return PythonInt(bits.sext(width) * other.bits.sext(width));
}

std::optional<PythonInt> PythonInt::floorDiv(const PythonInt &other) const {
  if (other.isZero())
    return std::nullopt;
  auto [a, b] = widen(bits, other.bits, 1);
  return PythonInt(llvm::APIntOps::RoundingSDiv(a, b, APInt::Rounding::DOWN));
}

std::optional<PythonInt> PythonInt::mod(const PythonInt &other) const {
  std::optional<PythonInt> quotient = floorDiv(other);
  if (!quotient)
    return std::nullopt;
  std::optional<PythonInt> product = quotient->mul(other);
  if (!product)
    return std::nullopt;
  return *this - *product;
}

std::optional<PythonInt> PythonInt::shiftLeft(const PythonInt &amount) const {
  if (amount.isNegative())
    return std::nullopt;
  if (isZero())
    return *this;
  if (!amount.fitsSigned(32))
    return std::nullopt;
  uint64_t count = amount.toInt64();
  if (bits.getBitWidth() + count > kMaxBits)
    return std::nullopt;
  return PythonInt(bits.sext(bits.getBitWidth() + count).shl(count));
}

std::optional<PythonInt> PythonInt::shiftRight(const PythonInt &amount) const {
  if (amount.isNegative())
    return std::nullopt;
  unsigned width = bits.getBitWidth();
  uint64_t count = amount.fitsSigned(32) ? amount.toInt64() : width;
  return PythonInt(bits.ashr(std::min<uint64_t>(count, width)));
}

std::optional<PythonInt> PythonInt::pow(const PythonInt &exponent) const {
  if (exponent.isNegative() || !exponent.fitsSigned(32))
    return std::nullopt;
  PythonInt result(1), base = *this;
  for (uint64_t rest = exponent.toInt64(); rest; rest >>= 1) {
    if (rest & 1) {
      std::optional<PythonInt> product = result.mul(base);
      if (!product)
        return std::nullopt;
      result = *product;
    }
    if (rest == 1)
      break;
    std::optional<PythonInt> square = base.mul(base);
    if (!square)
      return std::nullopt;
    base = *square;
  }
  return result;
}

int PythonInt::compare(const PythonInt &other) const {
  auto [a, b] = widen(bits, other.bits, 0);
  return a.slt(b) ? -1 : a == b ? 0 : 1;
}
