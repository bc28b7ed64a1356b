//===- Loops.cpp - for and while ------------------------------------------===//
// A run-time loop carries the names that were live before it and that its body
// changes. The body is traced once: every live name that it assigns anywhere
// becomes a block argument, and those that turn out unchanged are replaced by
// their initial value afterwards. (The reference traces a body twice, and nests
// of them 2^depth times, to find the same.)
//
//   acc = 0.0                          %acc = scf.for ... iter_args(%a = %zero)
//   for i in range(n):          =>       %s = arith.addf %a, ...
//       acc += tl.load(p + i)            scf.yield %s
//
// tl.static_range unrolls while tracing; its index is a compile-time int.
//===----------------------------------------------------------------------===//
#include "KernelTranslator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/SaveAndRestore.h"
#include "../Operators/Promotion.h"

using namespace tessera;
using llvm::dyn_cast;
using Handles = llvm::SmallVector<mlir::Value>;

//===----------------------------------------------------------------------===//
// Carried names
//===----------------------------------------------------------------------===//

std::vector<KernelTranslator::Carried> KernelTranslator::findCarried(ast::Seq<ast::Stmt *> body,
                                                                     llvm::StringRef index) {
  llvm::SmallVector<llvm::StringRef> assigned;
  collectAssignedNames(body, assigned);
  std::vector<Carried> carried;
  for (auto &[name, local] : locals) {
    if (name == index || !llvm::is_contained(assigned, name))
      continue;
    Carried candidate{name, asTensor(local.value), {}};
    flatten(candidate.initial, candidate.handles);
    if (!candidate.handles.empty()) {
      carried.push_back(std::move(candidate));
    } else if (!local.isStale) {
      local.isStale = true;
      staleReads.erase(name);
    }
  }
  return carried;
}

void KernelTranslator::bindCarried(llvm::MutableArrayRef<Carried> carried, mlir::Block *block) {
  for (Carried &name : carried) {
    auto location = mlir::NameLoc::get(mlir::StringAttr::get(emit.context(), name.name),
                                       emit.constantLocation());
    name.arguments.clear();
    Handles values;
    for (mlir::Value handle : name.handles) {
      name.arguments.push_back(block->addArgument(handle.getType(), location));
      values.push_back(name.arguments.back());
    }
    llvm::ArrayRef<mlir::Value> rest(values);
    locals[name.name].value = rebuild(name.initial, rest);
  }
}

/// Marks what the body changed, and refuses what cannot be carried.
LogicalResult KernelTranslator::checkCarried(llvm::MutableArrayRef<Carried> carried,
                                             const Scope &before, llvm::StringRef index,
                                             llvm::SmallVectorImpl<llvm::StringRef> &stale) {
  for (const auto &[name, local] : locals)
    if (!before.contains(name) && name != index)
      lost[name] = {local.where, "it is assigned only inside a loop; give it a value before"};
  bool ok = true;
  for (const auto &[name, old] : before)
    if (name != index && failed(checkCarried(name, old, carried, stale)))
      ok = false;
  return llvm::success(ok);
}

LogicalResult KernelTranslator::refuseCarried(llvm::StringRef name, const Local &old,
                                              const llvm::Twine &message) {
  auto current = locals.find(name);
  (void)emit.errorAt(current == locals.end() ? lost[name].where : current->second.where, message);
  if (old.where.begin.line)
    emit.noteAt(old.where, "'" + name + "' got its type here");
  return llvm::failure();
}

/// The usual mistake is `total = 0` before a loop that adds floats, or a number before one that
/// adds tensors.
static std::string adviceOnStart(const Value &before, const Value &after) {
  const Tensor *old = before.get<Tensor>(), *now = after.get<Tensor>();
  if (!old || !now || old->type.isPointer() || now->type.isPointer())
    return "";
  if (now->type.isBlock() && !old->type.isBlock())
    return "; begin with a tensor, such as tl.zeros(...)";
  if (now->type.shape == old->type.shape && now->type.scalar.isFloat() &&
      !old->type.scalar.isFloat())
    return "; begin with a float, such as 0.0";
  return "";
}

