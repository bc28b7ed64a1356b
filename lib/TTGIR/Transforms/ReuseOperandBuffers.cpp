//===- ReuseOperandBuffers.cpp - keep operands in the buffers they have anyway -===//
// Several dots of one block may share an operand. If one of them reads it from shared memory and
// another from registers, threads hold the tensor until the last of these dots, although a buffer
// has it. This pass fills the buffer where the tensor is computed and reads it there:
//
//   before: %x = tt.load                 after:  %x = tt.load
//           ...                                  %m = ttg.local_alloc %x
//           %m = ttg.local_alloc %x              ...
//           ttng.warp_group_dot %m, ...          ttng.warp_group_dot %m, ...
//           %o = ttg.convert_layout %x           %o = ttg.local_load %m
//           tt.dot %o, ...                       tt.dot %o, ...
//
// No register then holds %x between its load and its dots. Buffers live longer for that: the pass
// is for kernels that spill otherwise.
//
// Requires: it runs before ttg-buffer-dot-operands, which gives each conversion a buffer of its
// own. Ensures: values unchanged. The pass leaves a tensor alone if anything else needs it in
// registers, if its buffer may be written again, if shared memory would not suffice, and in
// clusters. Cost: one computation of the peak of shared memory per tensor.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Remarks.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/IR/TTGOps.h"
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

/// A tensor that is needed only as an operand of dots.
struct Plan {
  ttg::LocalAllocOp buffer;
  SmallVector<ttg::ConvertLayoutOp> conversions;
};
} // namespace

//===----------------------------------------------------------------------===//
// Decide
//===----------------------------------------------------------------------===//

static bool isOperandOfDots(ttg::ConvertLayoutOp conversion) {
  return isa<ttg::DotOperandEncodingAttr>(conversion.getType().getEncoding());
}

/// Returns the plan for the tensor of this buffer; nothing if it is needed elsewhere, or if nothing
/// would change.
static std::optional<Plan> planFor(ttg::LocalAllocOp buffer) {
  Operation *source = buffer.getSrc() ? buffer.getSrc().getDefiningOp() : nullptr;
  if (!source || source->getBlock() != buffer->getBlock() || buffer.getType().getMutableMemory())
    return std::nullopt;
  Plan plan{buffer, {}};
  for (Operation *user : buffer.getSrc().getUsers()) {
    auto conversion = dyn_cast<ttg::ConvertLayoutOp>(user);
    if (user == buffer)
      continue;
    if (!conversion || !isOperandOfDots(conversion)) {
      declined(buffer, kPass, kDecision)
          .says("the operand stays in registers beside its buffer")
          .because("{0} needs it there", user->getName().getStringRef());
      return std::nullopt;
    }
    plan.conversions.push_back(conversion);
  }
  if (plan.conversions.empty() && source->getNextNode() == buffer)
    return std::nullopt;
  return plan;
}

//===----------------------------------------------------------------------===//
// Mutate
//===----------------------------------------------------------------------===//

static SmallVector<ttg::LocalLoadOp> apply(const Plan &plan) {
  ttg::LocalAllocOp buffer = plan.buffer;
  buffer->moveAfter(buffer.getSrc().getDefiningOp());
  SmallVector<ttg::LocalLoadOp> reads;
  for (ttg::ConvertLayoutOp conversion : plan.conversions) {
    OpBuilder b(conversion);
    reads.push_back(
        ttg::LocalLoadOp::create(b, conversion.getLoc(), conversion.getType(), buffer.getResult()));
    conversion.replaceAllUsesWith(reads.back().getResult());
  }
  return reads;
}

/// Undoes `apply`, which left the conversions in place.
static void undo(const Plan &plan, ArrayRef<ttg::LocalLoadOp> reads, Operation *next) {
  for (auto [conversion, read] : llvm::zip_equal(plan.conversions, reads)) {
    ttg::LocalLoadOp(read).replaceAllUsesWith(ttg::ConvertLayoutOp(conversion).getResult());
    ttg::LocalLoadOp(read).erase();
  }
  ttg::LocalAllocOp(plan.buffer)->moveBefore(next);
}

static void reuse(const Plan &plan, Region &body, uint64_t limit) {
  ttg::LocalAllocOp buffer = plan.buffer;
  Operation *next = buffer->getNextNode();
  SmallVector<ttg::LocalLoadOp> reads = apply(plan);
  if (uint64_t bytes = peakSharedBytes(body); bytes > limit) {
    undo(plan, reads, next);
    declined(buffer, kPass, kDecision)
        .says("the operand stays in registers beside its buffer")
        .because("the buffers would take {0} bytes of shared memory, of {1}", bytes, limit);
    return;
  }
  for (ttg::ConvertLayoutOp conversion : plan.conversions)
    conversion.erase();
  decided(buffer, kPass, kDecision)
      .says("the operand is kept in its buffer, which {0} other dots read", reads.size())
      .number("bytes", bufferBytes(buffer.getType()))
      .number("reads", reads.size());
}

void ReuseOperandBuffers::runOnOperation() {
  ModuleOp module = getOperation();
  if (ttg::getNumCTAs(module) != 1)
    return;
  for (auto function : module.getOps<tt::FuncOp>()) {
    SmallVector<Plan> plans;
    function.walk([&](ttg::LocalAllocOp buffer) {
      if (std::optional<Plan> plan = planFor(buffer))
        plans.push_back(*plan);
    });
    uint64_t limit = std::max<uint64_t>(maxSharedBytes, peakSharedBytes(function.getBody()));
    for (const Plan &plan : plans)
      reuse(plan, function.getBody(), limit);
  }
}
