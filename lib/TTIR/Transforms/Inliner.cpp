//===- Inliner.cpp - calls become what they call --------------------------===//
//   before: tt.func public @kernel(%x) { %r = tt.call @square(%x) ... }
//           tt.func private @square(%a) { %m = arith.mulf %a, %a ; tt.return %m }
//   after:  tt.func public @kernel(%x) { %m = arith.mulf %x, %x ... }
//
// Functions are completed callees first, so that each call is inlined once. The
// last call of a private function takes its body rather than a copy, and the
// function is gone. Blocks that can be one become one on the way. Inlined ops
// say where they were written and where they were called:
// loc(callsite("square" at "kernel")).
//
// Stays a call: a callee that says `noinline = true` (unless asked for
// everything), that has no body, that
// calls itself, or that has several blocks where only one fits (in loops and
// branches).
//
// A body of one block, which is what our frontend writes, goes to the call op by
// op; others go MLIR's way (`inlineCall`, with the dialect's interface). MLIR's own
// pass searches all attributes of all ops for symbols, again for each function;
// that took longer than all other passes of make_ttir. Here only tt.call names one.
//
// Requires: nothing. Ensures: values are unchanged, or an error for what would
// grow beyond all measure. Cost: the size of the program before and after.
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

/// A function of more operations than this is a mistake: one that calls another twice,
/// which calls another twice, and so on, has no end.
static constexpr uint64_t kMaxOps = 1 << 18;

namespace {
struct CallInliner : tessera::impl::TTInlinerBase<CallInliner> {
  using TTInlinerBase::TTInlinerBase;
  void runOnOperation() override;
};

/// Who calls whom.
struct Calls {
  explicit Calls(ModuleOp module);
  /// Each function after those that it calls, where they do not call each other.
  SmallVector<FuncOp> calleesFirst();
  FuncOp calleeOf(CallOp call) const { return functions.lookup(call.getCalleeAttr().getAttr()); }

  llvm::MapVector<StringAttr, FuncOp> functions;
  DenseMap<Operation *, SmallVector<CallOp>> callsIn;
  DenseMap<Operation *, unsigned> callsOf; // how many
  DenseMap<Operation *, uint64_t> opsIn;   // how many
};

/// What may be inlined where; the dialect answers for calls and returns.
struct InlineRules : InlinerInterface {
  using InlinerInterface::InlinerInterface;
  using InlinerInterface::isLegalToInline;
  /// Loops and branches have room for one block.
  bool isLegalToInline(Region *into, Region *body, bool, IRMapping &) const final {
    return body->hasOneBlock() || !into->getParentOp()->hasTrait<::mlir::OpTrait::SingleBlock>();
  }
  /// Any op may move, also one whose dialect says nothing (llvm.intr.assume, gpu.barrier).
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
  // A function, and how many of its calls have been looked at: chains may be long.
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

/// Removes blocks that nobody reaches (after a `return`), and joins each with the only
/// one that it goes on to: a body of one block fits everywhere.
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

/// `own` as seen from the caller. A chain of calls grows at its outer end.
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

/// Says of the op, and of what is in it, where the call was.
static void stackLocations(Operation *root, Location caller,
                           DenseMap<Attribute, LocationAttr> &known) {
  root->walk([&](Operation *op) {
    op->setLoc(stacked(op->getLoc(), caller, known));
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        argument.setLoc(stacked(argument.getLoc(), caller, known));
  });
}

/// Copies or moves a body of one block in front of the call, op by op. Nothing behind the
/// call moves (MLIR's way splits the block there), so that thousands of calls in a block
/// cost no more than their bodies.
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

/// Copies or moves the body of `callee` to where `call` is; false where that cannot be.
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
      // A callee that is not complete calls this function.
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
