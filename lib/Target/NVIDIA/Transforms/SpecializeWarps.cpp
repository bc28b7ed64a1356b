//===- SpecializeWarps.cpp - warps of their own start the copies ----------===//
// In a pipelined loop whose tiles the copy engine fills (TileRing.h), a thread of the computing
// warps waits for free slots and starts copies, between the instructions of its own products. A
// kernel with such loops gets another warp group, the producer, that does nothing else:
//
//   before: scf.for %i ... {
//             wait_barrier full ; warp_group_dot ; release_slot empty
//             acquire_slot empty ; barrier_expect full ; async_tma_copy
//           }
//   after:  ttg.warp_specialize(%rings, %arguments)
//           default { scf.for %i ... { wait_barrier full ; warp_group_dot ; release_slot empty } }
//           partition0 { scf.for %i ... { acquire_slot empty ; barrier_expect full ; copy } }
//
// The producer is a clone of the ops that the starts of copies depend on: scalar arithmetic, loops
// and branches. All else stays in the default region, so both execute the same iterations: each
// copy is awaited, and each slot that is acquired has been released. Hence shared memory of the
// ring may serve something else when the loop is over, though the producer still runs.
//
//   1. Find the rings (acquire_slot), the starts of copies into them, and what these depend on.
//   2. Let the rings of one loop after another use the same buffers: before the producer fills
//   those
//      of a loop, it waits at a barrier until all warps have left the loop before.
//   3. Move the rings' buffers and barriers to the start of the kernel, in front of the split.
//   4. Clone what the starts depend on into the partition, and remove the starts from the rest.
//
// Two warp groups that compute leave registers to spare when the producer gives up its own
// (setmaxnreg): 384 threads begin with 168 each, then 256 have 240 and 128 have 24. Where the user
// limits registers, threads would begin with fewer, and wait forever for the rest.
//
// Requires: nvidia-hoist-descriptors, and ttg.separate_copies on the kernel
// (ttg-assign-latencies). Declines, with a remark, other numbers of warps than 4 and 8, a limit on
// registers, clusters, rings inside of loops, rings that together exceed the shared memory, copies
// whose coordinates come from memory or tensors, and kernels with branches or with assembly that
// might contain barriers. Where rings were made for that already (loops around their loops keep
// them), it says so by an attribute, and make_ttgir begins again without roles. Ensures: values
// unchanged. Cost: linear in the ops of the kernel.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Remarks.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/IR/TileCopies.h"
#include "tessera/TTGIR/Transforms/SharedMemory.h"
#include "tessera/Target/NVIDIA/Passes.h"
#include "tessera/Target/NVIDIA/Spec.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tessera::nvidia {
#define GEN_PASS_DEF_NVIDIASPECIALIZEWARPS
#include "tessera/Target/NVIDIA/Passes.h.inc"
} // namespace tessera::nvidia

using namespace tessera;
using ttng::AcquireSlotOp;
using ttng::AsyncTMACopyGlobalToLocalOp;
using ttng::BarrierExpectOp;

static constexpr llvm::StringLiteral kPass = "nvidia-specialize-warps";
/// setmaxnreg is for all four warps of a group (PTX ISA); one of them starts the copies.
static constexpr int kProducerWarps = 4;

namespace {
struct SpecializeWarps : nvidia::impl::NvidiaSpecializeWarpsBase<SpecializeWarps> {
  using NvidiaSpecializeWarpsBase::NvidiaSpecializeWarpsBase;
  void runOnOperation() override;
};

/// The rings of one loop of the kernel's outermost block.
struct LoopRings {
  Operation *loop = nullptr;
  SmallVector<Value> buffers;
  Operation *firstStart = nullptr; // in front of the loop
};

/// What becomes of a kernel's ops.
struct Plan {
  /// Buffers and barriers of rings, with the ops that make the barriers.
  llvm::SetVector<Operation *> setup;
  /// The ops that wait for slots and start copies.
  SmallVector<Operation *> starts;
  /// The ops that the starts depend on, loops and branches around them included.
  DenseSet<Operation *> needed;
  /// Of needed loops and branches, the results and carried values that are needed.
  DenseMap<Operation *, llvm::SmallSetVector<unsigned, 4>> carried;
};

/// Finds what the starts of a kernel's copies depend on.
class Planner {
public:
  Planner(tt::FuncOp kernel, bool registersAreLimited)
      : kernel(kernel), entry(kernel.getBody().front()), registersAreLimited(registersAreLimited) {}
  /// Returns nothing if the kernel cannot be split; `problem` then says why, unless it has no ring.
  std::optional<Plan> run();
  std::string problem;

private:
  bool findRings();
  bool findSetup();
  bool need(Value value);
  bool need(Operation *op);
  bool needCarried(Operation *op, unsigned index);
  bool fail(const Twine &reason) {
    problem = reason.str();
    return false;
  }

