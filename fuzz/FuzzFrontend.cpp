//===- FuzzFrontend.cpp - programs through the frontend and make_ttir -----===//
// The input is a Python module. Every jit function in it is translated for the
// signature in the comment above it, and make_ttir runs on the result:
//
//   # signature: *fp32,i32,64
//   @triton.jit
//   def kernel(x_ptr, n, BLOCK: tl.constexpr): ...
//
// A function without such a comment gets the last one of the file, stretched to
// its parameters, so that helpers are translated on their own too.
//
// A finding is a crash, a hang, a sanitizer's report, and also what a user would
// see as exit status 70: a failure without an error, an error of our own, a kernel
// that the frontend accepts and the verifier or make_ttir does not, and TTIR that
// does not parse when it is printed.
//===----------------------------------------------------------------------===//
#include "ProgramMutator.h"
#include "tessera/Source/AST.h"
#include "tessera/SourceToTTIR/Frontend.h"
#include "tessera/Support/Unsupported.h"
#include "tessera/TTIR/IR/TTDialect.h"
#include "tessera/TTIR/Transforms/Pipeline.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace tessera;

// Most bytes gone wrong end in the parser, which has a fuzzer of its own.
const unsigned fuzz::kByteMutantsOneIn = 16;

[[noreturn]] static void finding(const llvm::Twine &what) {
  llvm::errs() << "FuzzFrontend: " << what << "\n";
  __builtin_trap();
}

//===----------------------------------------------------------------------===//
// The context
//===----------------------------------------------------------------------===//

/// Attributes and types stay in a context forever: a fresh one now and then keeps
/// the memory bounded, one for each input would cost more than the input.
static mlir::MLIRContext &contextForOneInput() {
  static std::unique_ptr<mlir::MLIRContext> context;
  static unsigned uses = 0;
  if (context && ++uses % 1000)
    return *context;
  context.reset();
  context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  context->loadDialect<tt::TTDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                       mlir::scf::SCFDialect, mlir::cf::ControlFlowDialect, mlir::ub::UBDialect,
                       mlir::gpu::GPUDialect, mlir::LLVM::LLVMDialect>();
  return *context;
}

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

namespace {
struct Signatures {
  std::map<std::string, std::string> ofFunction;
  std::string last = "*fp32, i32, 16";
};
} // namespace

/// The `# signature:` lines, each of the `def` that follows (as test/signatures.py).
static Signatures readSignatures(llvm::StringRef text) {
  Signatures result;
  llvm::StringRef waiting;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    if (line.consume_front("# signature:")) {
      waiting = line.split(" --").first.trim();
      result.last = waiting.str();
    } else if (line.consume_front("def ") && !waiting.empty()) {
      result.ofFunction[line.take_until([](char c) { return c == '('; }).str()] = waiting.str();
      waiting = {};
    }
  }
  return result;
}

static bool isConstexpr(const ast::Expr *annotation) {
  if (!annotation)
    return false;
  if (auto *attribute = llvm::dyn_cast<ast::Attribute>(annotation))
    return attribute->attr == "constexpr";
  auto *name = llvm::dyn_cast<ast::Name>(annotation);
  return name && name->id == "constexpr";
}

/// A signature with as many entries as the function has parameters, and constants
/// where it wants them.
static std::vector<SignatureEntry> stretch(const std::vector<SignatureEntry> &entries,
                                           const ast::FunctionDef &function) {
  const SignatureEntry constant = llvm::cantFail(parseSignature("16"))[0];
  std::vector<SignatureEntry> result;
  for (auto [i, parameter] : llvm::enumerate(function.args->args)) {
    SignatureEntry entry = entries.empty() ? constant : entries[i % entries.size()];
    result.push_back(isConstexpr(parameter->annotation) && !entry.isConstant ? constant : entry);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// One kernel
//===----------------------------------------------------------------------===//

static void checkPrinted(mlir::ModuleOp module, mlir::MLIRContext &context) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, mlir::OpPrintingFlags().enableDebugInfo().printNameLocAsPrefix());
  std::string problem;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    problem = diagnostic.str();
    return llvm::success();
  });
  if (!mlir::parseSourceString<mlir::ModuleOp>(text, &context))
    finding("the TTIR does not parse: " + problem + "\n" + text);
}

static void translate(const SourceModule &source, const std::string &name,
                      const std::vector<SignatureEntry> &signature, unsigned variant) {
  mlir::MLIRContext &context = contextForOneInput();
  DiagnosticEngine diagnostics;
  std::string problem;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
      problem = diagnostic.str();
    return llvm::success();
  });
  bool keepsDescriptors = variant & 2;
  LanguageTarget target;
  target.isDebug = variant & 1;
  target.hasDescriptorReduceOfHalves = keepsDescriptors;
  std::unique_ptr<TranslatedKernel> kernel =
      source.translate(context, name, signature, diagnostics, target);
  (void)diagnostics.render({.color = true, .noteExcerpts = true});
  for (const Diagnostic &diagnostic : diagnostics.diagnostics())
    if (diagnostic.kind == DiagnosticKind::Internal)
      finding("'" + name + "' is an internal error: " + diagnostic.message);
  if (!kernel && !diagnostics.hasErrors())
    finding("'" + name + "' fails without an error to show: " + problem);
  if (!kernel)
    return;

  mlir::PassManager manager(&context);
  buildTTIRPipeline(manager, {.keepDescriptors = keepsDescriptors});
  if (failed(manager.run(*kernel->module))) {
    if (!llvm::StringRef(problem).starts_with(kUnsupportedPrefix))
      finding("make_ttir fails on '" + name + "': " + problem);
    return;
  }
  checkPrinted(*kernel->module, context);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  DiagnosticEngine diagnostics;
  // A folder that does not exist: imports find nothing on the machine.
  auto source = SourceModule::fromText("/nowhere/fuzz.py", text, diagnostics);
  if (!source)
    return 0;
  auto file = SourceFile::fromBytes("fuzz.py", text, diagnostics);
  std::unique_ptr<ast::Module> tree = parseModule(*file, diagnostics);
  std::map<std::string_view, const ast::FunctionDef *> functions;
  for (const ast::Stmt *statement : tree->body)
    if (auto *function = llvm::dyn_cast<ast::FunctionDef>(statement))
      functions[function->name] = function;

  Signatures signatures = readSignatures(text);
  unsigned count = 0;
  for (const std::string &name : source->kernelNames()) {
    auto own = signatures.ofFunction.find(name);
    bool isOwn = own != signatures.ofFunction.end();
    auto entries = parseSignature(isOwn ? own->second : signatures.last);
    if (!entries) {
      llvm::consumeError(entries.takeError());
      continue;
    }
    auto function = functions.find(name);
    if (function != functions.end() &&
        (!isOwn || entries->size() != function->second->args->args.size()))
      *entries = stretch(*entries, *function->second);
    translate(*source, name, *entries, static_cast<unsigned>(size));
    if (++count == 6)
      break; // time for other inputs
  }
  return 0;
}
