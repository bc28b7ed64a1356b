//===- LowerTensorMaps.cpp - tensor maps made by the kernel ---------------===//
// One thread writes a tensor map to global memory, field by field (PTX ISA, tensormap.replace):
//
//   before: ttng.tensormap_create %p, %base, [%box0, %box1], [%n, %m], [%stride], [%one, %one] ...
//   after:  @first st.global.v2.b64 [p], {0, 0}; ...                            (128 bytes)
//           @first tensormap.replace.tile.global_address.global.b1024.b64 [p], base;
//           ...
//           @first fence.proxy.tensormap::generic.release.gpu;
//
// Copies read maps through a proxy of their own: the writer's fence releases the map, the fence of
// ttng.tensormap_fenceproxy_acquire acquires it in the thread that starts copies. Dimensions are
// innermost first. PTX 8.3 has these instructions, but assemblers up to CUDA 12.5 take strides in
// units of 16 bytes, later ones (12.8 and 13.0 were disassembled) in bytes, whatever version the
// text says. Kernels that make maps therefore ask for PTX 8.6, which the former do not read.
//===----------------------------------------------------------------------===//
#include "InlinePTX.h"
#include "LowerMbarriers.h"
#include "LowerTensorCopies.h"
#include "tessera/TTGIRToLLIR/Pattern.h"
#include "tessera/Target/NVIDIA/IR/TTNGOps.h"
#include "tessera/Target/NVIDIA/TensorMaps.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;

namespace {

/// The instructions of the thread that writes one map.
class MapWriter {
public:
  MapWriter(OpBuilder &b, Operation *op, const TargetInfo &target, Value map)
      : b(b), loc(op->getLoc()), issuer(emitIsIssuer(b, op, target)), map(map) {}

  /// The fields that are not replaced are zero.
  void clear() {
    PTXStatement ptx;
    std::string address = ptx.input("l", map), guard = ptx.guard(issuer), text;
    for (unsigned at = 0; at < kTensorMapBytes; at += 16)
      text += llvm::formatv("{0}st.global.v2.b64 [{1}+{2}], {{0, 0};\n", guard, address, at);
    ptx.emit(b, loc, text, {}, Effects::Writes);
  }
  void replace(StringRef field, Value value, std::optional<unsigned> number = std::nullopt) {
    bool isWide = !value.getType().isInteger(32);
    PTXStatement ptx;
    std::string address = ptx.input("l", map), operand = ptx.input(isWide ? "l" : "r", value);
    emit(ptx, field, isWide, address, number, operand);
  }
  void replace(StringRef field, int32_t value) {
    PTXStatement ptx;
    std::string address = ptx.input("l", map);
    emit(ptx, field, /*isWide=*/false, address, std::nullopt, std::to_string(value));
  }
  void release() {
    PTXStatement ptx;
    std::string guard = ptx.guard(issuer);
    ptx.emit(b, loc, guard + "fence.proxy.tensormap::generic.release.gpu;", {}, Effects::Writes);
  }

private:
  void emit(PTXStatement &ptx, StringRef field, bool isWide, StringRef address,
            std::optional<unsigned> number, StringRef value) {
    std::string guard = ptx.guard(issuer);
    std::string text = llvm::formatv(
        "{0}tensormap.replace.tile.{1}.global.b1024.{2} [{3}], {4}{5};", guard, field,
        isWide ? "b64" : "b32", address, number ? std::to_string(*number) + ", " : "", value);
    ptx.emit(b, loc, text, {}, Effects::Writes);
  }

  OpBuilder &b;
  Location loc;
  Value issuer, map;
};

struct CreateLowering : Lowering<ttng::TensormapCreateOp> {
  using Lowering::Lowering;
  LogicalResult matchAndRewrite(ttng::TensormapCreateOp op, Operands operands,
                                ConversionPatternRewriter &b) const final {
    MapWriter map(b, op, target, operands.getDescPtr()[0]);
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
    map.release();
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
