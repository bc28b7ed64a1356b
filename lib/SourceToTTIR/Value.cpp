//===- Value.cpp - what an expression of a kernel evaluates to ------------===//
// Conversions between compile-time values, and their names in messages.
//===----------------------------------------------------------------------===//
#include "Value.h"
#include "Builtins.h"
#include "ModuleScope.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <charconv>

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

namespace {
struct Describe {
  std::string operator()(const NoneObject &) { return "None"; }
  std::string operator()(const EllipsisObject &) { return "..."; }
  std::string operator()(bool flag) { return flag ? "True" : "False"; }
  std::string operator()(const PythonInt &number) { return "the int " + number.str(); }
  std::string operator()(double number) {
    char digits[32]; // the shortest text that reads back as the same number, as Python prints it
    auto end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
    std::string text(std::begin(digits), end);
    bool looksLikeInt = text.find_first_of(".einf") == std::string::npos;
    return "the float " + text + (looksLikeInt ? ".0" : "");
  }
  std::string operator()(const std::string &text) { return "the string '" + text + "'"; }
  std::string operator()(const TypeObject &object) { return "the type " + object.type.str(); }
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

static std::string floatText(double number) {
  if (number != number)
    return "nan";
  if (number == std::numeric_limits<double>::infinity())
    return "inf";
  if (number == -std::numeric_limits<double>::infinity())
    return "-inf";
  char digits[32]; // the shortest text that reads back as the same number, as Python prints it
  auto end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
  std::string text(std::begin(digits), end);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string tessera::pythonRepr(const Value &value) {
  if (const double *number = value.get<double>())
    return floatText(*number);
  if (const PythonInt *number = value.get<PythonInt>())
    return number->str();
  if (const std::string *text = value.get<std::string>())
    return "'" + *text + "'";
  if (const TypeObject *type = value.get<TypeObject>())
    return type->type.isPointer() || type->type.isBlock()
               ? type->type.str()
               : ("triton.language." + type->type.scalar.languageName()).str();
  if (const TupleObject *tuple = value.get<TupleObject>()) {
    std::string text = "(";
    for (const Value &element : *tuple->elements)
      text += (text.size() > 1 ? ", " : "") + pythonRepr(element);
    return text + (tuple->elements->size() == 1 ? ",)" : ")");
  }
  return value.is<bool>() || value.isNone() ? value.describe() : "<" + value.describe() + ">";
}

std::string tessera::pythonStr(const Value &value) {
  if (const std::string *text = value.get<std::string>())
    return *text;
  if (const TypeObject *type = value.get<TypeObject>())
    return type->type.str();
  return pythonRepr(value);
}

std::string Value::describe() const { return std::visit(Describe{}, data); }
