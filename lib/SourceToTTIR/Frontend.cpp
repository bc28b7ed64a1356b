//===- Frontend.cpp - from a Python file to TTIR --------------------------===//
// Finds the kernel, gives each parameter a type or a constant from the
// signature, builds the function and lets the Translator fill it.
//===----------------------------------------------------------------------===//
#include "tessera/SourceToTTIR/Frontend.h"
#include "ModuleLoader.h"
#include "ModuleScope.h"
#include "Program.h"
#include "Translator.h"
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

std::string SourceModule::explainNoKernels() const { return state->scope->explainNoKernels(); }

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

namespace {
/// One parameter of the kernel.
struct KernelParameter {
  const ast::Arg *node;
  bool isConstexpr;
};
} // namespace

static FailureOr<std::vector<KernelParameter>> kernelParameters(Emitter &emit,
                                                                const JitFunction &kernel) {
  auto formal = formalParameters(emit, kernel);
  if (failed(formal))
    return llvm::failure();
  std::vector<KernelParameter> parameters;
  for (const FormalParameter &parameter : *formal) {
    const ast::Expr *annotation = parameter.node->annotation;
    parameters.push_back(
        {parameter.node, annotation && isConstexprAnnotation(*kernel.globals, annotation)});
  }
  return parameters;
}

/// "x_ptr: a type, such as *fp32" for each parameter.
static std::string whatEachNeeds(llvm::ArrayRef<KernelParameter> parameters, size_t given) {
  std::string text;
  for (auto [position, parameter] : llvm::enumerate(parameters)) {
    llvm::StringRef name = ref(parameter.node->arg);
    bool looksLikePointer =
        name.ends_with("ptr") || name.ends_with("Ptr") || name.ends_with("_desc");
    text += ("\n  " + llvm::Twine(position + 1) + ". " + name + ": " +
             (parameter.isConstexpr ? "a constant, such as 64"
              : looksLikePointer    ? "a type, such as *fp32 or *fp16:16"
                                    : "a type, such as i32 or *fp32") +
             (position >= given ? "   <- missing" : ""))
                .str();
  }
  return text;
}

static LogicalResult checkSignature(Emitter &emit, const JitFunction &kernel,
                                    llvm::ArrayRef<KernelParameter> parameters,
                                    llvm::ArrayRef<SignatureEntry> signature) {
  SourceRange where = kernel.definition->range;
  where.end = where.begin;
  if (parameters.size() != signature.size())
    return emit.errorAt(where, "the signature has " + llvm::Twine(signature.size()) +
                                   (signature.size() == 1 ? " entry and '" : " entries and '") +
                                   kernel.name + "' takes " + llvm::Twine(parameters.size()) + ":" +
                                   whatEachNeeds(parameters, signature.size()));
  for (auto [parameter, entry] : llvm::zip_equal(parameters, signature))
    if (parameter.isConstexpr && !entry.isConstant)
      return emit.errorAt(parameter.node->range, "'" + ref(parameter.node->arg) +
                                                     "' is a tl.constexpr: its signature entry "
                                                     "is a constant such as 64, not the type '" +
                                                     entry.text + "'");
  return llvm::success();
}

/// The value of a constant entry.
static Value constantValue(const SignatureEntry &entry) {
  if (entry.isFixedToOne)
    return Value(PythonInt(1));
  llvm::StringRef text = entry.text;
  if (text == "True" || text == "False")
    return Value(text == "True");
  if (text == "None")
    return Value(NoneObject{});
  if (text.front() == '\'' || text.front() == '"')
    return Value(text.drop_front().drop_back().str());
  llvm::StringRef digits = text;
  bool isNegative = digits.consume_front("-");
  if (!isNegative)
    digits.consume_front("+");
  llvm::APInt integer;
  if (!digits.getAsInteger(0, integer)) {
    llvm::SmallString<32> decimal;
    integer.toStringUnsigned(decimal);
    PythonInt value = PythonInt::parse(decimal, 10);
    return Value(isNegative ? -value : value);
  }
  double number = 0;
  digits.getAsDouble(number);
  return Value(isNegative ? -number : number);
}

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

