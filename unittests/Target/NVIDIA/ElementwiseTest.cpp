//===- ElementwiseTest.cpp - every op on every type reaches PTX -----------===//
// LLVM's back end ends the process on what it cannot select, so each pair of an
// op and a type is taken through it once. Where a pair is not implemented it must
// say so.
//===----------------------------------------------------------------------===//
#include "CompileStages.h"
#include "tessera/Target/NVIDIA/Spec.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace tessera::nvidia;

static const std::string integers[] = {"i1", "i8", "i16", "i32", "i64"};
static const std::string floats[] = {"f16", "bf16", "f32", "f64"};

/// A kernel that loads `operands` values of type `in`, applies `op` (with {0}, {1}, {2}
/// for the values and {3} for the types) and stores a value of type `out`.
static std::string kernelText(const std::string &op, unsigned operands, const std::string &in,
                              const std::string &out, bool isTensor) {
  auto shaped = [&](const std::string &type) {
    return isTensor ? "tensor<64x" + type + ">" : type;
  };
  std::string text = "tt.func public @k(%p: !tt.ptr<" + in + ">, %q: !tt.ptr<" + out + ">) {\n";
  auto address = [&](const std::string &name, const std::string &base, const std::string &type) {
    if (!isTensor)
      return;
    text += "  %s" + name + " = tt.splat " + base + " : !tt.ptr<" + type + "> -> " +
            shaped("!tt.ptr<" + type + ">") + "\n  %" + name + " = tt.addptr %s" + name +
            ", %r : " + shaped("!tt.ptr<" + type + ">") + ", tensor<64xi32>\n";
  };
  if (isTensor)
    text += "  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>\n";
  address("pp", "%p", in);
  address("qq", "%q", out);
  for (unsigned i = 0; i < operands; ++i)
    text += "  %v" + std::to_string(i) + " = tt.load " + (isTensor ? "%pp" : "%p") +
            " {isVolatile = true} : " + shaped("!tt.ptr<" + in + ">") + "\n";
  text += "  %w = " + op + " : " + shaped(in) +
          (in == out || op.find("cmp") != std::string::npos ? "" : " to " + shaped(out)) + "\n";
  text += std::string("  tt.store ") + (isTensor ? "%qq" : "%q") +
          ", %w : " + shaped("!tt.ptr<" + out + ">") + "\n  tt.return\n}\n";
  return text;
}

/// Scalars on the oldest and the newest chip, tensors on the newest: what the
/// others have lies between.
static void expectCompiles(const std::string &op, unsigned operands, const std::string &in,
                           const std::string &out) {
  std::pair<const char *, bool> cases[] = {
      {"cuda:80", false}, {"cuda:90", false}, {"cuda:90", true}};
  for (auto [target, isTensor] : cases) {
    CompileRequest request{.target = target};
    request.options.numWarps = 1;
    std::string text = kernelText(op, operands, in, out, isTensor);
    Compiled kernel = compileStages(text, request);
    EXPECT_TRUE(kernel.ok()) << target << "\n" << text << kernel.diagnostics;
    EXPECT_NE(kernel.assembly.find("st.global"), std::string::npos);
  }
}

TEST(Elementwise, Integers) {
  for (const char *op : {"addi", "subi", "muli", "divsi", "divui", "remsi", "remui", "andi", "ori",
                         "xori", "shli", "shrsi", "shrui", "maxsi", "minsi", "maxui", "minui"})
    for (const std::string &type : integers)
      expectCompiles(llvm::formatv("arith.{0} %v0, %v1", op), 2, type, type);
  for (const std::string &type : integers) {
    expectCompiles("math.absi %v0", 1, type, type);
    expectCompiles("tt.mulhiui %v0, %v1", 2, type, type);
  }
}

TEST(Elementwise, Floats) {
  for (const char *op :
       {"addf", "subf", "mulf", "divf", "remf", "maximumf", "minimumf", "maxnumf", "minnumf"})
    for (const std::string &type : floats)
      expectCompiles(llvm::formatv("arith.{0} %v0, %v1", op), 2, type, type);
  for (const char *op : {"arith.negf", "math.absf", "math.floor", "math.ceil"})
    for (const std::string &type : floats)
      expectCompiles(llvm::formatv("{0} %v0", op), 1, type, type);
  for (const std::string &type : floats) {
    expectCompiles("math.fma %v0, %v1, %v2", 3, type, type);
    expectCompiles("tt.clampf %v0, %v1, %v2, propagateNan = none", 3, type, type);
    expectCompiles("tt.clampf %v0, %v1, %v2, propagateNan = all", 3, type, type);
    expectCompiles("tt.precise_divf %v0, %v1", 2, type, type);
    expectCompiles("tt.precise_sqrt %v0", 1, type, type);
  }
}

