//===- ControlFlow.cpp - branches and returns -----------------------------===//
// A compile-time condition chooses; the other branch is never looked at. A
// run-time one becomes scf.if, whose results are the names that the branches
// left different.
//
// Returns keep the control flow structured. Where one branch of an `if` returns,
// the statements after it move into the other branch (a *split*, closed when the
// function ends):
//
//     if n > 0:                    %r = scf.if %c -> f32 {
//         return x                   scf.yield %x
//     y = f(x)               =>    } else {
//     return y                       ... %y ...
//                                    scf.yield %y
//                                  }
//                                  tt.return %r
//
// Where only part of a branch returns, the scf.if also yields a flag that says
// whether it did, and the statements after it run under that flag. So functions
// with early returns can be inlined anywhere, also into loops.
//===----------------------------------------------------------------------===//
#include "KernelTranslator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/SaveAndRestore.h"
#include <array>

using namespace tessera;
using llvm::dyn_cast;

using Handles = llvm::SmallVector<mlir::Value>;

static Handles flattened(const Value &value) {
  Handles handles;
  flatten(value, handles);
  return handles;
}

/// Values of the same types that nobody will read.
static Handles poisonLike(mlir::OpBuilder &builder, mlir::Location location,
                          llvm::ArrayRef<mlir::Value> handles) {
  Handles result;
  for (mlir::Value handle : handles)
    result.push_back(mlir::ub::PoisonOp::create(builder, location, handle.getType()));
  return result;
}

