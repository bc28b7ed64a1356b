//===- Passes.td - passes for AMD GPUs -------------------------*- tablegen -*-//
#ifndef TESSERA_TARGET_AMD_PASSES_TD
#define TESSERA_TARGET_AMD_PASSES_TD

include "mlir/Pass/PassBase.td"

def AmdAccelerateMatmul : Pass<"amd-accelerate-matmul", "mlir::ModuleOp"> {
  let summary = "compute dots with matrix instructions (MFMA, WMMA)";
  let description = [{
    Gives each tt.dot that a matrix instruction of the chip can compute the layouts of its
    fragments. Types that no instruction takes are converted in registers; other dots stay with
    multiply-adds. The chip is the module's `ttg.target`.
  }];
  let options = [Option<"nonKDim", "matrix-instr-nonkdim", "unsigned", "0",
                        "rows and columns of the instruction: 16 or 32; 0 chooses">,
                 Option<"kpack", "kpack", "unsigned", "1",
                        "the operands of at least this many instructions lie together in a lane">];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
}

def AmdConvertToBufferOps : Pass<"amd-convert-to-buffer-ops", "mlir::ModuleOp"> {
  let summary = "access small tensors by buffer descriptors and 32-bit offsets";
  let description = [{
    Loads and stores whose pointers all come from one kernel argument with `tt.pointer_range = 32`
    (the launch promises that its tensor is smaller than 2 GiB) become amdg.buffer_load and
    amdg.buffer_store at offsets from the argument. Loops carry these offsets.
  }];
  let dependentDialects = ["::tessera::amdg::AMDGDialect", "::mlir::arith::ArithDialect"];
}

def AmdSinkCarriedLoads : Pass<"amd-sink-carried-loads", "mlir::ModuleOp"> {
  let summary = "load ahead into the registers that the iteration has finished with";
  let description = [{
    In a loop that carries loaded values to its next iteration, the next load moves behind the last
    use of the values of this one, so that both can have the same registers. It passes arithmetic
    and accesses to shared memory only, and no dot, in whose time it is under way. Loops with several dots stay as they are.
  }];
}

def AmdFoldUniformMasks : Pass<"amd-fold-uniform-masks", "mlir::ModuleOp"> {
  let summary = "put a condition that all threads share into the bound of a mask";
  let description = [{
    A mask that is a comparison with a scalar bound, and a scalar condition, becomes the comparison
    with a bound that the condition chooses: false for every element where the condition is false.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tessera::tt::TTDialect"];
}

def AmdReplaceTritonOps : Pass<"amd-replace-triton-ops", "mlir::ModuleOp"> {
  let summary = "replace ops that only Triton's passes write";
  let description = [{
    Atomics at offsets from one pointer become tt.atomic_rmw and tt.atomic_cas, copies to shared
    memory become a load and a store, and the schedule of warps that take turns is dropped: all
    warps of a program run alike.
  }];
  let dependentDialects = ["::tessera::amdg::AMDGDialect", "::tessera::ttg::TTGDialect",
                           "::mlir::gpu::GPUDialect"];
}

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
