//===- OptimizeThreadLocality.cpp - accumulate per thread, reduce after the loop -===//
// A loop that adds the sum of a tile to a total makes threads exchange partial sums in every
// iteration. Instead, each thread accumulates its own elements, and the threads exchange once,
// after the loop.
//
//   before: for ... iter_args(%acc = %init) {
//             %s = "tt.reduce"(%x) <{axis = 1}>  : tensor<32x128xf32> -> tensor<32xf32>
//             %n = arith.addf %acc, %s ; yield %n }
//   after:  for ... iter_args(%part = 0) {                            each thread holds 4 in a row
//             %v = tt.reshape %x : tensor<32x128xf32> -> tensor<32x32x4xf32>
//             %t = "tt.reduce"(%v) <{axis = 2}> -> tensor<32x32xf32>              in the thread
//             %n = arith.addf %part, %t ; yield %n }
//           %s = "tt.reduce"(%r) <{axis = 1}> : tensor<32x32xf32> -> tensor<32xf32>
//           %r = arith.addf %init, %s
//
// The index along the axis is split where its bits change between registers and threads; the parts
// in registers are combined in the loop, the others after it. Since a layout is a map of bits, the
// reshape moves no data.
//
// The pass acts if the loop carries the total only for this, combines it by the same op as the
// reduction (a sum, product, extremum or bitwise op), and threads are involved in the axis. Results
// change as the order of a sum does.
//
// Requires: final layouts. Ensures: no conversion in a loop. Cost: linear.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Remarks.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTGOPTIMIZETHREADLOCALITY
#include "tessera/TTGIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;

static constexpr llvm::StringLiteral kPass = "ttg-optimize-thread-locality";

namespace {

/// Adjacent bits of an index that are all in registers, or all in threads.
struct BitGroup {
  unsigned bits;
  bool inRegisters;
};

/// A total that a loop carries.
struct CarriedTotal {
  scf::ForOp loop;
  unsigned index;
  Operation *combine; // combines the total and the reduction
  tt::ReduceOp reduce;
  Attribute identity;
  SmallVector<BitGroup> groups; // the groups of the axis, highest first
};

struct OptimizeThreadLocality
    : tessera::impl::TTGOptimizeThreadLocalityBase<OptimizeThreadLocality> {
  using TTGOptimizeThreadLocalityBase::TTGOptimizeThreadLocalityBase;
  void runOnOperation() override;
};

} // namespace

//===----------------------------------------------------------------------===//
// Deciding
//===----------------------------------------------------------------------===//

/// Returns the op of a reduction that consists of one op; null for others.
static Operation *onlyCombiner(tt::ReduceOp reduce) {
  if (reduce.getNumOperands() != 1)
    return nullptr;
  Block &block = reduce.getCombineOp().front();
  Operation *op = &block.front();
  bool isOnly = op->getNumOperands() == 2 && op->getNumResults() == 1 &&
                op->getNextNode() == block.getTerminator() &&
                block.getTerminator()->getOperands() == op->getResults() &&
                llvm::is_contained(op->getOperands(), block.getArgument(0)) &&
                llvm::is_contained(op->getOperands(), block.getArgument(1));
  return isOnly ? op : nullptr;
}

