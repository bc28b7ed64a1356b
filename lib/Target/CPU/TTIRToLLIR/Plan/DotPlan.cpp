//===- DotPlan.cpp - how a product of two matrices is computed ------------===//
// See DotPlan.h. The sizes were measured on an Ice Lake server (2 x 512-bit
// FMA, latency 4), f32, one core, in per cent of the FMA units' peak:
//
//   block of C          64x64x32   128x128x64   128x256x128
//   8 rows x 2 vectors      85          80           83      10 loads / 16 FMA
//   4 rows x 4 vectors      95          95           95       8 loads / 16 FMA
//
// B is read in place if consecutive rows of a block are at most 512 bytes apart. Otherwise they map
// to too few sets of the L1 cache (82 against 92 at 128x256x128), and copying B costs 1 / (2 M) of
// the multiplications.
//===----------------------------------------------------------------------===//
#include "DotPlan.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/bit.h"
#include <algorithm>

using namespace mlir;
using namespace tessera;
using namespace tessera::cpu;

bool tessera::cpu::canPlanDot(Type a, Type b, Type result) {
  bool floats = isa<FloatType>(a) && isa<FloatType>(b) && isa<FloatType>(result);
  bool integers = a.isSignlessInteger() && b.isSignlessInteger() && result.isSignlessInteger();
  return floats || integers;
}

static unsigned widthOf(Type type) { return type.getIntOrFloatBitWidth(); }

static Type sumType(const DotProblem &problem) {
  MLIRContext *context = problem.result.getContext();
  if (!isa<FloatType>(problem.result))
    return IntegerType::get(context, widthOf(problem.result) > 32 ? 64 : 32);
  bool isDouble = problem.a.isF64() || problem.b.isF64() || problem.result.isF64();
  return isDouble ? Type(Float64Type::get(context)) : Type(Float32Type::get(context));
}

/// Chooses the arithmetic of the products. The instructions need whole vectors of 128 bits or more,
/// and a certain number of elements along K.
static DotArithmetic chooseArithmetic(const DotProblem &problem, Type sum, const CPUSpec &spec) {
  if (isa<FloatType>(sum))
    return DotArithmetic::Fused;
  if (!sum.isInteger(32) || problem.columns < 4)
    return DotArithmetic::Wrapped;
  if (problem.a.isInteger(8) && problem.b.isInteger(8) && spec.byteDot && problem.inner >= 4)
    return DotArithmetic::Bytes;
  auto isWord = [](Type type) { return type.isInteger(8) || type.isInteger(16); };
  if (isWord(problem.a) && isWord(problem.b) && spec.wordDot && problem.inner >= 2)
    return DotArithmetic::Words;
  return DotArithmetic::Wrapped;
}

static void chooseParts(DotPlan &plan, const DotProblem &problem) {
  MLIRContext *context = plan.sum.getContext();
  plan.part = plan.sum;
  plan.group = 1;
  if (plan.arithmetic == DotArithmetic::Words) {
    plan.part = IntegerType::get(context, 16);
    plan.group = 2;
  } else if (plan.arithmetic == DotArithmetic::Bytes) {
    plan.part = IntegerType::get(context, 8);
    plan.group = 4;
  }
  plan.steps = problem.inner / plan.group;
  plan.convertA = problem.a != plan.part || plan.arithmetic == DotArithmetic::Bytes;
  plan.convertB = problem.b != plan.part;
  plan.columnMajorA = problem.columnMajorA && problem.rows > 1 && problem.inner > 1;
  plan.columnMajorB = problem.columnMajorB && problem.columns > 1 && problem.inner > 1;
}

/// Half of the registers hold sums. A block is wide rather than tall, because one load of A is used
/// for all vectors of its row.
static void chooseBlock(DotPlan &plan, const DotProblem &problem, const CPUSpec &spec) {
  int64_t sums = spec.vectorRegisters / 2;
  plan.lanes = std::min<int64_t>(problem.columns, spec.vectorBits / widthOf(plan.sum));
  int64_t vectors = problem.columns / plan.lanes;
  plan.vectors = std::min<int64_t>(vectors, spec.vectorRegisters / 8);
  plan.rows = std::min(problem.rows, sums / plan.vectors);
  plan.vectors = std::min(vectors, sums / plan.rows);
  // Two FMA units of latency 4.
  int64_t chains = std::max<int64_t>(1, 8 / (plan.rows * plan.vectors));
  plan.chains = std::min(plan.steps, chains);
  plan.unroll = std::min(plan.steps, std::max<int64_t>(2, plan.chains));
}

