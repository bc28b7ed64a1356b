//===- Coalesce.cpp - layouts for coalesced memory accesses --------------===//
// Gives each load, store and atomic through pointers the layout in which a thread moves as many
// adjacent elements as an instruction can, and the threads of a warp continue where it ends, so
// that a warp needs the fewest transactions.
//
//   before: %v = tt.load %p : tensor<1024x!tt.ptr<f32>, #blocked>
//   after:  %q = ttg.convert_layout %p : ... -> #blocked1   sizePerThread = [4]
//           %v1 = tt.load %q ; %v = ttg.convert_layout %v1 : ... -> #blocked
//
// Accesses that are connected by dataflow and step through memory in the same order get the same
// layout, so that no data moves between them. Its width is the widest that any of them can use, but
// no wider than each vectorised one can move in one instruction: with f16 loads (8 at once) and f32
// stores (4 at once) both use 4, and every instruction of a warp still covers whole cache lines.
// Atomics mostly act on single elements: alone, adjacent threads take adjacent elements; together
// with other accesses they use their layout, since moving the values would cost more.
//
// A dimension whose indices are multiplied by 1 comes first even if no addresses are known to be
// consecutive, as where indices wrap around, (start + i) % n: the threads of a warp take adjacent
// elements. If there is none, every element's address is computed separately from its row and
// column: a thread then gets about as many rows as columns, since 16 rows of 1 column need about
// twice as many indices as 4 of 4.
//
// Requires: every tensor has an encoding. Ensures: values are unchanged.
// Cost: the axis analysis, and linear.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Remarks.h"
#include "tessera/TTGIR/Analysis/AxisInfo.h"
#include "tessera/TTGIR/Analysis/BlockAddresses.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Layout/BlockedChoice.h"
#include "tessera/TTGIR/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTGCOALESCE
#include "tessera/TTGIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;

static constexpr llvm::StringLiteral kPass = "ttg-coalesce";

namespace {

/// One access, and the facts on which its layout depends.
struct Access {
  Operation *op;
  RankedTensorType pointers;
  SmallVector<unsigned> order; // dimensions, most contiguous first
  unsigned own;                // elements along order[0] that it can move at once
  unsigned limit;              // elements that fill an instruction
  bool hasNeighbours;          // whether any dimension is known to be contiguous
  AccessFacts fastest;         // the facts along order[0]
};

struct PlannedAccess {
  Operation *op;
  Attribute encoding;
};

struct Coalesce : tessera::impl::TTGCoalesceBase<Coalesce> {
  using TTGCoalesceBase::TTGCoalesceBase;
  void runOnOperation() override;
};

/// Groups values that should share a layout: those connected by ops on tensors of one shape. Index
/// values can be recomputed in any layout, and connect nothing.
class Dataflow {
public:
  explicit Dataflow(ModuleOp module);
  /// Accesses with the same group should have the same layout.
  void *groupOf(Operation *access) const;

private:
  void connect(ValueRange values);
  bool isIndex(Value value);
  llvm::EquivalenceClasses<void *> classes;
  DenseMap<Value, bool> indices;
};

} // namespace

//===----------------------------------------------------------------------===//
// Deciding
//===----------------------------------------------------------------------===//

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Returns the values from which an index tensor is computed: operands, or the initial and yielded
/// values of a loop. Index arithmetic consists of cheap ops that read no memory.
static std::optional<SmallVector<Value>> originsOf(Value tensor) {
  if (Operation *op = tensor.getDefiningOp()) {
    bool isPlain = op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
                   !isa<tt::DotOp, tt::DotScaledOp, tt::GatherOp, tt::HistogramOp, tt::CallOp>(op);
    return isPlain ? std::optional(SmallVector<Value>(op->getOperands())) : std::nullopt;
  }
  auto argument = cast<BlockArgument>(tensor);
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop)
    return std::nullopt;
  return SmallVector<Value>{loop.getTiedLoopInit(argument)->get(),
                            loop.getTiedLoopYieldedValue(argument)->get()};
}

/// Returns whether a value depends only on program ids, arguments and constants. A loop-carried
/// value is assumed to be an index until an op shows otherwise.
bool Dataflow::isIndex(Value value) {
  SmallVector<Value> path{value};
  SmallVector<Value> visited;
  bool isIndex = true;
  while (isIndex && !path.empty()) {
    Value next = path.pop_back_val();
    auto [known, isNew] = indices.try_emplace(next, true);
    if (!isNew) {
      isIndex = known->second;
      continue;
    }
    visited.push_back(next);
    if (!isa<RankedTensorType>(next.getType()))
      continue;
    std::optional<SmallVector<Value>> origins = originsOf(next);
    isIndex = origins.has_value();
    if (isIndex)
      llvm::append_range(path, *origins);
  }
  if (isIndex)
    return true;
  // The others are evaluated when they are needed.
  for (Value each : visited)
    indices.erase(each);
  indices[value] = false;
  return false;
}

