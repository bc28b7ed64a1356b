//===- LinearLayout.h - the map from hardware to tensor coordinates ------===//
// A layout is a linear map over F2 from the bits of named hardware coordinates (register, lane,
// warp, block; or offset, for shared memory) to the bits of named tensor coordinates (dim0, dim1,
// ...). It is given by its value for each input bit, the bit's *basis*; every other value is an xor
// of bases:
//
//   register=1 -> (0,1)  register=2 -> (0,2)      a thread holds 4 in a row,
//   lane=1 -> (0,4)  lane=2 -> (1,0)              2 lanes across, 2 down
//
//   L(register=3, lane=3) = (0,1) ^ (0,2) ^ (0,4) ^ (1,0) = (1,7)
//
// All sizes are powers of two. A zero basis means replication: both values of the bit hold the same
// element. Register order is the order of a thread's values in lowered code, so the order of
// register bases matters to every lowering.
//
// Named dimensions are ordered. If an operation needs one flat index (flatten, reshape, applyFlat,
// matrix), the first listed dimension is the most minor.
//
// Requires: at most 64 input bits and 64 output bits in total; no name twice on one side. The
// functions that create layouts from parsed IR check this, and the algebra relies on it. If a
// result may not exist, it is optional. Cost: a value of about 300 bytes without heap storage for
// up to 24 input bits.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/Dim.h"
#include "tessera/TTGIR/Layout/F2Matrix.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>
#include <string>

namespace llvm {
class raw_ostream;
}

namespace tessera {

/// A named dimension of size 2^bits.
struct DimBits {
  Dim dim;
  unsigned bits;
  uint64_t size() const { return uint64_t(1) << bits; }
  friend bool operator==(const DimBits &, const DimBits &) = default;
};

/// A coordinate: the index along one named dimension.
struct DimIndex {
  Dim dim;
  uint64_t index;
  friend bool operator==(const DimIndex &, const DimIndex &) = default;
};
using Point = llvm::SmallVector<DimIndex, 4>;

/// A basis vector, one component per output dimension, as people write it.
using BasisVector = llvm::SmallVector<int64_t, 4>;

/// The bases of one input dimension, lowest bit first.
struct DimBases {
  Dim dim;
  llvm::SmallVector<BasisVector> bases;
};

class LinearLayout {
public:
  /// A layout without dimensions: the neutral element of operator*.
  LinearLayout() = default;

  // -- Construction --------------------------------------------------------
  // Sizes and strides are powers of two.

  /// Returns x -> x.
  static LinearLayout identity(uint64_t size, Dim in, Dim out);
  /// Returns x -> stride * x, with an output of size * stride.
  static LinearLayout strided(uint64_t size, uint64_t stride, Dim in, Dim out);
  /// Returns x -> 0, with an output of `outSize`.
  static LinearLayout zeros(uint64_t size, Dim in, Dim out, uint64_t outSize = 1);
  /// Returns the zero map between the given dimensions.
  static LinearLayout zeros(llvm::ArrayRef<DimBits> ins, llvm::ArrayRef<DimBits> outs);
  /// Creates a layout from explicit bases. Without `outs`' sizes, each output dimension is as large
  /// as its largest component needs. Returns nothing if a name repeats, a vector has the wrong
  /// length, a component is negative or does not fit its dimension, or either side has more than 62
  /// bits.
  static std::optional<LinearLayout> fromBases(llvm::ArrayRef<DimBases> ins,
                                               llvm::ArrayRef<Dim> outs);
  static std::optional<LinearLayout> fromBases(llvm::ArrayRef<DimBases> ins,
                                               llvm::ArrayRef<DimBits> outs);
  /// Column c of `matrix` is the value of flat input bit c. Requires the matrix to have as many
  /// columns and rows as there are bits.
  static LinearLayout fromMatrix(const F2Matrix &matrix, llvm::ArrayRef<DimBits> ins,
                                 llvm::ArrayRef<DimBits> outs);

  // -- Shape ---------------------------------------------------------------

