//===- AxisInfo.h - divisibility, contiguity and constancy of tensors ----===//
// For each value and dimension, this analysis computes powers of two. If the tensor is divided
// along the dimension into aligned runs, then
//
//   contiguity c    in each run of c, values increase by one (pointers: by one element)
//   divisibility v  the first value of each such run is a multiple of v (pointers: bytes)
//   constancy k     in each run of k, values are equal
//   prefix p        in each run of p, a bool that is false stays false: i < n for runs of i
//
//   %r = tt.make_range {start = 0, end = 1024}      c 1024, v 2^62, k 1
//   %s = tt.splat %pid * 1024                       c 1,    v 1024, k 1024
//   %o = arith.addi %s, %r                          c 1024, v 1024, k 1
//
// These facts decide how wide a load may be: alignedRun() values from an aligned start. They hold
// for TTIR and TTGIR alike; encodings are ignored.
//
// Integers overflow. Divisibility and constancy hold regardless, since a power of two divides 2^n;
// so does contiguity within alignedRun(), since a run that starts at a multiple of its length does
// not cross the end of the number range. Contiguity beyond alignedRun() holds if nothing
// overflowed: it may guide heuristics, but not justify correctness.
//
// Division and remainder round toward zero, which breaks runs of negative numbers; so they need the
// sign. It is known for ranges, program ids and constants, from `tl.assume` and tt.nonnegative, and
// for sums, products and quotients of such values (AxisInfoOptions).
//
// Cost: a sparse dataflow over the function, a few visits per op.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/VectorWidth.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <optional>

namespace tessera {

/// The facts along one dimension. All are powers of two.
struct Axis {
  int64_t contiguity = 1;
  int64_t divisibility = 1;
  int64_t constancy = 1;
  int64_t prefix = 1;
  bool operator==(const Axis &) const = default;
  /// Equal values are also a prefix of the run, or none of it.
  int64_t longestPrefix() const { return prefix > constancy ? prefix : constancy; }
};

class AxisInfo {
public:
  /// The divisibility of zero, and the largest claim.
  static constexpr int64_t unlimited = int64_t(1) << 62;

  /// Not computed yet: the neutral element of join.
  AxisInfo() = default;
  explicit AxisInfo(llvm::SmallVector<Axis, 3> axes) : axes(std::move(axes)) {}
  /// Nothing is known about a value of this type except its rank.
  static AxisInfo unknown(mlir::Type type);
  /// Every element is `value`, read as signed.
  static AxisInfo ofConstant(int64_t value, mlir::Type type);
  /// Poison may be replaced by any value: neutral for join as well.
  static AxisInfo poison();

  bool isComputed() const { return isPoison() || !axes.empty(); }
  bool isPoison() const { return poisoned; }

  /// A scalar has one dimension, of size 1.
  unsigned rank() const { return axes.size(); }
  const Axis &axis(unsigned dim) const { return axes[dim]; }
  Axis &axis(unsigned dim) { return axes[dim]; }
  int64_t contiguity(unsigned dim) const { return axes[dim].contiguity; }
  int64_t divisibility(unsigned dim) const { return axes[dim].divisibility; }
  int64_t constancy(unsigned dim) const { return axes[dim].constancy; }

  /// The value of all elements, sign-extended, if it is known.
  std::optional<int64_t> constant() const { return value; }
  bool isConstant(int64_t wanted) const { return value == wanted; }
  bool isNonNegative() const { return nonNegative; }
  void setNonNegative(bool is) { nonNegative = is; }

  /// Returns the length of the longest runs that are consecutive and start at a multiple of their
  /// length. `unit` is the distance between consecutive elements: 1, or the bytes of a pointer's
  /// element.
  int64_t alignedRun(unsigned dim, int64_t unit = 1) const;

  /// Returns the facts about a value that may be either.
  static AxisInfo join(const AxisInfo &lhs, const AxisInfo &rhs);
  bool operator==(const AxisInfo &) const = default;

  /// Prints contiguity = [1024], divisibility = [16], constancy = [1], constant_value = <none>.
  void print(llvm::raw_ostream &os) const;

private:
  llvm::SmallVector<Axis, 3> axes;
  std::optional<int64_t> value;
  bool nonNegative = false;
  bool poisoned = false;
};

/// Returns a divisor of the first value of each aligned run of `run`, if `axis` describes values
/// that are `unit` apart.
int64_t divisorAt(const Axis &axis, int64_t run, int64_t unit = 1);

/// Attribute of a kernel's argument (a unit attribute): the caller never passes a negative number.
inline constexpr llvm::StringLiteral kNonNegativeAttr = "tt.nonnegative";

struct AxisInfoOptions {
  /// Sums, products and left shifts of non-negative integers do not overflow to negative ones.
  /// Indices that do are out of bounds anyway; the debug mode reports them.
  bool assumeNoSignedOverflow = true;
  /// A scalar that divides an index is not negative: it is a number of tiles, a width or a size. A
  /// program outside of the problem's bounds may compute a negative one (`min(tiles - first,
  /// GROUP)`); its results are masked.
  bool assumePositiveDivisors = true;
};

/// The analysis runs on construction, over a function, or over a module and then across calls. The
/// results describe the IR at that time: a pass queries first and rewrites later.
class AxisInfoAnalysis {
public:
  explicit AxisInfoAnalysis(mlir::Operation *root, AxisInfoOptions options = {});
  ~AxisInfoAnalysis();

  /// Returns false if the dataflow failed; get() then returns nothing known.
  bool isValid() const;
  AxisInfo get(mlir::Value value) const;

  /// Returns, for each dimension of `pointers` (a tensor), the facts that Layout/VectorWidth.h
  /// needs about an access through it; `mask` may be null.
  llvm::SmallVector<AccessFacts> accessFacts(mlir::Value pointers, mlir::Value mask) const;
  /// The same for an access at `offsets`, a tensor of numbers of elements, from one pointer `base`.
  llvm::SmallVector<AccessFacts> accessFacts(mlir::Value base, mlir::Value offsets,
                                             mlir::Value mask) const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// Registers `--test-axis-info`, which prints the facts about each result as remarks.
void registerTestAxisInfoPass();

} // namespace tessera
