//===- ReorderBroadcast.cpp - move elementwise ops before broadcasts -----===//
// An elementwise op on broadcast operands repeats the same work. Executed before the broadcast, it
// does the work once:
//
//   before: %s = tt.splat %x : f32 -> tensor<128x64xf32>
//           %b = tt.broadcast %v : tensor<128x1xf32> -> tensor<128x64xf32>
//           %e = arith.addf %b, %s : tensor<128x64xf32>           8192 additions
//   after:  %t = tt.splat %x : f32 -> tensor<128x1xf32>
//           %f = arith.addf %v, %t : tensor<128x1xf32>             128 additions
//           %e = tt.broadcast %f : tensor<128x1xf32> -> tensor<128x64xf32>
//
// If all operands are splats (or constants with one value), the op becomes a scalar op followed by
// a splat. Index arithmetic and masks shrink most.
//
// Hints about the value (tl.multiple_of) move to the op that now produces it, the splat or
// broadcast.
//
// Requires: nothing. Ensures: values are unchanged. The pass leaves alone ops with effects or
// regions, operands that are broadcast along different dimensions, and inline assembly that takes
// several elements at once.
//
// Cost: one walk, in program order, so that operands have already been rewritten.
//===----------------------------------------------------------------------===//
#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/TTIR/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTREORDERBROADCAST
#include "tessera/TTIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;
using namespace tessera::tt;

namespace {
struct ReorderBroadcast : tessera::impl::TTReorderBroadcastBase<ReorderBroadcast> {
  using TTReorderBroadcastBase::TTReorderBroadcastBase;
  void runOnOperation() override;
};

/// The smaller shape in which an op can be computed.
struct Smaller {
  /// The smaller shape; none if the op becomes scalar.
  std::optional<SmallVector<int64_t>> shape;
};

/// Rewrites the ops of one function after the other.
class Mover {
public:
  explicit Mover(MLIRContext *context) : rewriter(context) {}
  void move(Operation *op, const Smaller &smaller);

private:
  Value shrink(Value operand, const Smaller &smaller, Location loc);
  Value getConstant(TypedAttr value, Location loc);

  IRRewriter rewriter;
  /// The constants created so far, at the start of the function that uses them.
  DenseMap<std::pair<Block *, Attribute>, Value> constants;
};
} // namespace

//===----------------------------------------------------------------------===//
// Deciding
//===----------------------------------------------------------------------===//

static SplatElementsAttr matchUniformConstant(Value value) {
  SplatElementsAttr constant;
  matchPattern(value, m_Constant(&constant));
  return constant;
}

static bool isUniform(Value value) {
  return value.getDefiningOp<SplatOp>() || matchUniformConstant(value);
}

/// Returns whether the op computes each element from the elements at the same index, without
/// effects.
static bool isMovable(Operation *op) {
  if (!op->hasTrait<::mlir::OpTrait::Elementwise>() || op->getNumRegions() != 0 ||
      op->getNumOperands() == 0 || !isMemoryEffectFree(op))
    return false;
  auto assembly = dyn_cast<ElementwiseInlineAsmOp>(op);
  return !assembly || assembly.getPackedElement() == 1;
}

/// A select's scalar condition fits tensors of every shape.
static bool isScalarCondition(OpOperand &operand) {
  return isa<arith::SelectOp>(operand.getOwner()) && operand.getOperandNumber() == 0 &&
         !isa<RankedTensorType>(operand.get().getType());
}

static std::optional<Smaller> planMove(Operation *op) {
  if (!isMovable(op) ||
      llvm::none_of(op->getResultTypes(), [](Type type) { return isa<RankedTensorType>(type); }))
    return std::nullopt;
  Smaller smaller;
  for (OpOperand &operand : op->getOpOperands()) {
    if (isScalarCondition(operand) || isUniform(operand.get()))
      continue;
    auto broadcast = operand.get().getDefiningOp<BroadcastOp>();
    if (!broadcast)
      return std::nullopt;
    ArrayRef<int64_t> shape = cast<RankedTensorType>(broadcast.getSrc().getType()).getShape();
    if (smaller.shape && ArrayRef(*smaller.shape) != shape)
      return std::nullopt;
    smaller.shape = llvm::to_vector(shape);
  }
  return smaller;
}

//===----------------------------------------------------------------------===//
// Moving
//===----------------------------------------------------------------------===//

static Type shrinkType(Type type, const Smaller &smaller) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return type;
  return smaller.shape ? tensor.clone(*smaller.shape) : tensor.getElementType();
}

Value Mover::getConstant(TypedAttr value, Location loc) {
  Block *block = rewriter.getInsertionBlock();
  while (!block->getParentOp()->hasTrait<::mlir::OpTrait::IsIsolatedFromAbove>())
    block = block->getParentOp()->getBlock();
  Block *entry = &block->getParent()->front();
  Value &constant = constants[{entry, value}];
  if (!constant) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(entry);
    constant = arith::ConstantOp::create(rewriter, loc, value);
  }
  return constant;
}

/// Returns `operand` in the smaller shape.
Value Mover::shrink(Value operand, const Smaller &smaller, Location loc) {
  if (auto broadcast = operand.getDefiningOp<BroadcastOp>())
    return broadcast.getSrc();
  if (SplatElementsAttr constant = matchUniformConstant(operand)) {
    if (!smaller.shape)
      return getConstant(cast<TypedAttr>(constant.getSplatValue<Attribute>()), loc);
    return getConstant(constant.resizeSplat(constant.getType().clone(*smaller.shape)), loc);
  }
  auto splat = operand.getDefiningOp<SplatOp>();
  if (!splat)
    return operand;
  if (!smaller.shape)
    return splat.getSrc();
  return SplatOp::create(rewriter, splat.getLoc(), shrinkType(operand.getType(), smaller),
                         splat.getSrc());
}

static void moveHints(Operation *from, Operation *to) {
  for (StringRef name : {kDivisibilityAttr, kContiguityAttr, kConstancyAttr})
    if (Attribute hint = from->removeDiscardableAttr(name))
      to->setDiscardableAttr(name, hint);
}

void Mover::move(Operation *op, const Smaller &smaller) {
  rewriter.setInsertionPoint(op);
  Location loc = op->getLoc();
  IRMapping mapping;
  for (Value operand : op->getOperands())
    if (!mapping.contains(operand))
      mapping.map(operand, shrink(operand, smaller, loc));
  Operation *moved = rewriter.clone(*op, mapping);
  SmallVector<Value> results;
  for (OpResult result : moved->getResults()) {
    Type type = result.getType();
    result.setType(shrinkType(type, smaller));
    Operation *repeat = smaller.shape ? BroadcastOp::create(rewriter, loc, type, result)
                                      : SplatOp::create(rewriter, loc, type, result);
    moveHints(moved, repeat);
    results.push_back(repeat->getResult(0));
  }
  llvm::SmallSetVector<Operation *, 4> producers;
  for (Value operand : op->getOperands())
    producers.insert(operand.getDefiningOp());
  rewriter.replaceOp(op, results);
  for (Operation *producer : producers)
    if (producer && isOpTriviallyDead(producer))
      rewriter.eraseOp(producer);
}

void ReorderBroadcast::runOnOperation() {
  Mover mover(&getContext());
  getOperation().walk([&](Operation *op) {
    if (std::optional<Smaller> smaller = planMove(op))
      mover.move(op, *smaller);
  });
}
