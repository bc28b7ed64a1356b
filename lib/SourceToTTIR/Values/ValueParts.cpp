//===- ValueParts.cpp - the run-time parts of a value ---------------------===//
// A value that crosses a call, a branch or a loop crosses as the IR values it is
// made of; its compile-time structure stays with the compiler:
//
//   (x, 3, (p, None))   flattens to   x, p
//   a descriptor        flattens to   its handle, each extent, each stride
//===----------------------------------------------------------------------===//
#include "Builtin.h"
#include "Definitions.h"
#include "Value.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tessera;

/// The values inside a tuple, an aggregate or a descriptor; null for anything else.
static const std::vector<Value> *partsOf(const Value &value) {
  if (const TupleObject *tuple = value.get<TupleObject>())
    return tuple->elements.get();
  if (const AggregateObject *aggregate = value.get<AggregateObject>())
    return aggregate->fields.get();
  return nullptr;
}

void tessera::flatten(const Value &value, llvm::SmallVectorImpl<mlir::Value> &handles) {
  if (const Tensor *tensor = value.get<Tensor>()) {
    handles.push_back(tensor->handle);
  } else if (const DescriptorObject *descriptor = value.get<DescriptorObject>()) {
    handles.push_back(descriptor->handle);
    for (const auto *list : {descriptor->shape.get(), descriptor->strides.get()})
      for (const Value &part : *list)
        flatten(part, handles);
  } else if (const std::vector<Value> *parts = partsOf(value)) {
    for (const Value &part : *parts)
      flatten(part, handles);
  }
}

static std::shared_ptr<const std::vector<Value>> rebuildAll(const std::vector<Value> &models,
                                                            llvm::ArrayRef<mlir::Value> &handles) {
  std::vector<Value> parts;
  parts.reserve(models.size());
  for (const Value &model : models)
    parts.push_back(rebuild(model, handles));
  return std::make_shared<const std::vector<Value>>(std::move(parts));
}

Value tessera::rebuild(const Value &model, llvm::ArrayRef<mlir::Value> &handles) {
  if (const Tensor *tensor = model.get<Tensor>())
    return Value(Tensor{handles.consume_front(), tensor->type});
  if (const TupleObject *tuple = model.get<TupleObject>())
    return Value(TupleObject{rebuildAll(*tuple->elements, handles), tuple->type});
  if (const AggregateObject *aggregate = model.get<AggregateObject>())
    return Value(AggregateObject{aggregate->type, rebuildAll(*aggregate->fields, handles)});
  if (const DescriptorObject *descriptor = model.get<DescriptorObject>()) {
    DescriptorObject result = *descriptor;
    result.handle = handles.consume_front();
    result.shape = rebuildAll(*descriptor->shape, handles);
    result.strides = rebuildAll(*descriptor->strides, handles);
    return Value(result);
  }
  return model;
}

bool tessera::haveSameType(const Value &lhs, const Value &rhs) {
  const Tensor *left = lhs.get<Tensor>(), *right = rhs.get<Tensor>();
  if (left && right) // the common case, without text
    return left->type == right->type;
  return specializationKey(lhs) == specializationKey(rhs);
}

namespace {
struct Key {
  static std::string list(const std::vector<Value> &parts) {
    // Not llvm::join of a map_range, which makes each text twice: four times at the next
    // level, and so on.
    std::string text;
    for (const Value &part : parts)
      text += (text.empty() ? "" : ", ") + specializationKey(part);
    return text;
  }
  std::string operator()(const NoneObject &) { return "None"; }
  std::string operator()(const EllipsisObject &) { return "..."; }
  std::string operator()(bool flag) { return flag ? "True" : "False"; }
  std::string operator()(const PythonInt &number) { return number.str(); }
  std::string operator()(double number) {
    // Bits tell 0.0 from -0.0, and one NaN from another.
    return llvm::formatv("{0}#{1:x}", number, llvm::bit_cast<uint64_t>(number));
  }
  std::string operator()(const std::string &text) {
    return std::to_string(text.size()) + "'" + text + "'";
  }
  std::string operator()(const TypeObject &object) { return "type " + object.type.str(); }
  std::string operator()(const ConstexprTypeObject &object) {
    return "type of " + specializationKey(*object.value);
  }
  std::string operator()(const ModuleObject &module) {
    return llvm::formatv("module {0} {1} {2}", module.path, module.scope, module.live);
  }
  std::string operator()(const BuiltinObject &object) { return object.builtin->spelling(); }
  std::string operator()(const JitObject &object) {
    return llvm::formatv("{0}@{1}", object.function->name, object.function);
  }
  std::string operator()(const HostObject &object) {
    return llvm::formatv("host {0} {1}", object.name, object.live);
  }
  std::string operator()(const MethodObject &method) {
    const void *function = method.builtin ? static_cast<const void *>(method.builtin)
                                          : static_cast<const void *>(method.function);
    return llvm::formatv("{0}.@{1}", specializationKey(*method.self), function);
  }
  std::string operator()(const TupleObject &tuple) {
    return (tuple.type ? tuple.type->name : "") + "(" + list(*tuple.elements) + ")";
  }
  std::string operator()(const SliceObject &slice) {
    auto text = [](const std::optional<PythonInt> &n) { return n ? n->str() : ""; };
    return text(slice.start) + ":" + text(slice.stop) + ":" + text(slice.step);
  }
  std::string operator()(const AggregateObject &object) {
    return llvm::formatv("{0}@{1}<{2}>", object.type->name, object.type, list(*object.fields));
  }
  std::string operator()(const ClassObject &object) {
    return llvm::formatv("class {0}@{1}", object.type->name, object.type);
  }
  std::string operator()(const DictObject &dict) {
    std::string text = "{";
    for (const auto &[key, value] : *dict.items)
      text += specializationKey(key) + ": " + specializationKey(value) + ", ";
    return text + "}";
  }
  std::string operator()(const EnumObject &object) {
    return (object.type + "." + object.member).str();
  }
  std::string operator()(const DescriptorObject &object) {
    return "tensordesc<" + object.block.str() + ">";
  }
  std::string operator()(const ListObject &list) { return pythonRepr(Value(list)); }
  std::string operator()(const SetObject &set) { return pythonRepr(Value(set)); }
  std::string operator()(const FunctionObject &object) {
    return llvm::formatv("{0}@{1}", object.function->name, object.function.get());
  }
  std::string operator()(const ErrorObject &) { return "error"; }
  std::string operator()(const UndefinedObject &object) { return object.type.str(); }
  std::string operator()(const Tensor &tensor) { return tensor.type.str(); }
};
} // namespace

std::string tessera::specializationKey(const Value &value) {
  return std::visit(Key{}, value.get());
}

std::string tessera::typeText(const Value &value) {
  auto list = [](const std::vector<Value> &parts) {
    std::string text; // not llvm::join, as above
    for (const Value &part : parts)
      text += (text.empty() ? "" : ", ") + typeText(part);
    return text;
  };
  if (const Tensor *tensor = value.get<Tensor>())
    return tensor->type.str();
  if (const TupleObject *tuple = value.get<TupleObject>())
    return (tuple->type ? tuple->type->name : "") + "(" + list(*tuple->elements) + ")";
  if (const AggregateObject *object = value.get<AggregateObject>())
    return object->type->name + "<" + list(*object->fields) + ">";
  if (value.isNumber() || value.is<std::string>() || value.isNone())
    return pythonRepr(value);
  return value.describe();
}