LogicalResult KernelTranslator::checkCarried(llvm::StringRef name, const Local &old,
                                             llvm::MutableArrayRef<Carried> carried,
                                             llvm::SmallVectorImpl<llvm::StringRef> &stale) {
  auto current = locals.find(name);
  if (current == locals.end()) { // a loop or a branch in the body took it away
    stale.push_back(name);
    if (staleReads.contains(name))
      return refuseCarried(
          name, old,
          "'" + name + "' is " + old.value.describe() +
              " before the loop, which reads it and changes it; a loop changes run-time values "
              "only");
    return llvm::success();
  }
  Value &now = current->second.value;
  if (now.is<ErrorObject>())
    return llvm::success(old.value.is<ErrorObject>());
  if (now.is<UndefinedObject>() && old.value.is<UndefinedObject>() && haveSameType(now, old.value))
    return llvm::success(); // the index of a loop in the body, and of one before
  now = asTensor(now);
  auto candidate = llvm::find_if(carried, [&](Carried &c) { return c.name == name; });
  bool isSameType = haveSameType(now, old.value);
  if (candidate == carried.end()) {
    // Nothing at run time to carry: None, a dtype, a constant. The index of a
    // static_range may change if nobody reads it across iterations.
    Handles handles;
    flatten(now, handles);
    if (!isSameType && handles.empty() && !staleReads.contains(name))
      stale.push_back(name);
    else if (!isSameType)
      return refuseCarried(
          name, old,
          "'" + name + "' is " + old.value.describe() + " before the loop, and the loop assigns " +
              now.describe() + "; a loop changes run-time values only" +
              (old.value.isNumber() ? ": give the constant to another name first" : ""));
    return llvm::success();
  }
  if (!isSameType)
    return refuseCarried(name, old,
                         "'" + name + "' is " + typeText(old.value) + " before the loop and " +
                             typeText(now) +
                             " after an iteration; a loop keeps the types of its variables" +
                             adviceOnStart(old.value, now));
  Handles handles;
  flatten(now, handles);
  candidate->isChanged = !llvm::equal(handles, candidate->arguments);
  return llvm::success();
}

/// After the loop, names whose compile-time value it changed stand for nothing.
void KernelTranslator::forget(llvm::ArrayRef<llvm::StringRef> stale, const Scope &body) {
  for (llvm::StringRef name : stale) {
    if (auto found = body.find(name); found != body.end())
      lost[name] = {found->second.where, "a loop changes its compile-time value"};
    locals.erase(name);
  }
}

/// Ends an iteration. Made before unchanged names are replaced, since one name may
/// have become the value of another.
void KernelTranslator::createYield(llvm::ArrayRef<Carried> carried) {
  Handles values;
  for (const Carried &name : carried)
    if (name.isChanged)
      flatten(locals[name.name].value, values);
  mlir::scf::YieldOp::create(emit.builder, emit.location(), values);
}

/// Lets go of the block arguments of names that did not change.
template <typename CarriedRange>
static void replaceUnchanged(CarriedRange &carried, mlir::Block *block) {
  for (auto &name : carried)
    if (!name.isChanged)
      for (auto [argument, handle] : llvm::zip_equal(name.arguments, name.handles))
        argument.replaceAllUsesWith(handle);
  block->eraseArguments([&](mlir::BlockArgument argument) {
    return llvm::any_of(carried, [&](auto &name) {
      return !name.isChanged && llvm::is_contained(name.arguments, argument);
    });
  });
}

void KernelTranslator::takeResults(llvm::ArrayRef<Carried> carried, mlir::ValueRange results) {
  Handles handles(results);
  llvm::ArrayRef<mlir::Value> rest(handles);
  for (const Carried &name : carried)
    if (name.isChanged)
      locals[name.name].value = rebuild(name.initial, rest);
}

template <typename CarriedRange> static Handles initialHandles(const CarriedRange &carried) {
  Handles handles;
  for (const auto &name : carried)
    if (name.isChanged)
      llvm::append_range(handles, name.handles);
  return handles;
}

