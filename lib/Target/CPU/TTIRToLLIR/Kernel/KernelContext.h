//===- KernelContext.h - what all parts of a kernel's lowering share ------===//
// The map from the kernel's values to LLVM's, the memory for tiles that must
// exist (DESIGN: only where fusion stops), and the ways out. One per kernel.
//===----------------------------------------------------------------------===//
#pragma once

#include "TileArena.h"
#include "tessera/LLIR/LaneBuilder.h"
#include "tessera/Target/CPU/Spec.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "../Lanes/Elementwise.h"
#include "../Plan/TileIndex.h"
#include <functional>

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
  /// Tensors whose tiles have the last two dimensions change places.
  llvm::DenseSet<mlir::Value> columnMajor;
  /// Where control flow wants a tensor: computed there, it need not be copied.
  llvm::DenseMap<mlir::Value, mlir::Value> destinations;
  mlir::Value grid[3] = {}, program[3] = {}; // i32: extents, and the program that runs
  mlir::Value programCount = {};             // i64: how many programs the launch has
  TileArena arena;
  mlir::Operation *entryPlace = {}; // in the entry block; slots are made before it
  bool streams = false;             // some store bypasses the caches: fence before returning
  /// Leave the kernel with KernelStatus::OutOfMemory, AssertionFailed.
  mlir::Block *outOfMemory = {}, *assertionFailed = {};
  /// Lowers the ops of a block of scalars at the builder's place. Its arguments
  /// are in `scalars` before, its terminator's operands afterwards.
  std::function<void(mlir::Block &)> lowerScalarBlock;

  mlir::Value scalar(mlir::Value value) const { return scalars.lookup(value); }
  /// An integer or float attribute as convertElement() holds it.
  mlir::Value constant(LaneBuilder &b, mlir::TypedAttr value);

  /// Room for a tensor, for as long as its address is used: the same for every
  /// program that this thread runs. What it holds between programs is lost.
  mlir::Value reserveTile(LaneBuilder &b, mlir::RankedTensorType type);
  /// The same, or the place where the tensor will be wanted in the end.
  mlir::Value reserveTile(LaneBuilder &b, mlir::Value tensor);
  mlir::Value reserveBytes(LaneBuilder &b, uint64_t bytes);
  static uint64_t tileBytes(mlir::RankedTensorType type);
  /// A variable that LLVM will keep in a register: load and store it as `type`.
  mlir::Value reserveSlot(mlir::Type type);

  /// A function of the C library, declared on first use.
  mlir::LLVM::LLVMFuncOp declare(llvm::StringRef name, mlir::Type result,
                                 llvm::ArrayRef<mlir::Type> arguments, bool variadic = false);
  mlir::Value callMalloc(LaneBuilder &b, mlir::Value bytes);
  void callFree(LaneBuilder &b, mlir::Value pointer);
};

} // namespace tessera::cpu
