//===- ReduceDivisions.cpp - divide by loop-invariant values by multiplication -===//
// Kernels compute positions in images by dividing by sizes that are arguments, for every element of
// a tile in every iteration. GPUs have no division instruction and execute thirteen dependent
// instructions. If the divisor is loop-invariant, five instructions are enough:
//
//   before: loop:                       after:  m, s from d, once
//             %q = sdiv i32 %n, %d                loop:
//             %r = srem i32 %n, %d                  %h = the upper half of %n * m, plus %n
//                                                   %q = ((%h >> s) + (%n < 0)) * sign of d
//                                                   %r = %n - %q * %d
//
// Let a = |d|, 2^(l-1) < a <= 2^l, but l = 1 for a = 1, and M = floor(2^(31+l) / a) + 1. Then
// M * a = 2^(31+l) + e with 0 < e <= 2^l. For |n| <= 2^31, n * M / 2^(31+l) is therefore further
// from zero than n / a, by more than 0 and at most 1 / a, and by less than 1 / a for n < 2^31. So
// it does not reach the next integer: rounded down it is the quotient for n >= 0, and the quotient
// minus one for n < 0. M has 33 bits; m = M - 2^32 fits into 32 bits with its sign. n * M / 2^32 is
// n * m / 2^32 + n, and s = l - 1. (Granlund and Montgomery, Division by Invariant Integers using
// Multiplication, 1994.)
//
// GPUs divide 64 bits by calling a function of seventy instructions, so that 2^(31+l) / a is
// computed by an approximate reciprocal of fp32: r < 1 / a < r * (1 + 2^-19). The quotient x =
// floor(r * 2^(31+l)) is too small by at most 2^13; adding floor(r * rest) of the rest 2^(31+l) - x
// * a leaves at most one. The rests are exact.
//
// Division by zero is undefined in LLVM, but the reciprocal must not be computed by a division by
// zero in front of a branch that avoids it: for a divisor of zero, the reciprocal of one is used.
//
// Cost: linear in the instructions.
//===----------------------------------------------------------------------===//
#include "ReduceDivisions.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace {
/// The loop-invariant values that a division by one divisor uses.
struct Reciprocal {
  Value *multiplier; // m above
  Value *shift;      // s above
  Value *sign;       // 1 or -1
};

/// Replaces the divisions by one divisor, block by block.
class Division {
public:
  Division(Value *divisor, BasicBlock::iterator place, const DebugLoc &location);
  void replace(BinaryOperator &division);

private:
  Value *buildQuotient(IRBuilder<> &builder, Value *dividend) const;

  Value *divisor;
  Reciprocal reciprocal;
  /// The quotients computed so far: a quotient and a remainder of one dividend often occur
  /// together.
  DenseMap<std::pair<BasicBlock *, Value *>, Value *> quotients;
};
} // namespace

/// A reciprocal costs as much as two or three divisions, so a few divisions in a loop do not pay
/// for it in the first iterations.
constexpr unsigned kFewestDivisions = 4;
constexpr StringLiteral kPass = "llir-reduce-divisions", kDecision = "reciprocal";

/// Returns floor(2^exponent / divisor) modulo 2^32, for 0 < divisor <= 2^31 and the exponent with
/// which the quotient has 32 bits; or, for a divisor of one, 33.
static Value *buildReciprocal(IRBuilder<> &builder, Value *exponent, Value *divisor) {
  Type *wide = builder.getInt64Ty(), *narrow = builder.getInt32Ty(), *real = builder.getFloatTy();
  auto widen = [&](Value *value) { return builder.CreateZExt(value, wide); };
  auto fp32 = [&](double value) { return ConstantFP::get(real, value); };
  // At most 2^-22 off by the conversion, the reciprocal and the product (PTX ISA, rcp.approx.f32;
  // v_rcp_f32 is as good), 2^-20 less makes it smaller than 1 / divisor.
  FastMathFlags approximate;
  approximate.setApproxFunc();
  Value *inverse = builder.CreateFDivFMF(fp32(1), builder.CreateUIToFP(divisor, real), approximate);
  Value *lower = builder.CreateFMul(inverse, fp32(1 - 0x1p-20));
  constexpr unsigned bias = 127, fractionBits = 23;
  Value *power = builder.CreateBitCast(
      builder.CreateShl(builder.CreateAdd(exponent, builder.getInt32(bias)), fractionBits), real);
  Value *first = builder.CreateFPToUI(builder.CreateFMul(lower, power), narrow);
  Value *rest = builder.CreateSub(builder.CreateShl(builder.getInt64(1), widen(exponent)),
                                  builder.CreateMul(widen(first), widen(divisor)));
  Value *second =
      builder.CreateFPToUI(builder.CreateFMul(builder.CreateUIToFP(rest, real), lower), narrow);
  Value *last = builder.CreateSub(rest, builder.CreateMul(widen(second), widen(divisor)));
  Value *isTooSmall = builder.CreateICmpUGE(last, widen(divisor));
  return builder.CreateAdd(builder.CreateAdd(first, second),
                           builder.CreateZExt(isTooSmall, narrow));
}

