//===- Elementwise.cpp - functions of each element on its own -------------===//
// where, add, minimum, clamp, fma and the unary functions of tl.math
// (spec language.md 4.4).
//===----------------------------------------------------------------------===//
#include "Builtins.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "../Operators/Semantics.h"

using namespace tessera;
namespace arith = mlir::arith;
namespace math = mlir::math;

/// fp8e4b15 is an i8 in the IR, on which float operations would not verify.
static LogicalResult refuseStorageType(Emitter &emit, llvm::StringRef function,
                                       const KernelType &type) {
  if (type.isPointer() || type.scalar != DType::FP8E4B15)
    return llvm::success();
  return emit.error(function + " does not take fp8e4b15, a type for storage; convert with "
                               ".to(tl.float16)");
}

//===----------------------------------------------------------------------===//
// where
//===----------------------------------------------------------------------===//

/// Both values in one type; pointers of the same type stay.
static FailureOr<TensorPair> whereOperands(Emitter &emit, const Value &lhs, const Value &rhs) {
  const Tensor *x = lhs.get<Tensor>(), *y = rhs.get<Tensor>();
  bool hasPointer = (x && x->type.isPointer()) || (y && y->type.isPointer());
  if (!hasPointer)
    return unify(emit, lhs, rhs, /*isDivision=*/false);
  if (!x || !y || x->type.withShape({}) != y->type.withShape({}))
    return emit.error("where cannot choose between " + lhs.describe() + " and " + rhs.describe());
  return TensorPair{*x, *y};
}

static FailureOr<Value> where(Emitter &emit, BoundArguments args) {
  FailureOr<Tensor> condition = toTensor(emit, args[0]);
  if (failed(condition))
    return llvm::failure();
  if (!condition->type.isBool()) {
    emit.warnAt(emit.range, "where takes a condition of bools; this one, " + condition->type.str() +
                                ", is compared with 0");
    condition = castTo(emit, *condition, DType::Int1);
  }
  FailureOr<TensorPair> pair = whereOperands(emit, args[1], args[2]);
  if (failed(condition) || failed(pair))
    return llvm::failure();
  Tensor operands[] = {pair->lhs, pair->rhs, *condition};
  if (failed(broadcastTogether(emit, operands)))
    return llvm::failure();
  auto select = arith::SelectOp::create(emit.builder, emit.location(), operands[2].handle,
                                        operands[0].handle, operands[1].handle);
  return Value(Tensor{select, operands[0].type});
}

//===----------------------------------------------------------------------===//
// add, sub, mul
//===----------------------------------------------------------------------===//

/// An operator as a function; two numbers become tensors, as a function's do.
template <BinaryOp op> static FailureOr<Value> arithmetic(Emitter &emit, BoundArguments args) {
  bool checksOverflow = isTruthy(args[2]);
  if (args[0].isTensor() || args[1].isTensor())
    return binary(emit, op, args[0], args[1], checksOverflow);
  FailureOr<Tensor> lhs = toTensor(emit, args[0]);
  FailureOr<Tensor> rhs = failed(lhs) ? lhs : toTensor(emit, args[1]);
  if (failed(lhs) || failed(rhs))
    return llvm::failure();
  return binary(emit, op, Value(*lhs), Value(*rhs), checksOverflow);
}

//===----------------------------------------------------------------------===//
// minimum, maximum, clamp
//===----------------------------------------------------------------------===//

/// A number becomes a tensor first, so weak typing is lost, and bf16 widens.
static FailureOr<Tensor> extremumOperand(Emitter &emit, llvm::StringRef function,
                                         const Value &value) {
  FailureOr<Tensor> operand = toTensor(emit, value);
  if (failed(operand) || failed(refuseStorageType(emit, function, operand->type)))
    return llvm::failure();
  if (operand->type.isPointer())
    return emit.error(function + " takes numbers, not " + operand->type.str());
  if (operand->type.scalar == DType::BF16)
    return castTo(emit, *operand, DType::FP32);
  return operand;
}

static FailureOr<bool> propagatesNan(Emitter &emit, llvm::StringRef function, const Value &value) {
  const EnumObject *member = value.get<EnumObject>();
  if (!member || member->type != "PropagateNan")
    return emit.error(function + " takes propagate_nan=tl.PropagateNan.ALL or NONE, not " +
                      value.describe());
  return member->member == "ALL";
}

