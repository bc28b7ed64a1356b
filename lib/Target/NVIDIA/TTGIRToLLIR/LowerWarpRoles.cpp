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

/// The number that lane 0 knows: ptxas then sees that it is the same for all lanes, which the
/// instructions of a whole warp behind a branch need.
struct WarpNumberLowering : Lowering<ttng::WarpNumberOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttng::WarpNumberOp op, Operands,
                                ConversionPatternRewriter &b) const final {
    Location loc = op.getLoc();
    auto i32 = [&](int32_t value) {
      return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(value));
    };
    unsigned numThreads =
        ttg::getTotalNumWarps(op->getParentOfType<ModuleOp>()) * NvidiaSpec::threadsPerWarp;
    Value warp = LLVM::LShrOp::create(b, loc, target.threadId(b, loc, numThreads),
                                      i32(llvm::Log2_32(NvidiaSpec::threadsPerWarp)));
    return replaceWith(b, op, target.shuffleFrom(b, loc, warp, i32(0)));
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
  patterns.add<WarpNumberLowering, SetMaxRegistersLowering>(types, target);
  patterns.add<AllWarpsBarrierLowering>(types, target, /*benefit=*/2);
}
