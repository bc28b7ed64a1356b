//===- Inliner.cpp - inline calls of device functions --------------------===//
//   before: tt.func public @kernel(%x) { %r = tt.call @square(%x) ... }
//           tt.func private @square(%a) { %m = arith.mulf %a, %a ; tt.return %m }
//   after:  tt.func public @kernel(%x) { %m = arith.mulf %x, %x ... }
//
// Callees are completed before their callers, so that each call is inlined once. The last call of a
// private function takes its body instead of a copy, and the function is erased. Blocks with a
// single predecessor are merged on the way. Inlined ops have locations of the call site as well:
// loc(callsite("square" at "kernel")).
//
// A call is not inlined if the callee has `noinline = true` (unless `everything` is set), has no
// body, is recursive, or has several blocks where only one is allowed (in loops and branches).
//
// A body of one block, which is what our frontend creates, is inlined op by op; other bodies are
// inlined by MLIR's `inlineCall` with the dialect's interface. MLIR's own inliner pass searches all
// attributes of all ops for symbols, again for each function; that took longer than all other
// passes of make_ttir. In TTIR only tt.call refers to a function.
//
// Requires: nothing. Ensures: values are unchanged; programs whose size would explode are rejected
// with an error. Cost: the size of the program before and after.
//===----------------------------------------------------------------------===//
#include "tessera/Support/Unsupported.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/TTIR/Transforms/Passes.h"

#include "mlir/Transforms/Inliner.h"
#include "mlir/Transforms/InliningUtils.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTINLINER
#include "tessera/TTIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;
using namespace tessera::tt;

/// The limit on the operations of a function. If each function calls the next one twice, inlining
/// grows exponentially, and a larger result is taken for such a mistake.
static constexpr uint64_t kMaxOps = 1 << 18;

namespace {
struct CallInliner : tessera::impl::TTInlinerBase<CallInliner> {
  using TTInlinerBase::TTInlinerBase;
  void runOnOperation() override;
};

/// The call graph.
struct Calls {
  explicit Calls(ModuleOp module);
  /// Returns the functions with callees before callers, except in recursive cycles.
  SmallVector<FuncOp> calleesFirst();
  FuncOp calleeOf(CallOp call) const { return functions.lookup(call.getCalleeAttr().getAttr()); }

  llvm::MapVector<StringAttr, FuncOp> functions;
  DenseMap<Operation *, SmallVector<CallOp>> callsIn;
  DenseMap<Operation *, unsigned> callsOf; // the number of calls of each function
  DenseMap<Operation *, uint64_t> opsIn;   // the number of ops in each function
};

/// Decides what may be inlined where; the dialect's interface handles calls and returns.
struct InlineRules : InlinerInterface {
  using InlinerInterface::InlinerInterface;
  using InlinerInterface::isLegalToInline;
  /// The regions of loops and branches hold a single block.
  bool isLegalToInline(Region *into, Region *body, bool, IRMapping &) const final {
    return body->hasOneBlock() || !into->getParentOp()->hasTrait<::mlir::OpTrait::SingleBlock>();
  }
  /// Any op may be inlined, including ops of dialects without an interface (llvm.intr.assume,
  /// gpu.barrier).
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};
} // namespace

//===----------------------------------------------------------------------===//
// Deciding
//===----------------------------------------------------------------------===//

Calls::Calls(ModuleOp module) {
  for (auto function : module.getOps<FuncOp>())
    functions.insert({function.getSymNameAttr(), function});
  for (auto &[name, function] : functions)
    function.walk([&](Operation *op) {
      ++opsIn[function];
      auto call = dyn_cast<CallOp>(op);
      if (FuncOp callee = call ? calleeOf(call) : FuncOp()) {
        callsIn[function].push_back(call);
        ++callsOf[callee];
      }
    });
}

