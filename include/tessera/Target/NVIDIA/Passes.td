//===- Passes.td - passes for NVIDIA GPUs ----------------------*- tablegen -*-//
#ifndef TESSERA_TARGET_NVIDIA_PASSES_TD
#define TESSERA_TARGET_NVIDIA_PASSES_TD

include "mlir/Pass/PassBase.td"

def NvidiaAccelerateMatmul : Pass<"nvidia-accelerate-matmul", "mlir::ModuleOp"> {
  let summary = "lay products of matrices out for the tensor cores";
  let description = [{
    Gives each tt.dot that the chip has a matrix instruction for the layouts of
    its fragments, shares its tile among warps, and widens fp8 operands that no
    instruction takes. Other products stay as they are: fma computes them.
    The chip is the module's `ttg.target`.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
}

def NvidiaConvertTTGIRToLLIR : Pass<"nvidia-convert-ttgir-to-llir", "mlir::ModuleOp"> {
  let summary = "lower tiles in layouts to scalar code for NVIDIA GPUs";
  let description = [{
    The generic lowering (TTGIRToLLIR) with NVIDIA's registers, accesses and
    math. The chip is the module's `ttg.target`.
  }];
  let options = [Option<"printEveryThread", "print-every-thread", "bool", "false",
                        "tt.print: every thread prints all that it holds">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif // TESSERA_TARGET_NVIDIA_PASSES_TD
