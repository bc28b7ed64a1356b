//===- AxisInfoTest.cpp - what the analysis finds, kernel by kernel -------===//
#include "tessera/TTGIR/Analysis/AxisInfo.h"
#include "tessera/TTGIR/IR/TTGDialect.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tessera;

namespace {
class AxisInfoTest : public testing::Test {
protected:
  AxisInfoTest() : context(registry(), MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
  }

  static DialectRegistry registry() {
    DialectRegistry registry;
    registry.insert<tt::TTDialect, ttg::TTGDialect, scf::SCFDialect, LLVM::LLVMDialect>();
    return registry;
  }

  /// Analyses a module; the value asked for is the operand of the store (or the call of
  /// @use) of that number.
  void analyse(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    analysis = std::make_unique<AxisInfoAnalysis>(*module);
    ASSERT_TRUE(analysis->isValid());
  }
  /// The body of a kernel over p: f32 pointer, n: i32, both multiples of 16.
  void analyseBody(StringRef body) {
    analyse(("module {\n tt.func private @use(i32)\n tt.func public @f("
             "%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, "
             "%n: i32 {tt.divisibility = 16 : i32}, %m: i32) {\n" +
             body + "\n tt.return\n }\n}")
                .str());
  }
  /// Returns the axis info of the value whose op has the attribute {name}.
  std::string info(StringRef name) {
    std::string text = "no such op";
    module->walk([&](Operation *op) {
      if (!op->hasAttr(name))
        return;
      text.clear();
      llvm::raw_string_ostream os(text);
      analysis->get(op->getResult(0)).print(os);
    });
    return text;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<AxisInfoAnalysis> analysis;
};
} // namespace

static std::string claims(StringRef contiguity, StringRef divisibility, StringRef constancy,
                          StringRef constant = "<none>") {
  return ("contiguity = [" + contiguity + "], divisibility = [" + divisibility +
          "], constancy = [" + constancy + "], constant_value = " + constant)
      .str();
}

static constexpr const char *zero = "4611686018427387904"; // 2^62, which divides zero

TEST_F(AxisInfoTest, VectorAdd) {
  analyseBody(R"(
    %c1024 = arith.constant 1024 : i32
    %pid = tt.get_program_id x {pid} : i32
    %base = arith.muli %pid, %c1024 {base} : i32
    %range = tt.make_range {end = 1024 : i32, start = 0 : i32, range} : tensor<1024xi32>
    %splat = tt.splat %base {splat} : i32 -> tensor<1024xi32>
    %offs = arith.addi %splat, %range {offs} : tensor<1024xi32>
    %bound = tt.splat %n : i32 -> tensor<1024xi32>
    %mask = arith.cmpi slt, %offs, %bound {mask} : tensor<1024xi32>
    %ptrs = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %addr = tt.addptr %ptrs, %offs {addr} : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %v = tt.load %addr, %mask {load} : tensor<1024x!tt.ptr<f32>>)");
  EXPECT_EQ(info("pid"), claims("1", "1", "1"));
  EXPECT_EQ(info("base"), claims("1", "1024", "1"));
  EXPECT_EQ(info("range"), claims("1024", zero, "1"));
  EXPECT_EQ(info("splat"), claims("1", "1024", "1024"));
  EXPECT_EQ(info("offs"), claims("1024", "1024", "1"));
  EXPECT_EQ(info("mask"), claims("1", "1", "16"));
  EXPECT_EQ(info("addr"), claims("1024", "16", "1"));
  EXPECT_EQ(info("load"), claims("1", "1", "1"));

  Operation *load = nullptr;
  module->walk([&](tt::LoadOp op) { load = op; });
  SmallVector<AccessFacts> facts =
      analysis->accessFacts(cast<tt::LoadOp>(load).getPtr(), cast<tt::LoadOp>(load).getMask());
  ASSERT_EQ(facts.size(), 1u);
  EXPECT_EQ(facts[0].contiguity, 1024);
  EXPECT_EQ(facts[0].divisibilityBytes, 16);
  EXPECT_EQ(facts[0].maskConstancy, 16);
}

TEST_F(AxisInfoTest, RowsOfAMatrix) {
  analyseBody(R"(
    %rows = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %cols = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %r = tt.expand_dims %rows {axis = 1 : i32, r} : tensor<128xi32> -> tensor<128x1xi32>
    %stride = tt.splat %n : i32 -> tensor<128x1xi32>
    %ro = arith.muli %r, %stride {ro} : tensor<128x1xi32>
    %c = tt.expand_dims %cols {axis = 0 : i32, c} : tensor<64xi32> -> tensor<1x64xi32>
    %rb = tt.broadcast %ro {rb} : tensor<128x1xi32> -> tensor<128x64xi32>
    %cb = tt.broadcast %c {cb} : tensor<1x64xi32> -> tensor<128x64xi32>
    %o = arith.addi %rb, %cb {o} : tensor<128x64xi32>
    %ptrs = tt.splat %p : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>>
    %addr = tt.addptr %ptrs, %o {addr} : tensor<128x64x!tt.ptr<f32>>, tensor<128x64xi32>)");
  EXPECT_EQ(info("r"), claims("128, 1", std::string(zero) + ", 1", "1, 1"));
  EXPECT_EQ(info("ro"), claims("1, 1", "16, 16", "1, 1"));
  EXPECT_EQ(info("rb"), claims("1, 1", "16, 16", "1, 64"));
  EXPECT_EQ(info("cb"), claims("1, 64", "1, " + std::string(zero), "128, 1"));
  EXPECT_EQ(info("o"), claims("1, 64", "1, 16", "1, 1"));
  EXPECT_EQ(info("addr"), claims("1, 64", "4, 16", "1, 1"));
}

TEST_F(AxisInfoTest, QuotientAndRemainderOfAFlatIndex) {
  // xindex // 64 and xindex % 64, as generated code likes to write them.
  analyseBody(R"(
    %c1024 = arith.constant 1024 : i32
    %pid = tt.get_program_id x : i32
    %base = arith.muli %pid, %c1024 : i32
    %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
    %splat = tt.splat %base : i32 -> tensor<1024xi32>
    %x = arith.addi %splat, %range : tensor<1024xi32>
    %c64 = arith.constant dense<64> : tensor<1024xi32>
    %c96 = arith.constant dense<96> : tensor<1024xi32>
    %q = arith.divsi %x, %c64 {q} : tensor<1024xi32>
    %r = arith.remsi %x, %c64 {r} : tensor<1024xi32>
    %q96 = arith.divsi %x, %c96 {q96} : tensor<1024xi32>
    %r96 = arith.remsi %x, %c96 {r96} : tensor<1024xi32>
    %back = arith.muli %q, %c64 {back} : tensor<1024xi32>
    %same = arith.addi %back, %r {same} : tensor<1024xi32>)");
  EXPECT_EQ(info("q"), claims("1", "1", "64"));
  EXPECT_EQ(info("r"), claims("64", "64", "1"));
  EXPECT_EQ(info("q96"), claims("1", "1", "32"));
  EXPECT_EQ(info("r96"), claims("32", "32", "1"));
  EXPECT_EQ(info("back"), claims("1", "64", "64"));
  EXPECT_EQ(info("same"), claims("64", "64", "1"));
}

TEST_F(AxisInfoTest, SignedDivisionOfWhatMayBeNegative) {
  // -8 .. -1 over 4 gives -2 -1 -1 -1 -1 0 0 0: no stretch is constant.
  analyseBody(R"(
    %below = tt.make_range {end = 0 : i32, start = -8 : i32} : tensor<8xi32>
    %c4 = arith.constant dense<4> : tensor<8xi32>
    %s2 = arith.constant dense<2> : tensor<8xi32>
    %q = arith.divsi %below, %c4 {q} : tensor<8xi32>
    %r = arith.remsi %below, %c4 {r} : tensor<8xi32>
    %uq = arith.divui %below, %c4 {uq} : tensor<8xi32>
    %ur = arith.remui %below, %c4 {ur} : tensor<8xi32>
    %sh = arith.shrsi %below, %s2 {sh} : tensor<8xi32>)");
  EXPECT_EQ(info("q"), claims("1", "1", "1"));
  EXPECT_EQ(info("r"), claims("1", "1", "1"));
  EXPECT_EQ(info("uq"), claims("1", "1", "4")) << "unsigned rounds down";
  EXPECT_EQ(info("ur"), claims("4", "4", "1"));
  EXPECT_EQ(info("sh"), claims("1", "1", "4")) << "a shift rounds down";
}

TEST_F(AxisInfoTest, SumsOfRunsAreNotRuns) {
  analyseBody(R"(
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %twice = arith.addi %range, %range {twice} : tensor<64xi32>
    %c2 = arith.constant dense<2> : tensor<64xi32>
    %even = arith.muli %range, %c2 {even} : tensor<64xi32>
    %less = arith.subi %range, %c2 {less} : tensor<64xi32>
    %from = arith.subi %c2, %range {from} : tensor<64xi32>)");
  EXPECT_EQ(info("twice"), claims("1", "1", "1")) << "0, 2, 4 ..: not multiples of 64";
  EXPECT_EQ(info("even"), claims("1", "2", "1"));
  EXPECT_EQ(info("less"), claims("64", "2", "1"));
  EXPECT_EQ(info("from"), claims("1", "1", "1"));
}

TEST_F(AxisInfoTest, ShorterStretchesCutRunsAndTheirDivisors) {
  // Runs of 64 from multiples of 64, on stretches of 4: runs of 4 from multiples of 4.
  analyseBody(R"(
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %c4 = arith.constant dense<4> : tensor<64xi32>
    %c64 = arith.constant dense<64> : tensor<64xi32>
    %q = arith.divsi %range, %c4 : tensor<64xi32>
    %steps = arith.muli %q, %c64 {steps} : tensor<64xi32>
    %o = arith.addi %steps, %range {o} : tensor<64xi32>)");
  EXPECT_EQ(info("steps"), claims("1", "64", "4"));
  EXPECT_EQ(info("o"), claims("4", "4", "1"));
}

TEST_F(AxisInfoTest, BitsAsArithmetic) {
  analyseBody(R"(
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %c15 = arith.constant dense<15> : tensor<64xi32>
    %high = arith.constant dense<-16> : tensor<64xi32>
    %c64 = arith.constant dense<64> : tensor<64xi32>
    %low = arith.andi %range, %c15 {low} : tensor<64xi32>
    %down = arith.andi %range, %high {down} : tensor<64xi32>
    %or = arith.ori %range, %c64 {or} : tensor<64xi32>
    %bad = arith.ori %range, %c15 {bad} : tensor<64xi32>)");
  EXPECT_EQ(info("low"), claims("16", "16", "1"));
  EXPECT_EQ(info("down"), claims("1", "16", "16"));
  EXPECT_EQ(info("or"), claims("64", "64", "1"));
  EXPECT_EQ(info("bad"), claims("1", "1", "1"));
}

TEST_F(AxisInfoTest, Comparisons) {
  analyseBody(R"(
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %bound = tt.splat %n : i32 -> tensor<64xi32>
    %other = tt.splat %m : i32 -> tensor<64xi32>
    %lt = arith.cmpi slt, %range, %bound {lt} : tensor<64xi32>
    %le = arith.cmpi sle, %range, %bound {le} : tensor<64xi32>
    %gt = arith.cmpi sgt, %bound, %range {gt} : tensor<64xi32>
    %eq = arith.cmpi eq, %range, %bound {eq} : tensor<64xi32>
    %odd = arith.cmpi slt, %range, %other {odd} : tensor<64xi32>
    %all = arith.cmpi slt, %bound, %other {all} : tensor<64xi32>)");
  EXPECT_EQ(info("lt"), claims("1", "1", "16"));
  EXPECT_EQ(info("le"), claims("1", "1", "1")) << "true for the bound itself only";
  EXPECT_EQ(info("gt"), claims("1", "1", "16"));
  EXPECT_EQ(info("eq"), claims("1", "1", "1"));
  EXPECT_EQ(info("odd"), claims("1", "1", "1"));
  EXPECT_EQ(info("all"), claims("1", "1", "64"));
}

TEST_F(AxisInfoTest, LoopsKeepWhatEveryIterationConfirms) {
  analyseBody(R"(
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %ptrs = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %first = tt.addptr %ptrs, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %step = arith.constant dense<64> : tensor<64xi32>
    %odd = arith.constant dense<1> : tensor<64xi32>
    %last:2 = scf.for %i = %c0 to %n step %c64 iter_args(%a = %first, %b = %first)
        -> (tensor<64x!tt.ptr<f32>>, tensor<64x!tt.ptr<f32>>) : i32 {
      %iv = tt.splat %i {iv} : i32 -> tensor<64xi32>
      %na = tt.addptr %a, %step {na} : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
      %nb = tt.addptr %b, %odd {nb} : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
      scf.yield %na, %nb : tensor<64x!tt.ptr<f32>>, tensor<64x!tt.ptr<f32>>
    } {loop})");
  EXPECT_EQ(info("iv"), claims("1", "64", "64"));
  EXPECT_EQ(info("na"), claims("64", "16", "1"));
  EXPECT_EQ(info("nb"), claims("64", "4", "1"));
  EXPECT_EQ(info("loop"), claims("64", "16", "1"));
}

TEST_F(AxisInfoTest, BranchesJoin) {
  analyseBody(R"(
    %c16 = arith.constant 16 : i32
    %c24 = arith.constant 24 : i32
    %b = arith.cmpi slt, %n, %m : i32
    %x = scf.if %b -> (i32) {
      scf.yield %c16 : i32
    } else {
      scf.yield %c24 : i32
    } {x}
    %undefined = ub.poison : i32
    %y = scf.if %b -> (i32) {
      scf.yield %c16 : i32
    } else {
      scf.yield %undefined : i32
    } {y}
    %z = arith.select %b, %undefined, %c24 {z} : i32)");
  EXPECT_EQ(info("x"), claims("1", "8", "1"));
  EXPECT_EQ(info("y"), claims("1", "16", "1", "16")) << "poison may be taken for anything";
  EXPECT_EQ(info("z"), claims("1", "8", "1", "24"));
}

TEST_F(AxisInfoTest, SignsThatAreAssumed) {
  // %m may be negative, so %q may; unless somebody says that it is not.
  StringRef program = R"(
    %pid = tt.get_program_id x : i32
    %q = arith.addi %pid, %m : i32
    ASSUME
    %c128 = arith.constant 128 : i32
    %base = arith.muli %q, %c128 : i32
    %splat = tt.splat %base : i32 -> tensor<128xi32>
    %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %x = arith.addi %splat, %range : tensor<128xi32>
    %bound = tt.splat %n : i32 -> tensor<128xi32>
    %r = arith.remsi %x, %bound {r} : tensor<128xi32>)";
  auto with = [&](StringRef assumption) {
    auto [before, after] = program.split("ASSUME");
    analyseBody((before + assumption + after).str());
    return info("r");
  };
  std::string runs = claims("16", "16", "1"), nothing = claims("1", "1", "1");
  EXPECT_EQ(with(""), nothing);
  EXPECT_EQ(with("%z = arith.constant 0 : i32\n %a = arith.cmpi sge, %q, %z : i32\n"
                 "llvm.intr.assume %a : i1"),
            runs);
  EXPECT_EQ(with("%z = arith.constant 0 : i32\n %a = arith.cmpi slt, %z, %m : i32\n"
                 "llvm.intr.assume %a : i1"),
            runs)
      << "an assumption about an argument reaches what comes from it";
  EXPECT_EQ(with("%z = arith.constant -4 : i32\n %a = arith.cmpi sge, %q, %z : i32\n"
                 "llvm.intr.assume %a : i1"),
            nothing);
  EXPECT_EQ(with("%z = arith.constant 0 : i32\n %a = arith.cmpi sge, %q, %z : i32\n"
                 "scf.if %a {\n llvm.intr.assume %a : i1\n}"),
            nothing)
      << "not always reached";
}

