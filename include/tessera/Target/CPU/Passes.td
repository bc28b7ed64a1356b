//===- Passes.td - the CPU target's passes --------------------------------===//
#ifndef TESSERA_TARGET_CPU_PASSES_TD
#define TESSERA_TARGET_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def CarryOffsets : Pass<"cpu-carry-offsets", "mlir::ModuleOp"> {
  let summary = "carry a scalar through loops instead of a tensor that moves as a whole";
  let dependentDialects = ["mlir::arith::ArithDialect", "::tessera::tt::TTDialect"];
}

def ConvertTTIRToLLVM : Pass<"convert-ttir-to-cpu-llvm", "mlir::ModuleOp"> {
  let summary = "lower kernels to LLVM functions that run ranges of programs";
  let description = [{
    Every public `tt.func` becomes an `llvm.func` that loops over programs
    (include/tessera/Target/CPU/CPUTarget.h gives its signature); tensor
    accesses become fused loop nests over tiles. Calls must have been inlined.
    What the target cannot do is reported with the op and its place.
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", /*default=*/"\"\"",
           "the processor to lower for; empty for this machine's">,
    Option<"fpFusion", "fp-fusion", "bool", /*default=*/"true",
           "let a*b+c round once">
  ];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

#endif // TESSERA_TARGET_CPU_PASSES_TD
