//===- InsertBarriers.cpp - threads wait before they touch others' data ---===//
// Puts a barrier between every two accesses to the same bytes of shared memory
// of which one writes, on every path between them.
//
//   before: ttg.local_store %x, %m          after: ttg.local_store %x, %m
//           %y = ttg.local_load %m                 ttg.local_barrier
//                                                  %y = ttg.local_load %m
//
// Accesses are told apart by buffer and, where a buffer has several slots, by slot
// (SlotIndices.h), so that a loop which copies into one slot and reads another
// gets one barrier per iteration, after the wait for its copies.
//
// Requires: allocated shared memory; control flow as branches between blocks.
// Ensures: no two threads race for shared memory, copies that are awaited included.
// Cost: SharedHazards.h.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Remarks.h"
#include "tessera/TTGIR/Analysis/SharedAliases.h"
#include "tessera/TTGIR/Analysis/SlotIndices.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Transforms/Passes.h"
#include "tessera/TTGIR/Transforms/SharedMemory.h"
#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/PostOrderIterator.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTGINSERTBARRIERS
#include "tessera/TTGIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;

namespace {

using BlockNumbers = DenseMap<Block *, uint32_t>;

/// Translates the ops of one function into what they do to shared memory.
class StepReader {
public:
  StepReader(const SharedAliases &aliases) : aliases(aliases) {
    for (ttg::LocalAllocOp alloc : aliases.buffers())
      addBuffer(getSharedOffset(alloc).value_or(0), bufferBytes(alloc.getType()));
  }

  /// Nothing, for an op that does not concern shared memory.
  std::optional<SharedStep> read(Operation *op);
  ArrayRef<SharedBuffer> allBuffers() const { return buffers; }

private:
  uint32_t addBuffer(uint32_t offset, uint32_t bytes, bool withinWarp = false,
                     bool inEqualShares = false) {
    buffers.push_back({offset, offset + bytes, withinWarp, inEqualShares});
    return buffers.size() - 1;
  }
  void addOperands(Operation *op, SharedStep &step);
  void addAsyncUses(ttg::AsyncAccessOpInterface op, SharedStep &step);
  void addScratch(Operation *op, SharedStep &step);
  void addRegions(Operation *op, SharedStep &step);

  const SharedAliases &aliases;
  SmallVector<SharedBuffer> buffers; // the allocated ones, then scratch
  DenseMap<Operation *, uint32_t> scratchOf;
};

struct InsertBarriers : tessera::impl::TTGInsertBarriersBase<InsertBarriers> {
  using TTGInsertBarriersBase::TTGInsertBarriersBase;
  void runOnOperation() override;
};

} // namespace

//===----------------------------------------------------------------------===//
// What an op does
//===----------------------------------------------------------------------===//

void StepReader::addOperands(Operation *op, SharedStep &step) {
  auto add = [&](SmallVectorImpl<SharedPart> &to, Value memdesc) {
    to.append(aliases.partsOf(memdesc));
  };
  if (auto copy = dyn_cast<ttg::AsyncCopyGlobalToLocalOp>(op))
    return add(step.copies, copy.getResult());
  if (auto alloc = dyn_cast<ttg::LocalAllocOp>(op)) {
    if (alloc.getSrc())
      add(step.writes, alloc.getResult());
    return;
  }
  if (op->hasTrait<OpTrait::IsTerminator>() || op->getNumRegions() != 0)
    return;
  if (auto async = dyn_cast<ttg::AsyncAccessOpInterface>(op))
    return addAsyncUses(async, step);
  auto dot = dyn_cast<ttg::BufferedDotOpInterface>(op);
  SmallVectorImpl<SharedPart> &reading =
      dot && dot.readsAsynchronously() ? step.asyncReads : step.reads;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  for (Value operand : op->getOperands()) {
    if (!isa<ttg::MemDescType>(operand.getType()))
      continue;
    bool reads = !effects || effects.getEffectOnValue<MemoryEffects::Read>(operand);
    bool writes = !effects || effects.getEffectOnValue<MemoryEffects::Write>(operand);
    if (reads)
      add(reading, operand);
    if (writes)
      add(step.writes, operand);
  }
}

