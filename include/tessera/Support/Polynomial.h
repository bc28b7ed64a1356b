//===- Polynomial.h - sums of products of symbols -------------------------===//
// Index arithmetic as a polynomial with integer coefficients over symbols, which are numbers that
// the caller gives out: 64 * k * stride + row * stride + column. Two expressions that are equal as
// polynomials are equal for all values, unless a sum or product of the program overflowed.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <map>
#include <optional>

namespace tessera {

class Polynomial {
public:
  using Symbol = unsigned;
  /// The factors of a product, in ascending order; empty for the constant term.
  using Product = llvm::SmallVector<Symbol, 3>;
  /// The coefficient of each product. None is zero.
  using Terms = std::map<Product, int64_t>;

  Polynomial() = default; // zero
  static Polynomial constant(int64_t value);
  static Polynomial symbol(Symbol symbol);
  static Polynomial term(const Product &product, int64_t coefficient);

  const Terms &terms() const { return sum; }
  bool isZero() const { return sum.empty() && !overflowed; }
  /// Returns the value if there are no symbols.
  std::optional<int64_t> asConstant() const;
  /// False if a coefficient did not fit into 64 bits: then nothing else is meaningful.
  bool isValid() const { return !overflowed; }
  bool contains(Symbol symbol) const;
  bool allSymbols(llvm::function_ref<bool(Symbol)> condition) const;

  /// Returns the factor of `symbol`, nothing if a product has it twice.
  std::optional<Polynomial> coefficientOf(Symbol symbol) const;
  /// Returns the terms whose symbols all meet the condition.
  Polynomial termsOf(llvm::function_ref<bool(Symbol)> condition) const;

  Polynomial operator+(const Polynomial &other) const;
  Polynomial operator-(const Polynomial &other) const;
  Polynomial operator*(const Polynomial &other) const;
  bool operator==(const Polynomial &other) const {
    return isValid() && other.isValid() && sum == other.sum;
  }

private:
  void add(const Product &product, int64_t coefficient);

  Terms sum;
  bool overflowed = false;
};

/// Returns the quotient of two products with coefficients; nothing if there is a remainder.
std::optional<Polynomial> divideTerm(const Polynomial::Product &product, int64_t coefficient,
                                     const Polynomial::Product &divisor, int64_t by);

} // namespace tessera