  tt::FuncOp kernel;
  Block &entry;
  bool registersAreLimited;
  Plan plan;
  llvm::SetVector<Operation *> buffers, barriers; // local_alloc
};
} // namespace

//===----------------------------------------------------------------------===//
// Decide
//===----------------------------------------------------------------------===//

/// Returns the op that allocates a buffer, or the value's other definition.
static Operation *allocationOf(Value buffer) {
  Operation *op = buffer.getDefiningOp();
  while (op && isa<ViewLikeOpInterface>(op))
    op = op->getOperand(0).getDefiningOp();
  return op;
}

/// Finds the rings' buffers and barriers, and the ops that fill them.
bool Planner::findRings() {
  kernel.walk([&](AcquireSlotOp acquire) {
    barriers.insert(allocationOf(acquire.getBarrier()));
    for (Value buffer : acquire.getBuffers())
      buffers.insert(allocationOf(buffer));
    plan.starts.push_back(acquire);
  });
  kernel.walk([&](AsyncTMACopyGlobalToLocalOp copy) {
    if (!buffers.contains(allocationOf(copy.getResult())))
      return;
    barriers.insert(allocationOf(copy.getBarrier()));
    plan.starts.push_back(copy);
  });
  kernel.walk([&](BarrierExpectOp expect) {
    if (barriers.contains(allocationOf(expect.getAlloc())))
      plan.starts.push_back(expect);
  });
  return !plan.starts.empty();
}

static bool isConstant(Operation *op) {
  return isa<arith::ConstantOp>(op) && !isa<ShapedType>(op->getResult(0).getType());
}

/// The ring's memory and barriers must exist before the split: they are moved to the kernel's
/// start, which they may depend on alone.
bool Planner::findSetup() {
  for (const auto *allocations : {&buffers, &barriers})
    for (Operation *alloc : *allocations)
      if (!isa_and_nonnull<ttg::LocalAllocOp>(alloc) || alloc->getBlock() != &entry ||
          alloc->getNumOperands() != 0)
        return fail("a loop makes the ring of tiles again in each iteration");
  for (Operation &op : entry) {
    bool isSetup = buffers.contains(&op) || barriers.contains(&op);
    if (isa<ttng::InitBarrierOp, ttg::MemDescIndexOp>(op))
      isSetup |= barriers.contains(allocationOf(op.getOperand(0)));
    if (!isSetup)
      continue;
    for (Value operand : op.getOperands())
      if (Operation *from = operand.getDefiningOp();
          !from || !(isConstant(from) || plan.setup.contains(from)))
        return isa<ttng::InitBarrierOp>(op) ? fail("a barrier of the ring is not known at once")
                                            : need(operand);
    plan.setup.insert(&op);
  }
  return true;
}

bool Planner::needCarried(Operation *op, unsigned index) {
  if (!plan.carried[op].insert(index))
    return true;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return need(op) && need(loop.getInitArgs()[index]) && need(loop.getYieldedValues()[index]);
  auto branch = cast<scf::IfOp>(op);
  return need(op) && need(branch.thenYield().getOperand(index)) &&
         need(branch.elseYield().getOperand(index));
}

