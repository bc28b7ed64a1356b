//===- LiveState.h - a program's values, functions and classes ------------===//
// Everything is made when something first asks for it, once: values that mention
// each other in circles are no trouble.
//===----------------------------------------------------------------------===//
#pragma once

#include "LiveText.h"
#include "tessera/SourceToTTIR/LiveProgram.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"
#include "../Modules/ModuleLoader.h"
#include "../Modules/ModuleScope.h"
#include <map>

namespace tessera {

/// The path to an object, for questions about it: a name in a function or class, then
/// attributes. Empty if a question cannot express it.
struct LivePath {
  const char *root = "function"; // or "class"
  unsigned index = 0;
  std::vector<std::string> steps = {};

  LivePath then(llvm::StringRef name) const {
    LivePath longer = *this;
    if (!steps.empty())
      longer.steps.push_back(name.str());
    return longer;
  }
};

/// Resolves the free names of one function or class.
class LiveScope : public Environment {
public:
  LiveScope(LiveProgram::State &program, const llvm::json::Object *names, LivePath root)
      : program(program), names(names), root(std::move(root)) {}

  std::optional<Value> lookup(llvm::StringRef name) override;
  std::optional<Value> lookupHost(llvm::StringRef name) override;
  const SourceFile *file = nullptr; // for messages

private:
  LiveProgram::State &program;
  const llvm::json::Object *names;
  LivePath root;
  llvm::StringMap<Value> known;
};

struct LiveProgram::State : HostAnswers {
  llvm::json::Value document = nullptr;
  const llvm::json::Object *program = nullptr; // in the document, as all below
  std::vector<const llvm::json::Object *> functionData, classData;

  struct Function {
    std::unique_ptr<LiveText> text = {};
    std::unique_ptr<LiveScope> scope = {};
    std::unique_ptr<JitFunction> jit = {}, method = {};
    std::optional<Value> value = {};
  };
  struct Class {
    std::unique_ptr<LiveText> text = {};
    std::unique_ptr<SourceFile> nowhere = {}; // where there is no text
    std::unique_ptr<LiveScope> scope = {};
    std::unique_ptr<ClassDefinition> definition = {};
    std::vector<std::unique_ptr<JitFunction>> methods = {}; // that only the text has
  };
  std::vector<Function> functions;
  std::vector<Class> classes;
  std::vector<std::unique_ptr<LiveObject>> objects;
  std::vector<std::unique_ptr<Value>> constants; // of the kernel's arguments
  std::map<const ClassDefinition *, unsigned> classNumbers;
  std::map<std::string, Answer> answers; // by the question
  std::vector<std::string> asked;
  ModuleLoader loader;
  bool allowsPlainGlobals = false;

  void index();
  // LiveValues.cpp
  Value value(const llvm::json::Value &data, const LivePath &path);
  Value languageValue(llvm::StringRef path);
  /// Nothing if the value cannot be written as data.
  std::optional<llvm::json::Value> write(const Value &value, unsigned depth = 0);
  /// Functions, classes and what the language has, by their numbers and names.
  std::optional<llvm::json::Value> writeNamed(const Value &value);
  std::optional<llvm::json::Value> writeContainer(const Value &value, unsigned depth);
  std::optional<llvm::json::Array> writeAll(llvm::ArrayRef<Value> parts, unsigned depth);
  /// Asks for an attribute, unless the path leads nowhere.
  void askMember(const LivePath &path, llvm::StringRef name);

  // LiveFunctions.cpp
  Value functionValue(unsigned index);
  Value methodValue(unsigned index);
  const ClassDefinition *classDefinition(unsigned index);
  LiveText *textOf(unsigned index, DiagnosticEngine &diagnostics);

  /// The kernel's arguments as a signature's entries.
  std::vector<SignatureEntry> signature();
  SignatureEntry signatureEntry(const llvm::json::Value &argument, const LivePath &path);

  // HostAnswers
  bool isConstexpr(unsigned function, llvm::StringRef parameter) override;
  bool knowsDefaults(unsigned function) override;
  std::optional<Value> defaultOf(unsigned function, llvm::StringRef parameter) override;
  std::string describeCall(unsigned function, llvm::ArrayRef<CallArgument> arguments) override;
  const Answer *answer(const std::string &call) override;
  void ask(const std::string &call) override;
  size_t questionCount() const override { return asked.size(); }

private:
  /// A class with its name and fields; what may lead to other classes comes later.
  void declareClass(unsigned index);
  void makeMembers(Class &type, const llvm::json::Object &data);
  std::vector<unsigned> unfinishedClasses; // in the order they were met
  std::unique_ptr<JitFunction> makeFunction(unsigned index, bool isConstexprFunction);
};

/// Checks that a document is a program (ProgramCheck.cpp).
llvm::Error checkProgram(const llvm::json::Value &document);

} // namespace tessera
