//===- MatrixInstructions.h - MFMA and WMMA -------------------------------===//
// Finds the matrix instruction for types and sizes, and says how it distributes its fragments over
// the lanes of a warp. amd-accelerate-matmul chooses layouts by it; the lowering emits the
// instructions that planMatrix lists.
//
//   MFMA (CDNA, 64 lanes)  32x32, 16x16; 4x64 as 16 blocks of 4x4 that share the rows of A
//   WMMA (RDNA, 32 lanes)  16x16
//
// `size` names these: 32, 16 or 4.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/MatrixPlan.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/Target/AMD/Spec.h"

namespace tessera::amd {

/// How the intrinsic declares the elements of A or B that a lane holds.
enum class OperandWord {
  Elements, // a vector of them, or one
  Shorts,   // a vector of i16
  Integer,  // one integer
  Words,    // a vector of i32
};

struct MatrixInstruction {
  /// 32, 16 or 4: see above.
  unsigned size;
  /// K of one instruction, and the elements along K of one lane.
  unsigned inner, perLane;
  /// LLVM's name after "llvm.amdgcn.".
  std::string intrinsic;
  OperandWord word;
  /// The result is f64, whose rows lie in another order.
  bool isDouble = false;
  /// WMMA whose lanes 16 to 31 repeat the operands of the lanes 0 to 15.
  bool repeatsOperands = false;
  bool isWMMA = false;
  /// Takes a scale for each 32 elements along K; operands are of 8 bits or fewer.
  bool isScaled = false;

  /// The lanes along K; those that repeat others do not count.
  unsigned innerLanes() const { return inner / perLane; }
  unsigned rows() const { return size; }
  unsigned columns() const { return size == 4 ? 64 : size; }
  /// The maps of the fragments. A transposed product is that of B^T and A^T.
  MatrixTile tile() const;
  /// The maps of a product with scales, whose operands count bytes along K. Two elements of e2m1
  /// are a byte.
  MatrixTile scaledTile(bool isPackedA, bool isPackedB) const;
};

/// The instruction of `size` for a product with scales, whose K is at most `maxInner`.
std::optional<MatrixInstruction> findScaledInstruction(const AmdSpec &spec, unsigned size,
                                                       int64_t maxInner);

/// The elements along K that share a scale, and the bytes along K that a lane holds together.
constexpr unsigned kScaleGroup = 32, kScaledBytes = 16;

/// Returns the layout of the scales [outer, K / 32] of an operand with layout `operand`, which
/// counts bytes along its dimension `k` and other places along `outer`: a lane has the scale of its
/// own row (or column) for the group along K with its number.
LinearLayout scaleLayout(const MatrixInstruction &instruction, const LinearLayout &operand, Dim k,
                         Dim outer, bool isPacked);

/// The instruction of `size` for elements of these types with the largest K that is at most
/// `maxInner`; nothing if there is none. Operands of 8 bits may differ in type.
std::optional<MatrixInstruction> findMatrixInstruction(const AmdSpec &spec, unsigned size,
                                                       mlir::Type a, mlir::Type b, mlir::Type d,
                                                       tt::InputPrecision precision,
                                                       int64_t maxInner);

/// Returns whether matrix instructions of the chip take this 8-bit float type.
bool takesFP8(const AmdSpec &spec, mlir::Type type);

} // namespace tessera::amd
