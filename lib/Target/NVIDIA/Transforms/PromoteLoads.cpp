//===- PromoteLoads.cpp - loads through pointers become tensor loads ------===//
// Loads of tiles that wgmma reads from shared memory, through pointers of the form that a tensor
// map can describe (TensorMapPlan.h), become loads through a descriptor. One thread then copies a
// whole tile, instead of all threads with an address each.
//
//   before: scf.for %k { %x = tt.load %a_ptrs, %mask ; %m = ttg.local_alloc %x ; ... dot %m }
//   after:  %d = tt.make_tensor_descriptor %a, [%M, %K], [%stride, 1]     of the kernel's arguments
//           scf.for %k { %x = tt.descriptor_load %d[%row, %column] ; %m = ttg.local_alloc %x ; ...
//           }
//
// The descriptor's contiguous dimension comes last, and the layout in shared memory is part of its
// type. A tile whose first dimension is contiguous is loaded transposed, and the dot reads a
// transposed view.
//
// The kernel must not write the memory that a copy reads: copies go through the asynchronous proxy,
// which no barrier orders behind writes of threads.
//
// Requires: final layouts, before ttg-pipeline. Ensures: values are unchanged. Cost: linear in the
// ops that compute the addresses of such loads.
//===----------------------------------------------------------------------===//
#include "KernelMemory.h"
#include "TensorMapCode.h"
#include "tessera/Support/Remarks.h"
#include "tessera/TTGIR/Analysis/ObservedElements.h"
#include "tessera/TTGIR/IR/TTGInference.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTIR/Analysis/PointerWrites.h"
#include "tessera/TTIR/IR/TTHints.h"
#include "tessera/Target/NVIDIA/Passes.h"
#include "tessera/Target/NVIDIA/Spec.h"
#include "tessera/Target/NVIDIA/TensorMapArguments.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tessera::nvidia {
#define GEN_PASS_DEF_NVIDIAPROMOTELOADS
#include "tessera/Target/NVIDIA/Passes.h.inc"
} // namespace tessera::nvidia

using namespace tessera;
using namespace tessera::nvidia;
using Kind = AddressSymbol::Kind;
using Symbol = Polynomial::Symbol;
using Dimension = TensorMapPlan::Dimension;

static constexpr llvm::StringLiteral kPass = "nvidia-promote-loads";

namespace {
struct PromoteLoads : nvidia::impl::NvidiaPromoteLoadsBase<PromoteLoads> {
  using NvidiaPromoteLoadsBase::NvidiaPromoteLoadsBase;
  void runOnOperation() override;
};

/// A load with the buffers that wgmma reads, and how a tensor map describes it.
struct Promotion {
  tt::LoadOp load;
  SmallVector<ttg::LocalAllocOp> buffers;
  TensorMapPlan plan;
  MapMaker maker = MapMaker::Launcher;
};

/// The loads of one kernel.
class KernelLoads {
public:
  KernelLoads(tt::FuncOp kernel, const AxisInfoAnalysis &axes, bool makesMaps)
      : kernel(kernel), axes(axes), makesMaps(makesMaps), writes(findPointerWrites(kernel)) {}
  void run();

private:
  StringRef find(tt::LoadOp load, Promotion &promotion);
  StringRef findPlan(Promotion &promotion);
  StringRef checkMemory(Value base);
  StringRef checkUnknownWrites(tt::LoadOp load);
  StringRef checkBent(const Promotion &promotion);

  tt::FuncOp kernel;
  const AxisInfoAnalysis &axes;
  bool makesMaps;
  PointerWrites writes;
  BlockAddresses addresses;
};
} // namespace

//===----------------------------------------------------------------------===//
// Which loads
//===----------------------------------------------------------------------===//

/// Returns whether masked elements are zero, as a copy leaves them.
static bool readsZerosOutside(tt::LoadOp load) {
  if (!load.getMask() || !load.getOther())
    return true;
  DenseElementsAttr elements;
  if (!matchPattern(load.getOther(), m_Constant(&elements)) || !elements.isSplat())
    return false;
  if (isa<FloatType>(elements.getElementType()))
    return elements.getSplatValue<APFloat>().bitcastToAPInt().isZero();
  return elements.getSplatValue<APInt>().isZero();
}

