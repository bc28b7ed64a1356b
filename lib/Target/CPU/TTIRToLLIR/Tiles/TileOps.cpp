//===- TileOps.cpp - ops that take whole tensors --------------------------===//
// Dispatches to the lowering of each op. See TileOps.h.
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

namespace {
/// Finds the tiles and scalars of an op's operands, and reserves tiles for its results.
class Operands {
public:
  Operands(KernelContext &context, Operation *op)
      : context(context), op(op), b(context.builder, op->getLoc()) {}

  Tile tile(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    Value address = context.tile(value);
    context.arena().touch(address);
    return {address, SmallVector<int64_t, 4>(type.getShape()), type.getElementType(),
            context.isColumnMajor(value)};
  }
  /// Returns an operand of a dot, possibly transposed.
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
  SmallVector<TileOrScalar> eithers(ValueRange values) {
    return llvm::map_to_vector(values, [&](Value value) { return either(value); });
  }
  SmallVector<Tile> tiles(ValueRange values) {
    return llvm::map_to_vector(values, [&](Value value) { return tile(value); });
  }

  void reserveResults() {
    for (Value result : op->getResults())
      if (isTensor(result))
        context.setTile(result, context.reserveTile(b, result));
  }

private:
  KernelContext &context;
  Operation *op;
  LaneBuilder b;
};
} // namespace

/// Old values are stored only if the result of the atomic is used.
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
    context.setScalar(result, scalar);
}

void tessera::cpu::emitTileOp(KernelContext &context, ScalarBlockLowering &scalarBlocks,
                              Operation *op) {
  if (isa<tt::AtomicRMWOp, tt::AtomicCASOp>(op))
    return emitAtomic(context, op);
  if (auto reshape = dyn_cast<tt::ReshapeOp>(op)) {
    context.setTile(reshape.getResult(),
                    context.tile(reshape.getSrc())); // the elements have the same order
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
        emitScan(context, scalarBlocks, scan, in.tiles(scan->getOperands()),
                 in.tiles(scan->getResults()));
      })
      .Case([&](tt::ReduceOp reduce) {
        bool keeps = isTensor(reduce->getResult(0));
        emitReduceElements(context, scalarBlocks, reduce, in.tiles(reduce->getOperands()),
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
        emitMapElementwise(context, scalarBlocks, map, in.tiles(map->getOperands()),
                           in.tiles(map->getResults()));
      })
      .Case([&](ttc::CheckAccessOp check) {
        emitCheckAccess(context, check, in.either(check.getPtr()), in.either(check.getMask()),
                        in.either(check.getSafe()).tile);
      })
      .Case([&](tt::PrintOp print) { emitPrint(context, print, in.eithers(print->getOperands())); })
      .Case([&](tt::AssertOp assert) {
        emitAssert(context, assert, in.either(assert.getCondition()));
      })
      .Default([](Operation *) {});
}