bool Planner::need(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *owner = argument.getOwner()->getParentOp();
    auto loop = dyn_cast<scf::ForOp>(owner);
    if (!loop)
      return owner == kernel ||
             fail("a start of a copy depends on '" + owner->getName().getStringRef() + "'");
    unsigned index = argument.getArgNumber();
    return index == 0 ? need(owner) : needCarried(owner, index - loop.getNumInductionVars());
  }
  Operation *op = value.getDefiningOp();
  if (isa<scf::ForOp, scf::IfOp>(op))
    return needCarried(op, cast<OpResult>(value).getResultNumber());
  return need(op);
}

static bool concernsTensors(Operation *op) {
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  return llvm::any_of(op->getOperandTypes(), isTensor) ||
         llvm::any_of(op->getResultTypes(), isTensor);
}

bool Planner::need(Operation *op) {
  if (plan.setup.contains(op) || buffers.contains(op) || barriers.contains(op) ||
      !plan.needed.insert(op).second)
    return true;
  bool isStart = llvm::is_contained(plan.starts, op);
  bool isControl = isa<scf::ForOp, scf::IfOp>(op);
  if (isa<tt::MakeTensorDescOp>(op))
    return fail("a start of a copy depends on a tensor map that the kernel makes");
  if (!isStart && !isControl &&
      (op->getNumRegions() != 0 || !isMemoryEffectFree(op) || concernsTensors(op)))
    return fail("a start of a copy depends on '" + op->getName().getStringRef() + "'");
  ValueRange operands = op->getOperands();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    operands = operands.take_front(loop.getNumControlOperands());
  for (Value operand : operands)
    if (!need(operand))
      return false;
  Operation *parent = op->getParentOp();
  return parent == kernel || need(parent);
}

std::optional<Plan> Planner::run() {
  if (!findRings())
    return std::nullopt;
  unsigned numWarps = ttg::lookupNumWarps(kernel).value_or(4);
  if (numWarps != 4 && numWarps != 8)
    fail("the kernel has " + Twine(numWarps) + " warps, not 4 or 8");
  else if (numWarps == 8 && registersAreLimited)
    fail("the limit on registers leaves none to divide");
  else if (ttg::lookupNumCTAs(kernel) != 1)
    fail("the program runs on a cluster");
  else if (!kernel.getBody().hasOneBlock())
    fail("the kernel has branches between blocks");
  if (!problem.empty())
    return std::nullopt;
  kernel.walk([&](Operation *op) {
    if (isa<tt::ElementwiseInlineAsmOp>(op))
      fail("its inline assembly might contain barriers");
    if (isa<ttg::WarpSpecializeOp, tt::CallOp>(op))
      fail("it contains '" + op->getName().getStringRef() + "'");
  });
  if (!problem.empty() || !findSetup())
    return std::nullopt;
  for (Operation *start : plan.starts)
    if (!need(start))
      return std::nullopt;
  return std::move(plan);
}

//===----------------------------------------------------------------------===//
// Rings that share buffers
//===----------------------------------------------------------------------===//

/// Returns the loops with rings, in their order.
static SmallVector<LoopRings> findLoops(tt::FuncOp kernel, const Plan &plan) {
  SmallVector<LoopRings> loops;
  Block &entry = kernel.getBody().front();
  kernel.walk([&](AcquireSlotOp acquire) {
    Operation *loop = entry.findAncestorOpInBlock(*acquire);
    if (loops.empty() || loops.back().loop != loop)
      loops.push_back({loop, {}, nullptr});
    for (Value buffer : acquire.getBuffers())
      loops.back().buffers.push_back(buffer);
  });
  for (LoopRings &rings : loops)
    for (Operation *start : plan.starts)
      if (auto expect = dyn_cast<BarrierExpectOp>(start);
          expect && expect->getBlock() == &entry && expect->isBeforeInBlock(rings.loop))
        if (!rings.firstStart || expect->isBeforeInBlock(rings.firstStart))
          if (&rings == &loops.front() || loops.front().loop->isBeforeInBlock(expect))
            rings.firstStart = expect;
  return loops;
}

/// Returns whether the buffers of `rings` can be those of `before`: the producer starts its copies
/// behind that loop, and types are equal.
static bool canShare(const LoopRings &before, const LoopRings &rings) {
  return rings.firstStart && before.loop->isBeforeInBlock(rings.firstStart) &&
         TypeRange(ValueRange(before.buffers)) == TypeRange(ValueRange(rings.buffers)) &&
         llvm::none_of(rings.buffers,
                       [&](Value buffer) { return llvm::is_contained(before.buffers, buffer); });
}

