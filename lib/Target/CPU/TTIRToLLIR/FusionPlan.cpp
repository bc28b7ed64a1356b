//===- FusionPlan.cpp - which accesses share a loop nest ------------------===//
// See FusionPlan.h. One walk over each block with one open group.
// Cost: quadratic in the accesses of a group, which are few.
//===----------------------------------------------------------------------===//
#include "FusionPlan.h"
#include "AffineForm.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;

SmallVector<Value> tessera::cpu::carriedTensors(Operation *op) {
  SmallVector<Value> carried;
  if (isa<scf::ForOp, scf::YieldOp>(op))
    llvm::copy_if(op->getOperands(), std::back_inserter(carried), isTensor);
  return carried;
}

static Value pointerOf(Operation *access) { return access->getOperand(0); }

static bool isTileAccess(Operation *op) {
  return isa<tt::LoadOp, tt::StoreOp>(op) && isTensor(pointerOf(op));
}

static bool isAffine(Value pointer) {
  ArrayRef<int64_t> shape = shapeOf(pointer);
  auto noScalars = [](Value) { return Value(); };
  AffineBuilder trial(nullptr, noScalars, shape);
  return trial.form(pointer, identityIndex(shape)).has_value();
}

/// Whether the two may run element by element if a run-time test says so.
static bool canFuse(Operation *a, Operation *b) {
  if (isa<tt::LoadOp>(a) && isa<tt::LoadOp>(b))
    return true;
  return isAffine(pointerOf(a)) && isAffine(pointerOf(b));
}

namespace {
class BlockPlanner {
public:
  BlockPlanner(Block &block, FusionPlan &plan) : block(block), plan(plan) {}
  void run();

private:
  void addAccess(Operation *access);
  void close(Operation *before);
  void closeAndCarry(Operation *before);
  bool isNeededOutside(tt::LoadOp load);
  bool dependsOnOpenLoad(Operation *op);

  Block &block;
  FusionPlan &plan;
  FusedGroup open;
  SmallPtrSet<Operation *, 8> members; // of `open`
};
} // namespace

void BlockPlanner::run() {
  for (Operation &op : block) {
    if (isTileAccess(&op)) {
      addAccess(&op);
      continue;
    }
    if (op.hasTrait<OpTrait::IsTerminator>() || op.getNumRegions() > 0) {
      closeAndCarry(&op);
      continue;
    }
    // A scalar load only has to stay behind earlier stores.
    if (isa<tt::LoadOp>(op)) {
      if (open.hasStores())
        close(&op);
      continue;
    }
    if (!isMemoryEffectFree(&op) || (!isPureTileOp(&op) && dependsOnOpenLoad(&op)))
      close(&op);
  }
}

void BlockPlanner::addAccess(Operation *access) {
  ArrayRef<int64_t> shape = shapeOf(pointerOf(access));
  bool sameShape = !open.hasStores() || shape == ArrayRef(open.shape);
  bool fuses =
      llvm::all_of(open.accesses, [&](Operation *other) { return canFuse(other, access); });
  if (!sameShape || !fuses)
    close(access);
  if (isa<tt::StoreOp>(access))
    open.shape.assign(shape.begin(), shape.end());
  open.accesses.push_back(access);
  members.insert(access);
}

void BlockPlanner::closeAndCarry(Operation *before) {
  SmallVector<Value> carried = carriedTensors(before);
  if (carried.empty())
    return close(before);
  // Carried tensors of another shape than the stores' need a nest after them,
  // and loads must not wait for it.
  bool fits = !open.hasStores() || llvm::all_of(carried, [&](Value value) {
    return shapeOf(value) == ArrayRef(open.shape);
  });
  if (!fits)
    close(before);
  open.carried = std::move(carried);
  members.insert(before);
  close(before);
}

void BlockPlanner::close(Operation *before) {
  for (Operation *access : open.accesses)
    if (auto load = dyn_cast<tt::LoadOp>(access); load && isNeededOutside(load))
      open.tiles.push_back(load);
  if (open.hasStores() || !open.tiles.empty() || !open.carried.empty())
    plan.before[before].push_back(std::move(open));
  open = {};
  members.clear();
}

bool BlockPlanner::isNeededOutside(tt::LoadOp load) {
  SmallVector<Operation *> work(load->getUsers());
  SmallPtrSet<Operation *, 16> seen;
  while (!work.empty()) {
    Operation *user = work.pop_back_val();
    if (!seen.insert(user).second || members.contains(user))
      continue;
    if (!isPureTileOp(user) || user->getNumResults() != 1 || !isTensor(user->getResult(0)))
      return true;
    llvm::append_range(work, user->getUsers());
  }
  return false;
}

bool BlockPlanner::dependsOnOpenLoad(Operation *op) {
  SmallVector<Value> work(op->getOperands());
  SmallPtrSet<Operation *, 16> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *producer = value.getDefiningOp();
    if (!producer || !isTensor(value) || !seen.insert(producer).second)
      continue;
    if (members.contains(producer))
      return true;
    if (isPureTileOp(producer))
      llvm::append_range(work, producer->getOperands());
  }
  return false;
}

FusionPlan tessera::cpu::planFusion(tt::FuncOp function) {
  FusionPlan plan;
  function.walk([&](Block *block) { BlockPlanner(*block, plan).run(); });
  return plan;
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