/// `llvm.loop_annotation`, which later stages read: no hoisting out of this loop.
static mlir::NamedAttribute disableLICM(Emitter &emit) {
  mlir::MLIRContext *context = emit.context();
  context->getOrLoadDialect<mlir::LLVM::LLVMDialect>();
  mlir::BoolAttr yes = emit.builder.getBoolAttr(true);
  auto licm = mlir::LLVM::LoopLICMAttr::get(context, /*disable=*/yes, /*versioningDisable=*/yes);
  auto annotation = mlir::LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, {}, {}, licm, {}, {},
                                                        {}, {}, {}, {}, {}, {}, {});
  return emit.builder.getNamedAttr("llvm.loop_annotation", annotation);
}

//===----------------------------------------------------------------------===//
// for
//===----------------------------------------------------------------------===//

LogicalResult KernelTranslator::executeFor(const ast::For *loop) {
  if (!loop->orelse.empty())
    return emit.errorAt(loop->orelse[0]->range,
                        "the 'else' of a loop is not part of the kernel language");
  auto *index = dyn_cast<ast::Name>(loop->target);
  if (!index)
    return emit.errorAt(loop->target->range, "a loop's index is one name, which counts through "
                                             "range, tl.range or tl.static_range");
  auto *call = dyn_cast<ast::Call>(loop->iter);
  llvm::StringRef loops = "range, tl.range or tl.static_range";
  if (!call)
    return emit.errorAt(loop->iter->range, "a 'for' loops over a call of " + loops);
  FailureOr<Value> callee = evaluate(call->func);
  if (failed(callee))
    return llvm::failure();
  const BuiltinObject *object = callee->get<BuiltinObject>();
  llvm::StringRef path = object ? llvm::StringRef(object->builtin->path) : "";
  bool isStatic = path == "triton.language.static_range";
  bool isPython = path == "builtins.range";
  if (!isStatic && !isPython && path != "triton.language.range")
    return emit.errorAt(loop->iter->range,
                        "a 'for' loops over a call of " + loops + ", not of " + callee->describe());
  if (isPython && !call->keywords.empty())
    return emit.errorAt(call->keywords[0]->range,
                        "range takes no keywords; tl.range takes hints such as num_stages");
  auto arguments = evaluateArguments(call);
  if (failed(arguments))
    return llvm::failure();
  RangeScope scope(emit, call->range);
  auto bound = bindArguments(emit, *object->builtin, *arguments);
  if (failed(bound))
    return llvm::failure();
  // One bound is the end.
  if ((*bound)[1].isNone())
    std::swap((*bound)[0], (*bound)[1]);
  if ((*bound)[0].isNone())
    (*bound)[0] = Value(PythonInt(0));
  if ((*bound)[2].isNone())
    (*bound)[2] = Value(PythonInt(1));
  if (std::optional<PythonInt> step = (*bound)[2].asInt();
      step && !step->isNegative() && step->compare(PythonInt(0)) == 0)
    return emit.error("the step of a range cannot be 0");
  if (isStatic)
    return executeStaticFor(loop, ref(index->id), *bound);
  FailureOr<LoopRange> range = loopRange(loop, *bound);
  return failed(range) ? llvm::failure() : executeRuntimeFor(loop, index, *range);
}

