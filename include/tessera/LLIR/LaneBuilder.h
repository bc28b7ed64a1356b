//===- LaneBuilder.h - LLVM ops on scalars or vectors of lanes -----------===//
// The same lowering is used for a scalar of the kernel, one element of a tile and a vector of
// elements: an LLVM value of type T, or vector<N x T>. "Lanes" is N, and 0 for a scalar. Integer
// literals get the type of the other operand.
//
//   LaneBuilder b(builder, loc);
//   Value wide = b.splat(x, 16);
//   Value sum = b.add(wide, 1);
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace tessera {

/// Returns the number of lanes; 0 for a scalar.
unsigned lanesOf(mlir::Type type);
inline unsigned lanesOf(mlir::Value value) { return lanesOf(value.getType()); }
/// Returns the vector type, or `scalar` itself for 0 lanes.
mlir::Type withLanes(mlir::Type scalar, unsigned lanes);
/// Returns the type of one lane.
mlir::Type laneType(mlir::Type type);
inline mlir::Type laneType(mlir::Value value) { return laneType(value.getType()); }

class LaneBuilder {
public:
  LaneBuilder(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  mlir::OpBuilder &builder;
  mlir::Location loc;

  /// Returns a constant; if `type` is a vector, all lanes have the value.
  mlir::Value integer(mlir::Type type, const llvm::APInt &value);
  mlir::Value integer(mlir::Type type, int64_t value);
  mlir::Value real(mlir::Type type, double value);
  mlir::Value zero(mlir::Type type);
  mlir::Value i64(int64_t value) { return integer(builder.getI64Type(), value); }
  mlir::Value i1(bool value) { return integer(builder.getI1Type(), value); }
  /// Returns 0, 1, ..., lanes - 1.
  mlir::Value iota(mlir::Type element, unsigned lanes);
  mlir::Value splat(mlir::Value scalar, unsigned lanes);
  /// Splats scalars among `values` if any of them is a vector.
  void unify(llvm::MutableArrayRef<mlir::Value> values);
  mlir::Value extract(mlir::Value vector, unsigned lane);
  mlir::Value insert(mlir::Value vector, mlir::Value scalar, unsigned lane);
  /// Returns lanes [begin, begin + count).
  mlir::Value slice(mlir::Value vector, unsigned begin, unsigned count);
  mlir::Value concat(llvm::ArrayRef<mlir::Value> vectors);

  template <typename Op> mlir::Value make(mlir::Value a, mlir::Value b) {
    mlir::Value both[] = {a, b};
    unify(both);
    return Op::create(builder, loc, both[0], both[1]);
  }
  template <typename Op> mlir::Value make(mlir::Value a, int64_t b) {
    return Op::create(builder, loc, a, integer(a.getType(), b));
  }
#define TESSERA_LANE_OP(name, Op)                                                                  \
  mlir::Value name(mlir::Value a, mlir::Value b) { return make<mlir::LLVM::Op>(a, b); }            \
  mlir::Value name(mlir::Value a, int64_t b) { return make<mlir::LLVM::Op>(a, b); }
  TESSERA_LANE_OP(add, AddOp)
  TESSERA_LANE_OP(sub, SubOp)
  TESSERA_LANE_OP(mul, MulOp)
  TESSERA_LANE_OP(bitAnd, AndOp)
  TESSERA_LANE_OP(bitOr, OrOp)
  TESSERA_LANE_OP(bitXor, XOrOp)
  TESSERA_LANE_OP(shiftLeft, ShlOp)
  TESSERA_LANE_OP(shiftRight, LShrOp) // fills with zeros
  TESSERA_LANE_OP(signedShiftRight, AShrOp)
  TESSERA_LANE_OP(signedMin, SMinOp)
  TESSERA_LANE_OP(signedMax, SMaxOp)
  TESSERA_LANE_OP(unsignedMin, UMinOp)
#undef TESSERA_LANE_OP
#define TESSERA_LANE_OP(name, Op)                                                                  \
  mlir::Value name(mlir::Value a, mlir::Value b) { return make<mlir::LLVM::Op>(a, b); }            \
  mlir::Value name(mlir::Value a, double b) {                                                      \
    return mlir::LLVM::Op::create(builder, loc, a, real(a.getType(), b));                          \
  }
  TESSERA_LANE_OP(addFloat, FAddOp)
  TESSERA_LANE_OP(subFloat, FSubOp)
  TESSERA_LANE_OP(mulFloat, FMulOp)
  TESSERA_LANE_OP(divFloat, FDivOp)
#undef TESSERA_LANE_OP
  /// Returns a * b + c, rounded once if the processor has an instruction for that.
  mlir::Value mulAdd(mlir::Value a, mlir::Value b, mlir::Value c) {
    return mlir::LLVM::FMulAddOp::create(builder, loc, a, b, c);
  }
  mlir::Value mulAdd(mlir::Value a, mlir::Value b, double c) {
    return mulAdd(a, b, real(a.getType(), c));
  }
  mlir::Value absFloat(mlir::Value a) { return mlir::LLVM::FAbsOp::create(builder, loc, a); }
  mlir::Value squareRoot(mlir::Value a) { return mlir::LLVM::SqrtOp::create(builder, loc, a); }

  /// Returns the upper half of the product of two integers.
  mlir::Value highProduct(mlir::Value a, mlir::Value b, bool isSigned);

  mlir::Value compare(mlir::LLVM::ICmpPredicate predicate, mlir::Value a, mlir::Value b);
  mlir::Value compare(mlir::LLVM::ICmpPredicate predicate, mlir::Value a, int64_t b);
  mlir::Value compare(mlir::LLVM::FCmpPredicate predicate, mlir::Value a, mlir::Value b);
  mlir::Value compare(mlir::LLVM::FCmpPredicate predicate, mlir::Value a, double b) {
    return compare(predicate, a, real(a.getType(), b));
  }
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  mlir::Value logicalNot(mlir::Value value);
  /// Converts to the integer type `element` per lane: truncates or sign-extends.
  mlir::Value resizeSigned(mlir::Value value, mlir::Type element);
  mlir::Value resizeUnsigned(mlir::Value value, mlir::Type element);
  mlir::Value bitcast(mlir::Value value, mlir::Type element);
  /// Converts to the float type `element` per lane, exactly or rounded to nearest.
  mlir::Value resizeFloat(mlir::Value value, mlir::Type element);
  /// Converts a float to an integer of type `element`, rounding toward zero; values out of range
  /// saturate, and NaN becomes 0. (LLVM's own saturating conversion would be scalarised.)
  mlir::Value toInteger(mlir::Value value, mlir::Type element, bool isSigned);
  /// Calls an LLVM intrinsic by name; LLVM resolves overloaded types.
  mlir::Value intrinsic(llvm::StringRef name, mlir::Type result, mlir::ValueRange args);
  /// Returns the pointer plus bytes; either may be a vector.
  mlir::Value offset(mlir::Value pointer, mlir::Value bytes);
  mlir::Value offset(mlir::Value pointer, int64_t bytes) { return offset(pointer, i64(bytes)); }
  mlir::Value addressOf(mlir::Value pointer); // as i64
};

} // namespace tessera
