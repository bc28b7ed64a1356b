//===- NamedLayouts.h - the named encodings as linear layouts ------------===//
// Each encoding that occurs in IR (#ttg.blocked, #ttg.nvidia_mma, ...) is a set of parameters here
// and a function that creates the layout for a shape. This file does not depend on MLIR: attributes
// contain these structs and call these functions.
//
//   BlockedParams p{.sizePerThread = {1, 4}, .threadsPerWarp = {8, 4},
//                   .warpsPerCTA = {2, 1}, .order = {1, 0}};
//   LinearLayout layout = blockedLayout({32, 32}, p);
//
// A tensor's layout maps (register, lane, warp, block) to (dim0, dim1, ...), a shared buffer's maps
// (offset, block). `order` lists dimensions fastest first.
//
// Fitting a tile to a shape: first the CTAs' part is divided off; then a tile smaller than the rest
// is repeated in registers (or offsets), and a larger one is folded, so that the excess bits become
// replication.
//
// Requires: whyInvalid(params, shape) returns nothing. Verifiers call that function; its string
// says what is wrong. Cost: microseconds.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/LinearLayout.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>
#include <string>

namespace tessera {

/// How the CTAs of a cluster split a tensor: one basis vector per bit of the block index, in units
/// of one CTA's part. Empty for a single CTA. A zero vector means that both CTAs hold the same
/// part.
using CgaBases = llvm::SmallVector<BasisVector, 2>;

/// Converts from the older three lists: for each dimension the number of CTAs and the number of
/// different parts among them, and the order in which CTAs are counted.
CgaBases cgaFromSplit(llvm::ArrayRef<unsigned> ctasPerCGA, llvm::ArrayRef<unsigned> ctaSplitNum,
                      llvm::ArrayRef<unsigned> ctaOrder);

/// Returns the shape of one CTA's part of a tensor of `shape`.
llvm::SmallVector<int64_t> shapePerCTA(llvm::ArrayRef<int64_t> shape, const CgaBases &cga);

/// Returns nothing if a layout can be created for this shape: every size is a power of two, with at
/// most 2^40 elements in total, and the rank is between 1 and Dim::maxRank.
std::optional<std::string> whyInvalidShape(llvm::ArrayRef<int64_t> shape);

// -- Distributed over threads ----------------------------------------------

struct BlockedParams {
  llvm::SmallVector<unsigned> sizePerThread;
  llvm::SmallVector<unsigned> threadsPerWarp;
  llvm::SmallVector<unsigned> warpsPerCTA;
  llvm::SmallVector<unsigned> order;
  CgaBases cga = {};
  bool operator==(const BlockedParams &) const = default;
};
/// Checks, without a shape, the rules that hold for every shape of that rank.
std::optional<std::string> whyInvalid(const BlockedParams &params);
std::optional<std::string> whyInvalid(const BlockedParams &params, llvm::ArrayRef<int64_t> shape);
LinearLayout blockedLayout(llvm::ArrayRef<int64_t> shape, const BlockedParams &params);

/// The layout of a tensor that lacks dimension `dim` of its parent. `parent` is the parent's layout
/// for sliceParentShape(shape, dim).
llvm::SmallVector<int64_t> sliceParentShape(llvm::ArrayRef<int64_t> shape, unsigned dim);
LinearLayout sliceLayout(const LinearLayout &parent, unsigned dim);

/// The accumulators of the tensor cores. Version 2 is mma.sync, with instrShape [.., 16, 8];
/// version 3 is wgmma, with [16, N, K], where 16 is the number of rows of one of the group's four
/// warps.
struct NvidiaMmaParams {
  unsigned versionMajor;
  unsigned versionMinor;
  llvm::SmallVector<unsigned> warpsPerCTA;
  llvm::SmallVector<unsigned> instrShape;
  CgaBases cga = {};
  bool operator==(const NvidiaMmaParams &) const = default;
};
std::optional<std::string> whyInvalid(const NvidiaMmaParams &params);
std::optional<std::string> whyInvalid(const NvidiaMmaParams &params, llvm::ArrayRef<int64_t> shape);
LinearLayout nvidiaMmaLayout(llvm::ArrayRef<int64_t> shape, const NvidiaMmaParams &params);

/// The accumulators of AMD's MFMA (CDNA, 64 lanes). `instrShape` is [M, N, K] of the instruction;
/// `isTransposed` exchanges rows and columns among registers and lanes; `elementBitWidth` is 64 for
/// f64 and 32 otherwise. A warp computes `tilesPerWarp` neighbouring tiles before the next warp's.
struct AmdMfmaParams {
  unsigned version;
  llvm::SmallVector<unsigned> warpsPerCTA;
  llvm::SmallVector<unsigned> instrShape;
  bool isTransposed;
  llvm::SmallVector<unsigned> tilesPerWarp;
  unsigned elementBitWidth = 32;
  CgaBases cga = {};
  bool operator==(const AmdMfmaParams &) const = default;
};
std::optional<std::string> whyInvalid(const AmdMfmaParams &params);
std::optional<std::string> whyInvalid(const AmdMfmaParams &params, llvm::ArrayRef<int64_t> shape);
LinearLayout amdMfmaLayout(llvm::ArrayRef<int64_t> shape, const AmdMfmaParams &params);

/// The accumulators of AMD's WMMA (RDNA, 32 lanes): version 1 is RDNA 3, version 2 is RDNA 4.
struct AmdWmmaParams {
  unsigned version;
  bool isTransposed;
  llvm::SmallVector<unsigned> warpsPerCTA;
  llvm::SmallVector<unsigned> tilesPerWarp;
  llvm::SmallVector<unsigned> instrShape;
  CgaBases cga = {};
  bool operator==(const AmdWmmaParams &) const = default;
};
std::optional<std::string> whyInvalid(const AmdWmmaParams &params);
std::optional<std::string> whyInvalid(const AmdWmmaParams &params, llvm::ArrayRef<int64_t> shape);
LinearLayout amdWmmaLayout(llvm::ArrayRef<int64_t> shape, const AmdWmmaParams &params);

/// The layout of operand A (opIdx 0) or B (opIdx 1) of a dot whose result has layout `parent`.
/// kWidth, a power of two, is the number of consecutive elements along K in one group of registers.
std::optional<std::string> whyInvalidDotOperand(unsigned opIdx, unsigned kWidth,
                                                const NvidiaMmaParams &parent);
LinearLayout dotOperandLayout(llvm::ArrayRef<int64_t> shape, unsigned opIdx, unsigned kWidth,
                              const NvidiaMmaParams &parent);
std::optional<std::string> whyInvalidDotOperand(unsigned opIdx, unsigned kWidth,
                                                const AmdMfmaParams &parent);
LinearLayout dotOperandLayout(llvm::ArrayRef<int64_t> shape, unsigned opIdx, unsigned kWidth,
                              const AmdMfmaParams &parent);
std::optional<std::string> whyInvalidDotOperand(unsigned opIdx, unsigned kWidth,
                                                const AmdWmmaParams &parent);
LinearLayout dotOperandLayout(llvm::ArrayRef<int64_t> shape, unsigned opIdx, unsigned kWidth,
                              const AmdWmmaParams &parent);
std::optional<std::string> whyInvalidDotOperand(unsigned opIdx, const BlockedParams &parent);
LinearLayout dotOperandLayout(llvm::ArrayRef<int64_t> shape, unsigned opIdx,
                              const BlockedParams &parent);

/// The layout of the bases that #ttg.linear lists, fitted to a shape. `bases` maps exactly
/// (register, lane, warp, block) to (dim0, ...).
std::optional<std::string> whyInvalidLinear(const LinearLayout &bases);
LinearLayout linearLayout(llvm::ArrayRef<int64_t> shape, const LinearLayout &bases);

// -- Shared memory -----------------------------------------------------------

/// A row-major buffer in which the number of each group of `vec` elements of a row is xored with
/// (row / perPhase) % maxPhase, so that a column uses all banks. vec = perPhase = maxPhase = 1 is
/// plain row-major order.
struct SwizzledSharedParams {
  unsigned vec;
  unsigned perPhase;
  unsigned maxPhase;
  llvm::SmallVector<unsigned> order;
  CgaBases cga = {};
  bool operator==(const SwizzledSharedParams &) const = default;
};
std::optional<std::string> whyInvalid(const SwizzledSharedParams &params);
std::optional<std::string> whyInvalid(const SwizzledSharedParams &params,
                                      llvm::ArrayRef<int64_t> shape);
LinearLayout swizzledSharedLayout(llvm::ArrayRef<int64_t> shape,
                                  const SwizzledSharedParams &params);
/// The same layout with the phase (row / perPhase) ^ (row / perPhase / maxPhase), mod maxPhase.
LinearLayout rotatingSharedLayout(llvm::ArrayRef<int64_t> shape,
                                  const SwizzledSharedParams &params);

/// The layout that TMA writes and wgmma reads: boxes of rows of swizzlingByteWidth bytes, in which
/// 16-byte chunks are xored with the row's index in the swizzle period.
struct NvmmaSharedParams {
  unsigned swizzlingByteWidth; // 0, 32, 64 or 128
  bool transposed;             // dim 0 is contiguous
  unsigned elementBitWidth;
  bool fp4Padded = false; // 8 bytes of data, then 8 of padding
  unsigned rank = 2;
  CgaBases cga = {};
  bool operator==(const NvmmaSharedParams &) const = default;
};
std::optional<std::string> whyInvalid(const NvmmaSharedParams &params);
std::optional<std::string> whyInvalid(const NvmmaSharedParams &params,
                                      llvm::ArrayRef<int64_t> shape);
LinearLayout nvmmaSharedLayout(llvm::ArrayRef<int64_t> shape, const NvmmaSharedParams &params);
/// Returns the widest swizzle that fits: the contiguous bytes per CTA are whole rows of it, with at
/// least 8 rows; otherwise 0.
unsigned chooseSwizzlingByteWidth(llvm::ArrayRef<int64_t> shapePerCTA, unsigned contiguousDim,
                                  unsigned elementBitWidth, bool fp4Padded);

/// The row-major layout for `order`. It is also the linear part of #ttg.padded_shared in its
/// order/shape form; padding is added to the offset afterwards (paddedOffset).
LinearLayout rowMajorSharedLayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order,
                                  const CgaBases &cga = {});

/// After every `interval` elements there are `padding` unused ones. Both are powers of two.
struct PaddingInterval {
  uint64_t interval;
  uint64_t padding;
  friend bool operator==(const PaddingInterval &, const PaddingInterval &) = default;
};
/// Returns the offset of element `offset` of the linear part with padding.
uint64_t paddedOffset(uint64_t offset, llvm::ArrayRef<PaddingInterval> intervals);

} // namespace tessera
