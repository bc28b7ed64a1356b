//===- DecomposeScaledDot.cpp - rewrite tt.dot_scaled as an ordinary dot -===//
// For products that matrix units do not take with their scales: each operand is widened, each
// element multiplied by its scale, and an ordinary dot remains.
//
//   before: %d = tt.dot_scaled %a scale %s, %b, %c lhs = e2m1 rhs = bf16
//   after:  %x = ttg.fp4_to_fp %a {axis = 1}                 M x K/2 -> M x K
//           %e = bits of %s as 2^(s - 127)                   M x K/32
//           %f = reshape (broadcast (expand_dims %e))        M x K
//           %d = tt.dot (mulf %x, %f), %b, %c
//
// The intermediate type is the cheapest in which elements times scales are exact: bf16 has the
// range of e8m0 scales and 8 significant bits, f16 has 11 for operands that such scales do not
// stretch, tf32 has both. Combinations that fit none (bf16 times an fp8 scale) use f32, multiplied
// as three products of tf32.
//
// A scale of 255 is NaN: NaN is put into the scales, which are few, and not into the elements. This
// is so cheap that `fastMath` changes nothing.
//
// Products of at least `minScaledInner` elements along K, in formats of 8 and 4 bits and with
// exponents as scales, are left to matrix units that have such an instruction.
//
// Requires: tensors without layouts. Ensures: no other tt.dot_scaled is left.
// Cost: linear.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Remarks.h"
#include "tessera/Support/Unsupported.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Transforms/Passes.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTGDECOMPOSESCALEDDOT
#include "tessera/TTGIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;
using tt::InputPrecision;
using tt::ScaleDotElemType;

namespace {

struct DecomposeScaledDot : tessera::impl::TTGDecomposeScaledDotBase<DecomposeScaledDot> {
  using TTGDecomposeScaledDotBase::TTGDecomposeScaledDotBase;
  void runOnOperation() override;
};

/// One operand of the product with its scale.
struct ScaledOperand {
  Value value;
  Value scale; // null if there is none
  ScaleDotElemType format;
  bool isPackedAlongK;
  bool isLeft;

  unsigned rank() const { return cast<RankedTensorType>(value.getType()).getRank(); }
  bool hasExponents() const {
    return scale && cast<RankedTensorType>(scale.getType()).getElementType().isInteger(8);
  }
  bool hasFloatScale() const { return scale && !hasExponents(); }
  unsigned innerAxis() const { return isLeft ? rank() - 1 : rank() - 2; }
  unsigned outerAxis() const { return isLeft ? rank() - 2 : rank() - 1; }
};

/// The type and precision in which the product is computed.
struct Arithmetic {
  Type type;
  InputPrecision precision;
};

} // namespace

//===----------------------------------------------------------------------===//
// Decide
//===----------------------------------------------------------------------===//

static bool isSupported(ScaleDotElemType format) {
  return format != ScaleDotElemType::E2M3 && format != ScaleDotElemType::E3M2;
}

/// Returns the significant bits of elements times scales, including the leading one.
static unsigned significantBits(const ScaledOperand &operand) {
  constexpr unsigned ofFloatScale = 4; // e4m3
  unsigned bits = 0;
  switch (operand.format) {
  case ScaleDotElemType::E2M1:
    bits = 2;
    break;
  case ScaleDotElemType::E5M2:
    bits = 3;
    break;
  case ScaleDotElemType::BF16:
    bits = 8;
    break;
  case ScaleDotElemType::FP16:
    bits = 11;
    break;
  default:
    bits = 4;
  }
  return bits + (operand.hasFloatScale() ? ofFloatScale : 0);
}

/// Returns whether every element times every scale is within the range of f16.
static bool fitsF16(const ScaledOperand &operand) {
  if (operand.hasExponents() || operand.format == ScaleDotElemType::BF16)
    return false;
  // e2m1 times e4m3 stays between 2^-10 and 2688.
  return !operand.scale || operand.format == ScaleDotElemType::E2M1;
}

/// Returns whether matrix units with scales take the operand as it is.
static bool isTakenWithScale(const ScaledOperand &operand) {
  bool isNarrow = operand.format == ScaleDotElemType::E4M3 ||
                  operand.format == ScaleDotElemType::E5M2 ||
                  (operand.format == ScaleDotElemType::E2M1 && operand.isPackedAlongK);
  return isNarrow && !operand.hasFloatScale() && operand.rank() == 2;
}

