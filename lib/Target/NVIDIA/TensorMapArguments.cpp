//===- TensorMapArguments.cpp - tensor maps as arguments of a kernel ------===//
// Recipes to attributes and back.
//===----------------------------------------------------------------------===//
#include "tessera/Target/NVIDIA/TensorMapArguments.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTIR/IR/DescriptorParts.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvidia;
using Kind = LaunchExpression::Kind;

static constexpr llvm::StringLiteral kBase = "base", kOffset = "offset", kExtents = "extents",
                                     kStrides = "strides", kFill = "fill", kArgument = "arg";

//===----------------------------------------------------------------------===//
// What follows from the type
//===----------------------------------------------------------------------===//

std::optional<TensorCopyPlan> nvidia::planDescriptorCopy(RankedTensorType block) {
  unsigned bits = block.getElementTypeBitWidth();
  if (!block.getEncoding() || bits % 8 != 0 || block.getRank() > kMaxTensorMapRank)
    return std::nullopt;
  std::optional<unsigned> swizzle;
  if (auto encoding = dyn_cast<ttg::NvmmaSharedEncodingAttr>(block.getEncoding()))
    swizzle = encoding.getSwizzlingByteWidth();
  return planTensorCopy(ttg::toLinearLayout(block.getEncoding(), block.getShape()), bits / 8,
                        swizzle);
}

/// The type of a map's elements; empty if there is none. Floats of 8 bits are copied as integers.
static std::string mapTypeOf(Type element) {
  if (element.isF16() || element.isBF16() || element.isF32() || element.isF64())
    return element.isBF16() ? "bf16" : "f" + std::to_string(element.getIntOrFloatBitWidth());
  unsigned bits = element.getIntOrFloatBitWidth();
  bool isSigned = !element.isUnsignedInteger() && bits >= 32; // smaller ones are only copied
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
    return "";
  return (isSigned ? "s" : "u") + std::to_string(bits);
}

bool nvidia::setBoxOf(tt::TensorDescType type, TensorMapRecipe &recipe) {
  std::optional<TensorCopyPlan> plan = planDescriptorCopy(type.getSignlessBlockType());
  recipe.type = mapTypeOf(type.getBlockType().getElementType());
  // CUDA driver API, cuTensorMapEncodeTiled: only floats are filled with NaN.
  bool isFloat = StringRef(recipe.type).contains('f');
  if (!plan || recipe.type.empty() || (recipe.fillsWithNaN && !isFloat))
    return false;
  recipe.box.assign(plan->box.rbegin(), plan->box.rend());
  recipe.swizzle = plan->swizzle;
  return true;
}

//===----------------------------------------------------------------------===//
// To attributes
//===----------------------------------------------------------------------===//

static Attribute toAttribute(const LaunchExpression &expression, Builder &b) {
  SmallVector<Attribute> stack;
  for (const LaunchExpression::Term &term : expression.terms) {
    if (term.kind == Kind::Number) {
      stack.push_back(b.getI64IntegerAttr(term.value));
    } else if (term.kind == Kind::Argument) {
      stack.push_back(b.getStringAttr(kArgument + Twine(term.value)));
    } else {
      SmallVector<Attribute> list{b.getStringAttr(spellingOf(term.kind))};
      list.append(stack.end() - operandCount(term.kind), stack.end());
      stack.pop_back_n(operandCount(term.kind));
      stack.push_back(b.getArrayAttr(list));
    }
  }
  return stack.front();
}

