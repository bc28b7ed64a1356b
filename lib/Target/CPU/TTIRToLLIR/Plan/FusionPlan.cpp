//===- FusionPlan.cpp - which ops share a loop nest -----------------------===//
// See FusionPlan.h. One walk over each block, outer blocks first, with one open group. Cost:
// quadratic in the anchors of a group, which are few.
//===----------------------------------------------------------------------===//
#include "FusionPlan.h"
#include "AffineForm.h"
#include "WholeTileOps.h"
#include "tessera/Support/Remarks.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "../Lanes/Elementwise.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;

SmallVector<Value> tessera::cpu::carriedTensors(Operation *op) {
  SmallVector<Value> carried;
  if (isa<scf::ForOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp, cf::BranchOp, cf::CondBranchOp>(
          op))
    llvm::copy_if(op->getOperands(), std::back_inserter(carried), isTensor);
  return carried;
}

static Value pointerOf(Operation *access) { return access->getOperand(0); }

static bool isTileAccess(Operation *op) {
  return isa<tt::LoadOp, tt::StoreOp>(op) && isTensor(pointerOf(op));
}
static bool isReduction(Operation *op) { return isa<tt::ReduceOp>(op) && !isWholeTileOp(op); }
static bool isAnchor(Operation *op) { return isTileAccess(op) || isReduction(op); }

static Value noScalar(Value) { return {}; }

static constexpr llvm::StringLiteral kPass = "cpu-convert-ttir-to-llir";

namespace {
/// Caches which tensors are affine.
class AffineFacts {
public:
  bool isAffine(Value value) {
    ArrayRef<int64_t> shape = shapeOf(value);
    std::unique_ptr<AffineBuilder> &trial = trials[shape];
    if (!trial)
      trial = std::make_unique<AffineBuilder>(nullptr, noScalar, shape);
    return trial->form(value, identityIndex(shape)).has_value();
  }

private:
  llvm::MapVector<ArrayRef<int64_t>, std::unique_ptr<AffineBuilder>> trials;
};
} // namespace

//===----------------------------------------------------------------------===//
// What computing a tensor again costs
//===----------------------------------------------------------------------===//

/// Reading a tile costs about as much as this many simple operations.
static constexpr unsigned kCostOfTile = 6;

/// Returns the cost of the op alone, per element, in simple vector operations.
static unsigned costOfOp(Operation *op) {
  if (op->getName().getDialectNamespace() == "math" || isa<tt::ExternElementwiseOp>(op))
    return isa<math::AbsFOp, math::AbsIOp, math::FmaOp, math::FloorOp, math::CeilOp>(op) ? 1 : 12;
  if (isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
          arith::RemFOp, tt::PreciseDivFOp, tt::PreciseSqrtOp, tt::MulhiUIOp>(op))
    return 4;
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  bool rounds = isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
  return rounds ? 4 : 1;
}

namespace {

/// The costs of one function's tensors, computed on demand.
class CostModel {
public:
  /// `inMemory` contains the tensors that are read rather than computed.
  CostModel(const DenseSet<Value> &inMemory, AffineFacts &facts)
      : inMemory(inMemory), facts(facts) {}

  unsigned cost(Value root) {
    auto isKnown = [&](const TileElement &e) { return costs.contains(e.value); };
    auto operandsOf = [&](const TileElement &e) {
      SmallVector<TileElement> operands;
      Operation *op = e.value.getDefiningOp();
      if (!inMemory.contains(e.value) && op && isPureTileOp(op))
        for (Value operand : op->getOperands())
          if (isTensor(operand))
            operands.push_back({operand, {}});
      return operands;
    };
    forOperandsFirst({root, {}}, isKnown, operandsOf,
                     [&](const TileElement &e) { costs[e.value] = compute(e.value); });
    return costs[root];
  }

private:
  unsigned compute(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || inMemory.contains(value) || !isPureTileOp(op))
      return 1; // a tile, or a load that becomes one
    if (isa<tt::SplatOp, tt::MakeRangeOp, arith::ConstantOp>(op) || facts.isAffine(value))
      return 0;
    if (isa<tt::BroadcastOp>(op))
      return 0; // computed once per row
    unsigned sum = Elementwise::handles(op) ? costOfOp(op) : 0;
    for (Value operand : op->getOperands())
      if (isTensor(operand))
        sum = std::min(sum + costs.lookup(operand), 1000u);
    return sum;
  }

