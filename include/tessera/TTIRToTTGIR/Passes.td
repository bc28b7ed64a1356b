//===- Passes.td - from tiles to tiles in layouts --------------*- tablegen -*-//
#ifndef TESSERA_TTIRTOTTGIR_PASSES_TD
#define TESSERA_TTIRTOTTGIR_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertTTIRToTTGIR : Pass<"convert-ttir-to-ttgir", "mlir::ModuleOp"> {
  let summary = "give every tensor a layout";
  let description = [{
    Attaches the machine's shape (warps, threads per warp, CTAs, target) to the module
    and gives every tensor the default blocked layout of its shape. If an op relates
    the layouts of differently shaped tensors (expand_dims, broadcast), its operand is
    converted. Later passes
    choose better layouts.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
  let options = [
    Option<"target", "target", "std::string", "\"\"", "the value of `ttg.target`">,
    Option<"numWarps", "num-warps", "unsigned", "4", "warps per CTA">,
    Option<"threadsPerWarp", "threads-per-warp", "unsigned", "32", "threads per warp">,
    Option<"numCTAs", "num-ctas", "unsigned", "1", "CTAs per program">
  ];
}

#endif // TESSERA_TTIRTOTTGIR_PASSES_TD
