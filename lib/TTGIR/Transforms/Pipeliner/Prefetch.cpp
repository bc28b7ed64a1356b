//===- Prefetch.cpp - read a dot's first operands one iteration early -----===//
// A pipelined loop begins each round with a wait, a barrier and reads from shared memory,
// and its matrix units stand still meanwhile. This pass cuts the dot along K and moves
// that beginning to before the last piece of the round before:
//
//   before: loop { wait ; copy ; a, b = local_load ; dot a, b }
//   after:  wait ; copy ; a0, b0 = local_load of the first piece
//           loop(a0, b0) {
//             a1, b1 ... = local_load of the other pieces
//             dot a0, b0 ; dot a1, b1 ; ...
//             wait ; copy ; a0', b0' = local_load of the next tile's first piece
//             dot of the last piece                  runs beside all of the line above
//           }
//
// The reads of a round are then done when it waits, so that the copy after the wait may
// already refill the round's own tile, and there is still one barrier per round.
//
// 1. Find a loop whose only effects are a wait, copies, and reads that feed one dot, and
//    branches without any of these (the epilogue of a fused loop); and registers for the
//    pieces of two rounds.
// 2. Cut the dot into pieces of one instruction's K.
// 3. Two stages, by MLIR's pipeliner: what the wait, the copies and the first piece's
//    reads need is the first, all else the second.
//
// Requires: ttg-pipeline (its mark on the loop says that copies are masked).
// Ensures: values unchanged; sums are taken in the same order.
// Cost: linear in the loop, times the pieces.
//===----------------------------------------------------------------------===//
#include "CrossStageValues.h"
#include "Schedule.h"
#include "tessera/TTGIR/IR/Machines.h"
#include "tessera/TTGIR/IR/MatrixUnits.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Layout/VectorWidth.h"
#include "tessera/TTGIR/Transforms/Passes.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTGPREFETCH
#include "tessera/TTGIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;

