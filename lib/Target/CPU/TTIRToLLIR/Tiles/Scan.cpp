//===- Scan.cpp - tt.scan -------------------------------------------------===//
// Inclusive scans along one axis of tiles, which are seen as [outer, extent, inner]. The combine
// function is associative but need not be commutative, so the value from elements that the scan
// visits earlier is always its left operand. A reverse scan visits the elements from the last to
// the first.
//
//   inner > 1    Rows of `inner` elements are combined as vectors:
//                row[k] = combine(row[k - 1], row[k]).
//   inner == 1   A vector of consecutive elements is scanned in registers, by
//                log2(lanes) steps of shift and combine, here for four lanes:
//
//                   a      b      c      d
//                   a      ab     bc     cd        shifted by 1
//                   a      ab     abc    abcd      shifted by 2
//
//                Then the carry of all preceding elements is combined from the left.
//                The carry is computed from the vector's total alone, so that the
//                dependency chain has one combination per vector.
//                Short scans (extent < lanes) share a vector; no step crosses
//                from one into the next.
//
// A combine function that cannot be applied to vectors (because it contains a loop, for example) is
// applied element by element. In both cases the order depends only on the shape and the processor.
//
// Cost: a vector of n lanes takes log2(n) + 2 combinations.
//===----------------------------------------------------------------------===//
#include "TileElements.h"
#include "../Kernel/Combine.h"
#include "../Kernel/Loops.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;

namespace {
using Values = SmallVector<Value>;

class ScanBuilder {
public:
  ScanBuilder(KernelContext &context, ScalarBlockLowering &scalarBlocks, tt::ScanOp op,
              ArrayRef<Tile> operands, ArrayRef<Tile> results)
      : context(context), scalarBlocks(scalarBlocks), b(context.builder, op.getLoc()),
        combineOp(op.getCombineOp()), reverse(op.getReverse()),
        view(operands[0].shape, op.getAxis()), operands(operands), results(results) {}

  void build();

private:
  void scanRows();
  void scanRowsInRegister(Value base);
  void scanRowsInMemory(Value base);
  void scanLines();
  void scanShortLines();
  void scanElements();

  Values combine(ArrayRef<Value> left, ArrayRef<Value> right) {
    return applyCombine(context, b, combineOp, left, right);
  }
  Values scanLanes(Values values, unsigned length);
  Value shift(Value value, unsigned distance, Value filling);

  /// Returns the distance of the `visit`-th of `count` steps from the start of the tile.
  Value placeOf(Value visit, int64_t count, int64_t step = 1) {
    return reverse ? b.sub(b.i64((count - 1) * step), visit) : visit;
  }
  Values load(ArrayRef<Tile> tiles, Value index, unsigned lanes) {
    return llvm::map_to_vector(
        tiles, [&](const Tile &tile) { return loadElements(b, tile, index, lanes); });
  }
  void store(Value index, ArrayRef<Value> values) {
    for (auto [tile, value] : llvm::zip_equal(results, values))
      storeElements(b, tile, index, value);
  }

  KernelContext &context;
  ScalarBlockLowering &scalarBlocks;
  LaneBuilder b;
  Region &combineOp;
  bool reverse;
  AxisView view;
  ArrayRef<Tile> operands, results;
  unsigned lanes = 1;
};
} // namespace

void ScanBuilder::build() {
  lanes = vectorLanes(context.spec, operands);
  if (findUncombinable(combineOp))
    scanElements();
  else if (view.inner > 1)
    scanRows();
  else if (view.extent < lanes)
    scanShortLines();
  else
    scanLines();
  touchTiles(context, operands);
  touchTiles(context, results);
}

//===----------------------------------------------------------------------===//
// Rows: the axis is not the last
//===----------------------------------------------------------------------===//

void ScanBuilder::scanRows() {
  lanes = std::min<int64_t>(lanes, view.inner);
  int64_t slice = view.extent * view.inner;
  forEach(b, b.i64(0), b.i64(view.outer * slice), slice, [&](Value base) {
    if (view.inner == lanes)
      scanRowsInRegister(base);
    else
      scanRowsInMemory(base);
  });
}

void ScanBuilder::scanRowsInRegister(Value base) {
  auto rowAt = [&](Value visit) { return b.add(base, placeOf(visit, view.extent, view.inner)); };
  Value first = rowAt(b.i64(0));
  Values start = load(operands, first, lanes);
  store(first, start);
  forEach(b, b.i64(view.inner), b.i64(view.extent * view.inner), view.inner, start,
          [&](Value visit, ArrayRef<Value> before) {
            Value row = rowAt(visit);
            Values values = combine(before, load(operands, row, lanes));
            store(row, values);
            return values;
          });
}