template <typename NumberOp, typename NanOp, typename SignedOp, typename UnsignedOp>
static FailureOr<Value> extremum(Emitter &emit, llvm::StringRef function, BoundArguments args) {
  FailureOr<Tensor> x = extremumOperand(emit, function, args[0]);
  FailureOr<Tensor> y = failed(x) ? x : extremumOperand(emit, function, args[1]);
  FailureOr<bool> keepsNan =
      failed(y) ? FailureOr<bool>(llvm::failure()) : propagatesNan(emit, function, args[2]);
  if (failed(keepsNan))
    return llvm::failure();
  FailureOr<TensorPair> pair = unify(emit, Value(*x), Value(*y), /*isDivision=*/false);
  if (failed(pair))
    return llvm::failure();
  mlir::Location loc = emit.location();
  mlir::Value a = pair->lhs.handle, b = pair->rhs.handle;
  DType type = pair->lhs.type.scalar;
  mlir::Value result;
  if (type.isFloat())
    result = *keepsNan ? NanOp::create(emit.builder, loc, a, b).getResult()
                       : NumberOp::create(emit.builder, loc, a, b).getResult();
  else
    result = type.isSigned() ? SignedOp::create(emit.builder, loc, a, b).getResult()
                             : UnsignedOp::create(emit.builder, loc, a, b).getResult();
  return Value(Tensor{result, pair->lhs.type});
}

static FailureOr<Value> minimum(Emitter &emit, BoundArguments args) {
  return extremum<arith::MinNumFOp, arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp>(
      emit, "minimum", args);
}

static FailureOr<Value> maximum(Emitter &emit, BoundArguments args) {
  return extremum<arith::MaxNumFOp, arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp>(
      emit, "maximum", args);
}

/// Converts two operands to one type and shape, in place.
static LogicalResult unifyPair(Emitter &emit, Tensor &first, Tensor &second) {
  FailureOr<TensorPair> pair = unify(emit, Value(first), Value(second), /*isDivision=*/false);
  if (failed(pair))
    return llvm::failure();
  first = pair->lhs;
  second = pair->rhs;
  return llvm::success();
}

static FailureOr<Value> clamp(Emitter &emit, BoundArguments args) {
  llvm::SmallVector<Tensor, 3> operands;
  for (const Value &value : args.take_front(3)) {
    FailureOr<Tensor> operand = extremumOperand(emit, "clamp", value);
    if (failed(operand))
      return llvm::failure();
    operands.push_back(*operand);
  }
  FailureOr<bool> keepsNan = propagatesNan(emit, "clamp", args[3]);
  if (failed(keepsNan))
    return llvm::failure();
  Tensor &x = operands[0], &low = operands[1], &high = operands[2];
  if (failed(unifyPair(emit, low, high)) || failed(unifyPair(emit, x, low)) ||
      failed(unifyPair(emit, x, high)))
    return llvm::failure();
  if (!x.type.isFloat())
    return emit.error("clamp takes floats, not " + x.type.str() +
                      "; use tl.minimum and tl.maximum for integers");
  // The bounds may be wider than x was when it met the lower one.
  if (failed(broadcastTogether(emit, operands)))
    return llvm::failure();
  auto mode = *keepsNan ? tt::PropagateNan::All : tt::PropagateNan::None;
  return Value(Tensor{tt::ClampFOp::create(emit.builder, emit.location(), x.handle.getType(),
                                           x.handle, low.handle, high.handle, mode),
                      x.type});
}

//===----------------------------------------------------------------------===//
// Functions of one operand
//===----------------------------------------------------------------------===//

template <typename Op> static FailureOr<Value> floatFunction(Emitter &emit, BoundArguments args) {
  FailureOr<Tensor> x = toTensor(emit, args[0]);
  if (failed(x))
    return llvm::failure();
  bool accepted =
      !x->type.isPointer() && (x->type.scalar == DType::FP32 || x->type.scalar == DType::FP64);
  if (!accepted)
    return emit.error(Op::getOperationName().rsplit('.').second + " takes fp32 or fp64, not " +
                      x->type.str() + "; convert with .to(tl.float32)");
  return Value(Tensor{Op::create(emit.builder, emit.location(), x->handle), x->type});
}

static FailureOr<Value> absolute(Emitter &emit, BoundArguments args) {
  FailureOr<Tensor> x = toTensor(emit, args[0]);
  if (failed(x))
    return llvm::failure();
  if (x->type.isPointer())
    return emit.error("abs takes integers and floats, not " + x->type.str());
  mlir::Location loc = emit.location();
  if (x->type.scalar == DType::FP8E4B15) { // bytes in the IR: all but the sign bit
    FailureOr<Tensor> mask = constantOfType(emit, Value(PythonInt(0x7F)), DType::Int8);
    if (succeeded(mask))
      mask = broadcastTo(emit, *mask, x->type.shape);
    if (failed(mask))
      return llvm::failure();
    return Value(
        Tensor{arith::AndIOp::create(emit.builder, loc, x->handle, mask->handle), x->type});
  }
  if (x->type.scalar.isFloat())
    return Value(Tensor{math::AbsFOp::create(emit.builder, loc, x->handle), x->type});
  if (x->type.scalar.isSigned())
    return Value(Tensor{math::AbsIOp::create(emit.builder, loc, x->handle), x->type});
  return Value(*x);
}

