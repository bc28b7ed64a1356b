//===- ReuseOperandBuffers.cpp - keep operands in the buffers they have anyway -===//
// A tensor that is read from shared memory as a dot's operand, or that several conversions move
// through shared memory, stays in registers until the last of them, although shared memory has
// seen it. This pass fills one buffer where the tensor is computed and reads it there:
//
//   before: %x = tt.load                 after:  %x = tt.load
//           ...                                  %m = ttg.local_alloc %x
//           %m = ttg.local_alloc %x              ...
//           ttng.warp_group_dot %m, ...          ttng.warp_group_dot %m, ...
//           %o = ttg.convert_layout %x           %o = ttg.local_load %m
//           tt.dot %o, ...                       tt.dot %o, ...
//
// No register then holds %x between its load and its uses. Buffers live longer for that: the pass
// is for kernels that spill otherwise.
//
// Requires: it runs before ttg-buffer-dot-operands, which gives each conversion a buffer of its
// own. Ensures: values unchanged. The pass leaves a tensor alone if registers hold it as long
// anyway, if its buffer may be written again, if shared memory would not suffice, and in clusters.
// Cost: one computation of the peak of shared memory per tensor.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Remarks.h"
#include "tessera/TTGIR/IR/Machines.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Layout/Conversion.h"
#include "tessera/TTGIR/Transforms/BufferUse.h"
#include "tessera/TTGIR/Transforms/Passes.h"
#include "tessera/TTGIR/Transforms/SharedMemory.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTGREUSEOPERANDBUFFERS
#include "tessera/TTGIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;

static constexpr llvm::StringLiteral kPass = "ttg-reuse-operand-buffers", kDecision = "buffer";

namespace {
struct ReuseOperandBuffers : tessera::impl::TTGReuseOperandBuffersBase<ReuseOperandBuffers> {
  using TTGReuseOperandBuffersBase::TTGReuseOperandBuffersBase;
  void runOnOperation() override;
};

/// A tensor that is needed last by a dot that reads its buffer, or by conversions.
struct Plan {
  Value tensor;
  ttg::LocalAllocOp buffer; // null: none yet
  SmallVector<ttg::ConvertLayoutOp> conversions;
};
} // namespace

static RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

//===----------------------------------------------------------------------===//
// Decide
//===----------------------------------------------------------------------===//

/// Returns whether this pass may create a buffer for the tensor.
static bool mayHaveBuffer(RankedTensorType type) {
  return type.getRank() == 2 && type.getElementType().isIntOrFloat() &&
         type.getElementTypeBitWidth() >= 8;
}

/// Returns whether the conversion moves elements through shared memory, or becomes an operand of a
/// dot, which ttg-buffer-dot-operands does so.
static bool movesThroughMemory(ttg::ConvertLayoutOp conversion) {
  RankedTensorType source = tensorType(conversion.getSrc()), result = conversion.getType();
  if (isa<ttg::DotOperandEncodingAttr>(result.getEncoding()))
    return true;
  if (!mayHaveBuffer(source))
    return false;
  std::optional<ConversionPlan> moves =
      planConversion(ttg::toLinearLayout(source), ttg::toLinearLayout(result),
                     result.getElementTypeBitWidth(), ttg::getMachine(conversion));
  return moves && (moves->method == ConversionMethod::BlockMemory ||
                   moves->method == ConversionMethod::WarpMemory);
}

/// Returns the plan for a tensor; nothing if it is needed in registers as long, or if nothing would
/// change.
static std::optional<Plan> planFor(Value tensor) {
  Operation *source = tensor.getDefiningOp(), *holds = nullptr, *last = nullptr;
  Block *block = source->getBlock();
  Plan plan{tensor, {}, {}};
  auto isLater = [](Operation *op, Operation *than) { return !than || than->isBeforeInBlock(op); };
  for (Operation *user : tensor.getUsers()) {
    auto buffer = dyn_cast<ttg::LocalAllocOp>(user);
    auto conversion = dyn_cast<ttg::ConvertLayoutOp>(user);
    if (buffer && buffer.getType().getMutableMemory())
      return std::nullopt;
    bool isFirst = buffer && !plan.buffer && buffer->getBlock() == block;
    bool isRead = conversion && movesThroughMemory(conversion);
    if (isFirst)
      plan.buffer = buffer;
    if (isRead)
      plan.conversions.push_back(conversion);
    Operation *here = block->findAncestorOpInBlock(*user);
    Operation *&latest = isFirst || isRead ? last : holds;
    if (!here || isLater(here, latest))
      latest = here ? here : block->getTerminator();
  }
  if (!last || (!plan.buffer && !mayHaveBuffer(tensorType(tensor))) ||
      (plan.buffer.getOperation() == last && source->getNextNode() == last) ||
      (!plan.buffer && plan.conversions.size() == 1 && source->getNextNode() == last))
    return std::nullopt;
  if (holds && !holds->isBeforeInBlock(last)) {
    declined(last, kPass, kDecision)
        .says("the operand stays in registers beside its buffer")
        .because("{0} needs it there", holds->getName().getStringRef());
    return std::nullopt;
  }
  return plan;
}

