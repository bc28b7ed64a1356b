//===- PassPipelines.cpp - the passes of make_ttgir and make_llir ---------===//
// Each phase names the ops that exist after it, and why it runs at that place:
//
//   make_ttgir  input     tt, arith, math, scf, cf; tensors without layouts
//               dots      ordinary dots of types that matrix instructions or multiply-adds take
//               layouts   every tensor has a layout; ttg.convert_layout connects them
//               loops     loop-invariant code is outside of loops; loads of operands run an
//                         iteration ahead, into registers
//               memory    barriers between accesses of global memory; buffers of dot operands
//               buffers   accesses of small tensors at offsets from a kernel argument
//   make_llir   facts     access widths and outlined functions, from structured control flow
//               branches  cf instead of scf; offsets in shared memory, barriers
//               lowering  the LLVM dialect alone
//
// tt-verify-phase checks the promises that passes of later phases rely on.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Transforms/Passes.h"
#include "tessera/TTIR/Transforms/Passes.h"
#include "tessera/TTIRToTTGIR/Passes.h"
#include "tessera/Target/AMD/AmdTarget.h"
#include "tessera/Target/AMD/MatrixInstructions.h"
#include "tessera/Target/AMD/Passes.h"
#include "tessera/Target/StageOptions.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::amd;

/// The shared memory that is left to layout conversions.
static constexpr unsigned kForConversions = 16 * 1024;

/// The K of the smallest product with scales that the chip has an instruction for; 0 if it has
/// none.
static unsigned minScaledInner(const AmdSpec &spec) {
  constexpr int64_t unlimited = int64_t(1) << 40;
  std::optional<MatrixInstruction> found = findScaledInstruction(spec, 32, unlimited);
  return found ? found->inner : 0;
}

//===----------------------------------------------------------------------===//
// make_ttgir
//===----------------------------------------------------------------------===//

/// Phase "dots". Afterwards the kernel is one function, and each tt.dot has operands that an
/// instruction takes, and so has each tt.dot_scaled (on chips with such an instruction); there is
/// no dot of f32 as several products.
static void addDotRewrites(OpPassManager &pm, const AmdSpec &spec) {
  // All calls are inlined, because layouts, shared memory and barriers are planned for a whole
  // kernel.
  pm.addPass(createTTInliner({.everything = true}));
  pm.addPass(createTTSymbolDCE());
  // Rewrite dots that no instruction implements. The first pass creates dots for the second.
  pm.addPass(createTTGDecomposeScaledDot({.minScaledInner = minScaledInner(spec)}));
  pm.addPass(createTTGF32DotTC());
}

/// Every tensor gets a default layout; afterwards the IR is TTGIR. All later passes ask each tensor
/// for its layout and do not check that it has one.
static void addDefaultLayouts(OpPassManager &pm, const AmdSpec &spec,
                              const CompileOptions &options) {
  ConvertTTIRToTTGIROptions machine;
  machine.target = spec.name();
  machine.numWarps = options.numWarps;
  machine.threadsPerWarp = spec.threadsPerWarp;
  pm.addPass(createConvertTTIRToTTGIR(machine));
  TTVerifyPhaseOptions laidOut;
  laidOut.phase = "layouts";
  laidOut.forbiddenTypes = {"tensor-without-layout"};
  if (minScaledInner(spec) == 0)
    laidOut.forbiddenOps = {"tt.dot_scaled"};
  pm.addPass(createTTVerifyPhase(laidOut));
}

/// Phase "layouts". Afterwards each tensor has its final layout, and the ttg.convert_layout ops
/// that are left move data.
static void addLayouts(OpPassManager &pm, const AmdSpec &spec, const CompileOptions &options) {
  addDefaultLayouts(pm, spec, options);
  // First the layouts of memory accesses are chosen. An atomic updates at most 32 bits.
  pm.addPass(createTTGCoalesce({AmdSpec::maxVectorBits, 32}));
  // Packed assembly takes elements that are adjacent in memory. They are recorded while the layouts
  // still follow the loads.
  pm.addPass(createTTGAssignPackGroups());
  pm.addPass(
      createAmdAccelerateMatmul({.nonKDim = options.matrixInstrNonKDim, .kpack = options.kpack}));
  // All other ops get the layouts with which the least data is moved. Runs after all passes that
  // fix a layout.
  pm.addPass(createTTGRemoveLayoutConversions());
  // Loops accumulate per thread, and threads exchange partial sums once, after the loop. Needs
  // final layouts.
  pm.addPass(createTTGOptimizeThreadLocality());
  // Rematerialisation duplicated index arithmetic.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createTTLoopAwareCSE());
}

