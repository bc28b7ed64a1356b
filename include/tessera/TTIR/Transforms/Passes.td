//===- Passes.td - passes over programs of tiles ---------------*- tablegen -*-//
#ifndef TESSERA_TTIR_TRANSFORMS_PASSES_TD
#define TESSERA_TTIR_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def TTRewriteTensorPointer : Pass<"tt-rewrite-tensor-pointer", "mlir::ModuleOp"> {
  let summary = "turn block pointers into pointers, masks and padding";
  let description = [{
    Takes block pointers apart into base, sizes, strides and offsets, through
    loops, branches and calls. Loads and stores through them get a pointer per
    element, a mask for the dimensions in `boundaryCheck`, and `padding` as
    `other`. Other loads and stores are left alone.
  }];
  let dependentDialects = ["::tessera::tt::TTDialect", "::mlir::arith::ArithDialect",
                           "::mlir::ub::UBDialect"];
}

def TTRewriteTensorDescriptorToPointer
    : Pass<"tt-rewrite-tensor-descriptor-to-pointer", "mlir::ModuleOp"> {
  let summary = "turn tensor descriptors into pointers, masks and padding";
  let description = [{
    For targets without a TMA engine. Takes descriptors apart into base, sizes,
    strides and padding, through loops, branches, calls and kernel arguments.
    Their loads, stores, gathers and scatters become plain ones that check every
    dimension; their reductions become atomics.
  }];
  let dependentDialects = ["::tessera::tt::TTDialect", "::mlir::arith::ArithDialect",
                           "::mlir::ub::UBDialect"];
}

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
