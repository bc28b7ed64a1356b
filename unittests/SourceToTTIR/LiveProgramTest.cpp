//===- LiveProgramTest.cpp - kernels given as data ------------------------===//
#include "tessera/SourceToTTIR/LiveProgram.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <random>

using namespace tessera;
namespace json = llvm::json;

namespace {

//===----------------------------------------------------------------------===//
// Programs as text
//===----------------------------------------------------------------------===//

std::string quoted(llvm::StringRef text) {
  return llvm::formatv("{0}", json::Value(text.str())).str();
}

/// `names` is JSON without the outer braces: "BLOCK": {"int": "4"}.
std::string function(llvm::StringRef name, llvm::StringRef kind, llvm::StringRef text,
                     llvm::StringRef names = "", llvm::StringRef rest = "",
                     llvm::StringRef path = "k.py", unsigned line = 10) {
  return llvm::formatv(R"({{"name": "{0}", "module": "m", "kind": "{1}", "path": "{2}",)"
                       R"( "line": {3}, "text": {4}, "names":)"
                       R"( {{"tl": {{"language": "triton.language"}{5}}{6}})",
                       name, kind, path, line, quoted(text),
                       names.empty() ? "" : ", " + names.str(),
                       rest.empty() ? "" : ", " + rest.str())
      .str();
}

/// A kernel that stores the value of an expression.
std::string storing(llvm::StringRef expression, llvm::StringRef names = "") {
  return function("k", "jit", ("def k(o):\n    tl.store(o, " + expression + ")\n").str(), names);
}

std::string programOf(std::vector<std::string> functions, llvm::StringRef rest = "",
                      llvm::StringRef arguments = R"("*i32")") {
  std::string list;
  for (const std::string &each : functions)
    list += (list.empty() ? "" : ", ") + each;
  return llvm::formatv(R"({{"version": 1, "kernel": 0, "arguments": [{0}], "functions": [{1}]{2}})",
                       arguments, list, rest.empty() ? "" : ", " + rest.str())
      .str();
}

/// The result of a program: the IR, the questions, or the errors.
struct Outcome {
  std::string ir = {}, errors = {}, refusal = {}, name = {};
  std::vector<std::string> questions = {};
  std::vector<KernelArgument> arguments = {};

