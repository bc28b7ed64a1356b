//===- HostInterpreter.h - Python code that runs at compile time ----------===//
// Runs @triton.constexpr_functions, the plain functions that they call, default
// values and a module's top level as Python would: loops run, containers change in
// place, every truth is Python's. Run-time values are passed around and refused
// where they would be computed with. The first error ends the code.
//===----------------------------------------------------------------------===//
#pragma once

#include "HostValues.h"
#include "../Evaluator/Evaluator.h"
#include <deque>

namespace tessera {

class HostInterpreter : public Evaluator {
public:
  using Evaluator::Evaluator;

  LogicalResult execute(ast::Seq<ast::Stmt *> body) override;
  FailureOr<Value> executeFunction(ast::Seq<ast::Stmt *> body) override;

private:
  // HostExpressions.cpp
  FailureOr<Value> evaluateForm(const ast::Expr *expression) override;
  LogicalResult checkSize(const Value &value) override;
  FailureOr<Value> applyBinary(const ast::BinOp *operation, BinaryOp op, const Value &left,
                               const Value &right) override;
  FailureOr<Value> applyUnary(UnaryOp op, const Value &operand) override;
  FailureOr<Value> evaluateCompare(const ast::Compare *comparison) override;
  FailureOr<Value> evaluateBool(const ast::BoolOp *operation) override;
  FailureOr<Value> evaluateConditional(const ast::IfExp *conditional) override;
  Value readLocal(llvm::StringRef name, const Local &local) override { return local.value; }
  FailureOr<std::optional<Value>> readGlobal(llvm::StringRef name) override;
  FailureOr<Value> call(const ast::Call *call, const Value &callee,
                        llvm::ArrayRef<CallArgument> arguments) override;
  LogicalResult refuseCallee(const Value &callee) override { return checkOperand(callee); }
  FailureOr<std::vector<Value>> spread(const ast::Expr *argument, const Value &value) override;
  LogicalResult spreadKeywords(const ast::Keyword *keyword,
                               llvm::SmallVectorImpl<CallArgument> &arguments) override;
  FailureOr<Value> evaluateDict(const ast::Dict *dict);
  FailureOr<Value> evaluateNamed(const ast::NamedExpr *named);
  FailureOr<std::vector<Value>> evaluateElements(ast::Seq<ast::Expr *> elements);
  FailureOr<Value> evaluateLambda(const ast::Lambda *lambda);
  FailureOr<Value> evaluateComprehension(const ast::Expr *comprehension);
  /// Runs `each` for every combination of the generators' items that passes their conditions.
  LogicalResult comprehend(const ast::Expr *comprehension,
                           ast::Seq<ast::Comprehension *> generators,
                           llvm::function_ref<LogicalResult()> each);
  LogicalResult comprehendFrom(ast::Seq<ast::Comprehension *> generators,
                               llvm::function_ref<LogicalResult()> each);
  /// The value of a condition; an error for what only Python or the device knows.
  FailureOr<bool> evaluateTruth(const ast::Expr *condition);
  FailureOr<bool> truthOf(const ast::Expr *where, const Value &value);
  /// Fails, with an error, for a run-time value or one that only Python knows.
  LogicalResult checkOperand(const Value &operand);
  /// A lambda or a function inside this one, as a value.
  Value makeFunction(llvm::StringRef name, const ast::Arguments *parameters,
                     ast::Seq<ast::Stmt *> body, const ast::Expr *result, SourceRange range);

  // HostStatements.cpp
  LogicalResult executeOther(const ast::Stmt *statement) override;
  LogicalResult executeIf(const ast::If *conditional) override;
  LogicalResult executeFor(const ast::For *loop) override;
  LogicalResult executeWhile(const ast::While *loop) override;
  LogicalResult executeReturn(const ast::Return *statement) override;
  LogicalResult executeAssert(const ast::Assert *assertion, const Value &test,
                              const Value &message) override;
  LogicalResult executeFunctionDef(const ast::FunctionDef *function);
  LogicalResult executeRaise(const ast::Raise *statement);
  LogicalResult executeTry(const ast::Try *statement);
  LogicalResult executeDelete(const ast::Delete *statement);
  FailureOr<Value> decay(const Value &value) override { return value; }
  bool declaresConstant(const ast::Expr *) override { return false; }
  bool canChange(const ast::Expr *target) override { return llvm::isa<ast::Subscript>(target); }
  LogicalResult assignParts(const ast::Expr *target, const Value &value) override;
  LogicalResult assignItem(const ast::Subscript *target, const Value &value);

  bool hasReturned = false;
  Value returnValue;
  enum class LoopExit { None, Break, Continue } loopExit = LoopExit::None;
  std::deque<std::string> keywordTexts; // of `**dict` in calls
};

/// Evaluates an expression that may not emit IR, for a module's top level.
FailureOr<Value> evaluateConstantExpression(Emitter &emit, Environment &globals,
                                            const ast::Expr *expression);

/// Returns true if an annotation is `tl.constexpr`.
bool isConstexprAnnotation(Environment &globals, const ast::Expr *annotation);

} // namespace tessera
