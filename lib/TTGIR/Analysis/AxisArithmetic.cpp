//===- AxisArithmetic.cpp - axis information of integer arithmetic --------===//
// One function per family of ops. Each derives a claim per dimension; the reasons:
//
//   sum         a run of one side plus a constant stretch of the other is a run
//   quotient    x = g*m + j with 0 <= j < g, divided by a multiple of g, does not
//               depend on j: runs become constant stretches (x >= 0, or floor)
//   remainder   and x mod (a multiple of g) keeps the +j: runs stay runs
//   x < y       likewise does not depend on j if both are multiples of g; for any
//               constant y, once it is false for some j it stays false
//   bits        g | x and g | y: the bits of j are disjoint from those of y
//
// where g is an alignedRun of x, so that nothing overflows inside it. Divisibility always refers to
// the starts of the result's runs (divisorAt).
//===----------------------------------------------------------------------===//
#include "AxisNumbers.h"
#include "AxisRules.h"
#include "ConstantFold.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>

using namespace mlir;
using namespace tessera;

namespace {
/// The two operands of a binary op along one dimension, as rules see them.
struct Sides {
  Axis lhs, rhs;
};
} // namespace

/// Applies `rule` to each dimension.
template <typename Rule>
static AxisInfo perDimension(const AxisInfo &lhs, const AxisInfo &rhs, Rule rule) {
  SmallVector<Axis, 3> axes;
  for (unsigned d = 0; d < std::min(lhs.rank(), rhs.rank()); ++d)
    axes.push_back(rule(Sides{lhs.axis(d), rhs.axis(d)}));
  return AxisInfo(std::move(axes));
}

static int64_t bothConstant(const Sides &s) { return std::min(s.lhs.constancy, s.rhs.constancy); }

/// Returns the length of the stretches on which `moving` is a run that starts at a multiple of this
/// length, while `still` is constant at a multiple of it.
static int64_t runOver(const Axis &moving, const Axis &still) {
  return std::min({moving.contiguity, moving.divisibility, still.constancy, divisorAt(still, 1)});
}

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

AxisInfo tessera::sumAxisInfo(const AxisInfo &lhs, const AxisInfo &rhs, int64_t scale) {
  return perDimension(lhs, rhs, [&](const Sides &s) {
    int64_t run = std::max(std::min(s.lhs.contiguity, s.rhs.constancy),
                           std::min(s.lhs.constancy, s.rhs.contiguity));
    int64_t right = saturatingProduct(divisorAt(s.rhs, run), powerOfTwoIn(scale));
    return Axis{.contiguity = run,
                .divisibility = std::min(divisorAt(s.lhs, run, scale), right),
                .constancy = bothConstant(s)};
  });
}

static AxisInfo difference(const AxisInfo &lhs, const AxisInfo &rhs) {
  return perDimension(lhs, rhs, [](const Sides &s) {
    int64_t run = std::min(s.lhs.contiguity, s.rhs.constancy);
    return Axis{.contiguity = run,
                .divisibility = std::min(divisorAt(s.lhs, run), divisorAt(s.rhs, run)),
                .constancy = bothConstant(s)};
  });
}

static AxisInfo product(const AxisInfo &lhs, const AxisInfo &rhs, Type type) {
  if (lhs.isConstant(0) || rhs.isConstant(0))
    return AxisInfo::ofConstant(0, type);
  if (rhs.isConstant(1))
    return lhs;
  if (lhs.isConstant(1))
    return rhs;
  return perDimension(lhs, rhs, [](const Sides &s) {
    return Axis{.contiguity = 1,
                .divisibility = saturatingProduct(divisorAt(s.lhs, 1), divisorAt(s.rhs, 1)),
                .constancy = bothConstant(s)};
  });
}

//===----------------------------------------------------------------------===//
// Quotients, remainders, shifts
//===----------------------------------------------------------------------===//

/// `roundsDown`: the quotient of these operands is rounded down.
static AxisInfo quotient(const AxisInfo &lhs, const AxisInfo &rhs, bool roundsDown, bool isUnsigned,
                         unsigned bits) {
  if (rhs.isConstant(1))
    return lhs;
  // Dividing by a power of two that divides the operand is exact.
  std::optional<int64_t> exact;
  if (std::optional<int64_t> divisor = rhs.constant()) {
    uint64_t magnitude = isUnsigned || *divisor >= 0 ? uint64_t(*divisor) : -uint64_t(*divisor);
    if (isUnsigned && bits < 64)
      magnitude &= (uint64_t(1) << bits) - 1;
    if (std::has_single_bit(magnitude))
      exact = std::countr_zero(magnitude);
  }
  return perDimension(lhs, rhs, [&](const Sides &s) {
    int64_t constancy = bothConstant(s);
    if (roundsDown)
      constancy = std::max(constancy, runOver(s.lhs, s.rhs));
    int64_t divisibility = exact ? std::max<int64_t>(1, divisorAt(s.lhs, 1) >> *exact) : 1;
    return Axis{.contiguity = 1, .divisibility = divisibility, .constancy = constancy};
  });
}

