//===- DotPlan.h - how a product of two matrices is computed --------------===//
// [M, K] x [K, N] is computed in blocks of C that stay in registers during the loop over K: `rows`
// rows of `vectors` vectors of `lanes` sums. The plan contains the size of the block, what a lane
// sums, and which operands are first copied into another form. Sizes are powers of two, so blocks
// have no remainder.
//
//   DotPlan plan = planDot({.rows = 64, .columns = 64, .inner = 32, ...}, spec);
//
// A lane adds `group` products at a time (a "step" along K): one of floats, two of 16-bit integers,
// four of bytes.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/Target/CPU/Spec.h"
#include "mlir/IR/Types.h"
#include <cstdint>

namespace tessera::cpu {

/// Element types are TTIR's. Column-major: the two dimensions are exchanged in memory.
struct DotProblem {
  int64_t rows, columns, inner;
  mlir::Type a, b, result;
  bool columnMajorA = false, columnMajorB = false;
};

enum class DotArithmetic {
  Fused,   // c + a * b of floats, rounded once if the processor has FMA
  Wrapped, // c + a * b of integers
  Words,   // c + a0 * b0 + a1 * b1, of i16 into i32
  Bytes,   // four products of u8 and i8 into i32; 128 is added to A for it
};

struct DotPlan {
  DotArithmetic arithmetic;
  mlir::Type sum;  // the type of a lane's sum: f32, f64, i32, i64
  mlir::Type part; // the type to which an operand's elements are converted
  int64_t group;   // parts in a lane: together as wide as the sum
  int64_t steps;   // K / group

  int64_t rows, vectors, lanes; // the block of C in registers
  /// The number of partial sums per element of C, each over every chains-th step: with few
  /// registers, a block would otherwise wait for its own additions.
  int64_t chains;
  int64_t unroll;     // steps in the body of the innermost loop
  int64_t panelSteps; // steps of B that all rows use before the next panel

  bool columnMajorA, columnMajorB; // only set if it makes a difference
  bool convertA, convertB;         // whether elements must be converted
  bool packB;                      // B is copied to panels of `panelSteps` x block columns

  int64_t blockColumns() const { return vectors * lanes; }
  unsigned unitBytes() const { return sum.getIntOrFloatBitWidth() / 8; }
};

/// Returns whether the types are all floats or all integers.
bool canPlanDot(mlir::Type a, mlir::Type b, mlir::Type result);
DotPlan planDot(const DotProblem &problem, const CPUSpec &spec);

/// Returns the element type of a scaled dot's format; null if MLIR has no such type, as for e2m1.
mlir::Type scaledElementType(mlir::MLIRContext *context, tt::ScaleDotElemType format);

/// Returns why a dot cannot be lowered, and what would work; empty if it can be, and for other ops.
/// Floats can be multiplied with floats and integers with integers of any width; all dots of the
/// language are supported.
std::string explainUnsupportedDot(mlir::Operation *op);

} // namespace tessera::cpu
