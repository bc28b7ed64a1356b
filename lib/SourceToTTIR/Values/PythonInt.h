//===- PythonInt.h - integers without a width -----------------------------===//
// Compile-time integers follow Python: no overflow, floor division, the
// remainder takes the divisor's sign. A value is a two's-complement APInt kept
// as narrow as its value allows, so equal numbers are equal objects.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace tessera {

class PythonInt {
public:
  PythonInt(int64_t value = 0) : bits(64, static_cast<uint64_t>(value), /*isSigned=*/true) {
    trim();
  }
  /// `digits` in the given radix, without prefix or underscores.
  static PythonInt parse(llvm::StringRef digits, unsigned radix);
  /// Truncates toward zero; nothing for NaN and infinities.
  static std::optional<PythonInt> fromDouble(double value);

  bool isNegative() const { return bits.isNegative(); }
  bool isZero() const { return bits.isZero(); }
  /// The number of bits, with the sign bit.
  unsigned bitWidth() const { return bits.getBitWidth(); }
  bool fitsSigned(unsigned width) const { return bits.getBitWidth() <= width; }
  bool fitsUnsigned(unsigned width) const { return !isNegative() && bits.getActiveBits() <= width; }
  /// The value as an int64_t, which requires fitsSigned(64).
  int64_t toInt64() const { return bits.getSExtValue(); }
  /// The nearest double, ties to even; infinite beyond its range.
  double toDouble() const;
  /// The low `width` bits.
  llvm::APInt toAPInt(unsigned width) const { return bits.sextOrTrunc(width); }
  std::string str(unsigned radix = 10) const;
  /// How many bits the magnitude has: int.bit_length().
  unsigned bitLength() const;

  PythonInt operator-() const;
  PythonInt operator~() const;
  PythonInt operator+(const PythonInt &other) const;
  PythonInt operator-(const PythonInt &other) const;
  PythonInt operator&(const PythonInt &other) const;
  PythonInt operator|(const PythonInt &other) const;
  PythonInt operator^(const PythonInt &other) const;
  /// These return nothing when the result would be unreasonably large
  /// (over kMaxBits) or the divisor is zero.
  std::optional<PythonInt> mul(const PythonInt &other) const;
  std::optional<PythonInt> floorDiv(const PythonInt &other) const;
  std::optional<PythonInt> mod(const PythonInt &other) const;
  std::optional<PythonInt> shiftLeft(const PythonInt &amount) const;
  std::optional<PythonInt> shiftRight(const PythonInt &amount) const;
  std::optional<PythonInt> pow(const PythonInt &exponent) const;

  int compare(const PythonInt &other) const;
  bool operator==(const PythonInt &other) const { return compare(other) == 0; }

  static constexpr unsigned kMaxBits = 1 << 16;

private:
  explicit PythonInt(llvm::APInt value) : bits(std::move(value)) { trim(); }
  void trim();

  llvm::APInt bits;
};

} // namespace tessera
