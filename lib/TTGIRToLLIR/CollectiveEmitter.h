//===- CollectiveEmitter.h - emit planned reductions and scans ------------===//
// This is the machine that executes ReduceSteps and ScanSteps (ReducePlan.h, ScanPlan.h): a value
// is one scalar per operand, and every step emits instructions.
//===----------------------------------------------------------------------===//
#pragma once

#include "CombineFunction.h"
#include "tessera/TTGIR/Layout/ScanPlan.h"

namespace tessera {

class CollectiveEmitter {
public:
  using Value = llvm::SmallVector<mlir::Value, 2>;

  /// `op` has operands of the layout `layout`, and the plan needs `scratchElements` elements of
  /// shared memory for each. Fails with a diagnostic.
  static mlir::FailureOr<CollectiveEmitter>
  create(mlir::Operation *op, mlir::ValueRange operands, const LinearLayout &layout,
         unsigned scratchElements, const TTGIRTypeConverter &types, const TargetInfo &target,
         mlir::ConversionPatternRewriter &b);

  Value combine(const Value &left, const Value &right);
  std::optional<Value> combineAllLanes(const Value &value);
  std::optional<Value> combineInAnyOrder(const Value &value);
  Value shuffleXor(const Value &value, uint64_t mask);
  Value shuffleFrom(const Value &value, const LaneSource &source);
  Value select(const ThreadTest &test, const Value &yes, const Value &no);
  void store(const LinearLayout &layout, unsigned reg, const ThreadTest &writers,
             const Value &value, unsigned first = 0);
  void barrier() { target->barrier(*b, loc); }
  llvm::SmallVector<Value> load(const LinearLayout &layout, unsigned reg, unsigned slots,
                                unsigned first = 0);

private:
  /// One operand's part of shared memory.
  struct Memory {
    mlir::Value start;
    mlir::Type type; // of an element, in a register
    mlir::Type inMemory;
    unsigned bytes = 0; // of an element
  };

  CollectiveEmitter(mlir::OpBuilder &b, mlir::Location loc, const TargetInfo &target,
                    CombineFunction function, unsigned numThreads)
      : b(&b), loc(loc), target(&target), function(std::move(function)), numThreads(numThreads) {}

  mlir::Value emitTest(const ThreadTest &test);
  mlir::Value emitLane(const LaneSource &source);
  mlir::Value emitAddress(const Memory &memory, const LinearLayout &layout, unsigned reg,
                          unsigned first);
  llvm::SmallVector<mlir::Value> loadVectors(const Memory &memory, mlir::Value address,
                                             unsigned slots);

  mlir::OpBuilder *b;
  mlir::Location loc;
  const TargetInfo *target;
  CombineFunction function;
  unsigned numThreads;
  llvm::SmallVector<Memory, 2> memories;
  /// The offsets of each register in elements, for each layout of the plan, which outlives this.
  llvm::DenseMap<const LinearLayout *, llvm::SmallVector<mlir::Value>> offsets;
  llvm::DenseMap<std::pair<uint64_t, uint64_t>, mlir::Value> tests;
};

} // namespace tessera
