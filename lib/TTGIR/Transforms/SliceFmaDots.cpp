//===- SliceFmaDots.cpp - loop over K for dots without a matrix unit -----===//
// A dot by multiply-adds needs all of K of its rows and columns in each thread, and code
// proportional to K times the results. If that is too much code, the operands are stored to shared
// memory with K as the slowest dimension, and a loop reads one slice at a time:
//
//   before: %d = tt.dot %a, %b, %c : 64x64 * 64x64 -> 64x64, #blocked
//   after:  %x = ttg.local_alloc %a ; %xs = ttg.memdesc_reinterpret %x : 64x64 -> 8x64x8
//           %y = ttg.local_alloc %b ; %ys = ttg.memdesc_reinterpret %y : 64x64 -> 8x8x64
//           %d = scf.for %i = 0 to 8 iter_args(%s = %c) {
//             %p = ttg.local_load %xs[%i] ; %q = ttg.local_load %ys[%i]
//             yield tt.dot %p, %q, %s }
//
// Adjacent elements in memory are adjacent along M (N), which is what a thread holds of a slice:
// its reads are wide, and those of a warp have no bank conflicts.
//
// Requires: loops are pipelined already. Ensures: values unchanged, products added in the same
// order. The pass leaves dots alone if shared memory would not suffice, and in clusters. Cost:
// linear.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Remarks.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTGSLICEFMADOTS
#include "tessera/TTGIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;

namespace {
struct SliceFmaDots : tessera::impl::TTGSliceFmaDotsBase<SliceFmaDots> {
  using TTGSliceFmaDotsBase::TTGSliceFmaDotsBase;
  void runOnOperation() override;
};
} // namespace

static RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

static unsigned innerAxis(unsigned operand, unsigned rank) {
  return operand == 0 ? rank - 1 : rank - 2;
}

//===----------------------------------------------------------------------===//
// Decide
//===----------------------------------------------------------------------===//

/// Returns whether threads hold all of K of this operand.
static bool isFmaOperand(Value operand) {
  auto encoding = dyn_cast_or_null<ttg::DotOperandEncodingAttr>(tensorType(operand).getEncoding());
  return encoding && isa<ttg::BlockedEncodingAttr>(encoding.getParent());
}

static uint64_t registersOf(Value value) {
  return ttg::toLinearLayout(tensorType(value)).inSize(Dim::reg());
}

static uint64_t bytesOf(ShapedType type) {
  return type.getNumElements() * std::max(8u, type.getElementTypeBitWidth()) / 8;
}

/// Returns the elements of a slice along K; all of them if the code is short enough.
static int64_t chooseSlice(tt::DotOp dot) {
  // A few thousand instructions fit the instruction cache.
  constexpr uint64_t worthSlicing = 8192;
  // The registers of 255 that accumulators and addresses leave, with space for the next slice.
  constexpr uint64_t perSlice = 64;
  int64_t inner = tensorType(dot.getA()).getShape().back();
  uint64_t registers = registersOf(dot.getA()) + registersOf(dot.getB());
  if (registersOf(dot.getD()) * inner <= worthSlicing)
    return inner;
  int64_t slice = inner;
  while (slice > 1 && registers * slice / inner > perSlice)
    slice /= 2;
  return slice;
}

/// Returns the shared memory that the kernel's buffers take.
static uint64_t allocatedBytes(ModuleOp module) {
  uint64_t bytes = 0;
  module.walk([&](ttg::LocalAllocOp alloc) {
    ttg::MemDescType type = alloc.getType();
    bytes +=
        ShapedType::getNumElements(type.getShape()) * tt::getElementBits(type.getElementType()) / 8;
  });
  return bytes;
}

//===----------------------------------------------------------------------===//
// Mutate
//===----------------------------------------------------------------------===//

/// Returns the operand in a layout without copies in other threads.
static Value spreadOut(OpBuilder &b, Value operand) {
  Location loc = operand.getLoc();
  RankedTensorType type = tensorType(operand);
  Operation *op = b.getInsertionBlock()->getParentOp();
  auto plain = ttg::BlockedEncodingAttr::getDefault(
      b.getContext(), type.getShape(), ttg::lookupNumWarps(op).value_or(1),
      ttg::getThreadsPerWarp(op->getParentOfType<ModuleOp>()), /*numCTAs=*/1);
  type = type.cloneWithEncoding(plain);
  if (auto load = operand.getDefiningOp<ttg::LocalLoadOp>()) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(load);
    return ttg::LocalLoadOp::create(b, loc, type, load.getSrc(), load.getToken());
  }
  return ttg::ConvertLayoutOp::create(b, loc, type, operand);
}

static ttg::MemDescType bufferType(ArrayRef<int64_t> shape, Type element, Attribute encoding) {
  return ttg::MemDescType::get(shape, element, encoding,
                               ttg::SharedMemorySpaceAttr::get(element.getContext()),
                               /*mutableMemory=*/false);
}