/// An scf.if over two traced blocks, which end with the values they yield.
static mlir::scf::IfOp createIf(Emitter &emit, Program &program, mlir::Location location,
                                mlir::Value condition, mlir::Block *then, mlir::Block *otherwise,
                                llvm::ArrayRef<mlir::Value> thenValues,
                                llvm::ArrayRef<mlir::Value> elseValues) {
  mlir::OpBuilder &builder = emit.builder;
  auto op = mlir::scf::IfOp::create(builder, location, mlir::ValueRange(thenValues).getTypes(),
                                    condition, /*addThenBlock=*/true, /*addElseBlock=*/true);
  program.attach(then, op.getThenRegion());
  program.attach(otherwise, op.getElseRegion());
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(then);
  mlir::scf::YieldOp::create(builder, location, thenValues);
  builder.setInsertionPointToEnd(otherwise);
  mlir::scf::YieldOp::create(builder, location, elseValues);
  return op;
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

LogicalResult KernelTranslator::checkCondition(const ast::Expr *where, const Value &test) {
  if (test.asInt() || test.isNone())
    return llvm::success();
  return emit.errorAt(where->range, "the condition of an 'if' is a bool, an int or None, not " +
                                        test.describe() + "; write a comparison");
}

FailureOr<Tensor> KernelTranslator::conditionOf(const ast::Expr *where, const Tensor &test) {
  RangeScope scope(emit, where->range);
  Tensor scalar = test;
  if (test.type.isBlock()) {
    if (test.type.numElements() != 1)
      return emit.error("the block " + test.type.str() +
                        " has no single truth value; reduce it (tl.max, tl.sum), or choose "
                        "element by element with tl.where");
    emit.warnAt(where->range, "a block of one element as a condition; write .item()");
    scalar = {tt::UnsplatOp::create(emit.builder, emit.location(), test.handle),
              test.type.withShape({})};
  }
  if (scalar.type.isBlockPointer())
    return emit.error("a block pointer has no truth value");
  return castTo(emit, scalar, DType::Int1);
}

//===----------------------------------------------------------------------===//
// if
//===----------------------------------------------------------------------===//

LogicalResult KernelTranslator::executeIf(const ast::If *conditional) {
  FailureOr<Value> test = evaluate(conditional->test);
  if (failed(test))
    return llvm::failure();
  if (const Tensor *tensor = test->get<Tensor>()) {
    FailureOr<Tensor> condition = conditionOf(conditional->test, *tensor);
    return failed(condition) ? llvm::failure() : executeRuntimeIf(conditional, *condition);
  }
  if (failed(checkCondition(conditional->test, *test)))
    return llvm::failure();
  return execute(isTruthy(*test) ? conditional->body : conditional->orelse);
}

FailureOr<KernelTranslator::Branch> KernelTranslator::traceBranch(ast::Seq<ast::Stmt *> body) {
  Branch branch{program.newBlock(), {}};
  size_t base = splits.size();
  mlir::OpBuilder::InsertionGuard guard(emit.builder);
  emit.builder.setInsertionPointToEnd(branch.block);
  LogicalResult status = execute(body);
  if (succeeded(status)) {
    if (hasReturned)
      joinReturns(base);
    else if (splits.size() > base)
      branch.returnFlag = joinWithFlag(base, branch.returnValue);
  }
  splits.erase(splits.begin() + base, splits.end());
  branch.hasReturned = hasReturned;
  if (hasReturned)
    branch.returnValue = returnValue;
  hasReturned = false;
  branch.locals = std::move(locals);
  return failed(status) ? FailureOr<Branch>(llvm::failure()) : FailureOr<Branch>(std::move(branch));
}

LogicalResult KernelTranslator::executeRuntimeIf(const ast::If *conditional, Tensor condition) {
  llvm::SaveAndRestore<llvm::StringRef> unnamed(emit.resultName, "");
  Scope before = locals;
  FailureOr<Branch> then = traceBranch(conditional->body);
  locals = before;
  FailureOr<Branch> otherwise = traceBranch(conditional->orelse);
  locals = std::move(before);
  if (failed(then) || failed(otherwise))
    return llvm::failure();
  if ((!then->hasReturned && !otherwise->hasReturned) || then->returnFlag || otherwise->returnFlag)
    return mergeBranches(condition.handle, *then, *otherwise);

  // One returns on every path: what follows goes on in the other.
  if (splits.size() >= kMaxSplits)
    return emit.error("this is nested too deeply: what follows an early return is inside it, and "
                      "there are more than " +
                      llvm::Twine(kMaxSplits));
  Branch &returning = then->hasReturned ? *then : *otherwise;
  Branch &falling = then->hasReturned ? *otherwise : *then;
  splits.push_back({condition.handle, emit.location(), then->hasReturned, returning.block,
                    returning.returnValue, falling.block, emit.builder.saveInsertionPoint(),
                    locals});
  locals = std::move(falling.locals);
  emit.builder.setInsertionPointToEnd(falling.block);
  if (falling.hasReturned) {
    hasReturned = true;
    returnValue = falling.returnValue;
    joinReturns(splits.size() - 1);
  }
  return llvm::success();
}

static const Value *findLocal(const Scope &scope, llvm::StringRef name) {
  auto found = scope.find(name);
  return found == scope.end() ? nullptr : &found->second.value;
}

/// The name of the value's type in messages.
static std::string typeName(const Value &value) {
  return value.isTensor() || value.is<TupleObject>() || value.is<AggregateObject>()
             ? typeText(value)
             : value.describe();
}

void KernelTranslator::keepName(llvm::StringRef name, const Value *live, const Scope &goesOn,
                                Scope &after, std::vector<Merged> &merged) {
  auto found = goesOn.find(name);
  Handles handles = found == goesOn.end() ? Handles() : flattened(found->second.value);
  if (found == goesOn.end())
    after.erase(name);
  else if (handles.empty() || (live && handles == flattened(*live)))
    after[name] = found->second;
  else
    merged.push_back({name, found->second.value, handles, handles});
}

/// Compile-time values that differ, or a None that only one branch made a run-time
/// value, are no error: using the name later is.
LogicalResult KernelTranslator::mergeName(llvm::StringRef name, const Value *live, Branch &then,
                                          Branch &otherwise, Scope &after,
                                          std::vector<Merged> &merged) {
  if (then.hasReturned || otherwise.hasReturned) {
    keepName(name, live, (then.hasReturned ? otherwise : then).locals, after, merged);
    return llvm::success();
  }
  const Value *left = findLocal(then.locals, name), *right = findLocal(otherwise.locals, name);
  if (!left || !right) { // a loop in a branch took it away
    after.erase(name);
    return llvm::success();
  }
  if (left->is<ErrorObject>() || right->is<ErrorObject>()) {
    after[name].value = Value(ErrorObject{});
    return llvm::success();
  }
  if (left->is<UndefinedObject>() != right->is<UndefinedObject>()) {
    Branch &branch = left->is<UndefinedObject>() ? then : otherwise;
    mlir::OpBuilder::InsertionGuard guard(emit.builder);
    emit.builder.setInsertionPointToEnd(branch.block);
    Value &undefined = branch.locals[name].value;
    undefined = asTensor(undefined);
  }
  Handles thenHandles = flattened(*left), elseHandles = flattened(*right);
  if (thenHandles == elseHandles && haveSameType(*left, *right)) {
    after[name] = then.locals[name];
    after[name].isStale |= otherwise.locals[name].isStale;
    return llvm::success();
  }
  bool isConstant = thenHandles.empty() && elseHandles.empty();
  if (isConstant || (live && live->isNone() && (left->isNone() || right->isNone()))) {
    Branch &changing = live && haveSameType(*left, *live) ? otherwise : then;
    lost[name] = {changing.locals[name].where,
                  isConstant ? "the branches of an 'if' leave it different compile-time values"
                             : "one branch of an 'if' leaves it None"};
    after.erase(name);
    return llvm::success();
  }
  if (live && !live->isNone())
    for (auto [branch, value, which] :
         {std::tuple{&then, left, "if"}, std::tuple{&otherwise, right, "else"}})
      if (!haveSameType(*value, *live))
        return emit.errorAt(branch->locals[name].where,
                            "'" + name + "' is " + typeName(*live) + " before the 'if' and " +
                                typeName(*value) + " after its '" + which +
                                "' branch; a run-time condition needs one type");
  if (!haveSameType(*left, *right))
    return emit.errorAt(otherwise.locals[name].where,
                        "'" + name + "' is " + typeName(*left) + " in the 'if' branch and " +
                            typeName(*right) +
                            " in the 'else' branch; a run-time condition needs one type");
  merged.push_back({name, *left, thenHandles, elseHandles});
  return llvm::success();
}

/// Names that were there before, in their order; then names new in both branches, by
/// name. A name new in one dies here.
LogicalResult KernelTranslator::mergeNames(Branch &then, Branch &otherwise, Scope &after,
                                           std::vector<Merged> &merged) {
  for (const auto &[name, local] : locals)
    if (failed(mergeName(name, &local.value, then, otherwise, after, merged)))
      return llvm::failure();
  llvm::SmallVector<llvm::StringRef> names;
  for (const auto &[name, local] : then.hasReturned ? otherwise.locals : then.locals)
    if (!locals.contains(name) &&
        (then.hasReturned || otherwise.hasReturned || otherwise.locals.contains(name)))
      names.push_back(name);
  llvm::sort(names);
  for (const Branch *branch : {&then, &otherwise})
    for (const auto &[name, local] : branch->locals)
      if (!locals.contains(name) && !llvm::is_contained(names, name))
        lost[name] = {local.where,
                      "it is assigned only inside one branch of an 'if'; give it a value before"};
  for (llvm::StringRef name : names) {
    after[name] = {Value(), emit.range};
    if (failed(mergeName(name, nullptr, then, otherwise, after, merged)))
      return llvm::failure();
  }
  return llvm::success();
}

LogicalResult KernelTranslator::mergeBranches(mlir::Value condition, Branch &then,
                                              Branch &otherwise) {
  std::vector<Merged> merged;
  Scope after = locals;
  if (failed(mergeNames(then, otherwise, after, merged)))
    return llvm::failure();

  // If there is a return flag, the flag and the returned values are yielded first.
  mlir::OpBuilder &builder = emit.builder;
  mlir::Location location = emit.location();
  bool hasFlag = then.returnFlag || otherwise.returnFlag;
  Value returnModel =
      then.returnFlag || then.hasReturned ? then.returnValue : otherwise.returnValue;
  Handles thenValues, elseValues;
  for (auto [branch, other, values] :
       {std::tuple{&then, &otherwise, &thenValues}, std::tuple{&otherwise, &then, &elseValues}}) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(branch->block);
    if (hasFlag) {
      values->push_back(branch->returnFlag ? branch->returnFlag
                                           : mlir::arith::ConstantIntOp::create(
                                                 builder, location, branch->hasReturned, 1)
                                                 .getResult());
      bool returns = branch->returnFlag || branch->hasReturned;
      llvm::append_range(*values, returns ? flattened(branch->returnValue)
                                          : poisonLike(builder, location, flattened(returnModel)));
    }
    for (Merged &name : merged) {
      Handles &own = branch == &then ? name.then : name.otherwise;
      Handles &others = branch == &then ? name.otherwise : name.then;
      llvm::append_range(*values,
                         branch->hasReturned ? poisonLike(builder, location, others) : own);
    }
  }
  auto op = createIf(emit, program, location, condition, then.block, otherwise.block, thenValues,
                     elseValues);
  Handles results(op.getResults());
  llvm::ArrayRef<mlir::Value> rest(results);
  mlir::Value flag = hasFlag ? rest.consume_front() : mlir::Value();
  Value returned = hasFlag ? rebuild(returnModel, rest) : Value();
  for (Merged &name : merged)
    after[name.name] = {rebuild(name.model, rest), emit.range};
  locals = std::move(after);
  if (!hasFlag)
    return llvm::success();
  // The statements that follow run where the flag is false.
  if (splits.size() >= kMaxSplits)
    return emit.error("this is nested too deeply: what follows an early return is inside it, and "
                      "there are more than " +
                      llvm::Twine(kMaxSplits));
  mlir::Block *returning = program.newBlock(), *falling = program.newBlock();
  splits.push_back({flag, location, /*returnsWhenTrue=*/true, returning, returned, falling,
                    builder.saveInsertionPoint(), locals});
  builder.setInsertionPointToEnd(falling);
  return llvm::success();
}