TEST_F(AxisInfoTest, ArgumentsThatAreNotNegative) {
  for (bool promised : {false, true}) {
    analyse(("module { tt.func public @f(%n: i32 {tt.divisibility = 16 : i32" +
             StringRef(promised ? ", tt.nonnegative" : "") + R"(}) {
      %s = tt.splat %n : i32 -> tensor<64xi32>
      %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
      %x = arith.addi %s, %range : tensor<64xi32>
      %c8 = arith.constant dense<8> : tensor<64xi32>
      %q = arith.divsi %x, %c8 {q} : tensor<64xi32>
      tt.return
    }})")
                .str());
    EXPECT_EQ(info("q"), claims("1", "1", promised ? "8" : "1"));
  }
}

TEST_F(AxisInfoTest, TilesOfGroupedProgramsAreNotNegative) {
  // The index arithmetic of a grouped matrix product, and a row of B.
  analyse(R"(module { tt.func public @f(%m: i32, %n: i32 {tt.divisibility = 16 : i32}) {
      %pid = tt.get_program_id x : i32
      %c8 = arith.constant 8 : i32
      %c64 = arith.constant 64 : i32
      %width = arith.muli %n, %c8 : i32
      %group = arith.divsi %pid, %width : i32
      %first = arith.muli %group, %c8 : i32
      %rest = arith.subi %m, %first : i32
      %size = arith.minsi %rest, %c8 : i32
      %in = arith.remsi %pid, %width : i32
      %tile = arith.divsi %in, %size : i32
      %start = arith.muli %tile, %c64 : i32
      %s = tt.splat %start : i32 -> tensor<64xi32>
      %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
      %x = arith.addi %s, %range : tensor<64xi32>
      %ns = tt.splat %n : i32 -> tensor<64xi32>
      %row = arith.remsi %x, %ns {row} : tensor<64xi32>
      %late = arith.subi %s, %ns : tensor<64xi32>
      %y = arith.addi %late, %range : tensor<64xi32>
      %other = arith.remsi %y, %ns {other} : tensor<64xi32>
      tt.return
    }})");
  EXPECT_EQ(info("row"), claims("16", "16", "1"));
  EXPECT_EQ(info("other"), claims("1", "1", "1")) << "a difference may be negative";
}