/// Returns the neutral element of an op whose operands may be regrouped; otherwise null.
static TypedAttr identityOf(Operation *op) {
  if (!isa<arith::AddFOp, arith::MulFOp, arith::MaxNumFOp, arith::MaximumFOp, arith::MinNumFOp,
           arith::MinimumFOp, arith::AddIOp, arith::MulIOp, arith::MaxSIOp, arith::MaxUIOp,
           arith::MinSIOp, arith::MinUIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
    return {};
  if (auto type = dyn_cast<FloatType>(op->getResult(0).getType())) {
    // Extrema start from infinity; formats without it are left alone.
    const llvm::fltSemantics &format = type.getFloatSemantics();
    if (!llvm::APFloat::semanticsHasInf(format))
      return {};
    bool isMin = isa<arith::MinNumFOp, arith::MinimumFOp>(op);
    bool isMax = isa<arith::MaxNumFOp, arith::MaximumFOp>(op);
    if (isMin || isMax)
      return FloatAttr::get(type, llvm::APFloat::getInf(format, /*Negative=*/isMax));
    // x + -0 is x for every x, also for +0.
    return isa<arith::AddFOp>(op)
               ? FloatAttr::get(type, llvm::APFloat::getZero(format, /*Negative=*/true))
               : FloatAttr::get(type, llvm::APFloat::getOne(format));
  }
  auto type = dyn_cast<IntegerType>(op->getResult(0).getType());
  if (!type)
    return {};
  unsigned width = type.getWidth();
  llvm::APInt value(width, 0);
  if (isa<arith::MulIOp>(op))
    value = llvm::APInt(width, 1);
  else if (isa<arith::AndIOp, arith::MinUIOp>(op))
    value = llvm::APInt::getAllOnes(width);
  else if (isa<arith::MaxSIOp>(op))
    value = llvm::APInt::getSignedMinValue(width);
  else if (isa<arith::MinSIOp>(op))
    value = llvm::APInt::getSignedMaxValue(width);
  return IntegerAttr::get(type, value);
}

/// Returns the groups of bits of the index along `axis`; nothing if bits are mixed.
static std::optional<SmallVector<BitGroup>> groupBits(const LinearLayout &layout, unsigned axis) {
  unsigned count = layout.outBits(Dim::axis(axis));
  SmallVector<bool> inRegisters(count);
  for (const DimBits &in : layout.ins())
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      uint64_t along = layout.basis(in.dim, bit, Dim::axis(axis));
      if (along == 0)
        continue;
      BasisVector basis = layout.basis(in.dim, bit);
      if (!llvm::isPowerOf2_64(along) || llvm::count_if(basis, [](int64_t c) { return c; }) != 1)
        return std::nullopt;
      inRegisters[llvm::Log2_64(along)] = in.dim == Dim::reg();
    }
  SmallVector<BitGroup> groups;
  for (bool isRegister : llvm::reverse(inRegisters)) {
    if (groups.empty() || groups.back().inRegisters != isRegister)
      groups.push_back({0, isRegister});
    ++groups.back().bits;
  }
  return groups;
}

/// Returns the reduction that is one operand of `combine`, if it has no other use.
static tt::ReduceOp reductionInto(Operation *combine, Value total) {
  for (Value operand : combine->getOperands()) {
    Value value = operand;
    if (auto convert = value.getDefiningOp<ttg::ConvertLayoutOp>(); convert && convert->hasOneUse())
      value = convert.getSrc();
    auto reduce = value.getDefiningOp<tt::ReduceOp>();
    if (operand != total && reduce && reduce->hasOneUse() &&
        reduce->getBlock() == combine->getBlock())
      return reduce;
  }
  return {};
}

/// If a reduction is added to the carried value but not transformed, `reason` says why.
static std::optional<CarriedTotal> findTotal(scf::ForOp loop, unsigned index, StringRef &reason) {
  Value total = loop.getRegionIterArgs()[index];
  Operation *combine = loop.getYieldedValues()[index].getDefiningOp();
  if (!combine || !total.hasOneUse() || *total.user_begin() != combine || !combine->hasOneUse() ||
      combine->getBlock() != loop.getBody() || combine->getNumOperands() != 2)
    return std::nullopt;
  tt::ReduceOp reduce = reductionInto(combine, total);
  Operation *combiner = reduce ? onlyCombiner(reduce) : nullptr;
  if (!combiner || combiner->getName() != combine->getName()) {
    reason = reduce ? "the loop and the reduction combine values by different ops" : "";
    return std::nullopt;
  }
  TypedAttr identity = identityOf(combiner);
  LinearLayout layout =
      ttg::toLinearLayout(cast<RankedTensorType>(reduce.getSrcs().front().getType()));
  std::optional<SmallVector<BitGroup>> groups = groupBits(layout, reduce.getAxis());
  // If a thread holds the whole axis, nothing is exchanged.
  bool isInThread =
      groups && llvm::all_of(*groups, [](const BitGroup &group) { return group.inRegisters; });
  if (!identity || !groups || isInThread) {
    reason = isInThread  ? "" // nothing is exchanged
             : !identity ? "the operation has no identity, or must not be regrouped"
                         : "the layout mixes the bits of the axis";
    return std::nullopt;
  }
  return CarriedTotal{loop, index, combine, reduce, identity, *groups};
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// Creates `reduce` on another value, along another axis.
static Value emitReduction(OpBuilder &b, tt::ReduceOp reduce, Value value, unsigned axis) {
  auto type = cast<RankedTensorType>(value.getType());
  auto copy = cast<tt::ReduceOp>(b.clone(*reduce));
  copy->setOperand(0, value);
  copy.setAxis(axis);
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + axis);
  Type result = type.getElementType();
  if (!shape.empty())
    result = RankedTensorType::get(
        shape, type.getElementType(),
        ttg::SliceEncodingAttr::get(b.getContext(), axis,
                                    cast<ttg::DistributedEncodingAttr>(type.getEncoding())));
  copy->getResult(0).setType(result);
  return copy->getResult(0);
}