  llvm::ArrayRef<DimBits> ins() const { return inputs; }
  llvm::ArrayRef<DimBits> outs() const { return outputs; }
  llvm::SmallVector<Dim, 4> inDims() const;
  llvm::SmallVector<Dim, 4> outDims() const;
  bool hasIn(Dim dim) const;
  bool hasOut(Dim dim) const;
  /// Returns the bits of a dimension; 0 if there is no such dimension.
  unsigned inBits(Dim dim) const;
  unsigned outBits(Dim dim) const;
  uint64_t inSize(Dim dim) const { return uint64_t(1) << inBits(dim); }
  uint64_t outSize(Dim dim) const { return uint64_t(1) << outBits(dim); }
  unsigned totalInBits() const { return columns.size(); }
  unsigned totalOutBits() const;

  // -- Values --------------------------------------------------------------

  /// Returns the image of a point; coordinates that `point` does not name are zero.
  Point apply(llvm::ArrayRef<DimIndex> point) const;
  /// Returns one coordinate of the image.
  uint64_t apply(llvm::ArrayRef<DimIndex> point, Dim out) const;
  /// Returns the flat image of a flat index.
  uint64_t applyFlat(uint64_t input) const;

  /// Returns the value of bit `bit` of `in` along `out`; 0 if `out` does not exist.
  uint64_t basis(Dim in, unsigned bit, Dim out) const;
  /// Returns all components, in the order of outs().
  BasisVector basis(Dim in, unsigned bit) const;
  /// Returns the basis as one flat index.
  uint64_t flatBasis(Dim in, unsigned bit) const;
  llvm::ArrayRef<uint64_t> flatBases() const { return columns; }
  F2Matrix matrix() const;

  // -- Properties ----------------------------------------------------------

  /// Returns whether every output is reached. (For a tensor's layout: every element has a place.)
  bool isSurjective() const;
  /// Returns whether no two inputs have the same output. (There is no replication.)
  bool isInjective() const;
  bool isInvertible() const { return isSurjective() && isInjective(); }
  /// Returns whether each of `dims` maps to the output of the same name as the identity, and no
  /// other input does: then it can be removed (quotient).
  bool isTrivialOver(llvm::ArrayRef<Dim> dims) const;
  /// Returns whether all of `ins` map to zero along all of `outs`.
  bool isZero(llvm::ArrayRef<Dim> ins, llvm::ArrayRef<Dim> outs) const;
  /// Returns the largest power of two n such that blocks of n consecutive flat inputs map to n
  /// consecutive flat outputs, in order and aligned to n.
  uint64_t numConsecutive() const;
  /// Returns, for each input dimension, the bits that can be held at zero without losing any
  /// output; the rest is injective. Of equivalent bits the earliest stays.
  Point freeVariableMasks() const;

  // -- Algebra -------------------------------------------------------------

  /// The product: shared inputs get rhs's bits above ours, shared outputs get rhs's values
  /// multiplied by our size; other dimensions are appended.
  LinearLayout operator*(const LinearLayout &rhs) const;
  LinearLayout &operator*=(const LinearLayout &rhs) { return *this = *this * rhs; }

  /// Returns next(this(x)). Our outputs become next's inputs of the same name. Inputs of `next`
  /// that we do not have stay zero.
  LinearLayout compose(const LinearLayout &next) const;
  /// Returns nothing unless isInvertible().
  std::optional<LinearLayout> invert() const;
  /// Returns a map P with this(P(y)) == y, or nothing unless isSurjective(). Of several inputs with
  /// the same image, it chooses the one whose free bits are zero.
  std::optional<LinearLayout> pseudoinvert() const;
  /// Returns a map X from our inputs to outer's with outer(X(p)) == this(p); nothing if outer does
  /// not reach all our outputs. An input bit whose basis is the same in both maps to itself,
  /// replicated or not, so that data which need not move does not. Otherwise X prefers outer's
  /// earlier inputs (register before lane ...). Requires: the same output names, in any order.
  std::optional<LinearLayout> invertAndCompose(const LinearLayout &outer) const;

