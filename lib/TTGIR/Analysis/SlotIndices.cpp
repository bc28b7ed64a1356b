//===- SlotIndices.cpp - what an index into several buffers is ------------===//
#include "tessera/TTGIR/Analysis/SlotIndices.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/Support/MathExtras.h"
#include <optional>

using namespace mlir;
using namespace tessera;

namespace {
/// The value (base + add) modulo `modulus`, or just base + add if that is 0.
struct Remainder {
  Value base;
  int64_t add = 0;
  uint32_t modulus = 0;
  /// Computed by one comparison, as `x == modulus ? 0 : x`, which requires 0 <= x <= modulus.
  bool byComparison = false;
};
} // namespace

static std::optional<int64_t> constantOf(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)) || constant.getSignificantBits() > 32)
    return std::nullopt;
  return constant.getSExtValue();
}

/// Matches base + add.
static Remainder sumOf(Value value) {
  Remainder sum{value};
  while (auto addition = sum.base.getDefiningOp<arith::AddIOp>()) {
    std::optional<int64_t> right = constantOf(addition.getRhs());
    std::optional<int64_t> left = constantOf(addition.getLhs());
    if (!right && !left)
      break;
    sum.base = right ? addition.getLhs() : addition.getRhs();
    sum.add += right ? *right : *left;
  }
  return sum;
}

/// Matches `compare ? whenTrue : whenFalse` if one of them is 0, chosen from `modulus` on.
static std::optional<Remainder> wrapOf(arith::SelectOp select) {
  auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return std::nullopt;
  std::optional<int64_t> limit = constantOf(compare.getRhs());
  if (!limit)
    return std::nullopt;
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = compare.getPredicate();
  if (predicate == Predicate::sgt || predicate == Predicate::ugt) {
    predicate = Predicate::sge;
    ++*limit;
  } else if (predicate == Predicate::sle || predicate == Predicate::ule) {
    predicate = Predicate::slt;
    ++*limit;
  }
  bool wrapsWhenTrue =
      predicate == Predicate::sge || predicate == Predicate::uge || predicate == Predicate::eq;
  Value zero = wrapsWhenTrue ? select.getTrueValue() : select.getFalseValue();
  Value next = wrapsWhenTrue ? select.getFalseValue() : select.getTrueValue();
  if (constantOf(zero) != 0)
    return std::nullopt;
  // `n >= 3 ? 0 : n` with n = i + 1, or `i >= 2 ? 0 : i + 1`.
  Remainder sum = sumOf(next), compared = sumOf(compare.getLhs());
  int64_t modulus = *limit + sum.add - compared.add;
  if (compared.base != sum.base || modulus < 2 || modulus > INT32_MAX)
    return std::nullopt;
  return Remainder{sum.base, sum.add, uint32_t(modulus), true};
}

static Remainder remainderOf(Value value) {
  Remainder unknown{value};
  auto modulo = [&](Value dividend, std::optional<int64_t> modulus) {
    if (!modulus || *modulus < 2 || *modulus > INT32_MAX)
      return unknown;
    Remainder result = sumOf(dividend);
    result.modulus = *modulus;
    return result;
  };
  if (auto op = value.getDefiningOp<arith::RemSIOp>())
    return modulo(op.getLhs(), constantOf(op.getRhs()));
  if (auto op = value.getDefiningOp<arith::RemUIOp>())
    return modulo(op.getLhs(), constantOf(op.getRhs()));
  if (auto op = value.getDefiningOp<arith::AndIOp>()) {
    std::optional<int64_t> mask = constantOf(op.getRhs());
    if (mask && *mask > 0 && llvm::isPowerOf2_64(*mask + 1))
      return modulo(op.getLhs(), *mask + 1);
    return unknown;
  }
  if (auto op = value.getDefiningOp<arith::SelectOp>())
    return wrapOf(op).value_or(unknown);
  return unknown;
}

/// Returns the value that the branch at the end of `block` passes for `argument`, if it is always
/// the same.
static Value passedBy(Block *block, BlockArgument argument) {
  auto branch = dyn_cast<BranchOpInterface>(block->getTerminator());
  Value passed;
  for (auto [index, successor] : llvm::enumerate(block->getSuccessors())) {
    if (successor != argument.getOwner())
      continue;
    if (!branch)
      return {};
    Value value = branch.getSuccessorOperands(index)[argument.getArgNumber()];
    if (!value || (passed && passed != value))
      return {};
    passed = value;
  }
  return passed;
}

/// Returns the slot (argument + add) modulo `modulus` of a counter.
SharedSlot SlotIndices::counterAt(BlockArgument argument, int64_t add, uint32_t modulus,
                                  bool byComparison) const {
  Block *header = argument.getOwner();
  CFGLoop *loop = loops ? loops->getLoopFor(header) : nullptr;
  if (!loop || loop->getHeader() != header)
    return {};
  std::optional<int64_t> start;
  std::optional<bool> isWrapped; // whether each iteration wraps it around, or it keeps counting
  bool mustStayBelow = byComparison;
  for (Block *predecessor : header->getPredecessors()) {
    Value passed = passedBy(predecessor, argument);
    if (!passed)
      return {};
    if (loop->contains(predecessor)) {
      Remainder next = remainderOf(passed);
      if (next.modulus == 0)
        next = sumOf(passed);
      bool wraps = next.modulus != 0;
      if (next.base != argument || next.add != 1 || (wraps && next.modulus != modulus) ||
          isWrapped.value_or(wraps) != wraps)
        return {};
      isWrapped = wraps;
      mustStayBelow |= next.byComparison;
      continue;
    }
    std::optional<int64_t> constant = constantOf(passed);
    if (!constant || start.value_or(*constant) != *constant)
      return {};
    start = constant;
  }
  if (!start || !isWrapped || *start + add < 0 || (byComparison && (add != 1 || !*isWrapped)))
    return {};
  if (mustStayBelow && (*start < -1 || *start >= modulus))
    return {};
  return SharedSlot::counter(number.lookup(header), modulus, *start + add);
}

SharedSlot SlotIndices::slotOf(Value index) const {
  if (std::optional<int64_t> constant = constantOf(index))
    return SharedSlot::constant(*constant);
  Remainder remainder = remainderOf(index);
  if (auto argument = dyn_cast<BlockArgument>(remainder.base)) {
    if (remainder.modulus != 0)
      return counterAt(argument, remainder.add, remainder.modulus, remainder.byComparison);
    // The counter itself, which its own loop wraps around.
    for (Block *predecessor : argument.getOwner()->getPredecessors())
      if (Value passed = passedBy(predecessor, argument))
        if (uint32_t modulus = remainderOf(passed).modulus)
          return counterAt(argument, 0, modulus, false);
  }
  return {};
}
