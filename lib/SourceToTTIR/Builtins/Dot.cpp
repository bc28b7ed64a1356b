//===- Dot.cpp - tl.dot and tl.dot_scaled ---------------------------------===//
// Products of matrices, or of batches of them: [.., M, K] x [.., K, N], added to
// an accumulator. What the operands decide (docs/language.md#matrix-products):
//
//   operands        result
//   int8            i32
//   bf16, fp32      fp32
//   fp64            fp64
//   fp16, fp8       out_dtype: fp32 or fp16
//
// The accumulator's type is out_dtype, whatever the operands are. Precisions and
// the least inner size are the target's (LanguageTarget).
//===----------------------------------------------------------------------===//
#include "Builtins.h"
#include "tessera/Kernel/LanguageTarget.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "../Operators/Semantics.h"

using namespace tessera;
using Shape = llvm::SmallVector<int64_t, 4>;

static std::string text(llvm::ArrayRef<int64_t> shape) {
  return "[" +
         llvm::join(llvm::map_range(shape, [](int64_t n) { return std::to_string(n); }), ", ") +
         "]";
}

static FailureOr<Tensor> matrixArgument(Emitter &emit, llvm::StringRef function,
                                        llvm::StringRef parameter, const Value &value) {
  const Tensor *tensor = value.get<Tensor>();
  if (!tensor || tensor->type.isPointer() || tensor->type.shape.size() < 2)
    return emit.error(function + " multiplies blocks of at least two axes; '" + parameter +
                      "' is " + value.describe());
  return *tensor;
}

static FailureOr<DType> outputType(Emitter &emit, const Value &value) {
  const TypeObject *object = value.get<TypeObject>();
  if (!object || object->type.isPointer() || object->type.isBlock())
    return emit.error("out_dtype is a dtype such as tl.float32, not " + value.describe());
  return object->type.scalar;
}

/// The start of the sum: `acc`, or zeros of the result's type.
static FailureOr<Tensor> accumulator(Emitter &emit, llvm::StringRef function, const Value &value,
                                     const KernelType &result, DType outType) {
  if (value.isNone()) {
    FailureOr<Tensor> zero = constantOfType(emit, Value(PythonInt(0)), result.scalar);
    return failed(zero) ? zero : broadcastTo(emit, *zero, result.shape);
  }
  const Tensor *acc = value.get<Tensor>();
  if (!acc || acc->type.isPointer())
    return emit.error("the accumulator of " + function + " is a block, not " + value.describe());
  if (acc->type.shape != result.shape)
    return emit.error("the product has shape " + text(result.shape) + " and the accumulator " +
                      acc->type.str());
  if (acc->type.scalar != outType)
    return emit.error("the accumulator is " + acc->type.str() + " and out_dtype " + outType.name() +
                      "; " +
                      (acc->type.scalar == result.scalar
                           ? "pass out_dtype=tl." + acc->type.scalar.languageName().str()
                           : "convert the accumulator to " + result.scalar.name().str()));
  if (acc->type.scalar != result.scalar)
    return emit.error("these operands are summed in " + result.scalar.name() +
                      ", and the accumulator is " + acc->type.str());
  return *acc;
}

//===----------------------------------------------------------------------===//
// dot
//===----------------------------------------------------------------------===//

namespace {
struct DotOperands {
  Tensor lhs, rhs;
};
} // namespace

static std::string describe(const DotOperands &operands) {
  return operands.lhs.type.str() + " and " + operands.rhs.type.str();
}

static LogicalResult checkDotShapes(Emitter &emit, const DotOperands &operands) {
  llvm::ArrayRef<int64_t> a = operands.lhs.type.shape, b = operands.rhs.type.shape;
  if (a.size() != b.size())
    return emit.error("tl.dot multiplies blocks of one rank, not " + describe(operands));
  if (a.drop_back(2) != b.drop_back(2))
    return emit.error("tl.dot batch sizes differ: " + text(a.drop_back(2)) + " and " +
                      text(b.drop_back(2)) + "; the operands are " + describe(operands));
  if (a.back() != b[b.size() - 2])
    return emit.error("tl.dot inner sizes differ: " + llvm::Twine(a.back()) + " and " +
                      llvm::Twine(b[b.size() - 2]) + "; the operands are " + describe(operands));
  DType element = operands.lhs.type.scalar;
  int64_t least = element.bits() == 8 ? emit.target->minDotInner8Bit : emit.target->minDotInner;
  if (a.back() < least)
    return emit.error("tl.dot of " + element.name() + " needs an inner size of at least " +
                      llvm::Twine(least) + ", not " + llvm::Twine(a.back()) +
                      "; the operands are " + describe(operands));
  return llvm::success();
}

