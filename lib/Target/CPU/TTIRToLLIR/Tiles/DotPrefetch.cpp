//===- DotPrefetch.cpp - prefetch the next tiles during a product --------===//
// See DotPrefetch.h. Without prefetching, loading two tiles of 128 x 64 f32 from the last-level
// cache takes 40 % of the time of their product: a core supports a dozen outstanding lines, and
// hardware prefetchers do not follow rows that are pages apart.
//===----------------------------------------------------------------------===//
#include "DotPrefetch.h"
#include "DotPack.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/MathExtras.h"
#include "../Nest/LoopNest.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;

/// Smaller tiles are in the caches, or not worth prefetching.
static constexpr int64_t kLeastLines = 64;
static constexpr int64_t kLineBytes = 64;
/// A larger step is no step of a loop; the tile may belong to another program.
static constexpr int64_t kFarthest = int64_t(1) << 25;

/// Returns whether an element of `tensor` can be computed from scalars, without memory accesses.
static bool isComputable(Value tensor) {
  SmallVector<Value> worklist = {tensor};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!isa<RankedTensorType>(value.getType()))
      continue;
    Operation *op = value.getDefiningOp();
    if (!op || seen.size() > 64)
      return false;
    if (!seen.insert(op).second)
      continue;
    if (!isa_and_nonnull<arith::ArithDialect>(op->getDialect()) &&
        !isa<tt::AddPtrOp, tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::MakeRangeOp>(op))
      return false;
    llvm::append_range(worklist, op->getOperands());
  }
  return true;
}

/// Returns the load of `operand`, also through a transposition.
static tt::LoadOp loadOf(tt::DotOp op, Value operand) {
  if (auto trans = operand.getDefiningOp<tt::TransOp>())
    operand = trans.getSrc();
  auto load = operand.getDefiningOp<tt::LoadOp>();
  bool isHere = load && load->getBlock() == op->getBlock();
  return isHere && isa<scf::ForOp, scf::WhileOp>(op->getParentOp()) ? load : tt::LoadOp();
}

/// Extrapolates the address `now` to the next iteration from that of the last one.
static Value guessNext(KernelContext &context, LaneBuilder &b, Value now) {
  Type i64 = b.builder.getI64Type();
  Value slot = context.reserveSlot(i64);
  {
    OpBuilder::InsertionGuard guard(b.builder);
    b.builder.setInsertionPoint(context.entryPlace());
    LLVM::StoreOp::create(b.builder, b.loc, b.i64(0), slot);
  }
  Value address = b.addressOf(now);
  Value step = b.sub(address, LLVM::LoadOp::create(b.builder, b.loc, i64, slot));
  LLVM::StoreOp::create(b.builder, b.loc, address, slot);
  // One unsigned comparison checks both bounds.
  Value isNear = b.compare(LLVM::ICmpPredicate::ult, b.add(step, kFarthest), 2 * kFarthest);
  return b.offset(now, b.select(isNear, step, b.i64(0)));
}

namespace {
/// A load whose tile is worth prefetching, by rows as they are in memory.
struct Candidate {
  tt::LoadOp load;
  bool isColumnMajor;
  int64_t rows, lines;
};
} // namespace

static std::optional<Candidate> findCandidate(KernelContext &context, tt::DotOp op, Value operand) {
  tt::LoadOp load = loadOf(op, operand);
  auto type = load ? dyn_cast<RankedTensorType>(load.getType()) : RankedTensorType();
  if (!type || type.getRank() != 2 || !isComputable(load.getPtr()))
    return std::nullopt;
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  bool isColumnMajor = context.isColumnMajor(load.getResult());
  if (isColumnMajor)
    std::swap(rows, columns);
  int64_t lines = columns * elementBytes(type.getElementType()) / kLineBytes;
  if (rows < 2 || rows * lines < kLeastLines)
    return std::nullopt;
  return Candidate{load, isColumnMajor, rows, lines};
}

static NextTile locate(KernelContext &context, LaneBuilder &b, const Candidate &candidate) {
  Value zero = b.i64(0), one = b.i64(1), pointers = candidate.load->getOperand(0);
  Value first = emitElementAt(context, pointers, {zero, zero});
  Value second = candidate.isColumnMajor ? emitElementAt(context, pointers, {zero, one})
                                         : emitElementAt(context, pointers, {one, zero});
  Value rowBytes = b.sub(b.addressOf(second), b.addressOf(first));
  return NextTile{guessNext(context, b, first), rowBytes, candidate.rows, candidate.lines};
}

SmallVector<NextTile, 2> tessera::cpu::findNextTiles(KernelContext &context, tt::DotOp op) {
  std::optional<Candidate> a = findCandidate(context, op, op.getA());
  std::optional<Candidate> b = findCandidate(context, op, op.getB());
  if (!a || !b)
    return {};
  LaneBuilder builder(context.builder, op.getLoc());
  return {locate(context, builder, *a), locate(context, builder, *b)};
}

void tessera::cpu::emitPrefetch(LaneBuilder &b, const NextTile &tile, Value block, int64_t blocks) {
  int64_t share = std::max<int64_t>(1, tile.count() / blocks);
  int64_t unroll = std::min<int64_t>(share, 8);
  Value first = b.mul(b.bitAnd(block, tile.count() / share - 1), share);
  emitCounted(b, share, unroll, [&](Value index) {
    for (int64_t i = 0; i < unroll; ++i) {
      Value line = b.add(b.add(first, index), i);
      Value row = b.mul(b.shiftRight(line, llvm::Log2_64(tile.lines)), tile.rowBytes);
      Value column = b.mul(b.bitAnd(line, tile.lines - 1), kLineBytes);
      // The prefetch is for reading, into the L2 cache: the L1 cache holds the current operands.
      LLVM::Prefetch::create(b.builder, b.loc, b.offset(tile.base, b.add(row, column)), /*rw=*/0,
                             /*hint=*/2, /*cache=*/1);
    }
  });
}
