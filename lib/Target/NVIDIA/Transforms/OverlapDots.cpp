//===- OverlapDots.cpp - let wgmma run beside other work ------------------===//
// A dot of warp groups becomes asynchronous, and a wait comes where it must be over:
//
//   a sum that the loop only carries (a product of matrices): the wait lets the dots of this
//   iteration run on, and ends those of the iteration before
//
//     scf.for ... iter_args(%acc) {
//       %d = ttng.warp_group_dot %a, %b, %acc {isAsync = true}
//       %w = ttng.warp_group_dot_wait %d {pendings = 1} ; scf.yield %w }
//     %r = ttng.warp_group_dot_wait %loop {pendings = 0}
//
//   a sum that the loop also computes with (attention): it runs into the next iteration, up
//   to the first op that needs it or another dot's result
//
//     %s = ttng.warp_group_dot %q, %k, %zero {isAsync = true}
//     %w:2 = ttng.warp_group_dot_wait %s, %o {pendings = 0}
//     ... softmax of %w#0, %w#1 scaled ...
//     %p = ttng.warp_group_dot %probabilities, %v, %scaled {isAsync = true} ; scf.yield %p
//
// ptxas gives up on overlap, and waits after every instruction, where other code touches the
// registers of a dot under way. So a result goes through each wait, and one that the loop
// computes with meets a wait for all dots first (advice C7514). An operand in registers must
// not be written while a dot reads it (C7513): such a dot runs into the next iteration only
// if that operand depends on another dot of the same iteration, whose wait ends both.
//
// A dot runs into the next iteration only where that refills slots at its end
// (ttg.refilled_last), behind the wait, or has one more slot (ttg.spare_slot), so that copies do
// not overwrite what it reads.
//
// Requires: ttg-pipeline. Ensures: values unchanged. ttg-insert-barriers checks that nothing
// overwrites what a dot under way reads. Cost: linear in the ops of loops with such dots.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Remarks.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Transforms/SharedMemory.h"
#include "tessera/Target/NVIDIA/IR/TTNGOps.h"
#include "tessera/Target/NVIDIA/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tessera::nvidia {
#define GEN_PASS_DEF_NVIDIAOVERLAPDOTS
#include "tessera/Target/NVIDIA/Passes.h.inc"
} // namespace tessera::nvidia

using namespace tessera;
using ttng::WarpGroupDotOp;
using ttng::WarpGroupDotWaitOp;

static constexpr llvm::StringLiteral kPass = "nvidia-overlap-dots";

namespace {
struct OverlapDots : nvidia::impl::NvidiaOverlapDotsBase<OverlapDots> {
  void runOnOperation() override;
};

/// One loop that has dots of warp groups in its body.
class LoopOverlap {
public:
  explicit LoopOverlap(scf::ForOp loop) : loop(loop) {
    for (auto dot : loop.getBody()->getOps<WarpGroupDotOp>())
      dots.push_back(dot);
  }
  void run();

private:
  bool crosses(WarpGroupDotOp dot);
  bool isCarriedOnly(WarpGroupDotOp dot);
  void awaitBeforeUses();
  void awaitNextIteration();
  void awaitAfterLoop();
  WarpGroupDotWaitOp wait(Operation *before, ArrayRef<Value> values, unsigned pendings);

  scf::ForOp loop;
  SmallVector<WarpGroupDotOp> dots;
  llvm::SetVector<Operation *> crossing; // dots that run into the next iteration
};
} // namespace

//===----------------------------------------------------------------------===//
// Which dots run into the next iteration
//===----------------------------------------------------------------------===//

namespace {
/// The buffer that an operand is a view of.
struct BufferView {
  ttg::LocalAllocOp alloc; // null if another op defines the buffer
  bool isSlot = false;     // one of several tiles
};
} // namespace

static BufferView viewOf(Value operand) {
  BufferView view;
  while (Operation *op = operand.getDefiningOp()) {
    if ((view.alloc = dyn_cast<ttg::LocalAllocOp>(op)))
      break;
    view.isSlot |= isa<ttg::MemDescIndexOp>(op);
    if (!isa<ViewLikeOpInterface>(op))
      break;
    operand = op->getOperand(0);
  }
  return view;
}

/// Returns whether the next iteration does not overwrite the operand's buffer.
static bool isKept(Value operand, scf::ForOp loop) {
  BufferView view = viewOf(operand);
  return view.alloc && !loop->isAncestor(view.alloc) &&
         (!view.isSlot || view.alloc->hasAttr(kRefilledLastAttr) ||
          view.alloc->hasAttr(kSpareSlotAttr));
}

static bool isBuffer(Value value) { return isa<ttg::MemDescType>(value.getType()); }

bool LoopOverlap::crosses(WarpGroupDotOp dot) {
  if (!dot.mayOutliveIteration())
    return false;
  return llvm::all_of(ArrayRef<Value>{dot.getA(), dot.getB()},
                      [&](Value operand) { return !isBuffer(operand) || isKept(operand, loop); });
}

static BlockArgument carriedArgument(scf::ForOp loop, WarpGroupDotOp dot) {
  return loop.getRegionIterArg(dot.getD().getUses().begin()->getOperandNumber());
}

