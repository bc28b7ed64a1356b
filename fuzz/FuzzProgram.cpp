//===- FuzzProgram.cpp - JSON programs through the frontend ---------------===//
// The input is a program as hosts with live objects write it (docs/program.md). It is
// refused with a place, or its kernel is translated, fails with errors, or has questions,
// which are answered once with the simplest value there is. CheckKernel.h says what a
// finding is; an answer that is asked for again is one, too.
//===----------------------------------------------------------------------===//
#include "CheckKernel.h"
#include "ProgramMutator.h"
#include "tessera/SourceToTTIR/LiveProgram.h"
#include "tessera/Support/Json.h"
#include "llvm/Support/FormatVariadic.h"
#include <set>

using namespace tessera;
namespace json = llvm::json;

// JSON that does not parse ends in its parser.
const unsigned fuzz::kByteMutantsOneIn = 32;

/// Which names a host would look up, for each text of the program.
static void readReferences(const json::Object &program, llvm::StringRef kind) {
  const json::Array *list = program.getArray(kind);
  for (const json::Value &item : list ? *list : json::Array()) {
    const json::Object *object = item.getAsObject();
    std::optional<llvm::StringRef> text = object ? object->getString("text") : std::nullopt;
    if (!text)
      continue;
    llvm::Expected<std::vector<std::string>> names = findReferences(*text, "fuzz.py", 1);
    if (!names && llvm::toString(names.takeError()).empty())
      fuzz::finding("references fail without a reason");
  }
}

/// Adds the member that a question asks for; false if the program has no such place.
static bool addMember(json::Object &program, const json::Object &asked) {
  const json::Array *path = asked.getArray("path");
  std::optional<int64_t> number = asked.getInteger("function");
  json::Array *functions = program.getArray("functions");
  if (!path || path->size() < 2 || !number || !functions || size_t(*number) >= functions->size())
    return false;
  json::Object *at = (*functions)[size_t(*number)].getAsObject();
  at = at ? at->getObject("names") : nullptr;
  for (size_t i = 0; at && i < path->size(); ++i) {
    std::optional<llvm::StringRef> name = (*path)[i].getAsString();
    if (!name)
      return false;
    if (i + 1 == path->size()) {
      (*at)[name->str()] = json::Object{{"int", "4"}};
      return true;
    }
    json::Object *owner = at->getObject(*name);
    if (owner && !owner->getObject("members"))
      (*owner)["members"] = json::Object();
    at = owner ? owner->getObject("members") : nullptr;
  }
  return false;
}

/// The program with an answer to each question that can be answered here; nothing if there is none.
static std::optional<std::string> answer(llvm::StringRef text,
                                         const std::vector<std::string> &questions,
                                         std::set<std::string> &answered) {
  json::Value document = llvm::cantFail(parseJson(text)); // it was a program
  json::Object &program = *document.getAsObject();
  bool isChanged = false;
  for (const std::string &question : questions) {
    if (answered.count(question))
      fuzz::finding("asked again: " + question);
    llvm::Expected<json::Value> asked = parseJson(question);
    if (!asked)
      fuzz::finding("a question is no JSON: " + llvm::toString(asked.takeError()) + "\n" +
                    question);
    const json::Object *object = asked->getAsObject();
    if (!object)
      fuzz::finding("a question is no object: " + question);
    if (const json::Object *member = object->getObject("member")) {
      if (!addMember(program, *member))
        continue;
    } else if (const json::Object *call = object->getObject("call")) {
      if (!program.getArray("calls"))
        program["calls"] = json::Array();
      json::Object entry = *call;
      entry["result"] = json::Object{{"int", "4"}};
      program.getArray("calls")->push_back(std::move(entry));
    } else {
      fuzz::finding("a question of an unknown kind: " + question);
    }
    answered.insert(question);
    isChanged = true;
  }
  return isChanged ? std::optional(llvm::formatv("{0}", document).str()) : std::nullopt;
}

/// Compiles; the questions that came up.
static std::vector<std::string> compile(llvm::StringRef text, unsigned variant) {
  llvm::Expected<std::unique_ptr<LiveProgram>> program = LiveProgram::read(text);
  if (!program) {
    if (llvm::toString(program.takeError()).empty())
      fuzz::finding("a program is refused without a reason");
    return {};
  }
  auto translate = [&](mlir::MLIRContext &context, DiagnosticEngine &diagnostics,
                       const LanguageTarget &target) {
    std::unique_ptr<TranslatedKernel> kernel = (*program)->translate(context, diagnostics, target);
    (void)(*program)->fileAt((*program)->kernelPath(), 1);
    return kernel;
  };
  auto mayAsk = [&] { return !(*program)->questions().empty(); };
  fuzz::checkKernel((*program)->kernelName(), translate, variant, mayAsk);
  return (*program)->questions();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  llvm::Expected<json::Value> document = parseJson(text);
  if (!document) {
    llvm::consumeError(document.takeError());
    (void)compile(text, 0);
    return 0;
  }
  if (const json::Object *object = document->getAsObject()) {
    readReferences(*object, "functions");
    readReferences(*object, "classes");
  }
  std::string current = text.str();
  std::set<std::string> answered;
  for (unsigned round = 0; round < 4; ++round) {
    std::vector<std::string> questions = compile(current, unsigned(size));
    if (questions.empty())
      break;
    std::optional<std::string> next = answer(current, questions, answered);
    if (!next)
      break;
    current = std::move(*next);
  }
  return 0;
}
