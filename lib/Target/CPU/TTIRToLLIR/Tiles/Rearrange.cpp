//===- Rearrange.cpp - tt.gather, tt.histogram, tt.cat --------------------===//
// Ops that move elements by index.
//
// Cases that the language leaves undefined are defined here. An index of tt.gather beyond the axis
// wraps around: only its low log2(extent) bits are used, so that no read is out of bounds. A value
// of tt.histogram that is no bin is not counted. Integers have no sign in the IR; both ops read
// them as unsigned, so that 8 bits can index all of 256 rows or bins.
//===----------------------------------------------------------------------===//
#include "TileElements.h"
#include "../Kernel/Loops.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;
using Int = LLVM::ICmpPredicate;

//===----------------------------------------------------------------------===//
// tt.gather
//===----------------------------------------------------------------------===//

/// Element [o, i, n] of the result is element [o, indices[o, i, n], n] of the source. Processors
/// gather elements of 4 and 8 bytes; other elements are loaded one by one.
void tessera::cpu::emitGather(KernelContext &context, tt::GatherOp op, const Tile &source,
                              const Tile &indices, const Tile &result) {
  LaneBuilder b(context.builder, op.getLoc());
  AxisView from(source.shape, op.getAxis()), to(indices.shape, op.getAxis());
  unsigned bytes = elementBytes(source.element);
  // The vector lanes are along the last axis.
  int64_t line = to.inner > 1 ? to.inner : to.extent;
  int64_t fits = context.spec.vectorBits / (8 * std::max(bytes, 4u));
  unsigned lanes = bytes >= 4 ? std::min(line, fits) : 0;
  // A slice of the source has less than 2^31 bytes, and gathers are faster with i32 offsets.
  Type i32 = b.builder.getI32Type();

  auto gather = [&](Value index, Value slice, Value column) {
    Value row = b.resizeUnsigned(loadElements(b, indices, index, lanes), i32);
    Value place = b.mul(b.bitAnd(row, from.extent - 1), from.inner);
    if (to.inner > 1) {
      Value first = b.resizeSigned(column, i32);
      place = b.add(place, lanes ? b.add(b.iota(i32, lanes), first) : first);
    }
    MemoryAccess access{source.element, b.offset(slice, b.mul(place, bytes)), {}, lanes};
    storeElements(b, result, index, emitLoad(b, access, {}));
  };
  forEach(b, b.i64(0), b.i64(to.outer), 1, [&](Value o) {
    Value slice = elementAddress(b, source, b.mul(o, from.extent * from.inner));
    Value first = b.mul(o, to.extent * to.inner);
    forEach(b, b.i64(0), b.i64(to.extent * to.inner / line), 1, [&](Value i) {
      Value row = b.add(first, b.mul(i, line));
      forEach(b, b.i64(0), b.i64(line), std::max(lanes, 1u),
              [&](Value column) { gather(b.add(row, column), slice, column); });
    });
  });
  touchTiles(context, {source, indices, result});
}

//===----------------------------------------------------------------------===//
// tt.histogram
//===----------------------------------------------------------------------===//

/// Incrementing the same bin twice in a row waits for the first store. Adjacent elements therefore
/// increment different copies of the bins, if there are enough elements to pay for adding the
/// copies. Elements that are not counted increment a dummy counter, which avoids a branch.
namespace {
constexpr int64_t kCopies = 4;

class HistogramBuilder {
public:
  HistogramBuilder(KernelContext &context, Location loc, const Tile &source,
                   const std::optional<Tile> &mask, const Tile &result)
      : context(context), b(context.builder, loc), source(source), mask(mask), result(result),
        bytes(result.elements() * elementBytes(result.element)) {}

  void build();

private:
  void count(Value index, Value bins);
  void addUp(ArrayRef<Tile> copies);

  KernelContext &context;
  LaneBuilder b;
  const Tile &source;
  const std::optional<Tile> &mask;
  const Tile &result;
  int64_t bytes;
  Value nowhere;
};
} // namespace

void HistogramBuilder::count(Value index, Value bins) {
  Type type = convertElement(result.element);
  Value value = b.resizeUnsigned(loadElements(b, source, index), b.builder.getI64Type());
  Value counts = b.compare(Int::ult, value, result.elements());
  if (mask)
    counts = b.bitAnd(counts, loadElements(b, *mask, index));
  Value bin = b.offset(bins, b.mul(value, elementBytes(result.element)));
  Value place = b.select(counts, bin, nowhere);
  unsigned align = elementBytes(result.element);
  Value before = LLVM::LoadOp::create(b.builder, b.loc, type, place, align);
  LLVM::StoreOp::create(b.builder, b.loc, b.add(before, 1), place, align);
}

/// Adds the copies to the result.
void HistogramBuilder::addUp(ArrayRef<Tile> copies) {
  int64_t fits = context.spec.vectorBits / (8 * elementBytes(result.element));
  unsigned lanes = std::min(fits, result.elements());
  forEach(b, b.i64(0), b.i64(result.elements()), lanes, [&](Value index) {
    Value sum = loadElements(b, result, index, lanes);
    for (const Tile &copy : copies)
      sum = b.add(sum, loadElements(b, copy, index, lanes));
    storeElements(b, result, index, sum);
  });
}

void HistogramBuilder::build() {
  int64_t elements = source.elements();
  bool pays = elements >= kCopies * result.elements();
  int64_t copies = pays ? std::min(kCopies, elements) : 1;
  Value zero = b.integer(b.builder.getI8Type(), int64_t(0));
  SmallVector<Tile> more;
  // One buffer holds the copies and the dummy counter.
  Value room = context.reserveBytes(b, (copies - 1) * bytes + 64);
  nowhere = b.offset(room, (copies - 1) * bytes);
  for (int64_t copy = 0; copy + 1 < copies; ++copy)
    more.push_back({b.offset(room, copy * bytes), result.shape, result.element});
  LLVM::MemsetOp::create(b.builder, b.loc, result.address, zero, b.i64(bytes), false);
  if (copies > 1)
    LLVM::MemsetOp::create(b.builder, b.loc, room, zero, b.i64((copies - 1) * bytes), false);

  forEach(b, b.i64(0), b.i64(elements), copies, [&](Value index) {
    count(index, result.address);
    for (auto [i, copy] : llvm::enumerate(more))
      count(b.add(index, int64_t(i) + 1), copy.address);
  });
  if (copies > 1)
    addUp(more);
  context.arena().touch(room);
  touchTiles(context, {source, result});
  if (mask)
    touchTiles(context, *mask);
}

void tessera::cpu::emitHistogram(KernelContext &context, tt::HistogramOp op, const Tile &source,
                                 const std::optional<Tile> &mask, const Tile &result) {
  HistogramBuilder(context, op.getLoc(), source, mask, result).build();
}

//===----------------------------------------------------------------------===//
// tt.cat
//===----------------------------------------------------------------------===//

/// The language allows any order; the operands are concatenated.
void tessera::cpu::emitCat(KernelContext &context, tt::CatOp op, const Tile &left,
                           const Tile &right, const Tile &result) {
  LaneBuilder b(context.builder, op.getLoc());
  int64_t bytes = left.elements() * elementBytes(left.element);
  LLVM::MemcpyOp::create(b.builder, b.loc, result.address, left.address, b.i64(bytes), false);
  LLVM::MemcpyOp::create(b.builder, b.loc, b.offset(result.address, bytes), right.address,
                         b.i64(bytes), false);
  touchTiles(context, {left, right, result});
}