  /// Returns Q such that divisor * Q equals this up to the order of dimensions. Q has all our
  /// dimensions; those that are used up have size 1.
  std::optional<LinearLayout> divideLeft(const LinearLayout &divisor) const;
  /// Returns Q such that Q * divisor equals this up to the order of dimensions.
  std::optional<LinearLayout> divideRight(const LinearLayout &divisor) const;
  /// Returns this layout without `dims`, or nothing unless isTrivialOver(dims).
  std::optional<LinearLayout> quotient(llvm::ArrayRef<Dim> dims) const;

  // -- Dimensions ----------------------------------------------------------

  /// Returns the map from the given inputs (others held at zero) to the given outputs (others
  /// dropped), in the order of this layout. Names that do not occur are ignored.
  LinearLayout sublayout(llvm::ArrayRef<Dim> ins, llvm::ArrayRef<Dim> outs) const;
  /// Reorders dimensions. Returns nothing unless `order` is a permutation of our names.
  std::optional<LinearLayout> transposeIns(llvm::ArrayRef<Dim> order) const;
  std::optional<LinearLayout> transposeOuts(llvm::ArrayRef<Dim> order) const;
  /// Splits the flat index into new dimensions. Returns nothing unless the bits add up.
  std::optional<LinearLayout> reshapeIns(llvm::ArrayRef<DimBits> dims) const;
  std::optional<LinearLayout> reshapeOuts(llvm::ArrayRef<DimBits> dims) const;
  /// Merges all inputs (outputs) into one dimension.
  LinearLayout flattenIns(Dim dim) const;
  LinearLayout flattenOuts(Dim dim) const;
  /// Renames dimensions, position by position. Returns nothing unless there are as many names as
  /// dimensions, all different.
  std::optional<LinearLayout> renameIns(llvm::ArrayRef<Dim> names) const;
  std::optional<LinearLayout> renameOuts(llvm::ArrayRef<Dim> names) const;

  /// Joins the inputs of both, with the same outputs (same names in the same order; sizes grow to
  /// the larger). L(x, y) = this(x) ^ other(y). Returns nothing if the outputs differ or an input
  /// occurs in both.
  std::optional<LinearLayout> concatIns(const LinearLayout &other) const;
  /// Joins the outputs of both, with the same inputs. Returns nothing if the inputs differ in name,
  /// order or size, or an output occurs in both.
  std::optional<LinearLayout> concatOuts(const LinearLayout &other) const;

  /// Appends a dimension of size 1 (if there is none of that name).
  LinearLayout unsqueezeIn(Dim dim) const;
  LinearLayout unsqueezeOut(Dim dim) const;
  /// Adds replicated (zero) high bits, or drops the highest ones.
  LinearLayout resizeIn(Dim dim, uint64_t size) const;
  /// Enlarges an output, or reduces it: a basis whose component no longer fits loses that
  /// component, so its bit becomes replication along `dim`.
  LinearLayout resizeOut(Dim dim, uint64_t size) const;
  /// Makes all bits of `in` replication; sizes stay.
  LinearLayout zeroOut(Dim in) const;
  /// Drops the bits of `in` that have a zero basis.
  LinearLayout removeZeroBases(Dim in) const;
  /// Keeps only the listed bits of `in`, in the listed order.
  LinearLayout selectInBits(Dim in, llvm::ArrayRef<unsigned> bits) const;

  // -- Comparing and printing ----------------------------------------------

  /// Returns whether dimensions, their order, their sizes and all bases are the same.
  friend bool operator==(const LinearLayout &, const LinearLayout &) = default;
  /// Returns whether the maps are the same; output sizes (hence surjectivity) may differ.
  bool equalIgnoringOutSizes(const LinearLayout &other) const;
  friend llvm::hash_code hash_value(const LinearLayout &layout);

  /// One line per input dimension and one for the outputs:
  ///   register=1 -> (0,1), register=2 -> (0,2)
  ///   lane=1 -> (1,0)
  ///   warp has size 1
  ///   outs: dim0 (size 2), dim1 (size 4)
  void print(llvm::raw_ostream &os) const;
  std::string str() const;

private:
  llvm::SmallVector<DimBits, 4> inputs;
  llvm::SmallVector<DimBits, 4> outputs;
  /// The flat value of each flat input bit.
  llvm::SmallVector<uint64_t, 24> columns;
};

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const LinearLayout &layout);

} // namespace tessera