TEST_F(AxisInfoTest, HintsAddToWhatIsKnown) {
  analyseBody(R"(
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %other = tt.splat %m : i32 -> tensor<64xi32>
    %a = arith.addi %range, %other {a, tt.divisibility = dense<8> : tensor<1xi32>} : tensor<64xi32>
    %b = arith.muli %range, %other {b, tt.divisibility = dense<32> : tensor<1xi32>,
                                    tt.contiguity = dense<1024> : tensor<1xi32>} : tensor<64xi32>
    %c = arith.muli %range, %other {c, tt.constancy = dense<4> : tensor<1xi32>} : tensor<64xi32>)");
  EXPECT_EQ(info("a"), claims("64", "8", "1"));
  EXPECT_EQ(info("b"), claims("64", "32", "1")) << "no longer than the tensor";
  EXPECT_EQ(info("c"), claims("1", "1", "4"));
}

TEST_F(AxisInfoTest, HintsOnWhatALoopCarries) {
  // The frontend casts the argument to its own type; all uses see the cast. Every iteration
  // goes on from it, so nothing need be known of the step.
  analyseBody(R"(
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %address = arith.extsi %m : i32 to i64
    %row = tt.int_to_ptr %address : i64 -> !tt.ptr<f16>
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %ptrs = tt.splat %row : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
    %first = tt.addptr %ptrs, %range {first} : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
    %step = tt.splat %m : i32 -> tensor<64xi32>
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%a = %first)
        -> (tensor<64x!tt.ptr<f16>>) : i32 {
      %p16 = tt.bitcast %a {inside, tt.divisibility = dense<16> : tensor<1xi32>}
          : tensor<64x!tt.ptr<f16>> -> tensor<64x!tt.ptr<f16>>
      %next = tt.addptr %p16, %step {next} : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
      scf.yield %next : tensor<64x!tt.ptr<f16>>
    } {loop})");
  EXPECT_EQ(info("first"), claims("64", "1", "1"));
  EXPECT_EQ(info("inside"), claims("64", "16", "1"));
  EXPECT_EQ(info("next"), claims("64", "2", "1"));
  EXPECT_EQ(info("loop"), claims("64", "1", "1")) << "nothing is promised of what follows the loop";
}

