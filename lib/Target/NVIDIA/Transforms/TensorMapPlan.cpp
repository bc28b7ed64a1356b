//===- TensorMapPlan.cpp - whether a tensor map can replace pointers ------===//
// See TensorMapPlan.h, which numbers the conditions.
//===----------------------------------------------------------------------===//
#include "TensorMapPlan.h"
#include "tessera/TTGIR/Analysis/IndexBounds.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/Target/NVIDIA/TensorMaps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include <numeric>

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;
using Kind = AddressSymbol::Kind;
using Symbol = Polynomial::Symbol;
using Dimension = TensorMapPlan::Dimension;

/// cuda.h, cuTensorMapEncodeTiled: the unit of the address and of strides, in bytes.
static constexpr int64_t kUnit = 16;

/// Steps of so many elements lead to batches or rows: memory may have more of them than coordinates
/// along the contiguous dimension, of 32 bits, can count elements.
static constexpr int64_t kFar = 1024;

//===----------------------------------------------------------------------===//
// Values that the launcher knows
//===----------------------------------------------------------------------===//

/// Returns whether the op is arithmetic that recipes have, or passes a pointer or an integer on.
static bool isLaunchArithmetic(Operation *op) {
  Type type = op->getResult(0).getType();
  if (isa<tt::BitcastOp>(op)) {
    Type from = op->getOperand(0).getType();
    return from == type || (isa<tt::PointerType>(from) && isa<tt::PointerType>(type));
  }
  return (type.isInteger(32) || type.isInteger(64)) &&
         isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivSIOp, arith::MinSIOp,
             arith::MaxSIOp, arith::ExtSIOp>(op);
}

static bool isKnownAtLaunch(Value value, unsigned depth) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<tt::FuncOp>(argument.getOwner()->getParentOp()) &&
           argument.getOwner()->isEntryBlock();
  Operation *op = value.getDefiningOp();
  if (matchPattern(op, m_Constant()))
    return value.getType().isIntOrIndex();
  constexpr unsigned maxDepth = 8;
  if (depth == maxDepth || !isLaunchArithmetic(op))
    return false;
  return llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isKnownAtLaunch(operand, depth + 1); });
}

bool nvidia::isKnownAtLaunch(Value value) { return ::isKnownAtLaunch(value, 0); }

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

bool PlanFacts::isNonNegative(const Polynomial &polynomial) const {
  return llvm::all_of(polynomial.terms(), [&](const auto &term) {
    return term.second >= 0 && llvm::all_of(term.first, [&](Symbol symbol) {
             const AddressSymbol &s = addresses[symbol];
             return s.kind == Kind::Iteration ||
                    (s.kind == Kind::Uniform && axes.get(s.value).isNonNegative());
           });
  });
}

int64_t PlanFacts::divisorOf(const Polynomial &polynomial) const {
  constexpr int64_t enough = 1024;
  int64_t result = 0;
  for (const auto &[product, coefficient] : polynomial.terms()) {
    int64_t divisor = std::gcd(coefficient, enough);
    for (Symbol symbol : product)
      if (Value value = addresses[symbol].value)
        divisor = std::gcd(divisor * std::gcd(axes.get(value).divisibility(0), enough), enough);
    result = std::gcd(result, divisor);
  }
  return result == 0 ? enough : result;
}

