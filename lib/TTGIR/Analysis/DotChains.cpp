//===- DotChains.cpp - what feeds a dot, and what it feeds ----------------===//
// See DotChains.h.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Analysis/DotChains.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::ttg;

static RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Returns whether the result at an index depends only on the operands at that index.
static bool isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() || isa<ttg::ConvertLayoutOp>(op);
}

void ttg::walkSources(Value value, function_ref<void(Value)> visit) {
  llvm::SetVector<Value> seen;
  seen.insert(value);
  for (unsigned i = 0; i < seen.size(); ++i) { // grows
    Value next = seen[i];
    visit(next);
    Operation *op = next.getDefiningOp();
    if (auto loop = dyn_cast_or_null<scf::ForOp>(op))
      seen.insert(loop.getYieldedValues()[cast<OpResult>(next).getResultNumber()]);
    if (!op || !isElementwise(op))
      continue;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        seen.insert(operand);
  }
}

bool ttg::isDot(Operation *op) { return isa<tt::DotOp, tt::DotScaledOp>(op); }

std::optional<unsigned> ttg::findFedOperand(Operation *dot) {
  llvm::SetVector<Value> seen;
  seen.insert(dot->getResult(0));
  for (unsigned i = 0; i < seen.size(); ++i) {
    for (OpOperand &use : seen[i].getUses()) {
      Operation *user = use.getOwner();
      if (isDot(user) && use.getOperandNumber() < 2)
        return use.getOperandNumber();
      if (isElementwise(user))
        seen.insert(user->getResult(0));
      auto loop = dyn_cast<scf::ForOp>(user->getParentOp());
      if (isa<scf::YieldOp>(user) && loop) {
        seen.insert(loop.getRegionIterArg(use.getOperandNumber()));
        seen.insert(loop.getResult(use.getOperandNumber()));
      }
    }
  }
  return std::nullopt;
}

std::optional<unsigned> ttg::findOperandFromDot(Operation *dot) {
  for (unsigned index : {0u, 1u}) {
    bool found = false;
    walkSources(dot->getOperand(index), [&](Value source) {
      Operation *op = source.getDefiningOp();
      found |= op && isDot(op);
    });
    if (found)
      return index;
  }
  return std::nullopt;
}

unsigned ttg::narrowestBits(Value operand) {
  unsigned bits = tensorType(operand).getElementTypeBitWidth();
  walkSources(operand, [&](Value source) {
    Operation *op = source.getDefiningOp();
    if (isa_and_nonnull<tt::LoadOp, tt::DescriptorLoadOp, ttg::LocalLoadOp>(op))
      bits = std::min(bits, std::max(8u, tensorType(source).getElementTypeBitWidth()));
    if (isa_and_nonnull<ttg::Fp4ToFpOp>(op))
      bits = std::min(bits, 8u);
  });
  return bits;
}

Value ttg::unconverted(Value value) {
  while (auto conversion = value.getDefiningOp<ttg::ConvertLayoutOp>())
    value = conversion.getSrc();
  return value;
}
