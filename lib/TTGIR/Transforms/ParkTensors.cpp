//===- ParkTensors.cpp - keep tensors in shared memory between uses --------===//
// A tensor that dots in a row need again and again fills registers all the time. If there are too
// few, the assembler spills them to local memory. Shared memory is nearer, and wgmma reads its
// operands there anyway:
//
//   before: %x = tt.load ...                   after: %x = tt.load ...
//           %a = tt.dot %x, ...                       %m = ttg.local_alloc %x
//           %b = tt.dot ...                           %a = tt.dot %x, ...
//           %c = tt.dot %x, ...                       %b = tt.dot ...
//                                                     %y = ttg.local_load %m
//                                                     %c = tt.dot %y, ...
//
// A buffer that a user would allocate for the same value is the buffer itself.
//
// This is one of the ways that are tried if a kernel spills many registers. It parks results that
// fill many registers and that are used behind a later dot of the same block, the largest last if
// shared memory does not suffice.
//
// Requires: final layouts, pipelined loops. Ensures: values unchanged. Cost: linear in uses.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Remarks.h"
#include "tessera/TTGIR/IR/Machines.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Layout/Redundancy.h"
#include "tessera/TTGIR/Layout/SharedChoice.h"
#include "tessera/TTGIR/Layout/VectorWidth.h"
#include "tessera/TTGIR/Transforms/Passes.h"
#include "tessera/TTGIR/Transforms/SharedMemory.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTGPARKTENSORS
#include "tessera/TTGIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;

static constexpr llvm::StringLiteral kPass = "ttg-park-tensors";

namespace {
struct ParkTensors : tessera::impl::TTGParkTensorsBase<ParkTensors> {
  using TTGParkTensorsBase::TTGParkTensorsBase;
  void runOnOperation() override;

private:
  void parkIn(Block &block, Region &kernel);
};

/// The number of dots of a block that precede each of its ops.
class DotCounts {
public:
  explicit DotCounts(Block &block) : block(&block) {
    for (Operation &op : block) {
      before[&op] = count;
      count += isa<tt::DotOp, ttg::BufferedDotOpInterface>(op);
    }
  }
  /// Returns the op of the block that has the use, if a dot comes between `definition` and it.
  Operation *lateUser(Operation *definition, OpOperand &use) const {
    Operation *user = block->findAncestorOpInBlock(*use.getOwner());
    return user && before.lookup(user) > before.lookup(definition) ? user : nullptr;
  }
  unsigned count = 0;

private:
  Block *block;
  DenseMap<Operation *, unsigned> before;
};
} // namespace

/// Returns the 32-bit registers of a thread that hold the value; 0 if it cannot be parked.
static unsigned registersOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.getEncoding() || !type.getElementType().isIntOrFloat() ||
      type.getElementTypeBitWidth() < 8)
    return 0;
  unsigned count = uniqueRegisters(ttg::toLinearLayout(type)).kept.size();
  return llvm::divideCeil(count * type.getElementTypeBitWidth(), 32);
}

/// Returns whether computing the op again costs next to nothing.
static bool isCheap(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>() ||
         isa<tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::MakeRangeOp, ttg::LocalLoadOp>(op);
}

/// Returns the layout in which a user of the value would allocate a buffer, or one whose accesses
/// in the value's own layout have no bank conflicts.
static ttg::MemDescType bufferType(Value value) {
  for (Operation *user : value.getUsers())
    if (auto alloc = dyn_cast<ttg::LocalAllocOp>(user);
        alloc && !alloc.getType().getMutableMemory())
      return alloc.getType();
  auto type = cast<RankedTensorType>(value.getType());
  LinearLayout layout = ttg::toLinearLayout(type);
  auto cga = cast<ttg::LayoutEncodingAttr>(type.getEncoding()).getCGALayout();
  SharedBufferUse use;
  use.shape.assign(type.getShape().begin(), type.getShape().end());
  use.order = dimensionOrder(layout);
  use.elementBits = type.getElementTypeBitWidth();
  use.writers = {layout};
  use.readers = {layout};
  use.cga = cga.getBases();
  use.machine = ttg::getMachine(value.getDefiningOp());
  SwizzledSharedParams params = chooseSwizzle(use);
  auto encoding = ttg::SwizzledSharedEncodingAttr::get(
      value.getContext(), params.vec, params.perPhase, params.maxPhase, params.order, cga);
  return ttg::MemDescType::get(type.getShape(), type.getElementType(), encoding,
                               ttg::SharedMemorySpaceAttr::get(value.getContext()),
                               /*mutableMemory=*/false);
}

/// Gives the value a buffer, from which the uses behind later dots read it.
static void park(Value value, const DotCounts &dots) {
  Operation *definition = value.getDefiningOp();
  OpBuilder b(definition->getContext());
  b.setInsertionPointAfter(definition);
  ttg::MemDescType type = bufferType(value);
  auto buffer = ttg::LocalAllocOp::create(b, value.getLoc(), type, value);
  for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
    Operation *owner = use.getOwner();
    if (owner == buffer)
      continue;
    if (auto alloc = dyn_cast<ttg::LocalAllocOp>(owner); alloc && alloc.getType() == type) {
      alloc.replaceAllUsesWith(buffer.getResult());
      alloc.erase();
      continue;
    }
    Operation *late = dots.lateUser(definition, use);
    if (!late)
      continue;
    b.setInsertionPoint(late);
    use.set(ttg::LocalLoadOp::create(b, value.getLoc(), value.getType(), buffer.getResult()));
  }
}

void ParkTensors::parkIn(Block &block, Region &kernel) {
  DotCounts dots(block);
  if (dots.count < 2)
    return;
  constexpr unsigned fewRegisters = 16;
  SmallVector<Value> candidates;
  for (Operation &op : block)
    for (Value result : op.getResults())
      if (!isCheap(&op) && registersOf(result) >= fewRegisters &&
          llvm::any_of(result.getUses(),
                       [&](OpOperand &use) { return dots.lateUser(&op, use) != nullptr; }))
        candidates.push_back(result);
  for (Value value : candidates) {
    uint64_t bytes = bufferBytes(bufferType(value));
    if (peakSharedBytes(kernel) + bytes > maxSharedBytes) {
      declined(value.getDefiningOp(), kPass, "parked")
          .says("the tensor stays in registers")
          .because("{0} bytes of shared memory do not suffice", maxSharedBytes.getValue());
      continue;
    }
    decided(value.getDefiningOp(), kPass, "parked")
        .says("the tensor waits in {0} bytes of shared memory for its later uses", bytes)
        .number("bytes", bytes);
    park(value, dots);
  }
}

void ParkTensors::runOnOperation() {
  ModuleOp module = getOperation();
  if (ttg::getNumCTAs(module) != 1)
    return;
  for (auto function : module.getOps<tt::FuncOp>()) {
    SmallVector<Block *> blocks;
    function.walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      parkIn(*block, function.getBody());
  }
}