/// Lets a loop use the buffers of the loop before. Each warp releases them when it has left that
/// loop; the warp that starts copies waits for all of them.
static void share(const LoopRings &before, LoopRings &rings, unsigned numWarps) {
  OpBuilder b(rings.loop->getContext());
  Location loc = rings.loop->getLoc();
  const auto &engine = *ttg::TileCopies::of(b.getContext());
  b.setInsertionPoint(before.buffers.front().getDefiningOp());
  Value barriers = engine.makeBarriers(b, loc, 1, numWarps);
  Value zero = arith::ConstantIntOp::create(b, loc, 0, 32);
  Value barrier = engine.chooseBarrier(b, loc, barriers, zero)->getResult(0);
  Operation *left = before.loop;
  for (Value buffer : before.buffers)
    for (Operation *user : llvm::make_early_inc_range(buffer.getUsers()))
      if (isa<ttg::LocalDeallocOp>(user)) {
        if (left->isBeforeInBlock(user))
          left = user->getPrevNode();
        user->erase();
      }
  b.setInsertionPointAfter(left);
  engine.release(b, loc, barrier, before.buffers);
  b.setInsertionPoint(rings.firstStart);
  engine.acquire(b, loc, barrier, zero, before.buffers);
  for (auto [mine, theirs] : llvm::zip_equal(rings.buffers, before.buffers)) {
    Operation *alloc = mine.getDefiningOp();
    mine.replaceAllUsesWith(theirs);
    alloc->erase();
  }
  rings.buffers = before.buffers;
}

static void shareRings(tt::FuncOp kernel, const Plan &plan) {
  SmallVector<LoopRings> loops = findLoops(kernel, plan);
  unsigned numWarps = ttg::lookupNumWarps(kernel).value_or(4);
  for (size_t i = 1; i < loops.size(); ++i)
    if (canShare(loops[i - 1], loops[i]))
      share(loops[i - 1], loops[i], numWarps);
}

//===----------------------------------------------------------------------===//
// Mutate
//===----------------------------------------------------------------------===//

namespace {
/// Clones the needed ops of a kernel.
class Cloner {
public:
  Cloner(const Plan &plan, IRMapping &values) : plan(plan), values(values) {}
  void clone(Block &from, OpBuilder &b);

private:
  void cloneLoop(scf::ForOp loop, OpBuilder &b);
  void cloneBranch(scf::IfOp branch, OpBuilder &b);
  SmallVector<unsigned> carriedBy(Operation *op) const {
    auto found = plan.carried.find(op);
    SmallVector<unsigned> indices;
    if (found != plan.carried.end())
      indices.assign(found->second.begin(), found->second.end());
    llvm::sort(indices);
    return indices;
  }
  SmallVector<Value> mapped(ValueRange from, ArrayRef<unsigned> indices) const {
    return llvm::map_to_vector(indices,
                               [&](unsigned index) { return values.lookupOrDefault(from[index]); });
  }

  const Plan &plan;
  IRMapping &values;
};
} // namespace

void Cloner::cloneLoop(scf::ForOp loop, OpBuilder &b) {
  SmallVector<unsigned> carried = carriedBy(loop);
  auto copy = scf::ForOp::create(b, loop.getLoc(), values.lookupOrDefault(loop.getLowerBound()),
                                 values.lookupOrDefault(loop.getUpperBound()),
                                 values.lookupOrDefault(loop.getStep()),
                                 mapped(loop.getInitArgs(), carried));
  copy->setAttrs(loop->getAttrs());
  values.map(loop.getInductionVar(), copy.getInductionVar());
  for (auto [at, index] : llvm::enumerate(carried)) {
    values.map(loop.getRegionIterArg(index), copy.getRegionIterArg(at));
    values.map(loop.getResult(index), copy.getResult(at));
  }
  if (!copy.getBody()->empty()) // without carried values it has a yield already
    copy.getBody()->back().erase();
  OpBuilder body = OpBuilder::atBlockEnd(copy.getBody());
  clone(*loop.getBody(), body);
  scf::YieldOp::create(body, loop.getLoc(), mapped(loop.getYieldedValues(), carried));
}