TEST_F(AxisInfoTest, HintsOnOneOfSeveralResultsCountForNone) {
  analyseBody(R"(
    %pairs = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %both = tt.reshape %pairs : tensor<64xi32> -> tensor<32x2xi32>
    %half:2 = tt.split %both {half, tt.divisibility = dense<64> : tensor<1xi32>}
        : tensor<32x2xi32> -> tensor<32xi32>)");
  EXPECT_EQ(info("half"), claims("1", "1", "1"));
}

TEST_F(AxisInfoTest, CallsPassWhatTheyKnow) {
  analyse(R"(module {
    tt.func private @helper(%x: i32) -> i32 {
      %c2 = arith.constant 2 : i32
      %y = arith.muli %x, %c2 {y} : i32
      tt.return %y : i32
    }
    tt.func public @f(%n: i32 {tt.divisibility = 16 : i32}) {
      %c24 = arith.constant 24 : i32
      %a = tt.call @helper(%n) {call} : (i32) -> i32
      %b = tt.call @helper(%c24) : (i32) -> i32
      tt.return
    }
  })");
  EXPECT_EQ(info("y"), claims("1", "16", "1"));
  EXPECT_EQ(info("call"), claims("1", "16", "1"));
}

TEST_F(AxisInfoTest, AFunctionAlone) {
  analyseBody("%x = arith.addi %n, %n {x} : i32");
  AxisInfoAnalysis alone(&*std::next(module->getBody()->begin()));
  ASSERT_TRUE(alone.isValid());
  module->walk([&](arith::AddIOp op) { EXPECT_EQ(alone.get(op).divisibility(0), 16); });
}

