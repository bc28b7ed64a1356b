//===- Loops.h - counted loops in the LLVM dialect ------------------------===//
// Whole-tile ops are written as nests of these:
//
//   forEach(b, b.i64(0), b.i64(rows), 1, [&](Value row) {
//     ... code at b.builder's place, which may end in another block ...
//   });
//
// Values that iterations hand on are either loop-carried (the second form) or
// kept in memory.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/LLIR/LaneBuilder.h"

namespace tessera::cpu {

/// An empty block at the end of the function that `b` builds in.
mlir::Block *appendBlock(LaneBuilder &b, mlir::TypeRange arguments = {});

/// for (index = begin; index < end; index += step), signed, all i64.
void forEach(LaneBuilder &b, mlir::Value begin, mlir::Value end, int64_t step,
             llvm::function_ref<void(mlir::Value index)> body);

/// The same with loop-carried values: `body` gets them as they are and returns
/// the next ones; the result is what the last iteration returned, or `initial`.
llvm::SmallVector<mlir::Value>
forEach(LaneBuilder &b, mlir::Value begin, mlir::Value end, int64_t step,
        llvm::ArrayRef<mlir::Value> initial,
        llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value index,
                                                          llvm::ArrayRef<mlir::Value> carried)>
            body);

/// if (condition) { body }
void emitIf(LaneBuilder &b, mlir::Value condition, llvm::function_ref<void()> body);

} // namespace tessera::cpu
