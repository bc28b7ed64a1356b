//===- Passes.td - passes for AMD GPUs -------------------------*- tablegen -*-//
#ifndef TESSERA_TARGET_AMD_PASSES_TD
#define TESSERA_TARGET_AMD_PASSES_TD

include "mlir/Pass/PassBase.td"

def AmdConvertTTGIRToLLIR : Pass<"amd-convert-ttgir-to-llir", "mlir::ModuleOp"> {
  let summary = "lower tiles in layouts to scalar code for AMD GPUs";
  let description = [{
    The generic lowering (TTGIRToLLIR) with AMD's registers, accesses and math.
    The chip is the module's `ttg.target`.
  }];
  let options = [Option<"printEveryThread", "print-every-thread", "bool", "false",
                        "tt.print: every thread prints all that it holds">,
                 Option<"flushDenormals", "flush-denormals", "bool", "false",
                        "f32 operations may flush subnormal numbers to zero">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // TESSERA_TARGET_AMD_PASSES_TD
