//===- BufferDotOperands.cpp - read dot operands from shared memory slice by slice -===//
// An operand of a dot that other threads hold goes through shared memory. A layout conversion
// returns it as a whole, in an order that suits vectors rather than the dot. This pass allocates a
// buffer that can be read slice by slice along K:
//
//   before: %x = ttg.convert_layout %a : #blocked -> #dot_op
//           %d = tt.dot %x, ...
//   after:  %m = ttg.local_alloc %a : #shared
//           %x = ttg.local_load %m -> #dot_op
//           %d = tt.dot %x, ...
//
// Each load then covers a few steps along K, so that LLIR/SinkSharedLoads can move it to the dot,
// and few of an operand's registers are live at a time. Operands of matrix units are read by
// ldmatrix where the machine has it, or by columns where reads transpose (SharedTiles.h); others,
// such as those of fma, of which a thread needs all of K for each of its rows, by vectors.
//
// Scales of tt.dot_scaled get buffers too: they are written with the operands, behind one barrier.
//
// A loop-invariant operand is read again in every iteration if the loop carries so many values that
// the operand would be spilled: a read of shared memory costs less than one of local memory.
//
// Requires: loops are pipelined already, since prefetched loads have buffers of their own.
// On machines without ldmatrix, an operand whose threads hold neighbours along K is stored such
// that these stay together, wherever its other dimension is contiguous in global memory. The pass
// leaves conversions alone in clusters; if ldmatrix cannot read a matrix unit's operand; if values
// stay within a warp; if an operand of fma is small; and for the largest operands if shared memory
// does not suffice. Ensures: values unchanged. Cost: one choice of a swizzle per operand.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Remarks.h"
#include "tessera/TTGIR/Analysis/DotChains.h"
#include "tessera/TTGIR/IR/Machines.h"
#include "tessera/TTGIR/IR/MatrixUnits.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Layout/Conversion.h"
#include "tessera/TTGIR/Layout/Redundancy.h"
#include "tessera/TTGIR/Layout/SharedChoice.h"
#include "tessera/TTGIR/Layout/VectorWidth.h"
#include "tessera/TTGIR/Transforms/BufferUse.h"
#include "tessera/TTGIR/Transforms/Passes.h"
#include "tessera/TTGIR/Transforms/SharedMemory.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTGBUFFERDOTOPERANDS
#include "tessera/TTGIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;

static constexpr llvm::StringLiteral kPass = "ttg-buffer-dot-operands";

namespace {
struct BufferDotOperands : tessera::impl::TTGBufferDotOperandsBase<BufferDotOperands> {
  using TTGBufferDotOperandsBase::TTGBufferDotOperandsBase;
  void runOnOperation() override;
};

/// A conversion to replace.
struct Plan {
  ttg::ConvertLayoutOp conversion;
  Attribute encoding;
  /// The dots that read the buffer immediately before they run.
  SmallVector<OpOperand *> ownReads;
};
} // namespace

static RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

//===----------------------------------------------------------------------===//
// Decide
//===----------------------------------------------------------------------===//

/// Returns the number of 32-bit registers of a thread that hold a tensor; 16-bit elements are
/// packed.
static unsigned registersOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.getEncoding())
    return 0;
  unsigned count = uniqueRegisters(ttg::toLinearLayout(type)).kept.size();
  return llvm::divideCeil(count * std::max(8u, tt::getElementBits(type)), 32);
}

/// Returns whether a matrix unit's operand is read fast: by ldmatrix if the machine has it, else by
/// vectors or columns of 8 bytes. A conversion transposes elements in registers instead.
static bool isReadFast(const SharedAccessPlan &reads, unsigned elementBits,
                       const MachineModel &machine) {
  if (machine.hasMatrixRows())
    return reads.instruction != SharedInstruction::Vector;
  constexpr unsigned fastBits = 64;
  return llvm::all_of(reads.accesses, [&](const SharedAccess &access) {
    return access.registers.size() * elementBits >= fastBits;
  });
}

