//===- LowerDot.cpp - products of matrices, by multiply-add ---------------===//
// tt.dot, and ttg.fp4_to_fp, which unpacks operands of scaled products.
//
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
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Layout/DotRegisters.h"
#include <cmath>

using namespace mlir;
using namespace tessera;

/// The type in which products are added up.
static Type accumulationType(Type result) {
  bool isNarrow = isa<FloatType>(result) && result.getIntOrFloatBitWidth() < 32;
  return isNarrow ? Float32Type::get(result.getContext()) : result;
}

/// Returns whether LLVM has arithmetic of this element type; fp8 must be widened first.
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

/// Two floats from each byte: e2m1 has a sign, two bits of exponent and one of fraction.
/// Those three, moved to the top of a wider float's fraction and exponent, are the number
/// times a power of two, subnormals included; one multiplication of both halves corrects it.
struct Fp4ToFpLowering : Lowering<ttg::Fp4ToFpOp> {
  using Lowering::Lowering;

  LogicalResult matchAndRewrite(ttg::Fp4ToFpOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    auto type = cast<RankedTensorType>(op.getResult().getType());
    Type element = type.getElementType();
    if (!element.isF16() && !element.isBF16())
      return emitUnsupported(op) << "fp4 widened to " << element;
    LinearLayout bytes = ttg::toLinearLayout(cast<RankedTensorType>(op.getSrc().getType()));
    LinearLayout floats = ttg::toLinearLayout(type);
    RegisterLookup lookup(bytes);
    llvm::DenseMap<unsigned, Value> pairs; // by register of the source
    SmallVector<Value> results;
    for (unsigned reg = 0; reg < floats.inSize(Dim::reg()); ++reg) {
      SmallVector<uint64_t, 4> index = registerIndex(floats, reg);
      unsigned half = index[op.getAxis()] & 1;
      index[op.getAxis()] >>= 1;
      std::optional<unsigned> source = lookup.find(index);
      if (!source)
        return op.emitOpError("result layout asks for bytes of other threads");
      Value &pair = pairs[*source];
      if (!pair)
        pair = emitPair(b, op.getLoc(), operands.getSrc()[*source], element);
      Value place = LLVM::ConstantOp::create(b, op.getLoc(), b.getI32Type(), half);
      results.push_back(LLVM::ExtractElementOp::create(b, op.getLoc(), pair, place));
    }
    return replaceWith(b, op, results);
  }

  static Value emitPair(OpBuilder &b, Location loc, Value byte, Type element) {
    Type word = b.getI32Type();
    // How far a nibble's lowest bit moves to be the highest of the fraction.
    int fraction = element.isF16() ? 9 : 6, exponentBias = element.isF16() ? 15 : 127;
    Value bits = LLVM::ZExtOp::create(b, loc, word, byte);
    auto moved = [&](unsigned mask, int distance) -> Value {
      Value part = LLVM::AndOp::create(b, loc, bits, LLVM::ConstantOp::create(b, loc, word, mask));
      return LLVM::ShlOp::create(b, loc, part, LLVM::ConstantOp::create(b, loc, word, distance));
    };
    // The high nibble goes to the upper half.
    Value low = LLVM::OrOp::create(b, loc, moved(0x7, fraction), moved(0x8, 12));
    Value high = LLVM::OrOp::create(b, loc, moved(0x70, fraction + 12), moved(0x80, 24));
    auto pairType = VectorType::get(2, element);
    Value pair = LLVM::BitcastOp::create(b, loc, pairType, LLVM::OrOp::create(b, loc, low, high));
    // fma rather than mul: all chips have it for pairs of bf16, and it keeps subnormals.
    auto splat = [&](double value) {
      return LLVM::ConstantOp::create(
          b, loc, pairType, SplatElementsAttr::get(pairType, b.getFloatAttr(element, value)));
    };
    return LLVM::FMAOp::create(b, loc, pair, splat(std::ldexp(1.0, exponentBias - 1)), splat(-0.0));
  }
};

} // namespace

void tessera::populateDotPatterns(RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                                  const TargetInfo &target) {
  patterns.add<DotLowering, Fp4ToFpLowering>(types, target);
}