FailureOr<KernelTranslator::LoopRange> KernelTranslator::loopRange(const ast::For *,
                                                                   llvm::ArrayRef<Value> bounds) {
  LoopRange range;
  Value lower = bounds[0], upper = bounds[1], step = bounds[2];
  if (std::optional<PythonInt> constant = step.asInt(); constant && constant->isNegative()) {
    range.isReversed = true;
    step = Value(-*constant);
    std::swap(lower, upper);
  }
  DType type = DType::Int1;
  Tensor *slots[] = {&range.lower, &range.upper, &range.step};
  const Value values[] = {lower, upper, step};
  for (auto [slot, value] : llvm::zip_equal(slots, values)) {
    FailureOr<Tensor> tensor = toTensor(emit, value);
    if (failed(tensor))
      return llvm::failure();
    if (!tensor->type.isInt() || tensor->type.isBlock())
      return emit.error("the bounds and the step of a range are integer scalars, not " +
                        value.describe());
    *slot = *tensor;
    PromotionResult common = promoteTensors(type, tensor->type.scalar, /*isDivision=*/false);
    type = std::get<DType>(common); // integers always have one
  }
  for (Tensor *slot : slots) {
    FailureOr<Tensor> cast = castTo(emit, *slot, type);
    if (failed(cast))
      return llvm::failure();
    *slot = *cast;
  }
  // tl.range(arg1, arg2, step, num_stages, loop_unroll_factor, disallow_acc_multi_buffer, flatten,
  //          warp_specialize, disable_licm)
  mlir::OpBuilder &builder = emit.builder;
  llvm::StringLiteral numbers[] = {"num_stages", "loop_unroll_factor"};
  for (auto [i, name] : llvm::enumerate(numbers)) {
    if (bounds.size() < 9 || bounds[3 + i].isNone())
      continue;
    std::optional<PythonInt> number = bounds[3 + i].asInt();
    if (!number || !number->fitsSigned(32))
      return emit.error(name + " is a compile-time int, not " + bounds[3 + i].describe());
    range.hints.push_back(
        builder.getNamedAttr(("tt." + name).str(), builder.getI32IntegerAttr(number->toInt64())));
  }
  llvm::StringLiteral flags[] = {"disallow_acc_multi_buffer", "flatten", "warp_specialize",
                                 "disable_licm"};
  for (auto [i, name] : llvm::enumerate(flags)) {
    if (bounds.size() < 9)
      continue;
    if (bounds[5 + i].isTensor())
      return emit.error(name + " is known at compile time, and this is " +
                        bounds[5 + i].describe());
    if (isTruthy(bounds[5 + i]))
      range.hints.push_back(name == "disable_licm" ? disableLICM(emit)
                                                   : builder.getNamedAttr(("tt." + name).str(),
                                                                          builder.getUnitAttr()));
  }
  return range;
}

LogicalResult KernelTranslator::executeRuntimeFor(const ast::For *loop, const ast::Name *index,
                                                  const LoopRange &range) {
  llvm::SaveAndRestore<llvm::StringRef> unnamed(emit.resultName, "");
  RangeScope scope(emit, loop->range);
  mlir::OpBuilder &builder = emit.builder;
  llvm::StringRef indexName = ref(index->id);
  Scope before = locals;
  std::vector<Carried> carried = findCarried(loop->body, indexName);
  llvm::SmallVector<llvm::StringRef> stale;

  // The body, in a block of its own: index first, then what is carried.
  mlir::Block *body = program.newBlock();
  auto indexLocation =
      mlir::NameLoc::get(builder.getStringAttr(indexName), emit.constantLocation());
  mlir::Value counter = body->addArgument(range.lower.handle.getType(), indexLocation);
  bindCarried(carried, body);
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(body);
    if (range.isReversed) {
      counter = mlir::arith::SubIOp::create(builder, indexLocation, range.upper.handle, counter);
      counter = mlir::arith::AddIOp::create(builder, indexLocation, counter, range.lower.handle);
    }
    set(indexName, Value(Tensor{counter, range.lower.type}));
    llvm::SaveAndRestore<unsigned> nested(loopDepth, loopDepth + 1);
    LogicalResult status = execute(loop->body);
    if (failed(status) || failed(checkCarried(carried, before, indexName, stale))) {
      locals = std::move(before);
      return llvm::failure();
    }
    createYield(carried);
  }
  Scope inside = std::move(locals);
  replaceUnchanged(carried, body);
  auto op =
      mlir::scf::ForOp::create(builder, emit.location(), range.lower.handle, range.upper.handle,
                               range.step.handle, initialHandles(carried));
  program.attach(body, op.getRegion());
  for (const mlir::NamedAttribute &hint : range.hints)
    op->setAttr(hint.getName(), hint.getValue());
  locals = std::move(before);
  forget(stale, inside);
  takeResults(carried, op.getResults());
  locals[indexName] = {Value(UndefinedObject{range.lower.type}), index->range};
  return llvm::success();
}

