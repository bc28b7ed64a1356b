//===- Attributes.cpp - attributes of values ------------------------------===//
// `value.name` for modules, tensors, types, descriptors, named tuples, aggregates
// and classes. Methods come back bound to their value.
//===----------------------------------------------------------------------===//
#include "Builtins.h"
#include "llvm/ADT/STLExtras.h"
#include "../Operators/Semantics.h"
#include "../Values/Definitions.h"

using namespace tessera;

static Value tupleOfInts(llvm::ArrayRef<int64_t> numbers) {
  std::vector<Value> elements;
  for (int64_t number : numbers)
    elements.push_back(Value(PythonInt(number)));
  return makeTuple(std::move(elements));
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// A function that is written in the language. Names that start with '_' are not
/// tl's own but those of the modules that define them.
static std::optional<Value> languageFunction(Emitter &emit, llvm::StringRef module,
                                             llvm::StringRef name) {
  bool isHome = module == "triton.language.standard" || module == "triton.language.random";
  bool isLanguage = isHome || module == "triton.language" || module == "triton.language.core" ||
                    module == "triton.language.math";
  if (!emit.modules || !isLanguage || (name.starts_with("_") && !isHome))
    return std::nullopt;
  return emit.modules->languageFunction(name);
}

static LogicalResult refuseModuleAttribute(Emitter &emit, llvm::StringRef module,
                                           llvm::StringRef name) {
  if (lookupModuleAttribute("triton.language.extra.libdevice", name))
    return emit.error(module + " has no '" + name +
                      "'; it is in libdevice: from triton.language.extra import libdevice");
  if (llvm::StringRef advice = adviceForLanguageName(name); !advice.empty())
    return emit.error(module + " has no '" + name + "'; " + advice);
  // tl.float, tl.int: the usual size is meant, rather than another word.
  std::string sized = (name + "32").str();
  std::string closest =
      lookupModuleAttribute(module, sized) ? sized : closestModuleAttribute(module, name);
  return emit.error(module + " has no '" + name + "'" +
                    (closest.empty() ? "" : "; did you mean '" + closest + "'?"));
}

static FailureOr<Value> moduleAttribute(Emitter &emit, const ModuleObject &module,
                                        llvm::StringRef name) {
  if (module.live || module.scope) {
    std::optional<Value> attribute =
        module.live
            ? module.live->member(name)
            : (emit.modules ? emit.modules->member(module, name) : module.scope->lookupHost(name));
    if (attribute)
      return *attribute;
    return emit.error("the module " + module.path + " has no '" + name + "'");
  }
  if (module.path == kTargetObject)
    return targetAttribute(emit, name);
  if (std::optional<Value> attribute = lookupModuleAttribute(module.path, name))
    return *attribute;
  if (std::optional<Value> function = languageFunction(emit, module.path, name))
    return *function;
  if (emit.modules && (!isLanguageModule(module.path) || module.path == "triton"))
    if (std::optional<Value> attribute = emit.modules->member(module, name))
      return *attribute;
  if (!isLanguageModule(module.path) || module.path == "triton" || module.path == "math")
    return Value(HostObject{module.path + "." + name.str(),
                            "an attribute of a module that only Python can load"});
  return refuseModuleAttribute(emit, module.path, name);
}

//===----------------------------------------------------------------------===//
// Tensors and types
//===----------------------------------------------------------------------===//

/// x.T, the transposed matrix: the one attribute that emits IR.
static FailureOr<Value> transposed(Emitter &emit, const Tensor &tensor) {
  if (tensor.type.shape.size() != 2)
    return emit.error(".T transposes a block with two axes, not " + tensor.type.str() +
                      "; use tl.trans or tl.permute");
  if (!emit.builder.getInsertionBlock()) // asked for, not read
    return llvm::failure();
  return permuteBlock(emit, tensor, {1, 0});
}

static FailureOr<Value> tensorAttribute(Emitter &emit, const Tensor &tensor, llvm::StringRef name) {
  if (name == "dtype")
    return Value(TypeObject{tensor.type.withShape({})});
  if (name == "type")
    return Value(TypeObject{tensor.type});
  if (name == "shape")
    return tupleOfInts(tensor.type.shape);
  if (name == "numel")
    return Value(PythonInt(tensor.type.numElements()));
  if (name == "T")
    return transposed(emit, tensor);
  if (const Builtin *method = lookupMethod(name))
    return makeMethod(Value(tensor), method);
  if (const JitFunction *method = emit.modules ? emit.modules->languageMethod(name) : nullptr)
    return makeMethod(Value(tensor), nullptr, method);
  bool isFunction = lookupModuleAttribute("triton.language", name).has_value();
  llvm::StringRef advice = adviceForMethod(name);
  std::string closest = isFunction ? "" : closestMethod(name);
  return emit.error("a tensor has no attribute '" + name + "'" +
                    (!advice.empty()    ? "; " + advice.str()
                     : isFunction       ? "; write tl." + name.str() + "(...)"
                     : !closest.empty() ? "; did you mean '" + closest + "'?"
                                        : ""));
}

/// Attributes of classes of the language: tl.PropagateNan.ALL, tl.dtype.is_dtype.
static std::optional<Value> builtinAttribute(const Builtin &builtin, llvm::StringRef name) {
  if (builtin.path == "triton.language.PropagateNan") {
    if (name == "NONE")
      return Value(EnumObject{"PropagateNan", "NONE"});
    if (name == "ALL")
      return Value(EnumObject{"PropagateNan", "ALL"});
  }
  const Builtin *method = nullptr;
  if (builtin.path == "triton.language.dtype")
    method = lookupTypeMethod(name);
  else if (builtin.path == "triton.language.tensor")
    method = lookupMethod(name);
  else if (builtin.path == "triton.language.tensor_descriptor")
    method = lookupDescriptorMethod(name);
  if (method)
    return Value(BuiltinObject{method});
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

/// A method, bound to the object unless it is static.
static std::optional<Value> memberOf(const ClassDefinition &type, const Value *object,
                                     llvm::StringRef name) {
  auto found = type.members.find(name);
  if (found == type.members.end())
    return std::nullopt;
  const JitObject *function = found->second.get<JitObject>();
  if (!function || !object || type.staticMethods.contains(name))
    return found->second;
  return makeMethod(*object, nullptr, function->function);
}

/// A field or method of a named tuple, an aggregate or a class; a method of any other
/// compile-time value. Nothing if it has none.
static std::optional<Value> objectAttribute(const Value &value, llvm::StringRef name) {
  const TupleObject *tuple = value.get<TupleObject>();
  const AggregateObject *aggregate = value.get<AggregateObject>();
  const ClassDefinition *type = tuple ? tuple->type : aggregate ? aggregate->type : nullptr;
  if (type) {
    const std::vector<Value> &parts = tuple ? *tuple->elements : *aggregate->fields;
    for (auto [field, part] : llvm::zip(type->fields, parts))
      if (field == name)
        return part;
    if (name == "_fields" && tuple) {
      std::vector<Value> names;
      for (const std::string &field : type->fields)
        names.push_back(Value(field));
      return makeTuple(std::move(names));
    }
    if (std::optional<Value> member = memberOf(*type, &value, name))
      return member;
  }
  if (const ClassObject *object = value.get<ClassObject>()) {
    if (name == "__name__")
      return Value(object->type->name);
    return memberOf(*object->type, nullptr, name);
  }
  if (name == "__name__") {
    if (const JitObject *object = value.get<JitObject>())
      return Value(object->function->name);
    if (const FunctionObject *object = value.get<FunctionObject>())
      return Value(object->function->name);
    if (const BuiltinObject *object = value.get<BuiltinObject>())
      return Value(object->builtin->name().str());
  }
  if (const SliceObject *slice = value.get<SliceObject>()) {
    auto bound = [](const std::optional<PythonInt> &number) {
      return number ? Value(*number) : Value();
    };
    if (name == "start")
      return bound(slice->start);
    if (name == "stop")
      return bound(slice->stop);
    if (name == "step")
      return bound(slice->step);
  }
  return lookupHostMethod(value, name);
}

static std::optional<Value> compileTimeAttribute(const Value &value, llvm::StringRef name) {
  if (const BuiltinObject *object = value.get<BuiltinObject>())
    if (std::optional<Value> attribute = builtinAttribute(*object->builtin, name))
      return attribute;
  if (const TypeObject *type = value.get<TypeObject>())
    return lookupTypeAttribute(type->type, name);
  return objectAttribute(value, name); // of named tuples, aggregates, texts, lists
}

FailureOr<Value> tessera::readAttribute(Emitter &emit, const Value &value, llvm::StringRef name) {
  if (const ModuleObject *module = value.get<ModuleObject>())
    return moduleAttribute(emit, *module, name);
  if (const Tensor *tensor = value.get<Tensor>())
    return tensorAttribute(emit, *tensor, name);
  if (const DescriptorObject *descriptor = value.get<DescriptorObject>())
    return descriptorAttribute(emit, *descriptor, name);
  if (const HostObject *host = value.get<HostObject>()) {
    if (!host->live)
      return Value(HostObject{host->name + "." + name.str(), host->why, host->causes});
    if (name == "value" && value.isConstexpr()) // of the constexpr, not of what it holds
      return value.asConstexpr(false);
    if (std::optional<Value> attribute = host->live->member(name))
      return *attribute;
    return emit.error("'" + host->name + "' has no attribute '" + name + "'");
  }
  if (std::optional<Value> attribute = compileTimeAttribute(value, name))
    return *attribute;
  if (const ConstexprTypeObject *type = value.get<ConstexprTypeObject>(); type && name == "value")
    return *type->value;
  if (name == "type" && value.isPlainConstant())
    return makeConstexprType(value.asConstexpr(false));
  if (name == "value")
    return value.asConstexpr(false); // X.value of a constexpr object: there is no wrapper here
  if (value.isNumber() && lookupMethod(name))
    return emit.error("'." + name + "' is for tensors, not for the compile-time value " +
                      value.describe() + "; write tl." + lookupMethod(name)->name() + "(...)");
  bool grows = value.is<TupleObject>() &&
               llvm::is_contained({"append", "extend", "insert", "pop", "remove"}, name);
  return emit.error(value.describe() + " has no attribute '" + name + "' that kernels can read" +
                    (grows ? "; lists do not grow in kernels: keep a sum or a tensor, or write the "
                             "elements as a tuple"
                           : ""));
}
