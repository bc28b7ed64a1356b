//===- ExpandedValues.cpp - one value becomes several, wherever it goes ---===//
#include "ExpandedValues.h"

#include "tessera/TTIR/IR/TTOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/ControlFlow/Transforms/StructuralTypeConversions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::tt;

SmallVector<Value> tessera::flatten(ArrayRef<ValueRange> values) {
  SmallVector<Value> parts;
  for (ValueRange value : values)
    llvm::append_range(parts, value);
  return parts;
}

/// Returns argument or result attributes for the expanded parts: the first part keeps them.
static SmallVector<DictionaryAttr> attributesOfParts(ArrayAttr attributes, TypeRange types,
                                                     const TypeConverter &parts) {
  SmallVector<DictionaryAttr> result;
  if (!attributes)
    return result;
  auto none = DictionaryAttr::get(attributes.getContext());
  for (auto [attribute, type] : llvm::zip_equal(attributes, types)) {
    SmallVector<Type> converted;
    (void)parts.convertType(type, converted);
    size_t first = result.size();
    result.resize(first + converted.size(), none);
    if (!converted.empty())
      result[first] = cast<DictionaryAttr>(attribute);
  }
  return result;
}

static ArrayAttr toArrayAttr(MLIRContext *context, ArrayRef<DictionaryAttr> attributes) {
  if (attributes.empty())
    return {};
  return ArrayAttr::get(context, SmallVector<Attribute>(attributes.begin(), attributes.end()));
}

namespace {

struct ExpandFunction : OpConversionPattern<FuncOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(FuncOp func, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    const TypeConverter &parts = *getTypeConverter();
    FunctionType type = func.getFunctionType();
    TypeConverter::SignatureConversion arguments(type.getNumInputs());
    SmallVector<Type> results;
    if (failed(parts.convertSignatureArgs(type.getInputs(), arguments)) ||
        failed(parts.convertTypes(type.getResults(), results)))
      return failure();
    if (!func.isExternal() &&
        failed(rewriter.convertRegionTypes(&func.getBody(), parts, &arguments)))
      return failure();
    MLIRContext *context = func.getContext();
    ArrayAttr argAttrs =
        toArrayAttr(context, attributesOfParts(func.getArgAttrsAttr(), type.getInputs(), parts));
    ArrayAttr resAttrs =
        toArrayAttr(context, attributesOfParts(func.getResAttrsAttr(), type.getResults(), parts));
    rewriter.modifyOpInPlace(func, [&] {
      func.setFunctionType(FunctionType::get(context, arguments.getConvertedTypes(), results));
      if (argAttrs)
        func.setArgAttrsAttr(argAttrs);
      if (resAttrs)
        func.setResAttrsAttr(resAttrs);
    });
    return success();
  }
};

struct ExpandReturn : OpConversionPattern<ReturnOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(ReturnOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<ReturnOp>(op, flatten(adaptor.getSrcs()));
    return success();
  }
};

struct ExpandCall : OpConversionPattern<CallOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(CallOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    const TypeConverter &parts = *getTypeConverter();
    SmallVector<Type> types;
    SmallVector<size_t> counts;
    for (Type type : op.getResultTypes()) {
      size_t before = types.size();
      if (failed(parts.convertType(type, types)))
        return failure();
      counts.push_back(types.size() - before);
    }
    MLIRContext *context = op.getContext();
    auto call = CallOp::create(
        rewriter, op.getLoc(), types, op.getCalleeAttr(), flatten(adaptor.getOperands()),
        toArrayAttr(context, attributesOfParts(op.getArgAttrsAttr(), op.getOperandTypes(), parts)),
        toArrayAttr(context, attributesOfParts(op.getResAttrsAttr(), op.getResultTypes(), parts)));
    call->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    SmallVector<ValueRange> results;
    ValueRange rest = call.getResults();
    for (size_t count : counts) {
      results.push_back(rest.take_front(count));
      rest = rest.drop_front(count);
    }
    rewriter.replaceOpWithMultiple(op, results);
    return success();
  }
};

struct ExpandSelect : OpConversionPattern<arith::SelectOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(arith::SelectOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> chosen;
    Value condition = only(adaptor.getCondition());
    for (auto [yes, no] : llvm::zip_equal(adaptor.getTrueValue(), adaptor.getFalseValue()))
      chosen.push_back(rewriter.createOrFold<arith::SelectOp>(op.getLoc(), condition, yes, no));
    rewriter.replaceOpWithMultiple(op, {chosen});
    return success();
  }
};

/// The frontend creates poison for a variable that only one path assigns.
struct ExpandPoison : OpConversionPattern<ub::PoisonOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(ub::PoisonOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertType(op.getType(), types)))
      return failure();
    SmallVector<Value> poisons;
    for (Type type : types)
      poisons.push_back(ub::PoisonOp::create(rewriter, op.getLoc(), type, op.getValue()));
    rewriter.replaceOpWithMultiple(op, {poisons});
    return success();
  }
};

} // namespace

/// Returns whether the op has no value that must be expanded.
static bool isDone(Operation *op, const TypeConverter &parts) {
  if (auto func = dyn_cast<FuncOp>(op))
    if (!parts.isSignatureLegal(func.getFunctionType()))
      return false;
  return parts.isLegal(op) &&
         llvm::all_of(op->getRegions(), [&](Region &region) { return parts.isLegal(&region); });
}

/// Returns whether the op only passes values on: control flow, selects and calls.
static bool isCarrier(Operation *op) {
  return isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp, cf::BranchOp,
             cf::CondBranchOp, arith::SelectOp, ub::PoisonOp, FuncOp, CallOp, ReturnOp>(op);
}

bool tessera::hasValueOf(ModuleOp module, llvm::function_ref<bool(Type)> isSuchType) {
  auto hasSuch = [&](Operation *op) {
    if (auto func = dyn_cast<FuncOp>(op); func && func.isExternal())
      return llvm::any_of(func.getArgumentTypes(), isSuchType) ||
             llvm::any_of(func.getResultTypes(), isSuchType);
    if (llvm::any_of(op->getResultTypes(), isSuchType))
      return true;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (llvm::any_of(block.getArgumentTypes(), isSuchType))
          return true;
    return false;
  };
  return module
      .walk([&](Operation *op) {
        return hasSuch(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult tessera::expandValues(ModuleOp module, const TypeConverter &parts,
                                    RewritePatternSet users,
                                    llvm::function_ref<bool(Operation *)> isUser, StringRef what) {
  // The dialect conversion follows branches, so it would leave unreachable code (after a `return`)
  // unconverted.
  IRRewriter rewriter(module.getContext());
  (void)eraseUnreachableBlocks(rewriter, module->getRegions());

  bool known = true;
  module.walk([&](Operation *op) {
    if (isCarrier(op) || isUser(op) || isDone(op, parts))
      return;
    op->emitError() << "'" << op->getName() << "' cannot take or yield " << what;
    known = false;
  });
  if (!known)
    return failure();

  MLIRContext *context = module.getContext();
  ConversionTarget target(*context);
  target.markUnknownOpDynamicallyLegal([&](Operation *op) { return isDone(op, parts); });
  scf::populateSCFStructuralTypeConversions(parts, users);
  cf::populateCFStructuralTypeConversions(parts, users);
  users.add<ExpandFunction, ExpandReturn, ExpandCall, ExpandSelect, ExpandPoison>(parts, context);
  return applyPartialConversion(module, target, std::move(users));
}
