//===- Prefetch.cpp - read a dot's first operands one iteration early -----===//
// An iteration of a pipelined loop begins with a wait, a barrier and reads from shared memory,
// during which the matrix units are idle. This pass cuts the dot along K and moves these ops of
// the next iteration in front of the last piece's dot:
//
//   before: loop { wait ; copy ; a, b = local_load ; dot a, b }
//   after:  wait ; copy ; a0, b0 = local_load of the first piece
//           loop(a0, b0) {
//             a1, b1 ... = local_load of the other pieces
//             dot a0, b0 ; dot a1, b1 ; ...
//             wait ; copy ; a0', b0' = local_load of the next tile's first piece
//             dot of the last piece                  runs while the line above waits
//           }
//
// All reads of an iteration's tile then precede the wait, so that the copy after the wait may
// refill this tile, and there is still one barrier per iteration.
//
// 1. Find a loop whose only effects are a wait, copies, reads that feed one dot, and branches
//    without any of these (the epilogue of a fused loop). There must be registers for the pieces
//    of two iterations.
// 2. Cut the dot into pieces of one instruction's K.
// 3. Assign two stages and apply MLIR's pipeliner: the first stage has the wait, the copies, the
//    reads of the first piece and the ops that they depend on; the second has all others.
//
// Requires: ttg-pipeline (its mark on the loop says that copies are masked).
// Ensures: values unchanged; sums are taken in the same order.
// Cost: linear in the loop, times the pieces.
//===----------------------------------------------------------------------===//
#include "CrossStageValues.h"
#include "Schedule.h"
#include "tessera/Support/Remarks.h"
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

static constexpr llvm::StringLiteral kPass = "ttg-prefetch", kDecision = "first-operands";

namespace {
struct Prefetch : tessera::impl::TTGPrefetchBase<Prefetch> {
  using TTGPrefetchBase::TTGPrefetchBase;
  void runOnOperation() override;
};

/// One operand of the dot: the read of a tile of a buffer, and casts of it.
struct Operand {
  ttg::LocalLoadOp read;
  SmallVector<Operation *> casts; // in order, each the only user of the one before
  unsigned kDim = 0;
};

/// A loop that can be rewritten.
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

/// Returns K of one matrix instruction, which the operand's layout implies; nothing if no matrix
/// unit computes the dot.
static std::optional<int64_t> instructionK(Value operand) {
  auto type = cast<RankedTensorType>(operand.getType());
  auto encoding = dyn_cast_or_null<ttg::DotOperandEncodingAttr>(type.getEncoding());
  if (!encoding || type.getRank() != 2)
    return std::nullopt;
  return ttg::matrixInstructionK(encoding);
}

/// Returns the 32-bit registers of a thread for `size` elements of the tensor along `kDim`.
static unsigned countRegisters(RankedTensorType type, unsigned kDim, int64_t size) {
  unsigned elements = elementsPerThread(ttg::toLinearLayout(type)) * size / type.getDimSize(kDim);
  return llvm::divideCeil(elements * tt::getElementBits(type), 32);
}

/// Returns whether each copy of the loop has the width of the machine's widest access. Narrow
/// copies need more instructions for addresses and masks than the dot: nothing waits for its
/// operands then, and registers are short (conv3d lost 3 % on H200).
static bool hasWideCopies(scf::ForOp loop) {
  const unsigned maxVectorBits = ttg::getMachine(loop).maxVectorBits;
  return llvm::all_of(loop.getBody()->getOps<ttg::AsyncCopyGlobalToLocalOp>(), [&](auto copy) {
    auto pointers = cast<RankedTensorType>(copy.getSrc().getType());
    unsigned width = copy.getContiguity();
    return width >= maxVectorBits / tt::getPointeeBits(pointers);
  });
}

/// Returns the registers for the pieces of two iterations, for the sum, and for the addresses of
/// the copies: two for each vector of them.
static unsigned countRegisters(const Match &match) {
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
    registers += 2 * llvm::divideCeil(elementsPerThread(ttg::toLinearLayout(pointers)),
                                      std::max(1u, widest));
  }
  return registers;
}

/// Returns whether pieces of `size` along K of the operand's tile are views of it: no swizzle moves
/// their first elements (ttg.memdesc_subslice.C6), and no other CTA has a part of them (C5).
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

