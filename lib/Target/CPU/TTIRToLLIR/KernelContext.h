//===- KernelContext.h - what all parts of a kernel's lowering share ------===//
// The map from the kernel's values to LLVM's, and the memory for tiles that
// must exist (DESIGN: only where fusion stops). One per kernel.
//===----------------------------------------------------------------------===//
#pragma once

#include "Elementwise.h"
#include "LaneBuilder.h"
#include "TileIndex.h"
#include "tessera/Target/CPU/Spec.h"
#include "llvm/ADT/DenseMap.h"

namespace tessera::cpu {

struct KernelContext {
  KernelContext(mlir::OpBuilder &builder, const CPUSpec &spec, Elementwise &elementwise,
                mlir::ModuleOp module)
      : builder(builder), spec(spec), elementwise(elementwise), module(module) {}

  mlir::OpBuilder &builder;
  const CPUSpec &spec;
  Elementwise &elementwise;
  mlir::ModuleOp module;

  /// Scalars of the kernel that were lowered.
  llvm::DenseMap<mlir::Value, mlir::Value> scalars;
  /// Tensors that lie in memory, row-major: the address of the first element.
  llvm::DenseMap<mlir::Value, mlir::Value> tiles;
  mlir::Value programCount = {}; // i64: how many programs the launch has
  mlir::Value arena = {};        // the memory reserveTile() hands out
  uint64_t arenaBytes = 0;       // so far
  bool streams = false;          // some store bypasses the caches: fence before returning
  mlir::Block *outOfMemory = {}; // leaves the kernel with KernelStatus::OutOfMemory

  mlir::Value scalar(mlir::Value value) const { return scalars.lookup(value); }

  /// Room for a tensor, the same for every program this thread runs.
  mlir::Value reserveTile(LaneBuilder &b, mlir::RankedTensorType type);
  static uint64_t tileBytes(mlir::RankedTensorType type);
  /// malloc or free, declared on first use.
  mlir::Value callMalloc(LaneBuilder &b, mlir::Value bytes);
  void callFree(LaneBuilder &b, mlir::Value pointer);
};

} // namespace tessera::cpu
