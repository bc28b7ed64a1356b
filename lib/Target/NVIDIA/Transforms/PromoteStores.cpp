//===- PromoteStores.cpp - stores of tiles become tensor copies -----------===//
// A store through a descriptor, of a tile whose values pass through shared memory anyway, becomes a
// copy by a tensor map (TensorMapPlan.h). One thread starts it, and all go on: in a loop over tiles
// the copy runs beside the products of the next one.
//
//   before: scf.while ... { ... ; tt.store %c_ptrs, %x, %mask {tt.descriptor_access} }
//   after:  %buffer = ttg.local_alloc
//           %d = tt.make_tensor_descriptor %c, [%M, %N], [%stride, 1]
//           scf.while ... { ...
//             ttng.async_tma_store_wait {pendings = 0, written}
//             ttg.local_store %x, %buffer
//             ttng.async_tma_copy_local_to_global %d[%row, %column] %buffer
//           }
//           ttng.async_tma_store_wait {pendings = 0}
//
// Copies out of shared memory run in no order, and threads see what they wrote only after a wait
// for that. What a program may rely on stays:
//   1. A store comes after earlier ones to the same memory (PointerBase.h): it waits until these
//      have been written. In a loop that is long after they were started.
//   2. The buffer is not written while a copy reads it, nor does the CTA end then.
//   3. Barriers of the program (tl.debug_barrier) and atomics that release wait until all copies
//      have been written.
//   4. A kernel that reads the memory, or writes it in another way, keeps its stores; and one that
//      may wait for other programs, or contains code that may do anything.
//
// The launcher builds the map if its parts are functions of the kernel's arguments. Otherwise the
// kernel makes it, if a loop around the store uses it several times.
//
// Buffers take shared memory that is left. In front of loops it is one for each type of tile; a
// store that is no part of a loop gets its own, which may be where buffers of loops before it were.
//
// Where a tile's copy would not do what the store does (StoreCondition.h), it is not started, and
// the threads store the tile out of the buffer:
//
//   ttng.async_tma_copy_local_to_global %d[%row, %column] %buffer, %ok
//   scf.if (not %ok) {
//     tt.store %c_ptrs, (ttg.local_load %buffer), %mask
//     ttng.fence_async_global
//   }
//
// The copy counts for waits all the same. Earlier copies to the same memory have been written: the
// copy would come after them, too, and the barrier that it needs behind the write of the buffer
// tells all threads. Later ones come after the fence and their own barrier. What only these stores
// need is computed there: elsewhere it would occupy registers during loops.
//
// Requires: pipelined loops; before nvidia-hoist-descriptors. Ensures: memory is unchanged. Cost:
// linear in the ops that compute the addresses of such stores, and one layout of shared memory
// each.
//===----------------------------------------------------------------------===//
#include "KernelMemory.h"
#include "StoreCondition.h"
#include "TensorMapCode.h"
#include "tessera/Support/Remarks.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/Layout/NamedLayouts.h"
#include "tessera/TTGIR/Transforms/SharedMemory.h"
#include "tessera/TTIR/IR/TTHints.h"
#include "tessera/Target/NVIDIA/Passes.h"
#include "tessera/Target/NVIDIA/Spec.h"
#include "tessera/Target/NVIDIA/TensorMapArguments.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tessera::nvidia {
#define GEN_PASS_DEF_NVIDIAPROMOTESTORES
#include "tessera/Target/NVIDIA/Passes.h.inc"
} // namespace tessera::nvidia

using namespace tessera;
using namespace tessera::nvidia;
using Dimension = TensorMapPlan::Dimension;

static constexpr llvm::StringLiteral kPass = "nvidia-promote-stores";