FailureOr<Value> KernelTranslator::evaluateRuntimeConditional(const ast::IfExp *conditional,
                                                              Tensor condition) {
  mlir::Block *blocks[] = {program.newBlock(), program.newBlock()};
  Value values[2];
  for (auto [i, expression] : llvm::enumerate(std::array{conditional->body, conditional->orelse})) {
    mlir::OpBuilder::InsertionGuard guard(emit.builder);
    emit.builder.setInsertionPointToEnd(blocks[i]);
    FailureOr<Value> value = evaluate(expression);
    if (succeeded(value))
      value = decay(*value);
    if (failed(value))
      return llvm::failure();
    values[i] = *value;
  }
  if (!haveSameType(values[0], values[1]))
    return emit.error("the two sides of a conditional expression with a run-time condition have "
                      "one type, and these are " +
                      typeName(values[0]) + " and " + typeName(values[1]));
  auto op = createIf(emit, program, emit.location(), condition.handle, blocks[0], blocks[1],
                     flattened(values[0]), flattened(values[1]));
  Handles results(op.getResults());
  llvm::ArrayRef<mlir::Value> rest(results);
  return rebuild(values[0], rest);
}

//===----------------------------------------------------------------------===//
// return
//===----------------------------------------------------------------------===//

LogicalResult KernelTranslator::executeReturn(const ast::Return *statement) {
  if (loopDepth)
    return emit.error("a 'return' inside a loop is not part of the kernel language; loop with "
                      "'while' and a flag in its condition");
  FailureOr<Value> value = Value(NoneObject{});
  if (statement->value)
    value = evaluate(statement->value);
  if (failed(value))
    return llvm::failure();
  if (role == Role::Kernel && statement->value && !value->isNone())
    return emit.error("a kernel returns nothing; store the result through a pointer");
  value = decay(*value, /*isReturned=*/true);
  if (failed(value))
    return llvm::failure();
  if (returnType && !haveSameType(*returnType, *value)) {
    (void)emit.error("this returns " + typeName(*value) +
                     ", and another 'return' of the function " + typeName(*returnType) +
                     "; all have one type" +
                     (returnType->isTensor() && value->isTensor()
                          ? ", also those behind a compile-time 'if' unless in its 'else'"
                          : ""));
    emit.noteAt(returnTypeFrom, "the other 'return'");
    return llvm::failure();
  }
  if (!returnType)
    returnTypeFrom = statement->range;
  returnType = *value;
  returnValue = *value;
  hasReturned = true;
  return llvm::success();
}