/// Plans the accesses of `side` to the buffer; nothing if it accesses elements that are not there.
static std::optional<SharedAccessPlan>
planSide(const LinearLayout &side, const LinearLayout &buffer, const SharedBufferUse &use) {
  std::optional<LinearLayout> offsets = offsetsInBuffer(side, buffer);
  if (!offsets)
    return std::nullopt;
  return planSharedAccess(*offsets, use.elementBits,
                          {.maxVectorBits = use.machine.maxVectorBits,
                           .matrix = use.matrixLoads,
                           .banks = use.machine.banks});
}

/// Returns whether each access of the plan moves several elements.
static bool isWide(const SharedAccessPlan &plan) {
  return llvm::all_of(plan.accesses,
                      [](const SharedAccess &access) { return access.registers.size() > 1; });
}

/// Returns a layout made for both sides, whose writes are wide and whose reads are fast; nothing if
/// there is none.
static std::optional<LinearLayout> chooseLinear(const SharedBufferUse &use) {
  const LinearLayout &writer = use.writers.front(), &reader = use.readers.front();
  if (use.machine.hasMatrixRows())
    return std::nullopt;
  std::optional<LinearLayout> buffer = planBuffer(writer, reader, use.elementBits, use.machine);
  if (!buffer)
    return std::nullopt;
  std::optional<SharedAccessPlan> reads = planSide(reader, *buffer, use);
  std::optional<SharedAccessPlan> writes = planSide(writer, *buffer, use);
  bool isFast =
      reads && writes && isWide(*writes) && isReadFast(*reads, use.elementBits, use.machine);
  return isFast ? buffer : std::nullopt;
}

/// Returns the layout of the buffer; null if it must be read fast and cannot.
static Attribute chooseEncoding(RankedTensorType source, RankedTensorType operand, bool mustBeFast,
                                const MachineModel &machine) {
  SharedBufferUse use = bufferUse(source, operand, machine);
  const LinearLayout &reader = use.readers.front();
  SwizzledSharedParams params = chooseSwizzle(use);
  LinearLayout swizzled = swizzledSharedLayout(use.shape, params);
  std::optional<SharedAccessPlan> reads = planSide(reader, swizzled, use);
  if (!reads)
    return {};
  bool isFast = !mustBeFast || isReadFast(*reads, use.elementBits, machine);
  // Columns of rows that few lanes read may have bank conflicts with every swizzle.
  bool mayConflict = reads->instruction == SharedInstruction::Columns;
  std::optional<LinearLayout> linear = isFast && !mayConflict ? std::nullopt : chooseLinear(use);
  if (linear && (!isFast || costOfBuffer(use, *linear) < costOfBuffer(use, swizzled)))
    return ttg::toSharedLinearEncoding(source.getContext(), *linear, machine.maxVectorBits / 8);
  if (!isFast)
    return {};
  return swizzledEncoding(source, params);
}

/// The unit that computes the dot with this operand, or takes this scale.
enum class Unit { None, Matrix, Fma, Scale };

static Unit unitOf(RankedTensorType type) {
  auto encoding = dyn_cast_or_null<ttg::DotOperandEncodingAttr>(type.getEncoding());
  if (!encoding || type.getRank() != 2 || !type.getElementType().isIntOrFloat())
    return Unit::None;
  unsigned bits = type.getElementTypeBitWidth();
  if (ttg::isMatrixUnitEncoding(encoding.getParent()))
    return bits >= 8 && bits <= 32 ? Unit::Matrix : Unit::None;
  return isa<ttg::BlockedEncodingAttr>(encoding.getParent()) && bits >= 8 ? Unit::Fma : Unit::None;
}

static Unit unitOf(ttg::ConvertLayoutOp conversion) {
  constexpr unsigned firstScale = 3;
  bool isScale = llvm::all_of(conversion->getUses(), [](OpOperand &use) {
    return isa<tt::DotScaledOp>(use.getOwner()) && use.getOperandNumber() >= firstScale;
  });
  return isScale ? Unit::Scale : unitOf(conversion.getType());
}

