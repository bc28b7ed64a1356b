//===- BranchWarpRoles.cpp - branch to the code of each group of warps ----===//
// Warps find their code by their number. A barrier of all warps in front of the branch makes what
// was set up before it, such as barriers in shared memory, known to all of them:
//
//   before: ttg.warp_specialize(%x) default { A } partition0(%y) num_warps(4) { B } ; C
//   after:  ttg.local_barrier {allWarps} ; cond_br (warp_number < 8), ^default, ^partition
//           ^default:    set_max_registers 240 ; A ; C
//           ^partition:  set_max_registers 24 release ; cond_br (warp_number == 8), ^B, ^end
//           ^B:          B ; br ^end
//           ^end:        tt.return
//
// Partitions have code of one warp: they wait for slots and start copies of tiles, and one thread
// acts for all of them. The ops get the number of that warp (ttng.first_warp).
//
// Requires: one partition, whose ops know no tensors. Ensures: no ttg.warp_specialize is left.
// Cost: linear in the ops of partitions.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Unsupported.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/Target/NVIDIA/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tessera::nvidia {
#define GEN_PASS_DEF_NVIDIABRANCHWARPROLES
#include "tessera/Target/NVIDIA/Passes.h.inc"
} // namespace tessera::nvidia

using namespace tessera;

namespace {
struct BranchWarpRoles : nvidia::impl::NvidiaBranchWarpRolesBase<BranchWarpRoles> {
  void runOnOperation() override;
};
} // namespace

static bool startsCopies(Operation *op) {
  return isa<ttng::AcquireSlotOp, ttng::BarrierExpectOp, ttng::AsyncTMACopyGlobalToLocalOp>(op);
}

/// Returns whether one warp can execute the op for its partition.
static bool isForOneWarp(Operation *op) {
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  if (llvm::any_of(op->getResultTypes(), isTensor) || llvm::any_of(op->getOperandTypes(), isTensor))
    return false;
  return startsCopies(op) || isa<scf::ForOp, scf::IfOp, scf::YieldOp, ttg::WarpReturnOp>(op) ||
         isMemoryEffectFree(op);
}

/// Fails with an error if the op cannot become branches.
static LogicalResult check(ttg::WarpSpecializeOp op) {
  if (op.getPartitionRegions().size() != 1 || !isa<tt::FuncOp>(op->getParentOp()) ||
      !op.getDefaultRegion().hasOneBlock() || !op.getPartitionRegions()[0].hasOneBlock() ||
      !isa<tt::ReturnOp>(op->getNextNode()))
    return emitUnsupported(op) << "warp specialisation other than of a whole kernel in two groups";
  WalkResult found = op.getPartitionRegions()[0].walk([](Operation *inner) {
    if (isForOneWarp(inner))
      return WalkResult::advance();
    emitUnsupported(inner) << "'" << inner->getName() << "' in a group of warps that starts copies";
    return WalkResult::interrupt();
  });
  return failure(found.wasInterrupted());
}

static void setRegisters(OpBuilder &b, ttg::WarpSpecializeOp op, unsigned index, bool release) {
  if (std::optional<ArrayRef<int32_t>> registers = op.getActualRegisters())
    ttng::SetMaxRegistersOp::create(b, op.getLoc(), (*registers)[index], release);
}

static Value isWarp(OpBuilder &b, Location loc, arith::CmpIPredicate predicate, unsigned number) {
  Value warp = ttng::WarpNumberOp::create(b, loc, b.getI32Type());
  return arith::CmpIOp::create(b, loc, predicate, warp,
                               arith::ConstantIntOp::create(b, loc, number, 32));
}

static void branch(ttg::WarpSpecializeOp op) {
  Location loc = op.getLoc();
  Block *before = op->getBlock(), *rest = before->splitBlock(op);
  Region *body = before->getParent();
  Block *computing = &op.getDefaultRegion().front();
  Block *producing = &op.getPartitionRegions()[0].front();
  unsigned numWarps = ttg::lookupNumWarps(op).value_or(4);

  // The default region goes on with what follows the op.
  body->getBlocks().splice(rest->getIterator(), op.getDefaultRegion().getBlocks());
  Operation *yield = computing->getTerminator();
  op.getResults().replaceAllUsesWith(yield->getOperands());
  OpBuilder b(yield);
  cf::BranchOp::create(b, loc, rest);
  yield->erase();
  b.setInsertionPointToStart(computing);
  setRegisters(b, op, 0, /*release=*/false);

  // One warp of the partition does its work.
  body->getBlocks().splice(body->end(), op.getPartitionRegions()[0].getBlocks());
  for (auto [argument, capture] : llvm::zip_equal(producing->getArguments(), op.getOperands()))
    argument.replaceAllUsesWith(capture);
  producing->eraseArguments(0, producing->getNumArguments());
  producing->walk([&](Operation *inner) {
    if (startsCopies(inner))
      inner->setAttr(ttng::kFirstWarpAttr, b.getI32IntegerAttr(numWarps));
  });
  Block *choosing = new Block, *end = new Block;
  body->getBlocks().insert(producing->getIterator(), choosing);
  body->push_back(end);
  b.setInsertionPointToEnd(choosing);
  setRegisters(b, op, 1, /*release=*/true);
  cf::CondBranchOp::create(b, loc, isWarp(b, loc, arith::CmpIPredicate::eq, numWarps), producing,
                           ValueRange(), end, ValueRange());
  Operation *done = producing->getTerminator();
  b.setInsertionPoint(done);
  cf::BranchOp::create(b, loc, end);
  done->erase();
  b.setInsertionPointToEnd(end);
  tt::ReturnOp::create(b, loc, ValueRange());

  b.setInsertionPointToEnd(before);
  ttg::LocalBarrierOp::create(b, loc).setAllWarps(true);
  cf::CondBranchOp::create(b, loc, isWarp(b, loc, arith::CmpIPredicate::ult, numWarps), computing,
                           ValueRange(), choosing, ValueRange());
  op.erase();
}

void BranchWarpRoles::runOnOperation() {
  SmallVector<ttg::WarpSpecializeOp> ops;
  getOperation().walk([&](ttg::WarpSpecializeOp op) { ops.push_back(op); });
  for (ttg::WarpSpecializeOp op : ops) {
    if (failed(check(op)))
      return signalPassFailure();
    branch(op);
  }
}