/// The function with its typed arguments; the translator gets every parameter bound.
static void createFunction(Emitter &emit, const JitFunction &kernel,
                           llvm::ArrayRef<KernelParameter> parameters,
                           llvm::ArrayRef<SignatureEntry> signature, Translator &translator) {
  mlir::OpBuilder &builder = emit.builder;
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<mlir::DictionaryAttr> attributes;
  for (const SignatureEntry &entry : signature) {
    if (entry.isConstant)
      continue;
    types.push_back(entry.type.toIR(emit.context()));
    llvm::SmallVector<mlir::NamedAttribute> hints;
    if (entry.divisibility)
      hints.push_back(builder.getNamedAttr(tt::kDivisibilityAttr,
                                           builder.getI32IntegerAttr(entry.divisibility)));
    attributes.push_back(builder.getDictionaryAttr(hints));
  }
  // Spelled out: the reference prints `public`, which is MLIR's silent default.
  mlir::NamedAttribute functionAttributes[] = {
      builder.getNamedAttr("sym_visibility", builder.getStringAttr("public")),
      builder.getNamedAttr("noinline", builder.getBoolAttr(false))};
  auto function =
      tt::FuncOp::create(builder, emit.location(), kernel.name, builder.getFunctionType(types, {}),
                         functionAttributes, attributes);
  mlir::Block *entry = &function.getBody().emplaceBlock();
  for (auto [parameter, item] : llvm::zip_equal(parameters, signature)) {
    llvm::StringRef name = ref(parameter.node->arg);
    if (item.isConstant) {
      translator.define(name, constantValue(item), parameter.node->range);
      continue;
    }
    RangeScope scope(emit, parameter.node->range);
    llvm::SaveAndRestore<llvm::StringRef> named(emit.resultName, name);
    mlir::Value argument = entry->addArgument(item.type.toIR(emit.context()), emit.location());
    translator.define(name, Value(Tensor{argument, item.type}), parameter.node->range);
  }
  builder.setInsertionPointToStart(entry);
}

static std::vector<TranslatedParameter> describe(llvm::ArrayRef<KernelParameter> parameters,
                                                 llvm::ArrayRef<SignatureEntry> signature) {
  std::vector<TranslatedParameter> result;
  for (auto [parameter, entry] : llvm::zip_equal(parameters, signature)) {
    bool isTyped = !entry.isConstant || entry.isFixedToOne;
    result.push_back({std::string(parameter.node->arg), isTyped ? entry.type.str() : "constexpr",
                      entry.divisibility ? entry.divisibility : 1, entry.isConstant,
                      entry.isFixedToOne ? "1"
                      : entry.isConstant ? entry.text
                                         : ""});
  }
  return result;
}

std::unique_ptr<TranslatedKernel>
SourceModule::translate(mlir::MLIRContext &context, llvm::StringRef kernelName,
                        const std::vector<SignatureEntry> &signature, DiagnosticEngine &diagnostics,
                        const LanguageTarget &target) const {
  const JitFunction *kernel = findKernel(*state->scope, *state->file, kernelName, diagnostics);
  if (!kernel)
    return nullptr;
  context.loadDialect<tt::TTDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                      mlir::scf::SCFDialect, mlir::ub::UBDialect>();
  Emitter emit(&context, diagnostics);
  emit.file = state->file.get();
  emit.target = &target;
  emit.modules = &state->loader;
  emit.range = kernel->definition->range;
  if (!isPlainIdentifier(kernelName)) {
    (void)emit.error(
        "a kernel's name has only ASCII letters, digits and '_', because it becomes a symbol");
    return nullptr;
  }
  auto parameters = kernelParameters(emit, *kernel);
  if (failed(parameters) || failed(checkSignature(emit, *kernel, *parameters, signature)))
    return nullptr;

  auto result = std::make_unique<TranslatedKernel>();
  result->name = kernel->name;
  result->line = kernel->definition->range.begin.line;
  result->parameters = describe(*parameters, signature);
  result->module = mlir::ModuleOp::create(emit.location());
  emit.builder.setInsertionPointToStart(result->module->getBody());

  Program program(emit, *result->module);
  emit.functions = &program;
  Translator translator(emit, *kernel->globals, CodeKind::Kernel, &program);
  createFunction(emit, *kernel, *parameters, signature, translator);
  if (failed(translator.executeFunction(kernel->definition->body)))
    return nullptr;
  tt::ReturnOp::create(emit.builder, emit.location(), mlir::ValueRange());
  if (failed(mlir::verify(*result->module)))
    return nullptr; // the context's handler has the reason
  return result;
}
