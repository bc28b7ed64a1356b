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
// CheckKernel.h says what a finding is.
//===----------------------------------------------------------------------===//
#include "CheckKernel.h"
#include "ProgramMutator.h"
#include "tessera/Source/AST.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace tessera;

// Most bytes gone wrong end in the parser, which has a fuzzer of its own.
const unsigned fuzz::kByteMutantsOneIn = 16;

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
// One module
//===----------------------------------------------------------------------===//

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
    auto translate = [&](mlir::MLIRContext &context, DiagnosticEngine &engine,
                         const LanguageTarget &target) {
      return source->translate(context, name, *entries, engine, target);
    };
    fuzz::checkKernel(name, translate, static_cast<unsigned>(size));
    if (++count == 6)
      break; // time for other inputs
  }
  return 0;
}
