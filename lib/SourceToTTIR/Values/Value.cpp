//===- Value.cpp - what an expression of a kernel evaluates to ------------===//
// Conversions between compile-time values, and their names in messages.
//===----------------------------------------------------------------------===//
#include "Value.h"
#include "Builtin.h"
#include "Definitions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tessera;

std::optional<PythonInt> Value::asInt() const {
  if (const bool *flag = get<bool>())
    return PythonInt(*flag ? 1 : 0);
  if (const PythonInt *number = get<PythonInt>())
    return *number;
  return std::nullopt;
}

std::optional<double> Value::asDouble() const {
  if (const double *number = get<double>())
    return *number;
  if (std::optional<PythonInt> number = asInt())
    return number->toDouble();
  return std::nullopt;
}

void Value::measure() {
  uint64_t total = 0;
  unsigned deepest = 0;
  auto add = [&](const Value &part) {
    total += part.leaves;
    deepest = std::max<unsigned>(deepest, part.depth);
  };
  auto addAll = [&](const std::vector<Value> &parts) { llvm::for_each(parts, add); };
  if (const TupleObject *tuple = get<TupleObject>()) {
    addAll(*tuple->elements);
  } else if (const AggregateObject *aggregate = get<AggregateObject>()) {
    addAll(*aggregate->fields);
  } else if (const ListObject *list = get<ListObject>()) {
    addAll(*list->elements);
  } else if (const SetObject *set = get<SetObject>()) {
    addAll(*set->elements);
  } else if (const DictObject *dict = get<DictObject>()) {
    for (const auto &[key, value] : *dict->items) {
      add(key);
      add(value);
    }
  } else if (const FunctionObject *object = get<FunctionObject>();
             object && object->function->captured) {
    for (const auto &[name, value] : *object->function->captured)
      deepest = std::max<unsigned>(deepest, value.depth); // nobody walks its values
  }
  leaves = std::min<uint64_t>(total, UINT32_MAX);
  depth = std::min<unsigned>(deepest + 1, UINT16_MAX);
}

std::string Builtin::spelling() const {
  llvm::StringRef text = path;
  if (text.consume_front("triton.language."))
    return ("tl." + text).str();
  text.consume_front("builtins.");
  return text.str();
}

std::string tessera::dtypeName(const KernelType &type) {
  if (type.isBlock()) {
    auto extents = llvm::map_range(type.shape, [](int64_t n) { return std::to_string(n); });
    return "<[" + llvm::join(extents, ", ") + "], " + dtypeName(type.withShape({})) + ">";
  }
  if (type.isPointer())
    return (type.pointsToConst ? "const_pointer<" : "pointer<") + dtypeName(type.pointee()) + ">";
  return (type.scalar.isInt() ? type.scalar.languageName() : type.scalar.name()).str();
}

namespace {
/// Numbers and texts as far as anybody reads them.
std::string shortened(const std::string &text) {
  constexpr size_t kMost = 200, kShown = 100;
  if (text.size() <= kMost)
    return text;
  size_t end = kShown;
  while (end && (text[end] & 0xC0) == 0x80) // not in the middle of a character
    --end;
  return text.substr(0, end) + "...";
}

struct Describe {
  std::string operator()(const NoneObject &) { return "None"; }
  std::string operator()(const EllipsisObject &) { return "..."; }
  std::string operator()(bool flag) { return flag ? "True" : "False"; }
  std::string operator()(const PythonInt &number) {
    // Printing takes time that grows with the square of the digits.
    return number.fitsSigned(1024) ? "the int " + shortened(number.str())
                                   : "an int of " + std::to_string(number.bitWidth()) + " bits";
  }
  std::string operator()(double number) { return "the float " + pythonRepr(Value(number)); }
  std::string operator()(const std::string &text) { return "the string '" + shortened(text) + "'"; }
  std::string operator()(const TypeObject &object) { return "the type " + object.type.str(); }
  std::string operator()(const ConstexprTypeObject &object) {
    return "the type of " + object.value->describe();
  }
  std::string operator()(const ModuleObject &module) { return "the module " + module.path; }
  std::string operator()(const BuiltinObject &object) {
    return "the function " + object.builtin->spelling();
  }
  std::string operator()(const JitObject &object) {
    return "the jit function '" + object.function->name + "'";
  }
  std::string operator()(const HostObject &object) {
    return "the Python object '" + object.name + "'";
  }
  std::string operator()(const MethodObject &method) {
    return "the method ." + (method.builtin ? method.builtin->name().str() : method.function->name);
  }
  std::string operator()(const TupleObject &tuple) {
    if (tuple.type)
      return "an object of class '" + tuple.type->name + "'";
    return llvm::formatv("a tuple of {0}", tuple.elements->size());
  }
  std::string operator()(const SliceObject &) { return "a slice"; }
  std::string operator()(const AggregateObject &object) {
    return "an object of class '" + object.type->name + "'";
  }
  std::string operator()(const ClassObject &object) {
    return "the class '" + object.type->name + "'";
  }
  std::string operator()(const DictObject &dict) {
    return llvm::formatv("a dict of {0}", dict.items->size());
  }
  std::string operator()(const EnumObject &object) {
    return ("tl." + object.type + "." + object.member).str();
  }
  std::string operator()(const DescriptorObject &object) {
    return "a tensor descriptor of " + object.block.str();
  }
  std::string operator()(const ListObject &list) {
    return llvm::formatv("a list of {0}", list.elements->size());
  }
  std::string operator()(const SetObject &set) {
    return llvm::formatv("a set of {0}", set.elements->size());
  }
  std::string operator()(const FunctionObject &object) {
    return "the Python function '" + object.function->name + "'";
  }
  std::string operator()(const ErrorObject &) { return "a value that failed"; }
  std::string operator()(const UndefinedObject &object) {
    return "an undefined " + object.type.str();
  }
  std::string operator()(const Tensor &tensor) {
    if (tensor.type.isBlockPointer())
      return "a block pointer to " + tensor.type.pointee().str();
    return (tensor.type.isBlock() ? "a block " : "a run-time scalar ") + tensor.type.str();
  }
};
} // namespace

std::string Value::describe() const { return std::visit(Describe{}, data); }