  const DenseSet<Value> &inMemory;
  AffineFacts &facts;
  DenseMap<Value, unsigned> costs;
};

//===----------------------------------------------------------------------===//
// One block
//===----------------------------------------------------------------------===//

/// The facts that planning a block needs about the blocks around it.
struct PlanState {
  FusionPlan plan;
  DenseSet<Value> inMemory; // available from their position in the program on
  /// Tensors that nested blocks need in memory.
  DenseSet<Value> neededInside;
  AffineFacts affine;
};

class BlockPlanner {
public:
  BlockPlanner(Block &block, PlanState &state) : block(block), state(state) {}
  void run();

private:
  void addAnchor(Operation *anchor);
  void addTiles(ArrayRef<Value> values, Operation *before);
  void addCarried(Operation *before);
  void close(Operation *before);
  void keepWhatIsNeeded(Operation *before);
  bool canFuse(Operation *a, Operation *b);
  bool canComputeInGroup(ArrayRef<Value> values);
  llvm::SetVector<Value> computedTensors();
  bool isReadFrom(Value value, Operation *place);
  bool isNeededFrom(Value value, Operation *place, DenseSet<Value> &notNeeded);
  bool dependsOnReduction(ArrayRef<Value> values) {
    return hasReductions && dependsOn(values, isReduction);
  }
  /// Returns whether computing any of `values` involves an op of the open group.
  bool dependsOn(ArrayRef<Value> values, function_ref<bool(Operation *)> isMember);

  Block &block;
  PlanState &state;
  FusedGroup open;
  // The state of `open`:
  SmallPtrSet<Operation *, 8> members;
  bool hasReductions = false;
  unsigned storeCount = 0, testedPairs = 0;
};

} // namespace

/// The limit on the pairs of accesses that a group checks for aliasing at run time: each costs code
/// in front of the nest.
static constexpr unsigned kMaxTestedPairs = 64;

/// Returns whether the op can be computed wherever its tensor is needed.
static bool isPureTensorOp(Operation *op) {
  return isPureTileOp(op) && op->getNumResults() > 0 && isTensor(op->getResult(0));
}

/// Returns the tensors that `op` reads.
static SmallVector<Value> tensorsOf(Operation *op) {
  SmallVector<Value> tensors;
  llvm::copy_if(op->getOperands(), std::back_inserter(tensors), isTensor);
  return tensors;
}

bool BlockPlanner::dependsOn(ArrayRef<Value> values, function_ref<bool(Operation *)> isMember) {
  if (members.empty())
    return false;
  SmallVector<Value> work(values);
  SmallPtrSet<Operation *, 16> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *producer = value.getDefiningOp();
    // A scalar that is computed from a tensor is the result of an anchor.
    if (!producer || !seen.insert(producer).second)
      continue;
    if (members.contains(producer)) {
      if (isMember(producer))
        return true;
      if (isa<tt::ReduceOp>(producer))
        continue;
      llvm::append_range(work, producer->getOperands()); // a load's address and mask
      continue;
    }
    if (isPureTileOp(producer) && !state.inMemory.contains(value))
      llvm::append_range(work, producer->getOperands());
  }
  return false;
}

