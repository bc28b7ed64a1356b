//===- Translator.h - a function's body, statement by statement -----------===//
// Interprets kernel code symbolically: compile-time values are computed, the
// rest is emitted. Expressions.cpp, Calls.cpp and Statements.cpp hold the
// methods, one per syntax form.
//===----------------------------------------------------------------------===//
#pragma once

#include "Builtins.h"
#include "Emitter.h"
#include "ModuleScope.h"
#include "Semantics.h"
#include "Value.h"
#include "tessera/Source/AST.h"
#include "llvm/ADT/StringMap.h"

namespace tessera {

inline llvm::StringRef ref(std::string_view text) { return {text.data(), text.size()}; }

class Translator {
public:
  Translator(Emitter &emit, Environment &globals) : emit(emit), globals(globals) {}

  /// Binds a parameter.
  void define(llvm::StringRef name, Value value) { locals[name] = std::move(value); }

  FailureOr<Value> evaluate(const ast::Expr *expression);
  LogicalResult execute(ast::Seq<ast::Stmt *> body);

private:
  // Expressions.cpp
  FailureOr<Value> evaluateForm(const ast::Expr *expression);
  FailureOr<Value> evaluateConstant(const ast::Constant *constant);
  FailureOr<Value> evaluateName(const ast::Name *name);
  FailureOr<Value> evaluateAttribute(const ast::Attribute *attribute);
  FailureOr<Value> evaluateBinary(const ast::BinOp *operation);
  FailureOr<Value> evaluateUnary(const ast::UnaryOp *operation);
  FailureOr<Value> evaluateCompare(const ast::Compare *comparison);
  FailureOr<Value> evaluateBool(const ast::BoolOp *operation);
  FailureOr<Value> evaluateConditional(const ast::IfExp *conditional);
  FailureOr<Value> evaluateTuple(ast::Seq<ast::Expr *> elements);
  FailureOr<Value> evaluateSubscript(const ast::Subscript *subscript);
  FailureOr<Value> indexTensor(const Tensor &tensor, const Value &index);
  FailureOr<Value> evaluateSlice(const ast::Slice *slice);
  FailureOr<Value> sliceTuple(const TupleObject &tuple, const SliceObject &slice);
  FailureOr<Value> refuse(const ast::Expr *expression);
  // Calls.cpp
  FailureOr<Value> evaluateCall(const ast::Call *call);
  FailureOr<llvm::SmallVector<CallArgument>> evaluateArguments(const ast::Call *call);
  // Statements.cpp
  LogicalResult executeStatement(const ast::Stmt *statement);
  LogicalResult executeAssign(const ast::Assign *assign);
  LogicalResult executeAnnotated(const ast::AnnAssign *assign);
  LogicalResult executeAugmented(const ast::AugAssign *assign);
  LogicalResult executeIf(const ast::If *conditional);
  LogicalResult assign(const ast::Expr *target, const Value &value);
  /// A compile-time condition is a bool, an int or None.
  LogicalResult checkCondition(const ast::Expr *where, const Value &test);
  /// What a plain assignment stores: numbers become tensors (spec language.md 1.6).
  FailureOr<Value> decay(const Value &value);
  LogicalResult refuse(const ast::Stmt *statement);

  Emitter &emit;
  Environment &globals;
  llvm::StringMap<Value> locals;
  bool hasReturned = false;
};

/// An attribute of any value: `tl.float32`, `x.dtype`, `x.to`.
FailureOr<Value> readAttribute(Emitter &emit, const Value &value, llvm::StringRef name);

/// Evaluates an expression that may not emit IR, for a module's top level.
FailureOr<Value> evaluateConstantExpression(Emitter &emit, Environment &globals,
                                            const ast::Expr *expression);

/// Whether an annotation says `tl.constexpr`.
bool isConstexprAnnotation(Environment &globals, const ast::Expr *annotation);

} // namespace tessera