void Cloner::cloneBranch(scf::IfOp branch, OpBuilder &b) {
  SmallVector<unsigned> carried = carriedBy(branch);
  SmallVector<Type> types =
      llvm::map_to_vector(carried, [&](unsigned index) { return branch.getResultTypes()[index]; });
  auto copy =
      scf::IfOp::create(b, branch.getLoc(), types, values.lookupOrDefault(branch.getCondition()),
                        /*addThenBlock=*/true, /*addElseBlock=*/branch.elseBlock() != nullptr);
  for (auto [at, index] : llvm::enumerate(carried))
    values.map(branch.getResult(index), copy.getResult(at));
  for (auto [from, to] : {std::pair(branch.thenBlock(), copy.thenBlock()),
                          std::pair(branch.elseBlock(), copy.elseBlock())}) {
    if (!from)
      continue;
    to->clear();
    OpBuilder inside = OpBuilder::atBlockEnd(to);
    clone(*from, inside);
    scf::YieldOp::create(inside, branch.getLoc(),
                         mapped(from->getTerminator()->getOperands(), carried));
  }
}

void Cloner::clone(Block &from, OpBuilder &b) {
  for (Operation &op : from.without_terminator()) {
    if (!plan.needed.contains(&op))
      continue;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      cloneLoop(loop, b);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      cloneBranch(branch, b);
    else
      b.clone(op, values);
  }
}

/// Returns the values that the partition uses and does not compute: arguments and rings.
static SmallVector<Value> findCaptures(tt::FuncOp kernel, const Plan &plan) {
  llvm::SetVector<Value> captures;
  kernel.walk([&](Operation *op) {
    if (!plan.needed.contains(op))
      return;
    for (Value operand : op->getOperands()) {
      Operation *from = operand.getDefiningOp();
      bool isArgument = !from && cast<BlockArgument>(operand).getOwner()->getParentOp() == kernel;
      if (isArgument || (from && plan.setup.contains(from)))
        captures.insert(operand);
    }
  });
  return captures.takeVector();
}

/// A builder at the end of a block that belongs to no op yet.
static OpBuilder builderAtEnd(Block &block, MLIRContext *context) {
  OpBuilder b(context);
  b.setInsertionPointToEnd(&block);
  return b;
}

/// Moves constants, which both roles use, and the rings to the kernel's start; returns the op
/// behind them.
static Operation *moveSetup(tt::FuncOp kernel, const Plan &plan) {
  Block &entry = kernel.getBody().front();
  Operation *first = &entry.front();
  for (Operation &op : llvm::make_early_inc_range(entry.without_terminator()))
    if (isConstant(&op) || plan.setup.contains(&op)) {
      if (&op == first)
        first = op.getNextNode();
      else
        op.moveBefore(first);
    }
  return first;
}

