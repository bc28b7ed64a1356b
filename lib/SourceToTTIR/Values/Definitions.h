//===- Definitions.h - functions and classes, and what names mean ---------===//
// What `def` and `class` make, as far as kernels and compile-time code use it, and
// the interface that says what the names around them stand for.
//===----------------------------------------------------------------------===//
#pragma once

#include "HostAnswers.h"
#include "Value.h"
#include "tessera/Source/AST.h"
#include "tessera/Source/SourceFile.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <optional>

namespace tessera {

/// Answers what a global name means to kernel code. The command line answers
/// from a module's source; a host with live objects answers from those.
class Environment {
public:
  virtual ~Environment() = default;
  /// The value that a kernel reads under this name; nothing if there is no such name.
  virtual std::optional<Value> lookup(llvm::StringRef name) = 0;
  /// The value that compile-time code reads, which may be a plain function too.
  virtual std::optional<Value> lookupHost(llvm::StringRef name) = 0;
  /// The line of the `if` whose condition is not known and which decides what this name
  /// is; 0 if the name is certain.
  virtual unsigned guessedAt(llvm::StringRef) { return 0; }
};

/// A function decorated with @triton.jit or @triton.constexpr_function.
struct JitFunction {
  std::string name;
  const ast::FunctionDef *definition;
  const SourceFile *file;
  Environment *globals;
  std::string module = {};          // "add" for add.py; names the symbol of an instance
  bool isNoInline = false;          // @triton.jit(noinline=True)
  bool isConstexprFunction = false; // @triton.constexpr_function: run at compile time
  bool isDebug = false;             // @triton.jit(debug=True)
  bool takesConstexprs = false;     // @tl.core.builtin: compile-time arguments come as tl.constexpr
  std::string mustUseResult = {};   // @triton.must_use_result: what to say; empty if unused is fine
  const ast::Call *options = nullptr; // the call of triton.jit, for repr= and its like
  LiveIdentity live = {};             // of a program with live objects
};

/// A plain Python function or a lambda.
struct PythonFunction {
  std::string name;
  const ast::Arguments *parameters;
  ast::Seq<ast::Stmt *> body; // of a def
  const ast::Expr *result;    // of a lambda
  SourceRange range;
  const SourceFile *file;
  Environment *globals;
  /// The names of the function around it, as they were when it was defined.
  std::shared_ptr<const std::vector<std::pair<std::string, Value>>> captured = nullptr;
  const ast::FunctionDef *definition = nullptr; // of a def at a module's top level
  LiveIdentity live = {};
  bool takesConstexprs = false; // as a JitFunction
};

/// A class that kernels construct: typing.NamedTuple, or @tl.core._aggregate.
struct ClassDefinition {
  std::string name;
  const ast::ClassDef *definition; // null for collections.namedtuple(...)
  const SourceFile *file;
  Environment *globals;
  std::vector<std::string> fields = {};            // in the order written
  std::vector<std::optional<Value>> defaults = {}; // per field
  std::vector<const ast::Expr *> annotations = {}; // per field; null if there is none
  enum { NamedTuple, Aggregate, Plain } kind = Plain;
  llvm::StringMap<Value> members = {}; // methods (JitObject, FunctionObject) and constants
  llvm::StringSet<> staticMethods = {};
};

} // namespace tessera