/// Returns whether the layout of the buffer is one that a copy leaves.
static bool canCopyInto(ttg::MemDescType buffer) {
  auto encoding = dyn_cast<ttg::NvmmaSharedEncodingAttr>(buffer.getEncoding());
  if (!encoding || encoding.getFp4Padded() || buffer.getElementTypeBitWidth() % 8)
    return false;
  LinearLayout layout = ttg::toLinearLayout(buffer);
  if (encoding.getTransposed()) {
    SmallVector<int64_t> shape(llvm::reverse(buffer.getShape()));
    auto plain = ttg::NvmmaSharedEncodingAttr::get(
        buffer.getContext(), encoding.getSwizzlingByteWidth(), false, encoding.getElementBitWidth(),
        false, encoding.getCGALayout());
    layout = ttg::toLinearLayout(plain, shape);
  }
  return planTensorCopy(layout, buffer.getElementTypeBitWidth() / 8,
                        encoding.getSwizzlingByteWidth())
      .has_value();
}

StringRef KernelLoads::checkMemory(Value base) {
  while (auto cast = base.getDefiningOp<tt::BitcastOp>())
    base = cast.getSrc();
  if (!writes.onlyThroughArguments || !writes.readOnly[cast<BlockArgument>(base).getArgNumber()])
    return "the kernel may write the memory that it reads";
  return mayAcquire(kernel) ? "the kernel may wait for what other programs write" : "";
}

/// The same for a pointer that comes from elsewhere.
StringRef KernelLoads::checkUnknownWrites(tt::LoadOp load) {
  PointerBase base = findPointerBase(load.getPtr());
  if (!base)
    return "it is not known which memory its pointers lead to";
  bool mayWrite = kernel
                      ->walk([&](Operation *op) {
                        GlobalAccess access = globalAccessOf(op);
                        bool isWrite = access.kind == GlobalAccess::Unknown ||
                                       (access.kind == GlobalAccess::Write &&
                                        findPointerBase(access.pointer).mayAlias(base));
                        return isWrite ? WalkResult::interrupt() : WalkResult::advance();
                      })
                      .wasInterrupted();
  if (mayWrite)
    return "the kernel may write the memory that it reads";
  return mayAcquire(kernel) ? "the kernel may wait for what other programs write" : "";
}

/// Rows whose indices are changed beyond a bound read as zeros, which nobody may see.
StringRef KernelLoads::checkBent(const Promotion &promotion) {
  for (const Dimension &dimension : promotion.plan.dims)
    if (dimension.isBent &&
        !areUnobserved(tt::LoadOp(promotion.load).getResult(), *dimension.tileDim,
                       *dimension.extent - dimension.coordinate, addresses))
      return "its indices are changed beyond a bound, and elements from there on may be seen";
  return "";
}

/// The kernel makes a map outside of the loop around the product's, so that several products use
/// it.
StringRef KernelLoads::findPlan(Promotion &promotion) {
  tt::LoadOp load = promotion.load;
  TileAccess access{load.getPtr(), load.getMask(), cast<RankedTensorType>(load.getType())};
  StringRef reason;
  std::optional<TensorMapPlan> plan =
      planTensorMap(access, MapMaker::Launcher, addresses, axes, reason);
  if (!plan && makesMaps && load->hasAttr(tt::kDescriptorAccessAttr)) {
    promotion.maker = MapMaker::Kernel;
    plan = planTensorMap(access, MapMaker::Kernel, addresses, axes, reason);
    if (plan && !isUsedInLoop(findLastPart(*plan, addresses), load->getParentOp()))
      return "the kernel would have to make a tensor map for each product";
  }
  if (!plan)
    return reason;
  promotion.plan = std::move(*plan);
  return "";
}

