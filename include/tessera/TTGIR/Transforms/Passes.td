//===- Passes.td - passes over tiles in layouts ----------------*- tablegen -*-//
#ifndef TESSERA_TTGIR_TRANSFORMS_PASSES_TD
#define TESSERA_TTGIR_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def TTGCoalesce : Pass<"ttg-coalesce", "mlir::ModuleOp"> {
  let summary = "lay accesses out so that threads touch consecutive addresses";
  let description = [{
    Gives each load and store through pointers the blocked layout in which one
    thread moves as many neighbours as an instruction can, and the threads of a
    warp continue where it ends. Accesses that feed each other share a layout.
    Operands and results are converted; ttg-remove-layout-conversions spreads
    the choice.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
  let options = [Option<"maxVectorBits", "max-vector-bits", "unsigned", "128",
                        "bits that one thread moves at once at most">];
}

def TTGRemoveLayoutConversions : Pass<"ttg-remove-layout-conversions", "mlir::ModuleOp"> {
  let summary = "compute values in the layout in which they are needed";
  let description = [{
    Moves conversions down past elementwise ops where that merges them, then
    recomputes what a conversion would move wherever that costs less: index
    arithmetic, masks and pointers, also around loops.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
}

def TTGAssignAccessWidth : Pass<"ttg-assign-access-width", "mlir::ModuleOp"> {
  let summary = "say how many elements each load and store moves at once";
  let description = [{
    Writes `ttg.access = array<i32: dim, width>` on loads and stores whose
    pointers are consecutive and aligned, and whose mask is constant, for
    `width` elements that one thread holds along `dim`.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
  let options = [Option<"maxVectorBits", "max-vector-bits", "unsigned", "128",
                        "bits that one thread moves at once at most">];
}

def TTGAllocateSharedMemory : Pass<"ttg-allocate-shared-memory", "mlir::ModuleOp"> {
  let summary = "decide who uses which bytes of shared memory";
  let description = [{
    Gives each layout conversion that leaves its thread a scratch buffer
    (`allocation.offset`) and writes the total onto the module (`ttg.shared`).
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
}

#endif // TESSERA_TTGIR_TRANSFORMS_PASSES_TD