static void choosePanel(DotPlan &plan, const DotProblem &problem) {
  int64_t uses = problem.rows / plan.rows; // of each element of B
  bool mustPack = plan.group > 1 || plan.columnMajorB;
  bool isFar = problem.columns * plan.unitBytes() > 512;
  plan.packB = mustPack || (plan.convertB && uses > 1) || (isFar && uses >= 8);
  // A panel stays in the L1 cache. Sums in a narrower type than the result must not be rounded in
  // between, and a B that is read once needs no cache.
  plan.panelSteps = plan.steps;
  if (plan.sum == problem.result && (uses > 1 || plan.packB))
    plan.panelSteps = std::min<int64_t>(plan.steps, 128);
}

DotPlan tessera::cpu::planDot(const DotProblem &problem, const CPUSpec &spec) {
  DotPlan plan{};
  plan.sum = sumType(problem);
  plan.arithmetic = chooseArithmetic(problem, plan.sum, spec);
  chooseParts(plan, problem);
  chooseBlock(plan, problem, spec);
  choosePanel(plan, problem);
  return plan;
}

//===----------------------------------------------------------------------===//
// What is supported
//===----------------------------------------------------------------------===//

Type tessera::cpu::scaledElementType(MLIRContext *context, tt::ScaleDotElemType element) {
  switch (element) {
  case tt::ScaleDotElemType::E4M3:
    return Float8E4M3FNType::get(context);
  case tt::ScaleDotElemType::E5M2:
    return Float8E5M2Type::get(context);
  case tt::ScaleDotElemType::BF16:
    return BFloat16Type::get(context);
  case tt::ScaleDotElemType::FP16:
    return Float16Type::get(context);
  default:
    return {};
  }
}

/// Formats other than e2m1 are given as their own type or as integers of the same width.
static std::string explainOperand(StringRef side, Type element, tt::ScaleDotElemType format,
                                  Value scale) {
  Type type = scaledElementType(element.getContext(), format);
  std::string what;
  llvm::raw_string_ostream os(what);
  bool isPairs = format == tt::ScaleDotElemType::E2M1;
  if (!isPairs && !type)
    os << "the CPU target has no format '" << stringifyScaleDotElemType(format) << "'";
  else if (!isPairs && element != type && !element.isInteger(type.getIntOrFloatBitWidth()))
    os << side << " in format " << stringifyScaleDotElemType(format) << " is made of " << type
       << " or of integers as wide, not of " << element;
  if (!what.empty() || !scale)
    return what;
  Type scaleType = getElementTypeOrSelf(scale);
  if (!scaleType.isInteger(8) && !isa<Float8E4M3FNType>(scaleType))
    os << side << "'s scales are i8 or f8E4M3FN, not " << scaleType;
  return what;
}

std::string tessera::cpu::explainUnsupportedDot(Operation *op) {
  std::string what;
  llvm::raw_string_ostream os(what);
  if (auto dot = dyn_cast<tt::DotOp>(op)) {
    Type a = getElementTypeOrSelf(dot.getA()), b = getElementTypeOrSelf(dot.getB());
    Type d = getElementTypeOrSelf(dot.getD());
    if (!canPlanDot(a, b, d))
      os << "a product of " << a << " and " << b << " is not summed in " << d
         << "; convert the operands first";
  } else if (auto scaled = dyn_cast<tt::DotScaledOp>(op)) {
    os << explainOperand("a", getElementTypeOrSelf(scaled.getA()), scaled.getAElemType(),
                         scaled.getAScale());
    if (what.empty())
      os << explainOperand("b", getElementTypeOrSelf(scaled.getB()), scaled.getBElemType(),
                           scaled.getBScale());
  }
  return what;
}