static LogicalResult checkDotTypes(Emitter &emit, const DotOperands &operands) {
  DType a = operands.lhs.type.scalar, b = operands.rhs.type.scalar;
  if (a.isFP8() && b.isFP8())
    return llvm::success();
  for (DType type : {a, b})
    if (type != DType::Int8 && !type.isStandardFloat() && !type.isFP8())
      return emit.error("tl.dot takes i8, fp8, fp16, bf16, fp32 or fp64, not " + type.name() +
                        "; the operands are " + describe(operands));
  if (a != b)
    return emit.error("tl.dot takes operands of one type, not " + describe(operands) +
                      "; convert one with .to(...)");
  return llvm::success();
}

/// An fp8 that the target cannot multiply is multiplied in fp16.
static LogicalResult widenForeignFP8(Emitter &emit, DotOperands &operands) {
  auto isForeign = [&](DType type) {
    return type.isFP8() && (type == DType::FP8E4B15 ||
                            !llvm::is_contained(emit.target->fp8Types, DType::Kind(type)));
  };
  if (!isForeign(operands.lhs.type.scalar) && !isForeign(operands.rhs.type.scalar))
    return llvm::success();
  for (Tensor *operand : {&operands.lhs, &operands.rhs}) {
    FailureOr<Tensor> wide = castTo(emit, *operand, DType::FP16);
    if (failed(wide))
      return llvm::failure();
    *operand = *wide;
  }
  return llvm::success();
}

static FailureOr<DType> resultType(Emitter &emit, DType element, DType outType) {
  if (element.isInt())
    return DType(DType::Int32);
  if (outType == DType::BF16)
    return emit.error("tl.dot does not sum in bf16; leave out_dtype fp32 and convert the result "
                      "with .to(tl.bfloat16)");
  if (element == DType::FP32 || element == DType::BF16)
    return DType(DType::FP32);
  if (element == DType::FP64)
    return DType(DType::FP64);
  if (outType != DType::FP32 && outType != DType::FP16)
    return emit.error("tl.dot of " + element.name() + " sums in fp32 or fp16, not in out_dtype " +
                      outType.name());
  return outType;
}

/// `input_precision`, or what the deprecated `allow_tf32` means, or the target's default.
static FailureOr<tt::InputPrecision> inputPrecision(Emitter &emit, const Value &precision,
                                                    const Value &allowTF32) {
  llvm::ArrayRef<std::string> known = emit.target->dotPrecisions;
  if (!precision.isNone() && !allowTF32.isNone())
    return emit.error("tl.dot takes input_precision or the deprecated allow_tf32, not both");
  const std::string *word = precision.get<std::string>();
  std::string name = word ? llvm::StringRef(*word).lower() : "";
  if (precision.isNone()) {
    bool isChosen = !allowTF32.isNone();
    name = !isChosen                                                  ? known.front()
           : isTruthy(allowTF32) && llvm::is_contained(known, "tf32") ? "tf32"
                                                                      : "ieee";
  }
  std::optional<tt::InputPrecision> symbol = tt::symbolizeInputPrecision(name);
  if (symbol && llvm::is_contained(known, name))
    return *symbol;
  std::string names = llvm::join(
      llvm::map_range(known, [](const std::string &each) { return "\"" + each + "\""; }), ", ");
  if (symbol && !precision.isNone()) // other targets have it
    return emit.unsupportedAt(emit.range, "input_precision \"" + name +
                                              "\" on this target; use one of " + names);
  return emit.error("input_precision is one of " + names + ", not " +
                    (precision.isNone() ? "\"" + name + "\"" : precision.describe()));
}