/// Phase "loops". Afterwards loop-invariant code is outside of loops.
static void addLoops(OpPassManager &pm, const CompileOptions &options) {
  pm.addPass(createTTLoopInvariantCodeMotion());
  // A loop with `flatten` is fused with its inner loop.
  pm.addPass(createTTGFuseNestedLoops({.numStages = options.numStages}));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createTTLoopAwareCSE());
}

/// Afterwards the loads of operands run one iteration ahead, into registers; they are written to
/// shared memory in the iteration that uses them. There is no asynchronous copy that the compiler
/// uses on these chips. It needs final layouts, and runs before the buffers of the next phase.
static void addSoftwarePipelining(OpPassManager &pm, const AmdSpec &spec,
                                  const CompileOptions &options) {
  TTGAssignLatenciesOptions latencies;
  latencies.numStages = options.numStages;
  latencies.maxSharedBytes = spec.maxSharedBytes;
  // Two waves of a SIMD share its registers; a wave of RDNA has at most 256.
  latencies.maxRegisters = 224;
  // No size of a copy is possible.
  latencies.minCopyBytes = 2 * AmdSpec::maxVectorBits / 8;
  TTGPipelineOptions copies;
  copies.minCopyBytes = latencies.minCopyBytes;
  // Choose the loads that run ahead (tt.latency), assign a stage to every op (loop.stage), and
  // rewrite the loop. Each pass reads the attributes of the previous one.
  pm.addPass(createTTGAssignLatencies(latencies));
  pm.addPass(createTTGScheduleLoops());
  pm.addPass(createTTGPipeline(copies));
  // In the prologue the induction variable is constant, and stages duplicate index arithmetic.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createTTLoopAwareCSE());
}

/// Phase "memory". Afterwards barriers order the global accesses of a program's threads, and dots
/// read operands that other threads hold from shared memory, slice by slice.
static void addMemoryBetweenThreads(OpPassManager &pm, const AmdSpec &spec) {
  // Final layouts tell whether another thread loads what one stored.
  pm.addPass(createTTGOrderGlobalAccesses());
  pm.addPass(createTTGSliceFmaDots({spec.maxSharedBytes - kForConversions}));
  TTGBufferDotOperandsOptions buffers;
  buffers.maxSharedBytes = spec.maxSharedBytes - kForConversions;
  buffers.allSharedBytes = spec.maxSharedBytes;
  pm.addPass(createTTGBufferDotOperands(buffers));
  // Needs the writes to shared memory, which are the last uses of carried values.
  pm.addPass(createAmdSinkCarriedLoads());
}

/// Phase "buffers". Afterwards accesses of tensors that the launch promises to be small are
/// amdg.buffer_load and amdg.buffer_store. Runs last: the other passes know only tt.load and
/// tt.store.
static void addBufferOps(OpPassManager &pm) {
  pm.addPass(createAmdConvertToBufferOps());
  // Loads that run ahead are masked by the loop's condition. Needs final masks.
  pm.addPass(createAmdFoldUniformMasks());
  // Removes the pointers that loops carry no longer, and shares offsets.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createTTLoopAwareCSE());
}

void amd::buildTTGIRPipeline(OpPassManager &pm, const AmdSpec &spec,
                             const CompileOptions &options) {
  addDotRewrites(pm, spec);
  addLayouts(pm, spec, options);
  addLoops(pm, options);
  addSoftwarePipelining(pm, spec, options);
  addMemoryBetweenThreads(pm, spec);
  addBufferOps(pm);
}

/// Layouts of accesses only make code faster. Products with scales need amd-accelerate-matmul.
PassNeed amd::needOf(StringRef pass) {
  return llvm::StringSwitch<PassNeed>(pass)
      .Cases({"ttg-decompose-scaled-dot", "ttg-f32-dot-tc", "amd-accelerate-matmul"},
             PassNeed::Some)
      .Cases({"ttg-coalesce", "amd-convert-to-buffer-ops", "amd-sink-carried-loads",
              "amd-fold-uniform-masks", "ttg-remove-layout-conversions",
              "ttg-optimize-thread-locality", "ttg-fuse-nested-loops", "ttg-scale-after-max",
              "ttg-slice-fma-dots"},
             PassNeed::Optional)
      .Cases({"ttg-assign-latencies", "ttg-schedule-loops", "ttg-pipeline"}, PassNeed::Optional)
      .Cases({"ttg-buffer-dot-operands", "ttg-combine-tensor-select-and-if"}, PassNeed::Optional)
      .Default(PassNeed::Always);
}

