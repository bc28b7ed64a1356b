//===- AlternateDots.cpp - let warp groups take turns with products -------===//
// Two warp groups that execute the same loop start their products at the same time: the tensor
// cores then wait while both compute what comes between the products (attention's softmax). With
// turns, one group computes while the products of the other run:
//
//   before: scf.for { dot ; wait ; softmax ; dot }
//   after:  local_barrier
//           pass_turn by group 1                  group 0 begins
//           await_turn
//           scf.for { dot ; pass_turn ; wait ; softmax ; await_turn ; dot }
//           pass_turn by group 0                  takes back what is left over
//
// A turn lasts from the second dot of an iteration to the first dot of the next one, which follow
// each other at once. Each group awaits as many turns as the other passes, whatever the number of
// iterations: one in front of the loop, and one in each iteration.
//
// Threads that meet at a barrier in a turn would wait for threads that wait for the turn. So all
// shared memory that the dots read is settled by a barrier in front of the first turn, and loops in
// which threads exchange data through memory, or one of them starts copies, have no turns, with a
// remark.
//
// In its turn a group waits for the tiles of the next iteration, whose slots the other one may have
// to release first. The other one may stand in front of its own turn of this iteration: what it
// releases before that is free, what it would release behind it is not. Loops that release slots
// behind the second dots (ttg.refilled_last) have no turns either.
//
// Requires: nvidia-overlap-dots, and two warp groups with code of their own
// (nvidia-specialize-warps). Ensures: values unchanged. Cost: linear in the ops of loops with dots.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Remarks.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Transforms/SharedMemory.h"
#include "tessera/Target/NVIDIA/IR/TTNGOps.h"
#include "tessera/Target/NVIDIA/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tessera::nvidia {
#define GEN_PASS_DEF_NVIDIAALTERNATEDOTS
#include "tessera/Target/NVIDIA/Passes.h.inc"
} // namespace tessera::nvidia

using namespace tessera;
using ttng::WarpGroupDotOp;
using ttng::WarpGroupDotWaitOp;

static constexpr llvm::StringLiteral kPass = "nvidia-alternate-dots";
static constexpr int kWarpsPerGroup = 4;

namespace {
struct AlternateDots : nvidia::impl::NvidiaAlternateDotsBase<AlternateDots> {
  void runOnOperation() override;
};

/// The dots of a loop between which a turn ends and the next one begins.
struct Turns {
  WarpGroupDotOp lastBeforeWait, firstAfterWait;
};
} // namespace

//===----------------------------------------------------------------------===//
// Decide
//===----------------------------------------------------------------------===//

/// Returns the turns of a loop whose body is dots, a wait for all, other work, and dots that run
/// into the next iteration; nothing for other loops.
static std::optional<Turns> findTurns(scf::ForOp loop) {
  Turns turns;
  WarpGroupDotWaitOp wait;
  for (Operation &op : *loop.getBody()) {
    if (auto found = dyn_cast<WarpGroupDotWaitOp>(op)) {
      if (wait || found.getPendings() != 0)
        return std::nullopt;
      wait = found;
    } else if (auto dot = dyn_cast<WarpGroupDotOp>(op)) {
      if (!dot.getIsAsync())
        return std::nullopt;
      if (!wait)
        turns.lastBeforeWait = dot;
      else if (!turns.firstAfterWait)
        turns.firstAfterWait = dot;
    }
  }
  if (!turns.lastBeforeWait || !turns.firstAfterWait)
    return std::nullopt;
  return turns;
}

/// Returns whether an op may access shared memory or wait for other threads, except for those that
/// turns are made for: dots, and the waits for slots and their releases.
static bool touchesSharedMemory(Operation *op) {
  // A buffer that nobody writes again states no write.
  if (isa<ttg::LocalAllocOp>(op))
    return op->getNumOperands() != 0;
  if (isa<ttg::LocalLoadOp>(op))
    return true;
  if (isa<WarpGroupDotOp, WarpGroupDotWaitOp, ttng::WaitBarrierOp, ttng::ReleaseSlotOp>(op) ||
      isMemoryEffectFree(op) || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return false;
  if (isa<tt::LoadOp, tt::StoreOp, tt::AtomicRMWOp, tt::AtomicCASOp, tt::PrintOp, tt::AssertOp>(op))
    return false; // global memory; their scratch is another matter
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  SmallVector<MemoryEffects::EffectInstance> effects;
  if (interface)
    interface.getEffects(effects);
  return !interface || llvm::any_of(effects, [](const MemoryEffects::EffectInstance &effect) {
    return !isa<tt::GlobalMemory>(effect.getResource()) &&
           !isa<MemoryEffects::Allocate, MemoryEffects::Free>(effect.getEffect());
  });
}

/// Returns whether the threads of both groups meet in the loop, at barriers that it has or that
/// other passes insert between accesses of shared memory, or one thread acts for both.
static bool hasExchange(scf::ForOp loop) {
  auto meets = [](Operation *op) {
    ScratchNeed scratch = scratchNeed(op);
    return touchesSharedMemory(op) || (scratch.bytes != 0 && !scratch.withinWarp);
  };
  return loop
      .walk([&](Operation *op) {
        return meets(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Returns whether all slots are released between the turns, where no group waits for the other.
static bool releasesBetweenTurns(scf::ForOp loop, Turns turns) {
  return !loop.walk([&](ttng::ReleaseSlotOp release) {
                Operation *op = loop.getBody()->findAncestorOpInBlock(*release);
                bool isBetween = turns.lastBeforeWait->isBeforeInBlock(op) &&
                                 op->isBeforeInBlock(turns.firstAfterWait);
                return isBetween ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Mutate
//===----------------------------------------------------------------------===//

static void insertTurns(scf::ForOp loop, Turns turns) {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  auto first = b.getI32IntegerAttr(0), second = b.getI32IntegerAttr(1);
  ttg::LocalBarrierOp::create(b, loc);
  ttng::PassTurnOp::create(b, loc, second);
  ttng::AwaitTurnOp::create(b, loc);
  b.setInsertionPointAfter(turns.lastBeforeWait);
  ttng::PassTurnOp::create(b, loc, IntegerAttr());
  b.setInsertionPoint(turns.firstAfterWait);
  ttng::AwaitTurnOp::create(b, loc);
  b.setInsertionPointAfter(loop);
  ttng::PassTurnOp::create(b, loc, first);
}

void AlternateDots::runOnOperation() {
  getOperation().walk([](ttg::WarpSpecializeOp roles) {
    if (ttg::lookupNumWarps(roles).value_or(4) != 2 * kWarpsPerGroup)
      return;
    roles.getDefaultRegion().walk([](scf::ForOp loop) {
      std::optional<Turns> turns = findTurns(loop);
      if (!turns)
        return;
      StringRef reason;
      if (hasExchange(loop))
        reason = "their threads exchange data in each iteration";
      else if (!releasesBetweenTurns(loop, *turns))
        reason = "one would wait, in its turn, for slots that the other one has still to release";
      if (!reason.empty()) {
        declined(loop, kPass, "turns")
            .says("the warp groups do not take turns with products")
            .because("{0}", reason);
        return;
      }
      insertTurns(loop, *turns);
      decided(loop, kPass, "turns")
          .says("the warp groups take turns: one computes while the products of the other run");
    });
  });
}
