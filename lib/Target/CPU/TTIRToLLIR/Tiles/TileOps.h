//===- TileOps.h - ops that take whole tensors ----------------------------===//
// Ops whose elements depend on more of an operand than the element at the same index. Their tensor
// operands are in memory when they run, and so are their results; all other ops are fused into
// loops (FusionPlan.h).
//
// A tile is row-major and dense, begins at a cache line, and stores elements in the representation
// of convertElement(): small floats as their bits, i1 as a byte, pointers as eight bytes. Shapes
// are powers of two.
//
// Each function appends code at the insertion point and leaves the builder at the end of that code
// (possibly in another block). The size of the code does not depend on the shapes. No result shares
// memory with an operand.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTIR/IR/TTOps.h"
#include "tessera/Target/CPU/IR/TTCOps.h"
#include "../Kernel/KernelContext.h"
#include "../Kernel/ScalarBlockLowering.h"
#include "../Plan/WholeTileOps.h"
#include <optional>

namespace tessera::cpu {

/// A tensor in memory.
struct Tile {
  mlir::Value address;
  llvm::SmallVector<int64_t, 4> shape;
  mlir::Type element; // TTIR's: f16, !tt.ptr<f32>, i1
  /// The last two dimensions are exchanged in memory; only for operands of a dot.
  bool columnMajor = false;

  int64_t elements() const {
    int64_t count = 1;
    for (int64_t extent : shape)
      count *= extent;
    return count;
  }
};

/// Lowers an op for which isWholeTileOp() holds: takes its operands' tiles and scalars from the
/// context, and adds those of its results. `scalarBlocks` lowers regions that run for each element.
void emitTileOp(KernelContext &context, ScalarBlockLowering &scalarBlocks, mlir::Operation *op);

/// An operand that may be a tensor or a scalar: a tile or a scalar's LLVM value; neither if the
/// operand is absent.
struct TileOrScalar {
  std::optional<Tile> tile;
  mlir::Value scalar;
  explicit operator bool() const { return tile || scalar; }
};

// Dot.cpp. `accumulator` is empty if it is zero.
void emitDot(KernelContext &context, tt::DotOp op, const Tile &a, const Tile &b,
             const std::optional<Tile> &accumulator, const Tile &result);
void emitDotScaled(KernelContext &context, tt::DotScaledOp op, const Tile &a,
                   const std::optional<Tile> &aScale, const Tile &b,
                   const std::optional<Tile> &bScale, const std::optional<Tile> &accumulator,
                   const Tile &result);

// Scan.cpp.
void emitScan(KernelContext &context, ScalarBlockLowering &scalarBlocks, tt::ScanOp op,
              llvm::ArrayRef<Tile> operands, llvm::ArrayRef<Tile> results);

// ReduceElements.cpp. For functions that cannot be applied to vectors; `results`
// is empty where they are scalars.
void emitReduceElements(KernelContext &context, ScalarBlockLowering &scalarBlocks, tt::ReduceOp op,
                        llvm::ArrayRef<Tile> operands, llvm::ArrayRef<Tile> results);

// Rearrange.cpp.
void emitGather(KernelContext &context, tt::GatherOp op, const Tile &source, const Tile &indices,
                const Tile &result);
void emitHistogram(KernelContext &context, tt::HistogramOp op, const Tile &source,
                   const std::optional<Tile> &mask, const Tile &result);
void emitCat(KernelContext &context, tt::CatOp op, const Tile &left, const Tile &right,
             const Tile &result);

// Exchange.cpp.
void emitExchange(KernelContext &context, ttc::ExchangeOp op, const Tile &source,
                  const Tile &result);

// Atomics.cpp. Operands are all tiles or all scalars, but for a scalar mask.
// `result` is empty when nobody reads it; the scalar form returns the old value.
mlir::Value emitAtomicRMW(KernelContext &context, tt::AtomicRMWOp op, const TileOrScalar &pointer,
                          const TileOrScalar &value, const TileOrScalar &mask,
                          const std::optional<Tile> &result);
mlir::Value emitAtomicCAS(KernelContext &context, tt::AtomicCASOp op, const TileOrScalar &pointer,
                          const TileOrScalar &compare, const TileOrScalar &value,
                          const std::optional<Tile> &result);

// PrintAssert.cpp. A failed assertion leaves the kernel.
void emitPrint(KernelContext &context, tt::PrintOp op, llvm::ArrayRef<TileOrScalar> operands);
void emitAssert(KernelContext &context, tt::AssertOp op, const TileOrScalar &condition);

// MapElementwise.cpp.
void emitMapElementwise(KernelContext &context, ScalarBlockLowering &scalarBlocks,
                        tt::MapElementwiseOp op, llvm::ArrayRef<Tile> operands,
                        llvm::ArrayRef<Tile> results);

} // namespace tessera::cpu
