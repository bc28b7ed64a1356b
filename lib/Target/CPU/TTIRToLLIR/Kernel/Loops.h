//===- Loops.h - counted loops in the LLVM dialect ------------------------===//
// Ops on whole tiles are written as nests of these loops:
//
//   forEach(b, b.i64(0), b.i64(rows), 1, [&](Value row) {
//     ... code at b.builder's place, which may end in another block ...
//   });
//
// Values that iterations pass on are either loop-carried (the second form) or kept in memory.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/LLIR/LaneBuilder.h"

namespace tessera::cpu {

/// Appends an empty block to the function that `b` builds in.
mlir::Block *appendBlock(LaneBuilder &b, mlir::TypeRange arguments = {});

/// Emits for (index = begin; index < end; index += step), signed, all i64.
void forEach(LaneBuilder &b, mlir::Value begin, mlir::Value end, int64_t step,
             llvm::function_ref<void(mlir::Value index)> body);

/// The same with loop-carried values: `body` takes the current values and returns the next ones;
/// the result is what the last iteration returned, or `initial`.
llvm::SmallVector<mlir::Value>
forEach(LaneBuilder &b, mlir::Value begin, mlir::Value end, int64_t step,
        llvm::ArrayRef<mlir::Value> initial,
        llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value index,
                                                          llvm::ArrayRef<mlir::Value> carried)>
            body);

/// Emits if (condition) { body }.
void emitIf(LaneBuilder &b, mlir::Value condition, llvm::function_ref<void()> body);

} // namespace tessera::cpu
