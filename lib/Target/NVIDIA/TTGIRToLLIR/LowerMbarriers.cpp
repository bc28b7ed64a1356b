//===- LowerMbarriers.cpp - barriers in shared memory ---------------------===//
// A barrier is 8 bytes of shared memory (PTX ISA, mbarrier). Its phase is over when so many
// threads have arrived as it was made for, and so many bytes of copies as they announced. One
// thread of the CTA makes it, arrives and announces; every thread waits for itself:
//
//   before: ttng.wait_barrier %b, %phase
//   after:  wait: mbarrier.try_wait.parity.shared::cta.b64 done, [b], phase;
//           @!done bra wait;
//
// try_wait suspends the thread for a time that the hardware chooses, hence the loop. A new
// barrier is made known to the asynchronous proxy by fence.mbarrier_init; to the other threads
// by the barrier of the CTA that ttg-insert-barriers puts after it.
//===----------------------------------------------------------------------===//
#include "LowerMbarriers.h"
#include "InlinePTX.h"
#include "tessera/TTGIRToLLIR/Pattern.h"
#include "tessera/Target/NVIDIA/IR/TTNGOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;

Value nvidia::emitSharedAddress(OpBuilder &b, Location loc, ValueRange buffer) {
  return LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), buffer[0]);
}

/// Returns the first thread of the warp that acts for all.
static int32_t firstThreadOf(Operation *op) {
  auto warp = op->getAttrOfType<IntegerAttr>(ttng::kFirstWarpAttr);
  return warp ? warp.getInt() * NvidiaSpec::threadsPerWarp : 0;
}

Value nvidia::emitIsIssuer(OpBuilder &b, Operation *op, const TargetInfo &target, Value predicate) {
  Location loc = op->getLoc();
  unsigned numThreads = ttg::lookupNumWarps(op).value_or(4) * NvidiaSpec::threadsPerWarp;
  Value thread = target.threadId(b, loc, numThreads);
  Value first =
      LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(firstThreadOf(op)));
  Value isFirst = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, thread, first);
  return predicate ? LLVM::AndOp::create(b, loc, isFirst, predicate).getResult() : isFirst;
}

/// Returns this thread's number in the CTA.
static Value emitThread(OpBuilder &b, Operation *op, const TargetInfo &target) {
  unsigned numThreads = ttg::lookupNumWarps(op).value_or(4) * NvidiaSpec::threadsPerWarp;
  return target.threadId(b, op->getLoc(), numThreads);
}

static Value emitI32(OpBuilder &b, Location loc, int32_t value) {
  return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(value));
}

Value nvidia::emitIsIssuingWarp(OpBuilder &b, Operation *op, const TargetInfo &target) {
  Location loc = op->getLoc();
  Value thread = emitThread(b, op, target);
  if (int32_t first = firstThreadOf(op))
    thread = LLVM::SubOp::create(b, loc, thread, emitI32(b, loc, first));
  return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ult, thread,
                              emitI32(b, loc, NvidiaSpec::threadsPerWarp));
}

static Value emitIsFirstOfWarp(OpBuilder &b, Operation *op, const TargetInfo &target) {
  Location loc = op->getLoc();
  Value lane = LLVM::AndOp::create(b, loc, emitThread(b, op, target),
                                   emitI32(b, loc, NvidiaSpec::threadsPerWarp - 1));
  return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, lane, emitI32(b, loc, 0));
}

/// One instruction of the issuing thread about a barrier: `text` with {0} for the guard and {1}
/// for the address.
static void emitByIssuer(OpBuilder &b, Operation *op, const TargetInfo &target, ValueRange barrier,
                         Value predicate, const char *text) {
  PTXStatement ptx;
  std::string address = ptx.input("r", emitSharedAddress(b, op->getLoc(), barrier));
  std::string guard = ptx.guard(emitIsIssuer(b, op, target, predicate));
  ptx.emit(b, op->getLoc(), llvm::formatv(text, guard, address).str(), {}, Effects::Writes);
}

static Value onlyValue(ValueRange values) { return values.empty() ? Value() : values[0]; }

namespace {

struct InitBarrierLowering : Lowering<ttng::InitBarrierOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttng::InitBarrierOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    std::string text = "{0}mbarrier.init.shared::cta.b64 [{1}], " + std::to_string(op.getCount()) +
                       ";\n{0}fence.mbarrier_init.release.cluster;";
    emitByIssuer(b, op, target, operands.getAlloc(), {}, text.c_str());
    b.eraseOp(op);
    return success();
  }
};

struct InvalBarrierLowering : Lowering<ttng::InvalBarrierOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttng::InvalBarrierOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    emitByIssuer(b, op, target, operands.getAlloc(), {},
                 "{0}mbarrier.inval.shared::cta.b64 [{1}];");
    b.eraseOp(op);
    return success();
  }
};