/// `keepsRuns`: on these operands the remainder goes through the divisor's residues in order.
static AxisInfo remainder(const AxisInfo &lhs, const AxisInfo &rhs, bool keepsRuns, Type type) {
  if (rhs.isConstant(1))
    return AxisInfo::ofConstant(0, type);
  return perDimension(lhs, rhs, [&](const Sides &s) {
    int64_t run = keepsRuns ? runOver(s.lhs, s.rhs) : 1;
    // lhs - q * rhs, for any q.
    return Axis{.contiguity = run,
                .divisibility = std::min(divisorAt(s.lhs, run), divisorAt(s.rhs, run)),
                .constancy = bothConstant(s)};
  });
}

/// Returns the number of bits to shift by, if it is known and not too large.
static std::optional<unsigned> shiftPlaces(const AxisInfo &rhs, unsigned bits) {
  if (!rhs.constant() || *rhs.constant() < 0 || *rhs.constant() >= bits)
    return std::nullopt;
  return *rhs.constant();
}

static AxisInfo shiftLeft(const AxisInfo &lhs, const AxisInfo &rhs, unsigned bits) {
  std::optional<unsigned> places = shiftPlaces(rhs, bits);
  if (places == 0u)
    return lhs;
  int64_t factor = twoTo(places.value_or(0));
  return perDimension(lhs, rhs, [&](const Sides &s) {
    return Axis{.contiguity = 1,
                .divisibility = saturatingProduct(divisorAt(s.lhs, 1), factor),
                .constancy = bothConstant(s)};
  });
}

