//===- Casts.cpp - conversions between kernel types -----------------------===//
// Python numbers become constants, tensors are converted element by element
// (docs/language.md, Casts). A -0.0 keeps its sign and a bf16 constant is
// rounded once; the reference loses both.
//===----------------------------------------------------------------------===//
#include "Promotion.h"
#include "Semantics.h"
#include "tessera/Kernel/LanguageTarget.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringExtras.h"

using namespace tessera;
namespace arith = mlir::arith;

static KernelType scalarType(DType type) {
  KernelType result;
  result.scalar = type;
  return result;
}

LogicalResult tessera::checkTypeExists(Emitter &emit, DType type) {
  if (!type.isFP8() || !emit.target || llvm::is_contained(emit.target->fp8Types, type))
    return llvm::success();
  auto names = llvm::map_range(emit.target->fp8Types, [](DType known) { return known.name(); });
  return emit.error("the target has no type " + type.name() + "; its 8-bit floats are " +
                    llvm::join(names, ", "));
}

FailureOr<Tensor> tessera::toTensor(Emitter &emit, const Value &value) {
  if (const Tensor *tensor = value.get<Tensor>())
    return *tensor;
  if (!value.isNumber())
    return emit.error("expected a number or a tensor, got " + value.describe());
  std::optional<DType> type = naturalType(value);
  if (!type)
    return emit.error(value.describe() + " does not fit in 64 bits");
  return constantOfType(emit, value, *type);
}

static Tensor emitIntConstant(Emitter &emit, const PythonInt &value, DType type) {
  mlir::Type irType = toIR(type, emit.context());
  auto attribute = mlir::IntegerAttr::get(irType, value.toAPInt(type.bits()));
  return Tensor{arith::ConstantOp::create(emit.builder, emit.constantLocation(), attribute),
                scalarType(type)};
}

static FailureOr<Tensor> intConstant(Emitter &emit, const Value &number, DType type) {
  std::optional<PythonInt> value = number.asInt();
  if (!value)
    return emit.error(number.describe() + " is not a constant of the integer type " + type.name() +
                      "; write an int, or convert with .to(...)");
  if (type.isUnsigned() && !type.isBool() && value->isNegative())
    return emit.error(number.describe() + " is negative and the operation computes in " +
                      type.name() + "; convert explicitly with .to(...)");
  bool fits = type.isSigned() ? value->fitsSigned(type.bits()) : value->fitsUnsigned(type.bits());
  if (type.isBool())
    value = PythonInt(value->isZero() ? 0 : 1);
  else if (!fits)
    return emit.error(number.describe() + " does not fit in " + type.name() +
                      ", the type the operation computes in");
  return emitIntConstant(emit, *value, type);
}

