//===- Passes.td - passes of the null target -------------------*- tablegen -*-//
#ifndef TESSERA_TEST_TARGETS_NULL_PASSES_TD
#define TESSERA_TEST_TARGETS_NULL_PASSES_TD

include "mlir/Pass/PassBase.td"

def NullConvertTTGIRToLLIR : Pass<"null-convert-ttgir-to-llir", "mlir::ModuleOp"> {
  let summary = "lower tiles in layouts to scalar code for the null target";
  let description = [{
    The generic lowering (TTGIRToLLIR) on a target without instructions of its own: what
    hardware differs in becomes a call of a function `null.*`. Any `ttg.target` will do.
  }];
  let options = [Option<"printEveryThread", "print-every-thread", "bool", "false",
                        "tt.print: every thread prints all that it holds">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // TESSERA_TEST_TARGETS_NULL_PASSES_TD
