//===- Passes.td - passes over programs of tiles ---------------*- tablegen -*-//
#ifndef TESSERA_TTIR_TRANSFORMS_PASSES_TD
#define TESSERA_TTIR_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def TTLoopUnroll : Pass<"tt-loop-unroll", "mlir::ModuleOp"> {
  let summary = "repeat a loop's body as often as its tt.loop_unroll_factor says";
  let description = [{
    Loops with `tt.loop_unroll_factor` of two or more do that many iterations in
    one; the iterations that are left over follow in a loop of their own, which
    says `tt.num_stages = 1`: it is too short to be pipelined. A loop known to
    be shorter than its factor is unrolled whole.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

#endif // TESSERA_TTIR_TRANSFORMS_PASSES_TD
