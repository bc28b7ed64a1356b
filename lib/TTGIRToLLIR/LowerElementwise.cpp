//===- LowerElementwise.cpp - lower elementwise ops -----------------------===//
// One pattern lowers all elementwise ops, on scalars and tensors; a table gives the instruction of
// each op.
//
//   before: %c = arith.addf %a, %b : tensor<1024xf32, #blocked>
//   after:  8 x llvm.fadd
//
// Elements with the same operands (of a splat or a broadcast) are computed once: splat + splat is
// one addition for any size of the tensor.
//
// Cost: linear in the elements per thread.
//===----------------------------------------------------------------------===//
#include "Casts.h"
#include "ElementwiseLowering.h"
#include "mlir/Conversion/ArithCommon/AttrToLLVMConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace tessera;

namespace {

/// Lowers calls of the device library's functions, one for each element.
struct ExternLowering : Lowering<tt::ExternElementwiseOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(tt::ExternElementwiseOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    Type type = types.convertType(getElementTypeOrSelf(op.getType()));
    if (!type)
      return b.notifyMatchFailure(op, "element type has no LLVM counterpart");
    size_t count = 1;
    for (ValueRange list : operands.getSrcs())
      count = std::max(count, list.size());
    SmallVector<Value> results;
    for (size_t i = 0; i < count; ++i) {
      SmallVector<Value> in;
      for (ValueRange list : operands.getSrcs())
        in.push_back(list.size() == 1 ? list.front() : list[i]);
      Value value = target.call(b, op, type, in);
      if (!value)
        return emitUnsupported(op) << "call of '" << op.getSymbol() << "' in library '"
                                   << op.getLibname() << "' on " << target.name();
      results.push_back(value);
    }
    return replaceWith(b, op, results);
  }
};

/// Lowers constants and poison, which have no operands and equal elements.
template <typename SourceOp> class LeafLowering : public Lowering<SourceOp> {
public:
  using Lowering<SourceOp>::Lowering;
  using Operands = typename Lowering<SourceOp>::Operands;
  LogicalResult matchAndRewrite(SourceOp op, Operands, ConversionPatternRewriter &b) const final;
};

} // namespace

//===----------------------------------------------------------------------===//
// Emitters
//===----------------------------------------------------------------------===//

/// Computes 8-bit floats in f32 and rounds the result: `emit` gets the f32 values.
template <typename SourceOp>
static Value emitInF32(SourceOp op, const Element &e,
                       llvm::function_ref<Value(const Element &)> emit) {
  auto isByte = [](Type type) { return isByteFloat(getElementTypeOrSelf(type)); };
  if (llvm::none_of(op->getOperandTypes(), isByte) && !isByte(op.getType()))
    return emit(e);
  Type f32 = e.b.getF32Type();
  SmallVector<Value, 3> in;
  for (auto [value, operand] : llvm::zip_equal(e.in, op->getOperands())) {
    Type from = getElementTypeOrSelf(operand.getType());
    in.push_back(isByteFloat(from) ? convertFloat(e.b, e.loc, e.target, value, from, f32) : value);
  }
  Type to = getElementTypeOrSelf(op.getType());
  Value result = emit({e.b, e.loc, in, isByteFloat(to) ? f32 : e.type, e.types, e.target});
  return result && isByteFloat(to) ? convertFloat(e.b, e.loc, e.target, result, f32, to) : result;
}

template <typename SourceOp, typename ResultOp>
static Value emitInteger(SourceOp op, const Element &e) {
  auto result = ResultOp::create(e.b, e.loc, e.type, ValueRange(e.in));
  if constexpr (requires {
                  op.getOverflowFlags();
                  result.setOverflowFlags({});
                })
    result.setOverflowFlags(arith::convertArithOverflowFlagsToLLVM(op.getOverflowFlags()));
  return result;
}

template <typename SourceOp, typename ResultOp>
static Value emitFloat(SourceOp op, const Element &element) {
  return emitInF32(op, element, [&](const Element &e) -> Value {
    auto result = ResultOp::create(e.b, e.loc, e.type, ValueRange(e.in));
    result.setFastmathFlags(arith::convertArithFastMathFlagsToLLVM(op.getFastmath()));
    return result;
  });
}

template <typename SourceOp> static Value emitByTarget(SourceOp op, const Element &element) {
  return emitInF32(op, element, [&](const Element &e) { return e.target.element(e.b, op, e.in); });
}

/// Emits the target's own code for the op, or LLVM's instruction if there is none.
template <typename SourceOp, typename ResultOp>
static Value emitByTargetOr(SourceOp op, const Element &element) {
  return emitInF32(op, element, [&](const Element &e) -> Value {
    if (Value value = e.target.element(e.b, op, e.in))
      return value;
    return ResultOp::create(e.b, e.loc, e.type, ValueRange(e.in));
  });
}

static Value emitCompareI(arith::CmpIOp op, const Element &e) {
  return LLVM::ICmpOp::create(e.b, e.loc, static_cast<LLVM::ICmpPredicate>(op.getPredicate()),
                              e.in[0], e.in[1]);
}