DictionaryAttr nvidia::toAttribute(const TensorMapRecipe &recipe, MLIRContext *context) {
  Builder b(context);
  auto listOf = [&](ArrayRef<LaunchExpression> expressions) {
    SmallVector<Attribute> list;
    for (const LaunchExpression &each : expressions)
      list.push_back(::toAttribute(each, b));
    return b.getArrayAttr(list);
  };
  SmallVector<NamedAttribute> fields{
      b.getNamedAttr(kBase, b.getStringAttr(kArgument + Twine(recipe.base))),
      b.getNamedAttr(kExtents, listOf(recipe.extents)),
      b.getNamedAttr(kStrides, listOf(recipe.strides)),
      b.getNamedAttr(kFill, b.getStringAttr(recipe.fillsWithNaN ? "nan" : "zero"))};
  if (recipe.offset.constant() != 0)
    fields.push_back(b.getNamedAttr(kOffset, ::toAttribute(recipe.offset, b)));
  return b.getDictionaryAttr(fields);
}

//===----------------------------------------------------------------------===//
// From attributes
//===----------------------------------------------------------------------===//

/// Nests at most as deep as MLIR's parser lets an attribute.
static bool append(Attribute attribute, LaunchExpression &to) {
  if (auto number = dyn_cast_or_null<IntegerAttr>(attribute)) {
    to.terms.push_back({Kind::Number, number.getValue().getSExtValue()});
    return number.getType().isSignlessInteger(64);
  }
  if (auto name = dyn_cast_or_null<StringAttr>(attribute)) {
    StringRef text = name.getValue();
    unsigned index = 0;
    if (!text.consume_front(kArgument) || text.getAsInteger(10, index))
      return false;
    to.terms.push_back({Kind::Argument, index});
    return true;
  }
  auto list = dyn_cast_or_null<ArrayAttr>(attribute);
  auto spelling = list && !list.empty() ? dyn_cast<StringAttr>(list[0]) : StringAttr();
  std::optional<Kind> kind = spelling ? parseOperation(spelling.getValue()) : std::nullopt;
  if (!kind || list.size() != 1 + operandCount(*kind))
    return false;
  for (Attribute operand : llvm::drop_begin(list))
    if (!append(operand, to))
      return false;
  to.terms.push_back({*kind, 0});
  return true;
}

static bool appendAll(Attribute attribute, std::vector<LaunchExpression> &to) {
  auto list = dyn_cast_or_null<ArrayAttr>(attribute);
  return list &&
         llvm::all_of(list, [&](Attribute each) { return append(each, to.emplace_back()); });
}

/// Reads the recipe of one argument; false if it is malformed. `visible` arguments come before it.
static bool read(DictionaryAttr fields, tt::TensorDescType type, size_t visible,
                 TensorMapRecipe &recipe) {
  LaunchExpression base;
  auto fill = fields.getAs<StringAttr>(kFill);
  Attribute offset = fields.get(kOffset);
  if (!append(fields.get(kBase), base) || base.terms.front().kind != Kind::Argument ||
      base.terms.size() != 1 || !appendAll(fields.get(kExtents), recipe.extents) ||
      !appendAll(fields.get(kStrides), recipe.strides))
    return false;
  recipe.base = uint32_t(base.terms.front().value);
  recipe.offset = LaunchExpression::number(0);
  if (offset && (recipe.offset.terms.clear(), !append(offset, recipe.offset)))
    return false;
  recipe.fillsWithNaN = fill && fill.getValue() == "nan";
  return fill && setBoxOf(type, recipe) && recipe.whyInvalid(visible).empty();
}

FailureOr<std::vector<TensorMapRecipe>> nvidia::readTensorMaps(tt::FuncOp kernel) {
  std::vector<TensorMapRecipe> recipes;
  size_t visible = 0;
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    Attribute attribute = kernel.getArgAttr(index, tt::kTensorMapRecipeAttr);
    if (!attribute && recipes.empty()) {
      ++visible;
      continue;
    }
    auto fields = dyn_cast_or_null<DictionaryAttr>(attribute);
    auto descriptor = dyn_cast<tt::TensorDescType>(type);
    if (!attribute || !fields || !descriptor ||
        !read(fields, descriptor, visible, recipes.emplace_back()))
      return kernel.emitError() << "argument " << index << " of kernel '" << kernel.getName()
                                << "' has no recipe for a tensor map: " << attribute;
  }
  return recipes;
}
