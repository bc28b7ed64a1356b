//===- ModuleScope.h - the global names of a Python file ------------------===//
// A module's top level is executed as far as a kernel asks. Its statements are
// units; a name is evaluated by running the units that bind it, and before them
// those that bind what they read:
//
//   A = 2            unit 0
//   B = A * 8        unit 1     `B` runs units 0 and 1, and never unit 3
//   A = 3            unit 2     `A` afterwards is 3, and B was made with 2
//   x = torch.rand() unit 3
//
// What cannot be evaluated (torch, tensors, the device) exists as an object that
// only Python could use.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "../Values/Definitions.h"
#include <optional>

namespace tessera {

class ModuleLoader;

/// The value of a global in kernels: the value itself if it can never change under a compiled
/// kernel, otherwise a HostObject that says how to declare it. `where` is "line 12: ", or empty.
Value globalForKernels(llvm::StringRef name, const Value &value, const SourceFile &file,
                       llvm::StringRef where, bool allowsPlainGlobals = false);

class ModuleScope : public Environment {
public:
  /// `name` is the module's dotted name, "pkg.utils".
  ModuleScope(const SourceFile &file, const ast::Module &module, ModuleLoader &loader,
              std::string name);
  ~ModuleScope() override;

  std::optional<Value> lookup(llvm::StringRef name) override;
  std::optional<Value> lookupHost(llvm::StringRef name) override;
  unsigned guessedAt(llvm::StringRef name) override;

  const std::string &name() const { return moduleName; }
  const SourceFile &sourceFile() const { return file; }

  /// The kernels that the file defines, in its order, by the names they are bound to.
  std::vector<std::string> kernelNames();
  /// Those that no other of them mentions: functions that are called by kernels are none. All, if
  /// each is mentioned.
  std::vector<std::string> entryNames();
  /// A jit function under that name, imported ones included; null if there is none.
  const JitFunction *findJitFunction(llvm::StringRef name);
  /// The statement that binds the name to something else, for messages; null if none does.
  const ast::Stmt *findHostDefinition(llvm::StringRef name) const;
  /// Why kernelNames() is empty: where kernels are that it does not find.
  std::string explainNoKernels();

private:
  /// The environment of a unit's code while it runs: the names bound before it.
  class UnitScope;
  struct Unit {
    const ast::Stmt *statement;
    enum { Waiting, Running, Done } state = Waiting;
    std::unique_ptr<UnitScope> scope = nullptr;
    llvm::StringMap<Value> names = {};      // what it bound
    llvm::StringMap<unsigned> guesses = {}; // see guessedAt
  };

  // Indexing.
  void index();
  // Resolving names.
  /// The value that `name` has before the unit `end` runs.
  std::optional<Value> resolve(llvm::StringRef name, size_t end, bool countsRunning = false);
  /// The units that decide the name's value then, in their order.
  llvm::SmallVector<size_t, 4> bindersBefore(llvm::StringRef name, size_t end) const;
  void runInOrder(llvm::ArrayRef<size_t> roots);
  void run(size_t unit);
  std::optional<Value> lookupStarImport(llvm::StringRef name);

  // Executing a unit (ModuleExecution.cpp).
  void executeAll(Unit &unit, ast::Seq<ast::Stmt *> body);
  void execute(Unit &unit, const ast::Stmt *statement);
  void executeImport(Unit &unit, const ast::Stmt *statement);
  void executeAny(Unit &unit, const ast::Stmt *statement);
  /// Runs both ways of what cannot be decided; `preferred` wins where both bind a value.
  void executeEither(Unit &unit, ast::Seq<ast::Stmt *> preferred, ast::Seq<ast::Stmt *> fallback,
                     unsigned line);
  /// The truth of the condition; nothing if only Python could evaluate it.
  std::optional<bool> decide(Unit &unit, const ast::Expr *test);
  std::optional<Value> evaluateQuietly(Unit &unit, const ast::Expr *expression,
                                       std::string *problem = nullptr);

  // Functions and classes.
  Value defineFunction(Unit &unit, const ast::FunctionDef *definition);
  Value defineClass(Unit &unit, const ast::ClassDef *definition);
  void defineMembers(Unit &unit, ClassDefinition &type);
  /// `k = triton.jit(f)`, `triton.autotune(...)(k)`, `namedtuple("P", "x y")`.
  std::optional<Value> evaluateWrapper(Unit &unit, const ast::Expr *expression);
  std::optional<Value> makeNamedTuple(Unit &unit, const ast::Call *call);
  const JitFunction *makeJitFunction(const void *key, const ast::FunctionDef *definition,
                                     Unit &unit, llvm::ArrayRef<const ast::Expr *> decorators);
  /// "triton.language.constexpr" for `tl.constexpr`, whatever its names here; empty if
  /// the expression is no path into a known module.
  std::string pathOf(Unit &unit, const ast::Expr *expression);
  /// The value of a name or attribute chain, without errors.
  std::optional<Value> valueOf(Unit &unit, const ast::Expr *expression);

  const SourceFile &file;
  const ast::Module &module;
  ModuleLoader &loader;
  std::string moduleName;
  std::vector<Unit> units;
  llvm::MapVector<llvm::StringRef, llvm::SmallVector<unsigned, 1>> binders;
  llvm::SmallVector<size_t> starImports; // units, the last one first
  bool isInStarImport = false;
  llvm::DenseMap<const void *, std::unique_ptr<JitFunction>> functions;
  std::vector<std::unique_ptr<ClassDefinition>> classes;
};

} // namespace tessera
