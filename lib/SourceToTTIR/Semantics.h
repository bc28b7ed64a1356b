//===- Semantics.h - what the language's operations mean ------------------===//
// Operators, casts, broadcasts and memory accesses on values: type rules are
// checked, compile-time operands folded, and IR emitted for the rest. Each
// function reports its own error and then fails.
//===----------------------------------------------------------------------===//
#pragma once

#include "Emitter.h"
#include "Value.h"
#include "llvm/Support/LogicalResult.h"

namespace tessera {

using llvm::FailureOr;
using llvm::LogicalResult;

enum class BinaryOp {
  Add,
  Sub,
  Mul,
  TrueDiv,
  FloorDiv,
  Mod,
  Pow,
  LShift,
  RShift,
  And,
  Or,
  Xor,
  MatMul
};
enum class CompareOp { Lt, Le, Gt, Ge, Eq, Ne };
enum class UnaryOp { Neg, Pos, Invert, Not };

llvm::StringRef spelling(BinaryOp op);
llvm::StringRef spelling(CompareOp op);

// Compile-time arithmetic, with Python's semantics (PythonArithmetic.cpp).
FailureOr<Value> foldBinary(Emitter &emit, BinaryOp op, const Value &lhs, const Value &rhs);
FailureOr<Value> foldCompare(Emitter &emit, CompareOp op, const Value &lhs, const Value &rhs);
FailureOr<Value> foldUnary(Emitter &emit, UnaryOp op, const Value &operand);
/// Python's truth of a compile-time value.
bool isTruthy(const Value &value);

// Operators on any values (Operators.cpp).
FailureOr<Value> binary(Emitter &emit, BinaryOp op, const Value &lhs, const Value &rhs);
FailureOr<Value> compare(Emitter &emit, CompareOp op, const Value &lhs, const Value &rhs);
FailureOr<Value> unary(Emitter &emit, UnaryOp op, const Value &operand);

// Conversions (Casts.cpp).
/// A number becomes a scalar of its natural type; a tensor stays.
FailureOr<Tensor> toTensor(Emitter &emit, const Value &value);
/// A Python number as a scalar of the given type; range-checked for integers.
FailureOr<Tensor> constantOfType(Emitter &emit, const Value &number, DType type);
/// A Python number as the scalar that tl.full repeats: integers wrap, any
/// number is a bool.
FailureOr<Tensor> fillConstant(Emitter &emit, const Value &number, DType type);
/// x.to(type).
FailureOr<Tensor> castTo(Emitter &emit, Tensor value, DType type);
FailureOr<Tensor> castPointer(Emitter &emit, Tensor value, const KernelType &type);
/// Reinterpreting the bits.
FailureOr<Tensor> bitcastTo(Emitter &emit, Tensor value, const KernelType &type);

// Shapes (Broadcasts.cpp).
/// The shape both operands broadcast to; an error names the axis that differs.
FailureOr<llvm::SmallVector<int64_t, 4>> commonShape(Emitter &emit, llvm::ArrayRef<int64_t> lhs,
                                                     llvm::ArrayRef<int64_t> rhs);
/// Splats, prepends size-1 axes and broadcasts; the shape must be reachable.
FailureOr<Tensor> broadcastTo(Emitter &emit, Tensor value, llvm::ArrayRef<int64_t> shape);
FailureOr<Tensor> expandDims(Emitter &emit, Tensor value, int64_t axis);
/// A block shape from compile-time ints: each a power of two, at most 2^20 elements in all.
FailureOr<llvm::SmallVector<int64_t, 4>> blockShape(Emitter &emit, const Value &shape);
LogicalResult checkBlockShape(Emitter &emit, llvm::ArrayRef<int64_t> shape);

/// A tensor as a value; a failure stays one.
inline FailureOr<Value> asValue(FailureOr<Tensor> tensor) {
  if (failed(tensor))
    return llvm::failure();
  return Value(*tensor);
}

/// Both operands as tensors of one type and shape.
struct TensorPair {
  Tensor lhs, rhs;
};
FailureOr<TensorPair> unify(Emitter &emit, const Value &lhs, const Value &rhs, bool isDivision);

} // namespace tessera
