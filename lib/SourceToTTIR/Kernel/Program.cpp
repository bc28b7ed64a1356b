//===- Program.cpp - a kernel and the functions it calls ------------------===//
#include "Program.h"
#include "KernelTranslator.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"
#include "../Host/HostInterpreter.h"

using namespace tessera;

//===----------------------------------------------------------------------===//
// Blocks under construction
//===----------------------------------------------------------------------===//

Program::~Program() {
  // Blocks that an error left behind use each other's values: untie all, then free.
  for (std::unique_ptr<mlir::Block> &block : detached)
    block->dropAllReferences();
  for (std::unique_ptr<mlir::Block> &block : detached)
    block->dropAllDefinedValueUses();
}

mlir::Block *Program::newBlock() {
  detached.push_back(std::make_unique<mlir::Block>());
  return detached.back().get();
}

void Program::attach(mlir::Block *block, mlir::Region &region) {
  // The youngest blocks are attached first: the search is short.
  for (auto it = detached.rbegin(); it != detached.rend(); ++it) {
    if (it->get() != block)
      continue;
    region.getBlocks().clear();
    region.push_back(it->release());
    detached.erase(std::next(it).base());
    return;
  }
}

//===----------------------------------------------------------------------===//
// Promises
//===----------------------------------------------------------------------===//

/// Returns true if the axis analysis can use a promise about a value of this type.
static bool canPromise(mlir::Type type) {
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  return element.isIntOrIndex() ||
         (llvm::isa<tt::PointerType>(element) && !tt::isTensorPointer(type));
}

void Program::promise(mlir::Value value, llvm::StringRef name, mlir::Attribute promise) {
  if (!canPromise(value.getType()))
    return;
  auto *known = llvm::find_if(promises, [&](tt::BitcastOp cast) { return cast.getSrc() == value; });
  if (known == promises.end()) {
    mlir::OpBuilder::InsertionGuard guard(emit.builder);
    emit.builder.setInsertionPointAfterValue(value);
    promises.push_back(tt::BitcastOp::create(emit.builder, value.getLoc(), value.getType(), value));
    known = &promises.back();
  }
  known->getOperation()->setAttr(name, promise);
}

