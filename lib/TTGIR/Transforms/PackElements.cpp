//===- PackElements.cpp - let a thread hold what its function takes -------===//
// tt.map_elementwise with `pack` = n gives its function n elements that follow each
// other in row-major order. Where the layout spreads them over threads, operands are
// converted to one that does not, and results back.
//
//   before: %m = "tt.map_elementwise"(%x) <{pack = 2}> : tensor<64xf32, #single>
//   after:  %p = ttg.convert_layout %x : #single -> #pairs
//           %q = "tt.map_elementwise"(%p) <{pack = 2}> : tensor<64xf32, #pairs>
//           %m = ttg.convert_layout %q : #pairs -> #single
//
// Requires: layouts are final. Ensures: packRegisters (PackedGroups.h) finds the groups.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Layout/BlockedChoice.h"
#include "tessera/TTGIR/Layout/PackedGroups.h"
#include "tessera/TTGIR/Transforms/Passes.h"
#include "tessera/TTIR/IR/TTOps.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTGPACKELEMENTS
#include "tessera/TTGIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;

/// Threads hold `pack` elements of the last dimension, or as many rows of it as that is.
static Attribute packedEncoding(ModuleOp module, RankedTensorType type, unsigned pack) {
  unsigned rank = type.getRank();
  SmallVector<unsigned> sizes(rank, 1);
  SmallVector<unsigned> order = llvm::to_vector(llvm::reverse(llvm::seq(0u, rank)));
  for (unsigned dim = rank; dim-- > 0 && pack > 1;) {
    sizes[dim] = std::min<int64_t>(pack, type.getDimSize(dim));
    pack /= sizes[dim];
  }
  return ttg::BlockedEncodingAttr::get(
      module.getContext(),
      blockedForShape(type.getShape(), sizes, order,
                      {ttg::getNumWarps(module), ttg::getThreadsPerWarp(module)},
                      defaultCga(type.getShape(), sizes, order, ttg::getNumCTAs(module))));
}

static void convert(tt::MapElementwiseOp op, Attribute encoding) {
  OpBuilder b(op);
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = cast<RankedTensorType>(operand.get().getType());
    operand.set(ttg::ConvertLayoutOp::create(b, op.getLoc(), type.cloneWithEncoding(encoding),
                                             operand.get()));
  }
  b.setInsertionPointAfter(op);
  for (Value result : op->getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    result.setType(type.cloneWithEncoding(encoding));
    auto back = ttg::ConvertLayoutOp::create(b, op.getLoc(), type, result);
    result.replaceAllUsesExcept(back, back);
  }
}

namespace {
struct PackElements : tessera::impl::TTGPackElementsBase<PackElements> {
  void runOnOperation() override {
    getOperation().walk([&](tt::MapElementwiseOp op) {
      if (op.getPack() <= 1 || op->getNumOperands() == 0)
        return;
      auto type = cast<RankedTensorType>(op->getOperand(0).getType());
      if (!packRegisters(ttg::toLinearLayout(type), op.getPack()))
        convert(op, packedEncoding(getOperation(), type, op.getPack()));
    });
  }
};
} // namespace