static FailureOr<Tensor> floatConstant(Emitter &emit, const Value &number, DType type) {
  if (failed(checkTypeExists(emit, type)))
    return llvm::failure();
  if (type == DType::FP8E4B15)
    return emitIntConstant(emit, PythonInt(encodeFp8e4b15(*number.asDouble())), type);
  mlir::Type irType = toIR(type, emit.context());
  llvm::APFloat value(*number.asDouble());
  bool losesInfo = false;
  value.convert(llvm::cast<mlir::FloatType>(irType).getFloatSemantics(),
                llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  auto attribute = mlir::FloatAttr::get(irType, value);
  return Tensor{arith::ConstantOp::create(emit.builder, emit.constantLocation(), attribute),
                scalarType(type)};
}

FailureOr<Tensor> tessera::constantOfType(Emitter &emit, const Value &number, DType type) {
  return type.isFloat() ? floatConstant(emit, number, type) : intConstant(emit, number, type);
}

FailureOr<Tensor> tessera::fillConstant(Emitter &emit, const Value &number, DType type) {
  if (type.isFloat())
    return floatConstant(emit, number, type);
  if (type.isBool() || *number.asDouble() == 0)
    return emitIntConstant(emit, PythonInt(isTruthy(number)), type);
  // An int keeps its low bits, if 64 hold it: 0xffffffff fills an int32 with -1.
  std::optional<PythonInt> value = number.asInt();
  if (value && (type.isSigned() ? value->fitsSigned(64) : value->fitsUnsigned(64)))
    return emitIntConstant(emit, *value, type);
  return intConstant(emit, number, type);
}

/// x != 0 in x's own type; true for NaN.
static FailureOr<Tensor> castToBool(Emitter &emit, const Tensor &value) {
  FailureOr<Tensor> zero = constantOfType(emit, Value(PythonInt(0)), value.type.scalar);
  if (failed(zero))
    return llvm::failure();
  zero = broadcastTo(emit, *zero, value.type.shape);
  if (failed(zero))
    return llvm::failure();
  KernelType type = value.type.withScalar(DType::Int1);
  mlir::Location loc = emit.location();
  if (value.type.scalar.isFloat())
    return Tensor{arith::CmpFOp::create(emit.builder, loc, arith::CmpFPredicate::UNE, value.handle,
                                        zero->handle),
                  type};
  return Tensor{arith::CmpIOp::create(emit.builder, loc, arith::CmpIPredicate::ne, value.handle,
                                      zero->handle),
                type};
}

static Tensor castIntToInt(Emitter &emit, const Tensor &value, const KernelType &type) {
  mlir::Type irType = toIR(type, emit.context());
  mlir::Location loc = emit.location();
  unsigned from = value.type.scalar.bits(), to = type.scalar.bits();
  if (from == to) // only the sign changes, and the IR has none
    return Tensor{value.handle, type};
  if (from > to)
    return Tensor{arith::TruncIOp::create(emit.builder, loc, irType, value.handle), type};
  if (value.type.scalar.isSigned())
    return Tensor{arith::ExtSIOp::create(emit.builder, loc, irType, value.handle), type};
  return Tensor{arith::ExtUIOp::create(emit.builder, loc, irType, value.handle), type};
}

/// fp8e4b15 converts from and to half precision only; fp32 goes through it, cut.
static FailureOr<Tensor> castFp8e4b15(Emitter &emit, Tensor value, DType to) {
  DType from = value.type.scalar, other = from == DType::FP8E4B15 ? to : from;
  if (other != DType::FP16 && other != DType::FP32)
    return emit.error("fp8e4b15 converts from and to fp16 and fp32, not " +
                      llvm::Twine(from == DType::FP8E4B15 ? "to " : "from ") + other.name());
  if (from == DType::FP8E4B15) {
    FailureOr<Tensor> half = fp8e4b15ToHalf(emit, value);
    return failed(half) ? half : castTo(emit, *half, to);
  }
  FailureOr<Tensor> half = castTo(emit, value, DType::FP16, FloatRounding::TowardZero);
  return failed(half) ? half : halfToFp8e4b15(emit, *half);
}

static FailureOr<Tensor> castFloatToFloat(Emitter &emit, Tensor value, DType to,
                                          FloatRounding rounding) {
  DType from = value.type.scalar;
  if (failed(checkTypeExists(emit, to)))
    return llvm::failure();
  if (from == DType::FP8E4B15 || to == DType::FP8E4B15)
    return castFp8e4b15(emit, value, to);
  mlir::Location loc = emit.location();
  KernelType type = value.type.withScalar(to);
  mlir::Type irType = toIR(type, emit.context());
  bool narrows = from.bits() > to.bits();
  bool isCut = narrows && rounding == FloatRounding::TowardZero;
  if (from.isFP8() || to.isFP8() || isCut) {
    auto mode = tt::RoundingModeAttr::get(emit.context(), isCut ? tt::RoundingMode::TowardZero
                                                                : tt::RoundingMode::NearestEven);
    return Tensor{tt::FpToFpOp::create(emit.builder, loc, irType, value.handle,
                                       narrows ? mode : tt::RoundingModeAttr()),
                  type};
  }
  // Half precision reaches anything but fp32 through fp32.
  bool isHalf = from == DType::FP16 || from == DType::BF16;
  if (isHalf && to != DType::FP32) {
    FailureOr<Tensor> wide = castTo(emit, value, DType::FP32);
    return failed(wide) ? wide : castTo(emit, *wide, to);
  }
  if (narrows)
    return Tensor{arith::TruncFOp::create(emit.builder, loc, irType, value.handle), type};
  return Tensor{arith::ExtFOp::create(emit.builder, loc, irType, value.handle), type};
}

FailureOr<Tensor> tessera::castTo(Emitter &emit, Tensor value, DType to, FloatRounding rounding) {
  if (value.type.isPointer()) {
    KernelType type = value.type.withScalar(to);
    return castPointer(emit, value, type);
  }
  DType from = value.type.scalar;
  if (from == to)
    return value;
  if (from.isFP8() != to.isFP8() && (from.isInt() || to.isInt()))
    return emit.error("cannot convert " + from.name() + " to " + to.name() +
                      " directly; go through fp16 or fp32");
  // Half precision reaches integers and bools through fp32, as it does other floats.
  bool isHalf = from == DType::FP16 || from == DType::BF16;
  if (isHalf && to.isInt()) {
    FailureOr<Tensor> wide = castTo(emit, value, DType::FP32);
    return failed(wide) ? wide : castTo(emit, *wide, to);
  }
  if (to.isBool())
    return castToBool(emit, value);
  KernelType type = value.type.withScalar(to);
  if (from.isInt() && to.isInt())
    return castIntToInt(emit, value, type);
  if (from.isFloat() && to.isFloat())
    return castFloatToFloat(emit, value, to, rounding);
  mlir::Type irType = toIR(type, emit.context());
  mlir::Location loc = emit.location();
  if (from.isInt()) {
    if (from.isSigned())
      return Tensor{arith::SIToFPOp::create(emit.builder, loc, irType, value.handle), type};
    return Tensor{arith::UIToFPOp::create(emit.builder, loc, irType, value.handle), type};
  }
  if (to.isSigned())
    return Tensor{arith::FPToSIOp::create(emit.builder, loc, irType, value.handle), type};
  return Tensor{arith::FPToUIOp::create(emit.builder, loc, irType, value.handle), type};
}

FailureOr<Tensor> tessera::castPointer(Emitter &emit, Tensor value, const KernelType &type) {
  if (value.type.isBlockPointer() || type.isBlockPointer())
    return emit.error("a block pointer does not convert: " + value.type.str() + " to " +
                      type.str());
  mlir::Location loc = emit.location();
  mlir::Type irType = toIR(type, emit.context());
  if (value.type.isPointer() && type.isPointer())
    return Tensor{tt::BitcastOp::create(emit.builder, loc, irType, value.handle), type};
  if (!value.type.isPointer() && type.isPointer()) {
    if (!value.type.isInt() || value.type.scalar.bits() != 64)
      return emit.error("only a 64-bit integer converts to a pointer, not " + value.type.str());
    return Tensor{tt::IntToPtrOp::create(emit.builder, loc, irType, value.handle), type};
  }
  if (type.scalar.isInt() && type.scalar.bits() == 64)
    return Tensor{tt::PtrToIntOp::create(emit.builder, loc, irType, value.handle), type};
  if (type.scalar.isBool()) {
    FailureOr<Tensor> address = castPointer(emit, value, value.type.withScalar(DType::Int64));
    return failed(address) ? address : castToBool(emit, *address);
  }
  return emit.error("a pointer converts to i64, u64 or bool, not to " + type.str());
}

FailureOr<Tensor> tessera::castToElement(Emitter &emit, Tensor value, const KernelType &element) {
  if (!element.isPointer())
    return castTo(emit, value, element.scalar);
  KernelType type = element.withShape(value.type.shape);
  return value.type == type ? FailureOr<Tensor>(value) : castPointer(emit, value, type);
}

FailureOr<Tensor> tessera::bitcastTo(Emitter &emit, Tensor value, const KernelType &type) {
  if (value.type.isPointer() || type.isPointer())
    return castPointer(emit, value, type);
  if (value.type.scalar.bits() != type.scalar.bits())
    return emit.error("a bitcast keeps the width, and " + value.type.str() + " has " +
                      llvm::Twine(value.type.scalar.bits()) + " bits where " + type.str() +
                      " has " + llvm::Twine(type.scalar.bits()));
  mlir::Type irType = toIR(type, emit.context());
  if (irType == value.handle.getType())
    return Tensor{value.handle, type};
  return Tensor{tt::BitcastOp::create(emit.builder, emit.location(), irType, value.handle), type};
}