/// Returns a layout that suits all conversions.
static Attribute chooseEncoding(const Plan &plan) {
  SmallVector<RankedTensorType> read;
  for (ttg::ConvertLayoutOp conversion : plan.conversions)
    read.push_back(conversion.getType());
  RankedTensorType written = tensorType(plan.tensor);
  SharedBufferUse use = bufferUse(written, read, ttg::getMachine(plan.tensor.getDefiningOp()));
  return swizzledEncoding(written, chooseSwizzle(use));
}

//===----------------------------------------------------------------------===//
// Mutate
//===----------------------------------------------------------------------===//

namespace {
/// A plan that was applied. The conversions are still there, without users.
struct Applied {
  ttg::LocalAllocOp buffer;
  Operation *before; // in front of which the buffer was; null if it is new
  SmallVector<ttg::LocalLoadOp> reads;
};
} // namespace

static ttg::LocalAllocOp createBuffer(const Plan &plan) {
  OpBuilder b(plan.tensor.getContext());
  b.setInsertionPointAfterValue(plan.tensor);
  RankedTensorType type = tensorType(plan.tensor);
  auto bufferType =
      ttg::MemDescType::get(type.getShape(), type.getElementType(), chooseEncoding(plan),
                            ttg::SharedMemorySpaceAttr::get(b.getContext()),
                            /*mutableMemory=*/false);
  return ttg::LocalAllocOp::create(b, plan.tensor.getLoc(), bufferType, plan.tensor);
}

static Applied apply(const Plan &plan) {
  Applied applied{plan.buffer, nullptr, {}};
  if (applied.buffer) {
    applied.before = applied.buffer->getNextNode();
    applied.buffer->moveAfter(plan.tensor.getDefiningOp());
  } else {
    applied.buffer = createBuffer(plan);
  }
  for (ttg::ConvertLayoutOp conversion : plan.conversions) {
    OpBuilder b(conversion);
    applied.reads.push_back(ttg::LocalLoadOp::create(b, conversion.getLoc(), conversion.getType(),
                                                     applied.buffer.getResult()));
    conversion.replaceAllUsesWith(applied.reads.back().getResult());
  }
  return applied;
}

static void undo(const Plan &plan, const Applied &applied) {
  for (auto [conversion, read] : llvm::zip_equal(plan.conversions, applied.reads)) {
    ttg::LocalLoadOp(read).replaceAllUsesWith(ttg::ConvertLayoutOp(conversion).getResult());
    ttg::LocalLoadOp(read).erase();
  }
  if (applied.before)
    ttg::LocalAllocOp(applied.buffer)->moveBefore(applied.before);
  else
    ttg::LocalAllocOp(applied.buffer).erase();
}

/// Applies the plan if shared memory suffices. Adds to `reads` what replaces the conversions.
static void reuse(const Plan &plan, Region &body, uint64_t limit, DenseMap<Value, Value> &reads) {
  Applied applied = apply(plan);
  if (uint64_t bytes = peakSharedBytes(body); bytes > limit) {
    undo(plan, applied);
    declined(plan.tensor.getDefiningOp(), kPass, kDecision)
        .says("the operand stays in registers beside its buffer")
        .because("the buffers would take {0} bytes of shared memory, of {1}", bytes, limit);
    return;
  }
  for (auto [done, read] : llvm::zip_equal(plan.conversions, applied.reads)) {
    ttg::ConvertLayoutOp conversion = done;
    reads[conversion.getResult()] = ttg::LocalLoadOp(read).getResult();
    conversion.erase();
  }
  decided(applied.buffer, kPass, kDecision)
      .says("the operand is kept in {0} buffer, which {1} other ops read",
            applied.before ? "its" : "a", applied.reads.size())
      .number("bytes", bufferBytes(applied.buffer.getType()))
      .number("reads", applied.reads.size());
}

/// Returns the tensors with buffers or conversions, each once.
static llvm::SetVector<Value> findTensors(tt::FuncOp function) {
  llvm::SetVector<Value> tensors;
  function.walk([&](Operation *op) {
    Value tensor;
    if (auto buffer = dyn_cast<ttg::LocalAllocOp>(op))
      tensor = buffer.getSrc();
    else if (auto conversion = dyn_cast<ttg::ConvertLayoutOp>(op))
      tensor = conversion.getSrc();
    if (tensor && tensor.getDefiningOp())
      tensors.insert(tensor);
  });
  return tensors;
}

void ReuseOperandBuffers::runOnOperation() {
  ModuleOp module = getOperation();
  if (ttg::getNumCTAs(module) != 1)
    return;
  for (auto function : module.getOps<tt::FuncOp>()) {
    SmallVector<Plan> plans;
    for (Value tensor : findTensors(function))
      if (std::optional<Plan> plan = planFor(tensor))
        plans.push_back(*plan);
    uint64_t limit = std::max<uint64_t>(maxSharedBytes, peakSharedBytes(function.getBody()));
    DenseMap<Value, Value> reads; // by the conversions that they have replaced
    for (Plan &plan : plans) {
      if (Value read = reads.lookup(plan.tensor)) // conversions of a conversion's result
        plan.tensor = read;
      reuse(plan, function.getBody(), limit, reads);
    }
  }
}
