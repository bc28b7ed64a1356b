//===- AssignPackGroups.cpp - group adjacent elements for packed inline assembly -===//
// Inline assembly with `packed_element` = n takes n elements at once. Programs that mix them (bytes
// of one register, for example) expect elements that are adjacent in the memory from which the tile
// was loaded: in Triton, a thread's consecutive registers hold these, because the loaded tile's
// layout follows its fastest axis. This pass records the groups, which then hold for every layout:
//
//   before: %x = tt.load %p : tensor<64x32x!tt.ptr<i8>, #fastest_0>
//           %y = tt.trans %x {order = array<i32: 1, 0>}
//           tt.elementwise_inline_asm "..." {packed_element = 4 : i32} %y
//   after:  tt.elementwise_inline_asm "..." {packed_element = 4 : i32,
//                                            ttg.pack = array<i32: 1, 0, 1, 1>} %y
//
// The order of a load's elements in memory is followed through casts, transpositions, reshapes,
// joins and splits to the assembly. All sizes are powers of two, so each of these permutes single
// bits of the indices. If the order does not come from loads alone (but from a product, a reduction
// or ranges), no attribute is set, and the order of registers decides.
//
// Requires: nothing; runs next to ttg-coalesce, before other layouts become better for some
// tensors. Ensures: only attributes change. Cost: the axis analysis, and linear in the ops between
// loads and packed assembly, times the bits of a shape.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Analysis/AxisInfo.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Layout/BlockedChoice.h"
#include "tessera/TTGIR/Transforms/PackGroups.h"
#include "tessera/TTGIR/Transforms/Passes.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTGASSIGNPACKGROUPS
#include "tessera/TTGIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;

namespace {
struct AssignPackGroups : tessera::impl::TTGAssignPackGroupsBase<AssignPackGroups> {
  using TTGAssignPackGroupsBase::TTGAssignPackGroupsBase;
  void runOnOperation() override;
};

/// All bits of a tensor's indices, ordered by their stride in memory, smallest first. Empty for
/// tensors that fit any order: constants, ranges, single elements.
using MemoryOrder = SmallVector<TensorBit>;

/// Finds the memory order of values that come from loads.
class MemoryOrders {
public:
  explicit MemoryOrders(const AxisInfoAnalysis &axes) : axes(axes) {}
  /// Returns nothing for values that do not come from loads alone.
  std::optional<MemoryOrder> of(Value value);

private:
  std::optional<MemoryOrder> find(Value value);
  std::optional<MemoryOrder> ofResult(Operation *op, OpResult result);
  /// Returns the order of a value that is computed elementwise from `values`: that of the first
  /// load.
  std::optional<MemoryOrder> ofAll(ValueRange values);

  MemoryOrder ofLoad(tt::LoadOp load);

  const AxisInfoAnalysis &axes;
  DenseMap<Value, std::optional<MemoryOrder>> known; // including values that are being computed
};
} // namespace

//===----------------------------------------------------------------------===//
// Orders of bits
//===----------------------------------------------------------------------===//

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Returns the bits of `axes`, with those of the first axis as the smallest strides.
static MemoryOrder orderByAxes(ArrayRef<unsigned> axes, ArrayRef<int64_t> shape) {
  MemoryOrder order;
  for (unsigned axis : axes)
    for (unsigned bit = 0; bit < llvm::Log2_64(shape[axis]); ++bit)
      order.push_back({axis, bit});
  return order;
}

static MemoryOrder rowMajor(ArrayRef<int64_t> shape) {
  return orderByAxes(llvm::to_vector(llvm::reverse(llvm::seq<unsigned>(0, shape.size()))), shape);
}

static MemoryOrder transposed(MemoryOrder order, ArrayRef<int32_t> permutation) {
  for (TensorBit &bit : order)
    bit.axis = llvm::find(permutation, static_cast<int32_t>(bit.axis)) - permutation.begin();
  return order;
}

/// A reshape keeps an element's row-major index.
static MemoryOrder reshaped(MemoryOrder order, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  MemoryOrder before = rowMajor(from), after = rowMajor(to);
  for (TensorBit &bit : order)
    bit = after[llvm::find(before, bit) - before.begin()];
  return order;
}

/// Axes that a broadcast extends repeat elements and have no stride in memory.
static MemoryOrder broadcast(MemoryOrder order, ArrayRef<int64_t> to) {
  for (TensorBit bit : rowMajor(to))
    if (!llvm::is_contained(order, bit))
      order.push_back(bit);
  return order;
}

static MemoryOrder expanded(MemoryOrder order, unsigned axis) {
  for (TensorBit &bit : order)
    bit.axis += bit.axis >= axis;
  return order;
}

/// A thread holds the elements of a join adjacently.
static MemoryOrder joined(MemoryOrder order, unsigned lastAxis) {
  order.insert(order.begin(), TensorBit{lastAxis, 0});
  return order;
}

static MemoryOrder split(MemoryOrder order, unsigned lastAxis) {
  llvm::erase_if(order, [&](TensorBit bit) { return bit.axis == lastAxis; });
  return order;
}