/// fp32 only: what the correctly rounded functions take.
static LogicalResult checkIsFP32(Emitter &emit, llvm::StringRef function, const KernelType &type) {
  if (!type.isPointer() && type.scalar == DType::FP32)
    return llvm::success();
  return emit.error(function + " takes fp32, not " + type.str() + "; convert with .to(tl.float32)");
}

static FailureOr<Value> preciseSqrt(Emitter &emit, BoundArguments args) {
  FailureOr<Tensor> x = toTensor(emit, args[0]);
  if (failed(x) || failed(checkIsFP32(emit, "sqrt_rn", x->type)))
    return llvm::failure();
  return Value(Tensor{
      tt::PreciseSqrtOp::create(emit.builder, emit.location(), x->handle.getType(), x->handle),
      x->type});
}

//===----------------------------------------------------------------------===//
// Functions of two operands and more
//===----------------------------------------------------------------------===//

static FailureOr<TensorPair> tensorPair(Emitter &emit, BoundArguments args) {
  FailureOr<Tensor> x = toTensor(emit, args[0]);
  FailureOr<Tensor> y = failed(x) ? x : toTensor(emit, args[1]);
  if (failed(x) || failed(y))
    return llvm::failure();
  return TensorPair{*x, *y};
}

/// a / b without promotion: both floats, and of one type.
static FailureOr<Value> fastDivide(Emitter &emit, BoundArguments args) {
  FailureOr<TensorPair> pair = tensorPair(emit, args);
  if (failed(pair))
    return llvm::failure();
  bool areFloats = pair->lhs.type.isFloat() && pair->rhs.type.isFloat();
  if (!areFloats || pair->lhs.type.scalar != pair->rhs.type.scalar ||
      !pair->lhs.type.scalar.isStandardFloat())
    return emit.error("fdiv takes two floats of one type, not " + pair->lhs.type.str() + " and " +
                      pair->rhs.type.str() + "; convert with .to(...)");
  Tensor operands[] = {pair->lhs, pair->rhs};
  if (failed(broadcastTogether(emit, operands)))
    return llvm::failure();
  return Value(Tensor{
      arith::DivFOp::create(emit.builder, emit.location(), operands[0].handle, operands[1].handle),
      operands[0].type});
}

static FailureOr<Value> preciseDivide(Emitter &emit, BoundArguments args) {
  FailureOr<TensorPair> pair = tensorPair(emit, args);
  if (failed(pair))
    return llvm::failure();
  // A number of any kind is converted; a tensor of another type is refused.
  for (auto [value, operand] : {std::pair{&args[0], &pair->lhs}, std::pair{&args[1], &pair->rhs}})
    if (value->isTensor() && failed(checkIsFP32(emit, "div_rn", operand->type)))
      return llvm::failure();
  if (failed(unifyPair(emit, pair->lhs, pair->rhs)) ||
      failed(checkIsFP32(emit, "div_rn", pair->lhs.type)))
    return llvm::failure();
  return Value(
      Tensor{tt::PreciseDivFOp::create(emit.builder, emit.location(), pair->lhs.handle.getType(),
                                       pair->lhs.handle, pair->rhs.handle),
             pair->lhs.type});
}

static FailureOr<Value> multiplyHigh(Emitter &emit, BoundArguments args) {
  FailureOr<TensorPair> pair = tensorPair(emit, args);
  if (failed(pair))
    return llvm::failure();
  for (const Tensor *operand : {&pair->lhs, &pair->rhs})
    if (!operand->type.isInt() || operand->type.scalar.bits() < 32)
      return emit.error("umulhi takes integers of 32 or 64 bits, not " + operand->type.str() +
                        "; convert with .to(tl.uint32)");
  if (failed(unifyPair(emit, pair->lhs, pair->rhs)))
    return llvm::failure();
  return Value(
      Tensor{tt::MulhiUIOp::create(emit.builder, emit.location(), pair->lhs.handle.getType(),
                                   pair->lhs.handle, pair->rhs.handle),
             pair->lhs.type});
}

