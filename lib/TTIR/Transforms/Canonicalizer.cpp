//===- Canonicalizer.cpp - one form of each thing -------------------------===//
// Folds constants and applies every op's canonical patterns, as MLIR's own
// `canonicalize` does: masks that are always true, +0 on pointers, branches on
// constants, what nobody uses.
//
//   before: %c = arith.constant 0 : i32 ; %q = tt.addptr %p, %c ; tt.load %q
//   after:  tt.load %p
//
// That pass goes over all ops until nothing changes, so at least twice. Here the
// first round is the only one over all ops: what a change may affect is looked
// at again at once. The exceptions are ops with regions, which depend on what is
// inside; later rounds begin there. Functions of several blocks go MLIR's way,
// which also removes blocks.
//
// Constants go to the head of the function, each once, and say where the first
// of them was needed. (MLIR leaves those that several places share without a
// location.)
//
// Requires: nothing. Ensures: values are unchanged; every op keeps a location.
// Cost: linear, mostly.
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

/// More rounds than this mean that two patterns undo each other.
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

/// What decides how a function is simplified.
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

/// Moves constants to the head of the function, each once; whether any left a region.
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
    // A constant of which a program promises something is not like the others.
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
  // Bottom up: what nobody uses goes before it is simplified.
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
    // A branch that yields constants is a select once they are outside of it.
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
