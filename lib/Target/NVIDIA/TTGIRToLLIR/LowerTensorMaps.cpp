//===- LowerTensorMaps.cpp - tensor maps made by the kernel ---------------===//
// One warp makes a tensor map in shared memory, where one of its threads writes it field by field
// (PTX ISA, tensormap.replace), and copies it to global memory:
//
//   before: ttng.tensormap_create %p, %base, [%box0, %box1], [%n, %m], [%stride], [%one, %one] ...
//   after:  @warp st.shared.b32 [s + 4 * lane], 0;                              (128 bytes)
//           bar.warp.sync
//           @first tensormap.replace.tile.global_address.shared::cta.b1024.b64 [s], base;
//           ...
//           bar.warp.sync
//           @warp tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu
//                     .sync.aligned [p], [s], 128;
//
// A replacement is a load, a few bits of arithmetic and a store, which in global memory take long.
// Copies read maps through a proxy of their own: the last instruction releases the map, the fence
// of ttng.tensormap_fenceproxy_acquire acquires it in the thread that starts copies. Dimensions are
// innermost first. PTX 8.3 has these instructions, but assemblers up to CUDA 12.5 take strides in
// units of 16 bytes, later ones (12.8 and 13.0 were disassembled) in bytes, whatever version the
// text says. Kernels that make maps therefore ask for PTX 8.6, which the former do not read.
//===----------------------------------------------------------------------===//
#include "InlinePTX.h"
#include "LowerMbarriers.h"
#include "LowerTensorCopies.h"
#include "tessera/TTGIR/Transforms/SharedMemory.h"
#include "tessera/TTGIRToLLIR/Pattern.h"
#include "tessera/TTGIRToLLIR/SharedBase.h"
#include "tessera/Target/NVIDIA/IR/TTNGOps.h"
#include "tessera/Target/NVIDIA/TensorMaps.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;

namespace {

/// The instructions of the warp that makes one map.
class MapWriter {
public:
  /// `offset`: of 128 bytes of shared memory.
  MapWriter(OpBuilder &b, Operation *op, const TargetInfo &target, unsigned offset)
      : b(b), loc(op->getLoc()), target(target), warp(emitIsIssuingWarp(b, op, target)),
        issuer(emitIsIssuer(b, op, target)),
        numThreads(ttg::lookupNumWarps(op).value_or(4) * NvidiaSpec::threadsPerWarp) {
    map = emitSharedAddress(b, loc, emitSharedBase(b, loc, target, offset));
  }

  /// The fields that are not replaced are zero.
  void clear() {
    // The warp may still copy another map from there.
    target.warpBarrier(b, loc);
    Value lane = LLVM::AndOp::create(b, loc, target.threadId(b, loc, numThreads),
                                     constant(NvidiaSpec::threadsPerWarp - 1));
    Value own = LLVM::AddOp::create(b, loc, map, LLVM::MulOp::create(b, loc, lane, constant(4)));
    PTXStatement ptx;
    std::string address = ptx.input("r", own), guard = ptx.guard(warp);
    ptx.emit(b, loc, llvm::formatv("{0}st.shared.b32 [{1}], 0;", guard, address).str(), {},
             Effects::Writes);
    target.warpBarrier(b, loc);
  }
  void replace(StringRef field, Value value, std::optional<unsigned> number = std::nullopt) {
    bool isWide = !value.getType().isInteger(32);
    PTXStatement ptx;
    std::string address = ptx.input("r", map), operand = ptx.input(isWide ? "l" : "r", value);
    emit(ptx, field, isWide, address, number, operand);
  }
  void replace(StringRef field, int32_t value) {
    PTXStatement ptx;
    std::string address = ptx.input("r", map);
    emit(ptx, field, /*isWide=*/false, address, std::nullopt, std::to_string(value));
  }
  /// Copies the map to where it is used, and releases it.
  void finish(Value place) {
    target.warpBarrier(b, loc);
    PTXStatement ptx;
    std::string to = ptx.input("l", place), from = ptx.input("r", map), guard = ptx.guard(warp);
    std::string text =
        llvm::formatv("{0}tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release."
                      "gpu.sync.aligned [{1}], [{2}], {3};",
                      guard, to, from, kTensorMapBytes);
    ptx.emit(b, loc, text, {}, Effects::Writes);
  }

private:
  Value constant(int32_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(value));
  }
  void emit(PTXStatement &ptx, StringRef field, bool isWide, StringRef address,
            std::optional<unsigned> number, StringRef value) {
    std::string guard = ptx.guard(issuer);
    std::string text = llvm::formatv(
        "{0}tensormap.replace.tile.{1}.shared::cta.b1024.{2} [{3}], {4}{5};", guard, field,
        isWide ? "b64" : "b32", address, number ? std::to_string(*number) + ", " : "", value);
    ptx.emit(b, loc, text, {}, Effects::Writes);
  }

  OpBuilder &b;
  Location loc;
  const TargetInfo &target;
  Value warp, issuer;
  unsigned numThreads;
  Value map; // its address in shared memory
};

struct CreateLowering : Lowering<ttng::TensormapCreateOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttng::TensormapCreateOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    std::optional<unsigned> offset = getSharedOffset(op);
    if (!offset)
      return op.emitOpError("has no shared memory: run ttg-allocate-shared-memory first");
    MapWriter map(b, op, target, *offset);
    map.clear();
    map.replace("global_address", operands.getGlobalAddress()[0]);
    map.replace("rank", static_cast<int32_t>(op.getBoxDim().size()) - 1);
    for (auto [field, values] : {std::pair("box_dim", operands.getBoxDim()),
                                 std::pair("global_dim", operands.getGlobalDim()),
                                 std::pair("element_stride", operands.getElementStride())})
      for (auto [number, value] : llvm::enumerate(values))
        map.replace(field, value[0], number);
    for (auto [number, value] : llvm::enumerate(operands.getGlobalStride()))
      map.replace("global_stride", value[0], number);
    map.replace("elemtype", op.getElemType());
    map.replace("interleave_layout", op.getInterleaveLayout());
    map.replace("swizzle_mode", op.getSwizzleMode());
    map.replace("fill_mode", op.getFillMode());
    map.finish(operands.getDescPtr()[0]);
    b.eraseOp(op);
    return success();
  }
};

struct AcquireLowering : Lowering<ttng::TensormapFenceproxyAcquireOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttng::TensormapFenceproxyAcquireOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    PTXStatement ptx;
    std::string address = ptx.input("l", operands.getDescPtr()[0]);
    std::string text = llvm::formatv("fence.proxy.tensormap::generic.acquire.gpu [{0}], {1};",
                                     address, kTensorMapBytes);
    ptx.emit(b, op.getLoc(), text, {}, Effects::Writes);
    b.eraseOp(op);
    return success();
  }
};

} // namespace

void nvidia::populateTensorMapPatterns(RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                                       const NvidiaTargetInfo &target) {
  patterns.add<CreateLowering, AcquireLowering>(types, target);
}
