//===- TensorMapRecipe.cpp - tensor maps that a launcher builds -----------===//
// Expressions, the limits of the hardware, and the form of recipes in JSON:
//
//   {"base": "a_ptr", "extents": ["K", "M"], "strides": [["*", "stride_am", 2]], "type": "f16",
//    "box": [64, 128], "swizzle": 128, "fill": "zero", "l2": 128}
//===----------------------------------------------------------------------===//
#include "tessera/Kernel/TensorMapRecipe.h"
#include "tessera/Kernel/KernelRecord.h"
#include "tessera/Kernel/KernelType.h"
#include "tessera/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include <algorithm>
#include <cstring>
#include <limits>

namespace tessera {

namespace json = llvm::json;
using Kind = LaunchExpression::Kind;

/// Deeper expressions than anybody writes are refused, so that evaluation needs no allocation.
static constexpr unsigned kMaxDepth = 32;

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

llvm::StringRef spellingOf(Kind kind) {
  switch (kind) {
  case Kind::Argument:
  case Kind::Number:
    return "";
  case Kind::Add:
    return "+";
  case Kind::Subtract:
    return "-";
  case Kind::Multiply:
    return "*";
  case Kind::Divide:
    return "/";
  case Kind::FloorDivide:
    return "floordiv";
  case Kind::CeilDivide:
    return "cdiv";
  case Kind::Remainder:
    return "%";
  case Kind::Min:
    return "min";
  case Kind::Max:
    return "max";
  case Kind::Narrow:
    return "i32";
  case Kind::Unsigned:
    return "u32";
  }
  return "";
}

std::optional<Kind> parseOperation(llvm::StringRef spelling) {
  for (uint32_t kind = uint32_t(Kind::Add); kind <= uint32_t(LaunchExpression::kLastKind); ++kind)
    if (spellingOf(Kind(kind)) == spelling)
      return Kind(kind);
  return std::nullopt;
}

unsigned operandCount(Kind kind) {
  if (kind == Kind::Argument || kind == Kind::Number)
    return 0;
  return kind == Kind::Narrow || kind == Kind::Unsigned ? 1 : 2;
}

/// A division that rounds towards zero, -infinity or +infinity, or its remainder.
static std::optional<int64_t> divide(Kind kind, int64_t a, int64_t b) {
  if (b == 0 || (a == std::numeric_limits<int64_t>::min() && b == -1))
    return std::nullopt;
  int64_t quotient = a / b, rest = a % b;
  bool isNegative = (rest < 0) != (b < 0);
  switch (kind) {
  case Kind::FloorDivide:
    return quotient - (rest != 0 && isNegative);
  case Kind::CeilDivide:
    return quotient + (rest != 0 && !isNegative);
  case Kind::Remainder:
    return rest;
  default:
    return quotient;
  }
}

static std::optional<int64_t> apply(Kind kind, int64_t a, int64_t b) {
  int64_t result = 0;
  switch (kind) {
  case Kind::Add:
    return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  case Kind::Subtract:
    return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  case Kind::Multiply:
    return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  case Kind::Min:
    return std::min(a, b);
  case Kind::Max:
    return std::max(a, b);
  case Kind::Narrow:
    return int32_t(a) == a ? std::optional(a) : std::nullopt;
  case Kind::Unsigned:
    return int64_t(uint32_t(a));
  default:
    return divide(kind, a, b);
  }
}

bool LaunchExpression::isWellFormed(size_t argumentCount) const {
  unsigned depth = 0;
  for (const Term &term : terms) {
    if (term.kind > kLastKind || operandCount(term.kind) > depth)
      return false;
    if (term.kind == Kind::Argument && (term.value < 0 || size_t(term.value) >= argumentCount))
      return false;
    depth += 1 - operandCount(term.kind);
    if (depth > kMaxDepth)
      return false;
  }
  return depth == 1;
}

std::optional<int64_t> LaunchExpression::evaluate(llvm::ArrayRef<int64_t> arguments) const {
  int64_t stack[kMaxDepth];
  unsigned depth = 0;
  for (const Term &term : terms) {
    unsigned operands = operandCount(term.kind);
    if (operands == 0) {
      stack[depth++] = term.kind == Kind::Number ? term.value : arguments[term.value];
      continue;
    }
    depth -= operands;
    std::optional<int64_t> result = apply(term.kind, stack[depth], stack[depth + operands - 1]);
    if (!result)
      return std::nullopt;
    stack[depth++] = *result;
  }
  return stack[0];
}

std::optional<int64_t> LaunchExpression::constant() const {
  if (terms.size() == 1 && terms.front().kind == Kind::Number)
    return terms.front().value;
  return std::nullopt;
}

LaunchExpression LaunchExpression::combine(Kind kind, LaunchExpression a,
                                           const LaunchExpression &b) {
  if (a.constant() && b.constant())
    if (std::optional<int64_t> known = apply(kind, *a.constant(), *b.constant()))
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
    if (std::optional<int64_t> known = apply(kind, *a.constant(), 0))
      return number(*known);
  if (a.terms.back().kind != kind)
    a.terms.push_back({kind, 0});
  return a;
}

//===----------------------------------------------------------------------===//
// Recipes
//===----------------------------------------------------------------------===//

unsigned tensorMapElementBytes(llvm::StringRef type) {
  return llvm::StringSwitch<unsigned>(type)
      .Case("u8", 1)
      .Cases({"u16", "f16", "bf16"}, 2)
      .Cases({"u32", "s32", "f32"}, 4)
      .Cases({"u64", "s64", "f64"}, 8)
      .Default(0);
}

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

/// The limits of cuTensorMapEncodeTiled (CUDA driver API, "Tensor map object management").
static std::string checkLimits(const TensorMapRecipe &recipe, const TensorMapValues &values) {
  constexpr uint64_t kAlignment = 16, kMaxExtent = uint64_t(1) << 32,
                     kMaxStride = uint64_t(1) << 40;
  if (values.base == 0 || values.base % kAlignment != 0)
    return "the address " + std::to_string(values.base) + " is null or no multiple of 16";
  for (unsigned dim = 0; dim < recipe.rank(); ++dim)
    if (int64_t(values.extents[dim]) <= 0 || values.extents[dim] > kMaxExtent)
      return "an extent is " + std::to_string(int64_t(values.extents[dim])) + ", not 1 to 2^32";
  for (unsigned dim = 0; dim + 1 < recipe.rank(); ++dim) {
    auto stride = int64_t(values.strides[dim]);
    if (stride <= 0 || uint64_t(stride) >= kMaxStride || uint64_t(stride) % kAlignment != 0)
      return "a stride is " + std::to_string(stride) +
             " bytes, and tensor maps take multiples of 16 from 16 to 2^40";
  }
  return "";
}

int64_t TensorMapEvaluator::Input::read(const void *from) const {
  uint64_t bits = 0;
  switch (bytes) { // constant sizes become plain loads
  case 1:
    std::memcpy(&bits, from, 1);
    break;
  case 2:
    std::memcpy(&bits, from, 2);
    break;
  case 4:
    std::memcpy(&bits, from, 4);
    break;
  default:
    std::memcpy(&bits, from, 8);
  }
  unsigned unused = 64 - 8 * bytes;
  return isSigned ? int64_t(bits << unused) >> unused : int64_t(bits);
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
  RecipeReader(const json::Object &object, llvm::ArrayRef<const KernelArgument *> passed)
      : object(object), passed(passed) {}

  std::string problem = {};

  uint32_t argument(llvm::StringRef name) {
    for (auto [index, each] : llvm::enumerate(passed))
      if (json::fixUTF8(each->name) == name)
        return uint32_t(index);
    fail("names no argument: '" + name.str() + "'");
    return 0;
  }
  LaunchExpression expression(const json::Value &value) {
    LaunchExpression result;
    append(value, result);
    return result;
  }
  std::vector<LaunchExpression> expressions(llvm::StringRef field) {
    std::vector<LaunchExpression> result;
    for (const json::Value &value : list(field))
      result.push_back(expression(value));
    return result;
  }
  uint32_t number(const json::Value *value) {
    std::optional<int64_t> found = value ? value->getAsInteger() : std::nullopt;
    if (found && *found >= 0 && *found <= std::numeric_limits<uint32_t>::max())
      return uint32_t(*found);
    fail("lacks a number");
    return 0;
  }
  const json::Array &list(llvm::StringRef field) {
    static const json::Array nothing;
    const json::Array *found = object.getArray(field);
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
  /// parseJson limits how deep a value nests.
  void append(const json::Value &value, LaunchExpression &to) {
    if (std::optional<int64_t> number = value.getAsInteger())
      return to.terms.push_back({Kind::Number, *number});
    if (std::optional<llvm::StringRef> name = value.getAsString())
      return to.terms.push_back({Kind::Argument, argument(*name)});
    const json::Array *parts = value.getAsArray();
    std::optional<llvm::StringRef> spelling;
    if (parts && !parts->empty())
      spelling = parts->front().getAsString();
    std::optional<Kind> kind = spelling ? parseOperation(*spelling) : std::nullopt;
    if (!kind || parts->size() != 1 + operandCount(*kind))
      return fail("has an expression that is none");
    for (const json::Value &operand : llvm::drop_begin(*parts))
      append(operand, to);
    to.terms.push_back({*kind, 0});
  }

  const json::Object &object;
  llvm::ArrayRef<const KernelArgument *> passed;
};
} // namespace

llvm::Expected<TensorMapRecipe> parseTensorMapRecipe(const json::Value &value,
                                                     const KernelRecord &record) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return makeError("holds something that is not an object");
  std::vector<const KernelArgument *> passed = record.passedArguments();
  RecipeReader reader(*object, passed);
  TensorMapRecipe recipe;
  recipe.base = reader.argument(reader.text("base"));
  const json::Value *offset = object->get("offset");
  recipe.offset = offset ? reader.expression(*offset) : LaunchExpression::number(0);
  recipe.type = reader.text("type");
  recipe.extents = reader.expressions("extents");
  recipe.strides = reader.expressions("strides");
  for (const json::Value &extent : reader.list("box"))
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
