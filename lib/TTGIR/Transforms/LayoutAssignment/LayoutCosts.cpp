//===- LayoutCosts.cpp - the cost model of layouts ------------------------===//
#include "LayoutCosts.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Transforms/PackGroups.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;

/// The assumed trip count of a loop.
static constexpr Cost kLoopWeight = 8;
/// These are so small that they decide only between equal alternatives: registers in another order,
/// and the same layout with another encoding.
static constexpr Cost kRename = 1.0 / 64, kOtherName = 1.0 / 256;

Cost tessera::executionWeight(Operation *op) {
  Cost weight = 1;
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent))
      weight *= kLoopWeight;
  return weight;
}

Cost tessera::executionWeight(Value value) {
  if (Operation *op = value.getDefiningOp())
    return executionWeight(op);
  return executionWeight(&value.getParentBlock()->front());
}

bool tessera::mayBecomeCopy(Operation *op) {
  auto loop = isa<tt::LoadOp>(op) ? op->getParentOfType<LoopLikeOpInterface>() : nullptr;
  return loop && loop->walk([](Operation *inner) {
                       return isa<tt::DotOp, tt::DotScaledOp, ttg::BufferedDotOpInterface>(inner)
                                  ? WalkResult::interrupt()
                                  : WalkResult::advance();
                     })
                     .wasInterrupted();
}

Cost tessera::conversionWeight(Value value) {
  Operation *op = value.getDefiningOp();
  return executionWeight(value) * (op && mayBecomeCopy(op) ? kAfterLoad : 1);
}

Cost tessera::instructionWeight(Operation *op) {
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp, arith::RemSIOp, arith::RemUIOp,
          arith::RemFOp, arith::DivFOp, tt::PreciseDivFOp, tt::PreciseSqrtOp,
          tt::ExternElementwiseOp, tt::ElementwiseInlineAsmOp, tt::MapElementwiseOp>(op) ||
      isa_and_nonnull<math::MathDialect>(op->getDialect()))
    return 8;
  return 1;
}

const LinearLayout &LayoutCosts::layout(RankedTensorType type, Attribute encoding) {
  auto shape = RankedTensorType::get(type.getShape(), type.getElementType());
  std::unique_ptr<LinearLayout> &known = layouts[{shape, encoding}];
  if (!known)
    known = std::make_unique<LinearLayout>(ttg::toLinearLayout(encoding, type.getShape()));
  return *known;
}

Cost LayoutCosts::registers(RankedTensorType type, Attribute encoding) {
  return layout(type, encoding).inSize(Dim::reg());
}

Cost LayoutCosts::conversion(RankedTensorType type, Attribute from, Attribute to) {
  if (from == to)
    return 0;
  auto shape = RankedTensorType::get(type.getShape(), type.getElementType());
  auto [entry, isNew] = conversions.try_emplace({{shape, from}, to}, 0);
  if (!isNew)
    return entry->second;
  const LinearLayout &source = layout(type, from), &result = layout(type, to);
  Cost bits = std::max(8u, tt::getElementBits(type));
  Cost words = Cost(std::max(source.inSize(Dim::reg()), result.inSize(Dim::reg()))) * bits / 32;
  std::optional<Conversion> plan = planConversion(source, result);
  Cost cost = moves.throughShared + moves.sharedWord * words;
  if (plan && plan->reach <= ConversionReach::Register)
    cost = source == result ? kOtherName : kRename;
  else if (plan && plan->reach == ConversionReach::Lane)
    cost = moves.shuffledWord *
           std::max(words, Cost(result.inSize(Dim::reg()))); // one value at a time
  else if (plan && plan->reach == ConversionReach::Block)
    cost = moves.throughCluster + moves.clusterWord * words;
  conversions[{{shape, from}, to}] = cost;
  return cost;
}

/// The cost of combining along an axis: in a thread, by shuffles for each bit of the lane, and
/// through shared memory if warps are involved.
Cost LayoutCosts::reduction(RankedTensorType type, Attribute label, unsigned axis) {
  const LinearLayout &source = layout(type, label);
  Cost cost = registers(type, label), left = cost;
  auto bitsAlong = [&](Dim in) {
    unsigned count = 0;
    for (unsigned bit = 0; bit < source.inBits(in); ++bit)
      count += source.basis(in, bit, Dim::axis(axis)) != 0;
    return count;
  };
  left /= Cost(uint64_t(1) << bitsAlong(Dim::reg()));
  cost += 2 * left * bitsAlong(Dim::lane());
  if (bitsAlong(Dim::warp()) != 0)
    cost += moves.throughShared + moves.sharedWord * left;
  if (bitsAlong(Dim::block()) != 0)
    cost += moves.throughCluster + moves.clusterWord * left;
  return cost;
}

/// If threads do not hold the elements that packed assembly takes at once, its operands and results
/// are converted (ttg-pack-elements).
Cost LayoutCosts::packing(Operation *op, RankedTensorType type, Attribute label) {
  SmallVector<TensorBit> bits = getPackBits(op);
  if (bits.empty() || packRegisters(layout(type, label), bits))
    return 0;
  Cost words = registers(type, label);
  return (moves.throughShared + moves.sharedWord * words) *
         (op->getNumOperands() + op->getNumResults());
}

Cost LayoutCosts::operation(Operation *op, RankedTensorType type, Attribute label) {
  return llvm::TypeSwitch<Operation *, Cost>(op)
      .Case<tt::ElementwiseInlineAsmOp>([&](auto) {
        return instructionWeight(op) * registers(type, label) + packing(op, type, label);
      })
      .Case<tt::ReduceOp>([&](auto reduce) {
        return reduction(type, label, reduce.getAxis()) * reduce.getNumOperands();
      })
      .Case<tt::ScanOp>([&](auto scan) {
        return 2 * reduction(type, label, scan.getAxis()) * scan.getNumOperands();
      })
      .Case<tt::LoadOp, tt::StoreOp>(
          [&](auto) { return moves.cachedAccess * registers(type, label); })
      .Case<tt::ExpandDimsOp, tt::BroadcastOp, tt::TransOp, tt::ReshapeOp, tt::JoinOp, tt::SplitOp,
            tt::CatOp>([](auto) { return 0; })
      .Default([&](auto) { return instructionWeight(op) * registers(type, label); });
}
