//===- CombineFunction.cpp - apply the region of a reduction or scan ------===//
// See CombineFunction.h. A function of several results returns them in a struct, which
// disappears when the call is inlined.
//===----------------------------------------------------------------------===//
#include "CombineFunction.h"
#include "tessera/TTGIR/Transforms/OutlinedFunctions.h"
#include "tessera/TTIR/IR/CombineRegions.h"
#include "mlir/Conversion/ArithCommon/AttrToLLVMConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;

//===----------------------------------------------------------------------===//
// Applying
//===----------------------------------------------------------------------===//

FailureOr<CombineFunction> CombineFunction::of(Operation *op, const TTGIRTypeConverter &types,
                                               ConversionPatternRewriter &b) {
  CombineFunction function;
  Region &region = op->getRegion(0);
  if (!isa<tt::MapElementwiseOp>(op) && canEmitDirectly(region)) {
    function.single = tt::singleOperation(region);
    return function;
  }
  tt::CallOp call = findCallee(region);
  if (!call)
    return op->emitOpError("has a region that is no function: run ttg-outline-functions first");
  function.callee = call.getCalleeAttr();
  if (failed(types.convertTypes(call.getResultTypes(), function.results)))
    return emitUnsupported(op) << "type of a result of its function";
  for (Value operand : call.getOperands().drop_front(region.getNumArguments())) {
    function.captured.push_back(b.getRemappedValue(operand));
    if (!function.captured.back())
      return emitUnsupported(op) << "value of " << operand.getType() << " in its function";
  }
  return function;
}

/// Emits `ResultOp` on the operands, with the flags of `op`.
template <typename ResultOp>
static Value emitSingle(OpBuilder &b, Location loc, Operation *op, ValueRange in) {
  auto result = ResultOp::create(b, loc, in[0].getType(), in);
  if constexpr (requires { result.setFastmathFlags({}); })
    if (auto flags = dyn_cast<arith::ArithFastMathInterface>(op))
      result.setFastmathFlags(
          arith::convertArithFastMathFlagsToLLVM(flags.getFastMathFlagsAttr().getValue()));
  return result;
}

static Value emitSingle(OpBuilder &b, Location loc, Operation *op, ValueRange in) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<arith::AddIOp>([&](Operation *op) { return emitSingle<LLVM::AddOp>(b, loc, op, in); })
      .Case<arith::MulIOp>([&](Operation *op) { return emitSingle<LLVM::MulOp>(b, loc, op, in); })
      .Case<arith::AndIOp>([&](Operation *op) { return emitSingle<LLVM::AndOp>(b, loc, op, in); })
      .Case<arith::OrIOp>([&](Operation *op) { return emitSingle<LLVM::OrOp>(b, loc, op, in); })
      .Case<arith::XOrIOp>([&](Operation *op) { return emitSingle<LLVM::XOrOp>(b, loc, op, in); })
      .Case<arith::MaxSIOp>([&](Operation *op) { return emitSingle<LLVM::SMaxOp>(b, loc, op, in); })
      .Case<arith::MinSIOp>([&](Operation *op) { return emitSingle<LLVM::SMinOp>(b, loc, op, in); })
      .Case<arith::MaxUIOp>([&](Operation *op) { return emitSingle<LLVM::UMaxOp>(b, loc, op, in); })
      .Case<arith::MinUIOp>([&](Operation *op) { return emitSingle<LLVM::UMinOp>(b, loc, op, in); })
      .Case<arith::AddFOp>([&](Operation *op) { return emitSingle<LLVM::FAddOp>(b, loc, op, in); })
      .Case<arith::MulFOp>([&](Operation *op) { return emitSingle<LLVM::FMulOp>(b, loc, op, in); })
      .Case<arith::MaxNumFOp>(
          [&](Operation *op) { return emitSingle<LLVM::MaxNumOp>(b, loc, op, in); })
      .Case<arith::MinNumFOp>(
          [&](Operation *op) { return emitSingle<LLVM::MinNumOp>(b, loc, op, in); })
      .Case<arith::MaximumFOp>(
          [&](Operation *op) { return emitSingle<LLVM::MaximumOp>(b, loc, op, in); })
      // canEmitDirectly allows no other op.
      .Default([&](Operation *op) { return emitSingle<LLVM::MinimumOp>(b, loc, op, in); });
}

static Type packResults(MLIRContext *context, ArrayRef<Type> results) {
  if (results.empty())
    return LLVM::LLVMVoidType::get(context);
  return results.size() == 1 ? results[0] : LLVM::LLVMStructType::getLiteral(context, results);
}

SmallVector<Value, 2> CombineFunction::apply(OpBuilder &b, Location loc,
                                             ValueRange arguments) const {
  if (single)
    return {emitSingle(b, loc, single, arguments)};
  SmallVector<Value> operands(arguments);
  llvm::append_range(operands, captured);
  SmallVector<Type, 1> type;
  if (!results.empty())
    type.push_back(packResults(b.getContext(), results));
  auto call = LLVM::CallOp::create(b, loc, type, callee, operands);
  if (results.size() <= 1)
    return SmallVector<Value, 2>(call.getResults());
  SmallVector<Value, 2> values;
  for (size_t i = 0; i < results.size(); ++i)
    values.push_back(LLVM::ExtractValueOp::create(b, loc, call.getResult(), i));
  return values;
}

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

namespace {

struct OutlinedFuncLowering : Lowering<tt::FuncOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(tt::FuncOp op, Operands, ConversionPatternRewriter &b) const final {
    if (op.isKernel() || op.isExternal())
      return b.notifyMatchFailure(op, "is a kernel");
    TypeConverter::SignatureConversion signature(op.getNumArguments());
    SmallVector<Type> results;
    if (failed(types.convertSignatureArgs(op.getArgumentTypes(), signature)) ||
        failed(types.convertTypes(op.getResultTypes(), results)))
      return b.notifyMatchFailure(op, "a type has no LLVM counterpart");
    auto type = LLVM::LLVMFunctionType::get(packResults(b.getContext(), results),
                                            signature.getConvertedTypes());
    auto function = LLVM::LLVMFuncOp::create(b, op.getLoc(), op.getName(), type);
    function.setLinkage(LLVM::Linkage::Private);
    function.setAlwaysInline(true);
    function.setNoUnwind(true);
    b.inlineRegionBefore(op.getBody(), function.getBody(), function.end());
    if (failed(b.convertRegionTypes(&function.getBody(), types, &signature)))
      return failure();
    b.eraseOp(op);
    return success();
  }
};

struct OutlinedReturnLowering : Lowering<tt::ReturnOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(tt::ReturnOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    SmallVector<Value> values;
    for (ValueRange list : operands.getOperands())
      llvm::append_range(values, list);
    if (values.empty())
      return b.notifyMatchFailure(op, "returns nothing");
    Value result = values[0];
    if (values.size() > 1) {
      Type type = packResults(b.getContext(), llvm::to_vector(ValueRange(values).getTypes()));
      result = LLVM::PoisonOp::create(b, op.getLoc(), type);
      for (auto [i, value] : llvm::enumerate(values))
        result = LLVM::InsertValueOp::create(b, op.getLoc(), result, value, i);
    }
    b.replaceOpWithNewOp<LLVM::ReturnOp>(op, result);
    return success();
  }
};

} // namespace

void tessera::populateOutlinedFunctionPatterns(RewritePatternSet &patterns,
                                               const TTGIRTypeConverter &types,
                                               const TargetInfo &target) {
  patterns.add<OutlinedFuncLowering, OutlinedReturnLowering>(types, target, /*benefit=*/2);
}