namespace {
struct Prefetch : tessera::impl::TTGPrefetchBase<Prefetch> {
  using TTGPrefetchBase::TTGPrefetchBase;
  void runOnOperation() override;
};

/// One operand of the dot: a tile of a buffer, read, perhaps cast.
struct Operand {
  ttg::LocalLoadOp read;
  SmallVector<Operation *> casts; // in order, each the only user of the one before
  unsigned kDim = 0;
};

/// A loop that can be changed.
struct Match {
  scf::ForOp loop;
  ttg::AsyncWaitOp wait;
  tt::DotOp dot;
  Operand a, b;
  int64_t pieceSize = 0; // along K
  int64_t numPieces = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Finding
//===----------------------------------------------------------------------===//

static bool isCast(Operation *op) {
  return op->getNumOperands() == 1 && op->getNumResults() == 1 && isMemoryEffectFree(op) &&
         op->hasTrait<OpTrait::Elementwise>();
}

static std::optional<Operand> findOperand(Value value, unsigned kDim, Block *body) {
  Operand operand;
  operand.kDim = kDim;
  while (Operation *op = value.getDefiningOp()) {
    if (op->getBlock() != body || !op->hasOneUse())
      return std::nullopt;
    if (auto read = dyn_cast<ttg::LocalLoadOp>(op)) {
      operand.read = read;
      std::reverse(operand.casts.begin(), operand.casts.end());
      return operand;
    }
    if (!isCast(op))
      return std::nullopt;
    operand.casts.push_back(op);
    value = op->getOperand(0);
  }
  return std::nullopt;
}

/// K of one instruction, as the operand's layout has it; nothing for other units.
static std::optional<int64_t> instructionK(Value operand) {
  auto type = cast<RankedTensorType>(operand.getType());
  auto encoding = dyn_cast_or_null<ttg::DotOperandEncodingAttr>(type.getEncoding());
  if (!encoding || type.getRank() != 2)
    return std::nullopt;
  return ttg::matrixInstructionK(encoding);
}

/// 32-bit registers of a thread for `size` steps along K of an operand, or for a tensor.
static unsigned countRegisters(RankedTensorType type, unsigned kDim, int64_t size) {
  unsigned elements = elementsPerThread(ttg::toLinearLayout(type)) * size / type.getDimSize(kDim);
  return llvm::divideCeil(elements * tt::getElementBits(type), 32);
}

/// Whether the pieces of two rounds fit into registers, beside the sum and the addresses
/// of the copies: one for each vector of them.
static bool fitsRegisters(const Match &match, unsigned maxRegisters) {
  tt::DotOp dot = match.dot;
  const unsigned maxVectorBits = ttg::getMachine(dot).maxVectorBits;
  auto sum = cast<RankedTensorType>(dot.getType());
  unsigned registers =
      countRegisters(sum, 0, sum.getDimSize(0)) +
      2 * countRegisters(cast<RankedTensorType>(dot.getA().getType()), 1, match.pieceSize) +
      2 * countRegisters(cast<RankedTensorType>(dot.getB().getType()), 0, match.pieceSize);
  for (auto copy : scf::ForOp(match.loop).getBody()->getOps<ttg::AsyncCopyGlobalToLocalOp>()) {
    auto pointers = cast<RankedTensorType>(copy.getSrc().getType());
    unsigned widest = maxVectorBits / tt::getPointeeBits(pointers);
    unsigned width = std::min<unsigned>(copy.getContiguity(), widest);
    // Narrow copies take more work on addresses and masks than the dot: nothing waits for
    // its operands then, and registers are short (conv3d lost 3 % on H200).
    if (width < widest)
      return false;
    registers +=
        2 * llvm::divideCeil(elementsPerThread(ttg::toLinearLayout(pointers)), std::max(1u, width));
  }
  return registers <= maxRegisters;
}

/// Whether parts of `size` along K of the operand's tile are views: no swizzle moves their
/// starts (ttg.memdesc_subslice.C6), and no other CTA has a part of them (C5).
static bool canCut(const Operand &operand, int64_t size) {
  ttg::MemDescType tile = ttg::LocalLoadOp(operand.read).getSrc().getType();
  auto encoding = dyn_cast<ttg::SharedEncodingAttr>(tile.getEncoding());
  if (!encoding || encoding.getCGALayout().getNumBlocks() != 1 || tile.getShape().size() != 2)
    return false;
  std::optional<LinearLayout> places = ttg::toLinearLayout(tile).pseudoinvert();
  if (!places)
    return false;
  for (int64_t step = size; step < tile.getShape()[operand.kDim]; step *= 2) {
    DimIndex start{Dim::axis(operand.kDim), uint64_t(step)};
    if (!llvm::isPowerOf2_64(places->apply(start, Dim::offset())))
      return false;
  }
  return true;
}

/// Whether a branch has nothing to do with tiles in shared memory.
static bool isApart(scf::IfOp branch) {
  WalkResult result = branch->walk([](Operation *op) {
    return isa<ttg::TTGDialect>(op->getDialect()) && !isMemoryEffectFree(op)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return !result.wasInterrupted();
}

/// Whether the loop's effects are the wait, the copies, the two reads and branches alone.
static bool hasOnlyKnownEffects(const Match &match) {
  for (Operation &op : scf::ForOp(match.loop).getBody()->without_terminator()) {
    if (isMemoryEffectFree(&op) || isa<ttg::AsyncCopyGlobalToLocalOp, ttg::AsyncCommitGroupOp>(op))
      continue;
    if (auto branch = dyn_cast<scf::IfOp>(op); branch && isApart(branch))
      continue;
    if (&op != match.wait && &op != match.a.read && &op != match.b.read)
      return false;
  }
  return true;
}

static std::optional<Match> findMatch(scf::ForOp loop) {
  Block *body = loop.getBody();
  if (!hasOnlyDirectRecurrences(loop))
    return std::nullopt;
  Match match{loop, {}, {}, {}, {}};
  for (Operation &op : *body) {
    if (auto wait = dyn_cast<ttg::AsyncWaitOp>(op)) {
      if (match.wait)
        return std::nullopt;
      match.wait = wait;
    }
    if (auto dot = dyn_cast<tt::DotOp>(op)) {
      if (match.dot)
        return std::nullopt;
      match.dot = dot;
    }
  }
  if (!match.wait || !match.dot)
    return std::nullopt;
  std::optional<Operand> a = findOperand(match.dot.getA(), 1, body);
  std::optional<Operand> b = findOperand(match.dot.getB(), 0, body);
  std::optional<int64_t> pieceA = instructionK(match.dot.getA()),
                         pieceB = instructionK(match.dot.getB());
  if (!a || !b || !pieceA || !pieceB)
    return std::nullopt;
  match.a = *a;
  match.b = *b;
  match.pieceSize = std::max(*pieceA, *pieceB);
  match.numPieces = cast<RankedTensorType>(match.dot.getA().getType()).getDimSize(1) /
                    std::max<int64_t>(1, match.pieceSize);
  if (match.numPieces < 2 || !hasOnlyKnownEffects(match) || !canCut(match.a, match.pieceSize) ||
      !canCut(match.b, match.pieceSize))
    return std::nullopt;
  return match;
}

//===----------------------------------------------------------------------===//
// Cutting
//===----------------------------------------------------------------------===//

namespace {
/// The loop with its dot cut, and the ops that stage 0 is made of.
class PrefetchedLoop {
public:
  PrefetchedLoop(const Match &match, IRRewriter &b) : match(match), loop(match.loop), b(b) {}
  LogicalResult run();

private:
  Value readPiece(const Operand &operand, int64_t piece);
  void cut();
  void assignStages();
  std::vector<std::pair<Operation *, unsigned>> order();

  Match match;
  scf::ForOp loop;
  IRRewriter &b;
  SmallVector<Operation *> firstReads; // what the first piece is read by
  Operation *lastDot = nullptr;
  Schedule schedule;
};
} // namespace

static Type withK(Type type, unsigned kDim, int64_t size) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  shape[kDim] = size;
  return tensor.clone(shape);
}

Value PrefetchedLoop::readPiece(const Operand &operand, int64_t piece) {
  ttg::LocalLoadOp read = operand.read;
  Location loc = read.getLoc();
  auto whole = read.getSrc().getType();
  SmallVector<int64_t> shape(whole.getShape());
  shape[operand.kDim] = match.pieceSize;
  SmallVector<int32_t> offsets(shape.size(), 0);
  offsets[operand.kDim] = piece * match.pieceSize;
  auto type = ttg::MemDescType::get(shape, whole.getElementType(), whole.getEncoding(),
                                    whole.getMemorySpace(), whole.getMutableMemory(),
                                    whole.getAllocShape());
  Value view = ttg::MemDescSubsliceOp::create(b, loc, type, read.getSrc(), offsets);
  Value value =
      ttg::LocalLoadOp::create(b, loc, withK(read.getType(), operand.kDim, match.pieceSize), view,
                               piece == 0 ? read.getToken() : Value());
  for (Operation *cast : operand.casts) {
    Operation *copy = b.clone(*cast);
    copy->setOperand(0, value);
    copy->getResult(0).setType(withK(cast->getResult(0).getType(), operand.kDim, match.pieceSize));
    value = copy->getResult(0);
  }
  if (piece == 0)
    firstReads.push_back(value.getDefiningOp());
  return value;
}

void PrefetchedLoop::cut() {
  tt::DotOp dot = match.dot;
  b.setInsertionPoint(dot);
  Value sum = dot.getC();
  for (int64_t piece = 0; piece < match.numPieces; ++piece) {
    Value a = readPiece(match.a, piece), right = readPiece(match.b, piece);
    Operation *part = b.clone(*dot);
    part->setOperands({a, right, sum});
    sum = part->getResult(0);
    lastDot = part;
  }
  b.replaceOp(dot, sum);
  for (const Operand &operand : {match.a, match.b}) {
    for (Operation *cast : llvm::reverse(operand.casts))
      b.eraseOp(cast);
    b.eraseOp(operand.read);
  }
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

void PrefetchedLoop::assignStages() {
  Block *body = loop.getBody();
  SmallVector<Operation *> work(firstReads);
  for (Operation &op : body->without_terminator()) {
    schedule[&op] = {1, 1};
    if (isa<ttg::AsyncWaitOp, ttg::AsyncCopyGlobalToLocalOp, ttg::AsyncCommitGroupOp>(op))
      work.push_back(&op);
  }
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    Slot &slot = schedule[op];
    if (slot.stage == 0)
      continue;
    slot = {0, 0};
    for (Value used : usedValues(op)) {
      if (auto argument = dyn_cast<BlockArgument>(used);
          argument && argument.getOwner() == body && argument.getArgNumber() > 0)
        used = loop.getTiedLoopYieldedValue(argument)->get();
      if (Operation *definition = used.getDefiningOp();
          definition && definition->getBlock() == body)
        work.push_back(definition);
    }
  }
}

/// The second stage up to its last dot, the first stage for the next iteration, the dot.
std::vector<std::pair<Operation *, unsigned>> PrefetchedLoop::order() {
  std::vector<std::pair<Operation *, unsigned>> before, ahead, after;
  DenseSet<Operation *> late{lastDot};
  for (Operation &op : loop.getBody()->without_terminator()) {
    unsigned stage = schedule.lookup(&op).stage;
    bool isLate = late.contains(&op) || llvm::any_of(usedValues(&op), [&](Value used) {
                    return used.getDefiningOp() && late.contains(used.getDefiningOp());
                  });
    if (isLate)
      late.insert(&op);
    (stage == 0 ? ahead : isLate ? after : before).push_back({&op, stage});
  }
  before.insert(before.end(), ahead.begin(), ahead.end());
  before.insert(before.end(), after.begin(), after.end());
  return before;
}

/// Before the loop nobody reads what the copies after the wait overwrite: they may start
/// before it, and the wait leaves them under way.
static void startCopiesBeforeWait(scf::ForOp loop) {
  ttg::AsyncWaitOp wait;
  Operation *lastCommit = nullptr;
  unsigned groups = 0;
  for (Operation *op = loop->getPrevNode(); op && !wait; op = op->getPrevNode()) {
    if (isa<ttg::AsyncCommitGroupOp>(op)) {
      lastCommit = lastCommit ? lastCommit : op;
      ++groups;
    }
    if (isa<ttg::LocalLoadOp>(op) && lastCommit)
      return;
    wait = dyn_cast<ttg::AsyncWaitOp>(op);
  }
  if (!wait || !lastCommit)
    return;
  wait.setNum(wait.getNum() + groups);
  wait->moveAfter(lastCommit);
}

LogicalResult PrefetchedLoop::run() {
  cut();
  assignStages();
  // The sum that a round begins with must not be one that stage 0 needs, nor must stage 0 need
  // a branch that writes.
  if (schedule.lookup(lastDot).stage == 0 || llvm::any_of(*loop.getBody(), [&](Operation &op) {
        return isa<scf::IfOp>(op) && schedule.lookup(&op).stage == 0 && !canRunAhead(&op);
      }))
    return success();
  rematerializeAcrossStages(loop, schedule, b);
  scf::PipeliningOption options;
  options.getScheduleFn = [&](scf::ForOp, std::vector<std::pair<Operation *, unsigned>> &result) {
    result = order();
  };
  options.peelEpilogue = false;
  options.supportDynamicLoops = true;
  // Copies are masked for iterations that do not exist; reads do no harm.
  options.predicateFn = [](RewriterBase &, Operation *op, Value) { return op; };
  loop->removeAttr(kPipelinedAttr);
  b.setInsertionPoint(loop);
  FailureOr<scf::ForOp> pipelined = scf::pipelineForLoop(b, loop, options);
  if (failed(pipelined))
    return loop.emitError("cannot read the first operands of this loop's dot ahead");
  startCopiesBeforeWait(*pipelined);
  return success();
}

void Prefetch::runOnOperation() {
  SmallVector<Match> matches;
  getOperation().walk([&](scf::ForOp loop) {
    if (!loop->hasAttr(kPipelinedAttr))
      return;
    std::optional<Match> match = findMatch(loop);
    if (match && fitsRegisters(*match, maxRegisters))
      matches.push_back(*match);
  });
  IRRewriter b(&getContext());
  for (const Match &match : matches)
    if (failed(PrefetchedLoop(match, b).run()))
      return signalPassFailure();
}