/// Both right shifts round down, so the sign does not matter.
static AxisInfo shiftRight(const AxisInfo &lhs, const AxisInfo &rhs, unsigned bits) {
  std::optional<unsigned> places = shiftPlaces(rhs, bits);
  if (places == 0u)
    return lhs;
  return perDimension(lhs, rhs, [&](const Sides &s) {
    Axis axis{.contiguity = 1, .divisibility = 1, .constancy = bothConstant(s)};
    if (!places)
      return axis;
    int64_t step = twoTo(*places);
    axis.divisibility = std::max<int64_t>(1, divisorAt(s.lhs, 1) / step);
    axis.constancy =
        std::max(axis.constancy, std::min({s.lhs.contiguity, s.lhs.divisibility, step}));
    return axis;
  });
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

/// Returns 2^n if the lowest n bits of a known constant are ones.
static int64_t lowOnes(const AxisInfo &info) {
  if (!info.constant())
    return 1;
  return twoTo(std::countr_one(static_cast<uint64_t>(*info.constant())));
}

static AxisInfo conjunction(const AxisInfo &lhs, const AxisInfo &rhs, Type type) {
  if (lhs.isConstant(0) || rhs.isConstant(0))
    return AxisInfo::ofConstant(0, type);
  if (rhs.isConstant(-1))
    return lhs;
  if (lhs.isConstant(-1))
    return rhs;
  int64_t leftOnes = lowOnes(lhs), rightOnes = lowOnes(rhs);
  return perDimension(lhs, rhs, [&](const Sides &s) {
    // x & 0b..0111 keeps runs of 8; x & 0b..1000 is constant on them.
    int64_t run = std::max(std::min({s.lhs.contiguity, s.lhs.divisibility, rightOnes}),
                           std::min({s.rhs.contiguity, s.rhs.divisibility, leftOnes}));
    return Axis{.contiguity = run,
                .divisibility = std::max(divisorAt(s.lhs, run), divisorAt(s.rhs, run)),
                .constancy =
                    std::max({bothConstant(s), runOver(s.lhs, s.rhs), runOver(s.rhs, s.lhs)}),
                .prefix = std::min(s.lhs.longestPrefix(), s.rhs.longestPrefix())};
  });
}

/// Returns the length of runs of `moving`, without overflow, on which `still` is constant.
static int64_t runBeside(const Axis &moving, const Axis &still) {
  return std::min({moving.contiguity, moving.divisibility, still.constancy});
}

/// or, xor: with disjoint low bits both are a sum.
static AxisInfo disjunction(const AxisInfo &lhs, const AxisInfo &rhs) {
  return perDimension(lhs, rhs, [](const Sides &s) {
    int64_t run = std::max(runOver(s.lhs, s.rhs), runOver(s.rhs, s.lhs));
    return Axis{.contiguity = run,
                .divisibility = std::min(divisorAt(s.lhs, run), divisorAt(s.rhs, run)),
                .constancy = bothConstant(s)};
  });
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

static AxisInfo comparison(const AxisInfo &lhs, const AxisInfo &rhs,
                           arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  bool leftMayRun = llvm::is_contained({P::slt, P::sge, P::ult, P::uge}, predicate);
  bool rightMayRun = llvm::is_contained({P::sgt, P::sle, P::ugt, P::ule}, predicate);
  bool isLess = llvm::is_contained({P::slt, P::sle, P::ult, P::ule}, predicate);
  bool isMore = llvm::is_contained({P::sgt, P::sge, P::ugt, P::uge}, predicate);
  return perDimension(lhs, rhs, [&](const Sides &s) {
    int64_t constancy = bothConstant(s);
    if (leftMayRun)
      constancy = std::max(constancy, runOver(s.lhs, s.rhs));
    if (rightMayRun)
      constancy = std::max(constancy, runOver(s.rhs, s.lhs));
    int64_t prefix = isLess ? runBeside(s.lhs, s.rhs) : isMore ? runBeside(s.rhs, s.lhs) : 1;
    return Axis{.contiguity = 1, .divisibility = 1, .constancy = constancy, .prefix = prefix};
  });
}

/// Minimum and maximum: runs on both sides keep their distance. As unsigned numbers, a run may go
/// from the largest number to zero; an aligned one does not.
static AxisInfo extremum(const AxisInfo &lhs, const AxisInfo &rhs, bool isUnsigned) {
  return perDimension(lhs, rhs, [&](const Sides &s) {
    int64_t run = std::min(s.lhs.contiguity, s.rhs.contiguity);
    if (isUnsigned)
      run = std::min({run, s.lhs.divisibility, s.rhs.divisibility});
    return Axis{.contiguity = run,
                .divisibility = std::min(divisorAt(s.lhs, run), divisorAt(s.rhs, run)),
                .constancy = bothConstant(s)};
  });
}

/// The choice is constant on stretches of the condition's constancy, or everywhere if it is a
/// scalar.
AxisInfo tessera::selectAxisInfo(arith::SelectOp op, const AxisInfo &condition, const AxisInfo &yes,
                                 const AxisInfo &no) {
  if (condition.constant())
    return *condition.constant() != 0 ? yes : no;
  // Poison may be replaced by the other operand.
  if (yes.isPoison() || no.isPoison())
    return yes.isPoison() ? no : yes;
  if (condition.isPoison())
    return AxisInfo::poison();
  if (yes.constant() && yes.constant() == no.constant())
    return yes;
  bool isWhole = !isa<ShapedType>(op.getCondition().getType());
  int64_t unit = pointerUnit(op.getType()).value_or(1);
  SmallVector<Axis, 3> axes;
  for (unsigned d = 0; d < yes.rank(); ++d) {
    const Axis &a = yes.axis(d), &b = no.axis(d);
    int64_t alike = isWhole ? AxisInfo::unlimited : condition.constancy(d);
    int64_t run = std::min({a.contiguity, b.contiguity, alike});
    axes.push_back({.contiguity = run,
                    .divisibility = std::min(divisorAt(a, run, unit), divisorAt(b, run, unit)),
                    .constancy = std::min({a.constancy, b.constancy, alike})});
  }
  AxisInfo result(std::move(axes));
  result.setNonNegative(yes.isNonNegative() && no.isNonNegative());
  return result;
}

//===----------------------------------------------------------------------===//
// Integer arithmetic
//===----------------------------------------------------------------------===//

/// Returns whether `op` divides all its elements by one unknown number.
static bool dividesByOneNumber(Operation *op, const AxisInfo &rhs) {
  SmallVector<int64_t> sizes = axisSizes(op->getOperand(1).getType());
  return !rhs.constant() && llvm::all_of(llvm::enumerate(sizes), [&](auto dim) {
    return rhs.constancy(dim.index()) >= dim.value();
  });
}

/// Returns whether the result cannot be negative, if both operands are not.
static bool staysNonNegative(Operation *op, const AxisInfo &lhs, const AxisInfo &rhs,
                             const AxisInfoOptions &options) {
  bool left = lhs.isNonNegative(), right = rhs.isNonNegative();
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<arith::AddIOp, arith::MulIOp>(
          [&](auto) { return left && right && options.assumeNoSignedOverflow; })
      .Case<arith::ShLIOp>([&](auto) { return left && options.assumeNoSignedOverflow; })
      .Case<arith::DivSIOp, arith::FloorDivSIOp>([&](auto) {
        return left && (right || (options.assumePositiveDivisors && dividesByOneNumber(op, rhs)));
      })
      .Case<arith::OrIOp, arith::XOrIOp, arith::MinSIOp, arith::MaxUIOp>(
          [&](auto) { return left && right; })
      .Case<arith::AndIOp, arith::MaxSIOp, arith::MinUIOp, arith::RemUIOp>(
          [&](auto) { return left || right; })
      .Case<arith::RemSIOp, arith::DivUIOp, arith::ShRSIOp>([&](auto) { return left; })
      .Case<arith::ShRUIOp>([&](auto) { return left || (rhs.constant() && *rhs.constant() > 0); })
      .Default(false);
}

/// Returns the result of the rule for a binary integer op; nothing if there is no rule for it.
static std::optional<AxisInfo> integerRule(Operation *op, const AxisInfo &lhs,
                                           const AxisInfo &rhs) {
  Type type = op->getResult(0).getType();
  unsigned bits = integerBits(type);
  return llvm::TypeSwitch<Operation *, std::optional<AxisInfo>>(op)
      .Case<arith::AddIOp>([&](auto) { return sumAxisInfo(lhs, rhs, 1); })
      .Case<arith::SubIOp>([&](auto) { return difference(lhs, rhs); })
      .Case<arith::MulIOp>([&](auto) { return product(lhs, rhs, type); })
      // Division truncates, which is rounding down for operands that are not negative.
      .Case<arith::DivSIOp>(
          [&](auto) { return quotient(lhs, rhs, lhs.isNonNegative(), false, bits); })
      .Case<arith::DivUIOp>([&](auto) { return quotient(lhs, rhs, true, true, bits); })
      .Case<arith::FloorDivSIOp>(
          [&](auto) { return quotient(lhs, rhs, rhs.isNonNegative(), false, bits); })
      .Case<arith::RemSIOp>([&](auto) { return remainder(lhs, rhs, lhs.isNonNegative(), type); })
      .Case<arith::RemUIOp>([&](auto) { return remainder(lhs, rhs, true, type); })
      .Case<arith::ShLIOp>([&](auto) { return shiftLeft(lhs, rhs, bits); })
      .Case<arith::ShRSIOp, arith::ShRUIOp>([&](auto) { return shiftRight(lhs, rhs, bits); })
      .Case<arith::AndIOp>([&](auto) { return conjunction(lhs, rhs, type); })
      .Case<arith::OrIOp, arith::XOrIOp>([&](auto) { return disjunction(lhs, rhs); })
      .Case<arith::MinSIOp, arith::MaxSIOp>([&](auto) { return extremum(lhs, rhs, false); })
      .Case<arith::MinUIOp, arith::MaxUIOp>([&](auto) { return extremum(lhs, rhs, true); })
      .Case<arith::CmpIOp>(
          [&](arith::CmpIOp cmp) { return comparison(lhs, rhs, cmp.getPredicate()); })
      .Default(std::nullopt);
}

std::optional<AxisInfo> tessera::integerAxisInfo(Operation *op, ArrayRef<AxisInfo> operands,
                                                 const AxisInfoOptions &options) {
  if (op->getNumOperands() != 2 || op->getNumResults() != 1)
    return std::nullopt;
  const AxisInfo &lhs = operands[0], &rhs = operands[1];
  std::optional<AxisInfo> result = integerRule(op, lhs, rhs);
  if (!result)
    return std::nullopt;
  Type type = op->getResult(0).getType();
  if (lhs.constant() && rhs.constant())
    if (std::optional<int64_t> folded = foldInteger(op, *lhs.constant(), *rhs.constant(),
                                                    integerBits(op->getOperand(0).getType())))
      return AxisInfo::ofConstant(*folded, type);
  if (!result->constant())
    result->setNonNegative(staysNonNegative(op, lhs, rhs, options));
  return result;
}
