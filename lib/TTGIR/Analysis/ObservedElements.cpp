//===- ObservedElements.cpp - whether anybody sees some of the elements ---===//
// Follows a tensor forward to all of its uses. A value is visited once for each dimension along
// which its last elements are not real. An op that is not listed here ends the proof.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Analysis/ObservedElements.h"
#include "tessera/TTGIR/Analysis/IndexBounds.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tessera;

namespace {
class Observation {
public:
  Observation(const Polynomial &end, BlockAddresses &addresses) : end(end), addresses(addresses) {}
  bool run(Value tensor, unsigned dim);

private:
  bool follow(OpOperand &use, unsigned dim);
  bool followDot(Operation *op, Value left, Value right, Value operand, unsigned dim);
  bool followYield(OpOperand &use, unsigned dim);
  bool isMaskedOff(tt::StoreOp store, unsigned dim);
  bool reach(Value value, unsigned dim) {
    work.insert({value, dim});
    return true;
  }

  const Polynomial &end;
  BlockAddresses &addresses;
  llvm::SetVector<std::pair<Value, unsigned>> work;
};
} // namespace

bool Observation::isMaskedOff(tt::StoreOp store, unsigned dim) {
  auto type = dyn_cast<RankedTensorType>(store.getValue().getType());
  if (!type || !store.getMask())
    return false;
  auto bounds = findBounds(store.getMask(), type.getRank(), addresses);
  return bounds && (*bounds)[dim].end && !(*bounds)[dim].unsignedEnd && *(*bounds)[dim].end == end;
}

/// Rows of the left operand are rows of the result, and columns of the right one are columns.
bool Observation::followDot(Operation *op, Value left, Value right, Value operand, unsigned dim) {
  unsigned rank = cast<ShapedType>(operand.getType()).getRank();
  bool isAccumulator = operand != left && operand != right;
  bool isKept = (operand != left || dim != rank - 1) && (operand != right || dim != rank - 2);
  return (isAccumulator || isKept) && reach(op->getResult(0), dim);
}

bool Observation::followYield(OpOperand &use, unsigned dim) {
  Operation *parent = use.getOwner()->getParentOp();
  unsigned number = use.getOperandNumber();
  if (auto loop = dyn_cast<scf::ForOp>(parent))
    reach(loop.getRegionIterArg(number), dim);
  else if (!isa<scf::IfOp>(parent))
    return false;
  return reach(parent->getResult(number), dim);
}

bool Observation::follow(OpOperand &use, unsigned dim) {
  Operation *op = use.getOwner();
  Value operand = use.get();
  if (auto dot = dyn_cast<tt::DotOp>(op))
    return followDot(op, dot.getA(), dot.getB(), operand, dim);
  if (auto dot = dyn_cast<ttg::BufferedDotOpInterface>(op))
    return followDot(op, dot.getLeft(), dot.getRight(), operand, dim);
  if (auto store = dyn_cast<tt::StoreOp>(op))
    return operand == store.getValue() && operand != store.getMask() && isMaskedOff(store, dim);
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    if (use.getOperandNumber() < loop.getNumControlOperands())
      return false;
    BlockArgument argument = loop.getTiedLoopRegionIterArg(&use);
    return reach(argument, dim) && reach(loop.getTiedLoopResult(&use), dim);
  }
  if (isa<scf::YieldOp>(op))
    return followYield(use, dim);
  if (isa<ttg::ConvertLayoutOp, ttg::LocalAllocOp, tt::BroadcastOp>(op))
    return reach(op->getResult(0), dim);
  if (auto wider = dyn_cast<tt::ExpandDimsOp>(op))
    return reach(wider, dim >= unsigned(wider.getAxis()) ? dim + 1 : dim);
  if (auto trans = dyn_cast<tt::TransOp>(op))
    return reach(trans, llvm::find(trans.getOrder(), int32_t(dim)) - trans.getOrder().begin());
  if (auto trans = dyn_cast<ttg::MemDescTransOp>(op))
    return reach(trans.getResult(),
                 llvm::find(trans.getOrder(), int32_t(dim)) - trans.getOrder().begin());
  bool isElementwise = OpTrait::hasElementwiseMappableTraits(op) || isa<tt::FpToFpOp>(op);
  return isElementwise && isPure(op) && op->getNumResults() == 1 && reach(op->getResult(0), dim);
}

bool Observation::run(Value tensor, unsigned dim) {
  reach(tensor, dim);
  for (unsigned next = 0; next < work.size(); ++next) { // grows
    auto [value, along] = work[next];
    for (OpOperand &use : value.getUses())
      if (!follow(use, along))
        return false;
  }
  return true;
}

bool tessera::areUnobserved(Value tensor, unsigned dim, const Polynomial &end,
                            BlockAddresses &addresses) {
  return Observation(end, addresses).run(tensor, dim);
}