struct BarrierExpectLowering : Lowering<ttng::BarrierExpectOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttng::BarrierExpectOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    std::string text = "{0}mbarrier.arrive.expect_tx.shared::cta.b64 _, [{1}], " +
                       std::to_string(op.getSize()) + ";";
    emitByIssuer(b, op, target, operands.getAlloc(), onlyValue(operands.getPred()), text.c_str());
    b.eraseOp(op);
    return success();
  }
};

struct ArriveBarrierLowering : Lowering<ttng::ArriveBarrierOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttng::ArriveBarrierOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    std::string text =
        "{0}mbarrier.arrive.shared::cta.b64 _, [{1}], " + std::to_string(op.getCount()) + ";";
    emitByIssuer(b, op, target, operands.getAlloc(), onlyValue(operands.getPred()), text.c_str());
    b.eraseOp(op);
    return success();
  }
};

/// Waits for the phase of a barrier; where `predicate` is false, not at all.
static void emitWait(OpBuilder &b, Location loc, ValueRange barrier, Value phase, Value predicate) {
  PTXStatement ptx;
  std::string address = ptx.input("r", emitSharedAddress(b, loc, barrier));
  std::string parity = ptx.input("r", phase);
  // LLVM may copy the statement: ${:uid} numbers the labels of each copy.
  std::string text = "{\n.reg .pred done;\n";
  if (predicate)
    text += "@!" + ptx.input("b", predicate) + " bra past_${:uid};\n";
  text += "wait_${:uid}:\nmbarrier.try_wait.parity.shared::cta.b64 done, [" + address + "], " +
          parity + ";\n@!done bra wait_${:uid};\n";
  if (predicate)
    text += "past_${:uid}:\n";
  ptx.emit(b, loc, text + "}", {}, Effects::Writes);
}

struct ReleaseSlotLowering : Lowering<ttng::ReleaseSlotOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttng::ReleaseSlotOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    Location loc = op.getLoc();
    PTXStatement ptx;
    std::string address = ptx.input("r", emitSharedAddress(b, loc, operands.getBarrier()));
    std::string guard = ptx.guard(emitIsFirstOfWarp(b, op, target));
    // The other lanes' accesses are over, too.
    ptx.emit(b, loc,
             "bar.warp.sync 0xffffffff;\n" + guard + "mbarrier.arrive.shared::cta.b64 _, [" +
                 address + "];",
             {}, Effects::Writes);
    b.eraseOp(op);
    return success();
  }
};

struct AcquireSlotLowering : Lowering<ttng::AcquireSlotOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttng::AcquireSlotOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    emitWait(b, op.getLoc(), operands.getBarrier(), operands.getPhase()[0],
             emitIsIssuingWarp(b, op, target));
    b.eraseOp(op);
    return success();
  }
};

struct WaitBarrierLowering : Lowering<ttng::WaitBarrierOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttng::WaitBarrierOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    emitWait(b, op.getLoc(), operands.getAlloc(), operands.getPhase()[0],
             onlyValue(operands.getPred()));
    b.eraseOp(op);
    return success();
  }
};

struct AsyncCopyArriveLowering : Lowering<ttng::AsyncCopyMbarrierArriveOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttng::AsyncCopyMbarrierArriveOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    PTXStatement ptx;
    std::string address = ptx.input("r", emitSharedAddress(b, op.getLoc(), operands.getBarrier()));
    std::string text = "cp.async.mbarrier.arrive";
    text += op.getNoIncrement() ? ".noinc" : "";
    ptx.emit(b, op.getLoc(), text + ".shared::cta.b64 [" + address + "];", {}, Effects::Writes);
    b.eraseOp(op);
    return success();
  }
};

struct ClusterArriveLowering : Lowering<ttng::ClusterArriveOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttng::ClusterArriveOp op, Operands,
                                ConversionPatternRewriter &b) const final {
    if (op.getRelaxed())
      NVVM::ClusterArriveRelaxedOp::create(b, op.getLoc(), b.getUnitAttr());
    else
      NVVM::ClusterArriveOp::create(b, op.getLoc(), b.getUnitAttr());
    b.eraseOp(op);
    return success();
  }
};

struct ClusterWaitLowering : Lowering<ttng::ClusterWaitOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttng::ClusterWaitOp op, Operands,
                                ConversionPatternRewriter &b) const final {
    NVVM::ClusterWaitOp::create(b, op.getLoc(), b.getUnitAttr());
    b.eraseOp(op);
    return success();
  }
};

} // namespace

void nvidia::populateMbarrierPatterns(RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                                      const NvidiaTargetInfo &target) {
  patterns.add<ReleaseSlotLowering, AcquireSlotLowering>(types, target);
  patterns.add<InitBarrierLowering, InvalBarrierLowering, BarrierExpectLowering,
               ArriveBarrierLowering, WaitBarrierLowering, AsyncCopyArriveLowering,
               ClusterArriveLowering, ClusterWaitLowering>(types, target);
}