static Value emitCompareF(arith::CmpFOp op, const Element &element) {
  return emitInF32(op, element, [&](const Element &e) {
    return LLVM::FCmpOp::create(e.b, e.loc, e.type,
                                static_cast<LLVM::FCmpPredicate>(op.getPredicate()), e.in[0],
                                e.in[1], arith::convertArithFastMathFlagsToLLVM(op.getFastmath()));
  });
}

static Value emitSelect(arith::SelectOp, const Element &e) {
  return e.in[1] == e.in[2] ? e.in[1]
                            : LLVM::SelectOp::create(e.b, e.loc, e.in[0], e.in[1], e.in[2]);
}

static Value emitAbsI(math::AbsIOp, const Element &e) {
  // The language's abs(INT_MIN) is INT_MIN, not poison.
  return LLVM::AbsOp::create(e.b, e.loc, e.type, e.in[0], /*is_int_min_poison=*/false);
}

static Value emitClamp(tt::ClampFOp op, const Element &element) {
  return emitInF32(op, element, [&](const Element &e) -> Value {
    if (op.getPropagateNan() == tt::PropagateNan::All) {
      Value low = LLVM::MaximumOp::create(e.b, e.loc, e.in[0], e.in[1]);
      return LLVM::MinimumOp::create(e.b, e.loc, low, e.in[2]);
    }
    Value low = LLVM::MaxNumOp::create(e.b, e.loc, e.in[0], e.in[1]);
    return LLVM::MinNumOp::create(e.b, e.loc, low, e.in[2]);
  });
}

static Value emitMulHigh(tt::MulhiUIOp, const Element &e) {
  unsigned bits = e.type.getIntOrFloatBitWidth();
  Type wide = e.b.getIntegerType(2 * bits);
  Value x = LLVM::ZExtOp::create(e.b, e.loc, wide, e.in[0]);
  Value y = LLVM::ZExtOp::create(e.b, e.loc, wide, e.in[1]);
  Value product = LLVM::MulOp::create(e.b, e.loc, x, y);
  Value shift = LLVM::ConstantOp::create(e.b, e.loc, wide, bits);
  return LLVM::TruncOp::create(e.b, e.loc, e.type,
                               LLVM::LShrOp::create(e.b, e.loc, product, shift));
}

/// Emits LLVM's own instruction or intrinsic, which rounds as IEEE 754 requires.
template <typename SourceOp, typename ResultOp>
static Value emitPrecise(SourceOp op, const Element &element) {
  return emitInF32(op, element, [&](const Element &e) -> Value {
    return ResultOp::create(e.b, e.loc, e.type, ValueRange(e.in));
  });
}