LogicalResult KernelTranslator::checkDeadCode(ast::Seq<ast::Stmt *> rest) {
  if (rest.empty())
    return llvm::success();
  Value value = returnValue;
  Scope scope = locals;
  hasReturned = false;
  FailureOr<Branch> dead = traceBranch(rest);
  hasReturned = true;
  returnValue = value;
  locals = std::move(scope);
  return failed(dead) ? llvm::failure() : llvm::success(); // the block stays unattached
}

void KernelTranslator::joinReturns(size_t base) {
  while (splits.size() > base) {
    Split split = std::move(splits.back());
    splits.pop_back();
    Handles returning = flattened(split.returnValue), falling = flattened(returnValue);
    emit.builder.restoreInsertionPoint(split.outer);
    mlir::Block *blocks[] = {split.falling, split.returning};
    Handles *values[] = {&falling, &returning};
    auto op = createIf(emit, program, split.location, split.condition,
                       blocks[split.returnsWhenTrue], blocks[!split.returnsWhenTrue],
                       *values[split.returnsWhenTrue], *values[!split.returnsWhenTrue]);
    Handles results(op.getResults());
    llvm::ArrayRef<mlir::Value> rest(results);
    returnValue = rebuild(returnValue, rest);
  }
}

mlir::Value KernelTranslator::joinWithFlag(size_t base, Value &returned) {
  mlir::OpBuilder &builder = emit.builder;
  mlir::Value flag;
  while (splits.size() > base) {
    Split split = std::move(splits.back());
    splits.pop_back();
    Handles returning, falling;
    // The path that goes on: not returned (or as the inner split said), and its names.
    Handles returnHandles = flattened(split.returnValue);
    falling.push_back(
        flag ? flag
             : mlir::arith::ConstantIntOp::create(builder, split.location, 0, 1).getResult());
    llvm::append_range(falling, flag ? flattened(returned)
                                     : poisonLike(builder, split.location, returnHandles));
    llvm::SmallVector<llvm::StringRef> changed;
    for (const auto &[name, local] : locals) {
      const Value *old = findLocal(split.before, name);
      Handles handles = flattened(local.value);
      if (handles.empty() || (old && flattened(*old) == handles))
        continue;
      changed.push_back(name);
      llvm::append_range(falling, handles);
    }
    // The path that returned.
    builder.setInsertionPointToEnd(split.returning);
    returning.push_back(mlir::arith::ConstantIntOp::create(builder, split.location, 1, 1));
    llvm::append_range(returning, returnHandles);
    llvm::append_range(returning, poisonLike(builder, split.location,
                                             llvm::ArrayRef(falling).drop_front(returning.size())));
    builder.restoreInsertionPoint(split.outer);
    mlir::Block *blocks[] = {split.falling, split.returning};
    Handles *values[] = {&falling, &returning};
    auto op = createIf(emit, program, split.location, split.condition,
                       blocks[split.returnsWhenTrue], blocks[!split.returnsWhenTrue],
                       *values[split.returnsWhenTrue], *values[!split.returnsWhenTrue]);
    Handles results(op.getResults());
    llvm::ArrayRef<mlir::Value> rest(results);
    flag = rest.consume_front();
    returned = rebuild(split.returnValue, rest);
    for (llvm::StringRef name : changed)
      locals[name].value = rebuild(locals[name].value, rest);
  }
  return flag;
}

FailureOr<Value> KernelTranslator::executeFunction(ast::Seq<ast::Stmt *> body) {
  functionBody = body;
  if (failed(execute(body)))
    return llvm::failure();
  if (!body.empty())
    emit.range = body.back()->range;
  if (!hasReturned) {
    // Falling off the end of a function that returns a value elsewhere: no value.
    Value model = returnType.value_or(Value(NoneObject{}));
    Handles poison = poisonLike(emit.builder, emit.location(), flattened(model));
    llvm::ArrayRef<mlir::Value> rest(poison);
    returnValue = rebuild(model, rest);
  }
  joinReturns(0);
  return returnValue;
}