void BlockPlanner::run() {
  for (Operation &op : block) {
    if (isAnchor(&op)) {
      addAnchor(&op);
      continue;
    }
    if (isWholeTileOp(&op)) {
      addTiles(tensorsInMemory(&op), &op);
      close(&op);
      for (Value result : op.getResults())
        if (isTensor(result))
          state.inMemory.insert(result);
      continue;
    }
    if (op.hasTrait<OpTrait::IsTerminator>() || op.getNumRegions() > 0) {
      addCarried(&op);
      for (Value result : op.getResults())
        if (isTensor(result))
          state.inMemory.insert(result);
      continue;
    }
    // A scalar load must only stay behind earlier stores.
    if (isa<tt::LoadOp>(op)) {
      if (open.hasStores || dependsOnReduction(SmallVector<Value>(op.getOperands())))
        close(&op);
      continue;
    }
    auto any = [](Operation *) { return true; };
    if (isPureTileOp(&op)) {
      // A reduction to a scalar is available when its group is complete.
      if (llvm::none_of(op.getResults(), isTensor) &&
          dependsOnReduction(SmallVector<Value>(op.getOperands())))
        close(&op);
      for (Value result : op.getResults())
        if (state.neededInside.contains(result))
          addTiles(result, op.getNextNode());
      continue;
    }
    if (!isMemoryEffectFree(&op) || dependsOn(SmallVector<Value>(op.getOperands()), any))
      close(&op);
  }
}

/// Returns whether the two may run element by element, subject to a run-time check.
bool BlockPlanner::canFuse(Operation *a, Operation *b) {
  if (!isa<tt::StoreOp>(a) && !isa<tt::StoreOp>(b))
    return true;
  auto isTestable = [&](Operation *op) {
    return !isTileAccess(op) || state.affine.isAffine(pointerOf(op));
  };
  return isTestable(a) && isTestable(b);
}

void BlockPlanner::addAnchor(Operation *anchor) {
  Value like = isReduction(anchor) ? anchor->getOperand(0) : pointerOf(anchor);
  ArrayRef<int64_t> shape = shapeOf(like);
  bool shapes = !isa<tt::LoadOp>(anchor);
  // After a store all anchors must have its shape; loads before it may have any.
  bool sameShape = shapes ? !open.hasShape() || shape == ArrayRef(open.shape)
                          : !open.hasStores || shape == ArrayRef(open.shape);
  bool fuses = llvm::all_of(open.anchors, [&](Operation *other) { return canFuse(other, anchor); });
  unsigned pairs = isa<tt::StoreOp>(anchor) ? open.anchors.size() : storeCount;
  fuses &= testedPairs + pairs <= kMaxTestedPairs;
  bool needsReduction = dependsOnReduction(SmallVector<Value>(anchor->getOperands()));
  if (!sameShape || !fuses || needsReduction) {
    if (!open.anchors.empty())
      declined(anchor, kPass, "fusion")
          .says("{0} begins a new loop nest", anchor->getName())
          .because(!sameShape       ? "its shape differs from the nest's"
                   : needsReduction ? "it needs a reduction of the nest"
                                    : "it may overlap an access of the nest, and that cannot be "
                                      "tested at run time");
    close(anchor);
  }
  hasReductions |= isReduction(anchor);
  if (shapes)
    open.shape.assign(shape.begin(), shape.end());
  open.hasStores |= isa<tt::StoreOp>(anchor);
  storeCount += isa<tt::StoreOp>(anchor);
  testedPairs += open.anchors.empty() ? 0 : pairs;
  open.anchors.push_back(anchor);
  members.insert(anchor);
}

/// Tensors whose shape differs from the stores' get a nest of their own in front of the stores, so
/// their loads must not come after a store.
bool BlockPlanner::canComputeInGroup(ArrayRef<Value> values) {
  if (dependsOnReduction(values))
    return false;
  return !open.hasStores ||
         llvm::all_of(values, [&](Value value) { return shapeOf(value) == ArrayRef(open.shape); });
}

void BlockPlanner::addTiles(ArrayRef<Value> values, Operation *before) {
  SmallVector<Value> missing;
  for (Value value : values)
    if (!state.inMemory.contains(value) && !llvm::is_contained(missing, value))
      missing.push_back(value);
  if (missing.empty())
    return;
  if (!canComputeInGroup(missing))
    close(before);
  for (Value value : missing)
    if (!state.inMemory.contains(value)) // close() may have stored it already
      open.tiles.insert(value);
}