//===----------------------------------------------------------------------===//
// while
//===----------------------------------------------------------------------===//

FailureOr<KernelTranslator::TracedCondition>
KernelTranslator::traceCondition(const ast::While *loop, mlir::Block *block) {
  TracedCondition traced;
  mlir::OpBuilder::InsertionGuard guard(emit.builder);
  emit.builder.setInsertionPointToEnd(block);
  FailureOr<Value> value = evaluate(loop->test);
  if (failed(value))
    return llvm::failure();
  // `tl.condition(c, disable_licm)` is the pair of its arguments.
  if (const TupleObject *pair = value->get<TupleObject>(); pair && pair->elements->size() == 2) {
    traced.keepsInvariantsInside = isTruthy((*pair->elements)[1]);
    value = Value((*pair->elements)[0]);
  }
  const Tensor *tensor = value->get<Tensor>();
  if (!tensor) {
    (void)emit.errorAt(loop->test->range,
                       "the condition of a 'while' is a run-time scalar, not " + value->describe() +
                           (isTruthy(*value) ? ", with which it would never end" : ""));
    for (const auto &[name, local] : locals)
      if (local.isStale && local.value.isNumber() && staleReads.contains(name))
        emit.noteAt(local.where, "'" + name + "' is " + local.value.describe() +
                                     ", a compile-time value; m = " + name +
                                     " makes a run-time one, which the loop can change");
    return llvm::failure();
  }
  FailureOr<Tensor> condition = conditionOf(loop->test, *tensor);
  if (failed(condition))
    return llvm::failure();
  // Its arguments follow when it is known which names the loop carries.
  traced.op = mlir::scf::ConditionOp::create(emit.builder, emit.location(), condition->handle,
                                             mlir::ValueRange());
  return traced;
}

LogicalResult KernelTranslator::executeWhile(const ast::While *loop) {
  if (!loop->orelse.empty())
    return emit.errorAt(loop->orelse[0]->range,
                        "the 'else' of a loop is not part of the kernel language");
  llvm::SaveAndRestore<llvm::StringRef> unnamed(emit.resultName, "");
  mlir::OpBuilder &builder = emit.builder;
  Scope before = locals;
  std::vector<Carried> carried = findCarried(loop->body, "");
  std::vector<Carried> tested = carried;
  llvm::SmallVector<llvm::StringRef> stale;
  auto restore = [&] {
    locals = std::move(before);
    return llvm::failure();
  };

  // The condition, which sees the carried names too.
  mlir::Block *test = program.newBlock(), *body = program.newBlock();
  bindCarried(tested, test);
  FailureOr<TracedCondition> condition = traceCondition(loop, test);
  if (failed(condition))
    return restore();

  bindCarried(carried, body);
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(body);
    llvm::SaveAndRestore<unsigned> nested(loopDepth, loopDepth + 1);
    LogicalResult status = execute(loop->body);
    if (failed(status) || failed(checkCarried(carried, before, "", stale)))
      return restore();
    createYield(carried);
  }
  Scope inside = std::move(locals);
  for (auto [name, other] : llvm::zip_equal(carried, tested))
    other.isChanged = name.isChanged;
  replaceUnchanged(carried, body);
  replaceUnchanged(tested, test);
  condition->op.getArgsMutable().assign(test->getArguments());

  Handles initial = initialHandles(carried);
  auto op = mlir::scf::WhileOp::create(builder, emit.location(),
                                       mlir::ValueRange(initial).getTypes(), initial);
  program.attach(test, op.getBefore());
  program.attach(body, op.getAfter());
  if (condition->keepsInvariantsInside) {
    mlir::NamedAttribute hint = disableLICM(emit);
    op->setAttr(hint.getName(), hint.getValue());
  }
  locals = std::move(before);
  forget(stale, inside);
  takeResults(carried, op.getResults());
  return llvm::success();
}

