//===- Passes.td - passes over programs of tiles ---------------*- tablegen -*-//
#ifndef TESSERA_TTIR_TRANSFORMS_PASSES_TD
#define TESSERA_TTIR_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def TTInliner : Pass<"tt-inliner", "mlir::ModuleOp"> {
  let summary = "replace calls by what they call";
  let description = [{
    All calls but those of functions with `noinline = true`. Private functions
    whose last call is inlined are removed; ops say where they were called from.
  }];
  let options = [Option<"everything", "everything", "bool", "false",
                        "functions with noinline = true, too">];
  let dependentDialects = ["::tessera::tt::TTDialect"];
}

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
  let options = [Option<"hasFloatExtrema", "float-extrema", "bool", "false",
                        "the target has atomic maxima and minima of floats">,
                 Option<"narrowIndices", "narrow-indices", "bool", "false",
                        "compare 32-bit indices with sizes, for targets with 32-bit registers">,
                 Option<"hints", "hints", "bool", "false",
                        "say by hints what descriptors promise of their bases and strides">];
  let dependentDialects = ["::tessera::tt::TTDialect", "::mlir::arith::ArithDialect",
                           "::mlir::ub::UBDialect"];
}

def TTCanonicalizer : Pass<"tt-canonicalizer", "mlir::ModuleOp"> {
  let summary = "one form of each thing";
  let description = [{
    As `canonicalize`, in fewer rounds, and without losing the location of
    constants.
  }];
  let dependentDialects = ["::tessera::tt::TTDialect"];
}

def TTCombine : Pass<"tt-combine", "mlir::ModuleOp"> {
  let summary = "let one op do what two ops do";
  let description = [{
    Sums become a dot's accumulator, chains of `tt.addptr` one, selects the
    `other` of a masked load; sums of broadcast products become dots; reshapes
    vanish into descriptor loads, or may reorder where nobody sees the order.
  }];
  let dependentDialects = ["::tessera::tt::TTDialect"];
}

def TTReorderBroadcast : Pass<"tt-reorder-broadcast", "mlir::ModuleOp"> {
  let summary = "compute before values are repeated";
  let description = [{
    Elementwise ops on splats become ops on scalars, elementwise ops on
    broadcasts ops on what is broadcast; the splat or broadcast follows.
  }];
  let dependentDialects = ["::tessera::tt::TTDialect"];
}

def TTLoopInvariantCodeMotion : Pass<"tt-loop-invariant-code-motion", "mlir::ModuleOp"> {
  let summary = "move out of loops what each iteration would repeat";
  let description = [{
    As `loop-invariant-code-motion`, and loads: out of loops that do not write,
    with a mask that says whether the loop runs. Loops with `disable_licm` keep
    their body.
  }];
  let dependentDialects = ["::tessera::tt::TTDialect"];
}

def TTLoopAwareCSE : Pass<"tt-loop-aware-cse", "mlir::ModuleOp"> {
  let summary = "common subexpressions, also of what loops carry";
  let description = [{
    Values that a loop carries are one where they begin alike and change alike;
    those that do not change are no longer carried. Then as `cse`.
  }];
}

def TTDropHints : Pass<"tt-drop-hints", "mlir::ModuleOp"> {
  let summary = "remove casts that only carry hints";
  let description = [{
    For targets that do not read hints. Casts of values to their own type, by
    which the frontend says what a program promises of them, disappear.
  }];
  let dependentDialects = ["::tessera::tt::TTDialect"];
}

def TTSymbolDCE : Pass<"tt-symbol-dce", "mlir::ModuleOp"> {
  let summary = "remove functions that no kernel reaches";
  let description = "As `symbol-dce`, for tt.func and tt.call.";
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
