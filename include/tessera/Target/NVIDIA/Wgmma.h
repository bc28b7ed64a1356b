//===- Wgmma.h - the warp group's matrix instruction, wgmma ---------------===//
// Which instruction takes which types, and how a dot becomes a list of them.
// nvidia-accelerate-matmul chooses layouts by it; the lowering emits the list.
//
// One instruction multiplies 64 x K by K x N with the four warps of a warp group; K is
// 32 bytes. B, and A unless registers hold it, lie in shared memory, where a matrix
// descriptor of 64 bits says how (PTX ISA, "Matrix descriptor"):
//
//   bits 0-13 start >> 4, 16-29 leading offset >> 4, 32-45 stride offset >> 4,
//   62-63 the swizzle: 0 none, 1 = 128 bytes, 2 = 64 bytes, 3 = 32 bytes
//
// A swizzle xors bits of the byte address: of 128 bytes, bits 4-6 with bits 7-9. So an
// operand's offset, unswizzled, is a sum over the bits of its coordinates, and a tile
// that starts anywhere is addressed by its unswizzled start.
//
// Registers, lane 4 * g + t of warp w (PTX ISA, "Register fragments of wgmma"):
//
//   D   4 * j + 2 * i + h: row 16 * w + g + 8 * i, column 8 * j + 2 * t + h
//   A   rows 16 * w + g and g + 8, the t-th words of both halves of K
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/LinearLayout.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/Target/NVIDIA/Spec.h"

namespace tessera::nvidia {

inline constexpr unsigned kWarpGroupWarps = 4;
/// Rows of one instruction.
inline constexpr unsigned kWgmmaRows = 64;
/// Bytes of K that one instruction multiplies.
inline constexpr unsigned kWgmmaInnerBytes = 32;
inline constexpr unsigned kMaxWgmmaColumns = 256;

/// The types of an instruction.
struct WgmmaTypes {
  unsigned bits; // of an element of A or B
  /// The types in the instruction's name: "f32.f16.f16".
  std::string name;
  /// The unit reads operands from shared memory that are contiguous along M or N instead of K.
  bool canTranspose;
  /// Integer instructions have no factors for A and B.
  bool isInteger;

  unsigned bytes() const { return bits / 8; }
  /// Elements along K.
  unsigned inner() const { return kWgmmaInnerBytes / bytes(); }
};

/// The instruction for elements of these types; nothing if there is none. Operands of 8
/// bits may differ in type (fp8).
std::optional<WgmmaTypes> findWgmma(const NvidiaSpec &spec, mlir::Type a, mlir::Type b,
                                    mlir::Type d, tt::InputPrecision precision);

/// How an operand lies in shared memory: coordinates are called outer (M or N) and inner (K).
struct WgmmaBuffer {
  /// The matrix descriptor without its start.
  uint64_t descriptor = 0;
  /// Contiguous along the outer coordinate.
  bool isTransposed = false;
  /// Bytes that each bit of a coordinate adds to the start, before swizzling. Matrices without a
  /// batch have no batchBytes.
  llvm::SmallVector<uint64_t, 8> outerBytes, innerBytes, batchBytes;

  uint64_t offsetOf(uint64_t outer, uint64_t inner, uint64_t batch = 0) const;
};

/// Returns the descriptor of tiles of `rows` x 32 bytes of a buffer (`layout` maps offsets to
/// coordinates, in elements of `types`); nothing if there is none. Cost: a few xors for each bit of
/// the buffer's size, for each of eight arrangements of tiles.
std::optional<WgmmaBuffer> describeWgmmaBuffer(const LinearLayout &layout, Dim outer, Dim inner,
                                               unsigned rows, const WgmmaTypes &types);

/// One instruction.
struct WgmmaStep {
  /// Bytes from the buffers' starts, before what the warp group adds; A's is unused where
  /// registers hold it.
  uint64_t a = 0, b = 0;
  /// Registers of A: 4 words of elements; empty where A is in shared memory.
  llvm::SmallVector<unsigned, 16> registers;
};

/// The instructions that add to the same registers: one after another along K.
struct WgmmaChain {
  llvm::SmallVector<unsigned> d; // registers, in the order of the fragment
  llvm::SmallVector<WgmmaStep> steps;
};

struct WgmmaPlan {
  unsigned columns = 0; // N
  std::optional<WgmmaBuffer> a;
  WgmmaBuffer b;
  llvm::SmallVector<WgmmaChain> chains;
  /// Bytes that each bit of the warp group's number adds to the starts of A and B.
  llvm::SmallVector<uint64_t, 4> groupA, groupB;
};

/// All instructions of one warp group for d += a * b. `a` maps offsets to elements
/// (shared memory) or registers, lanes and warps (the layout of D's rows); `b` offsets.
/// If registers hold A, lanes, warps and registers may stand for other rows than in the
/// PTX ISA's figures, as long as A and D agree. Returns nothing if an operand does not lie as
/// an instruction of `columns` columns wants it, or if registers of d hold an element twice.
/// Requires: matrices, or batches of them in front.
std::optional<WgmmaPlan> planWgmma(const LinearLayout &a, const LinearLayout &b,
                                   const LinearLayout &d, unsigned columns,
                                   const WgmmaTypes &types);

/// The layout of the transposed matrix, or batch of matrices.
LinearLayout transposeMatrix(const LinearLayout &layout);

} // namespace tessera::nvidia
