//===- TTDialect.cpp - registration, constants, inlining ------------------===//
#include "tessera/TTIR/IR/TTDialect.h"
#include "tessera/TTIR/IR/TTHints.h"
#include "tessera/TTIR/IR/TTLayoutInterface.h"
#include "tessera/TTIR/IR/TTOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace tessera::tt;

#include "tessera/TTIR/IR/TTDialect.cpp.inc"

#include "tessera/TTIR/IR/TTEnums.cpp.inc"

namespace {
/// A call is inlined unless the callee has `noinline = true`; every op of the dialect may be
/// inlined into a caller.
struct TTInliner : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Operation *callable, bool) const final {
    auto func = dyn_cast<FuncOp>(callable);
    return func && !func.isNoInline();
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }

  /// If the callee has several blocks, a return becomes a branch to the block after the call.
  void handleTerminator(Operation *op, Block *after) const final {
    auto returned = dyn_cast<ReturnOp>(op);
    if (!returned)
      return;
    OpBuilder builder(op);
    cf::BranchOp::create(builder, op->getLoc(), after, returned.getSrcs());
    op->erase();
  }
  /// If the callee has one block, the returned values replace the call's results.
  void handleTerminator(Operation *op, ValueRange results) const final {
    auto returned = cast<ReturnOp>(op);
    for (auto [result, value] : llvm::zip_equal(results, returned.getSrcs()))
      result.replaceAllUsesWith(value);
  }
};
} // namespace

void TTDialect::initialize() {
  registerTypes();
  registerOperations();
  addInterfaces<TTInliner>();
}

Operation *TTDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                          Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

//===----------------------------------------------------------------------===//
// Hints: what programs and callers promise of values
//===----------------------------------------------------------------------===//

static bool isHint(StringRef name) {
  return name == kDivisibilityAttr || name == kContiguityAttr || name == kConstancyAttr;
}

bool tessera::tt::hasHint(Operation *op) {
  return llvm::any_of(op->getDiscardableAttrs(),
                      [](NamedAttribute attr) { return isHint(attr.getName()); });
}

/// [tt.hint.C1] a hint is a positive number, or one for each dimension
static LogicalResult verifyHint(NamedAttribute attr, ErrorEmitter emitError) {
  auto isPositive = [](const APInt &value) {
    return value.getBitWidth() <= 64 && value.isStrictlyPositive();
  };
  bool valid = false;
  if (auto number = dyn_cast<IntegerAttr>(attr.getValue()))
    valid = isPositive(number.getValue());
  else if (auto list = dyn_cast<DenseIntElementsAttr>(attr.getValue()))
    valid = llvm::all_of(list.getValues<APInt>(), isPositive);
  if (valid)
    return success();
  return emitError() << attr.getName() << " must be a positive integer, or a list of them, but is "
                     << attr.getValue();
}

LogicalResult TTDialect::verifyOperationAttribute(Operation *op, NamedAttribute attr) {
  if (!isHint(attr.getName()))
    return success();
  if (failed(verifyHint(attr, [&] { return op->emitError(); })))
    return failure();
  // [tt.hint.C2] a list has an entry for each dimension of the result
  auto list = dyn_cast<DenseIntElementsAttr>(attr.getValue());
  if (!list || op->getNumResults() == 0)
    return success();
  RankedTensorType tensor = getTensorOf(op->getResult(0).getType());
  int64_t rank = tensor ? std::max<int64_t>(1, tensor.getRank()) : 1;
  if (list.getNumElements() != rank)
    return op->emitError() << attr.getName() << " has " << list.getNumElements()
                           << " entries for a value of rank " << rank;
  return success();
}

LogicalResult TTDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned argIndex,
                                                  NamedAttribute attr) {
  if (!isHint(attr.getName()))
    return success();
  return verifyHint(attr, [&] { return op->emitError() << "argument " << argIndex << ": "; });
}