void BlockPlanner::addCarried(Operation *before) {
  SmallVector<Value> carried = carriedTensors(before);
  if (!carried.empty()) {
    if (!canComputeInGroup(carried))
      close(before);
    open.carried = std::move(carried);
  }
  // Bounds and conditions of control flow may depend on the open group too.
  close(before);
}

static void explain(const FusedGroup &group) {
  PassRemark remark = decided(group.anchors.back(), kPass, "fusion");
  if (!remark)
    return;
  auto count = [&](function_ref<bool(Operation *)> is) {
    return llvm::count_if(group.anchors, is);
  };
  auto loads = count([](Operation *op) { return isa<tt::LoadOp>(op); });
  auto stores = count([](Operation *op) { return isa<tt::StoreOp>(op); });
  auto reductions = count(isReduction);
  remark
      .says("one loop nest has these loads: {0}, stores: {1}, reductions: {2}", loads, stores,
            reductions)
      .number("loads", loads)
      .number("stores", stores)
      .number("reductions", reductions)
      .number("tiles", group.tiles.size());
  if (!group.tiles.empty())
    remark.because("tensors stored in memory for later code: {0}", group.tiles.size());
}

void BlockPlanner::close(Operation *before) {
  keepWhatIsNeeded(before);
  bool emits = open.hasShape() || !open.tiles.empty() || !open.carried.empty();
  for (Operation *anchor : open.anchors)
    if (isReduction(anchor))
      for (Value result : anchor->getResults())
        if (isTensor(result))
          state.inMemory.insert(result);
  for (Value value : open.tiles)
    state.inMemory.insert(value);
  if (emits && !open.anchors.empty())
    explain(open);
  if (emits)
    state.plan.before[before].push_back(std::move(open));
  open = {};
  members.clear();
  hasReductions = false;
  storeCount = testedPairs = 0;
}

/// Returns whether an op at or after `place` in this block, or nested in such an op, uses the
/// tensor itself, and not only to compute another tensor.
bool BlockPlanner::isReadFrom(Value value, Operation *place) {
  for (Operation *user : value.getUsers()) {
    if (isPureTensorOp(user))
      continue;
    Operation *here = block.findAncestorOpInBlock(*user);
    // Successor blocks may read what this block defines.
    if (!here && value.getParentBlock() == &block)
      return true;
    if (!here || here->isBeforeInBlock(place))
      continue;
    // The tensors that the group writes for this op are available.
    if (user != place || !llvm::is_contained(open.carried, value))
      return true;
  }
  return false;
}

/// Returns whether a tensor that the group does not compute, or a tensor computed from it, is read
/// from `place` on.
bool BlockPlanner::isNeededFrom(Value value, Operation *place, DenseSet<Value> &notNeeded) {
  SmallVector<Value> work = {value};
  DenseSet<Value> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (notNeeded.contains(next) || state.inMemory.contains(next) || !seen.insert(next).second)
      continue;
    if (isReadFrom(next, place))
      return true;
    for (Operation *user : next.getUsers())
      if (isPureTensorOp(user))
        llvm::append_range(work, user->getResults());
  }
  notNeeded.insert(seen.begin(), seen.end());
  return false;
}

/// Returns the tensors that the open group computes, operands before users.
llvm::SetVector<Value> BlockPlanner::computedTensors() {
  llvm::SetVector<Value> computed;
  SmallVector<Value> roots(open.tiles.begin(), open.tiles.end());
  llvm::append_range(roots, open.carried);
  for (Operation *anchor : open.anchors) {
    llvm::append_range(roots, tensorsOf(anchor));
    if (isa<tt::LoadOp>(anchor))
      roots.push_back(anchor->getResult(0));
  }
  auto isDone = [&](const TileElement &e) {
    return computed.contains(e.value) || state.inMemory.contains(e.value);
  };
  auto operandsOf = [&](const TileElement &e) {
    SmallVector<TileElement> operands;
    Operation *op = e.value.getDefiningOp();
    if (op && (isPureTileOp(op) || members.contains(op)) && !isReduction(op))
      for (Value operand : tensorsOf(op))
        operands.push_back({operand, {}});
    return operands;
  };
  for (Value root : roots)
    forOperandsFirst({root, {}}, isDone, operandsOf,
                     [&](const TileElement &e) { computed.insert(e.value); });
  return computed;
}

