//===- TileIndex.cpp - where in a tensor a loop nest stands ---------------===//
// See TileIndex.h.
//===----------------------------------------------------------------------===//
#include "TileIndex.h"
#include "Elementwise.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;

TileIndex tessera::cpu::identityIndex(ArrayRef<int64_t> shape) {
  TileIndex index;
  for (auto [dim, size] : llvm::enumerate(shape))
    index.push_back(size == 1 ? kNoLoop : static_cast<int8_t>(dim));
  return index;
}

TileIndex tessera::cpu::originIndex(unsigned rank) { return TileIndex(rank, kNoLoop); }

bool tessera::cpu::isRenaming(Operation *op) { return isa<tt::ExpandDimsOp, tt::BroadcastOp>(op); }

TileIndex tessera::cpu::operandIndex(Operation *op, ArrayRef<int8_t> index) {
  TileIndex result(index);
  if (auto expand = dyn_cast<tt::ExpandDimsOp>(op)) {
    result.erase(result.begin() + expand.getAxis());
    return result;
  }
  for (auto [dim, size] : llvm::enumerate(shapeOf(op->getOperand(0))))
    if (size == 1)
      result[dim] = kNoLoop;
  return result;
}

bool tessera::cpu::isPureTileOp(Operation *op) {
  return isa<tt::SplatOp, tt::MakeRangeOp, arith::ConstantOp, ub::PoisonOp>(op) || isRenaming(op) ||
         Elementwise::handles(op);
}