static int64_t countInner(const ScaledOperand &operand) {
  auto type = cast<RankedTensorType>(operand.value.getType());
  bool isPacked = operand.format == ScaleDotElemType::E2M1 && operand.isPackedAlongK;
  return type.getDimSize(operand.innerAxis()) * (isPacked ? 2 : 1);
}

static Arithmetic chooseArithmetic(const ScaledOperand &a, const ScaledOperand &b,
                                   MLIRContext *context) {
  unsigned bits = std::max(significantBits(a), significantBits(b));
  if (bits <= 8)
    return {BFloat16Type::get(context), InputPrecision::IEEE};
  if (bits <= 11 && fitsF16(a) && fitsF16(b))
    return {Float16Type::get(context), InputPrecision::IEEE};
  return {Float32Type::get(context), bits <= 11 ? InputPrecision::TF32 : InputPrecision::TF32x3};
}

//===----------------------------------------------------------------------===//
// Mutate
//===----------------------------------------------------------------------===//

namespace {
/// Emits one operand as numbers of type `type`.
class Widener {
public:
  Widener(OpBuilder &b, Location loc, Type type) : b(b), loc(loc), type(type) {}

  Value emit(const ScaledOperand &operand) {
    Value elements = emitElements(operand);
    if (!operand.scale)
      return elements;
    return arith::MulFOp::create(b, loc, elements, emitFactors(operand, elements.getType()));
  }

private:
  static RankedTensorType tensor(Value value) { return cast<RankedTensorType>(value.getType()); }

  Value constant(RankedTensorType type, uint64_t bits) {
    auto element = IntegerAttr::get(type.getElementType(), bits);
    return arith::ConstantOp::create(b, loc, SplatElementsAttr::get(type, element));
  }

  /// Converts elements that are given as bits.
  Value asFloats(Value value, ScaleDotElemType format) {
    if (isa<FloatType>(tensor(value).getElementType()))
      return value;
    MLIRContext *context = b.getContext();
    Type element;
    switch (format) {
    case ScaleDotElemType::E5M2:
      element = Float8E5M2Type::get(context);
      break;
    case ScaleDotElemType::BF16:
      element = BFloat16Type::get(context);
      break;
    case ScaleDotElemType::FP16:
      element = Float16Type::get(context);
      break;
    default:
      element = Float8E4M3FNType::get(context);
    }
    return tt::BitcastOp::create(b, loc, tensor(value).clone(element), value);
  }

  /// Converts a float to the product's type.
  Value widen(Value value) {
    Type from = tensor(value).getElementType(), result = tensor(value).clone(type);
    if (from == type)
      return value;
    if (from.getIntOrFloatBitWidth() == 8)
      return tt::FpToFpOp::create(b, loc, result, value, nullptr);
    if (from.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
      return arith::ExtFOp::create(b, loc, result, value);
    return arith::TruncFOp::create(b, loc, result, value);
  }

  Value emitElements(const ScaledOperand &operand) {
    if (operand.format != ScaleDotElemType::E2M1)
      return widen(asFloats(operand.value, operand.format));
    unsigned axis = operand.isPackedAlongK ? operand.innerAxis() : operand.outerAxis();
    SmallVector<int64_t> shape(tensor(operand.value).getShape());
    shape[axis] *= 2;
    Type halves = type.isF32() ? b.getF16Type() : type; // exact in all of them
    return widen(
        ttg::Fp4ToFpOp::create(b, loc, RankedTensorType::get(shape, halves), operand.value, axis));
  }

  /// Returns one factor for each group: 2^(s - 127), or the fp8 number.
  Value emitScale(Value scale) {
    if (isa<FloatType>(tensor(scale).getElementType()))
      return widen(scale);
    bool isF32 = type.isF32();
    // f16 cannot represent such scales, so this is bf16 or f32, with an exponent of 8 bits.
    RankedTensorType bits = tensor(scale).clone(isF32 ? b.getI32Type() : b.getI16Type());
    unsigned fraction = isF32 ? 23 : 7;
    Value exponent = arith::ExtUIOp::create(b, loc, bits, scale);
    Value power = arith::ShLIOp::create(b, loc, exponent, constant(bits, fraction));
    auto selectWhere = [&](uint64_t value, uint64_t replacement) {
      Value is =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, exponent, constant(bits, value));
      power = arith::SelectOp::create(b, loc, is, constant(bits, replacement), power);
    };
    selectWhere(0, uint64_t(1) << (fraction - 1));         // 2^-127 is subnormal
    selectWhere(255, (uint64_t(0x1ff) << (fraction - 1))); // NaN
    return tt::BitcastOp::create(b, loc, tensor(scale).clone(type), power);
  }