/// How many products of fp8 may be summed at low precision before they go to fp32.
static FailureOr<int32_t> impreciseSums(Emitter &emit, const Value &value,
                                        const DotOperands &operands) {
  bool isFP8 = operands.lhs.type.scalar.isFP8() && operands.rhs.type.scalar.isFP8();
  if (value.isNone())
    return isFP8 ? static_cast<int32_t>(emit.target->maxImpreciseAccumulations) : 0;
  std::optional<PythonInt> count = value.asInt();
  if (!count || count->isNegative() || !count->fitsSigned(32))
    return emit.error("max_num_imprecise_acc is a compile-time int from 0 to 2147483647, not " +
                      value.describe());
  int64_t inner = operands.lhs.type.shape.back();
  if (isFP8 && count->toInt64() > inner)
    return emit.error("max_num_imprecise_acc is at most the inner size, " + llvm::Twine(inner) +
                      ", not " + count->str());
  return static_cast<int32_t>(count->toInt64());
}

/// Batches of batches are one longer batch: [A, B, M, K] is [A * B, M, K].
static Tensor flattenBatch(Emitter &emit, const Tensor &value) {
  llvm::ArrayRef<int64_t> shape = value.type.shape;
  if (shape.size() <= 3)
    return value;
  int64_t batch = 1;
  for (int64_t extent : shape.drop_back(2))
    batch *= extent;
  Shape flat{batch, shape[shape.size() - 2], shape.back()};
  auto reshaped = tt::ReshapeOp::create(emit.builder, emit.location(), flat, value.handle);
  return Tensor{reshaped, value.type.withShape(flat)};
}

static FailureOr<Value> dot(Emitter &emit, BoundArguments args) {
  FailureOr<Tensor> lhs = matrixArgument(emit, "tl.dot", "input", args[0]);
  FailureOr<Tensor> rhs = failed(lhs) ? lhs : matrixArgument(emit, "tl.dot", "other", args[1]);
  if (failed(rhs))
    return llvm::failure();
  DotOperands operands{*lhs, *rhs};
  if (failed(checkDotTypes(emit, operands)) || failed(widenForeignFP8(emit, operands)) ||
      failed(checkDotShapes(emit, operands)))
    return llvm::failure();
  FailureOr<DType> outType = outputType(emit, args[6]);
  FailureOr<DType> scalar =
      failed(outType) ? outType : resultType(emit, operands.lhs.type.scalar, *outType);
  if (failed(scalar))
    return llvm::failure();
  KernelType result{*scalar};
  result.shape = operands.lhs.type.shape;
  result.shape.back() = operands.rhs.type.shape.back();
  if (failed(checkBlockShape(emit, result.shape)))
    return llvm::failure();
  FailureOr<tt::InputPrecision> precision = inputPrecision(emit, args[3], args[4]);
  if (failed(precision))
    return llvm::failure();
  FailureOr<int32_t> imprecise = impreciseSums(emit, args[5], operands);
  if (failed(imprecise))
    return llvm::failure();
  FailureOr<Tensor> acc = accumulator(emit, "tl.dot", args[2], result, *outType);
  if (failed(acc))
    return llvm::failure();
  Tensor a = flattenBatch(emit, operands.lhs), b = flattenBatch(emit, operands.rhs),
         c = flattenBatch(emit, *acc);
  mlir::Value product =
      tt::DotOp::create(emit.builder, emit.location(), c.handle.getType(), a.handle, b.handle,
                        c.handle, *precision, static_cast<uint32_t>(*imprecise));
  if (c.type.shape != result.shape)
    product = tt::ReshapeOp::create(emit.builder, emit.location(), result.shape, product);
  return Value(Tensor{product, result});
}

//===----------------------------------------------------------------------===//
// dot_scaled
//===----------------------------------------------------------------------===//

namespace {
/// An element format: how it is stored, and as what bits.
struct Format {
  llvm::StringLiteral name;
  tt::ScaleDotElemType element;
  DType::Kind type; // its own type; void for e2m1, which comes in pairs
  DType::Kind bits; // what it may come as instead
};

/// One side of a scaled product. Sizes count elements, not pairs.
struct ScaledOperand {
  Tensor value, scale; // the scale's handle may be null
  tt::ScaleDotElemType element;
  bool packedAlongK;
  int64_t inner, outer;
};
} // namespace