namespace {
struct PromoteStores : nvidia::impl::NvidiaPromoteStoresBase<PromoteStores> {
  using NvidiaPromoteStoresBase::NvidiaPromoteStoresBase;
  void runOnOperation() override;
};

/// A store that becomes a copy.
struct Promotion {
  tt::StoreOp store;
  Value tile = {}; // in the layout that it is computed in
  ttg::MemDescType type = {};
  TensorMapPlan plan = {};
  MapMaker maker = MapMaker::Launcher;
  StoreCondition condition = {};
  PointerBase base = {};
  bool isInLoop = false;
  /// The threads hold runs of the tile's rows: it is copied only beside others of that memory.
  bool isHeldAsStored = false;
  /// The buffer is for this store alone, from there on.
  bool hasOwnBuffer = false;
  // Created first, to measure the shared memory that they take.
  ttg::LocalAllocOp buffer = {};
  ttg::LocalStoreOp write = {};
};

/// An access of global memory.
struct OtherAccess {
  Operation *op;
  GlobalAccess access;
  PointerBase base;
};

/// How many of the newest copies may be under way when the buffer of another one is written.
struct Waits {
  std::optional<int32_t> written, read;
};

/// The stores of one kernel.
class KernelStores {
public:
  KernelStores(tt::FuncOp kernel, const AxisInfoAnalysis &axes, uint64_t maxSharedBytes,
               uint64_t freeSharedBytes, bool makesMaps)
      : kernel(kernel), axes(axes), maxSharedBytes(maxSharedBytes),
        freeSharedBytes(freeSharedBytes), makesMaps(makesMaps) {}
  void run();

private:
  std::string find(Promotion &promotion);
  StringRef findPlan(Promotion &promotion);
  void readAccesses();
  std::string checkMemory(const Promotion &promotion);
  void dropUnordered();
  void addBuffers();
  void addBuffer(Promotion &promotion);
  void discard(Promotion &promotion);
  Waits waitsOf(const Promotion &promotion) const;
  Value descriptorOf(const Promotion &promotion, tt::TensorDescType type);
  void emit(Promotion &promotion, Waits waits);
  void emitStores(Promotion &promotion, Value isCopied);
  void emitOrder();

  tt::FuncOp kernel;
  const AxisInfoAnalysis &axes;
  uint64_t maxSharedBytes, freeSharedBytes;
  bool makesMaps;
  BlockAddresses addresses;
  std::vector<Promotion> promotions;
  SmallVector<OtherAccess> accesses;
  std::vector<std::pair<const Promotion *, Value>> descriptors;
};
} // namespace

static void decline(tt::StoreOp store, const Twine &why) {
  declined(store, kPass, "tensor-map")
      .says("the tile is stored by the threads that hold it")
      .because("{0}", why.str());
}

//===----------------------------------------------------------------------===//
// Which stores
//===----------------------------------------------------------------------===//

/// Returns the tile in the layout in which it was computed.
static Value withoutConversion(Value tile) {
  auto conversion = tile.getDefiningOp<ttg::ConvertLayoutOp>();
  return conversion ? conversion.getSrc() : tile;
}

/// Returns whether the threads hold runs of rows of the tile, as they are stored.
static bool isHeldAsStored(tt::StoreOp store) {
  Value tile = store.getValue();
  return tile == withoutConversion(tile) &&
         !isa<ttg::NvidiaMmaEncodingAttr>(cast<RankedTensorType>(tile.getType()).getEncoding());
}

/// The type of a buffer from which the tile is copied; null if no copy takes such tiles.
static ttg::MemDescType bufferType(RankedTensorType tile) {
  unsigned rank = tile.getRank(),
           bits = tile.getElementType().isIntOrFloat() ? tile.getElementTypeBitWidth() : 0;
  if (rank < 2 || bits == 0 || bits % 8 != 0)
    return {};
  MLIRContext *context = tile.getContext();
  unsigned width = chooseSwizzlingByteWidth(tile.getShape(), rank - 1, bits, /*fp4Padded=*/false);
  auto encoding = ttg::NvmmaSharedEncodingAttr::get(context, width, /*transposed=*/false, bits,
                                                    /*fp4Padded=*/false,
                                                    ttg::CGALayoutAttr::getTrivial(context, rank));
  auto type = ttg::MemDescType::get(tile.getShape(), tile.getElementType(), encoding,
                                    ttg::SharedMemorySpaceAttr::get(context),
                                    /*mutableMemory=*/true);
  return planTensorCopy(ttg::toLinearLayout(type), bits / 8, width) ? type : ttg::MemDescType();
}

