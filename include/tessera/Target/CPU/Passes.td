//===- Passes.td - the CPU target's passes --------------------------------===//
#ifndef TESSERA_TARGET_CPU_PASSES_TD
#define TESSERA_TARGET_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def CPUCarryOffsets : Pass<"cpu-carry-offsets", "mlir::ModuleOp"> {
  let summary = "carry a scalar offset through loops instead of a tensor of pointers";
  let dependentDialects = ["mlir::arith::ArithDialect", "::tessera::tt::TTDialect"];
}

def CPUFindSortingNetworks : Pass<"cpu-find-sorting-networks", "mlir::ModuleOp"> {
  let summary = "replace the steps of a bitonic sort by one op";
  let dependentDialects = ["::tessera::ttc::TTCDialect"];
}

def CPUMarkVariables : Pass<"cpu-mark-variables", "mlir::ModuleOp"> {
  let summary = "mark the values of the program's variables, for debuggers";
}

def CPUInsertAccessChecks : Pass<"cpu-insert-access-checks", "mlir::ModuleOp"> {
  let summary = "check memory accesses at run time, and execute only safe ones";
  let description = [{
    For --sanitize (docs/sanitizer.md). Every kernel gets the sanitizer as an
    additional argument. Accesses must be through pointers.
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
    Unsupported ops are reported with their location.
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", /*default=*/"\"\"",
           "the processor to lower for; empty for this machine's">,
    Option<"fpFusion", "fp-fusion", "bool", /*default=*/"true",
           "let a*b+c round once">,
    Option<"debugInfo", "debug-info", "bool", /*default=*/"false",
           "emit nops and slots for a debugger's breakpoints and variables">,
    Option<"printRows", "print-rows", "bool", /*default=*/"false",
           "tt.print prints one line, with long tensors shortened">
  ];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

#endif // TESSERA_TARGET_CPU_PASSES_TD