static uint32_t bufferOf(const SharedPart &part) { return part.buffer; }

void StepReader::addAsyncUses(ttg::AsyncAccessOpInterface op, SharedStep &step) {
  for (Value operand : op->getOperands()) {
    if (!isa<ttg::MemDescType>(operand.getType()))
      continue;
    SmallVector<SharedPart> parts(aliases.partsOf(operand));
    switch (op.getAsyncUse(operand)) {
    case ttg::AsyncUse::None:
      break;
    case ttg::AsyncUse::BarrierSetup:
      step.writes.append(parts);
      break;
    case ttg::AsyncUse::Barrier:
      step.atomics.append(parts);
      break;
    case ttg::AsyncUse::Fill:
      step.fills.append(parts);
      break;
    case ttg::AsyncUse::Drain:
      step.drains.append(parts);
      break;
    case ttg::AsyncUse::Release:
      llvm::append_range(step.releases, llvm::map_range(parts, bufferOf));
      break;
    case ttg::AsyncUse::Acquire:
      llvm::append_range(step.acquires, llvm::map_range(parts, bufferOf));
      break;
    }
  }
  step.waitsForDrains = op.getDrainsUnderWay();
  step.isArrival = op.isArrival();
}

void StepReader::addScratch(Operation *op, SharedStep &step) {
  std::optional<unsigned> offset = getSharedOffset(op);
  if (!offset || isa<ttg::LocalAllocOp>(op))
    return;
  auto [it, isNew] = scratchOf.try_emplace(op);
  if (isNew) {
    ScratchNeed need = scratchNeed(op);
    it->second = addBuffer(*offset, need.bytes, need.withinWarp, need.inEqualShares);
  }
  SharedPart part{it->second, {}};
  if (!buffers[part.buffer].withinWarp)
    return step.scratch.push_back(part);
  step.reads.push_back(part);
  step.writes.push_back(part);
}

/// Regions that run while the op does, in whatever order.
void StepReader::addRegions(Operation *op, SharedStep &step) {
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      SharedStep does;
      addOperands(inner, does);
      addScratch(inner, does);
      for (ArrayRef<SharedPart> parts :
           {ArrayRef(does.reads), ArrayRef(does.writes), ArrayRef(does.copies),
            ArrayRef(does.atomics), ArrayRef(does.fills), ArrayRef(does.drains),
            ArrayRef(does.scratch)})
        for (SharedPart part : parts) {
          part.slot = {};
          step.reads.push_back(part);
          step.writes.push_back(part);
        }
    });
}

std::optional<SharedStep> StepReader::read(Operation *op) {
  SharedStep step;
  step.isBarrier = isa<gpu::BarrierOp, ttg::LocalBarrierOp>(op);
  step.commits = isa<ttg::AsyncCommitGroupOp>(op);
  if (auto wait = dyn_cast<ttg::AsyncWaitOp>(op))
    step.waitsFor = wait.getNum();
  if (auto wait = dyn_cast<ttg::BufferedDotWaitOpInterface>(op))
    step.waitsForReads = wait.getUnderWay();
  // A dot that is not asynchronous waits for those before it, too.
  if (auto dot = dyn_cast<ttg::BufferedDotOpInterface>(op); dot && !dot.readsAsynchronously())
    step.waitsForReads = 0;
  addOperands(op, step);
  addScratch(op, step);
  addRegions(op, step);
  bool isIdle = !step.isBarrier && !step.commits && !step.isArrival && step.waitsFor < 0 &&
                step.waitsForReads < 0 && step.waitsForDrains < 0;
  isIdle &= step.releases.empty() && step.acquires.empty();
  for (const auto *parts : {&step.reads, &step.writes, &step.copies, &step.asyncReads,
                            &step.atomics, &step.fills, &step.drains, &step.scratch})
    isIdle &= parts->empty();
  return isIdle ? std::nullopt : std::optional(step);
}