//===----------------------------------------------------------------------===//
// Loops that the compiler unrolls
//===----------------------------------------------------------------------===//

LogicalResult KernelTranslator::executeStaticFor(const ast::For *loop, llvm::StringRef index,
                                                 llvm::ArrayRef<Value> bounds) {
  int64_t numbers[3];
  for (auto [number, value] : llvm::zip_equal(numbers, bounds.take_front(3))) {
    std::optional<PythonInt> constant = value.asInt();
    if (!constant)
      return emit.error("tl.static_range takes compile-time ints, not " + value.describe() +
                        (value.isTensor() ? "; range and tl.range loop at run time" : ""));
    if (!constant->fitsSigned(63))
      return emit.error("tl.static_range cannot count to " + constant->str());
    number = constant->toInt64();
  }
  auto [start, stop, step] = numbers;
  for (int64_t i = start; step > 0 ? i < stop : i > stop; i += step) {
    if (failed(emit.budget.countStatement()))
      return llvm::failure();
    locals[index] = {Value(PythonInt(i)), loop->target->range};
    if (failed(execute(loop->body)))
      return llvm::failure();
    if (hasReturned)
      break;
    if (step > 0 ? i > stop - step : i < stop - step)
      break; // the next would overflow at most
  }
  return llvm::success();
}

//===----------------------------------------------------------------------===//
// The names of loops
//===----------------------------------------------------------------------===//

/// `range(n)` outside a `for`: the numbers, as a tuple.
static FailureOr<Value> rangeObject(Emitter &emit, BoundArguments args) {
  int64_t numbers[3] = {0, 0, 1};
  Value lower = args[1].isNone() ? Value(PythonInt(0)) : args[0];
  Value upper = args[1].isNone() ? args[0] : args[1];
  Value step = args[2].isNone() ? Value(PythonInt(1)) : args[2];
  const Value values[] = {lower, upper, step};
  for (auto [number, value] : llvm::zip_equal(numbers, values)) {
    std::optional<PythonInt> constant = value.asInt();
    if (!constant || !constant->fitsSigned(62))
      return emit.error("outside a 'for', range takes compile-time ints, not " + value.describe());
    number = constant->toInt64();
  }
  auto [start, stop, stride] = numbers;
  if (stride == 0)
    return emit.error("the step of a range cannot be 0");
  int64_t count =
      stride > 0 ? (stop - start + stride - 1) / stride : (start - stop - stride - 1) / -stride;
  if (count > int64_t(Budget::kMaxStatements))
    return emit.error("a range of " + llvm::Twine(count) + " numbers is too long to compute with");
  std::vector<Value> items;
  for (int64_t i = 0; i < count; ++i)
    items.push_back(Value(PythonInt(start + i * stride)));
  return makeTuple(std::move(items));
}

static FailureOr<Value> onlyInFor(Emitter &emit, BoundArguments) {
  return emit.error("tl.range and tl.static_range are the iterators of a 'for', and nothing else");
}

static FailureOr<Value> condition(Emitter &, BoundArguments args) {
  return makeTuple({args[0], args[1]});
}

static constexpr Parameter kRange[] = {{"arg1"}, {"arg2", Default::None}, {"step", Default::None}};
static constexpr Parameter kLanguageRange[] = {{"arg1"},
                                               {"arg2", Default::None},
                                               {"step", Default::None},
                                               {"num_stages", Default::None},
                                               {"loop_unroll_factor", Default::None},
                                               {"disallow_acc_multi_buffer", Default::False},
                                               {"flatten", Default::False},
                                               {"warp_specialize", Default::False},
                                               {"disable_licm", Default::False}};
static constexpr Parameter kCondition[] = {{"arg1"}, {"disable_licm", Default::False}};

llvm::ArrayRef<Builtin> tessera::loopBuiltins() {
  static constexpr Builtin rows[] = {
      {"builtins.range", kRange, rangeObject, false, true},
      {"triton.language.range", kLanguageRange, onlyInFor},
      {"triton.language.static_range", kRange, onlyInFor},
      {"triton.language.condition", kCondition, condition},
  };
  return rows;
}