  std::string all() const {
    std::string text = ir + errors + refusal;
    for (const std::string &question : questions)
      text += question;
    return text;
  }
};

Outcome translate(llvm::StringRef text) {
  Outcome outcome;
  auto program = LiveProgram::read(text);
  if (!program) {
    outcome.refusal = llvm::toString(program.takeError());
    return outcome;
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  DiagnosticEngine diagnostics;
  auto kernel = (*program)->translate(context, diagnostics);
  outcome.questions = (*program)->questions();
  outcome.errors = diagnostics.render();
  if (kernel) {
    llvm::raw_string_ostream os(outcome.ir);
    kernel->module->print(os);
    outcome.arguments = kernel->record.arguments;
    outcome.name = kernel->record.kernelName;
  }
  return outcome;
}

bool has(const std::string &text, llvm::StringRef part) {
  return llvm::StringRef(text).contains(part);
}

#define EXPECT_HAS(text, part) EXPECT_TRUE(has(text, part)) << text
#define EXPECT_IR(outcome, part) EXPECT_TRUE(has((outcome).ir, part)) << (outcome).all()

//===----------------------------------------------------------------------===//
// Values and names
//===----------------------------------------------------------------------===//

TEST(LiveProgram, NamesMeanWhatTheHostSays) {
  Outcome outcome = translate(programOf({storing(
      "BLOCK + cfg.tile.M", R"("BLOCK": {"constexpr": {"int": "4"}}, "cfg": {"module": "cfg",
      "members": {"tile": {"module": "cfg.tile", "members": {"M": {"int": "38"}}}}})")}));
  EXPECT_IR(outcome, "arith.constant 42 : i32");
}

TEST(LiveProgram, PlainGlobalsSayHowToDeclareThem) {
  std::string kernel = storing("BLOCK", R"("BLOCK": {"int": "4"})");
  EXPECT_HAS(translate(programOf({kernel})).errors,
             "k.py:11:17: error: 'BLOCK' cannot be used in a kernel (a plain global; kernels read "
             "globals only as constants, so write BLOCK = tl.constexpr(...))");
  Outcome allowed = translate(programOf({kernel}, R"("plain_globals": true)"));
  EXPECT_IR(allowed, "arith.constant 4 : i32");
}

TEST(LiveProgram, LanguageUnderEitherName) {
  for (std::string root : {"triton", "tessera"}) {
    std::string names = llvm::formatv(
        R"("ar": {{"language": "{0}.language.arange"},
           "total": {{"language": "{0}.language.standard.sum"},
           "lib": {{"language": "{0}.language.extra.libdevice"},
           "cd": {{"language": "{0}.cdiv"}, "both": {{"language": "{0}"},
           "Nan": {{"language": "{0}.language.PropagateNan"},
           "ALL": {{"language": "{0}.language.PropagateNan.ALL"})",
        root);
    Outcome outcome = translate(
        programOf({function("k", "jit",
                            "def k(o):\n"
                            "    x = total(ar(0, 16)) + lib.popc(tl.load(o))\n"
                            "    tl.static_assert(ALL == Nan.ALL)\n"
                            "    tl.store(o, x + cd(65, 2) + both.language.constexpr(900))\n",
                            names)}));
    EXPECT_IR(outcome, "tt.call @sums.sum");
    EXPECT_IR(outcome, "arith.constant 33 : i32");
    EXPECT_IR(outcome, "arith.constant 900 : i32");
  }
}

TEST(LiveProgram, ModulesThatDefineWhatOthersOffer) {
  Outcome outcome = translate(programOf({function(
      "k", "jit", "def k(o):\n    wait()\n    tl.store(o, tl.extra.cuda.utils.num_warps())\n",
      R"("wait": {"language": "triton.language.extra.cuda.gdc.gdc_wait"})")}));
  EXPECT_IR(outcome, "griddepcontrol.wait");
}

TEST(LiveProgram, UnknownPartsOfTheLanguageMatterWhenUsed) {
  std::string names = R"("hip": {"language": "triton.language.extra.hip.thing"},
                         "HIP": {"constexpr": false})";
  Outcome unused = translate(programOf({storing("hip(1) if HIP else 5", names)}));
  EXPECT_IR(unused, "arith.constant 5");
  EXPECT_HAS(translate(programOf({storing("hip(1)", names)})).errors, "does not know");
}

TEST(LiveProgram, Containers) {
  Outcome outcome = translate(programOf(
      {storing("T[0] + D['a'] + len(T[3]) + (0 if T[1] is None else 100)",
               R"("T": {"constexpr": {"tuple": [{"int": "3"}, null, true, {"list": [null, "x"]}]}},
         "D": {"constexpr": {"dict": [["a", {"int": "30"}], ["b", null]]}})")}));
  EXPECT_IR(outcome, "arith.constant 35 : i32");
}

TEST(LiveProgram, NumbersOfAnySize) {
  std::string big = "1" + std::string(60, '0');
  Outcome outcome = translate(programOf(
      {storing("BIG // (BIG - 1)", R"("BIG": {"constexpr": {"int": ")" + big + R"("}})")}));
  EXPECT_IR(outcome, "arith.constant 1 : i32");
  for (auto [text, ir] : {std::pair("-0x1.8p+1", "-3.000000e+00"),
                          {"inf", "0x7F800000"},
                          {"0x0.0p+0", "0.000000e+00"}}) {
    outcome = translate(programOf(
        {storing("F", std::string(R"("F": {"constexpr": {"float": ")") + text + R"("}})")}, "",
        R"("*fp32")"));
    EXPECT_IR(outcome, std::string("arith.constant ") + ir);
  }
}

TEST(LiveProgram, ObjectsHaveAttributes) {
  std::string object = R"({"object": "a Config", "members": {"M": {"int": "6"}}})";
  Outcome outcome =
      translate(programOf({storing("cfg.M * 7", R"("cfg": {"constexpr": )" + object + "}")}));
  EXPECT_IR(outcome, "arith.constant 42 : i32");
  EXPECT_HAS(translate(programOf({storing("cfg.M", R"("cfg": )" + object)})).errors,
             "'cfg' cannot be used in a kernel (a Config; kernels read globals only as constants");
  std::string kernel = function("k", "jit", "def k(o, cfg):\n    tl.store(o, cfg.M + cfg.N)\n");
  outcome = translate(programOf({kernel}, "", R"("*i32", {"constant": )" + object + "}"));
  EXPECT_EQ(outcome.questions,
            std::vector<std::string>{R"({"member":{"function":0,"path":["cfg","N"]}})"});
}

TEST(LiveProgram, MembersOfEnumerationsAreEqualToThemselves) {
  auto member = [](std::string name) {
    return R"({"constexpr": {"object": "Mode.)" + name + R"(", "same": "m.Mode.)" + name + R"("}})";
  };
  std::string names = R"("A": )" + member("A") + R"(, "B": )" + member("B") + R"(, "A2": )" +
                      member("A") + R"(, "same": {"function": 1})";
  Outcome outcome = translate(programOf(
      {storing(
           "(1 if A == A2 else 0) + (10 if A == B else 20) + (100 if A != B else 0) + same(A, B)",
           names),
       function("same", "constexpr",
                "def same(a, b):\n    return 1000 if a == a and a is not b and b != 5 else 0\n")}));
  EXPECT_IR(outcome, "arith.constant 1121 : i32");
  // MODE.value is the member that the constexpr holds, and MODE.value.value its number.
  outcome = translate(programOf(
      {function("k", "jit", "def k(o, MODE):\n    tl.store(o, MODE.value.value + MODE.number)\n")},
      "", R"("*i32", {"constant": {"object": "Mode.A", "same": "m.Mode.A", "members":
            {"value": {"int": "40"}, "number": {"int": "2"}}}})"));
  EXPECT_IR(outcome, "arith.constant 42 : i32");
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

TEST(LiveProgram, FunctionsHaveTheirOwnNamesAndDefaults) {
  Outcome outcome = translate(
      programOf({storing("helper(tl.load(o)) + N",
                         R"("helper": {"function": 1}, "N": {"constexpr": {"int": "1000"}})"),
                 function("helper", "jit", "def helper(x, s=S):\n    return x * s + N\n",
                          R"("N": {"constexpr": {"int": "7"}})",
                          R"("defaults": {"s": {"int": "5"}})", "lib/helpers.py", 3)}));
  EXPECT_IR(outcome, "arith.constant 7 :");
  EXPECT_IR(outcome, "arith.constant 1000 :");
  EXPECT_IR(outcome, "arith.constant 5 :");
  EXPECT_IR(outcome, "@m.helper");
}

TEST(LiveProgram, ErrorsNameTheFileOfTheFunction) {
  Outcome outcome = translate(
      programOf({storing("helper(tl.load(o))", R"("helper": {"function": 1})"),
                 function("helper", "jit", "    def helper(x):\n        return x + missing\n", "",
                          "", "lib/helpers.py", 30)}));
  EXPECT_HAS(outcome.errors, "lib/helpers.py:31:20: error: 'missing' is not defined\n"
                             "        return x + missing\n"
                             "                   ^~~~~~~\n"
                             "k.py:11:17: note: in the call of 'helper' here");
}

TEST(LiveProgram, ATextThatDoesNotParseIsShown) {
  Outcome outcome = translate(programOf({function("k", "jit", "def k(o)\n    pass\n")}));
  EXPECT_HAS(outcome.errors, "k.py:10:9: error: ");
  outcome = translate(programOf(
      {storing("f(1)", R"("f": {"function": 1})"), function("f", "jit", "def f(:\n    pass\n")}));
  EXPECT_HAS(outcome.errors, "k.py:10:7: error: ");
}

TEST(LiveProgram, RecursionEndsAtCompileTime) {
  Outcome outcome =
      translate(programOf({storing("power(tl.load(o), 3)", R"("power": {"function": 1})"),
                           function("power", "jit",
                                    "def power(x, n: tl.constexpr):\n"
                                    "    if n == 0:\n"
                                    "        return x\n"
                                    "    else:\n"
                                    "        return x * power(x, n - 1)\n",
                                    R"("power": {"function": 1})", R"("constexprs": ["n"])")}));
  EXPECT_IR(outcome, "@m.power__3");
  Outcome endless = translate(
      programOf({storing("a(o)", R"("a": {"function": 1})"),
                 function("a", "jit", "def a(x):\n    return b(x)\n", R"("b": {"function": 2})"),
                 function("b", "jit", "def b(x):\n    return a(x)\n", R"("a": {"function": 1})")}));
  EXPECT_HAS(endless.errors, "calls itself");
}

TEST(LiveProgram, FunctionsAsArguments) {
  Outcome outcome = translate(programOf(
      {function("k", "jit", "def k(o, f: tl.constexpr):\n    tl.store(o, f(tl.load(o)))\n", "",
                R"("constexprs": ["f"])"),
       function("twice", "jit", "def twice(x):\n    return x * 2\n")},
      "", R"("*i32", {"constant": {"function": 1}})"));
  EXPECT_IR(outcome, "@m.twice");
  ASSERT_EQ(outcome.arguments.size(), 2u);
  EXPECT_FALSE(outcome.arguments[1].isPassed());
}

TEST(LiveProgram, ConstexprFunctionsRunHere) {
  std::string names = R"("plain": {"function": 2},
      "math": {"module": "math", "members": {"log2": {"function": 3}}})";
  Outcome outcome = translate(programOf(
      {storing("size(8)", R"("size": {"function": 1})"),
       function("size", "constexpr",
                "def size(n, *, extra=0):\n"
                "    return sum([plain(i) for i in range(n)]) + int(math.log2(n)) + extra\n",
                names, R"("defaults": {"extra": {"int": "1000"}})"),
       function("plain", "plain", "plain = lambda x: x * x\n"),
       R"({"name": "log2", "module": "math", "kind": "plain"})"}));
  EXPECT_IR(outcome, "arith.constant 1143 : i32");
}

TEST(LiveProgram, WhatAModuleHasIsCalled) {
  Outcome outcome = translate(programOf(
      {storing("lib.square(6) + lib.logarithm(8)",
               R"("lib": {"module": "lib", "members":
                  {"square": {"function": 1}, "logarithm": {"function": 2}}})"),
       function("square", "plain", "def square(x):\n    return x * x\n"),
       R"({"name": "logarithm", "module": "lib", "kind": "plain"})"},
      R"("calls": [{"function": 2, "arguments": [{"int": "8"}], "result": {"int": "3"}}])"));
  EXPECT_IR(outcome, "arith.constant 39 : i32");
}

TEST(LiveProgram, ConstexprWrapsPlainFunctions) {
  std::string plain = function("f", "plain", "def f(x):\n    return x * x\n");
  Outcome outcome =
      translate(programOf({storing("f(6)", R"("f": {"constexpr": {"function": 1}})"), plain}));
  EXPECT_IR(outcome, "arith.constant 36 : i32");
  EXPECT_HAS(translate(programOf({storing("f(6)", R"("f": {"function": 1})"), plain})).errors,
             "a plain Python function, without @triton.jit");
}

TEST(LiveProgram, TheSymbolIsTheHosts) {
  EXPECT_EQ(translate(programOf({storing("1")}, R"("symbol": "k_64")")).name, "k_64");
  EXPECT_EQ(translate(programOf({storing("1")})).name, "k");
  EXPECT_HAS(translate(programOf({storing("1")}, R"("symbol": "no symbol")")).errors,
             "symbol has only");
}

TEST(LiveProgram, ResultsThatMustBeUsed) {
  Outcome outcome = translate(programOf(
      {function("k", "jit", "def k(o):\n    f(o)\n", R"("f": {"function": 1})"),
       function("f", "jit", "def f(x):\n    return x\n", "", R"("must_use_result": "keep it")")}));
  EXPECT_HAS(outcome.errors, "the result of 'f' is not used; keep it");
}

//===----------------------------------------------------------------------===//
// Classes and arguments
//===----------------------------------------------------------------------===//

TEST(LiveProgram, NamedTuplesAsArguments) {
  Outcome outcome = translate(programOf(
      {function("k", "jit",
                "def k(o, p):\n    tl.store(o, p.scale * tl.load(p.ptr) + p.area() + p[1])\n"),
       function("area", "jit", "def area(self):\n    return self.scale\n")},
      R"("classes": [{"name": "P", "module": "m", "kind": "namedtuple",
          "fields": ["ptr", "scale"], "members": {"area": {"function": 1}}}])",
      R"("*i32", {"tuple": ["*i32:16", {"constant": {"int": "3"}}], "class": 0})"));
  EXPECT_IR(outcome, "arith.constant 3 : i32");
  ASSERT_EQ(outcome.arguments.size(), 3u);
  EXPECT_EQ(outcome.arguments[1].name, "p.ptr");
  EXPECT_EQ(outcome.arguments[1].divisibility, 16u);
  EXPECT_FALSE(outcome.arguments[2].isPassed());
}

TEST(LiveProgram, NamedTuplesAreConstructedWithDefaults) {
  Outcome outcome = translate(
      programOf({storing("P(tl.load(o)).total(5) + Q.offset", R"("P": {"class": 0},
          "Q": {"constexpr": {"tuple": [{"int": "1"}, {"int": "2"}], "class": 0}})"),
                 function("total", "plain", "def total(self, n):\n    return n * 4\n")},
                R"("classes": [{"name": "P", "kind": "namedtuple", "fields": ["x", "offset"],
          "defaults": {"offset": {"int": "7"}}, "members": {"total": {"function": 1}}}])"));
  EXPECT_IR(outcome, "arith.constant 22 : i32");
}

TEST(LiveProgram, AggregatesAreConstructed) {
  std::string type = llvm::formatv(
      R"("classes": [{{"name": "Pair", "kind": "aggregate", "path": "k.py", "line": 1, "text": {0},
          "names": {{"tl": {{"language": "triton.language"}}, "fields": ["x", "N"],
          "members": {{"__init__": {{"function": 1}, "total": {{"function": 2}}}])",
      quoted("class Pair:\n    x: tl.tensor\n    N: tl.constexpr\n"));
  std::vector<std::string> functions = {
      storing("Pair(tl.load(o), 4).total()", R"("Pair": {"class": 0})"),
      function("__init__", "constexpr",
               "    def __init__(self, x, N):\n"
               "        self.x = x\n        self.N = tl.constexpr(N)\n"),
      function("total", "jit", "    def total(self):\n        return self.x + self.N\n")};
  EXPECT_IR(translate(programOf(functions, type)), "@m.total");
  functions[0] = storing("Pair(3, o).total()", R"("Pair": {"class": 0})");
  EXPECT_HAS(translate(programOf(functions, type)).errors, "the field 'x' of 'Pair' cannot be");
}

TEST(LiveProgram, ConstantsOfAnyKind) {
  Outcome outcome =
      translate(programOf({function("k", "jit",
                                    "def k(o, t, s, d, none):\n"
                                    "    tl.static_assert(s == 'a\"b,\\n\\u00e9')\n"
                                    "    if none is None:\n"
                                    "        tl.store(o, tl.load(o).to(d) + t[1][0])\n")},
                          "",
                          R"("*i64", {"constant": {"tuple": [null, {"list": [{"int": "2"}]}]}},
         {"constant": "a\"b,\né"}, {"constant": {"dtype": "i64"}}, {"constant": null})"));
  EXPECT_IR(outcome, "arith.constant 2 : i64");
  ASSERT_EQ(outcome.arguments.size(), 5u);
  EXPECT_EQ(outcome.arguments[1].constant, "(None, (2,))");
  EXPECT_EQ(outcome.arguments[3].constant, "tl.int64");
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

TEST(LiveProgram, MissingMembersAreAskedForAllAtOnce) {
  std::string text = "def k(o):\n"
                     "    tl.store(o, cfg.A)\n"
                     "    tl.store(o, cfg.B)\n"
                     "    tl.store(o, cfg.A)\n";
  Outcome outcome =
      translate(programOf({function("k", "jit", text, R"("cfg": {"module": "cfg"})")}));
  EXPECT_EQ(outcome.questions,
            (std::vector<std::string>{R"({"member":{"function":0,"path":["cfg","A"]}})",
                                      R"({"member":{"function":0,"path":["cfg","B"]}})"}));
  outcome = translate(programOf({function("k", "jit", text, R"("cfg": {"module": "cfg",
      "members": {"A": null, "B": {"absent": true}}})")}));
  EXPECT_TRUE(outcome.questions.empty());
  EXPECT_HAS(outcome.errors, "the module cfg has no 'B'");
}

TEST(LiveProgram, NamesOfAttributesMayBeComputed) {
  std::string names = R"("cfg": {"module": "cfg", "members": {}}, "pick": {"function": 1})";
  Outcome outcome = translate(programOf(
      {storing("pick('AB')", R"("pick": {"function": 1})"),
       function("pick", "constexpr",
                "def pick(s):\n    return getattr(cfg, s[0]) if hasattr(cfg, s[0]) else 9\n",
                names)}));
  EXPECT_EQ(outcome.questions,
            std::vector<std::string>{R"({"member":{"function":1,"path":["cfg","A"]}})"});
}

/// A kernel whose constexpr function needs Python.
std::string programWithCall(llvm::StringRef answer) {
  return programOf({storing("size(8, k=2.5)", R"("size": {"function": 1})"),
                    function("size", "constexpr",
                             "def size(n, k):\n    import numpy\n    return numpy.log2(n)\n")},
                   answer);
}

TEST(LiveProgram, WhatOnlyPythonCanRunIsAsked) {
  EXPECT_EQ(
      translate(programWithCall("")).questions,
      std::vector<std::string>{
          R"({"call":{"arguments":[{"int":"8"}],"function":1,"keywords":{"k":{"float":"0x1.4p1"}}}})"});
  // Any spelling of the same number answers it.
  std::string call = R"("calls": [{"function": 1, "arguments": [{"int": "8"}],
      "keywords": {"k": {"float": "0x1.4000000000000p+1"}}, )";
  EXPECT_IR(translate(programWithCall(call + R"("result": {"int": "3"}}])")),
            "arith.constant 3 : i32");
  Outcome raised = translate(programWithCall(call + R"("raises": "ValueError: too small"}])"));
  EXPECT_TRUE(raised.questions.empty());
  EXPECT_HAS(raised.errors, "k.py:11:17: error: 'size' raised ValueError: too small");
}

TEST(LiveProgram, TheOutermostCallIsAsked) {
  Outcome outcome =
      translate(programOf({storing("outer(8)", R"("outer": {"function": 1})"),
                           function("outer", "constexpr",
                                    "def outer(n):\n    return sum([inner(i) for i in range(n)])\n",
                                    R"("inner": {"function": 2})"),
                           R"({"name": "inner", "module": "numpy", "kind": "plain"})"}));
  EXPECT_EQ(outcome.questions,
            std::vector<std::string>{
                R"({"call":{"arguments":[{"int":"8"}],"function":1,"keywords":{}}})"});
}

TEST(LiveProgram, ErrorsOfTheUsersAreNotQuestions) {
  Outcome outcome = translate(programOf(
      {storing("check(8)", R"("check": {"function": 1})"),
       function("check", "constexpr", "def check(n):\n    raise ValueError(f'bad {n}')\n")}));
  EXPECT_TRUE(outcome.questions.empty());
  EXPECT_HAS(outcome.errors, "bad 8");
  std::string text = "def check(n):\n"
                     "    try:\n"
                     "        return n // 0\n"
                     "    except ArithmeticError:\n"
                     "        assert n > 8, 'too small'\n";
  outcome = translate(programOf(
      {storing("check(8)", R"("check": {"function": 1})"), function("check", "constexpr", text)}));
  EXPECT_TRUE(outcome.questions.empty());
  EXPECT_HAS(outcome.errors, "k.py:14:9: error: assertion failed: too small");
}

TEST(LiveProgram, NoGuessIsTakenForAnException) {
  std::string text = "def pick():\n"
                     "    try:\n"
                     "        import numpy\n"
                     "        return 1\n"
                     "    except ImportError:\n"
                     "        return 0\n";
  Outcome outcome = translate(programOf(
      {storing("pick()", R"("pick": {"function": 1})"), function("pick", "constexpr", text)}));
  EXPECT_EQ(outcome.questions.size(), 1u) << outcome.ir;
}

//===----------------------------------------------------------------------===//
// What is not a program
//===----------------------------------------------------------------------===//

TEST(LiveProgram, RefusalsNameThePlace) {
  auto refusal = [](llvm::StringRef from, llvm::StringRef to) {
    std::string program = programOf({storing("1")});
    size_t at = program.find(from);
    EXPECT_NE(at, std::string::npos) << from.str();
    return translate(program.replace(at, from.size(), to)).refusal;
  };
  EXPECT_HAS(refusal(R"("kernel": 0)", R"("kernel": 3)"), "kernel: there is no such function");
  EXPECT_HAS(refusal(R"("version": 1)", R"("version": 2)"), "version");
  EXPECT_HAS(refusal("*i32", "*fp17"), "arguments[0]: entry 1 '*fp17'");
  EXPECT_HAS(refusal(R"("line": 10)", R"("line": -1)"), "functions[0]: 'line'");
  EXPECT_HAS(refusal(R"({"language": "triton.language"})", "5"), "functions[0].tl: a value is");
  EXPECT_HAS(refusal(R"({"language": "triton.language"})", R"({"function": 9})"),
             "there is no such function");
  EXPECT_HAS(refusal(R"("kind": "jit")", R"("kind": "jet")"), "'kind' is jit");
  EXPECT_HAS(translate("[1, 2").refusal, "not JSON");
  EXPECT_HAS(translate(std::string(100000, '[')).refusal, "too deeply");
  EXPECT_HAS(translate("{}").refusal, "version");
}

TEST(LiveProgram, PathsMayBeLong) {
  std::string path = "triton.language";
  for (unsigned i = 0; i < 200000; ++i)
    path += ".a";
  EXPECT_HAS(translate(programOf({storing("f", R"("f": {"language": ")" + path + R"("})")})).errors,
             "does not know");
}

TEST(LiveProgram, ClassesMayLeadToEachOtherWithoutEnd) {
  constexpr unsigned kClasses = 20000;
  std::string classes;
  for (unsigned i = 0; i < kClasses; ++i)
    classes += llvm::formatv(R"({0}{{"name": "C{1}", "kind": "namedtuple", "fields": ["x"],
        "defaults": {{"x": {{"class": {2}}}, "members": {{"next": {{"class": {2}}}})",
                             i ? ", " : "", i, (i + 1) % kClasses)
                   .str();
  Outcome outcome =
      translate(programOf({storing("5 if C().x == C.next else 6", R"("C": {"class": 0})")},
                          R"("classes": [)" + classes + "]"));
  EXPECT_IR(outcome, "arith.constant 5 : i32");
}

TEST(LiveProgram, ArgumentsFitTheKernel) {
  EXPECT_HAS(translate(programOf({storing("1")}, "", R"("*i32", "i32")")).errors,
             "has 2 entries and 'k' takes 1");
}

/// Replaces one value somewhere in the document by another of any kind.
void mutate(json::Value &value, std::mt19937 &random) {
  static const char *const others[] = {"null",
                                       "true",
                                       "-1",
                                       "1e300",
                                       "\"\"",
                                       "[]",
                                       "{}",
                                       R"({"int": "-"})",
                                       R"({"int": "12"})",
                                       R"({"function": 0})",
                                       R"({"function": 1})",
                                       R"({"class": 0})",
                                       R"({"constexpr": null})",
                                       R"({"tuple": [null], "class": 0})",
                                       R"({"object": "thing"})",
                                       R"({"module": "math"})",
                                       R"({"float": "0x"})",
                                       R"({"language": "triton.language."})",
                                       R"({"language": ""})",
                                       R"({"dtype": "*"})",
                                       R"({"set": [{"list": []}]})",
                                       R"({"dict": [[{"dict": []}, null]]})",
                                       "\"    def\"",
                                       "99999999999999999999"};
  json::Array *list = value.getAsArray();
  json::Object *object = value.getAsObject();
  size_t size = list ? list->size() : object ? object->size() : 0;
  if (size == 0 || random() % 6 == 0) {
    if (auto other = json::parse(others[random() % std::size(others)]))
      value = std::move(*other);
    return;
  }
  size_t chosen = random() % size;
  if (list)
    return mutate((*list)[chosen], random);
  auto entry = object->begin();
  std::advance(entry, chosen);
  if (random() % 8 == 0)
    object->erase(entry);
  else
    mutate(entry->second, random);
}

TEST(LiveProgram, AnyDocumentIsRefusedOrRead) {
  std::string original = programOf(
      {storing("size(8) + P(1).f() + cfg.A + N", R"("size": {"function": 1}, "P": {"class": 0},
          "cfg": {"module": "cfg", "members": {"A": {"int": "1"}}},
          "N": {"constexpr": {"tuple": [{"int": "1"}], "class": 0}})"),
       function("size", "constexpr", "def size(n, k=1):\n    return log(n) + k\n",
                R"("log": {"function": 2})", R"("defaults": {"k": {"int": "1"}})"),
       R"({"name": "log", "module": "numpy", "kind": "plain"})"},
      R"("symbol": "s", "classes": [{"name": "P", "kind": "namedtuple", "fields": ["a"],
          "members": {"f": {"function": 1}}, "defaults": {"a": {"int": "1"}}}],
         "calls": [{"function": 2, "arguments": [{"int": "8"}], "result": {"int": "3"}}])");
  EXPECT_EQ(translate(original).refusal, "");
  std::mt19937 random(1);
  for (unsigned round = 0; round < 3000; ++round) {
    auto copy = json::parse(original);
    ASSERT_TRUE(bool(copy));
    for (unsigned i = 0; i <= round % 3; ++i)
      mutate(*copy, random);
    (void)translate(llvm::formatv("{0}", *copy).str());
  }
}

} // namespace