static Value emitAddPtr(tt::AddPtrOp op, const Element &e) {
  auto pointer = cast<tt::PointerType>(getElementTypeOrSelf(op.getPtr().getType()));
  Type pointee = e.types.memoryType(pointer.getPointeeType());
  if (!pointee)
    return {};
  // LLVM sign-extends a narrow index to the width of the pointer, as tt.addptr requires.
  return LLVM::GEPOp::create(e.b, e.loc, e.type, pointee, e.in[0], LLVM::GEPArg(e.in[1]));
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Converts a scalar attribute to LLVM's type; fp8 becomes its bits.
static TypedAttr convertConstant(Attribute value, Type type) {
  if (auto number = dyn_cast<FloatAttr>(value); number && isa<IntegerType>(type))
    return IntegerAttr::get(type, number.getValue().bitcastToAPInt());
  if (auto number = dyn_cast<IntegerAttr>(value); number && number.getType().isIndex())
    return IntegerAttr::get(type, number.getValue().sextOrTrunc(type.getIntOrFloatBitWidth()));
  return cast<TypedAttr>(value);
}

template <>
LogicalResult LeafLowering<arith::ConstantOp>::matchAndRewrite(arith::ConstantOp op, Operands,
                                                               ConversionPatternRewriter &b) const {
  SmallVector<Type> registers;
  if (failed(types.convertTypes(op.getType(), registers)))
    return b.notifyMatchFailure(op, "type has no LLVM counterpart");
  Attribute value = op.getValue();
  if (auto elements = dyn_cast<DenseElementsAttr>(value)) {
    if (!elements.isSplat())
      return emitUnsupported(op) << "constant tensor whose elements differ; only splats are "
                                    "implemented: load it from memory instead";
    value = elements.getSplatValue<Attribute>();
  }
  Value constant = LLVM::ConstantOp::create(b, op.getLoc(), registers.front(),
                                            convertConstant(value, registers.front()));
  return replaceWith(b, op, SmallVector<Value>(registers.size(), constant));
}

template <>
LogicalResult LeafLowering<ub::PoisonOp>::matchAndRewrite(ub::PoisonOp op, Operands,
                                                          ConversionPatternRewriter &b) const {
  SmallVector<Type> registers;
  if (failed(types.convertTypes(op.getType(), registers)))
    return b.notifyMatchFailure(op, "type has no LLVM counterpart");
  Value poison = LLVM::PoisonOp::create(b, op.getLoc(), registers.front());
  return replaceWith(b, op, SmallVector<Value>(registers.size(), poison));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {
struct Table : ElementwiseTable {
  template <typename SourceOp, typename ResultOp> void integer() {
    add<SourceOp>(emitInteger<SourceOp, ResultOp>);
  }
  template <typename SourceOp, typename ResultOp> void floating() {
    add<SourceOp>(emitFloat<SourceOp, ResultOp>);
  }
  template <typename... SourceOps> void byTarget() {
    (add<SourceOps>(emitByTarget<SourceOps>), ...);
  }
};
} // namespace

static void addIntegerOps(Table table) {
  table.integer<arith::AddIOp, LLVM::AddOp>();
  table.integer<arith::SubIOp, LLVM::SubOp>();
  table.integer<arith::MulIOp, LLVM::MulOp>();
  table.integer<arith::DivSIOp, LLVM::SDivOp>();
  table.integer<arith::DivUIOp, LLVM::UDivOp>();
  table.integer<arith::RemSIOp, LLVM::SRemOp>();
  table.integer<arith::RemUIOp, LLVM::URemOp>();
  table.integer<arith::AndIOp, LLVM::AndOp>();
  table.integer<arith::OrIOp, LLVM::OrOp>();
  table.integer<arith::XOrIOp, LLVM::XOrOp>();
  table.integer<arith::ShLIOp, LLVM::ShlOp>();
  table.integer<arith::ShRSIOp, LLVM::AShrOp>();
  table.integer<arith::ShRUIOp, LLVM::LShrOp>();
  table.integer<arith::MaxSIOp, LLVM::SMaxOp>();
  table.integer<arith::MinSIOp, LLVM::SMinOp>();
  table.integer<arith::MaxUIOp, LLVM::UMaxOp>();
  table.integer<arith::MinUIOp, LLVM::UMinOp>();
  table.add<arith::CmpIOp>(emitCompareI);
  table.add<math::AbsIOp>(emitAbsI);
  table.add<tt::MulhiUIOp>(emitMulHigh);
}

static void addFloatOps(Table table) {
  table.floating<arith::AddFOp, LLVM::FAddOp>();
  table.floating<arith::SubFOp, LLVM::FSubOp>();
  table.floating<arith::MulFOp, LLVM::FMulOp>();
  table.add<arith::DivFOp>(emitByTargetOr<arith::DivFOp, LLVM::FDivOp>);
  table.floating<arith::RemFOp, LLVM::FRemOp>();
  table.floating<arith::NegFOp, LLVM::FNegOp>();
  table.floating<arith::MaximumFOp, LLVM::MaximumOp>();
  table.floating<arith::MinimumFOp, LLVM::MinimumOp>();
  table.floating<arith::MaxNumFOp, LLVM::MaxNumOp>();
  table.floating<arith::MinNumFOp, LLVM::MinNumOp>();
  table.add<arith::CmpFOp>(emitCompareF);
  table.floating<math::AbsFOp, LLVM::FAbsOp>();
  table.floating<math::FloorOp, LLVM::FFloorOp>();
  table.floating<math::CeilOp, LLVM::FCeilOp>();
  table.floating<math::TruncOp, LLVM::FTruncOp>();
  table.floating<math::RoundOp, LLVM::RoundOp>();
  table.floating<math::RoundEvenOp, LLVM::RoundEvenOp>();
  table.floating<math::CopySignOp, LLVM::CopySignOp>();
  table.floating<math::FmaOp, LLVM::FMAOp>();
  // Targets choose between accuracy and speed for these.
  table.byTarget<math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op, math::SinOp, math::CosOp,
                 math::SqrtOp, math::RsqrtOp, math::ErfOp>();
  // The frontend calls these by name in the device library; IR files may have them as ops.
  table.byTarget<math::TanhOp, math::TanOp, math::AtanOp, math::Atan2Op, math::AsinOp, math::AcosOp,
                 math::SinhOp, math::CoshOp, math::Log10Op, math::Log1pOp, math::ExpM1Op,
                 math::CbrtOp, math::PowFOp>();
  table.add<tt::ClampFOp>(emitClamp);
  table.add<tt::PreciseSqrtOp>(emitPrecise<tt::PreciseSqrtOp, LLVM::SqrtOp>);
  table.add<tt::PreciseDivFOp>(emitPrecise<tt::PreciseDivFOp, LLVM::FDivOp>);
}

void tessera::populateElementwisePatterns(RewritePatternSet &patterns,
                                          const TTGIRTypeConverter &types,
                                          const TargetInfo &target) {
  Table table{{patterns, types, target}};
  addIntegerOps(table);
  addFloatOps(table);
  addCasts({patterns, types, target});
  table.add<arith::SelectOp>(emitSelect);
  table.add<tt::AddPtrOp>(emitAddPtr);
  patterns.add<LeafLowering<arith::ConstantOp>, LeafLowering<ub::PoisonOp>, ExternLowering>(types,
                                                                                            target);
}
