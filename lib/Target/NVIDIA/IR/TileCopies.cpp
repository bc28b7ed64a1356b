//===- TileCopies.cpp - tensor copies (TMA) for the pipeliner -------------===//
// See TTGIR/IR/TileCopies.h. Barriers are mbarriers.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/IR/TileCopies.h"
#include "tessera/Target/NVIDIA/IR/TTNGOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::ttng;

static ttg::MemDescType barrierType(MLIRContext *context, ArrayRef<int64_t> shape) {
  auto cga = ttg::CGALayoutAttr::getTrivial(context, 1);
  auto encoding = ttg::SwizzledSharedEncodingAttr::get(context, 1, 1, 1, {0}, cga);
  return ttg::MemDescType::get(shape, IntegerType::get(context, 64), encoding,
                               ttg::SharedMemorySpaceAttr::get(context), /*mutableMemory=*/true);
}

namespace {
struct TensorCopies : ttg::TileCopies {
  using TileCopies::TileCopies;

  Value makeBarriers(OpBuilder &b, Location loc, unsigned count, unsigned arrivals) const final {
    Value barriers = ttg::LocalAllocOp::create(b, loc, barrierType(b.getContext(), {count, 1}));
    for (unsigned number = 0; number < count; ++number)
      InitBarrierOp::create(b, loc, choose(b, loc, barriers, number), arrivals);
    return barriers;
  }
  void endBarriers(OpBuilder &b, Location loc, Value barriers, unsigned count) const final {
    for (unsigned number = 0; number < count; ++number)
      InvalBarrierOp::create(b, loc, choose(b, loc, barriers, number));
    ttg::LocalDeallocOp::create(b, loc, barriers);
  }
  Operation *chooseBarrier(OpBuilder &b, Location loc, Value barriers, Value number) const final {
    return ttg::MemDescIndexOp::create(b, loc, barrierType(b.getContext(), {1}), barriers, number);
  }
  Operation *expect(OpBuilder &b, Location loc, Value full, unsigned bytes,
                    Value predicate) const final {
    return BarrierExpectOp::create(b, loc, full, bytes, predicate);
  }
  Operation *copy(OpBuilder &b, tt::DescriptorLoadOp load, Value tile, Value full,
                  Value predicate) const final {
    return AsyncTMACopyGlobalToLocalOp::create(b, load.getLoc(), load.getDesc(), load.getIndices(),
                                               full, tile, predicate, load.getCache(),
                                               load.getEvict(), /*isVolatile=*/false);
  }
  Operation *await(OpBuilder &b, Location loc, Value full, Value phase,
                   ValueRange buffers) const final {
    return WaitBarrierOp::create(b, loc, full, phase, /*pred=*/Value(), buffers);
  }
  Operation *release(OpBuilder &b, Location loc, Value empty, ValueRange buffers) const final {
    return ReleaseSlotOp::create(b, loc, empty, buffers);
  }
  Operation *acquire(OpBuilder &b, Location loc, Value empty, Value phase,
                     ValueRange buffers) const final {
    return AcquireSlotOp::create(b, loc, empty, phase, buffers);
  }

private:
  Value choose(OpBuilder &b, Location loc, Value barriers, unsigned number) const {
    Value index = arith::ConstantIntOp::create(b, loc, number, 32);
    return chooseBarrier(b, loc, barriers, index)->getResult(0);
  }
};
} // namespace

void TTNGDialect::registerTileCopies() { addInterfaces<TensorCopies>(); }
