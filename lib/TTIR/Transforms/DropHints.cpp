//===- DropHints.cpp - remove casts that only carry hints -----------------===//
// The frontend casts a loop-carried value to its own type to attach a hint, i.e. what the program
// promises about it (TTHints.h). On targets that do not read hints the cast only hides the op that
// computed an address, so this pass removes it.
//
//   before: %q = tt.bitcast %p {tt.divisibility = dense<16> : tensor<1xi32>} : T -> T
//           tt.load %q
//   after:  tt.load %p
//
// Requires: nothing. Ensures: no tt.bitcast has the type of its operand; other ops keep their
// hints. Cost: one walk.
//===----------------------------------------------------------------------===//
#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/TTIR/Transforms/Passes.h"

using namespace mlir;

namespace tessera {
#define GEN_PASS_DEF_TTDROPHINTS
#include "tessera/TTIR/Transforms/Passes.h.inc"
} // namespace tessera

using namespace tessera;

namespace {
struct DropHints : tessera::impl::TTDropHintsBase<DropHints> {
  using TTDropHintsBase::TTDropHintsBase;

  void runOnOperation() override {
    getOperation()->walk([](tt::BitcastOp cast) {
      if (cast.getSrc().getType() != cast.getType())
        return;
      cast.replaceAllUsesWith(cast.getSrc());
      cast.erase();
    });
  }
};
} // namespace
