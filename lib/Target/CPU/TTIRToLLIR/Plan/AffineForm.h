//===- AffineForm.h - addresses and masks as affine functions ------------===//
// An integer or pointer tensor is affine if its element is
//
//   base + coefficient[0] * i0 + coefficient[1] * i1 + ...
//
// in the loop indices, where base and coefficients are uniform for the whole tile. An affine
// pointer with a coefficient of one element along the vector loop is accessed by plain vector
// loads; an affine mask `offset < n` is a bound of a loop.
//
// Integers narrower than 64 bits overflow. Sums and products are correct modulo 2^bits, so a form
// is correct modulo 2^bits throughout; only where a value leaves that arithmetic (because it is
// sign-extended into an address or compared) must it not have overflowed. A run-time guard checks
// each such place: the nest takes its fast path only if every guard holds, and computes lane by
// lane otherwise.
//===----------------------------------------------------------------------===//
#pragma once

#include "TileIndex.h"
#include "tessera/LLIR/LaneBuilder.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace tessera::cpu {

/// A compile-time constant, or a scalar of the form's type.
struct Coefficient {
  int64_t constant = 0;
  mlir::Value scalar; // used when set
  bool isZero() const { return !scalar && constant == 0; }
  bool isConstant(int64_t value) const { return !scalar && constant == value; }
  bool operator==(const Coefficient &other) const {
    return scalar == other.scalar && constant == other.constant;
  }
};

struct AffineForm {
  mlir::Value base; // an integer or !llvm.ptr; null in a trial
  unsigned bits = 64;
  llvm::SmallVector<Coefficient, 4> coefficients; // one per loop; bytes for pointers
};

/// One comparison of a mask: the interval of one loop in which it is true.
struct LoopBound {
  unsigned loop;
  mlir::Value begin, end; // i64, 0 <= begin, end <= extent; null in a trial
};

/// A mask as an interval for each loop, and the conditions that are no intervals.
struct MaskForm {
  llvm::SmallVector<LoopBound> bounds;
  llvm::SmallVector<mlir::Value> conditions; // i1 scalars, for the whole tile
  llvm::SmallVector<TileElement> rest;       // compared lane by lane
};

/// Finds forms and emits the code of their bases, coefficients and guards at one place in front of
/// the nest.
class AffineBuilder {
public:
  /// Returns the LLVM value of a scalar of the kernel.
  using ScalarLookup = llvm::function_ref<mlir::Value(mlir::Value)>;

  /// If `builder` is null, this is a trial: it finds out whether a form exists, and emits nothing.
  AffineBuilder(LaneBuilder *builder, ScalarLookup scalars, llvm::ArrayRef<int64_t> extents)
      : b(builder), scalars(scalars), extents(extents) {}

  std::optional<AffineForm> form(mlir::Value value, llvm::ArrayRef<int8_t> index);
  MaskForm mask(mlir::Value mask, llvm::ArrayRef<int8_t> index);

  /// The i1 scalars that must all hold for the forms to be correct.
  llvm::ArrayRef<mlir::Value> guards() const { return collected; }
  /// Returns whether some guard fails in ordinary programs: in the last tile of `offset % n`.
  bool mayFailOften() const { return sawRemainder; }

private:
  std::optional<AffineForm> compute(mlir::Value value, llvm::ArrayRef<int8_t> index);
  std::optional<AffineForm> computeProduct(mlir::Operation *op, llvm::ArrayRef<int8_t> index);
  std::optional<AffineForm> computeRemainder(mlir::Operation *op, llvm::ArrayRef<int8_t> index);
  std::optional<AffineForm> computeAddress(mlir::Operation *op, llvm::ArrayRef<int8_t> index);
  bool computeBound(mlir::Operation *compare, llvm::ArrayRef<int8_t> index, MaskForm &result);
  AffineForm uniform(mlir::Value base, unsigned bits) const;
  /// Returns the form in 64 bits, with a guard against an earlier overflow.
  AffineForm widen(AffineForm form, bool isSigned);
  std::pair<mlir::Value, mlir::Value> rangeOf(const AffineForm &wide);
  Coefficient combine(const Coefficient &a, const Coefficient &c, bool subtract);
  Coefficient scale(const Coefficient &a, const Coefficient &factor);
  mlir::Value materialize(const Coefficient &coefficient, unsigned bits);

  LaneBuilder *b;
  ScalarLookup scalars;
  llvm::ArrayRef<int64_t> extents;
  llvm::SmallVector<mlir::Value> collected;
  bool sawRemainder = false;
  llvm::DenseMap<TileElement, std::optional<AffineForm>> known;
};

} // namespace tessera::cpu