static constexpr Format kFormats[] = {
    {"e2m1", tt::ScaleDotElemType::E2M1, DType::Void, DType::UInt8},
    {"e4m3", tt::ScaleDotElemType::E4M3, DType::FP8E4NV, DType::UInt8},
    {"e5m2", tt::ScaleDotElemType::E5M2, DType::FP8E5, DType::UInt8},
    {"bf16", tt::ScaleDotElemType::BF16, DType::BF16, DType::UInt16},
    {"fp16", tt::ScaleDotElemType::FP16, DType::FP16, DType::UInt16},
};

static FailureOr<Format> formatArgument(Emitter &emit, llvm::StringRef side, const Value &value) {
  const std::string *name = value.get<std::string>();
  for (const Format &format : kFormats)
    if (name && *name == format.name)
      return format;
  return emit.error(side +
                    "_format is one of \"e2m1\", \"e4m3\", \"e5m2\", \"bf16\", \"fp16\", "
                    "not " +
                    value.describe());
}

/// The operand in its format's type: bits are reinterpreted, pairs stay bytes.
static FailureOr<Tensor> inFormat(Emitter &emit, llvm::StringRef side, Tensor value,
                                  const Format &format) {
  DType type = value.type.scalar, own = format.type;
  if (type == own || (own == DType::Void && type == format.bits))
    return value;
  if (type != format.bits)
    return emit.error("'" + side + "' in format " + format.name + " is made of " +
                      (own == DType::Void ? "" : own.name().str() + " or ") +
                      DType(format.bits).name() + ", not of " + value.type.str());
  if (failed(checkTypeExists(emit, own)))
    return llvm::failure();
  return bitcastTo(emit, value, value.type.withScalar(own));
}

/// One scale for each group along K: e8m0 in bytes, or fp8e4nv.
static FailureOr<Tensor> scaleArgument(Emitter &emit, llvm::StringRef side, const Value &value,
                                       const ScaledOperand &operand) {
  if (value.isNone())
    return Tensor{};
  const Tensor *scale = value.get<Tensor>();
  DType type = scale && !scale->type.isPointer() ? scale->type.scalar : DType(DType::Void);
  if (type != DType::UInt8 && type != DType::Int8 && type != DType::FP8E4NV)
    return emit.error(side + "_scale is a block of u8 (exponents) or fp8e4nv, or None, not " +
                      value.describe());
  int64_t group = type == DType::FP8E4NV ? 16 : 32;
  Shape expected(operand.value.type.shape);
  expected[expected.size() - 2] = operand.outer;
  expected.back() = operand.inner / group;
  if (scale->type.shape != expected)
    return emit.error(side + "_scale has one scale for each " + llvm::Twine(group) + " of the " +
                      llvm::Twine(operand.inner) + " elements along K: shape " + text(expected) +
                      ", not " + text(scale->type.shape));
  return *scale;
}

/// `side` is "lhs", whose K is the last axis, or "rhs", whose K is the one before.
static FailureOr<ScaledOperand> scaledOperand(Emitter &emit, llvm::StringRef side,
                                              const Value &value, const Value &formatName,
                                              const Value &packed) {
  FailureOr<Tensor> matrix = matrixArgument(emit, "tl.dot_scaled", side, value);
  if (failed(matrix))
    return llvm::failure();
  if (matrix->type.shape.size() > 3)
    return emit.error("tl.dot_scaled multiplies blocks of two or three axes; '" + side + "' is " +
                      matrix->type.str());
  FailureOr<Format> format = formatArgument(emit, side, formatName);
  if (failed(format))
    return llvm::failure();
  matrix = inFormat(emit, side, *matrix, *format);
  if (failed(matrix))
    return llvm::failure();
  bool arePairs = format->element == tt::ScaleDotElemType::E2M1;
  bool packedAlongK = isTruthy(packed);
  if (!packedAlongK && !arePairs)
    return emit.error(side + "_k_pack=False is for \"e2m1\", which comes in pairs; '" + side +
                      "' is " + format->name);
  llvm::ArrayRef<int64_t> shape = matrix->type.shape;
  int64_t last = shape.back(), first = shape[shape.size() - 2];
  ScaledOperand operand{*matrix, {}, format->element, packedAlongK, last, first};
  if (side == "rhs")
    std::swap(operand.inner, operand.outer);
  if (arePairs)
    (packedAlongK ? operand.inner : operand.outer) *= 2;
  return operand;
}

