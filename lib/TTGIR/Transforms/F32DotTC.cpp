//===- F32DotTC.cpp - compute f32 dots by several narrow ones ------------===//
// Matrix units read f32 as tf32 (11 significant bits) or not at all. Splitting each factor into a
// sum of narrow numbers recovers nearly all bits:
//
//   before: %d = tt.dot %a, %b, %c, inputPrecision = tf32x3
//   after:  ah = round(a), al = a - ah; bh, bl the same; all dots tf32
//           t = al * bh + ah * bl; t = isnan(t) ? 0 : t; d = (ah * bh + t) + c
//
//   bf16x3  the same with pieces of 8 bits: 16 significant bits
//   bf16x6  three pieces, six products: all 24
//
// Small products are added first, c last. The corrections of an infinite element are inf - inf;
// this NaN is dropped before the main product is added, which contains the infinity.
//
// Requires: nothing about layouts; it is best to run before there are any. Ensures: no f32 dot has
// one of these precisions. Cost: linear.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Remarks.h"
#include "tessera/TTGIR/Transforms/Passes.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTGF32DOTTC
#include "tessera/TTGIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;
using tt::InputPrecision;

static constexpr llvm::StringLiteral kPass = "ttg-f32-dot-tc", kDecision = "products";

namespace {
struct F32DotTC : tessera::impl::TTGF32DotTCBase<F32DotTC> {
  void runOnOperation() override;
};

/// Emits elementwise ops.
class Splitter {
public:
  Splitter(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  /// Splits `value` into parts that (nearly) add up to it, the largest first.
  SmallVector<Value> split(Value value, InputPrecision precision) {
    bool isBF16 = precision != InputPrecision::TF32x3;
    unsigned count = precision == InputPrecision::BF16x6 ? 3 : 2;
    SmallVector<Value> pieces;
    for (unsigned i = 0; i + 1 < count; ++i) {
      Value piece = isBF16 ? narrow(value) : roundToTF32(value);
      pieces.push_back(piece);
      Value wide = isBF16 ? arith::ExtFOp::create(b, loc, value.getType(), piece) : piece;
      value = arith::SubFOp::create(b, loc, value, wide);
    }
    pieces.push_back(isBF16 ? narrow(value) : value);
    return pieces;
  }

  Value zeros(Type type) { return constant(type, b.getF32FloatAttr(0)); }

  Value withoutNaN(Value value) {
    Value isNaN = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, value, value);
    return arith::SelectOp::create(b, loc, isNaN, zeros(value.getType()), value);
  }

private:
  Value constant(Type type, TypedAttr element) {
    auto tensor = cast<RankedTensorType>(type).clone(element.getType());
    return arith::ConstantOp::create(b, loc, SplatElementsAttr::get(tensor, element));
  }
  Value narrow(Value value) {
    Type type = cast<RankedTensorType>(value.getType()).clone(b.getBF16Type());
    return arith::TruncFOp::create(b, loc, type, value);
  }
  /// Rounds to 10 bits of fraction, ties away from zero. Infinities, NaN, and numbers that would
  /// round to infinity stay.
  Value roundToTF32(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    Type integers = type.clone(b.getI32Type());
    Value bits = tt::BitcastOp::create(b, loc, integers, value);
    bits = arith::AddIOp::create(b, loc, bits, constant(type, b.getI32IntegerAttr(1 << 12)));
    bits = arith::AndIOp::create(b, loc, bits, constant(type, b.getI32IntegerAttr(-(1 << 13))));
    Value rounded = tt::BitcastOp::create(b, loc, type, bits);
    // The largest tf32: 2^127 * (2 - 2^-10).
    Value limit = constant(type, b.getF32FloatAttr(0x1.ffcp127f));
    Value magnitude = math::AbsFOp::create(b, loc, value);
    Value fits = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLE, magnitude, limit);
    return arith::SelectOp::create(b, loc, fits, rounded, value);
  }

  OpBuilder &b;
  Location loc;
};
} // namespace

/// Returns whether the precision asks for several products.
static bool isSplit(InputPrecision precision) {
  switch (precision) {
  case InputPrecision::TF32x3:
  case InputPrecision::BF16x3:
  case InputPrecision::BF16x6:
    return true;
  case InputPrecision::TF32:
  case InputPrecision::IEEE:
    return false;
  }
  return false;
}

/// Returns whether the dot is computed by several products.
static bool isSplit(tt::DotOp dot) {
  if (!isSplit(dot.getInputPrecision()))
    return false;
  if (cast<RankedTensorType>(dot.getA().getType()).getElementType().isF32() &&
      cast<RankedTensorType>(dot.getB().getType()).getElementType().isF32())
    return true;
  declined(dot, kPass, kDecision)
      .says("the dot stays one product")
      .because("{0} splits operands of f32 only",
               tt::stringifyInputPrecision(dot.getInputPrecision()));
  return false;
}

static void replace(tt::DotOp dot) {
  OpBuilder b(dot);
  Location loc = dot.getLoc();
  InputPrecision precision = dot.getInputPrecision();
  Splitter splitter(b, loc);
  SmallVector<Value> left = splitter.split(dot.getA(), precision);
  SmallVector<Value> right = splitter.split(dot.getB(), precision);
  bool isTF32 = precision == InputPrecision::TF32x3;
  unsigned products = left.size() == 3 ? 6 : 3;
  decided(dot, kPass, kDecision)
      .says("the dot is computed as {0} products of {1}", products, isTF32 ? "tf32" : "bf16")
      .because("its input precision is {0}", tt::stringifyInputPrecision(precision))
      .number("products", products);
  Value sum = splitter.zeros(dot.getC().getType());
  auto multiply = [&](unsigned i, unsigned j) {
    sum = tt::DotOp::create(b, loc, sum.getType(), left[i], right[j], sum,
                            isTF32 ? InputPrecision::TF32 : InputPrecision::IEEE, 0);
  };
  // Part i is about 2^(-8 i) (or 2^(-11 i)) of its number: products are added by increasing
  // magnitude.
  if (left.size() == 3) {
    multiply(2, 0);
    multiply(0, 2);
    multiply(1, 1);
  }
  multiply(1, 0);
  multiply(0, 1);
  sum = splitter.withoutNaN(sum);
  multiply(0, 0);
  if (!matchPattern(dot.getC(), m_AnyZeroFloat()))
    sum = arith::AddFOp::create(b, loc, sum, dot.getC());
  dot.replaceAllUsesWith(sum);
  dot.erase();
}

void F32DotTC::runOnOperation() {
  SmallVector<tt::DotOp> dots;
  getOperation().walk([&](tt::DotOp dot) {
    if (isSplit(dot))
      dots.push_back(dot);
  });
  for (tt::DotOp dot : dots)
    replace(dot);
}
