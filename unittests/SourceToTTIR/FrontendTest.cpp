//===- FrontendTest.cpp - kernels to TTIR, and their errors ---------------===//
#include "tessera/SourceToTTIR/Frontend.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace tessera;

namespace {

constexpr const char *kPrelude = "import torch\nimport triton\nimport triton.language as tl\n"
                                 "N = 4\nC = tl.constexpr(8)\nD = C\n"
                                 "def helper(x):\n  return x\n";

/// The TTIR of a one-kernel module, or the first diagnostic's message.
std::string translate(const std::string &parameters, const std::string &body,
                      const std::string &signature) {
  DiagnosticEngine diagnostics;
  std::string text = std::string(kPrelude) + "@triton.jit\ndef k(" + parameters + "):\n";
  for (llvm::StringRef line : llvm::split(llvm::StringRef(body), ';'))
    text += "  " + line.str() + "\n";
  auto module = SourceModule::fromText("k.py", text, diagnostics);
  if (!module)
    return diagnostics.diagnostics()[0].message;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto entries = parseSignature(signature);
  if (!entries)
    return llvm::toString(entries.takeError());
  auto kernel = module->translate(context, "k", *entries, diagnostics);
  if (!kernel)
    return diagnostics.diagnostics().empty() ? "?" : diagnostics.diagnostics()[0].message;
  std::string ir;
  llvm::raw_string_ostream os(ir);
  kernel->module->print(os);
  return ir;
}

bool contains(const std::string &text, const std::string &part) {
  EXPECT_NE(text.find(part), std::string::npos) << text << "\nlacks: " << part;
  return true;
}

TEST(Frontend, FoldsConstantsWithPythonSemantics) {
  std::string ir = translate("p, X: tl.constexpr", "tl.store(p, -7 // X + (2 ** 5) % X)", "*i32,3");
  contains(ir, "arith.constant -1 : i32"); // -3 + 2
}

TEST(Frontend, ReadsConstexprGlobalsOnly) {
  contains(translate("p", "tl.store(p, C * D)", "*i32"), "arith.constant 64 : i32");
  contains(translate("p", "tl.store(p, N)", "*i32"), "a plain global");
  contains(translate("p", "tl.store(p, helper(1))", "*i32"), "without @triton.jit");
  contains(translate("p", "tl.store(p, torch.tensor(1))", "*i32"), "cannot be used in a kernel");
}

TEST(Frontend, ComparesWithoutWeakTyping) {
  std::string ir = translate("p, n", "x = tl.load(p) < 0.5;tl.store(p, x)", "*fp16,i32");
  contains(ir, "arith.extf");
  contains(ir, "arith.cmpf olt");
}

TEST(Frontend, CastsUnsignedOffsetsByZeros) {
  std::string ir = translate("p, n", "tl.store(p + n, 1)", "*i32,u32");
  contains(ir, "arith.extui");
}

TEST(Frontend, BoolsInMemoryAreBytes) {
  std::string ir = translate("p", "tl.store(p, tl.load(p))", "*u1");
  contains(ir, "tt.bitcast");
  contains(ir, "tt.load %0 : !tt.ptr<i8>");
}

TEST(Frontend, ChoosesConstexprBranches) {
  std::string ir = translate("p, F: tl.constexpr",
                             "if F is None: tl.store(p, 1);else: tl.store(p, 2)", "*i32,None");
  contains(ir, "arith.constant 1 : i32");
  EXPECT_EQ(ir.find("constant 2"), std::string::npos);
}

TEST(Frontend, NamesWhatIsNotTranslated) {
  contains(translate("p", "with p: pass", "*i32"), "'with' needs a context manager");
  contains(translate("p", "x = lambda: 1", "*i32"), "a lambda is not part of the kernel language");
  contains(translate("p", "tl.laod(p)", "*i32"), "did you mean 'load'?");
  contains(translate("p", "a = b = 1", "*i32"), "chained assignment");
  contains(translate("p", "x = yy", "*i32"), "'yy' is not defined");
}

TEST(Frontend, ChecksTypes) {
  contains(translate("p", "tl.store(p, p + p)", "*i32"), "does not take");
  contains(translate("p", "tl.store(p, tl.arange(0, 3))", "*i32"), "must be a power of two, got 3");
  contains(translate("p", "tl.store(p, tl.arange(0, 2 ** 21))", "*i32"), "at most 1048576");
  contains(translate("p", "tl.store(p + tl.arange(0, 4), tl.arange(0, 8))", "*i32"),
           "does not fit the pointer");
  contains(translate("p", "x = tl.load(p) + 200", "*i8"), "does not fit in i8");
  contains(translate("p, n", "x = tl.load(p, mask=n)", "*i8,i32"), "a mask is made of bools");
  contains(translate("p", "x = tl.load(p, other=0)", "*i8"), "only together with a mask");
  contains(translate("p", "tl.store(p, 1)", "*ki32"), "pointer to const");
  contains(translate("p", "x = 1 // 0", "*i8"), "by zero");
  contains(translate("p", "return 1", "*i8"), "a kernel returns nothing");
}

TEST(Frontend, HalfPrecisionBecomesAnIntegerThroughFp32) {
  for (const char *type : {"int8", "uint16", "int64", "int1"}) {
    std::string ir =
        translate("p, q", "tl.store(q, tl.load(p).to(tl." + std::string(type) + "))", "*fp16,*i32");
    contains(ir, "arith.extf");
    EXPECT_EQ(ir.find("fptosi %0 : f16"), std::string::npos) << ir;
  }
  contains(translate("p, q", "tl.store(q, tl.load(p).to(tl.int1))", "*fp8e5,*i32"),
           "cannot convert fp8e5 to u1");
}

TEST(Frontend, FillsWrapAndConditionsAreSplatted) {
  std::string fill = "tl.store(p + tl.arange(0, 4), tl.full((4,), ";
  contains(translate("p", fill + "0xffffffff, tl.int32))", "*i32"), "arith.constant -1 : i32");
  contains(translate("p", fill + "0.5, tl.int1))", "*u1"), "arith.constant true");
  contains(translate("p", fill + "0.0, tl.int32))", "*i32"), "arith.constant 0 : i32");
  contains(translate("p", fill + "1.5, tl.int32))", "*i32"), "is not a constant of the integer");
  contains(translate("p", fill + "-1, tl.uint32))", "*i32"), "is negative");
  contains(translate("p", "tl.store(p, tl.zeros(4, tl.int32))", "*i32"), "a shape is a tuple");
  contains(
      translate("p, n", "i = tl.arange(0, 4);tl.store(p + i, tl.where(n > 0, i, 0))", "*i32,i32"),
      "tensor<4xi1>, tensor<4xi32>");
}

TEST(Frontend, ExpandsSeveralAxes) {
  contains(translate("p", "tl.store(p + tl.expand_dims(tl.arange(0, 4), (0, -1)), 1)", "*i32"),
           "tensor<1x4x1xi32>");
  contains(translate("p", "tl.store(p + tl.expand_dims(tl.arange(0, 4), (0, 0)), 1)", "*i32"),
           "the same axis twice");
  contains(translate("p, n", "tl.store(p + n[:, None], 1)", "*i32,i32"), "tensor<1x!tt.ptr<i32>>");
}

TEST(Frontend, ComputesWithTuplesAsPythonDoes) {
  contains(translate("p", "tl.store(p, ((1, 2) * 3)[5])", "*i32"), "arith.constant 2 : i32");
  contains(translate("p", "tl.store(p, (1, 2, 3, 4)[1:-1][1])", "*i32"), "arith.constant 3 : i32");
  contains(translate("p", "tl.store(p, (1, 2, 3)[::-1][0])", "*i32"), "arith.constant 3 : i32");
  contains(translate("p", "tl.store(p, len((1, 2, 3)[10:]))", "*i32"), "arith.constant 0 : i32");
  contains(translate("p", "tl.store(p, (1, 2)[::0])", "*i32"), "cannot be 0");
}

TEST(Frontend, DividesAsPythonDoes) {
  contains(translate("p", "tl.store(p, 1.0 // 0.1)", "*fp64"), "arith.constant 9.0");
  contains(translate("p", "tl.store(p, -5.5 % 2)", "*fp64"), "arith.constant 5.0");
  contains(translate("p", "tl.store(p, 2 ** 53 + 1 == 2.0 ** 53)", "*i32"), "arith.constant false");
  contains(translate("p", "tl.store(p, 0 ** -1)", "*i32"), "no real result");
  contains(translate("p", "tl.store(p, (-8) ** 0.5)", "*i32"), "no real result");
  contains(translate("p", "tl.store(p, 0 << 100000)", "*i32"), "arith.constant 0 : i32");
  contains(translate("p", "tl.store(p, min(float('nan'), 1))", "*fp32"), "compile-time NaN");
}

TEST(Frontend, DeclaresConstantsOnce) {
  contains(translate("p", "x = 4;x: tl.constexpr = 5", "*i32"), "is already defined");
  contains(translate("p, N: tl.constexpr", "N: tl.constexpr = 5", "*i32,4"), "is already defined");
  contains(translate("p", "x = tl.load", "*i32"), "cannot be assigned");
  contains(translate("p", "tl.store(p, 1 if 'a' else 2)", "*i32"), "a bool, an int or None");
  contains(translate("p, N: tl.constexpr", "tl.static_assert(N)", "*i32,4"), "takes a bool");
}

TEST(Frontend, KnowsWhatPythonOffers) {
  contains(translate("p", "print('x')", "*i32"), "tt.print");
  contains(translate("p", "tl.store(p, abs(-1))", "*i32"), "use tl.abs");
  contains(translate("p", "tl.store(p, int('12') + len('ab'))", "*i32"), "arith.constant 14 : i32");
  contains(translate("p, p", "tl.store(p, 1)", "*i32,*i32"), "duplicate argument 'p'");
  contains(translate("p", "x = tl.load", "*i32"), "the function tl.load cannot be assigned");
  contains(translate("p", "tl.store(p, tl.cg(1))", "*i32"), "has no 'cg'");
  contains(translate("p", "tl.store(p, 1.5.to(tl.int32))", "*i32"), "write tl.cast(...)");
  contains(translate("p", "tl.store(p, +tl.load(p))", "*i32"), "unary '+' does not take");
}

TEST(Frontend, ChecksTheSignature) {
  std::string text = translate("x_ptr, n, B: tl.constexpr", "pass", "*fp32,i32");
  contains(text, "the signature has 2 entries and 'k' takes 3");
  contains(text, "1. x_ptr: a type, such as *fp32");
  contains(text, "3. B: a constant, such as 64   <- missing");
  contains(translate("x, B: tl.constexpr", "pass", "*fp32,i32"), "'B' is a tl.constexpr");
  contains(translate("*args", "pass", ""), "a fixed list of parameters");
}

TEST(Frontend, DeepExpressionsEnd) {
  std::string sum = "1";
  for (int i = 0; i < 900; ++i)
    sum += " + 1";
  contains(translate("p", "tl.store(p, " + sum + ")", "*i32"), "arith.constant 901 : i32");
}

TEST(Frontend, TheLanguageHasTwoNames) {
  const char *texts[] = {
      "import tessera\nimport tessera.language as tl\n@tessera.jit\ndef k(p):\n"
      "  tl.store(p, tessera.cdiv(65, 2))\n",
      "from tessera import jit, language as tl\nfrom tessera.language import store as put\n"
      "N = tl.constexpr(33)\n@jit(noinline=False)\ndef k(p):\n  put(p, N)\n"};
  for (const char *text : texts) {
    DiagnosticEngine diagnostics;
    auto module = SourceModule::fromText("k.py", text, diagnostics);
    ASSERT_TRUE(module);
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    auto kernel = module->translate(context, "k", *parseSignature("*i32"), diagnostics);
    ASSERT_TRUE(kernel) << diagnostics.render();
    std::string ir;
    llvm::raw_string_ostream os(ir);
    kernel->module->print(os);
    contains(ir, "arith.constant 33 : i32");
  }
}

} // namespace
