//===- WholeTileOps.cpp - which ops take whole tensors --------------------===//
// See WholeTileOps.h.
//===----------------------------------------------------------------------===//
#include "WholeTileOps.h"
#include "TileIndex.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/Target/CPU/IR/TTCOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"
#include "../Lanes/Elementwise.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;

Operation *tessera::cpu::findUncombinable(Region &combine) {
  Operation *found = nullptr;
  if (!combine.hasOneBlock())
    return combine.getParentOp();
  combine.walk([&](Operation *op) {
    bool fine = isa<arith::ConstantOp, ub::PoisonOp, scf::IfOp, scf::YieldOp, tt::ReduceReturnOp,
                    tt::ScanReturnOp, tt::MapElementwiseReturnOp>(op) ||
                Elementwise::handles(op);
    if (fine)
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

bool tessera::cpu::isWholeTileOp(Operation *op) {
  if (isa<tt::ReshapeOp>(op))
    return !isRenaming(op);
  if (auto reduce = dyn_cast<tt::ReduceOp>(op))
    return findUncombinable(reduce.getCombineOp()) != nullptr;
  return isa<tt::DotOp, tt::DotScaledOp, tt::ScanOp, tt::GatherOp, tt::HistogramOp, tt::CatOp,
             tt::AtomicRMWOp, tt::AtomicCASOp, tt::PrintOp, tt::AssertOp, tt::MapElementwiseOp,
             ttc::ExchangeOp, ttc::CheckAccessOp>(op);
}

bool tessera::cpu::isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

static Value accumulatorOf(Operation *op) {
  if (auto dot = dyn_cast<tt::DotOp>(op))
    return dot.getC();
  if (auto dot = dyn_cast<tt::DotScaledOp>(op))
    return dot.getC();
  return {};
}

Value tessera::cpu::idleMask(Operation *op) {
  auto rmw = dyn_cast<tt::AtomicRMWOp>(op);
  Value mask = rmw ? rmw.getMask() : Value();
  return mask && matchPattern(mask, m_One()) ? mask : Value();
}

Value tessera::cpu::beforeTransposition(Value operand) {
  auto trans = operand.getDefiningOp<tt::TransOp>();
  if (!trans)
    return {};
  auto swapped = llvm::to_vector(llvm::seq<int32_t>(0, trans.getOrder().size()));
  std::swap(swapped.back(), swapped[swapped.size() - 2]);
  return trans.getOrder() == ArrayRef(swapped) ? trans.getSrc() : Value();
}

bool tessera::cpu::isMatrix(OpOperand &use) {
  return isa<tt::DotOp>(use.getOwner()) && use.getOperandNumber() < 2;
}

SmallVector<Value> tessera::cpu::tensorsInMemory(Operation *op) {
  SmallVector<Value> tensors;
  Value accumulator = accumulatorOf(op), idle = idleMask(op);
  for (OpOperand &use : op->getOpOperands()) {
    Value operand = use.get();
    if (!isTensor(operand) || operand == idle || (operand == accumulator && isZero(operand)))
      continue;
    Value source = isMatrix(use) ? beforeTransposition(operand) : Value();
    tensors.push_back(source ? source : operand);
  }
  return tensors;
}