/// Returns the largest number of registers that are live in an iteration: the loop-carried values
/// and the largest result of a product that is not carried.
static unsigned countLive(scf::ForOp loop) {
  unsigned carried = 0, largest = 0;
  for (Value value : loop.getRegionIterArgs())
    carried += registersOf(value);
  for (Operation &op : *loop.getBody())
    if (ttg::isDot(&op) && !llvm::is_contained(loop.getYieldedValues(), op.getResult(0)))
      largest = std::max(largest, registersOf(op.getResult(0)));
  return carried + largest;
}

/// Returns the dots that read the operand themselves: those in loops for which the conversion is
/// invariant, if registers are short; all of several dots, if none are to spare.
static SmallVector<OpOperand *> findOwnReads(ttg::ConvertLayoutOp conversion,
                                             unsigned maxRegisters) {
  SmallVector<OpOperand *> reads;
  for (OpOperand &use : conversion->getUses()) {
    auto loop = dyn_cast<scf::ForOp>(use.getOwner()->getParentOp());
    if (!ttg::isDot(use.getOwner()))
      continue;
    bool lacksRegisters = loop && !loop->isAncestor(conversion) &&
                          countLive(loop) + registersOf(conversion.getResult()) > maxRegisters;
    if (lacksRegisters || (maxRegisters == 0 && !conversion->hasOneUse()))
      reads.push_back(&use);
  }
  return reads;
}

static PassRemark staysConverted(ttg::ConvertLayoutOp conversion) {
  PassRemark remark = declined(conversion, kPass, "operand-buffer");
  remark.says("the dot's operand gets no buffer in shared memory");
  return remark;
}

static std::optional<Plan> planFor(ttg::ConvertLayoutOp conversion, unsigned maxRegisters) {
  RankedTensorType source = tensorType(conversion.getSrc()), result = conversion.getType();
  Unit unit = unitOf(conversion);
  constexpr unsigned worthSlicing = 48; // registers of a thread
  if (unit == Unit::None)
    return std::nullopt;
  unsigned registers = registersOf(conversion.getResult());
  if (unit == Unit::Fma && registers < worthSlicing) {
    staysConverted(conversion).because("only {0} registers of a thread hold it", registers);
    return std::nullopt;
  }
  const MachineModel machine = ttg::getMachine(conversion);
  std::optional<ConversionPlan> moves =
      planConversion(ttg::toLinearLayout(source), ttg::toLinearLayout(result),
                     result.getElementTypeBitWidth(), machine);
  SmallVector<OpOperand *> reads = findOwnReads(conversion, maxRegisters);
  // Values that stay within a warp need no barrier, and usually no memory.
  bool isWide = moves && (moves->method == ConversionMethod::BlockMemory || unit == Unit::Fma);
  if (!moves || (!isWide && reads.empty())) {
    staysConverted(conversion).because("its values stay within a warp");
    return std::nullopt;
  }
  Attribute encoding = chooseEncoding(source, result, unit == Unit::Matrix, machine);
  if (!encoding) {
    staysConverted(conversion)
        .because(machine.hasMatrixRows() ? "ldmatrix cannot read it"
                                         : "its elements along K are not adjacent in memory");
    return std::nullopt;
  }
  return Plan{conversion, encoding, reads};
}

//===----------------------------------------------------------------------===//
// Mutate
//===----------------------------------------------------------------------===//

namespace {
/// The buffer and loads that replace a conversion.
struct Staged {
  ttg::LocalAllocOp buffer;
  SmallVector<ttg::LocalLoadOp> reads;
};
} // namespace

/// Loads are placed next to their dot: both operands are then written before either is read, with
/// one barrier.
static Operation *readPlace(ttg::ConvertLayoutOp conversion) {
  Operation *user = conversion->hasOneUse() ? *conversion->user_begin() : nullptr;
  return user && ttg::isDot(user) && user->getBlock() == conversion->getBlock()
             ? user
             : conversion.getOperation();
}

