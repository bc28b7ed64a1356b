//===- Polynomial.cpp - sums of products of symbols -----------------------===//
// See Polynomial.h.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Polynomial.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace tessera;

Polynomial Polynomial::constant(int64_t value) { return term({}, value); }
Polynomial Polynomial::symbol(Symbol symbol) { return term({symbol}, 1); }

Polynomial Polynomial::term(const Product &product, int64_t coefficient) {
  Polynomial result;
  result.add(product, coefficient);
  return result;
}

void Polynomial::add(const Product &product, int64_t coefficient) {
  auto found = sum.find(product);
  int64_t before = found == sum.end() ? 0 : found->second, after;
  if (llvm::AddOverflow(before, coefficient, after))
    overflowed = true;
  else if (after != 0)
    sum[product] = after;
  else if (found != sum.end())
    sum.erase(found);
}

std::optional<int64_t> Polynomial::asConstant() const {
  if (overflowed || sum.size() > 1 || (sum.size() == 1 && !sum.begin()->first.empty()))
    return std::nullopt;
  return sum.empty() ? 0 : sum.begin()->second;
}

bool Polynomial::contains(Symbol symbol) const {
  return llvm::any_of(sum, [&](const auto &t) { return llvm::is_contained(t.first, symbol); });
}

bool Polynomial::allSymbols(llvm::function_ref<bool(Symbol)> condition) const {
  return llvm::all_of(sum, [&](const auto &t) { return llvm::all_of(t.first, condition); });
}

std::optional<Polynomial> Polynomial::coefficientOf(Symbol symbol) const {
  Polynomial result;
  for (const auto &[product, coefficient] : sum) {
    size_t count = llvm::count(product, symbol);
    if (count > 1)
      return std::nullopt;
    if (count == 0)
      continue;
    Product rest = product;
    rest.erase(llvm::find(rest, symbol));
    result.add(rest, coefficient);
  }
  return result;
}

Polynomial Polynomial::termsOf(llvm::function_ref<bool(Symbol)> condition) const {
  Polynomial result;
  result.overflowed = overflowed;
  for (const auto &[product, coefficient] : sum)
    if (llvm::all_of(product, condition))
      result.add(product, coefficient);
  return result;
}

Polynomial Polynomial::operator+(const Polynomial &other) const {
  Polynomial result = *this;
  result.overflowed |= other.overflowed;
  for (const auto &[product, coefficient] : other.sum)
    result.add(product, coefficient);
  return result;
}

Polynomial Polynomial::operator-(const Polynomial &other) const {
  return *this + other * constant(-1);
}

Polynomial Polynomial::operator*(const Polynomial &other) const {
  Polynomial result;
  result.overflowed = overflowed || other.overflowed;
  for (const auto &[left, a] : sum)
    for (const auto &[right, b] : other.sum) {
      Product product;
      std::merge(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(product));
      int64_t coefficient;
      if (llvm::MulOverflow(a, b, coefficient))
        result.overflowed = true;
      else
        result.add(product, coefficient);
    }
  return result;
}

std::optional<Polynomial> tessera::divideTerm(const Polynomial::Product &product,
                                              int64_t coefficient,
                                              const Polynomial::Product &divisor, int64_t by) {
  if (by == 0 || coefficient % by != 0 ||
      !std::includes(product.begin(), product.end(), divisor.begin(), divisor.end()))
    return std::nullopt;
  Polynomial::Product rest;
  std::set_difference(product.begin(), product.end(), divisor.begin(), divisor.end(),
                      std::back_inserter(rest));
  return Polynomial::term(rest, coefficient / by);
}
