//===- TensorMapRecipe.cpp - tensor maps that a launcher builds -----------===//
// Expressions, the limits of the hardware, and the form of recipes in JSON:
//
//   {"base": "a_ptr", "extents": ["K", "M"], "strides": [["*", "stride_am", 2]], "type": "f16",
//    "box": [64, 128], "swizzle": 128, "fill": "zero", "l2": 128}
//===----------------------------------------------------------------------===//
#include "tessera/Kernel/TensorMapRecipe.h"
#include "tessera/Kernel/KernelRecord.h"
#include "tessera/Kernel/KernelType.h"
#include "tessera/Kernel/LaunchArithmetic.h"
#include "tessera/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include <cstdio>
#include <limits>

namespace tessera {

namespace json = llvm::json;
using Kind = LaunchExpression::Kind;

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

bool LaunchExpression::isWellFormed(size_t argumentCount) const {
  return isWellFormedExpression(terms.data(), terms.size(), argumentCount);
}

std::optional<int64_t> LaunchExpression::evaluate(llvm::ArrayRef<int64_t> arguments) const {
  return evaluateExpression(terms.data(), terms.size(), arguments.data());
}

std::optional<int64_t> LaunchExpression::constant() const {
  if (terms.size() == 1 && terms.front().kind == Kind::Number)
    return terms.front().value;
  return std::nullopt;
}

LaunchExpression LaunchExpression::combine(Kind kind, LaunchExpression a,
                                           const LaunchExpression &b) {
  if (a.constant() && b.constant())
    if (std::optional<int64_t> known = applyOperation(kind, *a.constant(), *b.constant()))
      return number(*known);
  bool isMultiply = kind == Kind::Multiply, isDivide = kind == Kind::Divide;
  if ((isMultiply || isDivide) && b.constant() == 1)
    return a;
  if (isMultiply && a.constant() == 1)
    return b;
  if ((kind == Kind::Add || kind == Kind::Subtract) && b.constant() == 0)
    return a;
  if (kind == Kind::Add && a.constant() == 0)
    return b;
  a.terms.insert(a.terms.end(), b.terms.begin(), b.terms.end());
  a.terms.push_back({kind, 0});
  return a;
}

LaunchExpression LaunchExpression::convert(Kind kind, LaunchExpression a) {
  if (a.constant())
    if (std::optional<int64_t> known = applyOperation(kind, *a.constant(), 0))
      return number(*known);
  if (a.terms.back().kind != kind)
    a.terms.push_back({kind, 0});
  return a;
}

//===----------------------------------------------------------------------===//
// Recipes
//===----------------------------------------------------------------------===//

std::string TensorMapRecipe::whyInvalid(size_t argumentCount) const {
  if (base >= argumentCount)
    return "its base is no argument";
  if (extents.empty() || extents.size() > kMaxRank)
    return "it has " + std::to_string(extents.size()) + " dimensions, not 1 to 5";
  if (strides.size() + 1 != extents.size() || box.size() != extents.size())
    return "its extents, strides and box disagree about the rank";
  auto isGood = [&](const LaunchExpression &each) { return each.isWellFormed(argumentCount); };
  if (!isGood(offset) || !llvm::all_of(extents, isGood) || !llvm::all_of(strides, isGood))
    return "an expression is malformed, or nests too deeply";
  if (tensorMapElementBytes(type) == 0)
    return "there is no element type '" + type + "'";
  if (llvm::any_of(box, [](uint32_t extent) { return extent < 1 || extent > 256; }))
    return "a box has 1 to 256 elements along a dimension";
  if (swizzle != 0 && swizzle != 32 && swizzle != 64 && swizzle != 128)
    return "the swizzles are 0, 32, 64 and 128 bytes";
  if (l2Bytes != 0 && l2Bytes != 64 && l2Bytes != 128 && l2Bytes != 256)
    return "the L2 promotions are 0, 64, 128 and 256 bytes";
  return "";
}

static std::string checkLimits(const TensorMapRecipe &recipe, const TensorMapValues &values) {
  long long value = 0;
  const char *problem = whyNoTensorMap(values, recipe.rank(), value);
  if (!problem)
    return "";
  char text[160];
  std::snprintf(text, sizeof(text), problem, value);
  return text;
}

int64_t TensorMapEvaluator::Input::read(const void *from) const {
  return readInteger(from, bytes, isSigned);
}

llvm::Expected<TensorMapEvaluator> TensorMapEvaluator::create(const KernelRecord &record) {
  TensorMapEvaluator plan;
  std::vector<const KernelArgument *> passed = record.passedArguments();
  plan.recipes = record.tensorMaps;
  std::string wrong;
  auto inputOf = [&](int64_t argument, bool isBase) -> int64_t {
    auto known =
        llvm::find_if(plan.inputs, [&](const Input &each) { return each.argument == argument; });
    if (known != plan.inputs.end())
      return known - plan.inputs.begin();
    std::optional<KernelType> type = KernelType::parse(passed[argument]->type);
    if (!type || type->isBlock() || type->isPointer() != isBase || (!isBase && !type->isInt()))
      wrong = "argument '" + passed[argument]->name + "' is no " +
              (isBase ? "pointer" : "integer that an expression could use");
    bool isNumber = type && !type->isPointer();
    plan.inputs.push_back({uint32_t(argument),
                           isNumber ? uint8_t(type->scalar.bytesInMemory()) : uint8_t(8),
                           isNumber && type->scalar.isSigned()});
    return int64_t(plan.inputs.size()) - 1;
  };
  auto number = [&](LaunchExpression &expression) {
    for (LaunchExpression::Term &term : expression.terms)
      if (term.kind == Kind::Argument)
        term.value = inputOf(term.value, /*isBase=*/false);
  };
  for (TensorMapRecipe &recipe : plan.recipes) {
    wrong = recipe.whyInvalid(passed.size());
    if (wrong.empty()) {
      recipe.base = uint32_t(inputOf(recipe.base, /*isBase=*/true));
      number(recipe.offset);
      llvm::for_each(recipe.extents, number);
      llvm::for_each(recipe.strides, number);
    }
    if (!wrong.empty())
      return makeError("kernel " + record.kernelName + ", a tensor map's recipe: " + wrong);
  }
  return plan;
}

std::string TensorMapEvaluator::evaluate(size_t map, llvm::ArrayRef<int64_t> values,
                                         TensorMapValues &result) const {
  const TensorMapRecipe &recipe = recipes[map];
  bool isKnown = true;
  auto valueOf = [&](const LaunchExpression &expression) {
    std::optional<int64_t> value = expression.evaluate(values);
    isKnown &= value.has_value();
    return uint64_t(value.value_or(0));
  };
  result.base = uint64_t(values[recipe.base]) + valueOf(recipe.offset);
  for (unsigned dim = 0; dim < recipe.rank(); ++dim)
    result.extents[dim] = valueOf(recipe.extents[dim]);
  for (unsigned dim = 0; dim + 1 < recipe.rank(); ++dim)
    result.strides[dim] = valueOf(recipe.strides[dim]);
  if (!isKnown)
    return "an extent or a stride overflows";
  return checkLimits(recipe, result);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static json::Value expressionToJSON(const LaunchExpression &expression,
                                    llvm::ArrayRef<const KernelArgument *> passed) {
  std::vector<json::Value> stack;
  for (const LaunchExpression::Term &term : expression.terms) {
    if (term.kind == Kind::Number) {
      stack.emplace_back(term.value);
    } else if (term.kind == Kind::Argument) {
      stack.emplace_back(json::fixUTF8(passed[term.value]->name));
    } else {
      json::Array list{spellingOf(term.kind)};
      size_t first = stack.size() - operandCount(term.kind);
      for (size_t i = first; i < stack.size(); ++i)
        list.push_back(std::move(stack[i]));
      stack.resize(first, nullptr);
      stack.emplace_back(std::move(list));
    }
  }
  return stack.empty() ? json::Value(0) : std::move(stack.front());
}

json::Value toJSON(const TensorMapRecipe &recipe, const KernelRecord &record) {
  std::vector<const KernelArgument *> passed = record.passedArguments();
  if (!recipe.whyInvalid(passed.size()).empty())
    return nullptr; // nobody could read it
  json::Array extents, strides, box;
  for (const LaunchExpression &extent : recipe.extents)
    extents.push_back(expressionToJSON(extent, passed));
  for (const LaunchExpression &stride : recipe.strides)
    strides.push_back(expressionToJSON(stride, passed));
  for (uint32_t extent : recipe.box)
    box.push_back(extent);
  json::Object object{{"base", json::fixUTF8(passed[recipe.base]->name)},
                      {"extents", std::move(extents)},
                      {"strides", std::move(strides)},
                      {"type", recipe.type},
                      {"box", std::move(box)},
                      {"swizzle", recipe.swizzle},
                      {"fill", recipe.fillsWithNaN ? "nan" : "zero"},
                      {"l2", recipe.l2Bytes}};
  if (recipe.offset.constant() != 0)
    object["offset"] = expressionToJSON(recipe.offset, passed);
  return object;
}

namespace {
/// Reads the parts of one recipe; the first failure is kept.
class RecipeReader {
public:
  RecipeReader(const JsonObject &object, llvm::ArrayRef<const KernelArgument *> passed)
      : object(object), passed(passed) {}

  std::string problem = {};

  uint32_t argument(llvm::StringRef name) {
    for (auto [index, each] : llvm::enumerate(passed))
      if (json::fixUTF8(each->name) == name)
        return uint32_t(index);
    fail("names no argument: '" + name.str() + "'");
    return 0;
  }
  LaunchExpression expression(const JsonValue &value) {
    LaunchExpression result;
    append(value, result);
    return result;
  }
  std::vector<LaunchExpression> expressions(llvm::StringRef field) {
    std::vector<LaunchExpression> result;
    for (const JsonValue &value : list(field))
      result.push_back(expression(value));
    return result;
  }
  uint32_t number(const JsonValue *value) {
    std::optional<int64_t> found = value ? value->getAsInteger() : std::nullopt;
    if (found && *found >= 0 && *found <= std::numeric_limits<uint32_t>::max())
      return uint32_t(*found);
    fail("lacks a number");
    return 0;
  }
  const JsonArray &list(llvm::StringRef field) {
    static const JsonArray nothing;
    const JsonArray *found = object.getArray(field);
    if (!found)
      fail("has no list '" + field.str() + "'");
    return found ? *found : nothing;
  }
  std::string text(llvm::StringRef field) {
    std::optional<llvm::StringRef> found = object.getString(field);
    if (!found)
      fail("has no string '" + field.str() + "'");
    return found.value_or("").str();
  }
  void fail(const std::string &why) {
    if (problem.empty())
      problem = why;
  }

private:
  /// JsonTree limits how deep a value nests.
  void append(const JsonValue &value, LaunchExpression &to) {
    if (std::optional<int64_t> number = value.getAsInteger())
      return to.terms.push_back({Kind::Number, *number});
    if (std::optional<llvm::StringRef> name = value.getAsString())
      return to.terms.push_back({Kind::Argument, argument(*name)});
    const JsonArray *parts = value.getAsArray();
    std::optional<llvm::StringRef> spelling;
    if (parts && !parts->empty())
      spelling = parts->front().getAsString();
    std::optional<Kind> kind = spelling ? parseOperation(*spelling) : std::nullopt;
    if (!kind || parts->size() != 1 + operandCount(*kind))
      return fail("has an expression that is none");
    for (const JsonValue &operand : llvm::drop_begin(*parts))
      append(operand, to);
    to.terms.push_back({*kind, 0});
  }

  const JsonObject &object;
  llvm::ArrayRef<const KernelArgument *> passed;
};
} // namespace

llvm::Expected<TensorMapRecipe> parseTensorMapRecipe(const JsonValue &value,
                                                     const KernelRecord &record) {
  const JsonObject *object = value.getAsObject();
  if (!object)
    return makeError("holds something that is not an object");
  std::vector<const KernelArgument *> passed = record.passedArguments();
  RecipeReader reader(*object, passed);
  TensorMapRecipe recipe;
  recipe.base = reader.argument(reader.text("base"));
  const JsonValue *offset = object->get("offset");
  recipe.offset = offset ? reader.expression(*offset) : LaunchExpression::number(0);
  recipe.type = reader.text("type");
  recipe.extents = reader.expressions("extents");
  recipe.strides = reader.expressions("strides");
  for (const JsonValue &extent : reader.list("box"))
    recipe.box.push_back(reader.number(&extent));
  recipe.swizzle = reader.number(object->get("swizzle"));
  recipe.l2Bytes = reader.number(object->get("l2"));
  std::string fill = reader.text("fill");
  recipe.fillsWithNaN = fill == "nan";
  if (fill != "nan" && fill != "zero")
    reader.fail("is filled with neither zero nor nan");
  if (reader.problem.empty())
    reader.problem = recipe.whyInvalid(passed.size());
  if (!reader.problem.empty())
    return makeError("a tensor map " + reader.problem);
  return recipe;
}

} // namespace tessera
