//===- PassPipelines.cpp - the passes of make_ttgir and make_llir ---------===//
// Each phase names the ops that exist after it, and why it runs at that place:
//
//   make_ttgir  input     tt, arith, math, scf, cf; tensors without layouts
//               dots      ordinary dots of types that MMA instructions or multiply-adds take
//               layouts   every tensor has a layout; ttg.convert_layout connects them; dots have
//                         the layouts of mma.sync, or are ttng.warp_group_dot (wgmma)
//               loops     loops are software-pipelined: shared memory buffers, asynchronous
//                         copies, waits
//               memory    barriers between accesses of global memory; buffers of dot operands
//               roles     warps with code of their own (ttg.warp_specialize), if asked for
//   make_llir   facts     access widths and outlined functions, from structured control flow
//               branches  cf instead of scf; offsets in shared memory, barriers, proxy fences
//               lowering  the LLVM and NVVM dialects alone
//
// tt-verify-phase checks the promises that passes of later phases rely on.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Transforms/Passes.h"
#include "tessera/TTIR/Transforms/Passes.h"
#include "tessera/TTIRToTTGIR/Passes.h"
#include "tessera/Target/NVIDIA/NvidiaTarget.h"
#include "tessera/Target/NVIDIA/Passes.h"
#include "tessera/Target/StageOptions.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;

/// The shared memory that is left to layout conversions.
static constexpr unsigned kForConversions = 16 * 1024;

//===----------------------------------------------------------------------===//
// make_ttgir
//===----------------------------------------------------------------------===//

/// Phase "dots". Afterwards the kernel is one function, and each tt.dot has operands that an
/// instruction takes: there is no tt.dot_scaled, and no dot of f32 as several products. Tensors
/// have no layouts yet, so that the new ops get theirs with all others.
static void addDotRewrites(OpPassManager &pm) {
  // All calls are inlined, because layouts, shared memory and barriers are planned for a whole
  // kernel.
  pm.addPass(createTTInliner({.everything = true}));
  pm.addPass(createTTSymbolDCE());
  // Rewrite dots that no MMA instruction implements. The first pass creates dots for the second.
  pm.addPass(createTTGDecomposeScaledDot());
  pm.addPass(createTTGF32DotTC());
}

/// Every tensor gets a default layout; afterwards the IR is TTGIR. All later passes ask each tensor
/// for its layout and do not check that it has one.
static void addDefaultLayouts(OpPassManager &pm, const NvidiaSpec &spec,
                              const CompileOptions &options) {
  ConvertTTIRToTTGIROptions machine;
  machine.target = llvm::formatv("cuda:{0}", spec.capability);
  machine.numWarps = options.numWarps;
  machine.threadsPerWarp = spec.threadsPerWarp;
  machine.numCTAs = options.numCTAs;
  pm.addPass(createConvertTTIRToTTGIR(machine));
  TTVerifyPhaseOptions laidOut;
  laidOut.phase = "layouts";
  laidOut.forbiddenTypes = {"tensor-without-layout"};
  laidOut.forbiddenOps = {"tt.dot_scaled"};
  pm.addPass(createTTVerifyPhase(laidOut));
}

