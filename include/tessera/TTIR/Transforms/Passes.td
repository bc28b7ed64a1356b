//===- Passes.td - passes over programs of tiles ---------------*- tablegen -*-//
#ifndef TESSERA_TTIR_TRANSFORMS_PASSES_TD
#define TESSERA_TTIR_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def TTInliner : Pass<"tt-inliner", "mlir::ModuleOp"> {
  let summary = "inline calls of device functions";
  let description = [{
    Inlines all calls except of functions with `noinline = true`. Private functions
    whose last call is inlined are removed; locations of inlined ops contain the
    call site.
  }];
  let options = [Option<"everything", "everything", "bool", "false",
                        "inline functions with noinline = true too">];
  let dependentDialects = ["::tessera::tt::TTDialect"];
}

def TTRewriteTensorPointer : Pass<"tt-rewrite-tensor-pointer", "mlir::ModuleOp"> {
  let summary = "turn block pointers into pointers, masks and padding";
  let description = [{
    Splits block pointers into base, sizes, strides and offsets, through loops,
    branches and calls. Loads and stores through them get a pointer per
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
    For targets without a TMA engine. Splits descriptors into base, sizes, strides
    and padding, through loops, branches, calls and kernel arguments. Their loads,
    stores, gathers and scatters become plain ones whose masks check every
    dimension; their reductions become atomics.
  }];
  let options = [Option<"hasFloatExtrema", "float-extrema", "bool", "false",
                        "the target has atomic maxima and minima of floats">,
                 Option<"narrowIndices", "narrow-indices", "bool", "false",
                        "compare 32-bit indices with sizes, for targets with 32-bit registers">,
                 Option<"hints", "hints", "bool", "false",
                        "attach hints about the divisibility of descriptors' bases and strides">,
                 Option<"markAccesses", "mark-accesses", "bool", "false",
                        "mark loads and stores of blocks, for targets that can make tensor maps again">];
  let dependentDialects = ["::tessera::tt::TTDialect", "::mlir::arith::ArithDialect",
                           "::mlir::ub::UBDialect"];
}

def TTCanonicalizer : Pass<"tt-canonicalizer", "mlir::ModuleOp"> {
  let summary = "fold constants and canonicalize ops";
  let description = [{
    Like `canonicalize`, in fewer iterations, and constants keep a location.
  }];
  let dependentDialects = ["::tessera::tt::TTDialect"];
}

def TTCombine : Pass<"tt-combine", "mlir::ModuleOp"> {
  let summary = "replace two ops by one";
  let description = [{
    Sums become a dot's accumulator, chains of `tt.addptr` become one, selects
    become the `other` of a masked load, and sums of broadcast products become dots.
    Reshapes are folded into descriptor loads, or may reorder elements if their
    users do not depend on the order.
  }];
  let dependentDialects = ["::tessera::tt::TTDialect"];
}

def TTFlattenBranches : Pass<"tt-flatten-branches", "mlir::ModuleOp"> {
  let summary = "turn small branches into selects";
  let description = [{
    Branches outside of loops that compute at most one op for each element of
    their results become selects: of numbers, if one side adjusts the other's
    value by a number, else of tensors.
  }];
  let dependentDialects = ["::tessera::tt::TTDialect", "::mlir::arith::ArithDialect"];
}

def TTReorderBroadcast : Pass<"tt-reorder-broadcast", "mlir::ModuleOp"> {
  let summary = "move elementwise ops before broadcasts";
  let description = [{
    Elementwise ops on splats become ops on scalars, and elementwise ops on
    broadcasts become ops on the smaller tensors; the splat or broadcast follows.
  }];
  let dependentDialects = ["::tessera::tt::TTDialect"];
}

def TTLoopInvariantCodeMotion : Pass<"tt-loop-invariant-code-motion", "mlir::ModuleOp"> {
  let summary = "hoist loop-invariant ops and loads";
  let description = [{
    As `loop-invariant-code-motion`, and loads: out of loops that do not write,
    with a mask that says whether the loop runs. Loops with `disable_licm` keep
    their body.
  }];
  let dependentDialects = ["::tessera::tt::TTDialect"];
}

def TTLoopAwareCSE : Pass<"tt-loop-aware-cse", "mlir::ModuleOp"> {
  let summary = "CSE that also merges equal loop-carried values";
  let description = [{
    Merges loop-carried values that start with the same value and change alike;
    loop-invariant ones are no longer carried. Then runs `cse`.
  }];
}

def TTDropHints : Pass<"tt-drop-hints", "mlir::ModuleOp"> {
  let summary = "remove casts that only carry hints";
  let description = [{
    For targets that do not read hints. Removes casts of values to their own type,
    to which the frontend attaches hints.
  }];
  let dependentDialects = ["::tessera::tt::TTDialect"];
}

def TTSymbolDCE : Pass<"tt-symbol-dce", "mlir::ModuleOp"> {
  let summary = "remove unreachable functions";
  let description = "Like `symbol-dce`, for tt.func and tt.call.";
}

def TTLoopUnroll : Pass<"tt-loop-unroll", "mlir::ModuleOp"> {
  let summary = "unroll loops by tt.loop_unroll_factor";
  let description = [{
    Unrolls loops with a `tt.loop_unroll_factor` of two or more. The remaining
    iterations follow in a loop with `tt.num_stages = 1`, because it is too short to
    be pipelined. A loop whose trip count is smaller than its factor is unrolled
    completely.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TTVerifyPhase : Pass<"tt-verify-phase", "mlir::ModuleOp"> {
  let summary = "check which ops and types a phase of a pipeline leaves";
  let description = [{
    The postcondition of a pipeline's phase. Fails with an error at the first op that
    `forbidden-ops` names, whose dialect `dialects` does not list (if it lists any), or
    that defines a value of a type which `forbidden-types` names: `block-pointer`,
    `descriptor`, `tensor` or `tensor-without-layout`. Cost: one walk.
  }];
  let options = [Option<"phase", "phase", "std::string", "\"\"", "the phase, for messages">,
                 ListOption<"forbiddenOps", "forbidden-ops", "std::string",
                            "ops that the phase removes, such as tt.advance">,
                 ListOption<"forbiddenTypes", "forbidden-types", "std::string",
                            "types that the phase removes">,
                 ListOption<"dialects", "dialects", "std::string",
                            "the only dialects that the phase leaves">];
}

#endif // TESSERA_TTIR_TRANSFORMS_PASSES_TD
