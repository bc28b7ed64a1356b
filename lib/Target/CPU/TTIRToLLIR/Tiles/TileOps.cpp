//===- TileOps.cpp - ops that take whole tensors --------------------------===//
// Which they are, what they need in memory, and the way to each one's lowering.
// See TileOps.h.
//===----------------------------------------------------------------------===//
#include "TileOps.h"
#include "Sanitize.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
#include "../Kernel/Combine.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;

bool tessera::cpu::isWholeTileOp(Operation *op) {
  if (isa<tt::ReshapeOp>(op))
    return !isRenaming(op);
  if (auto reduce = dyn_cast<tt::ReduceOp>(op))
    return findUncombinable(reduce.getCombineOp()) != nullptr;
  return isa<tt::DotOp, tt::DotScaledOp, tt::ScanOp, tt::GatherOp, tt::HistogramOp, tt::CatOp,
             tt::AtomicRMWOp, tt::AtomicCASOp, tt::PrintOp, tt::AssertOp, tt::MapElementwiseOp,
             ttc::ExchangeOp, ttc::CheckAccessOp>(op);
}

static bool isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

/// An accumulator of zeros is not read.
static Value accumulatorOf(Operation *op) {
  if (auto dot = dyn_cast<tt::DotOp>(op))
    return dot.getC();
  if (auto dot = dyn_cast<tt::DotScaledOp>(op))
    return dot.getC();
  return {};
}

/// The mask of an atomic that lets everything through: as good as none.
static Value idleMask(Operation *op) {
  auto rmw = dyn_cast<tt::AtomicRMWOp>(op);
  Value mask = rmw ? rmw.getMask() : Value();
  return mask && matchPattern(mask, m_One()) ? mask : Value();
}

/// A dot takes the transpose of a tile as easily as the tile.
static Value beforeTransposition(Value operand) {
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

namespace {
/// Finds the tiles and scalars of an op's operands, and makes room for results.
class Operands {
public:
  Operands(KernelContext &context, Operation *op)
      : context(context), op(op), b(context.builder, op->getLoc()) {}

  Tile tile(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    Value address = context.tiles.lookup(value);
    context.arena.touch(address);
    return {address, SmallVector<int64_t, 4>(type.getShape()), type.getElementType(),
            context.columnMajor.contains(value)};
  }
  /// An operand of a dot, perhaps seen transposed.
  Tile matrix(Value value) {
    Value source = beforeTransposition(value);
    if (!source)
      return tile(value);
    Tile result = tile(source);
    std::swap(result.shape.back(), result.shape[result.shape.size() - 2]);
    result.columnMajor = !result.columnMajor;
    return result;
  }
  std::optional<Tile> optional(Value value) {
    return value ? std::optional<Tile>(tile(value)) : std::nullopt;
  }
  std::optional<Tile> accumulator(Value value) {
    return isZero(value) ? std::nullopt : optional(value);
  }
  TileOrScalar either(Value value) {
    if (!value)
      return {};
    return isTensor(value) ? TileOrScalar{tile(value), {}}
                           : TileOrScalar{{}, context.scalar(value)};
  }
  SmallVector<Tile> tiles(ValueRange values) {
    return llvm::map_to_vector(values, [&](Value value) { return tile(value); });
  }

  void reserveResults() {
    for (Value result : op->getResults())
      if (isTensor(result))
        context.tiles[result] = context.reserveTile(b, result);
  }

private:
  KernelContext &context;
  Operation *op;
  LaneBuilder b;
};
} // namespace

/// Atomics give old values only to those who ask.
static void emitAtomic(KernelContext &context, Operation *op) {
  Operands operands(context, op);
  Value result = op->getResult(0);
  bool keeps = isTensor(result) && !result.use_empty();
  if (keeps)
    operands.reserveResults();
  std::optional<Tile> old = keeps ? operands.optional(result) : std::nullopt;
  Value scalar;
  if (auto rmw = dyn_cast<tt::AtomicRMWOp>(op)) {
    scalar =
        emitAtomicRMW(context, rmw, operands.either(rmw.getPtr()), operands.either(rmw.getVal()),
                      idleMask(op) ? TileOrScalar() : operands.either(rmw.getMask()), old);
  } else {
    auto cas = cast<tt::AtomicCASOp>(op);
    scalar = emitAtomicCAS(context, cas, operands.either(cas.getPtr()),
                           operands.either(cas.getCmp()), operands.either(cas.getVal()), old);
  }
  if (!isTensor(result))
    context.scalars[result] = scalar;
}

void tessera::cpu::emitTileOp(KernelContext &context, Operation *op) {
  if (isa<tt::AtomicRMWOp, tt::AtomicCASOp>(op))
    return emitAtomic(context, op);
  if (auto reshape = dyn_cast<tt::ReshapeOp>(op)) {
    context.tiles[reshape.getResult()] = context.tiles.lookup(reshape.getSrc()); // same order
    return;
  }
  Operands in(context, op);
  in.reserveResults();
  TypeSwitch<Operation *>(op)
      .Case([&](tt::DotOp dot) {
        emitDot(context, dot, in.matrix(dot.getA()), in.matrix(dot.getB()),
                in.accumulator(dot.getC()), in.tile(dot.getResult()));
      })
      .Case([&](tt::DotScaledOp dot) {
        emitDotScaled(context, dot, in.tile(dot.getA()), in.optional(dot.getAScale()),
                      in.tile(dot.getB()), in.optional(dot.getBScale()), in.accumulator(dot.getC()),
                      in.tile(dot.getResult()));
      })
      .Case([&](tt::ScanOp scan) {
        emitScan(context, scan, in.tiles(scan->getOperands()), in.tiles(scan->getResults()));
      })
      .Case([&](tt::ReduceOp reduce) {
        bool keeps = isTensor(reduce->getResult(0));
        emitReduceElements(context, reduce, in.tiles(reduce->getOperands()),
                           in.tiles(keeps ? ValueRange(reduce->getResults()) : ValueRange()));
      })
      .Case([&](tt::GatherOp gather) {
        emitGather(context, gather, in.tile(gather.getSrc()), in.tile(gather.getIndices()),
                   in.tile(gather.getResult()));
      })
      .Case([&](tt::HistogramOp histogram) {
        emitHistogram(context, histogram, in.tile(histogram.getSrc()),
                      in.optional(histogram.getMask()), in.tile(histogram.getResult()));
      })
      .Case([&](tt::CatOp cat) {
        emitCat(context, cat, in.tile(cat.getLhs()), in.tile(cat.getRhs()),
                in.tile(cat.getResult()));
      })
      .Case([&](ttc::ExchangeOp exchange) {
        emitExchange(context, exchange, in.tile(exchange.getSrc()), in.tile(exchange.getResult()));
      })
      .Case([&](tt::MapElementwiseOp map) {
        emitMapElementwise(context, map, in.tiles(map->getOperands()), in.tiles(map->getResults()));
      })
      .Case([&](ttc::CheckAccessOp check) {
        bool many = isTensor(check.getSafe());
        emitCheckAccess(context, check, in.either(check.getPtr()), in.either(check.getMask()),
                        many ? in.optional(check.getSafe()) : std::nullopt);
      })
      .Case([&](tt::PrintOp print) {
        SmallVector<TileOrScalar> operands;
        for (Value operand : print->getOperands())
          operands.push_back(in.either(operand));
        emitPrint(context, print, operands);
      })
      .Case([&](tt::AssertOp assert) {
        emitAssert(context, assert, in.either(assert.getCondition()));
      })
      .Default([](Operation *) {});
}