/// Adds to the group's tiles the tensors that it loads or computes and later code needs, starting
/// with the most derived ones: the sources of a stored tensor need not be stored.
void BlockPlanner::keepWhatIsNeeded(Operation *before) {
  if (open.anchors.empty() && open.tiles.empty() && open.carried.empty())
    return;
  llvm::SetVector<Value> computed = computedTensors();
  CostModel costs(state.inMemory, state.affine);
  DenseSet<Value> needed, notNeeded; // among `computed`, and among others
  SmallVector<Value> chosen;
  auto isNeeded = [&](Value value) {
    if (isReadFrom(value, before))
      return true;
    for (Operation *user : value.getUsers())
      if (isPureTensorOp(user))
        for (Value result : user->getResults())
          if (computed.contains(result) ? needed.contains(result)
                                        : isNeededFrom(result, before, notNeeded))
            return true;
    return false;
  };
  for (Value value : llvm::reverse(computed)) {
    Operation *op = value.getDefiningOp();
    if (!op || isReduction(op) || open.tiles.contains(value) || !isNeeded(value))
      continue;
    bool isLoad = isa<tt::LoadOp>(op) && members.contains(op);
    bool worth = isPureTileOp(op) && !isRenaming(op) && costs.cost(value) > kCostOfTile;
    // Stores of another shape must not follow it.
    bool fits = !open.hasStores || shapeOf(value) == ArrayRef(open.shape);
    if (isLoad || (worth && fits))
      open.tiles.insert(value);
    else
      needed.insert(value); // recomputed from its sources
    if (!isLoad && worth && fits)
      chosen.push_back(value);
  }
  // A tensor that is cheap to compute from another tile needs no tile of its own.
  for (Value value : llvm::reverse(chosen)) {
    DenseSet<Value> others = state.inMemory;
    others.insert(open.tiles.begin(), open.tiles.end());
    others.erase(value);
    if (CostModel(others, state.affine).cost(value) <= kCostOfTile / 2)
      open.tiles.remove(value);
  }
}

//===----------------------------------------------------------------------===//
// Tiles by columns
//===----------------------------------------------------------------------===//

/// Returns whether the loads of a tensor have consecutive elements along its last but one
/// dimension.
static bool isLoadedByColumns(Value value) {
  ArrayRef<int64_t> shape = shapeOf(value);
  if (shape.size() < 2 || shape.back() == 1 || shape[shape.size() - 2] == 1)
    return false;
  unsigned rows = shape.size() - 2;
  AffineBuilder trial(nullptr, noScalar, shape);
  bool byColumns = false;
  for (LoadUse &use : collectLoads({{value, identityIndex(shape)}}, [](Value) { return false; })) {
    Value pointer = use.load.getPtr();
    std::optional<AffineForm> form = trial.form(pointer, use.index);
    if (!form || !llvm::is_contained(use.index, rows + 1))
      continue;
    Type element = cast<tt::PointerType>(getElementTypeOrSelf(pointer.getType())).getPointeeType();
    if (form->coefficients[rows + 1].isConstant(elementBytes(element)))
      return false;
    byColumns |= form->coefficients[rows].isConstant(elementBytes(element));
  }
  return byColumns;
}

/// Tensors that only dots read may be stored in the order that dots prefer.
static void findColumnMajor(tt::FuncOp function, FusionPlan &plan) {
  function.getBody().walk([&](tt::DotOp dot) {
    for (OpOperand &use : dot->getOpOperands()) {
      Operation *producer = use.get().getDefiningOp();
      if (isMatrix(use) && producer &&
          (isa<tt::LoadOp>(producer) || Elementwise::handles(producer)) &&
          llvm::all_of(use.get().getUses(), isMatrix) && isLoadedByColumns(use.get()))
        plan.columnMajor.insert(use.get());
    }
  });
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

/// Returns whether an op in a block nested in `block` uses the tensor, also through other tensors.
static bool isUsedInside(Value value, Block *block) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (user->getBlock() != block)
      return true;
    return isRenaming(user) && llvm::any_of(user->getResults(), [&](Value result) {
             return isUsedInside(result, block);
           });
  });
}