/// Returns whether the dot is the only op of the loop that uses its sum.
bool LoopOverlap::isCarriedOnly(WarpGroupDotOp dot) {
  if (!crossing.contains(dot) || !isBuffer(dot.getRowOperand()))
    return false;
  BlockArgument argument = carriedArgument(loop, dot);
  return dot.getC() == argument && argument.hasOneUse();
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

/// A wait in front of `before`; uses of the values from there on get what it returns.
WarpGroupDotWaitOp LoopOverlap::wait(Operation *before, ArrayRef<Value> values, unsigned pendings) {
  OpBuilder b(before);
  auto wait = WarpGroupDotWaitOp::create(b, before->getLoc(), TypeRange(ValueRange(values)), values,
                                         pendings);
  Block *block = wait->getBlock();
  for (auto [value, awaited] : llvm::zip_equal(values, wait.getOutputs()))
    Value(value).replaceUsesWithIf(awaited, [&](OpOperand &use) {
      Operation *user = block->findAncestorOpInBlock(*use.getOwner());
      return user && user != wait && wait->isBeforeInBlock(user);
    });
  return wait;
}

/// Each dot is awaited by the end of the next iteration.
void LoopOverlap::awaitNextIteration() {
  SmallVector<Value> sums;
  for (WarpGroupDotOp dot : dots) {
    dot.setIsAsync(true);
    sums.push_back(dot.getD());
  }
  // Copies into the slots of the iteration before follow the wait, unless there is a spare slot.
  bool refillsLast = llvm::any_of(dots, [](WarpGroupDotOp dot) {
    return llvm::any_of(dot->getOperands(), [](Value operand) {
      BufferView view = viewOf(operand);
      return view.alloc && view.alloc->hasAttr(kRefilledLastAttr);
    });
  });
  wait(refillsLast ? dots.back()->getNextNode() : loop.getBody()->getTerminator(), sums,
       dots.size());
}

static bool uses(Operation *op, Value value) {
  return op
      ->walk([&](Operation *inner) {
        return llvm::is_contained(inner->getOperands(), value) ? WalkResult::interrupt()
                                                               : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Dots are awaited before the first op that touches a register of any of them.
void LoopOverlap::awaitBeforeUses() {
  llvm::SetVector<Value> underWay;
  for (Operation *dot : crossing)
    underWay.insert(carriedArgument(loop, cast<WarpGroupDotOp>(dot)));
  for (Operation &op : llvm::make_early_inc_range(*loop.getBody())) {
    auto dot = dyn_cast<WarpGroupDotOp>(op);
    // A dot may add to a sum that is under way.
    auto touches = [&](Value value) {
      return uses(&op, value) && !(dot && dot.getC() == value && dot.getRowOperand() != value);
    };
    bool isEnd = op.hasTrait<OpTrait::IsTerminator>();
    SmallVector<Value> touched(llvm::make_filter_range(underWay, touches));
    if (isEnd)
      llvm::erase_if(touched,
                     [&](Value value) { return crossing.contains(value.getDefiningOp()); });
    if (!touched.empty()) {
      wait(&op, underWay.getArrayRef(), 0);
      underWay.clear();
    }
    if (!dot)
      continue;
    if (dot.getC().getDefiningOp<WarpGroupDotOp>() || isa<BlockArgument>(dot.getC()))
      underWay.remove(dot.getC());
    dot.setIsAsync(true);
    underWay.insert(dot.getD());
  }
}

/// Inserts a wait after the loop for dots that are still running when it ends.
void LoopOverlap::awaitAfterLoop() {
  SmallVector<Value> sums;
  for (auto [index, yielded] : llvm::enumerate(loop.getYieldedValues())) {
    Operation *op = yielded.getDefiningOp();
    if (isa_and_nonnull<WarpGroupDotOp, WarpGroupDotWaitOp>(op) &&
        isa<RankedTensorType>(yielded.getType()))
      sums.push_back(loop.getResult(index));
  }
  if (!sums.empty())
    wait(loop->getNextNode(), sums, 0);
}

void LoopOverlap::run() {
  for (WarpGroupDotOp dot : dots)
    if (crosses(dot))
      crossing.insert(dot);
  if (crossing.empty()) {
    for (WarpGroupDotOp dot : dots)
      declined(dot, kPass, "overlap")
          .says("the dot is awaited where it is")
          .because("its result is used in its own iteration, or its operands are overwritten "
                   "in the next one");
    return;
  }
  bool isSimple = llvm::all_of(dots, [&](WarpGroupDotOp dot) { return isCarriedOnly(dot); });
  for (Operation *dot : crossing)
    decided(dot, kPass, "overlap")
        .says("the dot runs into the next iteration")
        .because(isSimple ? "the loop only carries its sum"
                          : "its sum is awaited with the next iteration's dot");
  if (isSimple)
    awaitNextIteration();
  else
    awaitBeforeUses();
  awaitAfterLoop();
}

void OverlapDots::runOnOperation() {
  SmallVector<scf::ForOp> loops;
  getOperation().walk([&](scf::ForOp loop) {
    if (!loop.getBody()->getOps<WarpGroupDotOp>().empty())
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops)
    LoopOverlap(loop).run();
}