//===----------------------------------------------------------------------===//
// make_llir
//===----------------------------------------------------------------------===//

/// Phase "facts". Afterwards attributes hold what the lowering needs to know about addresses and
/// groups of elements, and each region of a reduction or scan is one op or a call. Control flow is
/// still scf, which the analyses and the outlined functions need.
static void addFacts(OpPassManager &pm, const CompileOptions &options) {
  // TTGIR may come from a file that Triton wrote. The analyses below know no atomics and copies at
  // offsets.
  pm.addPass(createAmdReplaceTritonOps());
  // Creates branches in loops, which the passes that change loops would not look into.
  pm.addPass(createTTGScaleAfterMax({.fpFusion = options.fpFusion}));
  // Tensor selects become results of an scf.if with the same condition.
  pm.addPass(createTTGCombineTensorSelectAndIf());
  // Facts about addresses become attributes; the analysis needs structured loops.
  pm.addPass(createTTGAssignAccessWidth({AmdSpec::maxVectorBits}));
  // Operands of functions of several elements are converted to layouts in which one thread holds
  // them.
  pm.addPass(createTTGPackElements());
  // The regions of reductions and scans become functions: they may contain control flow, which they
  // could not after the next pass.
  pm.addPass(createTTGOutlineFunctions());
}

/// Phase "branches". Afterwards control flow is cf with block arguments, each buffer and each
/// exchange between threads has an offset in shared memory, and barriers order their accesses.
static void addBranchesAndBarriers(OpPassManager &pm, const AmdSpec &spec) {
  // The following passes analyse live ranges and paths on branches.
  pm.addPass(createSCFToControlFlowPass());
  TTVerifyPhaseOptions branches;
  branches.phase = "branches";
  branches.forbiddenOps = {"scf.for", "scf.if", "scf.while"};
  pm.addPass(createTTVerifyPhase(branches));
  // Assigns offsets in shared and global scratch memory, which the lowering and the launcher read.
  pm.addPass(createTTGAllocateSharedMemory({spec.maxSharedBytes, spec.chip.str()}));
  pm.addPass(createTTGAllocateGlobalScratch());
  // Barriers depend on which buffers share bytes.
  pm.addPass(createTTGInsertBarriers());
}

/// Phase "lowering". Tensors become one LLVM value per register.
static void addLowering(OpPassManager &pm, const CompileOptions &options) {
  pm.addPass(createAmdConvertTTGIRToLLIR(
      {.printEveryThread = options.printEveryThread, .flushDenormals = options.allowFlushDenorm}));
  TTVerifyPhaseOptions lowered;
  lowered.phase = "lowering";
  lowered.dialects = {"builtin", "llvm"};
  pm.addPass(createTTVerifyPhase(lowered));
}

void amd::buildLLIRPipeline(OpPassManager &pm, const AmdSpec &spec, const CompileOptions &options) {
  addFacts(pm, options);
  addBranchesAndBarriers(pm, spec);
  addLowering(pm, options);
}

//===----------------------------------------------------------------------===//
// tessera-opt
//===----------------------------------------------------------------------===//

namespace {
struct PipelineOptions : PassPipelineOptions<PipelineOptions>, StageOptions {
  PipelineOptions() : StageOptions("hip:gfx942") {}
};
} // namespace

void amd::registerPipelines() {
  PassPipelineRegistration<PipelineOptions>(
      "amd-make-ttgir", "the passes from TTIR (--make-ttir) to TTGIR for AMD GPUs",
      [](OpPassManager &pm, const PipelineOptions &options) {
        buildTTGIRPipeline(pm, options.findSpec<AmdSpec>(), options.compileOptions());
      });
  PassPipelineRegistration<PipelineOptions>(
      "amd-make-llir", "the passes from TTGIR to the LLVM dialect for AMD GPUs",
      [](OpPassManager &pm, const PipelineOptions &options) {
        buildLLIRPipeline(pm, options.findSpec<AmdSpec>(), options.compileOptions());
      });
}