void Dataflow::connect(ValueRange values) {
  SmallVector<Value> tensors;
  for (Value value : values)
    if (isa<RankedTensorType>(value.getType()) && !isIndex(value))
      tensors.push_back(value);
  for (Value value : tensors) {
    classes.insert(value.getAsOpaquePointer());
    for (Value other : tensors)
      if (shapeOf(value) == shapeOf(other))
        classes.unionSets(value.getAsOpaquePointer(), other.getAsOpaquePointer());
  }
}

Dataflow::Dataflow(ModuleOp module) {
  module.walk([&](Operation *op) {
    if (op->getNumRegions() != 0)
      return;
    SmallVector<Value> values(op->getOperands());
    llvm::append_range(values, op->getResults());
    // All values that a branch yields for a result share its layout.
    if (auto yield = dyn_cast<scf::YieldOp>(op)) {
      Operation *parent = op->getParentOp();
      for (auto [i, value] : llvm::enumerate(yield.getOperands()))
        if (i < parent->getNumResults())
          connect({value, parent->getResult(i)});
      return;
    }
    // Matrix units take operands in layouts of their own, even if all tiles are square.
    if (isa<tt::DotOp, tt::DotScaledOp>(op)) {
      connect({op->getOperand(2), op->getResult(0)});
      return;
    }
    connect(values);
  });
  module.walk([&](scf::ForOp loop) {
    for (auto [init, argument, result] :
         llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getResults()))
      connect({init, argument, result});
  });
}

void *Dataflow::groupOf(Operation *access) const {
  SmallVector<Value> values(access->getResults());
  llvm::append_range(values, access->getOperands());
  for (Value value : values)
    if (auto known = classes.findLeader(value.getAsOpaquePointer()); known != classes.member_end())
      return *known;
  return access;
}

static Value pointerOf(Operation *op) {
  if (auto load = dyn_cast<tt::LoadOp>(op))
    return load.getPtr();
  if (auto store = dyn_cast<tt::StoreOp>(op))
    return store.getPtr();
  if (auto atomic = dyn_cast<tt::AtomicRMWOp>(op))
    return atomic.getPtr();
  if (auto atomic = dyn_cast<tt::AtomicCASOp>(op))
    return atomic.getPtr();
  return {};
}

/// Returns the dimensions, the most contiguous first. If nothing is known about any, rows are
/// assumed to be contiguous: addresses that the analysis cannot follow mostly come from flattened
/// images (convolutions as matrix products).
static SmallVector<unsigned> chooseOrder(ArrayRef<AccessFacts> dims,
                                         std::optional<unsigned> unitDim, bool hasNeighbours) {
  if (!hasNeighbours)
    return llvm::to_vector(llvm::seq<unsigned>(0, dims.size()));
  SmallVector<int64_t> contiguity =
      llvm::map_to_vector(dims, [](const AccessFacts &facts) { return facts.contiguity; });
  if (unitDim)
    contiguity[*unitDim] = 2;
  return orderByContiguity(contiguity);
}

/// Returns the number of elements that one atomic instruction updates: float additions are
/// vectorised if the target can, and 16-bit ones are paired everywhere.
static unsigned atomicElements(Operation *op, unsigned bytes, unsigned maxAtomicBits) {
  auto update = dyn_cast<tt::AtomicRMWOp>(op);
  bool isSum = update && update.getAtomicRmwOp() == tt::RMWOp::FAdd && bytes <= 4;
  return isSum ? std::max(1u, maxAtomicBits / 8 / bytes) : 1;
}

static SmallVector<Access> collectAccesses(ModuleOp module, const AxisInfoAnalysis &axes,
                                           unsigned maxVectorBits, unsigned maxAtomicBits) {
  SmallVector<Access> accesses;
  BlockAddresses addresses;
  module.walk([&](Operation *op) {
    Value pointer = pointerOf(op);
    auto type = pointer ? dyn_cast<RankedTensorType>(pointer.getType()) : RankedTensorType();
    if (!type)
      return;
    unsigned bytes = std::max(8u, tt::getPointeeBits(type)) / 8;
    unsigned limit = std::max(1u, maxVectorBits / 8 / bytes);
    SmallVector<AccessFacts> dims = axes.accessFacts(pointer, /*mask=*/{});
    bool hasNeighbours =
        llvm::any_of(dims, [](const AccessFacts &facts) { return facts.contiguity > 1; });
    std::optional<unsigned> unitDim;
    if (!hasNeighbours && (unitDim = addresses.unitDimension(pointer)))
      hasNeighbours = true;
    SmallVector<unsigned> order = chooseOrder(dims, unitDim, hasNeighbours);
    const AccessFacts &fastest = dims[order[0]];
    int64_t aligned = std::min(fastest.contiguity, fastest.divisibilityBytes / bytes);
    if (isa<tt::AtomicRMWOp, tt::AtomicCASOp>(op))
      aligned = std::min<int64_t>(aligned, atomicElements(op, bytes, maxAtomicBits));
    accesses.push_back({op, type, order,
                        static_cast<unsigned>(std::clamp<int64_t>(aligned, 1, limit)), limit,
                        hasNeighbours, fastest});
  });
  return accesses;
}

