//===- PhasesTest.cpp - the promises of the pass pipelines ----------------===//
// Each test takes one pass out of a pipeline and expects that the verifier of the phase reports
// what this pass should have removed.
//===----------------------------------------------------------------------===//
#include "Kernels.h"
#include "tessera/TTGIR/IR/TTGDialect.h"
#include "tessera/TTGIR/Transforms/Passes.h"
#include "tessera/TTIR/Transforms/Passes.h"
#include "tessera/TTIRToTTGIR/Passes.h"
#include "tessera/Target/NVIDIA/NvidiaTarget.h"
#include "tessera/Target/NVIDIA/Passes.h"
#include "tessera/Target/Vendor.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;

namespace tessera {
const Vendor &getNVIDIAVendor();
} // namespace tessera

static void registerPassesOnce() {
  static bool done = [] {
    registerTransformsPasses();
    registerPass([] { return createSCFToControlFlowPass(); });
    registerTTIRPasses();
    registerTTIRToTTGIRPasses();
    registerTTGIRPasses();
    registerNVIDIAPasses();
    return true;
  }();
  (void)done;
}

/// Removes a pass with its options from a pipeline's text.
static void removePass(std::string &pipeline, llvm::StringRef pass) {
  size_t begin = pipeline.find(pass.str() + "{");
  ASSERT_NE(begin, std::string::npos) << pipeline;
  size_t end = pipeline.find('}', begin) + 1;
  if (pipeline[end] == ',')
    ++end;
  else if (pipeline[begin - 1] == ',')
    --begin;
  pipeline.erase(begin, end - begin);
}

/// Runs make_ttgir's and make_llir's passes without one of them; returns the errors.
static std::string compileWithout(llvm::StringRef missing, llvm::StringRef text) {
  registerPassesOnce();
  DialectRegistry registry;
  getNVIDIAVendor().registerPasses(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadDialect<ttg::TTGDialect>();
  std::string errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.str() + "\n";
    return success();
  });
  OpPassManager passes("builtin.module");
  const NvidiaSpec &spec = *NvidiaSpec::parse("cuda:90");
  buildTTGIRPipeline(passes, spec, {});
  buildLLIRPipeline(passes, spec, {});
  std::string pipeline;
  llvm::raw_string_ostream stream(pipeline);
  passes.printAsTextualPipeline(stream);
  if (!missing.empty())
    removePass(pipeline, missing);
  FailureOr<OpPassManager> parsed = parsePassPipeline(pipeline);
  if (failed(parsed))
    return "cannot parse " + pipeline;
  PassManager manager(&context, "builtin.module");
  static_cast<OpPassManager &>(manager) = *parsed;
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return errors;
  EXPECT_EQ(succeeded(manager.run(*module)), errors.empty());
  return errors;
}

static constexpr const char *kLoop = R"(
tt.func public @sum(%p: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) : i32 {
    %q = tt.addptr %p, %i : !tt.ptr<f32>, i32
    %x = tt.load %q : !tt.ptr<f32>
    %t = arith.addf %s, %x : f32
    scf.yield %t : f32
  }
  tt.store %p, %sum : !tt.ptr<f32>
  tt.return
}
)";

TEST(Phases, TheWholePipelineKeepsItsPromises) {
  EXPECT_EQ(compileWithout("", vectorAddText(1024, true)), "");
  EXPECT_EQ(compileWithout("", kLoop), "");
}

TEST(Phases, ATensorWithoutLayoutIsReported) {
  EXPECT_EQ(
      compileWithout("convert-ttir-to-ttgir", vectorAddText(1024, true)),
      "'tt.make_range' op defines a value of type 'tensor<1024xi32>' after phase 'layouts'\n");
}

TEST(Phases, StructuredControlFlowIsReported) {
  EXPECT_EQ(compileWithout("convert-scf-to-cf", kLoop),
            "'scf.for' op is left after phase 'branches'\n");
}

TEST(Phases, AnOpThatIsNotLoweredIsReported) {
  EXPECT_EQ(compileWithout("nvidia-convert-ttgir-to-llir", kLoop),
            "'arith.constant' op is left after phase 'lowering', which leaves only the dialects "
            "builtin, llvm, nvvm\n");
}