static Staged stage(const Plan &plan) {
  ttg::ConvertLayoutOp conversion = plan.conversion;
  RankedTensorType source = tensorType(conversion.getSrc());
  OpBuilder b(conversion);
  auto bufferType = ttg::MemDescType::get(source.getShape(), source.getElementType(), plan.encoding,
                                          ttg::SharedMemorySpaceAttr::get(b.getContext()),
                                          /*mutableMemory=*/false);
  Location loc = conversion.getLoc();
  Staged staged{ttg::LocalAllocOp::create(b, loc, bufferType, conversion.getSrc()), {}};
  auto read = [&](Operation *place) {
    b.setInsertionPoint(place);
    staged.reads.push_back(
        ttg::LocalLoadOp::create(b, loc, conversion.getType(), staged.buffer.getResult()));
    return staged.reads.back().getResult();
  };
  for (OpOperand *use : plan.ownReads)
    use->set(read(use->getOwner()));
  if (!conversion->use_empty())
    conversion.replaceAllUsesWith(Value(read(readPlace(conversion))));
  conversion.erase();
  return staged;
}

static void undo(Staged staged) {
  OpBuilder b(staged.buffer);
  Value converted = ttg::ConvertLayoutOp::create(
      b, staged.buffer.getLoc(), staged.reads.front().getType(), staged.buffer.getSrc());
  for (ttg::LocalLoadOp read : staged.reads) {
    read.replaceAllUsesWith(converted);
    read.erase();
  }
  staged.buffer.erase();
}

/// Moves loads down to their dot, behind the writes of its other operand: values that are read
/// before a barrier must be held across it. Without ldmatrix, loads of buffers that are written in
/// this block come first: the barrier that they need is then in front of all loads.
static void sinkReads(Operation *dot) {
  if (!ttg::isDot(dot))
    return;
  SmallVector<Value> operands(dot->getOperands());
  auto isWrittenHere = [&](Value operand) {
    auto read = operand.getDefiningOp<ttg::LocalLoadOp>();
    auto buffer = read ? read.getSrc().getDefiningOp<ttg::LocalAllocOp>() : ttg::LocalAllocOp();
    return buffer && buffer->getBlock() == dot->getBlock();
  };
  if (!ttg::getMachine(dot).hasMatrixRows() && !isWrittenHere(operands[0]) &&
      isWrittenHere(operands[1]))
    std::swap(operands[0], operands[1]);
  for (Value operand : operands) {
    auto read = operand.getDefiningOp<ttg::LocalLoadOp>();
    if (!read || !read->hasOneUse() || read->getBlock() != dot->getBlock())
      continue;
    bool isFree = true;
    for (Operation *op = read->getNextNode(); op != dot; op = op->getNextNode())
      isFree &= isMemoryEffectFree(op) || isa<ttg::LocalAllocOp, ttg::LocalLoadOp, tt::LoadOp>(op);
    if (isFree)
      read->moveBefore(dot);
  }
}

/// Returns the registers of operands that the loop's dots use in every iteration.
static unsigned countInvariant(scf::ForOp loop) {
  unsigned registers = 0;
  for (Operation &op : *loop.getBody())
    if (ttg::isDot(&op))
      for (Value operand : op.getOperands().take_front(2))
        if (loop.isDefinedOutsideOfLoop(operand))
          registers += registersOf(operand);
  return registers;
}

/// Writes all buffers of an iteration at its start, if their values are there: one barrier then
/// orders all writes and reads, and registers of later operands are free early. That needs the
/// buffers at once, for which at most two thirds of the shared memory are used. Where registers are
/// short, the barriers stay: schedulers do not move reads across them.
static void writeTogether(ArrayRef<Staged> all, Region &body, uint64_t maxSharedBytes) {
  DenseMap<Block *, Operation *> last;
  for (const Staged &staged : all) {
    ttg::LocalAllocOp buffer = staged.buffer;
    Block *block = buffer->getBlock();
    constexpr unsigned maxLive = 176; // of 256: operands and addresses need the others
    auto loop = dyn_cast<scf::ForOp>(block->getParentOp());
    if (!loop || ttg::getMachine(buffer).hasMatrixRows() ||
        countLive(loop) + countInvariant(loop) > maxLive)
      continue;
    auto [known, isFirst] = last.try_emplace(block, buffer);
    if (isFirst)
      continue;
    Operation *place = std::exchange(known->second, buffer);
    Operation *source = buffer.getSrc().getDefiningOp(), *next = buffer->getNextNode();
    if (source && source->getBlock() == block && !source->isBeforeInBlock(place))
      continue;
    uint64_t limit = std::max(maxSharedBytes / 3 * 2, peakSharedBytes(body));
    buffer->moveAfter(place);
    if (peakSharedBytes(body) > limit)
      buffer->moveBefore(next);
  }
}