/// Returns the elements per thread for a group of accesses: the widest that one of them can use,
/// within what all vectorised ones can move at once.
static unsigned chooseWidth(ArrayRef<const Access *> group) {
  unsigned widest = 1, limit = ~0u;
  for (const Access *access : group) {
    widest = std::max(widest, access->own);
    if (access->own > 1)
      limit = std::min(limit, access->limit);
  }
  return std::min(widest, limit);
}

/// Returns the layout of `access`, which it shares with its group.
static BlockedParams chooseLayout(const Access &access, ArrayRef<const Access *> group,
                                  ThreadCounts threads) {
  const CgaBases &cga =
      cast<ttg::LayoutEncodingAttr>(access.pointers.getEncoding()).getCGALayout().getBases();
  if (llvm::none_of(group, [](const Access *each) { return each->hasNeighbours; }))
    return scatteredBlocked(access.pointers.getShape(), access.order, threads, cga);
  return coalescedBlocked(access.pointers.getShape(), access.order, chooseWidth(group), threads,
                          cga);
}

static void explain(const Access &access, const BlockedParams &params) {
  StringRef name = isa<tt::LoadOp>(access.op)    ? "load"
                   : isa<tt::StoreOp>(access.op) ? "store"
                                                 : "atomic";
  unsigned dim = access.order[0], width = params.sizePerThread[dim];
  unsigned bits = std::max(8u, tt::getPointeeBits(access.pointers));
  if (width > 1 && access.hasNeighbours) {
    PassRemark remark = decided(access.op, kPass, "access-layout");
    remark
        .says("each thread gets {0} neighbouring elements of {1} bits of the {2}", width, bits,
              name)
        .number("elements", width)
        .number("bits", bits)
        .number("dim", dim);
    if (access.own >= width)
      remark.because("dim {0} is contiguous in runs of {1} elements, divisible by {2} bytes", dim,
                     access.fastest.contiguity, access.fastest.divisibilityBytes);
    else
      remark.because("another access to these values moves {0} at once, this one {1}", width,
                     access.own);
    return;
  }
  PassRemark remark = declined(access.op, kPass, "access-layout");
  remark.says("each thread gets single elements of {0} bits of the {1}", bits, name)
      .number("elements", 1)
      .number("bits", bits)
      .number("dim", dim);
  if (!access.hasNeighbours)
    remark.because("no dimension is known to be contiguous");
  else if (access.limit == 1)
    remark.because("an element fills an instruction");
  else if (access.fastest.divisibilityBytes * 8 < 2 * bits)
    remark.because("addresses are only known to be divisible by {0} bytes",
                   access.fastest.divisibilityBytes);
  else
    remark.because("neighbouring elements go to neighbouring threads");
}

static SmallVector<PlannedAccess> planAccesses(ModuleOp module, ArrayRef<Access> accesses) {
  Dataflow dataflow(module);
  using Group = std::tuple<void *, SmallVector<int64_t>, SmallVector<unsigned>>;
  std::map<Group, SmallVector<const Access *>> groups;
  auto groupOf = [&](const Access &access) {
    return Group(dataflow.groupOf(access.op), SmallVector<int64_t>(access.pointers.getShape()),
                 access.order);
  };
  for (const Access &access : accesses)
    groups[groupOf(access)].push_back(&access);

  SmallVector<PlannedAccess> plan;
  for (const Access &access : accesses) {
    ThreadCounts threads{ttg::lookupNumWarps(access.op).value_or(ttg::getNumWarps(module)),
                         ttg::getThreadsPerWarp(module)};
    BlockedParams params = chooseLayout(access, groups[groupOf(access)], threads);
    explain(access, params);
    plan.push_back({access.op, ttg::BlockedEncodingAttr::get(module.getContext(), params)});
  }
  return plan;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

static Type withEncoding(Type type, Attribute encoding) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.cloneWithEncoding(encoding) : type;
}

static Value convertTo(OpBuilder &b, Location loc, Value value, Type type) {
  return value.getType() == type ? value : ttg::ConvertLayoutOp::create(b, loc, type, value);
}

static void applyPlan(const PlannedAccess &access) {
  Operation *op = access.op;
  OpBuilder b(op);
  for (OpOperand &operand : op->getOpOperands()) {
    Type type = withEncoding(operand.get().getType(), access.encoding);
    operand.set(convertTo(b, op->getLoc(), operand.get(), type));
  }
  b.setInsertionPointAfter(op);
  for (Value result : op->getResults()) {
    Type before = result.getType(), after = withEncoding(before, access.encoding);
    if (before == after)
      continue;
    result.setType(after);
    auto back = ttg::ConvertLayoutOp::create(b, op->getLoc(), before, result);
    result.replaceAllUsesExcept(back, back);
  }
}

void Coalesce::runOnOperation() {
  ModuleOp module = getOperation();
  AxisInfoAnalysis axes(module);
  if (!axes.isValid()) {
    module.emitError("the axis analysis failed");
    return signalPassFailure();
  }
  for (const PlannedAccess &access :
       planAccesses(module, collectAccesses(module, axes, maxVectorBits, maxAtomicBits)))
    applyPlan(access);
}