StringRef KernelStores::findPlan(Promotion &promotion) {
  tt::StoreOp store = promotion.store;
  TileAccess access{store.getPtr(), store.getMask(),
                    cast<RankedTensorType>(store.getValue().getType())};
  StringRef reason;
  std::optional<TensorMapPlan> plan =
      planTensorMap(access, MapMaker::Launcher, addresses, axes, reason);
  if (!plan && makesMaps && store->hasAttr(tt::kDescriptorAccessAttr)) {
    promotion.maker = MapMaker::Kernel;
    plan = planTensorMap(access, MapMaker::Kernel, addresses, axes, reason);
  }
  if (!plan)
    return reason;
  promotion.plan = std::move(*plan);
  for (const Dimension &dimension : promotion.plan.dims)
    if (dimension.isBent)
      return "its indices are changed beyond a bound";
  if (promotion.plan.dims.back().tileDim != access.type.getRank() - 1)
    return "the contiguous dimension is not the tile's last";
  if (promotion.maker == MapMaker::Kernel &&
      !isUsedInLoop(findLastPart(promotion.plan, addresses), store))
    return "the kernel would have to make a tensor map for each tile";
  return "";
}

std::string KernelStores::find(Promotion &promotion) {
  tt::StoreOp store = promotion.store;
  if (store.getCache() != tt::CacheModifier::None || store.getEvict() != tt::EvictionPolicy::Normal)
    return "it has a cache hint";
  promotion.isHeldAsStored = isHeldAsStored(store);
  promotion.tile = withoutConversion(store.getValue());
  promotion.type = bufferType(cast<RankedTensorType>(promotion.tile.getType()));
  promotion.isInLoop = store->getParentOfType<LoopLikeOpInterface>() != nullptr;
  promotion.base = findPointerBase(store.getPtr());
  if (!promotion.type)
    return "no copy takes such tiles";
  if (!promotion.base)
    return "it is not known which memory its pointers lead to";
  if (StringRef reason = findPlan(promotion); !reason.empty())
    return reason.str();
  TensorMapRecipe recipe;
  auto encoding = cast<ttg::NvmmaSharedEncodingAttr>(promotion.type.getEncoding());
  auto tile = cast<RankedTensorType>(promotion.tile.getType());
  if (!setBoxOf(descriptorType(promotion.plan, tile, encoding), recipe))
    return "no copy takes such tiles";
  promotion.condition =
      StoreCondition(promotion.plan, promotion.maker, tile, PlanFacts(addresses, axes));
  return promotion.condition.whyNever().str();
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

void KernelStores::readAccesses() {
  kernel->walk([&](Operation *op) {
    GlobalAccess access = globalAccessOf(op);
    if (access.kind == GlobalAccess::None)
      return;
    PointerBase base = access.pointer ? findPointerBase(access.pointer) : PointerBase();
    accesses.push_back({op, access, base});
  });
}

/// Returns what the copy could not be ordered with.
std::string KernelStores::checkMemory(const Promotion &promotion) {
  auto isCopied = [&](Operation *op) {
    return llvm::any_of(promotions, [&](const Promotion &each) { return each.store == op; });
  };
  auto isReason = [&](const Promotion &each) {
    return !each.isHeldAsStored && each.base == promotion.base;
  };
  if (!llvm::any_of(promotions, isReason))
    return "threads hold runs of its rows";
  for (const OtherAccess &other : accesses) {
    if (other.access.kind == GlobalAccess::Unknown)
      return llvm::formatv("'{0}' may access any memory", other.op->getName());
    if (other.access.kind == GlobalAccess::Order || !other.base.mayAlias(promotion.base))
      continue;
    if (other.access.kind == GlobalAccess::Read)
      return "the kernel may read the memory, too";
    if (!isCopied(other.op))
      return "the kernel may write the memory in other ways, too";
  }
  return "";
}

/// Drops promotions until all that are left can be ordered.
void KernelStores::dropUnordered() {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto it = promotions.begin(); it != promotions.end(); ++it) {
      std::string reason = checkMemory(*it);
      if (reason.empty())
        continue;
      decline(it->store, reason);
      discard(*it);
      promotions.erase(it);
      changed = true;
      break;
    }
  }
}

