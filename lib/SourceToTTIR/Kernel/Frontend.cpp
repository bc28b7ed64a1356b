//===- Frontend.cpp - from a Python file to TTIR --------------------------===//
// Finds the kernel, gives each parameter a type or a constant from the
// signature, builds the function and lets the KernelTranslator fill it.
//===----------------------------------------------------------------------===//
#include "tessera/SourceToTTIR/Frontend.h"
#include "KernelParameters.h"
#include "KernelTranslation.h"
#include "KernelTranslator.h"
#include "Program.h"
#include "tessera/Source/AST.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SaveAndRestore.h"
#include "../Modules/ModuleLoader.h"
#include "../Modules/ModuleScope.h"

using namespace tessera;

struct SourceModule::State {
  std::unique_ptr<SourceFile> file;
  std::unique_ptr<ast::Module> tree;
  ModuleLoader loader;
  ModuleScope *scope = nullptr;
};

SourceModule::SourceModule(std::unique_ptr<State> state) : state(std::move(state)) {}
SourceModule::~SourceModule() = default;
const SourceFile &SourceModule::file() const { return *state->file; }

static bool parseInto(std::unique_ptr<SourceFile> file, DiagnosticEngine &diagnostics,
                      std::unique_ptr<SourceFile> &fileSlot, std::unique_ptr<ast::Module> &tree) {
  if (!file)
    return false;
  tree = parseModule(*file, diagnostics);
  fileSlot = std::move(file);
  return tree != nullptr;
}

std::unique_ptr<SourceModule> SourceModule::load(const std::string &path,
                                                 DiagnosticEngine &diagnostics) {
  auto state = std::make_unique<State>();
  if (!parseInto(SourceFile::load(path, diagnostics), diagnostics, state->file, state->tree))
    return nullptr;
  state->scope = state->loader.addMain(*state->file, *state->tree);
  return std::unique_ptr<SourceModule>(new SourceModule(std::move(state)));
}

std::unique_ptr<SourceModule> SourceModule::fromText(const std::string &path, std::string text,
                                                     DiagnosticEngine &diagnostics) {
  auto state = std::make_unique<State>();
  if (!parseInto(SourceFile::fromBytes(path, std::move(text), diagnostics), diagnostics,
                 state->file, state->tree))
    return nullptr;
  state->scope = state->loader.addMain(*state->file, *state->tree);
  return std::unique_ptr<SourceModule>(new SourceModule(std::move(state)));
}

std::vector<std::string> SourceModule::kernelNames() const { return state->scope->kernelNames(); }

std::vector<std::string> SourceModule::entryNames() const { return state->scope->entryNames(); }

std::string SourceModule::explainNoKernels() const { return state->scope->explainNoKernels(); }

bool SourceModule::hasReadOtherFiles() const { return state->loader.hasReadFiles(); }

std::vector<std::string> SourceModule::otherFiles() const { return state->loader.readFiles(); }

static bool isPlainIdentifier(llvm::StringRef name) {
  return llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

//===----------------------------------------------------------------------===//
// Translation
//===----------------------------------------------------------------------===//

static const JitFunction *findKernel(ModuleScope &scope, const SourceFile &file,
                                     llvm::StringRef name, DiagnosticEngine &diagnostics) {
  if (const JitFunction *kernel = scope.findJitFunction(name))
    return kernel;
  std::optional<Value> value = scope.lookupHost(name);
  const HostObject *host = value ? value->get<HostObject>() : nullptr;
  if (host && host->causes && !host->causes->empty()) { // the module it is imported from
    diagnostics.report(host->causes->front());
    return nullptr;
  }
  std::vector<std::string> kernels = scope.kernelNames();
  std::string known = kernels.empty() ? scope.explainNoKernels() : "the file's kernels are: ";
  known += llvm::join(kernels, ", ");
  if (const ast::Stmt *statement = scope.findHostDefinition(name))
    diagnostics.error(
        file, {statement->range.begin, statement->range.begin},
        ("'" + name + "' is not a kernel: it is not decorated with @triton.jit; " + known).str());
  else
    diagnostics.report(DiagnosticKind::Error, file.path(),
                       ("no kernel '" + name + "'; " + known).str());
  return nullptr;
}

std::unique_ptr<TranslatedKernel>
SourceModule::translate(mlir::MLIRContext &context, llvm::StringRef kernelName,
                        const std::vector<SignatureEntry> &signature, DiagnosticEngine &diagnostics,
                        const LanguageTarget &target) const {
  const JitFunction *kernel = findKernel(*state->scope, *state->file, kernelName, diagnostics);
  if (!kernel)
    return nullptr;
  if (!isPlainIdentifier(kernelName)) {
    diagnostics.error(
        *kernel->file, kernel->definition->range,
        "a kernel's name has only ASCII letters, digits and '_', because it becomes a symbol");
    return nullptr;
  }
  return translateKernel({context, *kernel, state->loader, diagnostics, target}, signature, "");
}

std::unique_ptr<TranslatedKernel>
tessera::translateKernel(const KernelTranslation &translation,
                         const std::vector<SignatureEntry> &signature, llvm::StringRef symbol) {
  mlir::MLIRContext &context = translation.context;
  const JitFunction &kernel = translation.kernel;
  context.loadDialect<tt::TTDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                      mlir::scf::SCFDialect, mlir::ub::UBDialect>();
  Emitter emit(&context, translation.diagnostics);
  LanguageTarget language = translation.target;
  language.isDebug = language.isDebug || kernel.isDebug;
  emit.file = kernel.file;
  emit.target = &language;
  emit.modules = &translation.loader;
  emit.range = kernel.definition->range;
  auto parameters = kernelParameters(emit, kernel, signature);
  if (failed(parameters))
    return nullptr;

  auto result = std::make_unique<TranslatedKernel>();
  KernelRecord &record = result->record;
  record.kernelName = symbol.empty() ? kernelSymbol(emit, kernel, *parameters) : symbol.str();
  record.sourceLine = kernel.definition->range.begin.line;
  record.arguments = describeParameters(*parameters);
  result->module = mlir::ModuleOp::create(emit.location());
  emit.builder.setInsertionPointToStart(result->module->getBody());

  Program program(emit, *result->module);
  emit.functions = &program;
  KernelTranslator translator(emit, *kernel.globals, program, KernelTranslator::Role::Kernel);
  createKernelFunction(emit, record.kernelName, *parameters, translator);
  if (failed(translator.executeFunction(kernel.definition->body)))
    return nullptr;
  tt::ReturnOp::create(emit.builder, emit.location(), mlir::ValueRange());
  program.applyPromises();
  if (failed(program.checkSize(*result->module->getOps<tt::FuncOp>().begin())))
    return nullptr;
  if (failed(mlir::verify(*result->module)))
    return nullptr; // the context's handler has the reason
  return result;
}
