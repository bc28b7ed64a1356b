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
  let options = [Option<"useWgmma", "wgmma", "bool", "true",
                        "use the warp group's instruction where the chip has it">,
                 Option<"maxRegisters", "max-registers", "unsigned", "0",
                        "registers of a thread; 0: as many as all threads can have">];
  let dependentDialects = ["::tessera::ttg::TTGDialect", "::tessera::ttng::TTNGDialect"];
}

def NvidiaPromoteLoads : Pass<"nvidia-promote-loads", "mlir::ModuleOp"> {
  let summary = "load tiles for wgmma through tensor maps instead of pointers";
  let description = [{
    A load of a tile that wgmma reads from shared memory becomes a load through a descriptor, if
    its addresses and mask are those of a box of a tensor whose address, sizes and strides are
    known at launch, and the kernel does not write that memory. Loads through descriptors also if
    these are only known in the kernel, which then makes the map, for several products.
  }];
  let options = [Option<"makesMaps", "makes-maps", "bool", "true",
                        "whether kernels may make tensor maps themselves">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tessera::ttg::TTGDialect"];
}

def NvidiaLowerDescriptorLoads : Pass<"nvidia-lower-descriptor-loads", "mlir::ModuleOp"> {
  let summary = "copy tiles that no loop copies ahead, and wait for them";
  let description = [{
    Loads through descriptors that ttg-pipeline left become a tensor copy into the buffer that
    a dot reads, and a wait for it.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tessera::ttng::TTNGDialect"];
}

def NvidiaPromoteStores : Pass<"nvidia-promote-stores", "mlir::ModuleOp"> {
  let summary = "store tiles through tensor maps";
  let description = [{
    A store through a descriptor of a tile whose values pass through shared memory becomes a tensor
    copy out of a buffer, which runs on beside later work. Such a copy writes whole steps of 16
    bytes where rows end, a negative coordinate is an illegal instruction, and no map describes a
    tensor without elements (an H200 does this; copies into shared memory have no such limits). The
    kernel therefore tests what is not proven: starts are not negative, extents are positive, and
    the tile's rows end in the tensor or at a multiple of 16 bytes. Other tiles are stored by the
    threads, out of the buffer.
  }];
  let options = [Option<"maxSharedBytes", "max-shared-bytes", "uint64_t", "0",
                        "shared memory of a CTA; 0 for no limit">,
                 Option<"freeSharedBytes", "free-shared-bytes", "uint64_t", "0",
                        "shared memory that does not change how many CTAs fit on an SM">,
                 Option<"makesMaps", "makes-maps", "bool", "true",
                        "whether kernels may make tensor maps themselves">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tessera::ttg::TTGDialect",
                           "::tessera::ttng::TTNGDialect"];
}

def NvidiaOverlapDots : Pass<"nvidia-overlap-dots", "mlir::ModuleOp"> {
  let summary = "let wgmma run beside other work, and wait for it where it must be over";
  let description = [{
    Makes dots of warp groups in loops asynchronous and places their waits: before the
    first use of a result, or, for a sum that the loop carries, in the next iteration.
  }];
  let dependentDialects = ["::tessera::ttng::TTNGDialect"];
}

def NvidiaHoistDescriptors : Pass<"nvidia-hoist-descriptors", "mlir::ModuleOp"> {
  let summary = "let the launcher build tensor maps";
  let description = [{
    Replaces each tt.make_tensor_descriptor with a shared encoding whose operands are functions of
    the kernel's arguments by an argument of the kernel with a recipe (tt.tensor_map). Equal
    recipes share an argument. Other descriptors stay, and the kernel makes their maps.
  }];
}

def NvidiaSpecializeWarps : Pass<"nvidia-specialize-warps", "mlir::ModuleOp"> {
  let summary = "let warps of their own start the copies of tiles";
  let description = [{
    A kernel whose loops copy tiles into rings of slots gets another warp group, which executes the
    kernel's control flow and starts the copies (ttg.warp_specialize); the other warps compute.
  }];
  let options = [Option<"maxSharedBytes", "max-shared-bytes", "uint64_t", "0",
                        "shared memory of a CTA; 0 for no limit">,
                 Option<"registersAreLimited", "registers-are-limited", "bool", "false",
                        "a thread begins with fewer registers than there are for the CTA's threads">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::tessera::ttg::TTGDialect"];
}

def NvidiaAlternateDots : Pass<"nvidia-alternate-dots", "mlir::ModuleOp"> {
  let summary = "let two warp groups take turns with products";
  let description = [{
    In loops with work between two products, one warp group computes while the products of the
    other run (ttng.pass_turn, ttng.await_turn).
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect", "::tessera::ttng::TTNGDialect"];
}

def NvidiaBranchWarpRoles : Pass<"nvidia-branch-warp-roles", "mlir::ModuleOp"> {
  let summary = "branch to the code of each group of warps";
  let description = [{
    Replaces ttg.warp_specialize by a barrier of all warps and branches on the warp's number.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::tessera::ttng::TTNGDialect"];
}

def NvidiaMakeTensorMaps : Pass<"nvidia-make-tensor-maps", "mlir::ModuleOp"> {
  let summary = "make the tensor maps of descriptors in global memory";
  let description = [{
    Replaces each tt.make_tensor_descriptor with a shared encoding by ops that write a tensor map
    to the CTA's scratch memory.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tessera::ttg::TTGDialect",
                           "::tessera::ttng::TTNGDialect"];
}

def NvidiaFenceAsync : Pass<"nvidia-fence-async", "mlir::ModuleOp"> {
  let summary = "make writes to shared memory visible to wgmma";
  let description = [{
    Puts a proxy fence in front of the barriers that order threads' writes to shared memory
    before the reads of asynchronous units.
  }];
  let dependentDialects = ["::tessera::ttng::TTNGDialect"];
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