/// `first` is the first op that does not belong to both roles.
static void split(tt::FuncOp kernel, const Plan &plan, Operation *first) {
  Block &entry = kernel.getBody().front();
  unsigned numWarps = ttg::lookupNumWarps(kernel).value_or(4);
  Operation *end = entry.getTerminator();
  OpBuilder b(end);
  SmallVector<Value> captures = findCaptures(kernel, plan);
  OperationState state(kernel.getLoc(), ttg::WarpSpecializeOp::getOperationName());
  state.addOperands(captures);
  auto name = [&](StringRef attribute) { return b.getStringAttr(attribute); };
  state.addAttribute(name("partitionNumWarps"), b.getDenseI32ArrayAttr({kProducerWarps}));
  state.addAttribute(name("warpGroupStartIds"), b.getDenseI32ArrayAttr({int32_t(numWarps)}));
  if (numWarps == 8) {
    state.addAttribute(name("requestedRegisters"), b.getDenseI32ArrayAttr({24}));
    state.addAttribute(name("actualRegisters"), b.getDenseI32ArrayAttr({240, 24}));
  }
  Block &computing = state.addRegion()->emplaceBlock();
  OpBuilder holder = builderAtEnd(state.addRegion()->emplaceBlock(), b.getContext());
  OperationState partitions(kernel.getLoc(), ttg::WarpSpecializePartitionsOp::getOperationName());
  Block &producing = partitions.addRegion()->emplaceBlock();

  IRMapping values;
  for (Value value : captures)
    values.map(value, producing.addArgument(value.getType(), value.getLoc()));
  OpBuilder inside = builderAtEnd(producing, b.getContext());
  Cloner(plan, values).clone(entry, inside);
  ttg::WarpReturnOp::create(inside, kernel.getLoc());
  holder.create(partitions);

  for (Operation *start : plan.starts)
    start->erase();
  computing.getOperations().splice(computing.end(), entry.getOperations(), first->getIterator(),
                                   end->getIterator());
  OpBuilder last = builderAtEnd(computing, b.getContext());
  ttg::WarpYieldOp::create(last, kernel.getLoc(), ValueRange());
  b.create(state);
  ttg::setTotalNumWarps(kernel->getParentOfType<ModuleOp>(), numWarps + kProducerWarps);
}

/// Splits a kernel; returns whether it did. A copy of the kernel is changed, because the shared
/// memory that the rings take for all of the kernel is known afterwards.
static bool specialize(tt::FuncOp kernel, uint64_t maxSharedBytes, bool registersAreLimited,
                       std::string &problem) {
  Planner found(kernel, registersAreLimited);
  if (!found.run()) {
    problem = found.problem;
    return false;
  }
  tt::FuncOp copy = kernel.clone();
  kernel->getBlock()->getOperations().insert(kernel->getIterator(), copy);
  std::optional<Plan> plan = Planner(copy, registersAreLimited).run();
  shareRings(copy, *plan);
  Planner shared(copy, registersAreLimited);
  plan = shared.run();
  Operation *first = plan ? moveSetup(copy, *plan) : nullptr;
  uint64_t bytes = plan ? peakSharedBytes(copy.getBody()) : 0;
  if (!plan || (maxSharedBytes != 0 && bytes > maxSharedBytes)) {
    problem = plan ? llvm::formatv("{0} bytes of shared memory do not suffice for the rings of all "
                                   "loops, {1} bytes",
                                   maxSharedBytes, bytes)
                         .str()
                   : shared.problem;
    copy.erase();
    return false;
  }
  split(copy, *plan, first);
  kernel.erase();
  return true;
}

/// Returns whether loops around a loop keep its rings (ttg-pipeline): warps that compute could not
/// fill them, because each of them would have to know that the others have left the loop.
static bool hasKeptRings(tt::FuncOp kernel) {
  return kernel
      .walk([&](AcquireSlotOp acquire) {
        auto isInside = [&](Value buffer) {
          Operation *alloc = allocationOf(buffer), *loop = acquire->getParentOp();
          return alloc && alloc->getBlock() != loop->getBlock();
        };
        return llvm::any_of(acquire.getBuffers(), isInside) ? WalkResult::interrupt()
                                                            : WalkResult::advance();
      })
      .wasInterrupted();
}

void SpecializeWarps::runOnOperation() {
  SmallVector<tt::FuncOp> kernels;
  for (auto kernel : getOperation().getOps<tt::FuncOp>())
    if (!kernel.isExternal() && kernel.isKernel() && kernel->removeAttr(kSeparateCopiesAttr))
      kernels.push_back(kernel);
  for (tt::FuncOp kernel : kernels) {
    std::string problem;
    Location loc = kernel.getLoc();
    if (specialize(kernel, maxSharedBytes, registersAreLimited, problem)) {
      decided(loc, kPass, "warp-roles").says("a warp group of its own starts the copies of tiles");
      continue;
    }
    if (problem.empty())
      continue;
    declined(loc, kPass, "warp-roles")
        .says("no warps of their own start the copies of tiles")
        .because("{0}", problem);
    if (hasKeptRings(kernel))
      getOperation()->setAttr(nvidia::kRolesMissingAttr,
                              StringAttr::get(kernel.getContext(), problem));
  }
}
