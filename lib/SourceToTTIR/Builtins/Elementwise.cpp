//===- Elementwise.cpp - functions of each element on its own -------------===//
// where, minimum, maximum, fma and the unary functions of tl.math
// (spec language.md 4.4).
//===----------------------------------------------------------------------===//
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "../Builtins.h"
#include "../Semantics.h"

using namespace tessera;
namespace arith = mlir::arith;
namespace math = mlir::math;

static FailureOr<Value> where(Emitter &emit, BoundArguments args) {
  FailureOr<Tensor> condition = toTensor(emit, args[0]);
  if (succeeded(condition) && !condition->type.isBool())
    condition = castTo(emit, *condition, DType::Int1);
  if (failed(condition))
    return llvm::failure();
  const Tensor *x = args[1].get<Tensor>(), *y = args[2].get<Tensor>();
  FailureOr<TensorPair> pair = llvm::failure();
  if (x && y && x->type.isPointer() && x->type.scalar == y->type.scalar &&
      x->type.pointerDepth == y->type.pointerDepth)
    pair = TensorPair{*x, *y};
  else if ((x && x->type.isPointer()) || (y && y->type.isPointer()))
    return emit.error("where cannot choose between " + args[1].describe() + " and " +
                      args[2].describe());
  else
    pair = unify(emit, args[1], args[2], /*isDivision=*/false);
  if (failed(pair))
    return llvm::failure();
  auto shape = commonShape(emit, pair->lhs.type.shape, pair->rhs.type.shape);
  if (succeeded(shape))
    shape = commonShape(emit, *shape, condition->type.shape);
  if (failed(shape))
    return llvm::failure();
  FailureOr<Tensor> a = broadcastTo(emit, pair->lhs, *shape);
  FailureOr<Tensor> b = failed(a) ? a : broadcastTo(emit, pair->rhs, *shape);
  if (succeeded(b))
    condition = broadcastTo(emit, *condition, *shape);
  if (failed(a) || failed(b) || failed(condition))
    return llvm::failure();
  auto select = arith::SelectOp::create(emit.builder, emit.location(), condition->handle, a->handle,
                                        b->handle);
  return Value(Tensor{select, a->type});
}

/// Numbers become tensors first, so weak typing is lost, and bf16 widens.
static FailureOr<TensorPair> extremumOperands(Emitter &emit, const Value &lhs, const Value &rhs) {
  FailureOr<Tensor> a = toTensor(emit, lhs), b = failed(a) ? a : toTensor(emit, rhs);
  if (failed(a) || failed(b))
    return llvm::failure();
  for (Tensor *operand : {&*a, &*b}) {
    if (operand->type.isPointer())
      return emit.error("minimum and maximum take numbers, not " + operand->type.str());
    if (operand->type.scalar != DType::BF16)
      continue;
    FailureOr<Tensor> wide = castTo(emit, *operand, DType::FP32);
    if (failed(wide))
      return llvm::failure();
    *operand = *wide;
  }
  return unify(emit, Value(*a), Value(*b), /*isDivision=*/false);
}

template <typename FloatOp, typename SignedOp, typename UnsignedOp>
static FailureOr<Value> extremum(Emitter &emit, BoundArguments args) {
  FailureOr<TensorPair> pair = extremumOperands(emit, args[0], args[1]);
  if (failed(pair))
    return llvm::failure();
  mlir::Location loc = emit.location();
  mlir::Value a = pair->lhs.handle, b = pair->rhs.handle;
  DType type = pair->lhs.type.scalar;
  mlir::Value result = type.isFloat()    ? FloatOp::create(emit.builder, loc, a, b).getResult()
                       : type.isSigned() ? SignedOp::create(emit.builder, loc, a, b).getResult()
                                         : UnsignedOp::create(emit.builder, loc, a, b).getResult();
  return Value(Tensor{result, pair->lhs.type});
}

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
  if (x->type.scalar == DType::FP8E4B15)
    return emit.unsupportedAt(emit.range, "abs of fp8e4b15 is not supported yet; convert with "
                                          ".to(tl.float32)");
  if (x->type.scalar.isFloat())
    return Value(Tensor{math::AbsFOp::create(emit.builder, emit.location(), x->handle), x->type});
  if (x->type.scalar.isSigned())
    return Value(Tensor{math::AbsIOp::create(emit.builder, emit.location(), x->handle), x->type});
  return Value(*x);
}

static FailureOr<Value> fusedMultiplyAdd(Emitter &emit, BoundArguments args) {
  FailureOr<Tensor> x = toTensor(emit, args[0]);
  FailureOr<Tensor> y = failed(x) ? x : toTensor(emit, args[1]);
  FailureOr<Tensor> z = failed(y) ? y : toTensor(emit, args[2]);
  if (failed(z))
    return llvm::failure();
  // Pairwise, as the reference promotes: (x, y), then with z, then x again.
  for (auto [first, second] : {std::pair{&*x, &*y}, std::pair{&*z, &*x}, std::pair{&*z, &*y}}) {
    FailureOr<TensorPair> pair = unify(emit, Value(*first), Value(*second), /*isDivision=*/false);
    if (failed(pair))
      return llvm::failure();
    *first = pair->lhs;
    *second = pair->rhs;
  }
  if (!x->type.isFloat())
    return emit.error("fma takes floats, not " + x->type.str());
  return Value(
      Tensor{math::FmaOp::create(emit.builder, emit.location(), x->handle, y->handle, z->handle),
             x->type});
}

static constexpr Parameter kWhere[] = {{"condition"}, {"x"}, {"y"}};
static constexpr Parameter kPair[] = {{"x"}, {"y"}};
static constexpr Parameter kX[] = {{"x"}};
static constexpr Parameter kFma[] = {{"x"}, {"y"}, {"z"}};

llvm::ArrayRef<Builtin> tessera::elementwiseBuiltins() {
  static constexpr Builtin rows[] = {
      {"triton.language.where", kWhere, where},
      {"triton.language.minimum", kPair,
       extremum<arith::MinNumFOp, arith::MinSIOp, arith::MinUIOp>},
      {"triton.language.maximum", kPair,
       extremum<arith::MaxNumFOp, arith::MaxSIOp, arith::MaxUIOp>},
      {"triton.language.fma", kFma, fusedMultiplyAdd},
      {"triton.language.abs", kX, absolute, true},
      {"triton.language.exp", kX, floatFunction<math::ExpOp>, true},
      {"triton.language.exp2", kX, floatFunction<math::Exp2Op>, true},
      {"triton.language.log", kX, floatFunction<math::LogOp>, true},
      {"triton.language.log2", kX, floatFunction<math::Log2Op>, true},
      {"triton.language.sin", kX, floatFunction<math::SinOp>, true},
      {"triton.language.cos", kX, floatFunction<math::CosOp>, true},
      {"triton.language.sqrt", kX, floatFunction<math::SqrtOp>, true},
      {"triton.language.rsqrt", kX, floatFunction<math::RsqrtOp>, true},
      {"triton.language.erf", kX, floatFunction<math::ErfOp>, true},
      {"triton.language.floor", kX, floatFunction<math::FloorOp>, true},
      {"triton.language.ceil", kX, floatFunction<math::CeilOp>, true},
  };
  return rows;
}