static LogicalResult checkScaledShapes(Emitter &emit, const ScaledOperand &lhs,
                                       const ScaledOperand &rhs) {
  llvm::ArrayRef<int64_t> a = lhs.value.type.shape, b = rhs.value.type.shape;
  std::string both = lhs.value.type.str() + " and " + rhs.value.type.str();
  if (a.size() != b.size())
    return emit.error("tl.dot_scaled multiplies blocks of one rank, not " + both);
  if (a.drop_back(2) != b.drop_back(2))
    return emit.error("tl.dot_scaled batch sizes differ: " + llvm::Twine(a.front()) + " and " +
                      llvm::Twine(b.front()) + "; the operands are " + both);
  if (lhs.inner != rhs.inner)
    return emit.error("tl.dot_scaled inner sizes differ: " + llvm::Twine(lhs.inner) + " and " +
                      llvm::Twine(rhs.inner) + " elements; the operands are " + both);
  return llvm::success();
}

static FailureOr<Value> dotScaled(Emitter &emit, BoundArguments args) {
  FailureOr<ScaledOperand> lhs = scaledOperand(emit, "lhs", args[0], args[2], args[8]);
  if (failed(lhs))
    return llvm::failure();
  FailureOr<ScaledOperand> rhs = scaledOperand(emit, "rhs", args[3], args[5], args[9]);
  if (failed(rhs) || failed(checkScaledShapes(emit, *lhs, *rhs)))
    return llvm::failure();
  FailureOr<Tensor> lhsScale = scaleArgument(emit, "lhs", args[1], *lhs);
  FailureOr<Tensor> rhsScale =
      failed(lhsScale) ? lhsScale : scaleArgument(emit, "rhs", args[4], *rhs);
  if (failed(rhsScale))
    return llvm::failure();
  FailureOr<DType> outType = outputType(emit, args[10]);
  if (failed(outType))
    return llvm::failure();
  if (*outType != DType::FP32)
    return emit.error("tl.dot_scaled sums in fp32, not in out_dtype " + outType->name());
  KernelType result{DType::FP32};
  result.shape = lhs->value.type.shape;
  result.shape[result.shape.size() - 2] = lhs->outer;
  result.shape.back() = rhs->outer;
  if (failed(checkBlockShape(emit, result.shape)))
    return llvm::failure();
  FailureOr<Tensor> acc = accumulator(emit, "tl.dot_scaled", args[6], result, *outType);
  if (failed(acc))
    return llvm::failure();
  auto product = tt::DotScaledOp::create(
      emit.builder, emit.location(), acc->handle.getType(), lhs->value.handle, rhs->value.handle,
      acc->handle, lhsScale->handle, rhsScale->handle, lhs->element, rhs->element,
      isTruthy(args[7]), lhs->packedAlongK, rhs->packedAlongK);
  return Value(Tensor{product, result});
}

static constexpr Parameter kDot[] = {{"input"},
                                     {"other"},
                                     {"acc", Default::None},
                                     {"input_precision", Default::None},
                                     {"allow_tf32", Default::None},
                                     {"max_num_imprecise_acc", Default::None},
                                     {"out_dtype", Default::Float32}};
static constexpr Parameter kDotScaled[] = {{"lhs"},
                                           {"lhs_scale"},
                                           {"lhs_format"},
                                           {"rhs"},
                                           {"rhs_scale"},
                                           {"rhs_format"},
                                           {"acc", Default::None},
                                           {"fast_math", Default::False},
                                           {"lhs_k_pack", Default::True},
                                           {"rhs_k_pack", Default::True},
                                           {"out_dtype", Default::Float32}};

llvm::ArrayRef<Builtin> tessera::dotBuiltins() {
  static constexpr Builtin rows[] = {
      {"triton.language.dot", kDot, dot},
      {"triton.language.dot_scaled", kDotScaled, dotScaled},
  };
  return rows;
}
