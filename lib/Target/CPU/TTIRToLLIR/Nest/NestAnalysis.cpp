//===- NestAnalysis.cpp - accesses, merged loops and vectors of a nest ----===//
// The part of NestEmitter that decides: which accesses a nest has and what is known about them,
// which loops are merged, and which loop is vectorised at which width. Cost: linear in the ops that
// the nest computes.
//===----------------------------------------------------------------------===//
#include "NestEmitter.h"
#include "tessera/Support/Remarks.h"
#include "mlir/IR/TypeUtilities.h"
#include "../Plan/FusionPlan.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;

static SmallVector<TileElement> rootsOf(const Nest &nest) {
  SmallVector<TileElement> roots;
  TileIndex index = identityIndex(nest.shape);
  for (auto [value, tile] : nest.outputs)
    roots.push_back({value, index});
  for (tt::StoreOp store : nest.stores)
    for (Value operand : store->getOperands())
      roots.push_back({operand, index});
  for (const Reduction &reduction : nest.reductions)
    for (Value operand : reduction.op->getOperands())
      roots.push_back({operand, index});
  return roots;
}

/// Intersects the bounds that masks give for each loop.
static void fillBox(LaneBuilder &b, NestAccess &access, unsigned loops) {
  access.box.resize(loops);
  for (const LoopBound &bound : access.mask.bounds) {
    auto &[begin, end] = access.box[bound.loop];
    begin = begin ? b.signedMax(begin, bound.begin) : bound.begin;
    end = end ? b.signedMin(end, bound.end) : bound.end;
  }
}

void NestEmitter::analyze(AffineBuilder *affine, AffineBuilder::ScalarLookup scalars) {
  auto isReady = [&](Value value) { return context.hasTile(value); };
  SmallVector<LoadUse> loads = collectLoads(rootsOf(nest), isReady);
  AffineBuilder trial(nullptr, scalars, nest.shape);
  auto add = [&](Operation *op, const TileIndex &index, Value mask) {
    NestAccess access{op, index, std::nullopt, {}, {}};
    if (affine)
      access.mask = affine->mask(mask, index);
    else if (mask)
      access.mask.rest.push_back({mask, index});
    // Guards are kept only if the whole address is affine.
    if (affine && trial.form(op->getOperand(0), index))
      access.address = affine->form(op->getOperand(0), index);
    fillBox(b, access, nest.shape.size());
    accesses.push_back(std::move(access));
  };
  for (LoadUse &use : loads)
    add(use.load, use.index, use.load.getMask());
  for (tt::StoreOp store : nest.stores)
    add(store, accessIndex(store), store.getMask());
  llvm::sort(accesses, [](const NestAccess &x, const NestAccess &y) {
    return x.op->getBlock() == y.op->getBlock() && x.op->isBeforeInBlock(y.op);
  });
  for (const NestAccess &access : accesses)
    if (!access.isStore())
      evaluator.addLoad(access);
}

/// Returns the loops that index a tensor, in the order of its tile; -1 for a dimension that no loop
/// indexes, across which loops cannot be merged.
static SmallVector<int> walkOf(const KernelContext &context, const TileElement &element) {
  SmallVector<int> walk;
  for (auto [loop, extent] : llvm::zip(element.index, shapeOf(element.value)))
    if (extent != 1)
      walk.push_back(loop < 0 ? -1 : loop);
  if (context.isColumnMajor(element.value) && walk.size() > 1)
    std::swap(walk[walk.size() - 1], walk[walk.size() - 2]);
  return walk;
}

