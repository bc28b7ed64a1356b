//===- Translator.h - a function's body, statement by statement -----------===//
// Interprets kernel code symbolically: compile-time values are computed, the
// rest is emitted. Expressions.cpp, Calls.cpp, Statements.cpp and ControlFlow.cpp
// hold the methods, one per syntax form.
//
// Errors are collected: a statement that fails leaves its names as ErrorObjects,
// which fail silently wherever they are used, and the next statement is looked at.
//===----------------------------------------------------------------------===//
#pragma once

#include "Builtins.h"
#include "Emitter.h"
#include "ModuleScope.h"
#include "Program.h"
#include "Semantics.h"
#include "Value.h"
#include "tessera/Source/AST.h"
#include "llvm/ADT/MapVector.h"
#include "Host/HostValues.h"
#include <deque>

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

/// What people call a form of Python that kernels do not have, and what to write instead, if
/// anything.
struct RefusedForm {
  llvm::StringRef name;
  llvm::StringRef advice = "";
};

/// What kind of code is being read.
enum class CodeKind {
  Kernel,   // emits IR, returns nothing
  Function, // emits IR, called by another
  Host,     // computes: a module's top level, a constexpr_function, a default value
};

class Translator {
public:
  Translator(Emitter &emit, Environment &globals, CodeKind kind, Program *program = nullptr)
      : emit(emit), globals(globals), kind(kind), program(program) {}

  /// Binds a parameter.
  void define(llvm::StringRef name, Value value, SourceRange where = {}) {
    locals[name] = {std::move(value), where};
  }

  FailureOr<Value> evaluate(const ast::Expr *expression);
  LogicalResult execute(ast::Seq<ast::Stmt *> body);
  /// The names so far: what a module's top level keeps of a statement.
  const Scope &scope() const { return locals; }
  /// Lets `self.x = ...` set the fields of the object that the function constructs.
  void construct(llvm::StringRef self, const ClassDefinition &type);
  /// Executes a function's body and joins its returns; the value that the function
  /// returns, with the builder where the return belongs. None for nothing.
  FailureOr<Value> executeFunction(ast::Seq<ast::Stmt *> body);

private:
  // Expressions.cpp
  FailureOr<Value> evaluateForm(const ast::Expr *expression);
  FailureOr<Value> evaluateConstant(const ast::Constant *constant);
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
  FailureOr<Value> evaluateListComprehension(const ast::ListComp *comprehension);
  FailureOr<Value> evaluateFormatted(const ast::JoinedStr *text);
  FailureOr<Value> refuse(const ast::Expr *expression);
  // Names.cpp
  FailureOr<Value> evaluateName(const ast::Name *name);
  /// A loop index after its loop as a value: poison. Any other value as it is.
  Value asTensor(const Value &value);
  /// The error for a name that means nothing here.
  FailureOr<Value> refuseName(const ast::Name *name);
  /// After an error: says what each operand is that has a name, and where it got it.
  void noteOperands(llvm::ArrayRef<const ast::Expr *> operands, size_t errorsBefore);

  // Host/HostExpressions.cpp: the forms that only host code has
  FailureOr<Value> evaluateHostForm(const ast::Expr *expression);
  FailureOr<Value> evaluateHostCompare(const ast::Compare *comparison);
  FailureOr<Value> evaluateHostSubscript(const Value &base, const Value &index);
  FailureOr<Value> evaluateDict(const ast::Dict *dict);
  FailureOr<std::vector<Value>> evaluateElements(ast::Seq<ast::Expr *> elements);
  FailureOr<Value> evaluateLambda(const ast::Lambda *lambda);
  /// Runs `each` for every combination of the generators' items that passes their conditions.
  LogicalResult comprehend(const ast::Expr *comprehension,
                           ast::Seq<ast::Comprehension *> generators,
                           llvm::function_ref<LogicalResult()> each);
  LogicalResult comprehendFrom(ast::Seq<ast::Comprehension *> generators,
                               llvm::function_ref<LogicalResult()> each);
  /// Python's truth; an error for what only the host or the device knows.
  FailureOr<bool> hostTruth(const ast::Expr *where, const Value &value);
  /// Fails, with an error, if host code would compute with a run-time value.
  LogicalResult checkHostOperand(const Value &operand);
  /// This function, or a lambda or function inside it, as a value.
  Value makeFunction(llvm::StringRef name, const ast::Arguments *parameters,
                     ast::Seq<ast::Stmt *> body, const ast::Expr *result, SourceRange range);