Division::Division(Value *divisor, BasicBlock::iterator place, const DebugLoc &location)
    : divisor(divisor) {
  IRBuilder<> builder(&*place);
  builder.SetCurrentDebugLocation(location);
  auto atLeast = [&](Value *value, unsigned least) {
    return builder.CreateBinaryIntrinsic(Intrinsic::umax, value, builder.getInt32(least));
  };
  Value *magnitude = builder.CreateBinaryIntrinsic(Intrinsic::abs, divisor, builder.getFalse());
  Value *below = builder.CreateSub(atLeast(magnitude, 2), builder.getInt32(1));
  Value *zeros = builder.CreateBinaryIntrinsic(Intrinsic::ctlz, below, builder.getFalse());
  Value *exponent = builder.CreateSub(builder.getInt32(63), zeros);
  Value *quotient = buildReciprocal(builder, exponent, atLeast(magnitude, 1));
  Value *multiplier = builder.CreateAdd(quotient, builder.getInt32(1));
  reciprocal = {multiplier, builder.CreateSub(builder.getInt32(31), zeros),
                builder.CreateOr(builder.CreateAShr(divisor, 31), builder.getInt32(1))};
}

Value *Division::buildQuotient(IRBuilder<> &builder, Value *dividend) const {
  Type *wide = builder.getInt64Ty(), *narrow = builder.getInt32Ty();
  // Both operands are extended next to the product; otherwise the code generator emits a 64-bit
  // product.
  Value *product = builder.CreateMul(builder.CreateSExt(dividend, wide),
                                     builder.CreateSExt(reciprocal.multiplier, wide));
  Value *upper = builder.CreateTrunc(builder.CreateLShr(product, 32), narrow);
  Value *floor = builder.CreateAShr(builder.CreateAdd(upper, dividend), reciprocal.shift);
  Value *quotient = builder.CreateAdd(floor, builder.CreateLShr(dividend, 31));
  return builder.CreateMul(quotient, reciprocal.sign);
}

void Division::replace(BinaryOperator &division) {
  IRBuilder<> builder(&division);
  Value *dividend = division.getOperand(0);
  Value *&quotient = quotients[{division.getParent(), dividend}];
  if (!quotient)
    quotient = buildQuotient(builder, dividend);
  Value *result = quotient;
  if (division.getOpcode() == Instruction::SRem)
    result = builder.CreateSub(dividend, builder.CreateMul(quotient, divisor));
  division.replaceAllUsesWith(result);
  division.eraseFromParent();
}

/// Returns whether the instruction is a 32-bit division in a loop in which the divisor is
/// invariant.
static bool isRepeated(const Instruction &instruction, const LoopInfo &loops) {
  unsigned opcode = instruction.getOpcode();
  if ((opcode != Instruction::SDiv && opcode != Instruction::SRem) ||
      !instruction.getType()->isIntegerTy(32) || isa<Constant>(instruction.getOperand(1)))
    return false;
  const Loop *loop = loops.getLoopFor(instruction.getParent());
  return loop && loop->isLoopInvariant(instruction.getOperand(1));
}

/// Returns the insertion point right after the definition of `value`; nothing if there is none.
static std::optional<BasicBlock::iterator> placeBehind(Value *value, Function &function) {
  if (auto *instruction = dyn_cast<Instruction>(value))
    return instruction->getInsertionPointAfterDef();
  return function.getEntryBlock().getFirstInsertionPt();
}

PreservedAnalyses tessera::ReduceDivisionsPass::run(Function &function,
                                                    FunctionAnalysisManager &analyses) {
  if (analyses.getResult<TargetIRAnalysis>(function).hasDivRemOp(
          Type::getInt32Ty(function.getContext()), /*IsSigned=*/true))
    return PreservedAnalyses::all();
  const LoopInfo &loops = analyses.getResult<LoopAnalysis>(function);
  MapVector<Value *, SmallVector<BinaryOperator *, 16>> byDivisor;
  for (Instruction &instruction : instructions(function))
    if (isRepeated(instruction, loops))
      byDivisor[instruction.getOperand(1)].push_back(cast<BinaryOperator>(&instruction));

  bool changed = false;
  for (auto &[found, divisions] : byDivisor) {
    // The divisor is read from the instruction and not from `found`, because it may be a quotient
    // that was replaced.
    Value *divisor = divisions.front()->getOperand(1);
    std::optional<BasicBlock::iterator> place = placeBehind(divisor, function);
    if (divisions.size() < kFewestDivisions || !place) {
      remarks.declined(*divisions.front(), kPass, kDecision)
          .says("the loop divides by this divisor")
          .because("a reciprocal pays for {0} divisions, and there are {1}", kFewestDivisions,
                   divisions.size())
          .number("divisions", divisions.size());
      continue;
    }
    remarks.decided(*divisions.front(), kPass, kDecision)
        .says("{0} divisions of a loop become multiplications", divisions.size())
        .because("they have the same loop-invariant divisor")
        .number("divisions", divisions.size());
    Division replacement(divisor, *place, divisions.front()->getDebugLoc());
    for (BinaryOperator *division : divisions)
      replacement.replace(*division);
    changed = true;
  }
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
