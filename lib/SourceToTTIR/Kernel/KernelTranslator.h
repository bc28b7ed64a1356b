//===- KernelTranslator.h - a jit function's body, as IR ------------------===//
// Interprets kernel code symbolically: compile-time values are computed, the
// rest is emitted. KernelExpressions.cpp, KernelStatements.cpp, ControlFlow.cpp and
// Loops.cpp hold the methods.
//
// Errors are collected: a statement that fails leaves its names as ErrorObjects,
// which fail silently wherever they are used, and the next statement is looked at.
//===----------------------------------------------------------------------===//
#pragma once

#include "Program.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "../Evaluator/Evaluator.h"

namespace tessera {

class KernelTranslator : public Evaluator {
public:
  /// A kernel returns nothing; a function is called by another.
  enum class Role { Kernel, Function };
  KernelTranslator(Emitter &emit, Environment &globals, Program &program, Role role)
      : Evaluator(emit, globals), program(program), role(role) {}

  LogicalResult execute(ast::Seq<ast::Stmt *> body) override;
  /// Joins the function's returns; the builder is left where the return belongs.
  FailureOr<Value> executeFunction(ast::Seq<ast::Stmt *> body) override;

private:
  // KernelExpressions.cpp
  FailureOr<Value> evaluateForm(const ast::Expr *expression) override;
  LogicalResult checkSize(const Value &value) override;
  FailureOr<Value> evaluateAttribute(const ast::Attribute *attribute) override;
  FailureOr<Value> applyBinary(const ast::BinOp *operation, BinaryOp op, const Value &left,
                               const Value &right) override;
  FailureOr<Value> applyUnary(UnaryOp op, const Value &operand) override;
  FailureOr<Value> evaluateCompare(const ast::Compare *comparison) override;
  FailureOr<Value> evaluateBool(const ast::BoolOp *operation) override;
  FailureOr<Value> evaluateConditional(const ast::IfExp *conditional) override;
  FailureOr<Value> evaluateTuple(ast::Seq<ast::Expr *> elements);
  FailureOr<Value> evaluateListComprehension(const ast::ListComp *comprehension);
  Value readLocal(llvm::StringRef name, const Local &local) override;
  FailureOr<std::optional<Value>> readGlobal(llvm::StringRef name) override;
  FailureOr<Value> refuseName(const ast::Name *name) override;
  /// A loop index after its loop as a value: poison. Any other value as it is.
  Value asTensor(const Value &value);
  FailureOr<Value> call(const ast::Call *call, const Value &callee,
                        llvm::ArrayRef<CallArgument> arguments) override;
  LogicalResult refuseCallee(const Value &callee) override;
  FailureOr<std::vector<Value>> spread(const ast::Expr *argument, const Value &value) override;
  LogicalResult spreadKeywords(const ast::Keyword *keyword,
                               llvm::SmallVectorImpl<CallArgument> &arguments) override;
  /// After an error: says what each operand is that has a name, and where it got it.
  void noteOperands(llvm::ArrayRef<const ast::Expr *> operands, size_t errorsBefore);

  // KernelStatements.cpp
  LogicalResult executeStatement(const ast::Stmt *statement) override;
  LogicalResult executeOther(const ast::Stmt *statement) override { return refuse(statement); }
  LogicalResult executeAssert(const ast::Assert *assertion, const Value &test,
                              const Value &message) override;
  LogicalResult checkResultIsUsed(const ast::ExprStmt *statement);
  /// The value that is called; nothing, without an error, if there is no such name.
  std::optional<Value> findCallee(const ast::Call *call);
  /// Numbers become tensors (docs/language.md).
  FailureOr<Value> decay(const Value &value) override { return decay(value, false); }
  FailureOr<Value> decay(const Value &value, bool isReturned);
  bool declaresConstant(const ast::Expr *annotation) override;
  bool canChange(const ast::Expr *) override { return false; }
  LogicalResult assignParts(const ast::Expr *target, const Value &value) override;

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
  LogicalResult executeReturn(const ast::Return *statement) override;
  LogicalResult executeIf(const ast::If *conditional) override;
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
  /// The same where one branch returned: what the other left goes on.
  void keepName(llvm::StringRef name, const Value *live, const Scope &goesOn, Scope &after,
                std::vector<Merged> &merged);
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
  LogicalResult executeFor(const ast::For *loop) override;
  LogicalResult executeStaticFor(const ast::For *loop, llvm::StringRef index,
                                 llvm::ArrayRef<Value> bounds);
  LogicalResult executeRuntimeFor(const ast::For *loop, const ast::Name *index,
                                  const LoopRange &range);
  LogicalResult executeWhile(const ast::While *loop) override;
  /// The condition of a `while`, traced into a block that ends with it.
  struct TracedCondition {
    mlir::scf::ConditionOp op = {};
    bool keepsInvariantsInside = false;
  };
  FailureOr<TracedCondition> traceCondition(const ast::While *loop, mlir::Block *block);
  FailureOr<LoopRange> loopRange(const ast::For *loop, llvm::ArrayRef<Value> bounds);
  std::vector<Carried> findCarried(ast::Seq<ast::Stmt *> body, llvm::StringRef index);
  void bindCarried(llvm::MutableArrayRef<Carried> carried, mlir::Block *block);
  LogicalResult checkCarried(llvm::MutableArrayRef<Carried> carried, const Scope &before,
                             llvm::StringRef index, llvm::SmallVectorImpl<llvm::StringRef> &stale);
  /// One of the names from before the loop, after its body.
  LogicalResult checkCarried(llvm::StringRef name, const Local &old,
                             llvm::MutableArrayRef<Carried> carried,
                             llvm::SmallVectorImpl<llvm::StringRef> &stale);
  LogicalResult refuseCarried(llvm::StringRef name, const Local &old, const llvm::Twine &message);
  void forget(llvm::ArrayRef<llvm::StringRef> stale, const Scope &body);
  void createYield(llvm::ArrayRef<Carried> carried);
  void takeResults(llvm::ArrayRef<Carried> carried, mlir::ValueRange results);

  Program &program;
  Role role;
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
};

/// The error for a kernel that uses what only Python could evaluate.
LogicalResult refuseHostObject(Emitter &emit, const HostObject &host);

} // namespace tessera