TEST_F(AxisInfoTest, ConversionsOfLayoutsAndPointers) {
  analyse(R"(
  #b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
  #w = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
  module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32,
                     ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
    tt.func public @f(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
      %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #b>
      %c = ttg.convert_layout %range {c} : tensor<64xi32, #b> -> tensor<64xi32, #w>
      %ptrs = tt.splat %p : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>, #w>
      %a = tt.addptr %ptrs, %c {a} : tensor<64x!tt.ptr<f16>, #w>, tensor<64xi32, #w>
      %wide = tt.bitcast %a {wide} : tensor<64x!tt.ptr<f16>, #w> -> tensor<64x!tt.ptr<i32>, #w>
      %same = tt.bitcast %a {same} : tensor<64x!tt.ptr<f16>, #w> -> tensor<64x!tt.ptr<i16>, #w>
      %int = tt.ptr_to_int %a {int} : tensor<64x!tt.ptr<f16>, #w> -> tensor<64xi64, #w>
      tt.return
    }
  })");
  EXPECT_EQ(info("c"), claims("64", zero, "1"));
  EXPECT_EQ(info("a"), claims("64", "16", "1"));
  EXPECT_EQ(info("wide"), claims("1", "2", "1")) << "neighbours are 2 bytes apart, not 4";
  EXPECT_EQ(info("same"), claims("64", "16", "1"));
  EXPECT_EQ(info("int"), claims("1", "2", "1"));
}