/// The preceding row is read back from the result: it is still in the cache.
void ScanBuilder::scanRowsInMemory(Value base) {
  auto rowAt = [&](Value visit) { return b.add(base, placeOf(visit, view.extent, view.inner)); };
  Value first = rowAt(b.i64(0));
  forEach(b, b.i64(0), b.i64(view.inner), lanes, [&](Value column) {
    Value index = b.add(first, column);
    store(index, load(operands, index, lanes));
  });
  forEach(b, b.i64(view.inner), b.i64(view.extent * view.inner), view.inner, [&](Value visit) {
    Value row = rowAt(visit);
    forEach(b, b.i64(0), b.i64(view.inner), lanes, [&](Value column) {
      Value index = b.add(row, column);
      Value previous = reverse ? b.add(index, view.inner) : b.sub(index, view.inner);
      store(index, combine(load(results, previous, lanes), load(operands, index, lanes)));
    });
  });
}

//===----------------------------------------------------------------------===//
// Lines: the axis is the last
//===----------------------------------------------------------------------===//

/// Gives each lane the value of the lane that is visited `distance` earlier, and the first lanes
/// some lane of `filling`.
Value ScanBuilder::shift(Value value, unsigned distance, Value filling) {
  SmallVector<int32_t> from;
  int32_t count = lanesOf(value);
  for (int32_t lane = 0; lane < count; ++lane) {
    int32_t source = reverse ? lane + int32_t(distance) : lane - int32_t(distance);
    from.push_back(source < 0 ? 2 * count + source : source);
  }
  return LLVM::ShuffleVectorOp::create(b.builder, b.loc, value, filling, from);
}

/// Scans runs of `length` lanes. Lanes that a step does not reach combine with the identity if
/// there is one, which is free; otherwise they are kept by a select.
Values ScanBuilder::scanLanes(Values values, unsigned length) {
  unsigned count = lanesOf(values[0]);
  if (TypedAttr identity = identityOf(combineOp); identity && length == count) {
    Value filling = b.splat(context.constant(b, identity), count);
    for (unsigned distance = 1; distance < length; distance *= 2)
      values = combine(shift(values[0], distance, filling), values);
    return values;
  }
  for (unsigned distance = 1; distance < length; distance *= 2) {
    SmallVector<bool> reached;
    for (unsigned lane = 0; lane < count; ++lane) {
      unsigned visit = reverse ? length - 1 - lane % length : lane % length;
      reached.push_back(visit >= distance);
    }
    auto type = VectorType::get({int64_t(count)}, b.builder.getI1Type());
    Value mask = LLVM::ConstantOp::create(b.builder, b.loc, type,
                                          DenseElementsAttr::get(type, ArrayRef<bool>(reached)));
    Values shifted =
        llvm::map_to_vector(values, [&](Value value) { return shift(value, distance, value); });
    Values combined = combine(shifted, values);
    for (auto [value, more] : llvm::zip_equal(values, combined))
      value = b.select(mask, more, value);
  }
  return values;
}

void ScanBuilder::scanLines() {
  auto splatLast = [&](ArrayRef<Value> values) {
    return llvm::map_to_vector(values, [&](Value value) {
      return b.splat(b.extract(value, reverse ? 0 : lanes - 1), lanes);
    });
  };
  int64_t vectors = view.extent / lanes;
  forEach(b, b.i64(0), b.i64(view.outer * view.extent), view.extent, [&](Value line) {
    Value first = b.add(line, placeOf(b.i64(0), vectors, lanes));
    Values start = scanLanes(load(operands, first, lanes), lanes);
    store(first, start);
    if (vectors == 1)
      return;
    forEach(b, b.i64(lanes), b.i64(view.extent), lanes, splatLast(start),
            [&](Value visit, ArrayRef<Value> before) {
              Value index = b.add(line, placeOf(visit, vectors, lanes));
              Values values = scanLanes(load(operands, index, lanes), lanes);
              store(index, combine(before, values));
              return combine(before, splatLast(values));
            });
  });
}

void ScanBuilder::scanShortLines() {
  int64_t elements = view.outer * view.extent;
  lanes = std::min<int64_t>(lanes, elements);
  forEach(b, b.i64(0), b.i64(elements), lanes,
          [&](Value index) { store(index, scanLanes(load(operands, index, lanes), view.extent)); });
}

//===----------------------------------------------------------------------===//
// One element after the other
//===----------------------------------------------------------------------===//

void ScanBuilder::scanElements() {
  int64_t slice = view.extent * view.inner;
  forEach(b, b.i64(0), b.i64(view.outer * slice), slice, [&](Value base) {
    forEach(b, b.i64(0), b.i64(view.inner), 1, [&](Value column) {
      Value begin = b.add(base, column);
      Value first = b.add(begin, placeOf(b.i64(0), view.extent, view.inner));
      Values start = load(operands, first, 0);
      store(first, start);
      forEach(b, b.i64(view.inner), b.i64(slice), view.inner, start,
              [&](Value visit, ArrayRef<Value> before) {
                Value index = b.add(begin, placeOf(visit, view.extent, view.inner));
                Values values = applyToScalars(context, scalarBlocks, combineOp, before,
                                               load(operands, index, 0));
                store(index, values);
                return values;
              });
    });
  });
}

void tessera::cpu::emitScan(KernelContext &context, ScalarBlockLowering &scalarBlocks,
                            tt::ScanOp op, ArrayRef<Tile> operands, ArrayRef<Tile> results) {
  ScanBuilder(context, scalarBlocks, op, operands, results).build();
}