/// Phase "layouts". Afterwards each tensor has its final layout, and the ttg.convert_layout ops
/// that are left move data. Loops still have the form in which the programmer wrote them.
static void addLayouts(OpPassManager &pm, const NvidiaSpec &spec, const CompileOptions &options) {
  addDefaultLayouts(pm, spec, options);
  // First the layouts of memory accesses and of dots are chosen, which matter most. Conversions
  // connect them to the default layouts.
  pm.addPass(
      createTTGCoalesce({spec.maxVectorBits, spec.hasWideAtomics() ? spec.maxVectorBits : 32}));
  // Packed assembly takes elements that are adjacent in memory. They are recorded while the layouts
  // still follow the loads.
  pm.addPass(createTTGAssignPackGroups());
  pm.addPass(createNvidiaAccelerateMatmul(
      {.useWgmma = options.wgmma != "off", .maxRegisters = options.maxRegisters}));
  // Reductions must not cross CTAs.
  if (options.numCTAs > 1)
    pm.addPass(createTTGPlanCTA());
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

/// Returns whether warps of their own start copies of tiles.
static bool hasWarpRoles(const CompileOptions &options) {
  return options.tma != "off" && options.warpSpecialize != "off";
}

/// Returns whether the PTX that was asked for has the instructions that make tensor maps.
static bool canMakeMaps(const CompileOptions &options) {
  return options.ptxVersion == 0 || options.ptxVersion >= NvidiaSpec::tensorMapPtxVersion;
}

/// Phase "loops". Afterwards pipelined loops have a prologue, ttg.local_alloc buffers with several
/// slots, ttg.async_copy_global_to_local and ttg.async_wait, and the waits of wgmma. It needs final
/// layouts to know which copies are possible, and runs before the buffers of the next phase,
/// because the pipeliner's buffers gain more from shared memory.
static void addSoftwarePipelining(OpPassManager &pm, const NvidiaSpec &spec,
                                  const CompileOptions &options, const TTGIRChoices &choices) {
  // Tiles are copied by tensor maps where possible. Creates index arithmetic that is
  // loop-invariant.
  if (spec.hasTensorMemoryAccess() && options.tma != "off")
    pm.addPass(createNvidiaPromoteLoads({canMakeMaps(options)}));
  // Loop-invariant ops are hoisted first: they must not be assigned to a stage.
  pm.addPass(createTTLoopInvariantCodeMotion());
  // A loop with `flatten` is fused with its inner loop, so that loads of the next outer iteration
  // can start early.
  std::string separateCopies = options.tma != "off" ? options.warpSpecialize : "off";
  pm.addPass(createTTGFuseNestedLoops(
      {.numStages = options.numStages, .separateCopies = separateCopies != "off"}));
  TTGAssignLatenciesOptions latencies;
  latencies.numStages = options.numStages;
  latencies.maxSharedBytes = spec.maxSharedBytes;
  latencies.blockRegisters = NvidiaSpec::registersPerSM;
  latencies.separateCopies = separateCopies;
  if (!choices.carryLoads)
    latencies.maxRegisters = 0;
  // Choose the loads that start early and by how many iterations (tt.latency), assign a stage to
  // every op (loop.stage), and rewrite the loop. Each pass reads the attributes of the previous
  // one.
  pm.addPass(createTTGAssignLatencies(latencies));
  pm.addPass(createTTGScheduleLoops());
  pm.addPass(createTTGPipeline());
  // Reads the first operands of the next iteration before the current one ends, so that the tensor
  // cores do not wait. Needs the buffers of ttg-pipeline.
  if (choices.carryLoads)
    pm.addPass(createTTGPrefetch());
  // Dots by wgmma run beside other work. Needs the slots of the buffers, which the waits release.
  if (choices.overlapDots)
    pm.addPass(createNvidiaOverlapDots());
  if (spec.hasTensorMemoryAccess() && options.tma != "off")
    pm.addPass(createNvidiaLowerDescriptorLoads());
  // In the prologue the induction variable is constant, and stages duplicate index arithmetic.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createTTLoopAwareCSE());
}

/// Returns the shared memory with which as many CTAs fit on an SM as with all registers.
static unsigned sharedBytesBesideRegisters(const NvidiaSpec &spec, const CompileOptions &options) {
  constexpr unsigned reserved = 1024; // CUDA C++ Programming Guide: of each CTA
  unsigned threads = options.numWarps * NvidiaSpec::threadsPerWarp;
  unsigned ctas = std::max(1u, NvidiaSpec::registersPerSM / threads /
                                   unsigned(NvidiaSpec::maxRegistersPerThread + 1));
  return (spec.maxSharedBytes + reserved) / ctas - reserved;
}

/// Phase "memory". Afterwards barriers order the global accesses of a program's threads, and dots
/// read operands that other threads hold from shared memory, slice by slice. Runs after pipelining,
/// whose buffers have precedence.
static void addMemoryBetweenThreads(OpPassManager &pm, const NvidiaSpec &spec,
                                    const CompileOptions &options, const TTGIRChoices &choices) {
  // Final layouts tell whether another thread loads what one stored.
  pm.addPass(createTTGOrderGlobalAccesses());
  // Operands that have buffers for wgmma need no registers, and no other buffers for mma.sync.
  if (choices.reuseBuffers)
    pm.addPass(createTTGReuseOperandBuffers({sharedBytesBesideRegisters(spec, options)}));
  pm.addPass(createTTGSliceFmaDots({spec.maxSharedBytes - kForConversions}));
  TTGBufferDotOperandsOptions buffers;
  buffers.maxSharedBytes = spec.maxSharedBytes - kForConversions;
  if (choices.rereadOperands)
    buffers.maxRegisters = 0;
  pm.addPass(createTTGBufferDotOperands(buffers));
}

/// Phase "roles". Afterwards a warp group may have code of its own, the partition of a
/// ttg.warp_specialize. Runs last: the other passes change loops, which both roles have then, or
/// see no regions but those of scf.
static void addWarpRoles(OpPassManager &pm, const NvidiaSpec &spec, const CompileOptions &options) {
  bool isLimited =
      options.maxRegisters != 0 || StringRef(options.assemblerOptions).contains("maxrregcount");
  pm.addPass(createNvidiaSpecializeWarps({spec.maxSharedBytes, isLimited}));
  // Without the copies, warp groups are held together by nothing but their dots.
  pm.addPass(createNvidiaAlternateDots());
  // The code that waits for slots and starts copies was removed; what it computed goes now.
  pm.addPass(createCanonicalizerPass());
}

void nvidia::buildTTGIRPipeline(OpPassManager &pm, const NvidiaSpec &spec,
                                const CompileOptions &options, const TTGIRChoices &choices) {
  addDotRewrites(pm);
  // All programs of a cooperative launch run at the same time.
  if (!options.launchCooperativeGrid)
    pm.addPass(createTTGOrderPrograms());
  addLayouts(pm, spec, options);
  if (spec.hasAsyncCopy())
    addSoftwarePipelining(pm, spec, options, choices);
  addMemoryBetweenThreads(pm, spec, options, choices);
  if (spec.hasTensorMemoryAccess() && options.tma != "off") {
    // Stores of tiles become tensor copies where there is shared memory left for their buffers.
    pm.addPass(createNvidiaPromoteStores({spec.maxSharedBytes - kForConversions,
                                          sharedBytesBesideRegisters(spec, options),
                                          canMakeMaps(options)}));
    // Descriptors with layouts of shared memory become arguments that the launcher builds. Runs
    // when descriptors have their layouts and the arithmetic of their operands is simplified.
    pm.addPass(createNvidiaHoistDescriptors());
    if (hasWarpRoles(options))
      addWarpRoles(pm, spec, options);
  }
}

/// Layouts of accesses, tensor cores and pipelined loops only make code faster. Passes that read
/// attributes or buffers of these find none if they were left out.
PassNeed nvidia::needOf(StringRef pass) {
  return llvm::StringSwitch<PassNeed>(pass)
      .Cases({"ttg-decompose-scaled-dot", "ttg-f32-dot-tc", "ttg-plan-cta"}, PassNeed::Some)
      .Cases({"ttg-coalesce", "nvidia-accelerate-matmul", "ttg-remove-layout-conversions",
              "ttg-optimize-thread-locality", "ttg-fuse-nested-loops", "ttg-scale-after-max"},
             PassNeed::Optional)
      .Cases({"ttg-assign-latencies", "ttg-schedule-loops", "ttg-pipeline", "ttg-prefetch",
              "nvidia-overlap-dots", "nvidia-promote-stores", "nvidia-hoist-descriptors",
              "nvidia-specialize-warps", "nvidia-alternate-dots", "ttg-slice-fma-dots",
              "ttg-reuse-operand-buffers", "ttg-buffer-dot-operands",
              "ttg-combine-tensor-select-and-if"},
             PassNeed::Optional)
      .Default(PassNeed::Always);
}

//===----------------------------------------------------------------------===//
// make_llir
//===----------------------------------------------------------------------===//

/// Phase "facts". Afterwards attributes hold what the lowering needs to know about addresses and
/// groups of elements, and each region of a reduction or scan is one op or a call. Control flow is
/// still scf, which the analyses and the outlined functions need.
static void addFacts(OpPassManager &pm, const NvidiaSpec &spec, const CompileOptions &options) {
  // The kernel makes the tensor maps that the launcher does not build. Needs scratch memory, which
  // a later phase allocates.
  if (spec.hasTensorMemoryAccess())
    pm.addPass(createNvidiaMakeTensorMaps());
  // Each role is a branch from here on. Analyses of shared memory know branches.
  if (spec.hasTensorMemoryAccess())
    pm.addPass(createNvidiaBranchWarpRoles());
  // Creates branches in loops, which the passes that change loops would not look into.
  pm.addPass(createTTGScaleAfterMax({.fpFusion = options.fpFusion}));
  // Tensor selects become results of an scf.if with the same condition.
  pm.addPass(createTTGCombineTensorSelectAndIf());
  // Facts about addresses become attributes; the analysis needs structured loops.
  pm.addPass(createTTGAssignAccessWidth({spec.maxVectorBits}));
  // Operands of functions of several elements are converted to layouts in which one thread holds
  // them.
  pm.addPass(createTTGPackElements());
  // The regions of reductions and scans become functions: they may contain control flow, which they
  // could not after the next pass.
  pm.addPass(createTTGOutlineFunctions());
}

/// Phase "branches". Afterwards control flow is cf with block arguments, each buffer and each
/// exchange between threads has an offset in shared memory, and barriers and proxy fences order
/// their accesses. Later passes create no buffers.
static void addBranchesAndBarriers(OpPassManager &pm, const NvidiaSpec &spec) {
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
  // A fence in front of a barrier makes the threads' writes visible to wgmma.
  pm.addPass(createNvidiaFenceAsync());
}

/// Phase "lowering". Tensors become one LLVM value per register; translation to LLVM IR knows the
/// LLVM and NVVM dialects alone.
static void addLowering(OpPassManager &pm, const CompileOptions &options) {
  pm.addPass(createNvidiaConvertTTGIRToLLIR({.printEveryThread = options.printEveryThread}));
  TTVerifyPhaseOptions lowered;
  lowered.phase = "lowering";
  lowered.dialects = {"builtin", "llvm", "nvvm"};
  pm.addPass(createTTVerifyPhase(lowered));
}

void nvidia::buildLLIRPipeline(OpPassManager &pm, const NvidiaSpec &spec,
                               const CompileOptions &options) {
  addFacts(pm, spec, options);
  addBranchesAndBarriers(pm, spec);
  addLowering(pm, options);
}

//===----------------------------------------------------------------------===//
// tessera-opt
//===----------------------------------------------------------------------===//

namespace {
struct PipelineOptions : PassPipelineOptions<PipelineOptions>, StageOptions {
  PipelineOptions() : StageOptions("cuda:90") {}
};
} // namespace

void nvidia::registerPipelines() {
  PassPipelineRegistration<PipelineOptions>(
      "nvidia-make-ttgir", "the passes from TTIR (--make-ttir) to TTGIR for NVIDIA GPUs",
      [](OpPassManager &pm, const PipelineOptions &options) {
        buildTTGIRPipeline(pm, options.findSpec<NvidiaSpec>(), options.compileOptions());
      });
  PassPipelineRegistration<PipelineOptions>(
      "nvidia-make-llir", "the passes from TTGIR to the LLVM dialect for NVIDIA GPUs",
      [](OpPassManager &pm, const PipelineOptions &options) {
        buildLLIRPipeline(pm, options.findSpec<NvidiaSpec>(), options.compileOptions());
      });
}