  // Host/HostStatements.cpp
  LogicalResult executeHostStatement(const ast::Stmt *statement);
  LogicalResult executeRaise(const ast::Raise *statement);
  LogicalResult executeTry(const ast::Try *statement);
  LogicalResult executeDelete(const ast::Delete *statement);
  LogicalResult assignHost(const ast::Expr *target, const Value &value);
  LogicalResult assignItem(const ast::Subscript *target, const Value &value);
  LogicalResult assignField(const ast::Attribute *target, const Value &value);

  // Calls.cpp
  FailureOr<Value> evaluateCall(const ast::Call *call);
  FailureOr<llvm::SmallVector<CallArgument>> evaluateArguments(const ast::Call *call);
  LogicalResult checkResultIsUsed(const ast::ExprStmt *statement);

  // Statements.cpp
  LogicalResult executeStatement(const ast::Stmt *statement);
  LogicalResult executeAssign(const ast::Assign *assign);
  LogicalResult executeAnnotated(const ast::AnnAssign *assign);
  LogicalResult executeAugmented(const ast::AugAssign *assign);
  LogicalResult executeAssert(const ast::Assert *assertion);
  LogicalResult assign(const ast::Expr *target, const Value &value);
  /// What a plain assignment stores: numbers become tensors (spec language.md 1.6).
  FailureOr<Value> decay(const Value &value, bool isReturned = false);
  LogicalResult refuse(const ast::Stmt *statement);

  // ControlFlow.cpp: branches and returns
  /// A branch that was traced into a block of its own.
  struct Branch {
    mlir::Block *block;
    Scope locals;
    bool hasReturned = false;    // on every path
    mlir::Value returnFlag = {}; // set if on some: whether it did
    Value returnValue = {};      // of either
  };
  /// An `if` one of whose branches returned: the code that follows is in the other.
  struct Split {
    mlir::Value condition;
    mlir::Location location;
    bool returnsWhenTrue;
    mlir::Block *returning;
    Value returnValue;
    mlir::Block *falling;
    mlir::OpBuilder::InsertPoint outer;
    Scope before;
  };
  LogicalResult executeReturn(const ast::Return *statement);
  LogicalResult executeIf(const ast::If *conditional);
  LogicalResult executeRuntimeIf(const ast::If *conditional, Tensor condition);
  FailureOr<Value> evaluateRuntimeConditional(const ast::IfExp *conditional, Tensor condition);
  FailureOr<Branch> traceBranch(ast::Seq<ast::Stmt *> body);
  /// A name that the branches of an `if` leave different, and what each yields.
  struct Merged {
    llvm::StringRef name;
    Value model;
    llvm::SmallVector<mlir::Value> then, otherwise;
  };
  LogicalResult mergeName(llvm::StringRef name, const Value *live, Branch &then, Branch &otherwise,
                          Scope &after, std::vector<Merged> &merged);
  LogicalResult mergeNames(Branch &then, Branch &otherwise, Scope &after,
                           std::vector<Merged> &merged);
  LogicalResult mergeBranches(mlir::Value condition, Branch &then, Branch &otherwise);
  /// Statements after one that returned at compile time: checked, and dropped.
  LogicalResult checkDeadCode(ast::Seq<ast::Stmt *> rest);
  /// Closes the splits above `base` after the current path returned.
  void joinReturns(size_t base);
  /// Closes them where the current path goes on; the result tells if the other returned.
  mlir::Value joinWithFlag(size_t base, Value &returned);
  /// A bool: any scalar is compared with 0, a block has no truth value.
  FailureOr<Tensor> conditionOf(const ast::Expr *where, const Tensor &test);
  /// A compile-time condition is a bool, an int or None.
  LogicalResult checkCondition(const ast::Expr *where, const Value &test);