/// Returns the scalar that the polynomial is, without casts; null if it is none.
static Value scalarOf(const Polynomial &polynomial, const BlockAddresses &addresses) {
  if (polynomial.terms().size() != 1)
    return {};
  const auto &[product, coefficient] = *polynomial.terms().begin();
  if (coefficient != 1 || product.size() != 1)
    return {};
  Value value = addresses[product.front()].value;
  while (value && value.getDefiningOp() &&
         isa<arith::ExtSIOp, tt::BitcastOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

bool PlanFacts::areSame(const Polynomial &a, const Polynomial &b) const {
  Value value = scalarOf(a, addresses);
  return a == b || (value && value == scalarOf(b, addresses));
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

namespace {
class Planner {
public:
  Planner(const TileAccess &access, MapMaker maker, BlockAddresses &addresses,
          const AxisInfoAnalysis &axes)
      : access(access), type(access.type), madeByKernel(maker == MapMaker::Kernel),
        addresses(addresses), axes(axes), facts(addresses, axes) {}
  /// Returns the condition that fails; empty if there is a plan.
  StringRef run();
  TensorMapPlan plan;

private:
  StringRef findBase();
  StringRef findStrides();
  StringRef findStarts();
  StringRef distribute();
  StringRef addTerm(const Polynomial::Product &product, int64_t coefficient);
  StringRef addDimension(const Polynomial::Product &product, int64_t coefficient);
  Polynomial varyingPart(const Polynomial::Product &product) const;
  StringRef check();

  /// Returns whether a map may depend on the value.
  bool isKnown(Symbol symbol) const {
    return addresses[symbol].kind == Kind::Uniform &&
           (madeByKernel || isKnownAtLaunch(addresses[symbol].value));
  }
  bool isKnown(const Polynomial &polynomial) const {
    return polynomial.allSymbols([&](Symbol symbol) { return isKnown(symbol); });
  }
  bool isNarrow(const Polynomial &polynomial) const;
  bool isAligned(const Polynomial &elements) const {
    return facts.divisorOf(elements) * (type.getElementTypeBitWidth() / 8) % kUnit == 0;
  }

  TileAccess access;
  RankedTensorType type;
  bool madeByKernel;
  BlockAddresses &addresses;
  const AxisInfoAnalysis &axes;
  PlanFacts facts;
  Polynomial rest; // of the address
  SmallVector<IndexBounds> bounds;
  SmallVector<Dimension> tile, others;
};
} // namespace

StringRef Planner::findBase() {
  std::optional<Polynomial> address = addresses.expand(access.pointers);
  if (!address)
    return "its addresses are not sums of products of indices";
  rest = *address;
  for (const auto &[product, coefficient] : address->terms())
    for (Symbol symbol : product) {
      Value value = addresses[symbol].value;
      if (!value || !isa<tt::PointerType>(value.getType()))
        continue;
      if (plan.base || product.size() != 1 || coefficient != 1 || !isKnown(symbol))
        return "its addresses do not start at one of the kernel's arguments";
      if (axes.get(value).divisibility(0) % kUnit)
        return "its pointer is not known to be a multiple of 16 bytes";
      plan.base = value;
      rest = rest - Polynomial::symbol(symbol);
    }
  return plan.base ? "" : "its addresses do not start at one of the kernel's arguments";
}

StringRef Planner::findStrides() {
  tile.resize(type.getRank());
  for (auto [dim, dimension] : llvm::enumerate(tile)) {
    dimension.tileDim = dim;
    for (Symbol symbol = 0; symbol < addresses.numSymbols(); ++symbol) {
      const AddressSymbol &s = addresses[symbol];
      bool isIndex = s.kind == Kind::Index || s.kind == Kind::Bounded;
      if (!isIndex || s.dim != dim || !rest.contains(symbol))
        continue;
      std::optional<Polynomial> stride = rest.coefficientOf(symbol);
      if (!stride || !addresses.isUniform(*stride) || !dimension.stride.isZero())
        return "its addresses are not linear in the indices";
      dimension.stride = *stride;
      rest = rest - *stride * Polynomial::symbol(symbol);
      if (s.kind != Kind::Bounded)
        continue;
      dimension.isBent = true;
      dimension.coordinate = s.start;
      dimension.extent = s.bound;
    }
    if (dimension.stride.isZero())
      return "its addresses are equal along a dimension";
    if (!isKnown(dimension.stride))
      return "a stride is not known at launch";
  }
  return "";
}

/// The part of a bound that is not known at launch belongs to the start of the dimension.
StringRef Planner::findStarts() {
  std::optional<SmallVector<IndexBounds>> found =
      findBounds(access.mask, type.getRank(), addresses);
  if (!found)
    return "its mask does not compare indices with bounds";
  bounds = std::move(*found);
  for (auto [dimension, bound] : llvm::zip_equal(tile, bounds)) {
    if (dimension.isBent) {
      if (bound.first)
        return "its mask is about indices that are changed beyond a bound";
      if (!bound.end)
        continue;
      // Where the mask has the same bound, the changed indices are those of masked elements.
      if (!(*bound.end == *dimension.extent - dimension.coordinate))
        return "its mask is about indices that are changed beyond another bound";
      dimension.isBent = false;
      continue;
    }
    if (bound.first && !bound.end)
      return "its mask has a lower bound only";
    if (madeByKernel && !bound.unsignedEnd)
      return "its mask is not that of a descriptor";
    if (!bound.end)
      continue;
    // The bound of an unsigned comparison is the extent as it is: extents are positive, because
    // launches with others take the kernel without maps.
    if (bound.unsignedEnd && !isKnown(*bound.unsignedEnd))
      return "its mask compares with a bound that might be negative";
    dimension.extent = bound.unsignedEnd
                           ? *bound.unsignedEnd
                           : bound.end->termsOf([&](Symbol symbol) { return isKnown(symbol); });
    dimension.coordinate = *dimension.extent - *bound.end;
    rest = rest - dimension.stride * dimension.coordinate;
    if (bound.first && !(*bound.first == Polynomial() - dimension.coordinate))
      return "its mask has a lower bound that is not the tensor's start";
  }
  return "";
}

/// Gives the terms of the address that are left to dimensions.
StringRef Planner::distribute() {
  if (madeByKernel)
    return rest.isZero() ? "" : "its addresses are not those of a descriptor";
  Polynomial left = rest;
  for (const auto &[product, coefficient] : left.terms()) {
    bool isOffset = llvm::all_of(product, [&](Symbol symbol) { return isKnown(symbol); });
    if (isOffset)
      plan.offset = plan.offset + Polynomial::term(product, coefficient);
    else if (StringRef reason = addTerm(product, coefficient); !reason.empty())
      return reason;
  }
  return isAligned(plan.offset) ? "" : "its tensor does not start at a multiple of 16 bytes";
}

StringRef Planner::addTerm(const Polynomial::Product &product, int64_t coefficient) {
  Dimension *contiguous = nullptr;
  for (Dimension &dimension : tile) {
    if (dimension.stride == Polynomial::constant(1)) {
      contiguous = &dimension;
      continue;
    }
    if (dimension.extent || dimension.stride.terms().size() != 1)
      continue;
    const auto &[divisor, by] = *dimension.stride.terms().begin();
    std::optional<Polynomial> part = divideTerm(product, coefficient, divisor, by);
    if (!part)
      continue;
    // Of head * rows * stride, where nobody says that `rows` is positive, `rows * stride` is the
    // stride of a dimension, which the launcher checks.
    if (coefficient > 0 && !facts.isNonNegative(*part) && facts.isNonNegative(varyingPart(product)))
      break;
    dimension.coordinate = dimension.coordinate + *part;
    return "";
  }
  bool hasKnown = llvm::any_of(product, [&](Symbol symbol) { return isKnown(symbol); });
  bool isFar = coefficient >= kFar;
  if (hasKnown || isFar || !contiguous || contiguous->extent)
    return addDimension(product, coefficient);
  contiguous->coordinate = contiguous->coordinate + Polynomial::term(product, coefficient);
  return "";
}

/// Returns the part of a product that is not known at launch.
Polynomial Planner::varyingPart(const Polynomial::Product &product) const {
  Polynomial::Product varying;
  llvm::copy_if(product, std::back_inserter(varying),
                [&](Symbol symbol) { return !isKnown(symbol); });
  return Polynomial::term(varying, 1);
}

/// Adds a dimension whose stride is the part of the product that is known at launch.
StringRef Planner::addDimension(const Polynomial::Product &product, int64_t coefficient) {
  Polynomial::Product known;
  llvm::copy_if(product, std::back_inserter(known), [&](Symbol symbol) { return isKnown(symbol); });
  Polynomial stride = Polynomial::term(known, coefficient);
  Polynomial coordinate = varyingPart(product);
  for (Dimension &other : others)
    if (other.stride == stride) {
      other.coordinate = other.coordinate + coordinate;
      return "";
    }
  others.push_back({std::nullopt, stride, std::nullopt, coordinate});
  return others.size() + tile.size() > kMaxTensorMapRank ? "it needs more than 5 dimensions" : "";
}

/// Returns whether 32 bits hold the scalar.
static bool isNarrow(Value value, unsigned depth = 0) {
  if (!value.getType().isInteger(64))
    return true;
  constexpr unsigned maxDepth = 8;
  Operation *op = value.getDefiningOp();
  if (!op || depth == maxDepth)
    return false;
  auto holds = [&](unsigned operand) { return isNarrow(op->getOperand(operand), depth + 1); };
  if (isa<arith::ExtSIOp, arith::DivSIOp>(op) ||
      (isa<tt::BitcastOp>(op) && op->getOperand(0).getType() == value.getType()))
    return holds(0);
  if (isa<arith::RemSIOp>(op))
    return holds(0) || holds(1);
  if (isa<arith::MinSIOp, arith::MaxSIOp>(op))
    return holds(0) && holds(1);
  return isa<arith::SelectOp>(op) && holds(1) && holds(2);
}

/// Returns whether each symbol is a number of 32 bits, as coordinates are: the tensor may be
/// larger.
bool Planner::isNarrow(const Polynomial &polynomial) const {
  return polynomial.allSymbols([&](Symbol symbol) {
    Value value = addresses[symbol].value;
    return !value || ::isNarrow(value);
  });
}

StringRef Planner::check() {
  bool hasContiguous = false;
  for (auto [index, dimension] : llvm::enumerate(plan.dims)) {
    bool isContiguous = dimension.stride == Polynomial::constant(1);
    if (!isContiguous && !isAligned(dimension.stride))
      return "a stride is not known to be a multiple of 16 bytes";
    // The copy of an address that is not a multiple of 16 bytes is an illegal instruction.
    if (isContiguous && !isAligned(dimension.coordinate))
      return "a start is not known to be a multiple of 16 bytes";
    if (dimension.extent && !isKnown(*dimension.extent))
      return "a bound is not known at launch";
    if (!isNarrow(dimension.coordinate))
      return "a start is a number of 64 bits";
    bool isChecked = dimension.tileDim && bounds[*dimension.tileDim].first;
    if (!isChecked && !facts.isNonNegative(dimension.coordinate))
      return "a start is not known to be positive or zero";
    hasContiguous = isContiguous;
  }
  return hasContiguous ? "" : "no dimension has a stride of 1";
}

StringRef Planner::run() {
  for (auto step :
       {&Planner::findBase, &Planner::findStrides, &Planner::findStarts, &Planner::distribute})
    if (StringRef reason = (this->*step)(); !reason.empty())
      return reason;
  plan.dims = std::move(others);
  // The dimension of stride 1 comes last.
  for (const Dimension &dimension : tile)
    if (!(dimension.stride == Polynomial::constant(1)))
      plan.dims.push_back(dimension);
  for (const Dimension &dimension : tile)
    if (dimension.stride == Polynomial::constant(1))
      plan.dims.push_back(dimension);
  return check();
}

std::optional<TensorMapPlan> nvidia::planTensorMap(const TileAccess &access, MapMaker maker,
                                                   BlockAddresses &addresses,
                                                   const AxisInfoAnalysis &axes,
                                                   StringRef &reason) {
  Planner planner(access, maker, addresses, axes);
  reason = planner.run();
  if (!reason.empty())
    return std::nullopt;
  return std::move(planner.plan);
}
