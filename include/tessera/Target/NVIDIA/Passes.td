//===- Passes.td - passes for NVIDIA GPUs ----------------------*- tablegen -*-//
#ifndef TESSERA_TARGET_NVIDIA_PASSES_TD
#define TESSERA_TARGET_NVIDIA_PASSES_TD

include "mlir/Pass/PassBase.td"

def NvidiaConvertTTGIRToLLIR : Pass<"nvidia-convert-ttgir-to-llir", "mlir::ModuleOp"> {
  let summary = "lower tiles in layouts to scalar code for NVIDIA GPUs";
  let description = [{
    The generic lowering (TTGIRToLLIR) with NVIDIA's registers, accesses and
    math. The chip is the module's `ttg.target`.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif // TESSERA_TARGET_NVIDIA_PASSES_TD