TEST(Elementwise, Comparisons) {
  for (const char *predicate : {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"})
    for (const std::string &type : integers)
      expectCompiles(llvm::formatv("arith.cmpi {0}, %v0, %v1", predicate), 2, type, "i1");
  for (const char *predicate : {"oeq", "one", "olt", "ole", "ogt", "oge", "ord", "uno", "une"})
    for (const std::string &type : floats)
      expectCompiles(llvm::formatv("arith.cmpf {0}, %v0, %v1", predicate), 2, type, "i1");
}

TEST(Elementwise, CastsBetweenIntegers) {
  for (auto [i, narrow] : llvm::enumerate(integers))
    for (const std::string &wide : llvm::drop_begin(integers, i + 1)) {
      expectCompiles("arith.extsi %v0", 1, narrow, wide);
      expectCompiles("arith.extui %v0", 1, narrow, wide);
      expectCompiles("arith.trunci %v0", 1, wide, narrow);
    }
}

TEST(Elementwise, CastsBetweenIntegersAndFloats) {
  for (const std::string &integer : integers)
    for (const std::string &number : floats) {
      expectCompiles("arith.sitofp %v0", 1, integer, number);
      expectCompiles("arith.uitofp %v0", 1, integer, number);
      expectCompiles("arith.fptosi %v0", 1, number, integer);
      expectCompiles("arith.fptoui %v0", 1, number, integer);
    }
}

TEST(Elementwise, CastsBetweenFloats) {
  for (const std::string half : {"f16", "bf16"}) {
    expectCompiles("arith.extf %v0", 1, half, "f32");
    expectCompiles("arith.extf %v0", 1, half, "f64");
    expectCompiles("arith.truncf %v0", 1, "f32", half);
    expectCompiles("arith.truncf %v0", 1, "f64", half);
  }
  expectCompiles("arith.extf %v0", 1, "f32", "f64");
  expectCompiles("arith.truncf %v0", 1, "f64", "f32");
  expectCompiles("arith.bitcast %v0", 1, "f32", "i32");
  expectCompiles("arith.bitcast %v0", 1, "bf16", "i16");
}

/// tt.fp_to_fp spells its types with an arrow.
static std::string floatCastText(const std::string &in, const std::string &out, bool towardZero) {
  std::string rounding = towardZero ? ", rounding = rtz" : ", rounding = rtne";
  return "tt.func public @k(%p: !tt.ptr<" + in + ">, %q: !tt.ptr<" + out + ">) {\n" +
         "  %v = tt.load %p : !tt.ptr<" + in + ">\n  %w = tt.fp_to_fp %v" + rounding + " : " + in +
         " -> " + out + "\n  tt.store %q, %w : !tt.ptr<" + out + ">\n  tt.return\n}\n";
}

TEST(Elementwise, FloatFormats) {
  std::string formats[] = {"f8E4M3FN", "f8E5M2", "f16", "bf16", "f32", "f64"};
  for (const NvidiaSpec &spec : NvidiaSpec::all())
    for (const std::string &in : formats)
      for (const std::string &out : formats)
        for (bool towardZero : {false, true}) {
          if (in == out)
            continue;
          CompileRequest request{.target = "cuda:" + std::to_string(spec.capability)};
          Compiled kernel = compileStages(floatCastText(in, out, towardZero), request);
          bool isFP8 = in[1] == '8' || out[1] == '8';
          if (!isFP8 && !towardZero)
            EXPECT_TRUE(kernel.ok()) << kernel.diagnostics;
          if (isFP8 && !towardZero && spec.hasPackedFP8Convert() && in != "f64" &&
              !(in[1] == '8' && out[1] == '8'))
            EXPECT_TRUE(kernel.ok()) << in << " -> " << out << ": " << kernel.diagnostics;
          if (!kernel.ok())
            EXPECT_EQ(kernel.diagnostics.rfind("unsupported: ", 0), 0u) << kernel.diagnostics;
        }
}

TEST(Elementwise, FastMath) {
  for (const std::string &type : {"f16", "bf16", "f32"})
    for (const char *op : {"exp", "exp2", "sqrt", "rsqrt"})
      expectCompiles(llvm::formatv("math.{0} %v0", op), 1, type, type);
}

TEST(Elementwise, LibraryIsNamedWhereItIsMissing) {
  for (const char *op : {"log", "log2", "sin", "cos", "erf"}) {
    std::string said =
        compileStages(kernelText(llvm::formatv("math.{0} %v0", op), 1, "f32", "f32", false))
            .diagnostics;
    EXPECT_EQ(said, llvm::formatv("unsupported: kernel 'k' calls '__nv_{0}f' of libdevice, and "
                                  "there is no libdevice.10.bc; install a CUDA toolkit\n",
                                  op)
                        .str());
  }
}
