//===- Passes.td - passes over tiles in layouts ----------------*- tablegen -*-//
#ifndef TESSERA_TTGIR_TRANSFORMS_PASSES_TD
#define TESSERA_TTGIR_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def TTGCoalesce : Pass<"ttg-coalesce", "mlir::ModuleOp"> {
  let summary = "choose layouts for coalesced memory accesses";
  let description = [{
    Gives each load, store and atomic through pointers the blocked layout in
    which one thread moves as many adjacent elements as an instruction can, and the
    threads of a warp continue where it ends. Accesses that are connected by dataflow
    share a layout. Operands and results are converted; ttg-remove-layout-conversions
    propagates the choice.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
  let options = [Option<"maxVectorBits", "max-vector-bits", "unsigned", "128",
                        "the widest access of a thread, in bits">,
                 Option<"maxAtomicBits", "max-atomic-bits", "unsigned", "32",
                        "the widest atomic float addition of a thread, in bits">];
}

def TTGPlanCTA : Pass<"ttg-plan-cta", "mlir::ModuleOp"> {
  let summary = "decide how the CTAs of a cluster split tensors";
  let description = [{
    Reductions, scans, gathers and histograms must not cross CTAs: their operands are
    converted to layouts that split other dimensions, or that replicate the tensor in
    every CTA. Changes nothing unless num_ctas > 1.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
}

def TTGRemoveLayoutConversions : Pass<"ttg-remove-layout-conversions", "mlir::ModuleOp"> {
  let summary = "choose layouts with the least data movement";
  let description = [{
    Accesses and dots keep their layouts; all other ops get those with which the
    least data is moved, weighted by loops. Then the source of a remaining conversion
    is recomputed if that costs less: index arithmetic, masks and pointers, also
    loop-carried ones.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
}

def TTGFuseNestedLoops : Pass<"ttg-fuse-nested-loops", "mlir::ModuleOp"> {
  let summary = "fuse a loop with tt.flatten and its inner loop";
  let description = [{
    Fuses a loop with `tt.flatten` with the one loop in its body, so that ttg-pipeline
    starts the loads of the next outer iteration before this one's epilogue. Declines,
    with a remark, where the fused loop could not be pipelined.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect"];
  let options = [
    Option<"numStages", "num-stages", "unsigned", "3",
           "of the pipeline, for loops that do not say it themselves">,
    Option<"separateCopies", "separate-copies", "bool", "false",
           "whether warps of their own may start the copies of tiles">];
}

def TTGAssignLatencies : Pass<"ttg-assign-latencies", "mlir::ModuleOp"> {
  let summary = "choose the loads of a loop that start iterations before their use";
  let description = [{
    Attaches `tt.latency` to loads that dots of a loop depend on, also through other
    loads' addresses, and to all loads of a loop with `tt.num_stages`. They must be
    suitable for asynchronous copies, or small enough to be kept in registers.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
  let options = [
    Option<"numStages", "num-stages", "unsigned", "3",
           "tiles under way or in use, for loops that do not say it themselves">,
    Option<"maxSharedBytes", "max-shared-bytes", "uint64_t", "0",
           "shared memory that one loop's buffers may take; 0 for no limit">,
    Option<"maxRegisters", "max-registers", "unsigned", "160",
           "of a thread, for what a loop carries and loads that cannot go to shared memory">,
    Option<"blockRegisters", "block-registers", "unsigned", "0",
           "that the blocks of a multiprocessor share; 0: unknown">,
    Option<"separateCopies", "separate-copies", "std::string", "\"off\"",
           "whether warps of their own start the copies of tiles: off, auto (where only one CTA fits "
           "a multiprocessor) or on">,
    Option<"minCopyBytes", "min-copy-bytes", "unsigned", "4",
           "that one asynchronous copy moves at least">,
    Option<"maxCopyBytes", "max-copy-bytes", "unsigned", "16", "and at most">];
}

def TTGScheduleLoops : Pass<"ttg-schedule-loops", "mlir::ModuleOp"> {
  let summary = "assign the ops of a pipelined loop to stages";
  let description = [{
    Turns `tt.latency` into `loop.stage` and `loop.cluster` on all ops of the loop, and
    writes `tt.scheduled_max_stage` onto it.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
}

def TTGPipeline : Pass<"ttg-pipeline", "mlir::ModuleOp"> {
  let summary = "software-pipeline loops: overlap loads with computation";
  let description = [{
    Gives the loads of scheduled loops several tiles in shared memory, filled by
    asynchronous copies, and overlaps the stages of consecutive iterations: a
    prologue, and a loop whose last iterations are masked.
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
  let summary = "accumulate per thread in loops, and reduce across threads once";
  let description = [{
    If a loop adds the reduction of a tile to a loop-carried total, each thread
    carries a total of its own elements instead; the threads' totals are reduced
    after the loop.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect", "::mlir::arith::ArithDialect"];
}

def TTGAssignAccessWidth : Pass<"ttg-assign-access-width", "mlir::ModuleOp"> {
  let summary = "assign the number of elements that each access moves at once";
  let description = [{
    Attaches `ttg.access = array<i32: dim, width>` to loads and stores whose
    pointers are consecutive and aligned, and whose mask is constant, for
    `width` elements that one thread holds along `dim`; and
    `ttg.equal_registers` to comparisons with the same result in several
    registers of a thread.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
  let options = [Option<"maxVectorBits", "max-vector-bits", "unsigned", "128",
                        "bits that one thread moves at once at most">];
}

def TTGAllocateSharedMemory : Pass<"ttg-allocate-shared-memory", "mlir::ModuleOp"> {
  let summary = "assign offsets in shared memory";
  let description = [{
    Assigns an offset (`allocation.offset`) to each buffer and to each op that
    exchanges values between threads, and attaches the total to the module
    (`ttg.shared`). Buffers that are never live at the same time may share bytes.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
  let options = [Option<"maxBytes", "max-bytes", "unsigned", "0",
                        "bytes that one CTA may use; 0: no limit">,
                 Option<"chip", "chip", "std::string", "", "whose limit that is, for messages">];
}

def TTGAllocateGlobalScratch : Pass<"ttg-allocate-global-scratch", "mlir::ModuleOp"> {
  let summary = "assign offsets in the global scratch memory of a CTA";
  let description = [{
    Attaches `ttg.global_scratch_memory_offset` to each ttg.global_scratch_alloc, and
    the size and alignment of a CTA's memory to the module.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
}

def TTGCombineTensorSelectAndIf
    : Pass<"ttg-combine-tensor-select-and-if", "mlir::ModuleOp"> {
  let summary = "turn tensor selects into results of an scf.if with the same condition";
  let description = [{
    arith.select of tensors with the scalar condition of an scf.if in the same
    block becomes a further result of the scf.if.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def TTGScaleAfterMax : Pass<"ttg-scale-after-max", "mlir::ModuleOp"> {
  let summary = "scale the maximum of elements rather than each of them";
  let description = [{
    The maximum (or minimum) of elements times one positive factor is the maximum
    of the elements times the factor; differences of the scaled elements become
    math.fma. A branch tests a factor that is known only when the kernel runs.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::math::MathDialect"];
  let options = [Option<"fpFusion", "fp-fusion", "bool", /*default=*/"true",
                        "multiplications and additions may be fused">];
}

def TTGInsertBarriers : Pass<"ttg-insert-barriers", "mlir::ModuleOp"> {
  let summary = "insert barriers between conflicting shared memory accesses";
  let description = [{
    Inserts `ttg.local_barrier` between accesses to the same bytes of shared memory
    of which one writes. Requires allocated shared memory, and control flow as
    branches.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
}

def TTGOutlineFunctions : Pass<"ttg-outline-functions", "mlir::ModuleOp"> {
  let summary = "outline the regions of reductions, scans and maps";
  let description = [{
    A region of more than one op becomes a call of a private function of scalars, and
    a reduction whose function commutes gets `ttg.commutes`.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
}

def TTGAssignPackGroups : Pass<"ttg-assign-pack-groups", "mlir::ModuleOp"> {
  let summary = "choose the elements that packed assembly takes at once";
  let description = [{
    Attaches to tt.elementwise_inline_asm with `packed_element` > 1 which elements share
    a statement: those that are adjacent in the memory from which the operand was loaded.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
}

def TTGPackElements : Pass<"ttg-pack-elements", "mlir::ModuleOp"> {
  let summary = "convert to layouts in which a thread holds the elements of a packed function";
  let description = [{
    Converts the operands of tt.map_elementwise with `pack` > 1 to a layout in
    which a thread holds `pack` consecutive elements, if theirs does not; and those of
    packed assembly to one in which it holds the group that `ttg.pack` names.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
}

def TTGDecomposeScaledDot : Pass<"ttg-decompose-scaled-dot", "mlir::ModuleOp"> {
  let summary = "rewrite tt.dot_scaled as an ordinary dot";
  let description = [{
    Turns tt.dot_scaled into tt.dot of operands that were multiplied by their
    scales, in the cheapest type in which that is exact. Runs before there are
    layouts. Products that a matrix unit with scales computes are left.
  }];
  let options = [
    Option<"minScaledInner", "min-scaled-inner", "unsigned", "0",
           "smallest K of products that matrix units with scales compute (0: there are none)">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tessera::ttg::TTGDialect"];
}

def TTGF32DotTC : Pass<"ttg-f32-dot-tc", "mlir::ModuleOp"> {
  let summary = "compute f32 dots as sums of narrow ones";
  let description = [{
    Expands tt.dot with inputPrecision tf32x3, bf16x3 or bf16x6 into three or
    six products of tf32 or bf16.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def TTGOrderPrograms : Pass<"ttg-order-programs", "mlir::ModuleOp"> {
  let summary = "start the programs that take longest first";
  let description = [{
    Counts the numbers of programs along x backwards (`ttg.reversed` on tt.get_program_id) if loops
    run longer in programs with higher numbers, and no program may wait for another.
  }];
}

def TTGOrderGlobalAccesses : Pass<"ttg-order-global-accesses", "mlir::ModuleOp"> {
  let summary = "insert barriers between a store and a load of the same addresses";
  let description = [{
    Inserts a barrier before a load from the addresses of an earlier store of the same
    program, if other threads load than stored.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

def TTGBufferDotOperands : Pass<"ttg-buffer-dot-operands", "mlir::ModuleOp"> {
  let summary = "read dot operands from shared memory slice by slice";
  let description = [{
    Replaces layout conversions through shared memory that feed a matrix unit by a
    buffer and matrix loads; reads loop-invariant operands again in each iteration if
    the loop lacks registers for them.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
  let options = [Option<"maxSharedBytes", "max-shared-bytes", "unsigned", "101376",
                        "shared memory that all buffers of the kernel may have">,
                 Option<"allSharedBytes", "all-shared-bytes", "unsigned", "0",
                        "shared memory that they may have where no later pass adds conversions, and "
                        "all that the kernel needs fits as it is placed; 0: no more than the former">,
                 Option<"maxRegisters", "max-registers", "unsigned", "192",
                        "32-bit registers of a thread that a loop may hold tensors in">];
}

def TTGReuseOperandBuffers : Pass<"ttg-reuse-operand-buffers", "mlir::ModuleOp"> {
  let summary = "keep operands of dots, and tensors that are converted, in shared memory";
  let description = [{
    Fills the buffer of a dot's operand where the operand is computed, and reads the
    tensor from it in other layouts too, so that no registers hold it. A tensor
    without a buffer gets one if conversions exchange it through shared memory.
  }];
  let dependentDialects = ["::tessera::ttg::TTGDialect"];
  let options = [Option<"maxSharedBytes", "max-shared-bytes", "unsigned", "101376",
                        "shared memory that the kernel may take for it">];
}

def TTGSliceFmaDots : Pass<"ttg-slice-fma-dots", "mlir::ModuleOp"> {
  let summary = "loop over K for dots without a matrix unit";
  let description = [{
    Stores operands of which a thread would hold too many elements to shared memory,
    and computes the product in a loop over slices of K.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::tessera::ttg::TTGDialect"];
  let options = [Option<"maxSharedBytes", "max-shared-bytes", "unsigned", "101376",
                        "shared memory that all buffers of the kernel may have">];
}

#endif // TESSERA_TTGIR_TRANSFORMS_PASSES_TD