/// Fills in the promotion; returns the condition that fails, if one does.
StringRef KernelLoads::find(tt::LoadOp load, Promotion &promotion) {
  promotion.load = load;
  for (Operation *user : load->getUsers())
    promotion.buffers.push_back(cast<ttg::LocalAllocOp>(user));
  if (isVolatile(load))
    return "it is volatile";
  if (!readsZerosOutside(load))
    return "masked elements are not zero";
  if (!canCopyInto(promotion.buffers.front().getType()))
    return "no copy leaves a tile as the dot reads it";
  StringRef reason = findPlan(promotion);
  if (!reason.empty())
    return reason;
  auto encoding =
      cast<ttg::NvmmaSharedEncodingAttr>(promotion.buffers.front().getType().getEncoding());
  bool isTransposed = *promotion.plan.dims.back().tileDim != encoding.getRank() - 1;
  if (isTransposed != encoding.getTransposed())
    return "the dot reads another dimension as the contiguous one";
  reason = promotion.maker == MapMaker::Launcher ? checkMemory(promotion.plan.base)
                                                 : checkUnknownWrites(load);
  if (!reason.empty())
    return reason;
  return checkBent(promotion);
}

/// Returns whether all users are equal buffers in the load's block.
static bool feedsBuffersOnly(tt::LoadOp load) {
  if (load->use_empty() || !isa<scf::ForOp>(load->getParentOp()))
    return false;
  ttg::LocalAllocOp first;
  return llvm::all_of(load->getUsers(), [&](Operation *user) {
    auto buffer = dyn_cast<ttg::LocalAllocOp>(user);
    if (!buffer || user->getBlock() != load->getBlock() ||
        (first && first.getType() != buffer.getType()))
      return false;
    first = buffer;
    return isa<ttg::NvmmaSharedEncodingAttr>(buffer.getType().getEncoding());
  });
}

//===----------------------------------------------------------------------===//
// The rewrite
//===----------------------------------------------------------------------===//

/// Returns the type of a matrix with its dimensions swapped; null if no encoding denotes its
/// layout.
static RankedTensorType swapped(RankedTensorType type) {
  SmallVector<int64_t> shape(llvm::reverse(type.getShape()));
  FailureOr<Attribute> encoding =
      ttg::inferTransEncoding(type.getEncoding(), type.getShape(), {1, 0},
                              [&] { return mlir::emitError(UnknownLoc::get(type.getContext())); });
  return succeeded(encoding) ? RankedTensorType::get(shape, type.getElementType(), *encoding)
                             : RankedTensorType();
}

static ttg::MemDescType swapped(ttg::MemDescType type) {
  auto encoding = cast<ttg::NvmmaSharedEncodingAttr>(type.getEncoding());
  auto plain = ttg::NvmmaSharedEncodingAttr::get(
      type.getContext(), encoding.getSwizzlingByteWidth(), !encoding.getTransposed(),
      encoding.getElementBitWidth(), false, encoding.getCGALayout());
  SmallVector<int64_t> shape(llvm::reverse(type.getShape()));
  return ttg::MemDescType::get(shape, type.getElementType(), plain, type.getMemorySpace(),
                               type.getMutableMemory());
}

/// Returns a coordinate at which the copy reads zeros, if the tensor has no elements: the kernel
/// makes the map of one element then.
static Value emitOutsideIfEmpty(OpBuilder &b, Location loc, const TensorMapPlan &plan,
                                Value coordinate, const BlockAddresses &addresses) {
  // A multiple of 16 bytes, far in front of the tensor.
  constexpr int64_t nowhere = -(int64_t(1) << 30);
  Value outside = arith::ConstantIntOp::create(b, loc, nowhere, 32);
  return b.createOrFold<arith::SelectOp>(loc, emitHasElements(b, loc, plan, addresses), coordinate,
                                         outside);
}

