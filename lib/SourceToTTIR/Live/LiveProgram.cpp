//===- LiveProgram.cpp - a kernel and all it reaches, as data -------------===//
#include "tessera/SourceToTTIR/LiveProgram.h"
#include "LiveState.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Json.h"
#include "llvm/ADT/StringExtras.h"
#include "../Host/HostInterpreter.h"
#include "../Kernel/KernelTranslation.h"

using namespace tessera;
namespace json = llvm::json;

LiveProgram::LiveProgram(std::unique_ptr<State> state) : state(std::move(state)) {}
LiveProgram::~LiveProgram() = default;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

void LiveProgram::State::index() {
  program = document.getAsObject();
  for (const json::Value &function : *program->getArray("functions"))
    functionData.push_back(function.getAsObject());
  if (const json::Array *list = program->getArray("classes"))
    for (const json::Value &type : *list)
      classData.push_back(type.getAsObject());
  functions.resize(functionData.size());
  classes.resize(classData.size());
  loader.setLive();
  allowsPlainGlobals = program->getBoolean("plain_globals").value_or(false);
  const json::Array *calls = program->getArray("calls");
  if (!calls)
    return;
  for (const json::Value &call : *calls) { // not of a copy: results point into the document
    // Written again, so that the host's spelling of a number does not matter.
    const json::Object &object = *call.getAsObject();
    llvm::SmallVector<CallArgument> arguments;
    if (const json::Array *positional = object.getArray("arguments"))
      for (const json::Value &argument : *positional)
        arguments.push_back({"", value(argument, LivePath{}), {}});
    if (const json::Object *keywords = object.getObject("keywords"))
      for (const auto &[name, argument] : *keywords)
        arguments.push_back({llvm::StringRef(name), value(argument, LivePath{}), {}});
    std::string key = describeCall(*object.getInteger("function"), arguments);
    Answer &answer = answers[key];
    answer.raises = object.getString("raises").value_or("").str();
    if (const json::Value *result = object.get("result"))
      answer.result = std::make_shared<const Value>(value(*result, LivePath{}));
  }
}

llvm::Expected<std::unique_ptr<LiveProgram>> LiveProgram::read(llvm::StringRef text) {
  llvm::Expected<json::Value> document = parseJson(text);
  if (!document)
    return makeError("the program is not JSON: " + llvm::toString(document.takeError()));
  if (llvm::Error error = checkProgram(*document))
    return error;
  auto state = std::make_unique<State>();
  state->document = std::move(*document);
  state->index();
  return std::unique_ptr<LiveProgram>(new LiveProgram(std::move(state)));
}

static const json::Object &kernelData(const std::vector<const json::Object *> &functions,
                                      const json::Object &program) {
  return *functions[*program.getInteger("kernel")];
}

std::string LiveProgram::kernelName() const {
  return kernelData(state->functionData, *state->program).getString("name")->str();
}

std::string LiveProgram::kernelPath() const {
  return kernelData(state->functionData, *state->program).getString("path").value_or("").str();
}

const std::vector<std::string> &LiveProgram::questions() const { return state->asked; }

const SourceFile *LiveProgram::fileAt(llvm::StringRef path, unsigned line) const {
  auto shows = [&](const json::Object &data, const LiveText *text) {
    return text && text->file->path() == path && line <= text->file->lineCount() &&
           line >= uint64_t(data.getInteger("line").value_or(1));
  };
  for (auto [data, function] : llvm::zip(state->functionData, state->functions))
    if (shows(*data, function.text.get()))
      return function.text->file.get();
  for (auto [data, type] : llvm::zip(state->classData, state->classes))
    if (shows(*data, type.text.get()))
      return type.text->file.get();
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

SignatureEntry LiveProgram::State::signatureEntry(const json::Value &argument,
                                                  const LivePath &path) {
  if (std::optional<llvm::StringRef> text = argument.getAsString()) {
    llvm::Expected<std::vector<SignatureEntry>> entries = parseSignature(*text);
    if (entries && !entries->empty())
      return entries->front();
    llvm::consumeError(entries.takeError());
    return {};
  }
  const json::Object &object = *argument.getAsObject();
  SignatureEntry entry;
  entry.isConstant = true;
  if (const json::Value *constant = object.get("constant")) {
    Value given = value(*constant, path);
    // Objects have attributes of their own, so kernels see the constexpr around them.
    constants.push_back(std::make_unique<Value>(given.asConstexpr(given.is<HostObject>())));
    DiagnosticEngine ignored;
    Emitter quiet(nullptr, ignored);
    std::unique_ptr<SourceFile> nowhere = SourceFile::fromBytes("<program>", "", ignored);
    quiet.file = nowhere.get();
    if (FailureOr<Value> seen = kernelView(quiet, *constants.back()); succeeded(seen))
      *constants.back() = *seen;
    entry.constant = constants.back().get();
    entry.text = entry.constant->is<TypeObject>()
                     ? "tl." + entry.constant->get<TypeObject>()->type.scalar.languageName().str()
                     : pythonRepr(*entry.constant);
    return entry;
  }
  entry.isTuple = true;
  for (const json::Value &element : *object.getArray("tuple")) {
    entry.elements.push_back(signatureEntry(element, LivePath{}));
    entry.isConstant = entry.isConstant && entry.elements.back().isConstant;
    entry.text += (entry.text.empty() ? "(" : ", ") + entry.elements.back().text;
  }
  entry.text += entry.elements.empty() ? "()" : entry.elements.size() == 1 ? ",)" : ")";
  if (std::optional<int64_t> type = object.getInteger("class"))
    entry.tupleClass = classDefinition(*type);
  return entry;
}

std::vector<SignatureEntry> LiveProgram::State::signature() {
  unsigned kernel = *program->getInteger("kernel");
  const ast::FunctionDef *definition = functions[kernel].jit->definition;
  std::vector<SignatureEntry> entries;
  for (const json::Value &argument : *program->getArray("arguments")) {
    LivePath path{"function", kernel};
    if (entries.size() < definition->args->args.size())
      path.steps = {std::string(definition->args->args[entries.size()]->arg)};
    entries.push_back(signatureEntry(argument, path));
  }
  return entries;
}

//===----------------------------------------------------------------------===//
// Translation
//===----------------------------------------------------------------------===//

static bool isSymbol(llvm::StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

std::unique_ptr<TranslatedKernel> LiveProgram::translate(mlir::MLIRContext &context,
                                                         DiagnosticEngine &diagnostics,
                                                         const LanguageTarget &target) const {
  Value function = state->functionValue(*state->program->getInteger("kernel"));
  const JitObject *object = function.get<JitObject>();
  if (!object || object->function->isConstexprFunction) {
    const HostObject *host = function.get<HostObject>();
    if (host && host->causes)
      for (const Diagnostic &cause : *host->causes)
        diagnostics.report(cause);
    else
      diagnostics.report(DiagnosticKind::Error, kernelPath(),
                         "'" + kernelName() + "' is not a kernel" + (host ? ": " + host->why : ""));
    return nullptr;
  }
  std::string symbol = state->program->getString("symbol").value_or(kernelName()).str();
  if (!isSymbol(symbol)) {
    diagnostics.error(*object->function->file, object->function->definition->range,
                      "a kernel's symbol has only ASCII letters, digits and '_', unlike '" +
                          symbol + "'");
    return nullptr;
  }
  std::unique_ptr<TranslatedKernel> kernel = translateKernel(
      {context, *object->function, state->loader, diagnostics, target}, state->signature(), symbol);
  return state->asked.empty() ? std::move(kernel) : nullptr;
}
