//===- Passes.td - passes over tiles in layouts ----------------*- tablegen -*-//
#ifndef TESSERA_TTGIR_TRANSFORMS_PASSES_TD
#define TESSERA_TTGIR_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def TTGCoalesce : Pass<"ttg-coalesce", "mlir::ModuleOp"> {
  let summary = "lay accesses out so that threads touch consecutive addresses";
  let description = [{
    Gives each load, store and atomic through pointers the blocked layout in
    which one thread moves as many neighbours as an instruction can, and the
    threads of a warp continue where it ends. Accesses that feed each other share a layout.
    Operands and results are converted; ttg-remove-layout-conversions spreads
    the choice.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
  let options = [Option<"maxVectorBits", "max-vector-bits", "unsigned", "128",
                        "bits that one thread moves at once at most">,
                 Option<"maxAtomicBits", "max-atomic-bits", "unsigned", "32",
                        "bits of floats that one thread adds to memory at once at most">];
}

def TTGPlanCTA : Pass<"ttg-plan-cta", "mlir::ModuleOp"> {
  let summary = "decide how the thread blocks of a cluster share tensors";
  let description = [{
    Reductions, scans, gathers and histograms happen within a block: their
    operands are converted to layouts that blocks split along other dimensions,
    or that every block has whole. For num_ctas > 1; else nothing changes.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
}

def TTGRemoveLayoutConversions : Pass<"ttg-remove-layout-conversions", "mlir::ModuleOp"> {
  let summary = "compute values in the layout in which they are needed";
  let description = [{
    Accesses and dots keep their layouts; all other ops get those with which the
    least data is moved, weighted by loops. Then what a conversion would still
    move is recomputed wherever that costs less: index arithmetic, masks and
    pointers, also around loops.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
}

def TTGFuseNestedLoops : Pass<"ttg-fuse-nested-loops", "mlir::ModuleOp"> {
  let summary = "make one loop of a loop in a loop that says tt.flatten";
  let description = [{
    Fuses a loop with `tt.flatten` with the one loop in its body, so that ttg-pipeline
    starts the loads of the next outer iteration before this one's epilogue. Declines,
    with a remark, where the fused loop could not be pipelined.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect"];
  let options = [
    Option<"numStages", "num-stages", "unsigned", "3",
           "of the pipeline, for loops that do not say it themselves">];
}

def TTGAssignLatencies : Pass<"ttg-assign-latencies", "mlir::ModuleOp"> {
  let summary = "say which loads of a loop start rounds before their use";
  let description = [{
    Writes `tt.latency` on loads that dots of a loop depend on, also through other
    loads' addresses, and on all loads of a loop that says `tt.num_stages`. They must be
    fit for asynchronous copies, or small enough to wait in registers.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
  let options = [
    Option<"numStages", "num-stages", "unsigned", "3",
           "tiles under way or in use, for loops that do not say it themselves">,
    Option<"maxSharedBytes", "max-shared-bytes", "uint64_t", "0",
           "shared memory that one loop's buffers may take; 0 for no limit">,
    Option<"maxRegisters", "max-registers", "unsigned", "160",
           "of a thread, for what a loop carries and loads that cannot go to shared memory">,
    Option<"minCopyBytes", "min-copy-bytes", "unsigned", "4",
           "that one asynchronous copy moves at least">,
    Option<"maxCopyBytes", "max-copy-bytes", "unsigned", "16", "and at most">];
}

def TTGScheduleLoops : Pass<"ttg-schedule-loops", "mlir::ModuleOp"> {
  let summary = "say which stage of a pipelined loop runs each op";
  let description = [{
    Turns `tt.latency` into `loop.stage` and `loop.cluster` on all ops of the loop, and
    writes `tt.scheduled_max_stage` onto it.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
}

def TTGPipeline : Pass<"ttg-pipeline", "mlir::ModuleOp"> {
  let summary = "overlap a loop's loads with its work";
  let description = [{
    Gives the loads of scheduled loops several tiles in shared memory, filled by
    asynchronous copies, and runs the stages of consecutive iterations side by side:
    a prologue, and a loop whose last rounds are masked.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
  let options = [
    Option<"minCopyBytes", "min-copy-bytes", "unsigned", "4",
           "that one asynchronous copy moves at least">,
    Option<"maxCopyBytes", "max-copy-bytes", "unsigned", "16", "and at most">];
}

def TTGPrefetch : Pass<"ttg-prefetch", "mlir::ModuleOp"> {
  let summary = "read a dot's first operands one iteration early";
  let description = [{
    In loops that ttg-pipeline has made: cuts the dot along K, and moves the wait for the
    next tile, its barrier and the reads of its first piece before the last piece's dot.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
  let options = [
    Option<"maxRegisters", "max-registers", "unsigned", "220",
           "of a thread, for sums, operands and addresses; the rest is for everything else">];
}

def TTGOptimizeThreadLocality : Pass<"ttg-optimize-thread-locality", "mlir::ModuleOp"> {
  let summary = "let threads add up on their own, and exchange what they have once";
  let description = [{
    Where a loop combines the reduction of a tile with a total that it carries,
    each thread carries a total of what it holds; threads exchange theirs after
    the loop.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect", "::mlir::arith::ArithDialect"];
}

def TTGAssignAccessWidth : Pass<"ttg-assign-access-width", "mlir::ModuleOp"> {
  let summary = "say how many elements each load and store moves at once";
  let description = [{
    Writes `ttg.access = array<i32: dim, width>` on loads and stores whose
    pointers are consecutive and aligned, and whose mask is constant, for
    `width` elements that one thread holds along `dim`; and
    `ttg.equal_registers` on comparisons with the same result in several
    registers of a thread.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
  let options = [Option<"maxVectorBits", "max-vector-bits", "unsigned", "128",
                        "bits that one thread moves at once at most">];
}

def TTGAllocateSharedMemory : Pass<"ttg-allocate-shared-memory", "mlir::ModuleOp"> {
  let summary = "decide who uses which bytes of shared memory";
  let description = [{
    Gives each buffer, and each op that exchanges values between threads, a place
    (`allocation.offset`) and writes the total onto the module (`ttg.shared`).
    What is never in use at the same time may share bytes.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
  let options = [Option<"maxBytes", "max-bytes", "unsigned", "0",
                        "bytes that one block may use; 0: no limit">,
                 Option<"chip", "chip", "std::string", "", "whose limit that is, for messages">];
}

def TTGAllocateGlobalScratch : Pass<"ttg-allocate-global-scratch", "mlir::ModuleOp"> {
  let summary = "give ttg.global_scratch_alloc places in the memory that the launcher provides";
  let description = [{
    Writes `ttg.global_scratch_memory_offset` on each op, and the size and the
    alignment of a block's part on the module.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
}

def TTGCombineTensorSelectAndIf
    : Pass<"ttg-combine-tensor-select-and-if", "mlir::ModuleOp"> {
  let summary = "let a branch choose the tensor that a select on its condition chooses";
  let description = [{
    arith.select of tensors with the scalar condition of an scf.if in the same
    block becomes a further result of the scf.if.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def TTGInsertBarriers : Pass<"ttg-insert-barriers", "mlir::ModuleOp"> {
  let summary = "make threads wait before they touch each other's data in shared memory";
  let description = [{
    Puts `ttg.local_barrier` between accesses to the same bytes of shared memory
    of which one writes. Needs allocated shared memory and control flow as
    branches.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
}

def TTGOutlineFunctions : Pass<"ttg-outline-functions", "mlir::ModuleOp"> {
  let summary = "make functions of the regions of reductions, scans and maps";
  let description = [{
    A region of more than one op becomes a private function of scalars that it
    calls, and a reduction whose function commutes says so (`ttg.commutes`).
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
}

def TTGAssignPackGroups : Pass<"ttg-assign-pack-groups", "mlir::ModuleOp"> {
  let summary = "choose the elements that packed assembly takes at once";
  let description = [{
    Writes onto tt.elementwise_inline_asm with `packed_element` > 1 which elements share a
    statement: those that lie side by side in the memory that its operand was loaded from.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
}

def TTGPackElements : Pass<"ttg-pack-elements", "mlir::ModuleOp"> {
  let summary = "let a thread hold the elements that a packed function takes at once";
  let description = [{
    Converts the operands of tt.map_elementwise with `pack` > 1 to a layout in
    which a thread holds `pack` elements in a row, where theirs does not; and those of
    packed assembly to one in which it holds the group that `ttg.pack` names.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
}

def TTGDecomposeScaledDot : Pass<"ttg-decompose-scaled-dot", "mlir::ModuleOp"> {
  let summary = "widen and scale the operands of scaled products";
  let description = [{
    Turns tt.dot_scaled into tt.dot of operands that were multiplied by their
    scales, in the cheapest type in which that is exact. Runs before there are
    layouts.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tessera::ttg::TTGDialect"];
}

def TTGF32DotTC : Pass<"ttg-f32-dot-tc", "mlir::ModuleOp"> {
  let summary = "compute f32 products as sums of narrow ones";
  let description = [{
    Expands tt.dot with inputPrecision tf32x3, bf16x3 or bf16x6 into three or
    six products of tf32 or bf16.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def TTGOrderGlobalAccesses : Pass<"ttg-order-global-accesses", "mlir::ModuleOp"> {
  let summary = "let a program read back what it stored";
  let description = [{
    Puts a barrier in front of a load from the addresses of an earlier store of
    the same program, where other threads load than stored.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

def TTGBufferDotOperands : Pass<"ttg-buffer-dot-operands", "mlir::ModuleOp"> {
  let summary = "read operands of matrix units from buffers, slice by slice";
  let description = [{
    Replaces layout conversions through shared memory that feed a matrix unit by a
    buffer and matrix loads; re-reads operands that a loop does not change where
    the loop lacks registers for them.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
  let options = [Option<"maxSharedBytes", "max-shared-bytes", "unsigned", "101376",
                        "shared memory that all buffers of the kernel may have">,
                 Option<"maxRegisters", "max-registers", "unsigned", "192",
                        "32-bit registers of a thread that a loop may hold tensors in">];
}

def TTGSliceFmaDots : Pass<"ttg-slice-fma-dots", "mlir::ModuleOp"> {
  let summary = "walk along K of products that no matrix unit computes";
  let description = [{
    Puts operands of which a thread would hold too many elements into shared
    memory, and computes the product in a loop over slices of K.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::tessera::ttg::TTGDialect"];
  let options = [Option<"maxSharedBytes", "max-shared-bytes", "unsigned", "101376",
                        "shared memory that all buffers of the kernel may have">];
}

#endif // TESSERA_TTGIR_TRANSFORMS_PASSES_TD