  // Loops.cpp
  /// What `range(...)` or `tl.range(...)` said, as scalars of one integer type.
  struct LoopRange {
    Tensor lower, upper, step;
    bool isReversed = false; // a negative constant step: the bounds are exchanged
    llvm::SmallVector<mlir::NamedAttribute, 4> hints = {};
  };
  /// A name that a loop may carry.
  struct Carried {
    llvm::StringRef name;
    Value initial;
    llvm::SmallVector<mlir::Value> handles;                // of the initial value
    llvm::SmallVector<mlir::BlockArgument> arguments = {}; // that stand for it in the body
    bool isChanged = false;
  };
  LogicalResult executeFor(const ast::For *loop);
  LogicalResult executeStaticFor(const ast::For *loop, llvm::StringRef index,
                                 llvm::ArrayRef<Value> bounds);
  LogicalResult iterate(const ast::For *loop, const Value &item);
  LogicalResult executeRuntimeFor(const ast::For *loop, const ast::Name *index,
                                  const LoopRange &range);
  LogicalResult executeHostFor(const ast::For *loop);
  LogicalResult executeWhile(const ast::While *loop);
  LogicalResult executeHostWhile(const ast::While *loop);
  FailureOr<LoopRange> loopRange(const ast::For *loop, llvm::ArrayRef<Value> bounds);
  std::vector<Carried> findCarried(ast::Seq<ast::Stmt *> body, llvm::StringRef index);
  void bindCarried(llvm::MutableArrayRef<Carried> carried, mlir::Block *block);
  LogicalResult checkCarried(llvm::MutableArrayRef<Carried> carried, const Scope &before,
                             llvm::StringRef index, llvm::SmallVectorImpl<llvm::StringRef> &stale);
  void forget(llvm::ArrayRef<llvm::StringRef> stale, const Scope &body);
  void createYield(llvm::ArrayRef<Carried> carried);
  void takeResults(llvm::ArrayRef<Carried> carried, mlir::ValueRange results);

  bool isHost() const { return kind == CodeKind::Host; }
  void set(llvm::StringRef name, Value value) { locals[name] = {std::move(value), emit.range}; }

  Emitter &emit;
  Environment &globals;
  CodeKind kind;
  Program *program; // null for host code
  Scope locals;
  /// Names that a branch or a loop assigned and the code after it cannot see, with
  /// the place and the reason; for the error that names them.
  struct Lost {
    SourceRange where;
    llvm::StringRef why;
  };
  llvm::DenseMap<llvm::StringRef, Lost> lost;
  /// Names that were read while stale: what they hold then differs by iteration.
  llvm::DenseSet<llvm::StringRef> staleReads;
  unsigned loopDepth = 0;

  // Returns. `hasReturned` is about the path being traced; `returnType` remembers
  // the first return's value, which all others must match.
  bool hasReturned = false;
  Value returnValue;
  std::optional<Value> returnType;
  SourceRange returnTypeFrom = {};
  std::vector<Split> splits;
  static constexpr size_t kMaxSplits = 1000;

  /// The function's statements, to tell a name that is not defined yet from one that never is.
  ast::Seq<ast::Stmt *> functionBody;
  /// What __init__ constructs, under the name of its first parameter.
  llvm::StringRef constructedName;
  const ClassDefinition *constructed = nullptr;

  // Host code.
  std::deque<std::string> keywordTexts; // of `**dict` in calls
  enum class LoopExit { None, Break, Continue } loopExit = LoopExit::None;
};

/// The error for a kernel that uses what only Python could evaluate.
LogicalResult refuseHostObject(Emitter &emit, const HostObject &host);

/// An attribute of any value: `tl.float32`, `x.dtype`, `x.to`.
FailureOr<Value> readAttribute(Emitter &emit, const Value &value, llvm::StringRef name);

/// Evaluates an expression that may not emit IR, for a module's top level.
FailureOr<Value> evaluateConstantExpression(Emitter &emit, Environment &globals,
                                            const ast::Expr *expression);

/// Whether an annotation says `tl.constexpr`.
bool isConstexprAnnotation(Environment &globals, const ast::Expr *annotation);

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