/// Transposes an operand before it is converted, so that the conversion's result is the operand:
/// transposing moves nothing. Only where ldmatrix does not do both at once.
static void transposeFirst(tt::TransOp transpose) {
  auto conversion = transpose.getSrc().getDefiningOp<ttg::ConvertLayoutOp>();
  RankedTensorType type = transpose.getType();
  if (!conversion || !conversion->hasOneUse() || unitOf(type) != Unit::Matrix ||
      ttg::getMachine(transpose).hasMatrixRows())
    return;
  OpBuilder b(transpose);
  Value transposed =
      tt::TransOp::create(b, transpose.getLoc(), conversion.getSrc(), transpose.getOrder());
  transpose.replaceAllUsesWith(
      ttg::ConvertLayoutOp::create(b, conversion.getLoc(), type, transposed).getResult());
  transpose.erase();
  conversion.erase();
}

/// Returns whether ttg-pack-elements may add conversions, which need shared memory too.
static bool mayGetConversions(tt::FuncOp function) {
  return function
      .walk([](Operation *op) {
        return isa<tt::MapElementwiseOp, tt::ElementwiseInlineAsmOp>(op) ? WalkResult::interrupt()
                                                                         : WalkResult::advance();
      })
      .wasInterrupted();
}

void BufferDotOperands::runOnOperation() {
  ModuleOp module = getOperation();
  if (ttg::getNumCTAs(module) != 1)
    return;
  for (auto function : module.getOps<tt::FuncOp>()) {
    function.walk(transposeFirst);
    SmallVector<Staged> all;
    SmallVector<Plan> plans;
    function.walk([&](ttg::ConvertLayoutOp conversion) {
      if (std::optional<Plan> plan = planFor(conversion, maxRegisters))
        plans.push_back(*plan);
    });
    // Without ldmatrix, what other ops need at once, such as a conversion after a loop, does not
    // count.
    uint64_t limit = maxSharedBytes;
    if (!ttg::getMachine(function).hasMatrixRows())
      limit = std::max(limit, peakSharedBytes(function.getBody()));
    for (const Plan &plan : plans)
      all.push_back(stage(plan));
    // If shared memory does not suffice, the largest conversions are restored.
    auto bytes = [](const Staged &staged) {
      return bufferBytes(ttg::LocalAllocOp(staged.buffer).getType());
    };
    bool usesAll = allSharedBytes > limit && !mayGetConversions(function);
    auto fits = [&] {
      return peakSharedBytes(function.getBody()) <= limit ||
             (usesAll && packedSharedBytes(function.getBody()) <= allSharedBytes);
    };
    while (!all.empty() && !fits()) {
      auto largest = llvm::max_element(
          all, [&](const Staged &a, const Staged &b) { return bytes(a) < bytes(b); });
      declined(largest->buffer, kPass, "operand-buffer")
          .says("the dot's operand gets no buffer in shared memory")
          .because("{0} bytes of shared memory do not suffice",
                   usesAll ? uint64_t(allSharedBytes) : limit);
      undo(*largest);
      all.erase(largest);
    }
    writeTogether(all, function.getBody(), maxSharedBytes);
    for (const Staged &staged : all)
      decided(ttg::LocalAllocOp(staged.buffer), kPass, "operand-buffer")
          .says("the dot's operand is read from a buffer of {0} bytes in shared memory",
                bytes(staged))
          .number("bytes", bytes(staged))
          .number("reads", staged.reads.size());
    function.walk(sinkReads);
  }
}
