//===- Evaluator.h - Python code, statement by statement ------------------===//
// What kernels and compile-time code have in common: names, attributes, calls,
// operators, subscripts and assignments. Two classes fill in the rest:
//
//   KernelTranslator   kernels and jit functions: emits IR for run-time values
//   HostInterpreter    constexpr functions, default values, a module's top level:
//                      computes, as Python would
//
// Expressions.cpp, Names.cpp, Calls.cpp and Statements.cpp hold the methods, one
// per syntax form.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Source/AST.h"
#include "llvm/ADT/MapVector.h"
#include "../Builtins/Builtins.h"
#include "../Emitter.h"
#include "../Operators/Semantics.h"
#include "../Values/Definitions.h"
#include "../Values/Value.h"

namespace tessera {

inline llvm::StringRef ref(std::string_view text) { return {text.data(), text.size()}; }

/// A local name: what it stands for, and where it got that.
struct Local {
  Value value;
  SourceRange where = {};
  bool isStale = false; // a compile-time value from before the loop that may assign it
};
/// In the order of first definition, which is the order of loop-carried values.
using Scope = llvm::MapVector<llvm::StringRef, Local>;

/// The usual name of a form of Python that is refused, and advice on what to write instead.
struct RefusedForm {
  llvm::StringRef name;
  llvm::StringRef advice = "";
};

/// Sets the fields of the object that an __init__ makes (Host/Construction.cpp).
class FieldAssigner {
public:
  virtual ~FieldAssigner() = default;
  /// `self.x = value`; fails, with an error, if the object has no such field or the field
  /// cannot hold the value.
  virtual LogicalResult assign(const ast::Attribute *target, const Value &value, Scope &locals) = 0;
};

class Evaluator {
public:
  Evaluator(Emitter &emit, Environment &globals) : emit(emit), globals(globals) {}
  virtual ~Evaluator() = default;

  /// Binds a parameter.
  void define(llvm::StringRef name, Value value, SourceRange where = {}) {
    locals[name] = {std::move(value), where};
  }

  FailureOr<Value> evaluate(const ast::Expr *expression);
  virtual LogicalResult execute(ast::Seq<ast::Stmt *> body) = 0;
  /// Executes a function's body; the value that the function returns, None for nothing.
  virtual FailureOr<Value> executeFunction(ast::Seq<ast::Stmt *> body) = 0;
  /// The names so far: what a module's top level keeps of a statement.
  const Scope &scope() const { return locals; }
  /// Lets `self.x = ...` set the fields of the object that the function constructs.
  void construct(FieldAssigner &fields) { constructed = &fields; }

protected:
  //===--------------------------------------------------------------------===//
  // What the two kinds of code do differently
  //===--------------------------------------------------------------------===//

  /// One form of expression: the forms that both have, and an error for any other.
  virtual FailureOr<Value> evaluateForm(const ast::Expr *expression);
  /// An error if an expression's value is too large to go on with.
  virtual LogicalResult checkSize(const Value &value) = 0;
  virtual FailureOr<Value> evaluateAttribute(const ast::Attribute *attribute);
  virtual FailureOr<Value> applyBinary(const ast::BinOp *operation, BinaryOp op, const Value &left,
                                       const Value &right) = 0;
  virtual FailureOr<Value> applyUnary(UnaryOp op, const Value &operand) = 0;
  virtual FailureOr<Value> evaluateCompare(const ast::Compare *comparison) = 0;
  virtual FailureOr<Value> evaluateBool(const ast::BoolOp *operation) = 0;
  virtual FailureOr<Value> evaluateConditional(const ast::IfExp *conditional) = 0;

  /// The value of a local name that is read.
  virtual Value readLocal(llvm::StringRef name, const Local &local) = 0;
  /// Looks up a name that is not local, in the module but not among Python's own functions.
  /// Returns nothing if there is no such name; fails, with an error, if the code may not use
  /// the value.
  virtual FailureOr<std::optional<Value>> readGlobal(llvm::StringRef name) = 0;
  /// The error for a name that means nothing here.
  virtual FailureOr<Value> refuseName(const ast::Name *name);

  virtual FailureOr<Value> call(const ast::Call *call, const Value &callee,
                                llvm::ArrayRef<CallArgument> arguments) = 0;
  /// The error for a call of what only Python could call.
  virtual LogicalResult refuseCallee(const Value &callee) = 0;
  /// The arguments that `*value` and `**value` in a call stand for.
  virtual FailureOr<std::vector<Value>> spread(const ast::Expr *argument, const Value &value) = 0;
  virtual LogicalResult spreadKeywords(const ast::Keyword *keyword,
                                       llvm::SmallVectorImpl<CallArgument> &arguments) = 0;

