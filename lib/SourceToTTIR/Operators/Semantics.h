//===- Semantics.h - what the language's operations mean ------------------===//
// Operators, casts, broadcasts and memory accesses on values: type rules are
// checked, compile-time operands folded, and IR emitted for the rest. Each
// function reports its own error and then fails.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/LogicalResult.h"
#include "../Emitter.h"
#include "../Values/Value.h"

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
/// Python's == of compile-time values.
bool isEqual(const Value &lhs, const Value &rhs);
bool containsValue(const std::vector<Value> &elements, const Value &value);
/// The value under a key; null if there is none.
const Value *findItem(const DictObject &dict, const Value &key);
void setItem(DictObject &dict, const Value &key, const Value &value);

// Operators on any values (Operators.cpp).
/// In debug mode + - * of integers check for overflow, unless the kernel says it is meant.
FailureOr<Value> binary(Emitter &emit, BinaryOp op, const Value &lhs, const Value &rhs,
                        bool checksOverflow = true);
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
/// How a conversion to a narrower float rounds.
enum class FloatRounding { NearestEven, TowardZero };
/// x.to(type).
FailureOr<Tensor> castTo(Emitter &emit, Tensor value, DType type,
                         FloatRounding rounding = FloatRounding::NearestEven);
FailureOr<Tensor> castPointer(Emitter &emit, Tensor value, const KernelType &type);
/// x.to(type) for any element type; the value keeps its shape.
FailureOr<Tensor> castToElement(Emitter &emit, Tensor value, const KernelType &element);
/// Reinterpreting the bits.
FailureOr<Tensor> bitcastTo(Emitter &emit, Tensor value, const KernelType &type);

/// An error if the target has no such type (fp8 types differ between targets).
LogicalResult checkTypeExists(Emitter &emit, DType type);

// fp8e4b15, which no IR type stands for: bytes, converted by arithmetic (Fp8e4b15.cpp).
FailureOr<Tensor> fp8e4b15ToHalf(Emitter &emit, const Tensor &value);
FailureOr<Tensor> halfToFp8e4b15(Emitter &emit, const Tensor &value);
/// The byte nearest to a number.
uint8_t encodeFp8e4b15(double value);

// Shapes (Broadcasts.cpp).
/// The shape both operands broadcast to; an error names the axis that differs.
FailureOr<llvm::SmallVector<int64_t, 4>> commonShape(Emitter &emit, llvm::ArrayRef<int64_t> lhs,
                                                     llvm::ArrayRef<int64_t> rhs);
/// Splats, prepends size-1 axes and broadcasts; the shape must be reachable.
FailureOr<Tensor> broadcastTo(Emitter &emit, Tensor value, llvm::ArrayRef<int64_t> shape);
/// Brings all operands to the shape that they broadcast to together.
LogicalResult broadcastTogether(Emitter &emit, llvm::MutableArrayRef<Tensor> operands);
FailureOr<Tensor> expandDims(Emitter &emit, Tensor value, int64_t axis);
/// The block with its axes in another order, which must be a permutation (Builtins/Shapes.cpp).
FailureOr<Value> permuteBlock(Emitter &emit, const Tensor &value, llvm::ArrayRef<int32_t> order);
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