/// Stores the operand to shared memory, as buffers of `slice` elements along K.
static Value storeSlices(OpBuilder &b, Location loc, Value value, unsigned operand, int64_t slice) {
  RankedTensorType type = tensorType(value);
  unsigned rank = type.getRank(), inner = innerAxis(operand, rank);
  SmallVector<unsigned> order{operand == 0 ? rank - 2 : rank - 1};
  for (unsigned batch = rank - 2; batch-- > 0;)
    order.push_back(batch);
  order.push_back(inner);
  auto encoding = ttg::SwizzledSharedEncodingAttr::get(
      b.getContext(), /*vec=*/1, /*perPhase=*/1, /*maxPhase=*/1, order,
      ttg::CGALayoutAttr::getTrivial(b.getContext(), rank));
  Value whole = ttg::LocalAllocOp::create(
      b, loc, bufferType(type.getShape(), type.getElementType(), encoding), value);
  SmallVector<int64_t> shape{type.getDimSize(inner) / slice};
  llvm::append_range(shape, type.getShape());
  shape[inner + 1] = slice;
  return ttg::MemDescReinterpretOp::create(
      b, loc, bufferType(shape, type.getElementType(), encoding), whole);
}

static Value loadSlice(OpBuilder &b, Location loc, Value slices, Value index, Attribute encoding) {
  auto type = cast<ttg::MemDescType>(slices.getType());
  ttg::MemDescType tile =
      bufferType(type.getShape().drop_front(), type.getElementType(), type.getEncoding());
  Value slice = ttg::MemDescIndexOp::create(b, loc, tile, slices, index);
  auto tensor = RankedTensorType::get(tile.getShape(), tile.getElementType(), encoding);
  return ttg::LocalLoadOp::create(b, loc, tensor, slice);
}

static void replace(tt::DotOp dot, int64_t slice) {
  OpBuilder b(dot);
  Location loc = dot.getLoc();
  Value slices[2];
  for (unsigned operand : {0u, 1u}) {
    OpBuilder::InsertionGuard guard(b);
    Value value = dot->getOperand(operand);
    // A conversion may be outside of loops in which the operand is invariant.
    if (auto conversion = value.getDefiningOp<ttg::ConvertLayoutOp>()) {
      b.setInsertionPoint(conversion);
      value = conversion.getSrc();
    } else {
      value = spreadOut(b, value);
    }
    slices[operand] = storeSlices(b, loc, value, operand, slice);
  }
  int64_t count = tensorType(dot.getA()).getShape().back() / slice;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  };
  auto body = [&](OpBuilder &b, Location loc, Value index, ValueRange sums) {
    Value factors[2];
    for (unsigned operand : {0u, 1u})
      factors[operand] = loadSlice(b, loc, slices[operand], index,
                                   tensorType(dot->getOperand(operand)).getEncoding());
    Value sum = tt::DotOp::create(b, loc, dot.getC().getType(), factors[0], factors[1], sums[0],
                                  dot.getInputPrecision(), dot.getMaxNumImpreciseAcc());
    scf::YieldOp::create(b, loc, sum);
  };
  auto loop =
      scf::ForOp::create(b, loc, constant(0), constant(count), constant(1), dot.getC(), body);
  SmallVector<Operation *> sources = {dot.getA().getDefiningOp(), dot.getB().getDefiningOp()};
  dot.replaceAllUsesWith(loop.getResult(0));
  dot.erase();
  for (Operation *source : sources)
    if (source && isOpTriviallyDead(source))
      source->erase();
}

void SliceFmaDots::runOnOperation() {
  ModuleOp module = getOperation();
  if (ttg::getNumCTAs(module) != 1)
    return;
  constexpr llvm::StringLiteral pass = "ttg-slice-fma-dots";
  SmallVector<std::pair<tt::DotOp, int64_t>> plans;
  uint64_t bytes = allocatedBytes(module);
  module.walk([&](tt::DotOp dot) {
    if (!isFmaOperand(dot.getA()) || !isFmaOperand(dot.getB()))
      return;
    int64_t slice = chooseSlice(dot);
    uint64_t needed = bytesOf(tensorType(dot.getA())) + bytesOf(tensorType(dot.getB()));
    int64_t inner = tensorType(dot.getA()).getShape().back();
    if (slice == inner || bytes + needed > maxSharedBytes) {
      PassRemark remark = declined(dot, pass, "slices");
      remark.says("the dot is computed as a whole");
      if (slice == inner)
        remark.because("its code is short: K is {0}", inner);
      else
        remark.because("its operands need {0} bytes of shared memory beside {1}, of {2}", needed,
                       bytes, maxSharedBytes.getValue());
      return;
    }
    decided(dot, pass, "slices")
        .says("a loop computes the dot in {0} slices along K", inner / slice)
        .number("slices", inner / slice)
        .number("k", slice);
    bytes += needed;
    plans.push_back({dot, slice});
  });
  for (auto [dot, slice] : plans)
    replace(dot, slice);
}
