//===- Types.cpp - the types a kernel's author sees -----------------------===//
// One table gives each scalar its names and width; everything else is derived.
//===----------------------------------------------------------------------===//
#include "tessera/SourceToTTIR/Types.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tessera;

namespace {
struct ScalarRow {
  DType::Kind kind;
  llvm::StringLiteral name;
  llvm::StringLiteral languageName;
  unsigned bits;
};
} // namespace

static constexpr ScalarRow kScalars[] = {
    {DType::Void, "void", "void", 0},
    {DType::Int1, "u1", "int1", 1},
    {DType::Int8, "i8", "int8", 8},
    {DType::Int16, "i16", "int16", 16},
    {DType::Int32, "i32", "int32", 32},
    {DType::Int64, "i64", "int64", 64},
    {DType::UInt8, "u8", "uint8", 8},
    {DType::UInt16, "u16", "uint16", 16},
    {DType::UInt32, "u32", "uint32", 32},
    {DType::UInt64, "u64", "uint64", 64},
    {DType::FP8E5, "fp8e5", "float8e5", 8},
    {DType::FP8E4NV, "fp8e4nv", "float8e4nv", 8},
    {DType::FP8E4B15, "fp8e4b15", "float8e4b15", 8},
    {DType::FP8E4B8, "fp8e4b8", "float8e4b8", 8},
    {DType::FP8E5B16, "fp8e5b16", "float8e5b16", 8},
    {DType::FP16, "fp16", "float16", 16},
    {DType::BF16, "bf16", "bfloat16", 16},
    {DType::FP32, "fp32", "float32", 32},
    {DType::FP64, "fp64", "float64", 64},
};

static const ScalarRow &row(DType::Kind kind) { return kScalars[kind]; }

llvm::StringRef DType::name() const { return row(kind).name; }
llvm::StringRef DType::languageName() const { return row(kind).languageName; }
unsigned DType::bits() const { return row(kind).bits; }

mlir::Type DType::toIR(mlir::MLIRContext *context) const {
  switch (kind) {
  case Void:
    return mlir::NoneType::get(context);
  case FP8E5:
    return mlir::Float8E5M2Type::get(context);
  case FP8E4NV:
    return mlir::Float8E4M3FNType::get(context);
  case FP8E4B15: // carried as bytes; conversions are ours (spec ir.md 1.1)
    return mlir::IntegerType::get(context, 8);
  case FP8E4B8:
    return mlir::Float8E4M3FNUZType::get(context);
  case FP8E5B16:
    return mlir::Float8E5M2FNUZType::get(context);
  case FP16:
    return mlir::Float16Type::get(context);
  case BF16:
    return mlir::BFloat16Type::get(context);
  case FP32:
    return mlir::Float32Type::get(context);
  case FP64:
    return mlir::Float64Type::get(context);
  default:
    return mlir::IntegerType::get(context, bits());
  }
}

std::optional<DType> DType::parse(llvm::StringRef text) {
  if (text == "i1" || text == "B")
    return DType(Int1);
  for (const ScalarRow &scalar : kScalars)
    if (scalar.kind != Void && (text == scalar.name || text == scalar.languageName))
      return DType(scalar.kind);
  return std::nullopt;
}

DType DType::integer(unsigned bits, bool isSigned) {
  for (const ScalarRow &scalar : kScalars) {
    DType type(scalar.kind);
    if (type.isInt() && type.bits() == bits && (bits == 1 || type.isSigned() == isSigned))
      return type;
  }
  return DType(Int64);
}

llvm::ArrayRef<DType::Kind> DType::all() {
  static constexpr Kind kinds[] = {Int1,    Int8,     Int16,  Int32, Int64,   UInt8,
                                   UInt16,  UInt32,   UInt64, FP8E5, FP8E4NV, FP8E4B15,
                                   FP8E4B8, FP8E5B16, FP16,   BF16,  FP32,    FP64};
  return kinds;
}

int64_t KernelType::numElements() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

KernelType KernelType::withShape(llvm::ArrayRef<int64_t> newShape) const {
  KernelType type = *this;
  type.shape.assign(newShape.begin(), newShape.end());
  return type;
}

KernelType KernelType::withScalar(DType element) const {
  KernelType type;
  type.scalar = element;
  type.shape = shape;
  return type;
}

KernelType KernelType::pointee() const {
  KernelType type = *this;
  type.pointerDepth -= 1;
  type.pointsToConst = false;
  if (isBlockPointer())
    std::swap(type.shape, type.pointeeShape);
  return type;
}

mlir::Type KernelType::toIR(mlir::MLIRContext *context) const {
  mlir::Type type = scalar.toIR(context);
  if (isBlockPointer())
    type = mlir::RankedTensorType::get(pointeeShape, type);
  for (unsigned depth = 0; depth < pointerDepth; ++depth)
    type = tt::PointerType::get(type, /*addressSpace=*/1);
  return isBlock() ? mlir::RankedTensorType::get(shape, type) : type;
}

static std::string bracketed(llvm::ArrayRef<int64_t> shape) {
  return "[" +
         llvm::join(llvm::map_range(shape, [](int64_t n) { return std::to_string(n); }), ", ") +
         "]";
}

std::string KernelType::str() const {
  if (isBlockPointer())
    return "*(" + pointee().str() + ")";
  std::string text(pointerDepth, '*');
  if (pointsToConst)
    text += 'k';
  text += scalar.name();
  if (isBlock())
    text += bracketed(shape);
  return text;
}

std::optional<KernelType> KernelType::parse(llvm::StringRef text) {
  KernelType type;
  while (text.consume_front("*"))
    ++type.pointerDepth;
  if (type.pointerDepth > 8)
    return std::nullopt;
  if (type.pointerDepth)
    type.pointsToConst = text.consume_front("k");
  std::optional<DType> scalar = DType::parse(text);
  if (!scalar)
    return std::nullopt;
  type.scalar = *scalar;
  return type;
}
