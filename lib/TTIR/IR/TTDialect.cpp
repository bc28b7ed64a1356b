//===- TTDialect.cpp - registration, constants, inlining ------------------===//
#include "tessera/TTIR/IR/TTDialect.h"
#include "tessera/TTIR/IR/TTOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace tessera::tt;

#include "tessera/TTIR/IR/TTDialect.cpp.inc"

#include "tessera/TTIR/IR/TTEnums.cpp.inc"

namespace {
/// Calls inline unless the callee says `noinline = true`; any op of the dialect
/// may move into a caller.
struct TTInliner : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Operation *callable, bool) const final {
    auto func = dyn_cast<FuncOp>(callable);
    return func && !func.isNoInline();
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }

  /// A callee of several blocks: a return becomes a branch to what follows the call.
  void handleTerminator(Operation *op, Block *after) const final {
    auto returned = dyn_cast<ReturnOp>(op);
    if (!returned)
      return;
    OpBuilder builder(op);
    cf::BranchOp::create(builder, op->getLoc(), after, returned.getSrcs());
    op->erase();
  }
  /// A callee of one block: its results take the place of the call's.
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
