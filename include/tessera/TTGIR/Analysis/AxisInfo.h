//===- AxisInfo.h - what is known of integers and addresses in tensors ----===//
// Per value and per dimension, three powers of two. Cut the tensor along the
// dimension into aligned runs; then
//
//   contiguity c    in each run of c, values go up by one (pointers: by one element)
//   divisibility v  the first value of each such run is a multiple of v (pointers: bytes)
//   constancy k     in each run of k, values are equal
//   prefix p        in each run of p, a bool that is false stays so: i < n for runs of i
//
//   %r = tt.make_range {start = 0, end = 1024}      c 1024, v 2^62, k 1
//   %s = tt.splat %pid * 1024                       c 1,    v 1024, k 1024
//   %o = arith.addi %s, %r                          c 1024, v 1024, k 1
//
// These answer how wide a load may be: alignedRun() values from an aligned start.
// They hold for TTIR and TTGIR alike; encodings are not looked at.
//
// Integers wrap. Divisibility and constancy hold regardless, since a power of two
// divides 2^n; so does contiguity within alignedRun(), since a run that starts at a
// multiple of its length does not straddle the end of the number line. Contiguity
// beyond alignedRun() holds where nothing wrapped: use it to prefer, not to prove.
//
// Division and remainder round toward zero, which breaks runs below zero; so they need
// the sign. It is known of ranges, program ids and constants, of what `tl.assume` or
// tt.nonnegative promise, and of sums, products and quotients of such (AxisInfoOptions).
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

/// What is known along one dimension. All are powers of two.
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
  /// The divisibility of zero, and the most that is ever claimed.
  static constexpr int64_t unlimited = int64_t(1) << 62;

  /// Not computed yet; joins with anything to that.
  AxisInfo() = default;
  explicit AxisInfo(llvm::SmallVector<Axis, 3> axes) : axes(std::move(axes)) {}
  /// Nothing is known of a value of this type, but what `type` says of its rank.
  static AxisInfo unknown(mlir::Type type);
  /// Every element is `value`, read as signed.
  static AxisInfo ofConstant(int64_t value, mlir::Type type);
  /// May be taken for any value; joins with anything to that.
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

  /// The value of all elements, sign-extended, where it is known.
  std::optional<int64_t> constant() const { return value; }
  bool isConstant(int64_t wanted) const { return value == wanted; }
  bool isNonNegative() const { return nonNegative; }
  void setNonNegative(bool is) { nonNegative = is; }

  /// The longest runs that are consecutive and start at a multiple of their length.
  /// `unit` is the distance of neighbours: 1, or the bytes of a pointer's element.
  int64_t alignedRun(unsigned dim, int64_t unit = 1) const;

  /// What holds of a value that may be either.
  static AxisInfo join(const AxisInfo &lhs, const AxisInfo &rhs);
  bool operator==(const AxisInfo &) const = default;

  /// contiguity = [1024], divisibility = [16], constancy = [1], constant_value = <none>
  void print(llvm::raw_ostream &os) const;

private:
  llvm::SmallVector<Axis, 3> axes;
  std::optional<int64_t> value;
  bool nonNegative = false;
  bool poisoned = false;
};

/// What the first value of each aligned run of `run` is a multiple of, if `axis`
/// describes values that are `unit` apart.
int64_t divisorAt(const Axis &axis, int64_t run, int64_t unit = 1);

/// On a kernel's argument (a unit attribute): the caller never passes a negative number.
inline constexpr llvm::StringLiteral kNonNegativeAttr = "tt.nonnegative";

struct AxisInfoOptions {
  /// Sums, products and left shifts of non-negative integers do not wrap to negative
  /// ones. Indices that do are out of bounds already; the debug mode reports them.
  bool assumeNoSignedOverflow = true;
  /// One number that divides an index, or a whole tensor of them, is not negative: a
  /// number of tiles, a width, a size. A program beyond the work there is may compute one
  /// that is (`min(tiles - first, GROUP)`); what it then computes is masked out.
  bool assumePositiveDivisors = true;
};

/// Runs on construction, over a function, or over a module and then across calls.
/// The answers are for the IR as it was then: a pass asks first and rewrites later.
class AxisInfoAnalysis {
public:
  explicit AxisInfoAnalysis(mlir::Operation *root, AxisInfoOptions options = {});
  ~AxisInfoAnalysis();

  /// False if the dataflow failed; get() then knows nothing.
  bool isValid() const;
  AxisInfo get(mlir::Value value) const;

  /// Per dimension of `pointers` (a tensor), what Layout/VectorWidth.h wants to know of
  /// an access through it; `mask` may be null.
  llvm::SmallVector<AccessFacts> accessFacts(mlir::Value pointers, mlir::Value mask) const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// `--test-axis-info` prints what is known of each result, as remarks.
void registerTestAxisInfoPass();

} // namespace tessera