//===----------------------------------------------------------------------===//
// Orders of values
//===----------------------------------------------------------------------===//

std::optional<MemoryOrder> MemoryOrders::of(Value value) {
  if (!isa<RankedTensorType>(value.getType()))
    return MemoryOrder();
  auto [entry, isNew] = known.try_emplace(value, MemoryOrder());
  if (!isNew)
    return entry->second;
  std::optional<MemoryOrder> order = find(value);
  known[value] = order;
  return order;
}

std::optional<MemoryOrder> MemoryOrders::ofAll(ValueRange values) {
  MemoryOrder first;
  for (Value value : values) {
    std::optional<MemoryOrder> order = of(value);
    if (!order)
      return std::nullopt;
    if (first.empty())
      first = *order;
  }
  return first;
}

std::optional<MemoryOrder> MemoryOrders::find(Value value) {
  if (auto result = dyn_cast<OpResult>(value))
    return ofResult(result.getOwner(), result);
  auto argument = cast<BlockArgument>(value);
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument == loop.getInductionVar())
    return std::nullopt;
  return ofAll(
      {loop.getTiedLoopInit(argument)->get(), loop.getTiedLoopYieldedValue(argument)->get()});
}

/// The axis with the longest runs of consecutive addresses comes first.
MemoryOrder MemoryOrders::ofLoad(tt::LoadOp load) {
  SmallVector<int64_t> contiguity;
  for (const AccessFacts &facts : axes.accessFacts(load.getPtr(), Value()))
    contiguity.push_back(facts.contiguity);
  return orderByAxes(orderByContiguity(contiguity), shapeOf(load));
}

std::optional<MemoryOrder> MemoryOrders::ofResult(Operation *op, OpResult result) {
  ArrayRef<int64_t> shape = shapeOf(result);
  auto map = [&](Value source, auto &&change) -> std::optional<MemoryOrder> {
    std::optional<MemoryOrder> order = of(source);
    return order && !order->empty() ? std::optional(change(*order)) : order;
  };
  return llvm::TypeSwitch<Operation *, std::optional<MemoryOrder>>(op)
      .Case([&](tt::LoadOp load) { return ofLoad(load); })
      .Case([&](ttg::ConvertLayoutOp convert) { return of(convert.getSrc()); })
      .Case([&](tt::TransOp trans) {
        return map(trans.getSrc(), [&](auto o) { return transposed(o, trans.getOrder()); });
      })
      .Case([&](tt::ReshapeOp reshape) {
        Value source = reshape.getSrc();
        return map(source, [&](auto o) { return reshaped(o, shapeOf(source), shape); });
      })
      .Case([&](tt::ExpandDimsOp expand) {
        return map(expand.getSrc(), [&](auto o) { return expanded(o, expand.getAxis()); });
      })
      .Case([&](tt::BroadcastOp repeat) {
        return map(repeat.getSrc(), [&](auto o) { return broadcast(o, shape); });
      })
      .Case([&](tt::JoinOp join) {
        std::optional<MemoryOrder> order = ofAll(join->getOperands());
        return order && !order->empty() ? std::optional(joined(*order, shape.size() - 1)) : order;
      })
      .Case([&](tt::SplitOp parts) {
        return map(parts.getSrc(), [&](auto o) { return split(o, shape.size()); });
      })
      .Case([&](scf::ForOp loop) {
        unsigned index = result.getResultNumber();
        return ofAll({loop.getInitArgs()[index], loop.getYieldedValues()[index]});
      })
      .Case([&](scf::IfOp branch) -> std::optional<MemoryOrder> {
        return of(branch.thenYield().getOperand(result.getResultNumber()));
      })
      .Default([&](Operation *other) -> std::optional<MemoryOrder> {
        if (isa<tt::SplatOp, tt::MakeRangeOp, arith::ConstantOp>(other))
          return MemoryOrder();
        if (!other->hasTrait<OpTrait::Elementwise>())
          return std::nullopt;
        return ofAll(other->getOperands());
      });
}

static bool isPacked(tt::ElementwiseInlineAsmOp op) {
  return op.getPackedElement() > 1 && llvm::isPowerOf2_32(op.getPackedElement()) &&
         !op->hasAttr(kPackAttr) && op->getNumResults() != 0 &&
         isa<RankedTensorType>(op->getResult(0).getType());
}

void AssignPackGroups::runOnOperation() {
  SmallVector<tt::ElementwiseInlineAsmOp> ops;
  getOperation().walk([&](tt::ElementwiseInlineAsmOp op) {
    if (isPacked(op))
      ops.push_back(op);
  });
  if (ops.empty())
    return;
  AxisInfoAnalysis axes(getOperation());
  if (!axes.isValid()) {
    getOperation().emitError("the axis analysis failed");
    return signalPassFailure();
  }
  MemoryOrders orders(axes);
  for (tt::ElementwiseInlineAsmOp op : ops) {
    std::optional<MemoryOrder> order = orders.of(op->getResult(0));
    if (order && !order->empty())
      setPackBits(op, ArrayRef(*order).take_front(llvm::Log2_32(op.getPackedElement())));
  }
}