/// Finds tensors that are computed in one block, and that ops in nested blocks need in memory or
/// would recompute repeatedly.
static void findNeededInside(tt::FuncOp function, PlanState &state) {
  CostModel costs(state.inMemory, state.affine);
  auto isInner = [](Operation *user, Operation *producer) {
    return user->getBlock() != producer->getBlock();
  };
  function.getBody().walk([&](Operation *op) {
    if (isWholeTileOp(op))
      for (Value value : tensorsInMemory(op))
        if (Operation *producer = value.getDefiningOp();
            producer && isPureTileOp(producer) && isInner(op, producer))
          state.neededInside.insert(value);
    if (!Elementwise::handles(op) || op->getNumResults() != 1 || !isTensor(op->getResult(0)))
      return;
    if (isUsedInside(op->getResult(0), op->getBlock()) &&
        costs.cost(op->getResult(0)) > kCostOfTile)
      state.neededInside.insert(op->getResult(0));
  });
}

/// Returns whether the block may contain tensors, i.e. is not the region of a reduction, scan or
/// map.
static bool holdsTensors(Block *block) {
  return !isa<tt::ReduceOp, tt::ScanOp, tt::MapElementwiseOp>(block->getParentOp());
}

/// Plans a block and the blocks nested in it. Tensors that these store are not available on other
/// paths through the program.
static void planBlock(Block &block, PlanState &state) {
  BlockPlanner(block, state).run();
  for (Operation &op : block)
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        if (holdsTensors(&inner)) {
          DenseSet<Value> before = state.inMemory;
          planBlock(inner, state);
          state.inMemory = std::move(before);
        }
}

FusionPlan tessera::cpu::planFusion(tt::FuncOp function) {
  PlanState state;
  // Tensors that control flow passes on, and constants with different elements, are in memory.
  function.getBody().walk([&](Block *block) {
    if (holdsTensors(block))
      for (Value argument : block->getArguments())
        if (isTensor(argument))
          state.inMemory.insert(argument);
  });
  function.getBody().walk([&](arith::ConstantOp constant) {
    if (isTable(constant))
      state.inMemory.insert(constant);
  });
  findNeededInside(function, state);
  findColumnMajor(function, state.plan);
  for (Block *block : getBlocksSortedByDominance(function.getBody())) {
    DenseSet<Value> before = state.inMemory;
    planBlock(*block, state);
    // Tensors that a block defines are available at all uses; others may not be.
    for (Value value : state.inMemory)
      if (value.getParentBlock() == block)
        before.insert(value);
    state.inMemory = std::move(before);
  }
  return std::move(state.plan);
}

//===----------------------------------------------------------------------===//
// Loads behind a value
//===----------------------------------------------------------------------===//

SmallVector<LoadUse> tessera::cpu::collectLoads(ArrayRef<TileElement> roots,
                                                function_ref<bool(Value)> isReady) {
  DenseMap<TileElement, bool> seen;
  SmallVector<LoadUse> loads;
  auto isDone = [&](const TileElement &element) {
    return !element.value.getDefiningOp() || !isTensor(element.value) || isReady(element.value) ||
           seen.contains(element);
  };
  auto operandsOf = [](const TileElement &element) {
    SmallVector<TileElement> operands = tensorOperands(element);
    if (auto load = element.value.getDefiningOp<tt::LoadOp>())
      for (Value operand : load->getOperands())
        operands.push_back({operand, element.index});
    return operands;
  };
  auto visit = [&](const TileElement &element) {
    seen[element] = true;
    if (auto load = element.value.getDefiningOp<tt::LoadOp>())
      loads.push_back({load, element.index});
  };
  for (const TileElement &root : roots)
    forOperandsFirst(root, isDone, operandsOf, visit);
  return loads;
}
