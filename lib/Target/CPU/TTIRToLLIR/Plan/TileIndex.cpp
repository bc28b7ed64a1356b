//===- TileIndex.cpp - the index at which a nest reads a tensor ----------===//
// See TileIndex.h.
//===----------------------------------------------------------------------===//
#include "TileIndex.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"
#include "../Lanes/Elementwise.h"

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

/// Returns the dimensions whose size is not one.
static SmallVector<int64_t> withoutOnes(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> rest;
  llvm::copy_if(shape, std::back_inserter(rest), [](int64_t extent) { return extent != 1; });
  return rest;
}

bool tessera::cpu::isRenaming(Operation *op) {
  if (auto reshape = dyn_cast<tt::ReshapeOp>(op))
    return withoutOnes(shapeOf(reshape.getSrc())) == withoutOnes(shapeOf(reshape.getResult()));
  return isa<tt::ExpandDimsOp, tt::BroadcastOp, tt::TransOp, tt::SplitOp>(op);
}

TileIndex tessera::cpu::operandIndex(Value renamed, ArrayRef<int8_t> index) {
  Operation *op = renamed.getDefiningOp();
  TileIndex result(index);
  if (auto expand = dyn_cast<tt::ExpandDimsOp>(op)) {
    result.erase(result.begin() + expand.getAxis());
    return result;
  }
  if (auto trans = dyn_cast<tt::TransOp>(op)) {
    for (auto [to, from] : llvm::enumerate(trans.getOrder()))
      result[from] = index[to];
    return result;
  }
  if (isa<tt::SplitOp>(op)) {
    auto half = static_cast<int8_t>(cast<OpResult>(renamed).getResultNumber());
    result.push_back(static_cast<int8_t>(kNoLoop - half));
    return result;
  }
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  if (isa<tt::ReshapeOp>(op)) {
    result.assign(shape.size(), kNoLoop);
    size_t from = 0;
    for (auto [dim, size] : llvm::enumerate(shape)) {
      if (size == 1)
        continue;
      while (shapeOf(renamed)[from] == 1)
        ++from;
      result[dim] = index[from++];
    }
    return result;
  }
  for (auto [dim, size] : llvm::enumerate(shape))
    if (size == 1)
      result[dim] = kNoLoop;
  return result;
}

SmallVector<TileElement> tessera::cpu::tensorOperands(const TileElement &element) {
  SmallVector<TileElement> operands;
  Operation *op = element.value.getDefiningOp();
  if (!op || !(isRenaming(op) || isa<tt::JoinOp>(op) || Elementwise::handles(op)))
    return operands;
  TileIndex index = element.index;
  if (isRenaming(op))
    index = operandIndex(element.value, element.index);
  else if (isa<tt::JoinOp>(op))
    index.pop_back();
  for (Value operand : op->getOperands())
    if (isTensor(operand))
      operands.push_back({operand, index});
  return operands;
}

void tessera::cpu::forOperandsFirst(
    const TileElement &root, function_ref<bool(const TileElement &)> isReady,
    function_ref<SmallVector<TileElement>(const TileElement &)> operandsOf,
    function_ref<void(const TileElement &)> compute) {
  SmallVector<TileElement> stack = {root};
  while (!stack.empty()) {
    TileElement top = stack.back();
    if (isReady(top)) {
      stack.pop_back();
      continue;
    }
    size_t before = stack.size();
    for (TileElement &operand : operandsOf(top))
      if (!isReady(operand))
        stack.push_back(std::move(operand));
    if (stack.size() != before)
      continue; // SSA values form no cycles except through block arguments, which have no operands
    compute(top);
    stack.pop_back();
  }
}

bool tessera::cpu::isPureTileOp(Operation *op) {
  return isa<tt::SplatOp, tt::MakeRangeOp, tt::JoinOp, arith::ConstantOp, ub::PoisonOp>(op) ||
         isRenaming(op) || Elementwise::handles(op);
}

bool tessera::cpu::isTable(Operation *op) {
  DenseElementsAttr constant;
  return matchPattern(op, m_Constant(&constant)) && !constant.isSplat();
}