/// Splits the axis of the tile into groups, and combines those in registers.
static Value emitInThread(OpBuilder &b, const CarriedTotal &total) {
  tt::ReduceOp reduce = total.reduce;
  Value value = reduce.getSrcs().front();
  unsigned axis = reduce.getAxis();
  if (total.groups.size() > 1) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape().take_front(axis));
    for (const BitGroup &group : total.groups)
      shape.push_back(int64_t(1) << group.bits);
    llvm::append_range(shape, type.getShape().drop_front(axis + 1));
    value = tt::ReshapeOp::create(b, reduce.getLoc(), shape, value);
  }
  for (unsigned i = total.groups.size(); i-- > 0;)
    if (total.groups[i].inRegisters)
      value = emitReduction(b, reduce, value, axis + i);
  return value;
}

static Value emitCombination(OpBuilder &b, Operation *combine, Value x, Value y) {
  Operation *copy = b.clone(*combine);
  copy->setOperands({x, y});
  copy->getResult(0).setType(x.getType());
  return copy->getResult(0);
}

/// Combines the threads' parts over the remaining groups of the axis.
static Value emitAcrossThreads(OpBuilder &b, const CarriedTotal &total, Value parts, Type type) {
  unsigned left =
      llvm::count_if(total.groups, [](const BitGroup &group) { return !group.inRegisters; });
  tt::ReduceOp reduce = total.reduce;
  for (unsigned i = left; i-- > 0;)
    parts = emitReduction(b, reduce, parts, reduce.getAxis() + i);
  if (parts.getType() == type)
    return parts;
  return ttg::ConvertLayoutOp::create(b, reduce.getLoc(), type, parts);
}

static void rewrite(CarriedTotal total, IRRewriter &b) {
  Location loc = total.reduce.getLoc();
  b.setInsertionPoint(total.combine);
  Value inThread = emitInThread(b, total);
  auto type = cast<RankedTensorType>(inThread.getType());
  b.setInsertionPoint(total.loop);
  Value start = arith::ConstantOp::create(b, loc, SplatElementsAttr::get(type, total.identity));
  NewYieldValuesFn unchanged = [](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
    return SmallVector<Value>(arguments.begin(), arguments.end());
  };
  Value init = total.loop.getInitArgs()[total.index];
  auto loop = cast<scf::ForOp>(*total.loop.replaceWithAdditionalYields(
      b, start, /*replaceInitOperandUsesInLoop=*/false, unchanged));

  Operation *yield = loop.getBody()->getTerminator();
  b.setInsertionPoint(total.combine);
  Value part = loop.getRegionIterArgs().back();
  yield->setOperand(yield->getNumOperands() - 1, emitCombination(b, total.combine, part, inThread));
  // The old total becomes loop-invariant, so that canonicalization removes it.
  yield->setOperand(total.index, loop.getRegionIterArgs()[total.index]);

  b.setInsertionPointAfter(loop);
  Value all = emitAcrossThreads(b, total, loop.getResults().back(), init.getType());
  Value result = emitCombination(b, total.combine, init, all);
  b.replaceAllUsesWith(loop.getResult(total.index), result);
  b.eraseOp(total.combine);
}

static void explainDeclined(ModuleOp module) {
  module.walk([&](scf::ForOp loop) {
    for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i) {
      StringRef reason;
      if (!findTotal(loop, i, reason) && !reason.empty())
        declined(loop.getYieldedValues()[i].getLoc(), kPass, "reduction")
            .says("threads combine their values in every iteration")
            .because("{0}", reason);
    }
  });
}

void OptimizeThreadLocality::runOnOperation() {
  IRRewriter b(&getContext());
  // Transforming a total replaces its loop, so the search starts again; the totals only become
  // fewer.
  bool changed = true;
  StringRef reason;
  while (changed) {
    changed = false;
    WalkResult result = getOperation().walk([&](scf::ForOp loop) {
      for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i)
        if (std::optional<CarriedTotal> total = findTotal(loop, i, reason)) {
          decided(total->reduce, kPass, "reduction")
              .says("threads exchange the reduction's results once, after the loop")
              .because("the loop only combines them");
          rewrite(*total, b);
          return WalkResult::interrupt();
        }
      return WalkResult::advance();
    });
    changed = result.wasInterrupted();
  }
  if (getContext().getRemarkEngine())
    explainDeclined(getOperation());
}
