//===- TensorMapSource.cpp - C code that builds tensor maps ---------------===//
// The function keeps the arguments and the maps of the calling thread's last launch, and encodes
// only where an argument has changed.
//===----------------------------------------------------------------------===//
#include "TensorMapSource.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "../GPU/TensorMaps.h"

using namespace tessera;
using Kind = LaunchExpression::Kind;

/// The helper of an operation (TensorMapRuntime.c).
static llvm::StringRef helperOf(Kind kind) {
  switch (kind) {
  case Kind::Argument:
  case Kind::Number:
    return "";
  case Kind::Add:
    return "add";
  case Kind::Subtract:
    return "subtract";
  case Kind::Multiply:
    return "multiply";
  case Kind::Divide:
    return "divide";
  case Kind::FloorDivide:
    return "floor_divide";
  case Kind::CeilDivide:
    return "ceil_divide";
  case Kind::Remainder:
    return "remainder";
  case Kind::Min:
    return "min";
  case Kind::Max:
    return "max";
  case Kind::Narrow:
    return "narrow";
  case Kind::Unsigned:
    return "unsigned";
  }
  return "";
}

/// The expression in C; arguments are the elements of `in`.
static std::string inC(const LaunchExpression &expression) {
  std::vector<std::string> stack;
  for (const LaunchExpression::Term &term : expression.terms) {
    if (term.kind == Kind::Argument) {
      stack.push_back(llvm::formatv("in[{0}]", term.value));
    } else if (term.kind == Kind::Number) {
      // C has no literal for the least number.
      stack.push_back(term.value == INT64_MIN ? "INT64_MIN"
                                              : llvm::formatv("INT64_C({0})", term.value).str());
    } else {
      std::string text = llvm::formatv("tessera_rt_{0}(&bad", helperOf(term.kind));
      size_t first = stack.size() - operandCount(term.kind);
      for (size_t i = first; i < stack.size(); ++i)
        text += ", " + stack[i];
      stack.resize(first);
      stack.push_back(text + ")");
    }
  }
  return stack.front();
}

static std::string listInC(llvm::ArrayRef<LaunchExpression> expressions) {
  std::vector<std::string> parts;
  for (const LaunchExpression &expression : expressions)
    parts.push_back("(uint64_t)" + inC(expression));
  return parts.empty() ? "0" : llvm::join(parts, ", ");
}

static std::string writeMap(const TensorMapRecipe &recipe, size_t number) {
  std::string box = llvm::join(
      llvm::map_range(recipe.box, [](uint32_t extent) { return std::to_string(extent); }), ", ");
  TensorMapCodes codes = gpu::codesOf(recipe);
  return llvm::formatv(R"(  {{
    const uint64_t address = (uint64_t)in[{0}] + (uint64_t){1};
    const uint64_t extents[] = {{{2}};
    const uint64_t strides[] = {{{3}};
    static const uint32_t box[] = {{{4}};
    fits = fits && tessera_rt_encode(&maps[{5}], bad, {6}, {7}, address, extents, strides, box, {8}, {9}, {10});
  }
)",
                       recipe.base, inC(recipe.offset), listInC(recipe.extents),
                       listInC(recipe.strides), box, number, codes.type, recipe.rank(),
                       codes.swizzle, codes.promotion, codes.fill);
}

llvm::Expected<std::string> aot::writeTensorMapFunction(const KernelRecord &record,
                                                        llvm::StringRef name) {
  llvm::Expected<TensorMapEvaluator> plan = TensorMapEvaluator::create(record);
  if (!plan)
    return plan.takeError();
  std::string text = llvm::formatv(R"(
static int {0}(void *const *args, struct tessera_rt_map *maps) {{
  static __thread struct {{
    int known; /* 1: the maps, 2: there are none */
    int64_t in[{1}];
    struct tessera_rt_map maps[{2}];
  } last;
  int64_t in[{1}];
  int bad = 0, fits = 1;
)",
                                   name, plan->inputCount(), plan->size());
  for (auto [number, input] : llvm::enumerate(plan->listInputs()))
    text += llvm::formatv("  in[{0}] = tessera_rt_read(args[{1}], {2}, {3});\n", number,
                          input.argument, unsigned(input.bytes), unsigned(input.isSigned));
  text += R"(  if (last.known && memcmp(last.in, in, sizeof in) == 0) {
    memcpy(maps, last.maps, sizeof last.maps);
    return last.known == 1;
  }
)";
  for (size_t map = 0; map < plan->size(); ++map)
    text += writeMap(plan->recipe(map), map);
  return text + R"(  memcpy(last.in, in, sizeof in);
  memcpy(last.maps, maps, sizeof last.maps);
  last.known = fits ? 1 : 2;
  return fits;
}
)";
}
