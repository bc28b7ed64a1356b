//===- LowerWarpRoles.cpp - warps with code of their own ------------------===//
// See nvidia-branch-warp-roles. Barriers of the warps that compute have a number of threads
// (NvidiaTargetInfo::barrier); barrier 0 is for all threads of the CTA.
//===----------------------------------------------------------------------===//
#include "LowerWarpRoles.h"
#include "InlinePTX.h"
#include "tessera/TTGIRToLLIR/Pattern.h"
#include "tessera/Target/NVIDIA/IR/TTNGOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;

namespace {

/// The warp's number that lane 0 knows: ptxas then sees that it is the same for all lanes, which
/// the instructions of a whole warp behind a branch need.
Value emitWarpNumber(OpBuilder &b, Operation *op, const TargetInfo &target) {
  Location loc = op->getLoc();
  auto i32 = [&](int32_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(value));
  };
  unsigned numThreads =
      ttg::getTotalNumWarps(op->getParentOfType<ModuleOp>()) * NvidiaSpec::threadsPerWarp;
  Value warp = LLVM::LShrOp::create(b, loc, target.threadId(b, loc, numThreads),
                                    i32(llvm::Log2_32(NvidiaSpec::threadsPerWarp)));
  return target.shuffleFrom(b, loc, warp, i32(0));
}

struct WarpNumberLowering : Lowering<ttng::WarpNumberOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttng::WarpNumberOp op, Operands,
                                ConversionPatternRewriter &b) const final {
    return replaceWith(b, op, emitWarpNumber(b, op, target));
  }
};

struct SetMaxRegistersLowering : Lowering<ttng::SetMaxRegistersOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttng::SetMaxRegistersOp op, Operands,
                                ConversionPatternRewriter &b) const final {
    // ptxas ignores setmaxnreg (C7508) unless it knows the registers at entry: those of one CTA.
    if (auto kernel = op->getParentOfType<LLVM::LLVMFuncOp>())
      kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), b.getI32IntegerAttr(1));
    PTXStatement ptx;
    ptx.emit(b, op.getLoc(),
             std::string("setmaxnreg.") + (op.getRelease() ? "dec" : "inc") + ".sync.aligned.u32 " +
                 std::to_string(op.getCount()) + ";",
             {}, Effects::Writes);
    b.eraseOp(op);
    return success();
  }
};

/// Each of two warp groups has a barrier, to which the other one brings the turn: bar.sync by the
/// group, and bar.arrive by the other. Returns the number of the barrier of this group, or of the
/// other one.
Value emitBarrierOfGroup(OpBuilder &b, Operation *op, const TargetInfo &target, Value group,
                         bool other) {
  constexpr int32_t firstNumber = 2; // 0 is for all threads, 1 for those that compute
  Location loc = op->getLoc();
  auto i32 = [&](int32_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(value));
  };
  if (other)
    return LLVM::SubOp::create(b, loc, i32(firstNumber + 1), group);
  return LLVM::AddOp::create(b, loc, i32(firstNumber), group);
}

/// Returns the number of this thread's warp group, 0 or 1.
Value emitWarpGroup(OpBuilder &b, Operation *op, const TargetInfo &target) {
  constexpr int32_t warpsPerGroup = 4;
  Value shift = LLVM::ConstantOp::create(b, op->getLoc(), b.getI32Type(),
                                         b.getI32IntegerAttr(llvm::Log2_32(warpsPerGroup)));
  return LLVM::LShrOp::create(b, op->getLoc(), emitWarpNumber(b, op, target), shift);
}

std::string threadsOfBothGroups(Operation *op) {
  return std::to_string(ttg::lookupNumWarps(op).value_or(4) * NvidiaSpec::threadsPerWarp);
}

struct AwaitTurnLowering : Lowering<ttng::AwaitTurnOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttng::AwaitTurnOp op, Operands,
                                ConversionPatternRewriter &b) const final {
    Value group = emitWarpGroup(b, op, target);
    PTXStatement ptx;
    std::string number = ptx.input("r", emitBarrierOfGroup(b, op, target, group, /*other=*/false));
    ptx.emit(b, op.getLoc(), "bar.sync " + number + ", " + threadsOfBothGroups(op) + ";", {},
             Effects::Writes);
    b.eraseOp(op);
    return success();
  }
};

struct PassTurnLowering : Lowering<ttng::PassTurnOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttng::PassTurnOp op, Operands,
                                ConversionPatternRewriter &b) const final {
    Value group = emitWarpGroup(b, op, target), isPassing;
    if (std::optional<uint32_t> by = op.getGroup()) {
      Value number =
          LLVM::ConstantOp::create(b, op.getLoc(), b.getI32Type(), b.getI32IntegerAttr(*by));
      isPassing = LLVM::ICmpOp::create(b, op.getLoc(), LLVM::ICmpPredicate::eq, group, number);
    }
    PTXStatement ptx;
    std::string number = ptx.input("r", emitBarrierOfGroup(b, op, target, group, /*other=*/true));
    std::string guard = ptx.guard(isPassing);
    ptx.emit(b, op.getLoc(), guard + "bar.arrive " + number + ", " + threadsOfBothGroups(op) + ";",
             {}, Effects::Writes);
    b.eraseOp(op);
    return success();
  }
};

struct AllWarpsBarrierLowering : Lowering<ttg::LocalBarrierOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttg::LocalBarrierOp op, Operands,
                                ConversionPatternRewriter &b) const final {
    if (!op.getAllWarps())
      return failure();
    NVVM::Barrier0Op::create(b, op.getLoc());
    b.eraseOp(op);
    return success();
  }
};

} // namespace

void nvidia::populateWarpRolePatterns(RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                                      const NvidiaTargetInfo &target) {
  patterns.add<WarpNumberLowering, SetMaxRegistersLowering, AwaitTurnLowering, PassTurnLowering>(
      types, target);
  patterns.add<AllWarpsBarrierLowering>(types, target, /*benefit=*/2);
}
