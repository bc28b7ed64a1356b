//===- TensorMapPlan.h - whether a tensor map can replace pointers --------===//
// A load or store of a tile through pointers touches what a tensor copy (TMA) touches if addresses
// and mask have the form of one: each dimension of the tile has one stride, indices are a start
// plus the index in the tile, and the mask compares indices with bounds.
//
//   a + (start_m + i) * stride + (64 k + j)    mask j < K - 64 k
//     =>  extents [_, K], strides [stride, 1], coordinates [start_m, 64 k]
//
// The conditions, each of which has a sentence for the remark of an access that fails it:
//  1. The address is a polynomial (BlockAddresses.h): one pointer argument, plus a stride times the
//     index along each dimension, plus terms that are equal for the whole tile.
//  2. One dimension's stride is 1. The others, and the argument, are multiples of 16 bytes, and
//     functions of the kernel's arguments. The start along the first one is a multiple of 16 bytes,
//     too: the copy of another address is an illegal instruction, as seen on an H200.
//  3. The mask is a conjunction of `index < bound` and `index >= 0` along dimensions. Bounds are
//     functions of arguments, up to terms that are part of the dimension's start. Elements that are
//     masked read as zero.
//  4. What is left of the address is a multiple of a dimension's stride and becomes part of its
//     coordinate, or a dimension of its own, of size one in the tile: batches, heads.
//  5. Coordinates are not negative: outside of the tensor a copy reads zeros, the load does not.
//     They have 32 bits. Terms that may be larger than that, or negative, are dimensions of their
//     own, with strides that the launcher checks.
//  6. Indices that are changed beyond a bound, as by (start + i) % M, or by
//     where(start + i < M, start + i, 0): a copy reads zeros for i >= M - start. Either the mask
//     has the same bound, or the caller has to show that nobody sees those elements
//     (ObservedElements.h).
//
// A dimension without mask has no bound: what the program says it reads, it may read.
//
// The launcher builds such maps. The kernel makes the map of a descriptor whose parts come from
// memory, or differ between programs: then "a function of arguments" means any scalar that is
// computed before the map is made, and the mask has to be that of the descriptor, which compares
// the indices along each dimension with a size as unsigned numbers.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Analysis/AxisInfo.h"
#include "tessera/TTGIR/Analysis/BlockAddresses.h"
#include "tessera/TTIR/IR/TTOps.h"

namespace tessera::nvidia {

struct TensorMapPlan {
  struct Dimension {
    /// The dimension of the tile; nothing for one of size one.
    std::optional<unsigned> tileDim;
    /// In elements; 1 for the last dimension.
    Polynomial stride;
    /// Nothing if there is no bound.
    std::optional<Polynomial> extent;
    Polynomial coordinate;
    /// Coordinate and extent are the start and bound of indices that are changed beyond the bound,
    /// which the caller must justify.
    bool isBent = false;
  };
  mlir::Value base;  ///< an argument of the kernel, if the launcher builds the map
  Polynomial offset; ///< of the tensor from there, in elements; a function of arguments
  llvm::SmallVector<Dimension> dims; ///< the last one is contiguous
};

/// Who makes a tensor map.
enum class MapMaker { Launcher, Kernel };

/// A load or store of a tile.
struct TileAccess {
  mlir::Value pointers, mask; ///< the mask may be null
  mlir::RankedTensorType type;
};

/// Returns the plan, or nothing and the condition that fails.
std::optional<TensorMapPlan> planTensorMap(const TileAccess &access, MapMaker maker,
                                           BlockAddresses &addresses, const AxisInfoAnalysis &axes,
                                           llvm::StringRef &reason);

/// What is known about the polynomials of a plan.
class PlanFacts {
public:
  PlanFacts(const BlockAddresses &addresses, const AxisInfoAnalysis &axes)
      : addresses(addresses), axes(axes) {}
  /// Program ids and iterations are not negative; AxisInfo knows more.
  bool isNonNegative(const Polynomial &polynomial) const;
  /// Returns a power of two that divides the polynomial's value.
  int64_t divisorOf(const Polynomial &polynomial) const;
  /// Returns whether both are one value, of which one may carry a hint.
  bool areSame(const Polynomial &a, const Polynomial &b) const;

private:
  const BlockAddresses &addresses;
  const AxisInfoAnalysis &axes;
};

/// Returns whether the launcher can compute the value from the kernel's arguments.
bool isKnownAtLaunch(mlir::Value value);

} // namespace tessera::nvidia
