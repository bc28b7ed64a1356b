//===- SharedLiveness.h - which buffers are in use at the same time -------===//
// A buffer of a local_alloc is in use from there until nothing that may designate
// it is used any more, and until every copy into it, or by an engine out of it, and every
// asynchronous dot that reads it was waited for; on every path separately. A barrier is in use as
// long as the kernel runs. An op's scratch is in use while it runs.
//
//   %a = ttg.local_alloc %x
//   %y = ttg.local_load %a           a
//   %z = tt.reduce %y                scratch of the reduce: may lie where a lay
//
// Requires control flow as branches for the best result: all that is used inside an
// op with regions counts as in use together.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Analysis/SharedAliases.h"
#include "llvm/ADT/BitVector.h"

namespace tessera {

class SharedLiveness {
public:
  /// The buffers are those of `aliases`, then one for each of `scratchOps`. An estimate
  /// before control flow is branches may leave copies out, whose waits are inside loops.
  SharedLiveness(mlir::Region &region, const SharedAliases &aliases,
                 llvm::ArrayRef<mlir::Operation *> scratchOps, bool withCopies = true);

  /// Calls `visit` with every set of buffers that are in use at the same time; sets
  /// that are part of another may come too.
  void forEachSet(llvm::function_ref<void(const llvm::BitVector &)> visit) const {
    for (const llvm::BitVector &set : sets)
      visit(set);
  }

private:
  using Values = llvm::DenseMap<mlir::Value, unsigned>;
  /// The memdesc values that an op uses, its regions included.
  void addUses(mlir::Operation *op, llvm::BitVector &values) const;
  void addMadeInside(mlir::Operation *op, llvm::BitVector &values) const;
  void addScratch(mlir::Operation *op, llvm::BitVector &buffers) const;
  llvm::BitVector buffersOf(const llvm::BitVector &values) const;

  void solveValues(mlir::Region &region);
  void solveCopies(mlir::Region &region);
  void findBarriers(mlir::Region &region);
  /// What may still access a buffer after its last use: copies into it, copies out of it by an
  /// engine, and asynchronous dots. Sets of such accesses have `numBuffers` bits of each kind.
  enum AsyncKind : unsigned { kCopies, kDrains, kDotReads, kKinds };
  void advanceCopies(mlir::Operation &op, llvm::BitVector &underWay) const;
  llvm::BitVector eitherWay(const llvm::BitVector &underWay) const;
  void collect(mlir::Block &block, bool withCopies);

  const SharedAliases &aliases;
  llvm::DenseMap<mlir::Operation *, unsigned> scratchIndex;
  unsigned numBuffers;
  llvm::SmallVector<mlir::Value> memdescs;
  llvm::SmallVector<llvm::BitVector> buffersOfValue; // of memdescs
  Values numberOf;
  llvm::DenseMap<mlir::Block *, llvm::BitVector> liveOut;  // values
  llvm::DenseMap<mlir::Block *, llvm::BitVector> copiesIn; // as advanceCopies has them
  llvm::BitVector barriers;                                // buffers
  llvm::SmallVector<llvm::BitVector> sets;
};

} // namespace tessera