/// Replaces the load; `entry` is where descriptors are made.
static void promote(Promotion &promotion, OpBuilder &entry, const BlockAddresses &addresses) {
  tt::LoadOp load = promotion.load;
  Location loc = load.getLoc();
  auto tile = cast<RankedTensorType>(load.getType());
  auto buffer =
      cast<ttg::NvmmaSharedEncodingAttr>(promotion.buffers.front().getType().getEncoding());
  if (buffer.getTransposed())
    tile = swapped(tile);
  tt::TensorDescType type = descriptorType(promotion.plan, tile, buffer);
  OpBuilder b(load);
  if (promotion.maker == MapMaker::Kernel)
    b.setInsertionPointAfterValue(findLastPart(promotion.plan, addresses));
  Value descriptor = emitDescriptor(promotion.maker == MapMaker::Kernel ? b : entry, loc,
                                    promotion.plan, promotion.maker, type, addresses);
  b.setInsertionPoint(load);
  SmallVector<Value> coordinates = emitCoordinates(b, loc, promotion.plan, addresses);
  if (promotion.maker == MapMaker::Kernel)
    coordinates[0] = emitOutsideIfEmpty(b, loc, promotion.plan, coordinates[0], addresses);
  auto block = tt::DescriptorLoadOp::create(b, loc, tile, descriptor, coordinates, load.getCache(),
                                            load.getEvict());
  for (ttg::LocalAllocOp alloc : promotion.buffers) {
    OpBuilder at(alloc);
    ttg::MemDescType wanted = alloc.getType();
    Value result;
    if (buffer.getTransposed()) {
      auto plain = ttg::LocalAllocOp::create(at, alloc.getLoc(), swapped(wanted), block);
      result = ttg::MemDescTransOp::create(at, alloc.getLoc(), wanted, plain,
                                           at.getDenseI32ArrayAttr({1, 0}));
    } else {
      result = ttg::LocalAllocOp::create(at, alloc.getLoc(), wanted, block);
    }
    alloc.getResult().replaceAllUsesWith(result);
    alloc.erase();
  }
  load.erase();
}

/// Returns whether both loads read through the same tensor map.
static bool shareMap(const Promotion &a, const Promotion &b) {
  ttg::LocalAllocOp first = a.buffers.front(), second = b.buffers.front();
  return a.plan.base == b.plan.base && a.plan.offset == b.plan.offset &&
         first.getType() == second.getType() &&
         llvm::equal(a.plan.dims, b.plan.dims, [](const Dimension &x, const Dimension &y) {
           return x.tileDim == y.tileDim && x.stride == y.stride && x.extent == y.extent;
         });
}

void KernelLoads::run() {
  std::vector<Promotion> promotions;
  unsigned numMaps = 0;
  kernel->walk([&](tt::LoadOp load) {
    if (!feedsBuffersOnly(load))
      return;
    Promotion promotion;
    StringRef reason = find(load, promotion);
    bool isNew = promotion.maker == MapMaker::Launcher &&
                 llvm::none_of(promotions,
                               [&](const Promotion &other) { return shareMap(other, promotion); });
    // Only a launch can tell that there is no map for its arguments, and take the kernel without
    // maps: so it must build all of them.
    if (reason.empty() && isNew && numMaps == kMaxLaunchMaps)
      reason = "a launch builds no more tensor maps than those of the kernel's other tiles";
    if (!reason.empty()) {
      declined(load, kPass, "tensor-map")
          .says("the tile is not copied by a tensor map")
          .because("{0}", reason);
      return;
    }
    decided(load, kPass, "tensor-map")
        .says("the tile is copied by a tensor map of {0} dimensions", promotion.plan.dims.size())
        .number("dimensions", promotion.plan.dims.size());
    numMaps += isNew;
    promotions.push_back(std::move(promotion));
  });
  Block &body = kernel.getBody().front();
  OpBuilder entry(&body, body.begin());
  for (Promotion &promotion : promotions)
    promote(promotion, entry, addresses);
  if (!promotions.empty())
    removeDeadPointers(kernel);
}

void PromoteLoads::runOnOperation() {
  ModuleOp module = getOperation();
  const NvidiaSpec *spec = NvidiaSpec::parse(ttg::getTargetName(module));
  if (!spec || !spec->hasTensorMemoryAccess() || ttg::getNumCTAs(module) != 1)
    return;
  AxisInfoAnalysis axes(module);
  if (!axes.isValid()) {
    module.emitError("the axis analysis failed");
    return signalPassFailure();
  }
  for (auto kernel : module.getOps<tt::FuncOp>())
    if (kernel.isKernel() && !kernel.isExternal())
      KernelLoads(kernel, axes, makesMaps).run();
}
