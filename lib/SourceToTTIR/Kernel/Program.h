//===- Program.h - a kernel and the functions it calls --------------------===//
// Each jit function becomes one tt.func per combination of argument types and
// compile-time arguments, and calls of it tt.call; the inliner joins them later.
//
//   sum2(x, 4)  and  sum2(x, 8)   two instances: the 4 and the 8 are compiled in
//   sum2(x, n)  and  sum2(x, m)   one instance
//
// An instance that failed stays failed: its errors are not repeated.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTIR/IR/TTOps.h"
#include "llvm/ADT/StringMap.h"
#include "../Builtins/Builtins.h"
#include "../Emitter.h"
#include "../Values/Definitions.h"

namespace tessera {

/// One parameter of a Python function.
struct FormalParameter {
  const ast::Arg *node;
  const ast::Expr *defaultValue;         // null if there is none
  std::optional<Value> liveDefault = {}; // instead, where the host knows it
  bool hasDefault() const { return defaultValue || liveDefault; }
};

/// The parameters, or an error for the forms that jit functions do not have.
llvm::FailureOr<std::vector<FormalParameter>> formalParameters(Emitter &emit,
                                                               const JitFunction &function);

class Program : public FunctionCaller {
public:
  Program(Emitter &emit, mlir::ModuleOp module) : emit(emit), module(module) {}
  ~Program() override;

  llvm::FailureOr<Value> call(const Value &callee, llvm::ArrayRef<CallArgument> arguments) override;

  void promise(mlir::Value value, llvm::StringRef name, mlir::Attribute promise) override;
  /// Lets all uses of values see what was promised of them, once all uses are known.
  void applyPromises();

  /// Fails, with an error, if the function becomes too large or too deep when the
  /// functions it calls are part of it: f1 calls f0 twice, f2 calls f1 twice, ...
  llvm::LogicalResult checkSize(tt::FuncOp function);

  /// A block that belongs to no operation yet; released by attach(), and else with
  /// the program, whatever state an error left it in.
  mlir::Block *newBlock();
  /// Makes the block the only one of a region.
  void attach(mlir::Block *block, mlir::Region &region);

private:
  struct Instance {
    tt::FuncOp function;
    Value result; // the handles in it are the callee's; its types are what counts
    enum { InProgress, Done, Failed } state = InProgress;
  };

  llvm::FailureOr<Value> callFunction(const JitFunction &function,
                                      llvm::ArrayRef<CallArgument> arguments);
  llvm::FailureOr<std::vector<Value>> bind(const JitFunction &function,
                                           llvm::ArrayRef<FormalParameter> parameters,
                                           llvm::ArrayRef<CallArgument> arguments);
  llvm::LogicalResult translate(Instance &instance, const JitFunction &function,
                                llvm::ArrayRef<FormalParameter> parameters,
                                llvm::ArrayRef<Value> arguments);
  std::string symbolFor(const JitFunction &function);

  /// The size of a function with its callees inlined.
  struct Size {
    uint64_t operations = 0;
    unsigned depth = 0; // of regions
  };
  Size measure(mlir::Region &region) const;
  static constexpr uint64_t kMaxOperations = 1 << 18;
  static constexpr unsigned kMaxRegionDepth = 1500; // passes recurse over regions

  Emitter &emit;
  mlir::ModuleOp module;
  llvm::StringMap<Instance> instances;
  llvm::StringMap<Size> sizes; // by symbol
  llvm::StringMap<unsigned> symbols;
  std::vector<std::unique_ptr<mlir::Block>> detached;
  /// Casts of values to their own type, which carry what is promised of them.
  llvm::SmallVector<tt::BitcastOp> promises;
};

/// Matches arguments to a function's parameters by Python's rules; defaults are
/// evaluated in the function's own module. `bound` has one value per parameter.
llvm::FailureOr<std::vector<Value>> bindParameters(Emitter &emit, const JitFunction &function,
                                                   llvm::ArrayRef<FormalParameter> parameters,
                                                   llvm::ArrayRef<CallArgument> arguments);

/// Returns true if a function belongs to the embedded standard library.
bool isLibrary(const JitFunction &function);

} // namespace tessera