/// Returns whether the branch does not access shared memory.
static bool isApart(scf::IfOp branch) {
  WalkResult result = branch->walk([](Operation *op) {
    return isa<ttg::TTGDialect>(op->getDialect()) && !isMemoryEffectFree(op)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return !result.wasInterrupted();
}

/// Returns whether the loop has no effects besides the wait, the copies, the two reads and
/// branches.
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

/// Finds the wait and the dot of the loop; returns why it has not one of each, or nothing.
static StringRef findWaitAndDot(Match &match) {
  for (Operation &op : *match.loop.getBody()) {
    if (auto wait = dyn_cast<ttg::AsyncWaitOp>(op)) {
      if (match.wait)
        return "the loop has several waits";
      match.wait = wait;
    }
    if (auto dot = dyn_cast<tt::DotOp>(op)) {
      if (match.dot)
        return "the loop has several dots";
      match.dot = dot;
    }
  }
  return match.wait ? "" : "the loop waits for no copy";
}

/// Finds the operands of the dot and the size of a piece; returns why the dot cannot be cut, or
/// nothing.
static StringRef findPieces(Match &match) {
  Block *body = match.loop.getBody();
  std::optional<Operand> a = findOperand(match.dot.getA(), 1, body);
  std::optional<Operand> b = findOperand(match.dot.getB(), 0, body);
  if (!a || !b)
    return "an operand is not a tile in shared memory that the dot alone reads";
  std::optional<int64_t> pieceA = instructionK(match.dot.getA()),
                         pieceB = instructionK(match.dot.getB());
  if (!pieceA || !pieceB)
    return "no matrix unit computes the dot";
  match.a = *a;
  match.b = *b;
  match.pieceSize = std::max(*pieceA, *pieceB);
  match.numPieces = cast<RankedTensorType>(match.dot.getA().getType()).getDimSize(1) /
                    std::max<int64_t>(1, match.pieceSize);
  if (match.numPieces < 2)
    return "one instruction covers K";
  if (!hasOnlyKnownEffects(match))
    return "the loop has other effects on memory";
  if (!canCut(match.a, match.pieceSize) || !canCut(match.b, match.pieceSize))
    return "a piece of an operand is not a view of its buffer";
  return "";
}

/// Fills in `match`; returns the condition that the loop does not meet, or nothing.
static StringRef findMatch(Match &match) {
  StringRef reason = findWaitAndDot(match);
  if (!reason.empty() || !match.dot)
    return reason;
  if (!hasOnlyDirectRecurrences(match.loop))
    return "the loop carries a value over more than one iteration";
  reason = findPieces(match);
  if (reason.empty() && !hasWideCopies(match.loop))
    return "copies are narrower than an access can be";
  return reason;
}

//===----------------------------------------------------------------------===//
// Cutting
//===----------------------------------------------------------------------===//

namespace {
/// Cuts the dot of one loop and assigns its ops to two stages.
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
  SmallVector<Operation *> firstReads; // the ops that define the operands of the first piece
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

/// Returns the ops in their new order: the second stage up to its last dot, the first stage of the
/// next iteration, and the dot.
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

/// Starts the copies of the prologue that follow its wait before it: no read precedes them that
/// they could overwrite. The wait then leaves these groups in flight.
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
  // Stage 0 must not need the dot's sum, nor a branch that writes.
  if (schedule.lookup(lastDot).stage == 0 || llvm::any_of(*loop.getBody(), [&](Operation &op) {
        return isa<scf::IfOp>(op) && schedule.lookup(&op).stage == 0 && !canRunAhead(&op);
      })) {
    declined(loop, kPass, kDecision)
        .says("the dot reads its operands in the same iteration")
        .because("copies or reads depend on the dot or on a branch that writes");
    return success();
  }
  decided(lastDot, kPass, kDecision)
      .says("the dot reads the first of {0} pieces of its operands one iteration early",
            match.numPieces)
      .number("pieces", match.numPieces)
      .number("k", match.pieceSize);
  rematerializeAcrossStages(loop, schedule, b);
  scf::PipeliningOption options;
  options.getScheduleFn = [&](scf::ForOp, std::vector<std::pair<Operation *, unsigned>> &result) {
    result = order();
  };
  options.peelEpilogue = false;
  options.supportDynamicLoops = true;
  // Copies are masked for iterations that do not exist; reads change nothing.
  options.predicateFn = [](RewriterBase &, Operation *op, Value) { return op; };
  loop->removeAttr(kPipelinedAttr);
  b.setInsertionPoint(loop);
  FailureOr<scf::ForOp> pipelined = scf::pipelineForLoop(b, loop, options);
  if (failed(pipelined))
    return loop.emitError("cannot read the first operands of this loop's dot ahead");
  startCopiesBeforeWait(*pipelined);
  return success();
}

/// Returns whether the loop can be rewritten and has the registers for it; a remark says why not.
static bool isWorthwhile(Match &match, unsigned maxRegisters) {
  StringRef reason = findMatch(match);
  // A loop without a dot has no operands to read.
  if (!match.dot)
    return false;
  unsigned registers = reason.empty() ? countRegisters(match) : 0;
  if (reason.empty() && registers <= maxRegisters)
    return true;
  PassRemark remark = declined(match.dot, kPass, kDecision);
  remark.says("the dot reads its operands in the same iteration");
  if (!reason.empty())
    remark.because("{0}", reason);
  else
    remark.because("it would need {0} registers of {1}", registers, maxRegisters)
        .number("registers", registers);
  return false;
}

void Prefetch::runOnOperation() {
  SmallVector<Match> matches;
  getOperation().walk([&](scf::ForOp loop) {
    if (!loop->hasAttr(kPipelinedAttr))
      return;
    Match match{loop, {}, {}, {}, {}};
    if (isWorthwhile(match, maxRegisters))
      matches.push_back(match);
  });
  IRRewriter b(&getContext());
  for (const Match &match : matches)
    if (failed(PrefetchedLoop(match, b).run()))
      return signalPassFailure();
}
