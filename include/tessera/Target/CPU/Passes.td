//===- Passes.td - the CPU target's passes --------------------------------===//
#ifndef TESSERA_TARGET_CPU_PASSES_TD
#define TESSERA_TARGET_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def CPUCarryOffsets : Pass<"cpu-carry-offsets", "mlir::ModuleOp"> {
  let summary = "carry a scalar through loops instead of a tensor that moves as a whole";
  let dependentDialects = ["mlir::arith::ArithDialect", "::tessera::tt::TTDialect"];
}

def CPUFindSortingNetworks : Pass<"cpu-find-sorting-networks", "mlir::ModuleOp"> {
  let summary = "make one op of the steps of a bitonic sort";
  let dependentDialects = ["::tessera::ttc::TTCDialect"];
}

def CPUMarkVariables : Pass<"cpu-mark-variables", "mlir::ModuleOp"> {
  let summary = "say which values the program's variables hold, for debuggers";
}

def CPUInsertAccessChecks : Pass<"cpu-insert-access-checks", "mlir::ModuleOp"> {
  let summary = "check every access to memory at run time, and do only what is safe";
  let description = [{
    For --sanitize (docs/sanitizer.md). Every kernel takes the sanitizer as one
    more argument. Accesses must be through pointers.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::scf::SCFDialect",
                           "::tessera::tt::TTDialect", "::tessera::ttc::TTCDialect"];
}

def CPUConvertTTIRToLLIR : Pass<"cpu-convert-ttir-to-llir", "mlir::ModuleOp"> {
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
           "let a*b+c round once">,
    Option<"debugInfo", "debug-info", "bool", /*default=*/"false",
           "keep lines and variables where a debugger finds them">
  ];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

#endif // TESSERA_TARGET_CPU_PASSES_TD
