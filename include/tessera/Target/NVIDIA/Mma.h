//===- Mma.h - the warp's matrix instruction, mma.sync --------------------===//
// Finds the instruction for types, and plans the instructions of a tile. nvidia-accelerate-matmul
// chooses layouts by it; the lowering emits the planned instructions.
//
// One instruction multiplies 16 x K by K x 8 with the 32 lanes of a warp. Lane
// 4 * g + t has, of words of 32 bits (PTX ISA, "Matrix fragments for mma"):
//
//   A   rows g and g + 8, the t-th words of both halves of K
//   B   column g, the t-th words of both halves of K
//   D   rows g and g + 8, columns 2 * t and 2 * t + 1
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/MatrixPlan.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/Target/NVIDIA/Spec.h"

namespace tessera::nvidia {

/// The shape of one instruction. It always has 8 columns.
struct MmaShape {
  unsigned rows;  // 16, or 8 for fp64 before Hopper
  unsigned inner; // along K
  unsigned bits;  // of an element of A or B

  /// Elements in one register of A or B.
  unsigned elementsPerWord() const { return bits < 32 ? 32 / bits : 1; }
  /// Elements along K that a thread has.
  unsigned innerPerThread() const { return inner / 4; }
};

/// Returns PTX's name of an 8-bit float type that matrix instructions take; empty for other types.
llvm::StringRef nameOfFP8(mlir::Type type);

struct MmaInstruction {
  MmaShape shape;
  /// LLVM's name.
  std::string intrinsic;
};

/// The instruction for elements of these types; nothing if there is none. Operands
/// of the same width may differ in type (fp8).
std::optional<MmaInstruction> findMma(const NvidiaSpec &spec, mlir::Type a, mlir::Type b,
                                      mlir::Type d, tt::InputPrecision precision);

/// One instruction: the registers of its fragments, in the order of the words and
/// of the elements in them.
using MmaStep = MatrixStep;

/// All instructions of one thread for d += a * b, K outermost. Nothing if the layouts
/// are not those of fragments. Registers of d that hold the same element as an
/// earlier one do not occur. Requires: ranks are equal and at least 2.
std::optional<llvm::SmallVector<MmaStep>> planMma(const LinearLayout &a, const LinearLayout &b,
                                                  const LinearLayout &d, const MmaShape &shape);

} // namespace tessera::nvidia