//===----------------------------------------------------------------------===//
// A function's control flow
//===----------------------------------------------------------------------===//

static void addLoops(const CFGLoopInfo &info, const BlockNumbers &number, SharedProgram &program) {
  SmallVector<CFGLoop *> outerFirst = info.getLoopsInPreorder();
  for (CFGLoop *loop : llvm::reverse(outerFirst)) {
    SharedLoop &added = program.loops.emplace_back();
    added.header = number.lookup(loop->getHeader());
    for (Block *block : loop->getBlocks())
      added.blocks.push_back(number.lookup(block));
  }
}

static constexpr llvm::StringLiteral kPass = "ttg-insert-barriers";

static void insertBefore(Operation *op) {
  decided(op, kPass, "barrier")
      .says("a barrier is inserted before {0}", op->getName())
      .because("another thread's access to the same shared memory may still be under way");
  OpBuilder b(op);
  ttg::LocalBarrierOp::create(b, op->getLoc());
}

static LogicalResult insertBarriers(Region &body) {
  SmallVector<Block *> order;
  BlockNumbers number;
  for (Block *block : llvm::ReversePostOrderTraversal<Region *>(&body)) {
    number[block] = order.size();
    order.push_back(block);
  }
  std::optional<CFGLoopInfo> loops;
  DominanceInfo dominance;
  if (!body.hasOneBlock())
    loops.emplace(dominance.getDomTree(&body));
  SlotIndices slots(loops ? &*loops : nullptr, number);
  SharedAliases aliases(body, &slots);
  StepReader reader(aliases);

  SharedProgram program;
  std::vector<SmallVector<Operation *>> opOf(order.size());
  for (auto [index, block] : llvm::enumerate(order)) {
    SharedProgram::Block &added = program.blocks.emplace_back();
    for (Block *successor : block->getSuccessors())
      added.successors.push_back(number.lookup(successor));
    for (Operation &op : *block)
      if (std::optional<SharedStep> step = reader.read(&op)) {
        added.steps.push_back(std::move(*step));
        opOf[index].push_back(&op);
      }
    opOf[index].push_back(block->getTerminator());
  }
  program.buffers.assign(reader.allBuffers().begin(), reader.allBuffers().end());
  if (loops)
    addLoops(*loops, number, program);
  for (BarrierPlace place : findUnawaitedReads(program))
    return opOf[place.block][place.step]->emitOpError(
        "writes shared memory that an asynchronous dot or copy may still be reading");
  std::set<BarrierPlace> places = planBarriers(program);
  for (BarrierPlace place : places)
    insertBefore(opOf[place.block][place.step]);
  size_t accesses = 0;
  for (const SharedProgram::Block &block : program.blocks)
    accesses += block.steps.size();
  if (accesses == 0)
    return success();
  noted(body.getParentOp()->getLoc(), kPass, "barriers")
      .says("{0} barriers for {1} ops that concern shared memory", places.size(), accesses)
      .number("barriers", places.size())
      .number("ops", accesses);
  return success();
}

/// Structured control flow hides the order of the accesses in it.
static LogicalResult checkUnstructured(Region &body) {
  for (Operation &op : body.getOps()) {
    if (!isa_and_nonnull<scf::SCFDialect>(op.getDialect()))
      continue;
    return op.emitOpError(
        "is structured control flow: run convert-scf-to-cf before ttg-insert-barriers");
  }
  return success();
}

void InsertBarriers::runOnOperation() {
  for (auto func : getOperation().getOps<tt::FuncOp>()) {
    if (func.isExternal())
      continue;
    if (failed(checkUnstructured(func.getBody())))
      return signalPassFailure();
    if (failed(insertBarriers(func.getBody())))
      return signalPassFailure();
  }
}