SmallVector<FuncOp> Calls::calleesFirst() {
  SmallVector<FuncOp> order;
  DenseSet<Operation *> seen;
  // A stack of functions with the number of calls already visited; recursion could overflow on long
  // chains.
  SmallVector<std::pair<FuncOp, size_t>> open;
  for (auto &[name, root] : functions) {
    if (seen.insert(root).second)
      open.push_back({root, 0});
    while (!open.empty()) {
      auto &[function, next] = open.back();
      ArrayRef<CallOp> calls = callsIn[function];
      if (next == calls.size()) {
        order.push_back(function);
        open.pop_back();
        continue;
      }
      FuncOp callee = calleeOf(calls[next++]);
      if (seen.insert(callee).second)
        open.push_back({callee, 0});
    }
  }
  return order;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// Removes unreachable blocks (after a `return`) and merges each block with its only successor if
/// it is that block's only predecessor: a body of one block can be inlined everywhere.
static void straighten(FuncOp function) {
  Region &body = function.getBody();
  if (body.empty() || body.hasOneBlock())
    return;
  IRRewriter rewriter(function.getContext());
  (void)eraseUnreachableBlocks(rewriter, body);
  for (Block &block : body)
    while (auto branch = dyn_cast<cf::BranchOp>(block.getTerminator())) {
      Block *next = branch.getDest();
      if (next->getSinglePredecessor() != &block || next == &block)
        break;
      SmallVector<Value> arguments(branch.getDestOperands());
      rewriter.eraseOp(branch);
      rewriter.mergeBlocks(next, &block, arguments);
    }
}

/// Returns the location `own` with the call site `caller` added at its outer end.
static LocationAttr stacked(LocationAttr own, Location caller,
                            DenseMap<Attribute, LocationAttr> &known) {
  if (LocationAttr location = known.lookup(own))
    return location;
  auto site = dyn_cast<CallSiteLoc>(own);
  LocationAttr location =
      site ? CallSiteLoc::get(site.getCallee(), Location(stacked(site.getCaller(), caller, known)))
           : CallSiteLoc::get(Location(own), caller);
  known[own] = location;
  return location;
}

/// Adds the call site to the locations of the op and of all ops inside it.
static void stackLocations(Operation *root, Location caller,
                           DenseMap<Attribute, LocationAttr> &known) {
  root->walk([&](Operation *op) {
    op->setLoc(stacked(op->getLoc(), caller, known));
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        argument.setLoc(stacked(argument.getLoc(), caller, known));
  });
}

/// Copies or moves a body of one block in front of the call, op by op. Ops after the call do not
/// move (MLIR's inliner splits the block there), so the cost of thousands of calls in one block is
/// only that of their bodies.
static bool inlineBlock(CallOp call, Region &body, bool isLastCall) {
  if (!body.hasOneBlock())
    return false;
  Block &block = body.front();
  auto end = dyn_cast<ReturnOp>(block.getTerminator());
  if (!end || !llvm::equal(call.getOperandTypes(), block.getArgumentTypes()) ||
      !llvm::equal(call.getResultTypes(), end.getOperandTypes()))
    return false;
  OpBuilder builder(call);
  IRMapping mapping;
  DenseMap<Attribute, LocationAttr> known;
  for (auto [argument, operand] : llvm::zip_equal(block.getArguments(), call.getOperands())) {
    mapping.map(argument, operand);
    if (isLastCall)
      argument.replaceAllUsesWith(operand);
  }
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
    if (isLastCall)
      op.moveBefore(call);
    stackLocations(isLastCall ? &op : builder.clone(op, mapping), call.getLoc(), known);
  }
  for (auto [result, value] : llvm::zip_equal(call.getResults(), end.getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(value));
  return true;
}

/// Copies or moves the body of `callee` to `call`; returns false if that is not possible.
static bool inlineOne(CallOp call, FuncOp callee, bool isLastCall, InlineRules &interface) {
  Region *body = callee.getCallableRegion();
  if (!body || !interface.isLegalToInline(call, callee, /*wouldBeCloned=*/!isLastCall))
    return false;
  if (!inlineBlock(call, *body, isLastCall) &&
      failed(inlineCall(interface, InlinerConfig().getCloneCallback(), call, callee, body,
                        /*shouldCloneInlinedRegion=*/!isLastCall)))
    return false;
  call.erase();
  return true;
}

void CallInliner::runOnOperation() {
  if (everything)
    for (auto function : getOperation().getOps<FuncOp>())
      function->setAttr(kNoInlineAttr, BoolAttr::get(&getContext(), false));
  Calls graph(getOperation());
  InlineRules interface(&getContext());
  DenseSet<Operation *> complete;
  for (FuncOp function : graph.calleesFirst()) {
    for (CallOp call : graph.callsIn.lookup(function)) {
      FuncOp callee = graph.calleeOf(call);
      // A callee that is not complete yet is part of a recursive cycle.
      if (!complete.contains(callee))
        continue;
      if (graph.opsIn[function] + graph.opsIn[callee] > kMaxOps && !callee.isNoInline()) {
        emitUnsupported(call) << "more than " << kMaxOps << " operations in '" << function.getName()
                              << "' once '" << callee.getName()
                              << "' is inlined; use noinline=True";
        return signalPassFailure();
      }
      unsigned &callsLeft = graph.callsOf[callee];
      bool isLastCall = callsLeft == 1 && callee.isPrivate();
      if (!inlineOne(call, callee, isLastCall, interface))
        continue;
      --callsLeft;
      graph.opsIn[function] += graph.opsIn[callee];
      if (isLastCall)
        callee.erase();
    }
    straighten(function);
    complete.insert(function);
  }
}