  /// One statement: the forms that both have; executeOther() for those that only one has.
  virtual LogicalResult executeStatement(const ast::Stmt *statement);
  virtual LogicalResult executeOther(const ast::Stmt *statement) = 0;
  virtual LogicalResult executeIf(const ast::If *conditional) = 0;
  virtual LogicalResult executeFor(const ast::For *loop) = 0;
  virtual LogicalResult executeWhile(const ast::While *loop) = 0;
  virtual LogicalResult executeReturn(const ast::Return *statement) = 0;
  virtual LogicalResult executeAssert(const ast::Assert *assertion, const Value &test,
                                      const Value &message) = 0;
  /// The value that a plain assignment stores.
  virtual FailureOr<Value> decay(const Value &value) = 0;
  /// Returns true if `name: annotation` declares a constant.
  virtual bool declaresConstant(const ast::Expr *annotation) = 0;
  /// Returns true if `target += ...` is allowed for this target, which is not a name.
  virtual bool canChange(const ast::Expr *target) = 0;
  /// Assigns to a target that is neither a name nor a field of the object being constructed.
  virtual LogicalResult assignParts(const ast::Expr *target, const Value &value) = 0;

  //===--------------------------------------------------------------------===//
  // What they share
  //===--------------------------------------------------------------------===//

  // Expressions.cpp
  FailureOr<Value> evaluateConstant(const ast::Constant *constant);
  FailureOr<Value> evaluateBinary(const ast::BinOp *operation);
  FailureOr<Value> evaluateUnary(const ast::UnaryOp *operation);
  FailureOr<Value> evaluateSubscript(const ast::Subscript *subscript);
  FailureOr<Value> indexTensor(const Tensor &tensor, const Value &index);
  FailureOr<Value> indexTuple(const TupleObject &tuple, const Value &index);
  /// One element, or a slice, of a string or a list.
  FailureOr<Value> indexSequence(const Value &base, const Value &index);
  FailureOr<Value> evaluateSlice(const ast::Slice *slice);
  FailureOr<Value> sliceTuple(const TupleObject &tuple, const SliceObject &slice);
  FailureOr<Value> evaluateFormatted(const ast::JoinedStr *text);
  FailureOr<Value> refuse(const ast::Expr *expression);
  /// An error if the value has more than `most` elements, or nests too deeply.
  LogicalResult checkSizeUpTo(size_t most, const Value &value);
  // Names.cpp
  FailureOr<Value> evaluateName(const ast::Name *name);
  // Calls.cpp
  FailureOr<Value> evaluateCall(const ast::Call *call);
  FailureOr<llvm::SmallVector<CallArgument>> evaluateArguments(const ast::Call *call);
  // Statements.cpp
  LogicalResult executeAssign(const ast::Assign *assign);
  LogicalResult executeAnnotated(const ast::AnnAssign *assign);
  LogicalResult executeAugmented(const ast::AugAssign *assign);
  LogicalResult assign(const ast::Expr *target, const Value &value);
  /// The error for a target that cannot be assigned to.
  LogicalResult refuseTarget(const ast::Expr *target);
  LogicalResult refuse(const ast::Stmt *statement);

  void set(llvm::StringRef name, Value value) { locals[name] = {std::move(value), emit.range}; }

  Emitter &emit;
  Environment &globals;
  Scope locals;
  /// The function's statements, to tell a name that is not defined yet from one that never is.
  ast::Seq<ast::Stmt *> functionBody;

private:
  FieldAssigner *constructed = nullptr;
};

/// The names that code may read, in its order, some of them several times.
void collectReadNames(const ast::Expr *expression, llvm::SmallVectorImpl<llvm::StringRef> &names);
void collectReadNames(ast::Seq<ast::Stmt *> body, llvm::SmallVectorImpl<llvm::StringRef> &names);
/// The names that a statement of a module's top level reads when it runs: not those in bodies
/// of functions and classes, and of an `if` only those in its condition.
void collectNeededNames(const ast::Stmt *statement, llvm::SmallVectorImpl<llvm::StringRef> &names);

/// The names that statements may bind, nested ones included, each once.
void collectAssignedNames(ast::Seq<ast::Stmt *> body,
                          llvm::SmallVectorImpl<llvm::StringRef> &names);
void collectAssignedNames(const ast::Stmt *statement,
                          llvm::SmallVectorImpl<llvm::StringRef> &names);

} // namespace tessera
