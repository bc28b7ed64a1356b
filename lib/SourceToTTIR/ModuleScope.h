//===- ModuleScope.h - the global names of a Python file ------------------===//
// A module's top level is not executed. Its bindings are indexed, and a name is
// evaluated when a kernel asks for it: imports of the language, constants,
// other jit functions. Everything else (torch, tensors, host functions) exists
// as an object that only Python could use.
//===----------------------------------------------------------------------===//
#pragma once

#include "Value.h"
#include "tessera/Source/AST.h"
#include "tessera/Source/Diagnostics.h"
#include "tessera/Source/SourceFile.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <optional>

namespace tessera {

/// Answers what a global name means to kernel code. The command line answers
/// from a module's source; a host with live objects answers from those.
class Environment {
public:
  virtual ~Environment() = default;
  /// Nothing if there is no such name.
  virtual std::optional<Value> lookup(llvm::StringRef name) = 0;
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
  std::string mustUseResult = {};   // @triton.must_use_result: what to say; empty if unused is fine
};

/// A class that kernels construct: typing.NamedTuple, or @tl.core._aggregate.
struct ClassDefinition {
  std::string name;
  const ast::ClassDef *definition;
  const SourceFile *file;
  Environment *globals;
  std::vector<std::string> fields;            // in the order written
  std::vector<const ast::Expr *> defaults;    // per field; null if there is none
  std::vector<const ast::Expr *> annotations; // per field
  bool isAggregate = false;                   // else a NamedTuple
  llvm::StringMap<Value> methods = {};        // JitObject, BuiltinObject, HostObject; also __init__
  llvm::StringSet<> staticMethods = {};
};

class ModuleLoader;

class ModuleScope : public Environment {
public:
  ModuleScope(const SourceFile &file, const ast::Module &module, ModuleLoader &loader);

  std::optional<Value> lookup(llvm::StringRef name) override;

  /// The jit functions in the order of the file; the last definition of a name counts.
  llvm::SmallVector<const JitFunction *> jitFunctions();
  const JitFunction *findJitFunction(llvm::StringRef name);
  /// A plain function or class of that name, for messages; null if there is none.
  const ast::Stmt *findHostDefinition(llvm::StringRef name) const;
  /// Why jitFunctions() is empty: where kernels are that it does not find.
  std::string explainNoKernels();

private:
  struct Binding {
    const ast::Stmt *statement = nullptr;
    const ast::Alias *alias = nullptr; // of an import
    const ast::Expr *value = nullptr;  // of an assignment
    /// `k = triton.jit(k)`: the function that the name stood for before.
    const ast::FunctionDef *earlier = nullptr;
  };
  struct Evaluated {
    Value value;
    bool isConstexpr = false; // made by tl.constexpr, so kernels may read it
  };

  void index(ast::Seq<ast::Stmt *> body);
  void indexImport(const ast::Stmt *statement, ast::Seq<ast::Alias *> names);
  void indexAssignment(const ast::Stmt *statement, const ast::Expr *target, const ast::Expr *value);
  void bind(llvm::StringRef name, Binding binding);

  /// Fills `values` for a name and for all it is made of, those first, so that
  /// no chain of definitions is too long for the stack or costs more than once.
  void evaluateInOrder(llvm::StringRef name);
  Evaluated evaluate(llvm::StringRef name, const Binding &binding);
  Value evaluateImport(llvm::StringRef name, const Binding &binding);
  std::optional<Value> lookupStarImport(llvm::StringRef name);
  Value evaluateFunction(llvm::StringRef name, const ast::FunctionDef *definition);
  Evaluated evaluateAssignment(llvm::StringRef name, const Binding &binding);
  /// `triton.jit(f)` and `triton.autotune(...)(kernel)`; null for anything else.
  const JitFunction *evaluateJitCall(const Binding &binding);
  const JitFunction *jitFunction(const ast::FunctionDef *definition);
  /// Whether a decorator is triton.jit, under whatever name it was imported.
  bool isJitDecorator(const ast::Expr *decorator);
  bool isConstexprFunctionDecorator(const ast::Expr *decorator);
  /// Whether an expression makes a constexpr object: a call of tl.constexpr, and
  /// arithmetic on the result of one.
  bool isConstexpr(const ast::Expr *expression);
  /// "triton.language.constexpr" for `tl.constexpr`, through imports and aliases;
  /// empty if the names lead elsewhere.
  std::string dottedPath(const ast::Expr *expression, unsigned aliases = 8);

  const SourceFile &file;
  const ast::Module &module;
  ModuleLoader &loader;
  llvm::MapVector<llvm::StringRef, Binding> bindings;
  llvm::SmallVector<std::string> starImports; // modules, the last one first
  llvm::StringMap<Evaluated> values;
  llvm::StringSet<> started; // in evaluateInOrder; without a value yet it is defined by itself
  llvm::DenseMap<const ast::FunctionDef *, std::unique_ptr<JitFunction>> functions;
};

} // namespace tessera
