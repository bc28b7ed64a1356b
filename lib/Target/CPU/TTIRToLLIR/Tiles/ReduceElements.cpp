//===- ReduceElements.cpp - tt.reduce, element by element ----------------===//
// For functions that cannot be applied to vectors because they contain a loop, or with --debug an
// assertion that their sum does not overflow. Other reductions are computed in the nest that
// computes their operand (Reduce.h).
//
//   for each row and column { s = x[0]; for i from 1 { s = combine(s, x[i]) } }
//===----------------------------------------------------------------------===//
#include "TileElements.h"
#include "../Kernel/Combine.h"
#include "../Kernel/Loops.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;

namespace {
class ElementReducer {
public:
  ElementReducer(KernelContext &context, ScalarBlockLowering &scalarBlocks, tt::ReduceOp op,
                 ArrayRef<Tile> operands)
      : context(context), scalarBlocks(scalarBlocks), b(context.builder, op.getLoc()),
        combine(op.getCombineOp()), view(operands[0].shape, op.getAxis()), operands(operands) {}

  /// Reduces the elements of the column that begins at `begin`.
  SmallVector<Value> reduce(Value begin) {
    return forEach(b, b.i64(view.inner), b.i64(view.extent * view.inner), view.inner, load(begin),
                   [&](Value step, ArrayRef<Value> before) {
                     return applyToScalars(context, scalarBlocks, combine, before,
                                           load(b.add(begin, step)));
                   });
  }

  void reduceAll(ArrayRef<Tile> results) {
    int64_t slice = view.extent * view.inner;
    forEach(b, b.i64(0), b.i64(view.outer), 1, [&](Value o) {
      forEach(b, b.i64(0), b.i64(view.inner), 1, [&](Value column) {
        SmallVector<Value> values = reduce(b.add(b.mul(o, slice), column));
        for (auto [tile, value] : llvm::zip_equal(results, values))
          storeElements(b, tile, b.add(b.mul(o, view.inner), column), value);
      });
    });
  }

  LaneBuilder &builder() { return b; }

private:
  SmallVector<Value> load(Value index) {
    return llvm::map_to_vector(operands,
                               [&](const Tile &tile) { return loadElements(b, tile, index); });
  }

  KernelContext &context;
  ScalarBlockLowering &scalarBlocks;
  LaneBuilder b;
  Region &combine;
  AxisView view;
  ArrayRef<Tile> operands;
};
} // namespace

void tessera::cpu::emitReduceElements(KernelContext &context, ScalarBlockLowering &scalarBlocks,
                                      tt::ReduceOp op, ArrayRef<Tile> operands,
                                      ArrayRef<Tile> results) {
  ElementReducer reducer(context, scalarBlocks, op, operands);
  if (!results.empty()) {
    reducer.reduceAll(results);
  } else { // the operand has one axis: the results are scalars
    SmallVector<Value> values = reducer.reduce(reducer.builder().i64(0));
    for (auto [result, value] : llvm::zip_equal(op->getResults(), values))
      context.setScalar(result, value);
  }
  touchTiles(context, operands);
  touchTiles(context, results);
}