  /// Returns the factor of each element.
  Value emitFactors(const ScaledOperand &operand, Type elements) {
    Value scale = emitScale(operand.scale);
    SmallVector<int64_t> shape(tensor(scale).getShape()); // [.., outer, groups]
    int64_t inner = cast<RankedTensorType>(elements).getDimSize(operand.innerAxis());
    SmallVector<int64_t> grouped(shape);
    grouped.push_back(1);
    Value factors =
        tt::ExpandDimsOp::create(b, loc, tensor(scale).clone(grouped), scale, shape.size());
    grouped.back() = inner / shape.back();
    factors = tt::BroadcastOp::create(b, loc, tensor(scale).clone(grouped), factors);
    shape.back() = inner;
    factors = tt::ReshapeOp::create(b, loc, tensor(scale).clone(shape), factors,
                                    /*allow_reorder=*/false, /*efficient_layout=*/false);
    if (operand.isLeft)
      return factors;
    SmallVector<int32_t> order = llvm::to_vector(llvm::seq<int32_t>(0, shape.size()));
    std::swap(order[shape.size() - 2], order[shape.size() - 1]);
    return tt::TransOp::create(b, loc, elements, factors, order);
  }

  OpBuilder &b;
  Location loc;
  Type type;
};
} // namespace

static void explain(tt::DotScaledOp op, const ScaledOperand &left, const ScaledOperand &right,
                    const Arithmetic &arithmetic) {
  PassRemark remark = decided(op, "ttg-decompose-scaled-dot", "arithmetic");
  if (!remark)
    return;
  unsigned bits = std::max(significantBits(left), significantBits(right));
  StringRef name = arithmetic.type.isBF16()                       ? "bf16"
                   : arithmetic.type.isF16()                      ? "f16"
                   : arithmetic.precision == InputPrecision::TF32 ? "tf32"
                                                                  : "tf32x3";
  remark.says("operands are multiplied by their scales, and a dot of {0} follows", name)
      .because("elements times scales have up to {0} significant bits{1}", bits,
               bits > 8 && bits <= 11 && !arithmetic.type.isF16() ? " and exceed the range of f16"
                                                                  : "")
      .number("bits", bits);
}

static LogicalResult replace(tt::DotScaledOp op, unsigned minScaledInner) {
  ScaledOperand left{op.getA(), op.getAScale(), op.getAElemType(), op.getLhsKPack(), true};
  ScaledOperand right{op.getB(), op.getBScale(), op.getBElemType(), op.getRhsKPack(), false};
  for (const ScaledOperand &operand : {left, right})
    if (!isSupported(operand.format))
      return emitUnsupported(op) << "scaled product of "
                                 << tt::stringifyScaleDotElemType(operand.format)
                                 << "; use e2m1, e4m3, e5m2, bf16 or fp16";
  bool hasFloats = cast<RankedTensorType>(op.getType()).getElementType().isF32();
  if (minScaledInner != 0 && hasFloats && isTakenWithScale(left) && isTakenWithScale(right) &&
      countInner(left) >= minScaledInner)
    return success();
  OpBuilder b(op);
  Arithmetic arithmetic = chooseArithmetic(left, right, op.getContext());
  explain(op, left, right, arithmetic);
  Widener widener(b, op.getLoc(), arithmetic.type);
  Value a = widener.emit(left), other = widener.emit(right);
  Value result = tt::DotOp::create(b, op.getLoc(), op.getC().getType(), a, other, op.getC(),
                                   arithmetic.precision, /*maxNumImpreciseAcc=*/0);
  op.replaceAllUsesWith(result);
  op.erase();
  return success();
}

void DecomposeScaledDot::runOnOperation() {
  SmallVector<tt::DotScaledOp> dots;
  getOperation().walk([&](tt::DotScaledOp dot) { dots.push_back(dot); });
  for (tt::DotScaledOp dot : dots)
    if (failed(replace(dot, minScaledInner)))
      return signalPassFailure();
}
