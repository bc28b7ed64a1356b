//===- ConvertTTGIRToLLIR.cpp - lower tensors in layouts to scalar code ---===//
// This is one full dialect conversion: every tensor becomes the values that one thread holds of it
// (MLIR's 1:N conversion), and every op works on those.
//
// An op without a lowering gets one diagnostic that names it and the target; the message of the
// conversion driver, which would only repeat it, is dropped.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIRToLLIR/ConvertTTGIRToLLIR.h"
#include "Lowering.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTGIR/Transforms/SharedMemory.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"

using namespace mlir;
using namespace tessera;

namespace {
/// Reports ops that no other pattern has lowered or reported. It has the lowest benefit.
struct ReportUnsupported : ConversionPattern {
  ReportUnsupported(MLIRContext *context, const TargetInfo &target, const bool &reported)
      : ConversionPattern(MatchAnyOpTypeTag(), /*benefit=*/0, context), target(target),
        reported(reported) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<ValueRange>,
                                ConversionPatternRewriter &) const final {
    if (reported)
      return failure();
    return emitUnsupported(op) << "'" << op->getName() << "' is not implemented for "
                               << target.name();
  }
  const TargetInfo &target;
  const bool &reported;
};
} // namespace

/// Declares the shared memory that conversions address.
static void declareSharedMemory(ModuleOp module, const TargetInfo &target) {
  unsigned bytes = ttg::getSharedBytes(module);
  if (bytes == 0)
    return;
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  unsigned alignment = kSharedAlignment;
  module.walk([&](ttg::LocalAllocOp alloc) {
    alignment = std::max(alignment, alloc.getAlignmentOrDefault());
  });
  // Where its size is a launch parameter, the program does not say it.
  bool isSized = target.hasSizedSharedMemory();
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), isSized ? bytes : 0);
  LLVM::GlobalOp::create(b, module.getLoc(), type, /*isConstant=*/false,
                         isSized ? LLVM::Linkage::Internal : LLVM::Linkage::External,
                         kSharedMemorySymbol, /*value=*/Attribute(), alignment,
                         target.sharedAddressSpace());
}

/// The most values of one tensor that a thread may hold: the language's largest tensor on four
/// warps. A thread has 255 registers; other values are spilled, and the assembler takes long to
/// choose them. The values of a scan all depend on each other, which takes it minutes.
static constexpr int64_t kMaxElementsPerThread = 8192, kMaxScannedElementsPerThread = 1024;

static LogicalResult checkTileSizes(ModuleOp module) {
  int64_t threads = int64_t(ttg::getTotalNumWarps(module)) * ttg::getThreadsPerWarp(module);
  threads *= ttg::getNumCTAs(module);
  WalkResult walked = module.walk([&](Operation *op) {
    int64_t limit =
        threads * (isa<tt::ScanOp>(op) ? kMaxScannedElementsPerThread : kMaxElementsPerThread);
    for (Type result : op->getResultTypes()) {
      auto tensor = dyn_cast<RankedTensorType>(result);
      if (!tensor || tensor.getNumElements() <= limit)
        continue;
      emitUnsupported(op) << "tensor of " << tensor.getNumElements() << " elements in " << threads
                          << " threads; with so many threads use blocks of at most " << limit
                          << " elements";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

/// Erases unused ops: words are split into elements in case an op needs them, but most words go to
/// instructions that take words. All later passes cost more per op than this.
static void eraseUnusedOps(ModuleOp module) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    for (Block &block : llvm::reverse(function.getBody()))
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
        if (op.use_empty() && isPure(&op) && !op.hasTrait<OpTrait::IsTerminator>())
          op.erase();
}

/// Sets LLVM's loop annotations, which `tl.range` and `tl.condition` ask for, on the back edges of
/// loops: branches have them as discardable attributes, which the translation to LLVM IR ignores.
static void annotateLoops(ModuleOp module) {
  module.walk([](LLVM::BrOp branch) {
    if (auto hints = branch->getAttrOfType<LLVM::LoopAnnotationAttr>(tt::kLoopAnnotationAttr)) {
      branch->removeAttr(tt::kLoopAnnotationAttr);
      branch.setLoopAnnotationAttr(hints);
    }
  });
}

LogicalResult tessera::convertTTGIRToLLIR(ModuleOp module, const TargetInfo &target,
                                          const LoweringOptions &options) {
  if (failed(checkTileSizes(module)))
    return failure();
  MLIRContext *context = module.getContext();
  TTGIRTypeConverter types(context);
  RewritePatternSet patterns(context);
  populateElementwisePatterns(patterns, types, target);
  populateShapePatterns(patterns, types, target);
  populateMemoryPatterns(patterns, types, target);
  populateConvertLayoutPatterns(patterns, types, target);
  populateProgramPatterns(patterns, types, target);
  populateBuffersPatterns(patterns, types, target);
  populateReducePatterns(patterns, types, target);
  populateScanPatterns(patterns, types, target);
  populateGatherPatterns(patterns, types, target);
  populateHistogramPatterns(patterns, types, target);
  populateMapElementwisePatterns(patterns, types, target);
  populateDotPatterns(patterns, types, target);
  populateAtomicsPatterns(patterns, types, target);
  populateAsyncCopyPatterns(patterns, types, target);
  populatePrintAssertPatterns(patterns, types, target, options.printEveryThread);
  populateInlineAsmPatterns(patterns, types, target);
  target.populatePatterns(patterns, types);
  cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  bool reported = false;
  patterns.add<ReportUnsupported>(context, target, reported);

  ConversionTarget legal(*context);
  legal.addLegalOp<ModuleOp>();
  legal.addLegalDialect<LLVM::LLVMDialect>();
  target.addLegalDialects(legal);
  declareSharedMemory(module, target);

  ScopedDiagnosticHandler filter(context, [&](Diagnostic &diagnostic) {
    bool repeats = diagnostic.str().rfind("failed to legalize operation", 0) == 0;
    if (repeats && reported)
      return success();
    reported |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return failure(); // the next handler shows it
  });
  if (failed(applyFullConversion(module, legal, std::move(patterns))))
    return failure();
  annotateLoops(module);
  eraseUnusedOps(module);
  return success();
}
