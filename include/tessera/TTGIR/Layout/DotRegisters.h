//===- DotRegisters.h - match the registers of a dot ---------------------===//
// d[.., m, n] += a[.., m, k] * b[.., k, n], each tensor in a layout of its own. Layouts are linear,
// so a thread's registers can be matched independently of the thread: the thread's contribution to
// an index must be the same in the tensors that share it, and the registers' contribution is looked
// up.
//
//   d: register=1 -> (0,1)   lane=1 -> (1,0)      a thread has two columns of a row
//   a: register=1 -> (0,1)   lane=1 -> (1,0)      the whole of K = 2 of that row
//   b: register=1 -> (0,1)  register=2 -> (1,0)   and both columns
//     planFma: d0 += a0 * b0 + a1 * b2,  d1 += a0 * b1 + a1 * b3
//
// Cost: one table entry per register, one lookup per multiply-add.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/LinearLayout.h"
#include "llvm/ADT/DenseMap.h"

namespace tessera {

/// Finds the register that holds an element by the registers' contribution to its index.
class RegisterLookup {
public:
  explicit RegisterLookup(const LinearLayout &layout);
  /// Returns the first register at `index`, one coordinate per output dimension in order.
  std::optional<unsigned> find(llvm::ArrayRef<uint64_t> index) const;

private:
  llvm::SmallVector<unsigned, 4> shifts;
  llvm::DenseMap<uint64_t, unsigned> registers;
};

/// Returns the index that a register contributes, one coordinate per output dimension.
llvm::SmallVector<uint64_t, 4> registerIndex(const LinearLayout &layout, unsigned reg);

/// Returns whether every bit of `in` moves x and y alike along each of `dims`.
bool moveAlike(const LinearLayout &x, const LinearLayout &y, Dim in, llvm::ArrayRef<Dim> dims);

/// The multiply-adds of one thread.
struct FmaPlan {
  /// Elements along K.
  unsigned inner = 0;
  /// One register of d for each element that the thread holds of it.
  llvm::SmallVector<unsigned> results;
  /// For each register of d, which of `results` holds its element.
  llvm::SmallVector<unsigned> holder;
  /// For result i and index k, the factors' registers at i * inner + k.
  llvm::SmallVector<unsigned> a, b;
};

/// Returns nothing unless each thread holds all of K of the rows and columns it needs. Requires:
/// ranks are equal and at least 2.
std::optional<FmaPlan> planFma(const LinearLayout &a, const LinearLayout &b, const LinearLayout &d);

} // namespace tessera
