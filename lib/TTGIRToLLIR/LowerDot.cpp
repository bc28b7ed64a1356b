//===- LowerDot.cpp - products of matrices, by multiply-add ---------------===//
// tt.dot in any layout in which a thread holds all of K of its rows and columns,
// for every element type. A target's matrix unit takes what it can with patterns of
// its own (TargetInfo::populatePatterns); this is the rest.
//
//   d = tt.dot a, b, c     one thread, two columns, K = 2:
//     d0 = fma(a0, b0, c0)   d1 = fma(a0, b1, c1)
//     d0 = fma(a1, b2, d0)   d1 = fma(a1, b3, d1)
//
// K is the outer loop, so neighbouring instructions do not wait for each other.
// Sums of floats narrower than 32 bits are kept in f32 and rounded once.
//===----------------------------------------------------------------------===//
#include "Lowering.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/Layout/DotRegisters.h"

using namespace mlir;
using namespace tessera;

/// The type in which products are added up.
static Type accumulationType(Type result) {
  bool isNarrow = isa<FloatType>(result) && result.getIntOrFloatBitWidth() < 32;
  return isNarrow ? Float32Type::get(result.getContext()) : result;
}

/// Whether LLVM has this element type as such; fp8 has to be widened before.
static bool hasArithmetic(Type type) {
  return isa<IntegerType>(type) || LLVM::isCompatibleType(type);
}

static Value widen(OpBuilder &b, Location loc, Value value, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth(), to = type.getIntOrFloatBitWidth();
  if (from == to)
    return value;
  if (isa<IntegerType>(type))
    return LLVM::SExtOp::create(b, loc, type, value); // operands are signed
  return LLVM::FPExtOp::create(b, loc, type, value);
}

static Value multiplyAdd(OpBuilder &b, Location loc, Value x, Value y, Value sum) {
  if (isa<FloatType>(sum.getType()))
    return LLVM::FMAOp::create(b, loc, x, y, sum);
  return LLVM::AddOp::create(b, loc, LLVM::MulOp::create(b, loc, x, y), sum);
}

namespace {

struct DotLowering : Lowering<tt::DotOp> {
  using Lowering::Lowering;

  LogicalResult matchAndRewrite(tt::DotOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    auto aType = cast<RankedTensorType>(op.getA().getType());
    auto bType = cast<RankedTensorType>(op.getB().getType());
    auto dType = cast<RankedTensorType>(op.getType());
    Type element = dType.getElementType(), sumType = accumulationType(element);
    for (Type type : {aType.getElementType(), bType.getElementType(), element})
      if (!hasArithmetic(type) || type.getIntOrFloatBitWidth() > sumType.getIntOrFloatBitWidth() ||
          isa<FloatType>(type) != isa<FloatType>(sumType))
        return emitUnsupported(op) << "product of " << aType.getElementType() << " and "
                                   << bType.getElementType() << " in " << element;
    std::optional<FmaPlan> plan =
        planFma(ttg::toLinearLayout(aType), ttg::toLinearLayout(bType), ttg::toLinearLayout(dType));
    if (!plan)
      return op.emitOpError("operand layouts do not give each thread the rows and columns of its "
                            "results");

    Location loc = op.getLoc();
    auto widenAll = [&](ValueRange values) {
      SmallVector<Value> wide(values);
      for (Value &value : wide)
        value = widen(b, loc, value, sumType);
      return wide;
    };
    SmallVector<Value> left = widenAll(operands.getA()), right = widenAll(operands.getB());
    SmallVector<Value> sums;
    for (unsigned reg : plan->results)
      sums.push_back(widen(b, loc, operands.getC()[reg], sumType));
    for (unsigned k = 0; k < plan->inner; ++k)
      for (auto [i, sum] : llvm::enumerate(sums)) {
        unsigned at = i * plan->inner + k;
        sum = multiplyAdd(b, loc, left[plan->a[at]], right[plan->b[at]], sum);
      }
    if (element != sumType)
      for (Value &sum : sums)
        sum = LLVM::FPTruncOp::create(b, loc, element, sum);
    SmallVector<Value> results;
    for (unsigned holder : plan->holder)
      results.push_back(sums[holder]);
    return replaceWith(b, op, results);
  }
};

} // namespace

void tessera::populateDotPatterns(RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                                  const TargetInfo &target) {
  patterns.add<DotLowering>(types, target);
}
