//===- SymbolDCE.cpp - remove unreachable functions ----------------------===//
//   before: tt.func public @kernel() { tt.return }
//           tt.func private @unused() { tt.return }
//   after:  tt.func public @kernel() { tt.return }
//
// Like MLIR's `symbol-dce`, which searches all attributes of all ops for symbols; in TTIR only
// tt.call refers to a function.
//
// Requires: nothing. Ensures: every private function is reachable through calls from a public one.
// Cost: one walk.
//===----------------------------------------------------------------------===//
#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/TTIR/Transforms/Passes.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTSYMBOLDCE
#include "tessera/TTIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;
using namespace tessera::tt;

namespace {
struct SymbolDCE : tessera::impl::TTSymbolDCEBase<SymbolDCE> {
  using TTSymbolDCEBase::TTSymbolDCEBase;
  void runOnOperation() override;
};
} // namespace

/// Returns the public functions and all functions reachable from them.
static DenseSet<Operation *> findReachable(ArrayRef<FuncOp> functions) {
  DenseMap<StringAttr, FuncOp> byName;
  SmallVector<FuncOp> worklist;
  for (FuncOp function : functions) {
    byName[function.getSymNameAttr()] = function;
    if (!function.isPrivate())
      worklist.push_back(function);
  }
  DenseSet<Operation *> reachable(worklist.begin(), worklist.end());
  while (!worklist.empty())
    worklist.pop_back_val().walk([&](CallOp call) {
      FuncOp callee = byName.lookup(call.getCalleeAttr().getAttr());
      if (callee && reachable.insert(callee).second)
        worklist.push_back(callee);
    });
  return reachable;
}

void SymbolDCE::runOnOperation() {
  SmallVector<FuncOp> functions(getOperation().getOps<FuncOp>());
  if (llvm::none_of(functions, [](FuncOp function) { return function.isPrivate(); }))
    return;
  DenseSet<Operation *> reachable = findReachable(functions);
  for (FuncOp function : functions)
    if (!reachable.contains(function))
      function.erase();
}