void Program::applyPromises() {
  for (tt::BitcastOp promised : promises) {
    // A loop may have replaced its argument by the value that never changes: the promise
    // holds in the loop. A value that is passed on as it is stays recognisable as such.
    mlir::Block *block = promised->getBlock();
    promised.getSrc().replaceUsesWithIf(promised, [&](mlir::OpOperand &use) {
      mlir::Operation *user = block->findAncestorOpInBlock(*use.getOwner());
      return user && user != promised && promised->isBeforeInBlock(user) &&
             !use.getOwner()->hasTrait<mlir::OpTrait::IsTerminator>();
    });
  }
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

FailureOr<std::vector<FormalParameter>> tessera::formalParameters(Emitter &emit,
                                                                  const JitFunction &function) {
  const ast::Arguments &args = *function.definition->args;
  if (!args.posonlyargs.empty())
    return emit.errorAt(args.posonlyargs[0]->range,
                        "a jit function has no positional-only parameters; drop the '/'");
  if (args.vararg || args.kwarg)
    return emit.errorAt((args.vararg ? args.vararg : args.kwarg)->range,
                        "a jit function has a fixed list of parameters, without * and **");
  if (!args.kwonlyargs.empty())
    return emit.errorAt(args.kwonlyargs[0]->range,
                        "a jit function has no keyword-only parameters; drop the '*'");
  std::vector<FormalParameter> parameters;
  llvm::DenseSet<llvm::StringRef> names;
  size_t firstDefault = args.args.size() - args.defaults.size();
  for (size_t i = 0; i < args.args.size(); ++i) {
    const ast::Arg *node = args.args[i];
    if (!names.insert(ref(node->arg)).second)
      return emit.errorAt(node->range,
                          "duplicate argument '" + ref(node->arg) + "' in function definition");
    const ast::Expr *written = i < firstDefault ? nullptr : args.defaults[i - firstDefault];
    HostAnswers *host = function.live.answers;
    if (host && host->knowsDefaults(function.live.index))
      parameters.push_back({node, nullptr, host->defaultOf(function.live.index, ref(node->arg))});
    else
      parameters.push_back({node, written});
  }
  return parameters;
}

static std::string signatureOf(llvm::ArrayRef<FormalParameter> parameters) {
  return llvm::join(llvm::map_range(parameters,
                                    [](const FormalParameter &p) {
                                      return std::string(p.node->arg) + (p.hasDefault() ? "=" : "");
                                    }),
                    ", ");
}

/// A default belongs to the callee's module, and may use anything there.
static FailureOr<Value> evaluateDefault(Emitter &emit, const JitFunction &function,
                                        const FormalParameter &parameter) {
  if (parameter.liveDefault)
    return kernelView(emit, *parameter.liveDefault);
  llvm::SaveAndRestore<const SourceFile *> file(emit.file, function.file);
  FailureOr<Value> value =
      evaluateConstantExpression(emit, *function.globals, parameter.defaultValue);
  return failed(value) ? value : kernelView(emit, *value);
}

FailureOr<std::vector<Value>> tessera::bindParameters(Emitter &emit, const JitFunction &function,
                                                      llvm::ArrayRef<FormalParameter> parameters,
                                                      llvm::ArrayRef<CallArgument> arguments) {
  std::vector<std::optional<Value>> bound(parameters.size());
  size_t position = 0;
  for (const CallArgument &argument : arguments) {
    size_t slot = position;
    if (argument.keyword.empty()) {
      if (position++ == parameters.size())
        return emit.errorAt(argument.range,
                            "'" + function.name + "' takes " +
                                countOfArguments(parameters.size(), signatureOf(parameters)));
    } else {
      const FormalParameter *match = llvm::find_if(parameters, [&](const FormalParameter &p) {
        return ref(p.node->arg) == argument.keyword;
      });
      if (match == parameters.end())
        return emit.errorAt(argument.range, "'" + function.name + "' has no parameter '" +
                                                argument.keyword + "'; it takes " +
                                                signatureOf(parameters));
      slot = match - parameters.begin();
    }
    if (bound[slot])
      return emit.errorAt(argument.range, "'" + function.name + "' got two values for '" +
                                              ref(parameters[slot].node->arg) + "'");
    bound[slot] = argument.value;
  }
  std::vector<Value> values;
  for (auto [parameter, value] : llvm::zip_equal(parameters, bound)) {
    if (!value && !parameter.hasDefault())
      return emit.error("'" + function.name + "' needs '" + ref(parameter.node->arg) +
                        "'; it takes " + signatureOf(parameters));
    if (!value) {
      FailureOr<Value> fallback = evaluateDefault(emit, function, parameter);
      if (failed(fallback))
        return llvm::failure();
      value = *fallback;
    }
    values.push_back(*value);
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

FailureOr<Value> Program::call(const Value &callee, llvm::ArrayRef<CallArgument> arguments) {
  auto kernelResult = [&](FailureOr<Value> result) {
    return failed(result) ? result : kernelView(emit, *result);
  };
  if (const MethodObject *method = callee.get<MethodObject>()) {
    llvm::SmallVector<CallArgument> all = {{"", *method->self, emit.range}};
    all.append(arguments.begin(), arguments.end());
    return method->builtin ? call(Value(BuiltinObject{method->builtin}), all)
                           : call(Value(JitObject{method->function}), all);
  }
  if (const JitObject *jit = callee.get<JitObject>())
    return jit->function->isConstexprFunction
               ? kernelResult(callHostFunction(emit, *jit->function, arguments))
               : callFunction(*jit->function, arguments);
  if (const ClassObject *type = callee.get<ClassObject>())
    return construct(emit, *type->type, arguments, [&](const JitFunction &function) {
      return std::make_unique<KernelTranslator>(emit, *function.globals, *this,
                                                KernelTranslator::Role::Function);
    });
  // Read off a module of the host: Python would call it while the kernel is compiled.
  if (const FunctionObject *plain = callee.get<FunctionObject>();
      plain && plain->function->live.answers)
    return kernelResult(callHost(emit, callee, arguments));
  if (const BuiltinObject *object = callee.get<BuiltinObject>()) {
    auto bound = bindArguments(emit, *object->builtin, arguments);
    if (failed(bound))
      return llvm::failure();
    return kernelResult(object->builtin->handler(emit, *bound));
  }
  if (const TypeObject *type = callee.get<TypeObject>())
    return emit.error("a dtype is not callable; write x.to(tl." + type->type.scalar.languageName() +
                      ")");
  if (const HostObject *host = callee.get<HostObject>())
    return refuseHostObject(emit, *host);
  return emit.error(callee.describe() + " is not callable");
}

bool tessera::isLibrary(const JitFunction &function) {
  return llvm::StringRef(function.file->path()).starts_with("tessera/stdlib/");
}

FailureOr<Value> Program::callFunction(const JitFunction &function,
                                       llvm::ArrayRef<CallArgument> arguments) {
  FailureOr<std::vector<FormalParameter>> parameters = llvm::failure();
  {
    llvm::SaveAndRestore<const SourceFile *> file(emit.file, function.file);
    parameters = formalParameters(emit, function);
  }
  if (failed(parameters))
    return llvm::failure();
  FailureOr<std::vector<Value>> bound = bindParameters(emit, function, *parameters, arguments);
  if (failed(bound))
    return llvm::failure();
  if (function.isNoInline)
    for (auto [parameter, value] : llvm::zip_equal(*parameters, *bound))
      if (const Tensor *tensor = value.get<Tensor>(); tensor && tensor->type.isBlock())
        return emit.error("'" + function.name + "' is noinline and takes scalars, but '" +
                          ref(parameter.node->arg) + "' is " + value.describe() +
                          "; drop noinline=True");

  std::string key = llvm::utohexstr(reinterpret_cast<uintptr_t>(&function));
  for (const Value &value : *bound)
    key += "|" + specializationKey(value);
  auto [entry, isNew] = instances.try_emplace(key);
  Instance &instance = entry->second; // entries do not move
  if (isNew && failed(translate(instance, function, *parameters, *bound))) {
    instance.state = Instance::Failed;
    if (!isLibrary(function))
      emit.noteCall(function.name);
    return llvm::failure();
  }
  if (instance.state == Instance::Failed)
    return llvm::failure();
  if (instance.state == Instance::InProgress)
    return emit.error("'" + function.name +
                      "' calls itself with the same types and constants, which would never end");

  llvm::SmallVector<mlir::Value> operands;
  for (const Value &value : *bound)
    flatten(value, operands);
  auto callOp = tt::CallOp::create(emit.builder, emit.location(), instance.function, operands);
  llvm::SmallVector<mlir::Value> handles(callOp.getResults());
  llvm::ArrayRef<mlir::Value> rest(handles);
  return rebuild(instance.result, rest);
}

Program::Size Program::measure(mlir::Region &region) const {
  Size size;
  for (mlir::Operation &operation : region.getOps()) {
    size.operations += 1;
    Size inner;
    if (auto call = llvm::dyn_cast<tt::CallOp>(operation))
      inner = sizes.lookup(call.getCallee());
    size.operations += inner.operations;
    size.depth = std::max(size.depth, inner.depth);
    for (mlir::Region &nested : operation.getRegions()) {
      inner = measure(nested);
      size.operations += inner.operations;
      size.depth = std::max(size.depth, inner.depth + 1);
    }
  }
  return size;
}

LogicalResult Program::checkSize(tt::FuncOp function) {
  Size size = measure(function.getBody());
  sizes[function.getSymName()] = size;
  if (size.operations > kMaxOperations)
    return emit.error("this becomes " + llvm::Twine(size.operations) +
                      " operations with the functions it calls; the most is " +
                      llvm::Twine(kMaxOperations));
  if (size.depth > kMaxRegionDepth)
    return emit.error("this is nested too deeply: " + llvm::Twine(size.depth) +
                      " branches and loops with the functions it calls; the most is " +
                      llvm::Twine(kMaxRegionDepth));
  return llvm::success();
}

std::string Program::symbolFor(const JitFunction &function) {
  std::string symbol = function.module + "." + function.name;
  unsigned count = symbols[symbol]++;
  return count ? symbol + "__" + std::to_string(count) : symbol;
}

LogicalResult Program::translate(Instance &instance, const JitFunction &function,
                                 llvm::ArrayRef<FormalParameter> parameters,
                                 llvm::ArrayRef<Value> arguments) {
  if (failed(emit.budget.checkDepth()))
    return llvm::failure();
  mlir::OpBuilder::InsertionGuard guard(emit.builder);
  Reporter::LibraryCall call = emit.library;
  if (!isLibrary(function))
    call = {};
  else if (!call.file)
    call = {emit.file, emit.range, function.name};
  llvm::SaveAndRestore<Reporter::LibraryCall> library(emit.library, call);
  llvm::SaveAndRestore<const SourceFile *> file(emit.file, function.file);
  llvm::SaveAndRestore<llvm::StringRef> unnamed(emit.resultName, "");
  RangeScope scope(emit, function.definition->range);

  mlir::OpBuilder &builder = emit.builder;
  builder.setInsertionPointToEnd(module.getBody());
  mlir::NamedAttribute attributes[] = {
      builder.getNamedAttr("sym_visibility", builder.getStringAttr("private")),
      builder.getNamedAttr("noinline", builder.getBoolAttr(function.isNoInline))};
  tt::FuncOp func = tt::FuncOp::create(builder, emit.location(), symbolFor(function),
                                       builder.getFunctionType({}, {}), attributes);
  instance.function = func;
  mlir::Block *entry = &func.getBody().emplaceBlock();
  builder.setInsertionPointToStart(entry);

  KernelTranslator translator(emit, *function.globals, *this, KernelTranslator::Role::Function);
  llvm::SmallVector<mlir::Value> outer;
  for (auto [parameter, argument] : llvm::zip_equal(parameters, arguments)) {
    RangeScope parameterScope(emit, parameter.node->range);
    llvm::SaveAndRestore<llvm::StringRef> named(emit.resultName, ref(parameter.node->arg));
    outer.clear();
    flatten(argument, outer);
    llvm::SmallVector<mlir::Value> inner;
    for (mlir::Value handle : outer)
      inner.push_back(entry->addArgument(handle.getType(), emit.location()));
    llvm::ArrayRef<mlir::Value> rest(inner);
    translator.define(ref(parameter.node->arg), rebuild(argument, rest), parameter.node->range);
  }
  FailureOr<Value> result = translator.executeFunction(function.definition->body);
  if (failed(result))
    return llvm::failure();
  llvm::SmallVector<mlir::Value> results;
  flatten(*result, results);
  tt::ReturnOp::create(builder, emit.location(), results);
  func.setFunctionType(
      builder.getFunctionType(entry->getArgumentTypes(), mlir::ValueRange(results).getTypes()));
  if (failed(checkSize(func)))
    return llvm::failure();
  instance.result = *result;
  instance.state = Instance::Done;
  return llvm::success();
}
