//===- DotPlan.h - how a product of two matrices is computed --------------===//
// [M, K] x [K, N] is computed in blocks of C that stay in registers while K
// passes by: `rows` rows of `vectors` vectors of `lanes` sums. The plan says
// how large the block is, what a lane sums, and which operands are copied into
// another form first. Sizes are powers of two, and so blocks have no rests.
//
//   DotPlan plan = planDot({.rows = 64, .columns = 64, .inner = 32, ...}, spec);
//
// A lane takes `group` products at a time (a "step" along K): one of floats,
// two of 16-bit integers, four of bytes.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/Target/CPU/Spec.h"
#include "mlir/IR/Types.h"
#include <cstdint>

namespace tessera::cpu {

/// Elements are TTIR's. Column-major: the dimensions change places in memory.
struct DotProblem {
  int64_t rows, columns, inner;
  mlir::Type a, b, result;
  bool columnMajorA = false, columnMajorB = false;
};

enum class DotArithmetic {
  Fused,   // c + a * b of floats, rounded once where the processor can
  Wrapped, // c + a * b of integers
  Words,   // c + a0 * b0 + a1 * b1, of i16 into i32
  Bytes,   // four products of u8 and i8 into i32: A is moved up by 128 for it
};

struct DotPlan {
  DotArithmetic arithmetic;
  mlir::Type sum;  // what a lane holds: f32, f64, i32, i64
  mlir::Type part; // what an operand's element is converted to
  int64_t group;   // parts in a lane: one unit, as wide as the sum
  int64_t steps;   // K / group

  int64_t rows, vectors, lanes; // the block of C in registers
  /// Sums per element of C, each over every chains-th step: a block of few
  /// registers would wait for its own additions.
  int64_t chains;
  int64_t unroll;     // steps in the body of the innermost loop
  int64_t panelSteps; // steps of B that are passed by all rows before the next

  bool columnMajorA, columnMajorB; // where that makes a difference
  bool convertA, convertB;         // elements are not parts
  bool packB;                      // B goes through panels of `panelSteps` x block columns

  int64_t blockColumns() const { return vectors * lanes; }
  unsigned unitBytes() const { return sum.getIntOrFloatBitWidth() / 8; }
};

/// All floats, or all integers.
bool canPlanDot(mlir::Type a, mlir::Type b, mlir::Type result);
DotPlan planDot(const DotProblem &problem, const CPUSpec &spec);

/// The type of a scaled dot's elements in a format; null where no MLIR type has it, as for e2m1.
mlir::Type scaledElementType(mlir::MLIRContext *context, tt::ScaleDotElemType format);

/// Why a dot cannot be lowered, and what would work; empty when it can, and for other ops. Floats
/// are multiplied among themselves and integers likewise, of any widths; all dots that the language
/// makes are supported.
std::string explainUnsupportedDot(mlir::Operation *op);

} // namespace tessera::cpu
