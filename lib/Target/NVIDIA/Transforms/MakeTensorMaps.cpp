//===- MakeTensorMaps.cpp - tensor maps that the kernel makes -------------===//
// A descriptor whose operands come from memory, or differ between programs, gets a tensor map in
// the CTA's own global memory:
//
//   before: %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %one] : … tensor<32x64xf16, #nvmma>
//   after:  %map = ttg.global_scratch_alloc {nbytes = 128, alignment = 128}
//           ttng.tensormap_create %map, %p, [64, 32], [%n, %m], [%s * 2], [1, 1] …
//           ttng.tensormap_fenceproxy_acquire %map
//           %d = ttng.reinterpret_tensor_descriptor %map
//
// One thread makes the map and starts the copies by it, so a loop may make it again: copies have
// read their map when they are awaited. Those out of shared memory are awaited in front of it.
//
// Requires: nvidia-hoist-descriptors, which lets the launcher build the other maps. Ensures: no
// tt.make_tensor_descriptor with an encoding is left. Cost: linear.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Unsupported.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/Target/NVIDIA/IR/TTNGOps.h"
#include "tessera/Target/NVIDIA/Passes.h"
#include "tessera/Target/NVIDIA/TensorMapArguments.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tessera::nvidia {
#define GEN_PASS_DEF_NVIDIAMAKETENSORMAPS
#include "tessera/Target/NVIDIA/Passes.h.inc"
} // namespace tessera::nvidia

using namespace tessera;
using namespace tessera::nvidia;

namespace {
struct MakeTensorMaps : nvidia::impl::NvidiaMakeTensorMapsBase<MakeTensorMaps> {
  void runOnOperation() override;
};
} // namespace

/// PTX ISA, tensormap.replace: the codes of `.elemtype`, which are not those of the driver's API.
static int32_t elementCode(StringRef type) {
  return llvm::StringSwitch<int32_t>(type)
      .Case("u8", 0)
      .Case("u16", 1)
      .Case("u32", 2)
      .Case("s32", 3)
      .Case("u64", 4)
      .Case("s64", 5)
      .Case("f16", 6)
      .Case("f32", 7)
      .Case("f64", 9)
      .Default(10); // bf16
}

static int32_t swizzleCode(unsigned bytes) { return bytes == 0 ? 0 : llvm::Log2_32(bytes) - 4; }

/// Returns whether copies out of shared memory use the map.
static bool isStoredThrough(tt::MakeTensorDescOp make) {
  return !llvm::all_of(make->getUsers(), [](Operation *user) {
    return isa<tt::DescriptorLoadOp, ttng::AsyncTMACopyGlobalToLocalOp>(user);
  });
}

static LogicalResult makeMap(tt::MakeTensorDescOp make) {
  TensorMapRecipe recipe;
  recipe.fillsWithNaN = make.getPadding() == tt::PaddingOption::NaN;
  if (!setBoxOf(make.getType(), recipe))
    return emitUnsupported(make) << "tensor map for blocks of " << make.getType().getBlockType()
                                 << "; use --tma off";
  OpBuilder b(make);
  Location loc = make.getLoc();
  auto constant = [&](int64_t value, unsigned bits) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(b.getIntegerType(bits), value));
  };
  SmallVector<Value> box, ones;
  for (uint32_t extent : recipe.box)
    box.push_back(constant(extent, 32));
  ones.assign(box.size(), constant(1, 32));
  SmallVector<Value> extents(llvm::reverse(make.getShape())), strides;
  Value bytes = constant(tensorMapElementBytes(recipe.type), 64);
  for (Value stride : llvm::reverse(make.getStrides().drop_back()))
    strides.push_back(arith::MulIOp::create(b, loc, stride, bytes));
  // Maps of different kinds lie in lines of their own, as the acquiring fence names 128 bytes.
  constexpr int32_t kScratchAlign = 128;
  Type pointer = tt::PointerType::get(b.getI8Type());
  if (make->getParentOfType<LoopLikeOpInterface>() && isStoredThrough(make))
    ttng::TMAStoreWaitOp::create(b, loc, /*pendings=*/0, /*written=*/true);
  Value map =
      ttg::GlobalScratchAllocOp::create(b, loc, pointer, int32_t(kTensorMapBytes), kScratchAlign);
  ttng::TensormapCreateOp::create(b, loc, map, make.getBase(), box, extents, strides, ones,
                                  elementCode(recipe.type), /*interleave_layout=*/0,
                                  swizzleCode(recipe.swizzle), int32_t(recipe.fillsWithNaN));
  ttng::TensormapFenceproxyAcquireOp::create(b, loc, map);
  Value made = ttng::ReinterpretTensorDescOp::create(b, loc, make.getType(), map);
  make.replaceAllUsesWith(made);
  make.erase();
  return success();
}

void MakeTensorMaps::runOnOperation() {
  SmallVector<tt::MakeTensorDescOp> makes;
  getOperation().walk([&](tt::MakeTensorDescOp make) {
    if (make.getType().getBlockType().getEncoding())
      makes.push_back(make);
  });
  for (tt::MakeTensorDescOp make : makes)
    if (failed(makeMap(make)))
      return signalPassFailure();
}
