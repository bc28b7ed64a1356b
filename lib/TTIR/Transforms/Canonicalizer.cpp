//===- Canonicalizer.cpp - folds and canonicalization patterns in one sweep -===//
// Folds constants and applies every op's canonicalization patterns, as MLIR's own `canonicalize`
// does: it removes masks that are always true, +0 on pointers, branches on constants, and dead ops.
//
//   before: %c = arith.constant 0 : i32 ; %q = tt.addptr %p, %c ; tt.load %q
//   after:  tt.load %p
//
// MLIR's pass visits all ops until nothing changes, so at least twice. This pass visits all ops
// only in the first iteration, and revisits at once the ops that a change may affect. Ops with
// regions are the exception, because they depend on their bodies; later iterations start with them.
// Functions of several blocks are left to MLIR's driver, which also removes blocks.
//
// Constants are merged and moved to the start of the function, with the location of the first use.
// (MLIR gives merged constants an unknown location.)
//
// Requires: nothing. Ensures: values are unchanged; every op has a location.
// Cost: linear in practice.
//===----------------------------------------------------------------------===//
#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/TTIR/Transforms/Passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTCANONICALIZER
#include "tessera/TTIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;
using namespace tessera::tt;

/// More iterations than this mean that two patterns undo each other.
static constexpr int kMaxRounds = 10;

namespace {
struct Canonicalizer : tessera::impl::TTCanonicalizerBase<Canonicalizer> {
  using TTCanonicalizerBase::TTCanonicalizerBase;
  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override;

private:
  void simplify(FuncOp function);
  std::shared_ptr<const FrozenRewritePatternSet> patterns;
};

/// The control flow of a function, which decides how it is simplified.
struct Structure {
  explicit Structure(FuncOp function);
  bool hasBranches = false;                // between blocks
  SmallVector<Operation *> controlFlowOps; // loops and branches with regions
};
} // namespace

LogicalResult Canonicalizer::initialize(MLIRContext *context) {
  RewritePatternSet all(context);
  for (Dialect *dialect : context->getLoadedDialects())
    dialect->getCanonicalizationPatterns(all);
  for (RegisteredOperationName op : context->getRegisteredOperations())
    op.getCanonicalizationPatterns(all, context);
  patterns = std::make_shared<FrozenRewritePatternSet>(std::move(all));
  return success();
}

Structure::Structure(FuncOp function) {
  function.walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      hasBranches |= !region.empty() && !region.hasOneBlock();
    if (isa<RegionBranchOpInterface>(op))
      controlFlowOps.push_back(op);
  });
}

/// Merges constants and moves them to the start of the function. Returns whether any left a region.
static bool gatherConstants(FuncOp function) {
  SmallVector<std::pair<Operation *, Attribute>> constants;
  function.walk([&](Operation *op) {
    Attribute value;
    if (op->getNumOperands() == 0 && matchPattern(op, m_Constant(&value)))
      constants.push_back({op, value});
  });
  IRRewriter rewriter(function.getContext());
  Block &entry = function.getBody().front();
  Block::iterator place = entry.begin();
  DenseMap<std::pair<Attribute, Type>, Operation *> first;
  bool anyLeft = false;
  for (auto [op, value] : constants) {
    anyLeft |= op->getBlock() != &entry;
    bool isInPlace = place != entry.end() && &*place == op;
    if (isInPlace)
      ++place;
    // A constant that carries a hint is not merged with others.
    bool isPlain = op->getDiscardableAttrDictionary().empty();
    Operation *same =
        isPlain ? first.try_emplace({value, op->getResult(0).getType()}, op).first->second : op;
    if (same != op && same->getName() == op->getName())
      rewriter.replaceOp(op, same);
    else if (!isInPlace)
      rewriter.moveOpBefore(op, &entry, place);
  }
  return anyLeft;
}

void Canonicalizer::simplify(FuncOp function) {
  // The traversal is bottom up, so that dead ops are erased before they are simplified.
  GreedyRewriteConfig config;
  config.enableConstantCSE(false);
  if (Structure(function).hasBranches) {
    (void)applyPatternsGreedily(function, *patterns, config);
    return;
  }
  config.setMaxIterations(1).setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  bool changed = false;
  (void)applyPatternsGreedily(function, *patterns, config, &changed);
  for (int round = 1; round < kMaxRounds; ++round) {
    // A branch that yields constants can become a select once the constants are outside of it.
    changed |= gatherConstants(function);
    if (!changed)
      return;
    SmallVector<Operation *> roots = Structure(function).controlFlowOps;
    if (roots.empty())
      return;
    config.setScope(&function.getBody());
    (void)applyOpPatternsGreedily(roots, *patterns, config, &changed);
  }
}

void Canonicalizer::runOnOperation() {
  for (auto function : getOperation().getOps<FuncOp>()) {
    if (function.isExternal())
      continue;
    simplify(function);
    (void)gatherConstants(function);
  }
}