/// Copies that are started in one block are counted: those before this one, the newest first, until
/// one concerns the same memory or the same buffer.
Waits KernelStores::waitsOf(const Promotion &promotion) const {
  auto isBeside = [&](const Promotion &other) {
    return other.store->getBlock() == promotion.store->getBlock();
  };
  if (!llvm::all_of(promotions, isBeside))
    return {0, 0};
  Waits waits;
  size_t count = promotions.size(), self = &promotion - promotions.data();
  size_t before = promotion.isInLoop ? count : self;
  for (size_t distance = 1; distance <= before; ++distance) {
    const Promotion &other = promotions[(self + count - distance) % count];
    if (!waits.written && other.base.mayAlias(promotion.base))
      waits.written = distance - 1;
    if (!waits.read && other.buffer == promotion.buffer)
      waits.read = distance - 1;
  }
  return waits;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// Creates the buffer, or finds it, and writes it, if shared memory suffices.
void KernelStores::addBuffer(Promotion &promotion) {
  Block &entry = kernel.getBody().front();
  uint64_t before = packedSharedBytes(kernel.getBody());
  uint64_t limit = promotion.isInLoop ? maxSharedBytes : std::max(before, freeSharedBytes);
  promotion.hasOwnBuffer = !promotion.isInLoop && promotion.store->getBlock() == &entry;
  for (const Promotion &other : promotions)
    if (other.buffer && other.type == promotion.type && !other.hasOwnBuffer &&
        !promotion.hasOwnBuffer)
      promotion.buffer = other.buffer;
  Location loc = promotion.store.getLoc();
  OpBuilder b(promotion.store);
  if (!promotion.buffer) {
    if (!promotion.hasOwnBuffer)
      b.setInsertionPointToStart(&entry);
    promotion.buffer = ttg::LocalAllocOp::create(b, loc, promotion.type);
    kernel->walk([&](tt::ReturnOp end) {
      b.setInsertionPoint(end);
      ttg::LocalDeallocOp::create(b, loc, promotion.buffer);
    });
  }
  b.setInsertionPoint(promotion.store);
  promotion.write = ttg::LocalStoreOp::create(b, loc, promotion.tile, promotion.buffer);
  uint64_t bytes = packedSharedBytes(kernel.getBody());
  if (maxSharedBytes == 0 || bytes <= limit)
    return;
  decline(promotion.store, llvm::formatv("with its buffer of {0} bytes the kernel would take {1} "
                                         "bytes of shared memory, of {2}",
                                         bufferBytes(promotion.type), bytes, limit));
  discard(promotion);
}

/// Removes what addBuffer created.
void KernelStores::discard(Promotion &promotion) {
  if (!promotion.buffer)
    return;
  promotion.write->erase();
  bool isUsed = llvm::any_of(promotion.buffer->getUsers(),
                             [](Operation *user) { return !isa<ttg::LocalDeallocOp>(user); });
  if (!isUsed) {
    for (Operation *user : llvm::make_early_inc_range(promotion.buffer->getUsers()))
      user->erase();
    promotion.buffer->erase();
  }
  promotion.buffer = {};
}

void KernelStores::addBuffers() {
  for (Promotion &promotion : promotions)
    addBuffer(promotion);
  llvm::erase_if(promotions, [](const Promotion &promotion) { return !promotion.buffer; });
}

/// Returns a descriptor that an earlier promotion has, or makes one.
Value KernelStores::descriptorOf(const Promotion &promotion, tt::TensorDescType type) {
  const TensorMapPlan &plan = promotion.plan;
  for (const auto &[other, descriptor] : descriptors)
    if (descriptor.getType() == type && other->maker == promotion.maker &&
        other->plan.base == plan.base && other->plan.offset == plan.offset &&
        llvm::equal(other->plan.dims, plan.dims, [](const Dimension &x, const Dimension &y) {
          return x.stride == y.stride && x.extent == y.extent;
        }))
      return descriptor;
  Block &entry = kernel.getBody().front();
  OpBuilder b(&entry, entry.begin());
  if (promotion.maker == MapMaker::Kernel)
    b.setInsertionPointAfterValue(findLastPart(plan, addresses));
  Value made = emitDescriptor(b, tt::StoreOp(promotion.store).getLoc(), plan, promotion.maker, type,
                              addresses);
  descriptors.push_back({&promotion, made});
  return made;
}

/// Returns the value; a tensor is computed again, from scalars.
static Value repeatTensors(OpBuilder &b, Value value, IRMapping &repeated) {
  Operation *op = value.getDefiningOp();
  if (!op || !isa<RankedTensorType>(value.getType()) || op->getNumRegions() || !isPure(op))
    return value;
  if (!repeated.contains(value)) {
    for (Value operand : op->getOperands())
      repeated.map(operand, repeatTensors(b, operand, repeated));
    b.clone(*op, repeated);
  }
  return repeated.lookup(value);
}

/// Lets the threads store the tile where it is not copied.
void KernelStores::emitStores(Promotion &promotion, Value isCopied) {
  tt::StoreOp store = promotion.store;
  Location loc = store.getLoc();
  OpBuilder b(store);
  Value isStored =
      arith::XOrIOp::create(b, loc, isCopied, arith::ConstantIntOp::create(b, loc, 1, 1));
  auto branch = scf::IfOp::create(b, loc, isStored, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  IRMapping repeated;
  Value pointers = repeatTensors(b, store.getPtr(), repeated);
  Value mask = store.getMask() ? repeatTensors(b, store.getMask(), repeated) : Value();
  Value tile =
      ttg::LocalLoadOp::create(b, loc, store.getValue().getType(), promotion.buffer, Value());
  auto stored =
      tt::StoreOp::create(b, loc, pointers, tile, mask, store.getCache(), store.getEvict());
  stored->setDiscardableAttrs(store->getDiscardableAttrDictionary());
  if (promotion.isInLoop || promotions.size() > 1)
    ttng::FenceAsyncGlobalOp::create(b, loc);
}

void KernelStores::emit(Promotion &promotion, Waits waits) {
  tt::StoreOp store = promotion.store;
  Location loc = store.getLoc();
  auto encoding = cast<ttg::NvmmaSharedEncodingAttr>(promotion.type.getEncoding());
  auto tile = cast<RankedTensorType>(promotion.tile.getType());
  tt::TensorDescType type = descriptorType(promotion.plan, tile, encoding);
  Value descriptor = descriptorOf(promotion, type);
  OpBuilder b(promotion.write);
  if (waits.written)
    ttng::TMAStoreWaitOp::create(b, loc, *waits.written, /*written=*/true);
  if (waits.read && (!waits.written || *waits.read < *waits.written))
    ttng::TMAStoreWaitOp::create(b, loc, *waits.read, /*written=*/false);
  b.setInsertionPoint(store);
  SmallVector<Value> coordinates = emitCoordinates(b, loc, promotion.plan, addresses);
  Value isCopied = promotion.condition.emit(b, loc, promotion.plan, coordinates, addresses);
  ttng::AsyncTMACopyLocalToGlobalOp::create(b, loc, descriptor, coordinates, promotion.buffer,
                                            isCopied);
  bool needsStores = isCopied && promotion.condition.needsStores();
  if (needsStores)
    emitStores(promotion, isCopied);
  decided(store, kPass, "tensor-map")
      .says("the tile is stored by a tensor map of {0} dimensions, {1} bytes of shared memory{2}",
            promotion.plan.dims.size(), bufferBytes(promotion.type),
            needsStores ? "; some tiles are stored by the threads" : "")
      .number("dimensions", promotion.plan.dims.size())
      .number("bytes", bufferBytes(promotion.type));
  store.erase();
}

/// Waits for all copies where the kernel ends, and where earlier stores must have been done.
void KernelStores::emitOrder() {
  for (const OtherAccess &other : accesses) {
    if (other.access.kind != GlobalAccess::Order && !other.access.releases)
      continue;
    OpBuilder b(other.op);
    ttng::TMAStoreWaitOp::create(b, other.op->getLoc(), /*pendings=*/0, /*written=*/true);
  }
  auto isOfCopies = [&](Operation *op) {
    auto dealloc = dyn_cast_or_null<ttg::LocalDeallocOp>(op);
    return dealloc && llvm::any_of(promotions, [&](const Promotion &each) {
             return ttg::LocalAllocOp(each.buffer).getResult() == dealloc.getSrc();
           });
  };
  kernel->walk([&](tt::ReturnOp end) {
    Operation *first = end;
    while (isOfCopies(first->getPrevNode()))
      first = first->getPrevNode();
    OpBuilder b(first);
    ttng::TMAStoreWaitOp::create(b, end.getLoc(), /*pendings=*/0, /*written=*/false);
  });
}

void KernelStores::run() {
  // Only a launch can tell that there is no map for its arguments, and take the kernel without
  // maps: so it must build all of them.
  unsigned numMaps = 0;
  kernel->walk([&](tt::MakeTensorDescOp make) { numMaps += 1; });
  kernel->walk([&](tt::StoreOp store) {
    if (!store->hasAttr(tt::kDescriptorAccessAttr))
      return;
    Promotion promotion{store};
    std::string reason = find(promotion);
    bool isByLauncher = promotion.maker == MapMaker::Launcher;
    if (reason.empty() && isByLauncher && numMaps == kMaxLaunchMaps)
      reason = "a launch builds no more tensor maps than those of the kernel's other tiles";
    if (!reason.empty())
      return decline(store, reason);
    numMaps += isByLauncher;
    promotions.push_back(std::move(promotion));
  });
  if (promotions.empty())
    return;
  if (mayAcquire(kernel)) {
    for (const Promotion &promotion : promotions)
      decline(promotion.store, "the kernel may wait for what other programs do");
    return;
  }
  readAccesses();
  dropUnordered();
  addBuffers();
  dropUnordered();
  SmallVector<Waits> waits = llvm::map_to_vector(
      promotions, [&](const Promotion &promotion) { return waitsOf(promotion); });
  for (auto [promotion, its] : llvm::zip_equal(promotions, waits))
    emit(promotion, its);
  if (promotions.empty())
    return;
  emitOrder();
  removeDeadPointers(kernel);
}

void PromoteStores::runOnOperation() {
  ModuleOp module = getOperation();
  const NvidiaSpec *spec = NvidiaSpec::parse(ttg::getTargetName(module));
  if (!spec || !spec->hasTensorMemoryAccess() || ttg::getNumCTAs(module) != 1)
    return;
  bool hasAny = false;
  module.walk([&](tt::StoreOp store) { hasAny |= store->hasAttr(tt::kDescriptorAccessAttr); });
  if (!hasAny)
    return;
  // Programs outside of the problem may divide by numbers that are negative. Masks hide that,
  // copies do not.
  AxisInfoAnalysis axes(module, {.assumePositiveDivisors = false});
  if (!axes.isValid()) {
    module.emitError("the axis analysis failed");
    return signalPassFailure();
  }
  for (auto kernel : module.getOps<tt::FuncOp>())
    if (kernel.isKernel() && !kernel.isExternal())
      KernelStores(kernel, axes, maxSharedBytes, freeSharedBytes, makesMaps).run();
}