/// Merges two loops, one right inside the other, if all accesses of the nest traverse them
/// together: they become one loop over the elements of both. The outer index stays 0.
void NestEmitter::mergeLoops() {
  SmallVector<SmallVector<int>> walks;
  DenseSet<TileElement> seen;
  auto operandsOf = [&](const TileElement &element) {
    if (context.hasTile(element.value))
      return SmallVector<TileElement>();
    SmallVector<TileElement> operands = tensorOperands(element);
    if (auto load = element.value.getDefiningOp<tt::LoadOp>())
      for (Value operand : load->getOperands())
        operands.push_back({operand, element.index});
    return operands;
  };
  auto addWalks = [&](const TileElement &root, auto operandsOf) {
    forOperandsFirst(
        root, [&](const TileElement &e) { return seen.contains(e); }, operandsOf,
        [&](const TileElement &e) {
          seen.insert(e);
          walks.push_back(walkOf(context, e));
        });
  };
  // Addresses and masks that are affine in the loop indices are computed from these, even if a part
  // of them is stored in a tile.
  for (const NestAccess &access : accesses) {
    if (access.address)
      addWalks({access.op->getOperand(0), access.index}, tensorOperands);
    for (Value operand : access.op->getOperands())
      if (!access.mask.bounds.empty() && getElementTypeOrSelf(operand.getType()).isInteger(1))
        addWalks({operand, access.index}, tensorOperands);
  }
  for (const TileElement &root : rootsOf(nest))
    addWalks(root, operandsOf);
  auto walksBoth = [](ArrayRef<int> walk, int outer, int inner) {
    auto at = llvm::find(walk, outer);
    if (at == walk.end())
      return !llvm::is_contained(walk, inner);
    return at + 1 != walk.end() && *(at + 1) == inner;
  };
  auto isReduced = [&](int loop) {
    return llvm::any_of(nest.reductions,
                        [&](Reduction reduction) { return int(reduction.op.getAxis()) == loop; });
  };
  int outer = -1;
  for (int loop = 0; loop < int(nest.shape.size()); ++loop) {
    if (nest.shape[loop] == 1)
      continue;
    bool together =
        outer >= 0 && !isReduced(outer) && !isReduced(loop) &&
        llvm::all_of(walks, [&](ArrayRef<int> walk) { return walksBoth(walk, outer, loop); });
    if (together) {
      loops.extents[loop] *= loops.extents[outer];
      loops.extents[outer] = 1;
      loops.indices[outer] = b.i64(0);
    }
    outer = loop;
  }
}

static void explainVectors(Location loc, ArrayRef<NestAccess> accesses, const NestLoops &loops,
                           unsigned bits) {
  constexpr llvm::StringLiteral pass = "cpu-convert-ttir-to-llir";
  unsigned loop = loops.vectorLoop;
  decided(loc, pass, "vectors")
      .says("the loop over dim {0} takes vectors of {1} lanes", loop, loops.lanes)
      .because("the widest type has {0} bits", bits)
      .number("lanes", loops.lanes)
      .number("dim", loop);
  for (const NestAccess &access : accesses)
    if (llvm::is_contained(access.index, loop) && !access.isConsecutive(loop))
      declined(access.op, pass, "vectors")
          .says("{0} elements one by one",
                access.isStore() ? "tt.store scatters its" : "tt.load gathers its")
          .because("they are not known to be consecutive along dim {0}", loop);
}

/// Chooses the vector loop: the loop along which most accesses are consecutive (the last of
/// equals). The vector width follows from the widest type in the computation.
void NestEmitter::chooseVectors() {
  int best = -1, bestCount = -1;
  for (unsigned loop = 0; loop < nest.shape.size(); ++loop) {
    if (loops.extents[loop] == 1)
      continue;
    int count = llvm::count_if(
        accesses, [&](const NestAccess &access) { return access.isConsecutive(loop); });
    if (count >= bestCount) {
      best = loop;
      bestCount = count;
    }
  }
  for (unsigned loop = 0; loop < nest.shape.size(); ++loop)
    if (loops.extents[loop] > 1 && static_cast<int>(loop) != best)
      order.push_back(loop);
  if (best >= 0) {
    order.push_back(best);
    unsigned bits = 32;
    bool simple = true; // only plain vector accesses, so two registers are processed per iteration
    for (const NestAccess &access : accesses) {
      bits = std::max(bits, 8 * elementBytes(access.pointee()));
      simple &= access.isConsecutive(best) || !llvm::is_contained(access.index, best);
    }
    auto consider = [&](Value value) {
      bits = std::max(bits, 8 * elementBytes(getElementTypeOrSelf(value.getType())));
    };
    for (auto [value, tile] : nest.outputs)
      consider(value);
    for (const Reduction &reduction : nest.reductions)
      llvm::for_each(reduction.op->getOperands(), consider);
    unsigned lanes = context.spec.vectorBits / bits * (simple ? 2 : 1);
    loops.vectorLoop = best;
    loops.prefetchesAhead = loops.extents[best] * (bits / 8) >= 4096;
    loops.lanes = static_cast<unsigned>(std::min<int64_t>(lanes, loops.extents[best]));
    explainVectors(loc, accesses, loops, bits);
  }
}
