//===- NullTargetTest.cpp - a new target, from TTIR to LLVM IR ------------===//
// The vector add of examples/add.py on a machine with 64 lanes per warp.
//===----------------------------------------------------------------------===//
#include "null/NullTarget.h"
#include "tessera/TTGIR/IR/TTGOps.h"
#include "tessera/TTIR/IR/KernelArguments.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tessera;

static constexpr StringLiteral kAdd = R"(
tt.func public @add(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32},
                    %y: !tt.ptr<f32> {tt.divisibility = 16 : i32},
                    %o: !tt.ptr<f32> {tt.divisibility = 16 : i32},
                    %n: i32 {tt.divisibility = 16 : i32}) {
  %c = arith.constant 1024 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %c : i32
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %ss = tt.splat %start : i32 -> tensor<1024xi32>
  %i = arith.addi %ss, %r : tensor<1024xi32>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %xv = tt.load %xp, %m : tensor<1024x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %yv = tt.load %yp, %m : tensor<1024x!tt.ptr<f32>>
  %s = arith.addf %xv, %yv : tensor<1024xf32>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %op = tt.addptr %os, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %op, %s, %m : tensor<1024x!tt.ptr<f32>>
  tt.return
}
)";

/// A row of 64 elements in each of 16 registers: its sum needs all lanes and warps.
static constexpr StringLiteral kSum = R"(
tt.func public @sum(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32>) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %p = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %p : tensor<1024x!tt.ptr<f32>>
  %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<1024xf32>) -> f32
  tt.store %o, %s : !tt.ptr<f32>
  tt.return
}
)";

namespace {

/// What each stage left, by its extension, and the record; `errors` is empty if all went well.
struct Lowered {
  std::map<std::string, std::string> texts;
  KernelRecord record;
  std::string errors;
};

static Lowered lower(StringRef text) {
  Lowered result;
  MLIRContext context(MLIRContext::Threading::DISABLED);
  DialectRegistry registry;
  getNullVendor().registerDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadDialect<ttg::TTGDialect>();
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    result.errors += diagnostic.str() + "\n";
    return success();
  });
  std::unique_ptr<Target> target = getNullVendor().create("null", {});
  CompileOptions options;
  StageState state{context, options};
  state.module = parseSourceString<ModuleOp>(text, &context);
  for (const Stage &stage : target->stages()) {
    if (!state.module || failed(stage.run(state))) {
      result.errors += stage.name + " failed\n";
      return result;
    }
    llvm::raw_string_ostream stream(result.texts[stage.extension]);
    if (stage.form == ProgramForm::LLVM)
      state.llvmModule->print(stream, nullptr);
    else
      state.module->print(stream);
  }
  result.record = state.record;
  return result;
}

static size_t occurrences(StringRef text, StringRef part) { return text.count(part); }

TEST(NullTarget, AddWith64Lanes) {
  Lowered add = lower(kAdd);
  ASSERT_EQ("", add.errors);
  // 1024 elements: 4 warps of 64 lanes, four elements in an access of 128 bits.
  EXPECT_EQ(1u, occurrences(add.texts["ttgir"], "\"ttg.threads-per-warp\" = 64 : i32"));
  EXPECT_EQ(1u, occurrences(add.texts["ttgir"], "sizePerThread = [4], threadsPerWarp = [64], "
                                                "warpsPerCTA = [4]"));
  EXPECT_EQ(0u, occurrences(add.texts["ttgir"], "ttg.convert_layout"));
  StringRef llir = add.texts["llir"];
  EXPECT_EQ(2u, occurrences(llir, "call <4 x float> @null.masked_load.v4f32("));
  EXPECT_EQ(1u, occurrences(llir, "call void @null.masked_store.v4f32("));
  EXPECT_EQ(4u, occurrences(llir, "fadd float"));
  EXPECT_EQ(1u, occurrences(llir, "\"null-threads\"=\"256\""));
  EXPECT_EQ(64u, add.record.threadsPerWarp);
  EXPECT_EQ(4u, add.record.numWarps);
  EXPECT_EQ(0u, add.record.sharedBytes);
}

TEST(NullTarget, SumOverLanesAndWarps) {
  Lowered sum = lower(kSum);
  ASSERT_EQ("", sum.errors);
  StringRef llir = sum.texts["llir"];
  // log2(64) shuffles, then one exchange between the four warps.
  EXPECT_EQ(6u, occurrences(llir, "call float @null.shuffle_xor.f32("));
  EXPECT_EQ(1u, occurrences(llir, "call void @null.masked_store_shared.f32("));
  EXPECT_EQ(1u, occurrences(llir, "call void @null.barrier()"));
  EXPECT_EQ(16u, sum.record.sharedBytes);
}

TEST(NullTarget, VendorKnowsOnlyItsTarget) {
  EXPECT_EQ(nullptr, getNullVendor().create("cpu", {}));
  EXPECT_EQ("null", getNullVendor().list()[0].name);
}

} // namespace