static FailureOr<Value> fusedMultiplyAdd(Emitter &emit, BoundArguments args) {
  llvm::SmallVector<Tensor, 3> operands;
  for (const Value &value : args) {
    FailureOr<Tensor> operand = toTensor(emit, value);
    if (failed(operand) || failed(refuseStorageType(emit, "fma", operand->type)))
      return llvm::failure();
    if (operand->type.isPointer())
      return emit.error("fma takes floats, not " + operand->type.str());
    operands.push_back(*operand);
  }
  // Pairwise, as the reference promotes: (x, y), then z with both.
  Tensor &x = operands[0], &y = operands[1], &z = operands[2];
  if (failed(unifyPair(emit, x, y)) || failed(unifyPair(emit, z, x)) ||
      failed(unifyPair(emit, z, y)) || failed(broadcastTogether(emit, operands)))
    return llvm::failure();
  if (!x.type.isFloat())
    return emit.error("fma takes floats, not " + x.type.str());
  return Value(Tensor{
      math::FmaOp::create(emit.builder, emit.location(), x.handle, y.handle, z.handle), x.type});
}

/// x.logical_and(y), x.logical_or(y): what `and` and `or` do to run-time operands.
template <BinaryOp op> static FailureOr<Value> logical(Emitter &emit, BoundArguments args) {
  FailureOr<TensorPair> pair = tensorPair(emit, args);
  if (failed(pair))
    return llvm::failure();
  for (const Tensor *operand : {&pair->lhs, &pair->rhs})
    if (!operand->type.isBool())
      return emit.error("logical_and and logical_or take bools, not " + operand->type.str() +
                        "; compare with 0");
  return binary(emit, op, Value(pair->lhs), Value(pair->rhs));
}

static constexpr Parameter kWhere[] = {{"condition"}, {"x"}, {"y"}};
static constexpr Parameter kArithmetic[] = {{"x"}, {"y"}, {"sanitize_overflow", Default::True}};
static constexpr Parameter kExtremum[] = {{"x"}, {"y"}, {"propagate_nan", Default::PropagateNan}};
static constexpr Parameter kClamp[] = {
    {"x"}, {"min"}, {"max"}, {"propagate_nan", Default::PropagateNan}};
static constexpr Parameter kDivide[] = {{"x"}, {"y"}, {"ieee_rounding", Default::False}};
static constexpr Parameter kPair[] = {{"x"}, {"y"}};
static constexpr Parameter kLogical[] = {{"self"}, {"other"}};
static constexpr Parameter kX[] = {{"x"}};
static constexpr Parameter kFma[] = {{"x"}, {"y"}, {"z"}};

llvm::ArrayRef<Builtin> tessera::elementwiseBuiltins() {
  static constexpr Builtin rows[] = {
      {"triton.language.where", kWhere, where},
      {"triton.language.add", kArithmetic, arithmetic<BinaryOp::Add>},
      {"triton.language.sub", kArithmetic, arithmetic<BinaryOp::Sub>},
      {"triton.language.mul", kArithmetic, arithmetic<BinaryOp::Mul>},
      {"triton.language.minimum", kExtremum, minimum},
      {"triton.language.maximum", kExtremum, maximum},
      {"triton.language.clamp", kClamp, clamp},
      {"triton.language.fdiv", kDivide, fastDivide},
      {"triton.language.div_rn", kPair, preciseDivide},
      {"triton.language.umulhi", kPair, multiplyHigh},
      {"triton.language.fma", kFma, fusedMultiplyAdd},
      {"triton.language.tensor.logical_and", kLogical, logical<BinaryOp::And>, true},
      {"triton.language.tensor.logical_or", kLogical, logical<BinaryOp::Or>, true},
      {"triton.language.abs", kX, absolute, true},
      {"triton.language.exp", kX, floatFunction<math::ExpOp>, true},
      {"triton.language.exp2", kX, floatFunction<math::Exp2Op>, true},
      {"triton.language.log", kX, floatFunction<math::LogOp>, true},
      {"triton.language.log2", kX, floatFunction<math::Log2Op>, true},
      {"triton.language.sin", kX, floatFunction<math::SinOp>, true},
      {"triton.language.cos", kX, floatFunction<math::CosOp>, true},
      {"triton.language.sqrt", kX, floatFunction<math::SqrtOp>, true},
      {"triton.language.sqrt_rn", kX, preciseSqrt, true},
      {"triton.language.rsqrt", kX, floatFunction<math::RsqrtOp>, true},
      {"triton.language.erf", kX, floatFunction<math::ErfOp>, true},
      {"triton.language.floor", kX, floatFunction<math::FloorOp>, true},
      {"triton.language.ceil", kX, floatFunction<math::CeilOp>, true},
  };
  return rows;
}
