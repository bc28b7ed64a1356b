//===- KernelContext.h - what all parts of a kernel's lowering share ------===//
// The map from the kernel's values to LLVM's, the memory for tensors that are
// stored in tiles (only where fusion stops), and the exits. One per kernel.
//===----------------------------------------------------------------------===//
#pragma once

#include "TileArena.h"
#include "tessera/LLIR/LaneBuilder.h"
#include "tessera/Target/CPU/Spec.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "../Lanes/Elementwise.h"
#include "../Plan/TileIndex.h"
#include <array>

namespace tessera::cpu {

class KernelContext {
public:
  /// `columnMajor` are tensors whose tiles have the last two dimensions exchanged.
  KernelContext(mlir::OpBuilder &builder, const CPUSpec &spec, Elementwise &elementwise,
                mlir::ModuleOp module, llvm::DenseSet<mlir::Value> columnMajor)
      : builder(builder), spec(spec), elementwise(elementwise), theModule(module),
        columnMajor(std::move(columnMajor)) {}

  mlir::OpBuilder &builder;
  const CPUSpec &spec;
  Elementwise &elementwise;
  mlir::ModuleOp module() const { return theModule; }

  //===--------------------------------------------------------------------===//
  // Values of the kernel
  //===--------------------------------------------------------------------===//

  /// The LLVM value of a scalar; null if it was not lowered yet.
  mlir::Value scalar(mlir::Value value) const { return scalars.lookup(value); }
  void setScalar(mlir::Value value, mlir::Value lowered) { scalars[value] = lowered; }

  /// The address of a tensor's first element, if the tensor is stored in a tile; null if not.
  mlir::Value tile(mlir::Value tensor) const { return tiles.lookup(tensor); }
  bool hasTile(mlir::Value tensor) const { return tiles.contains(tensor); }
  void setTile(mlir::Value tensor, mlir::Value address) { tiles[tensor] = address; }
  bool isColumnMajor(mlir::Value tensor) const { return columnMajor.contains(tensor); }

  /// Of a tensor its tile, of another value its scalar.
  mlir::Value lookup(mlir::Value value) const {
    return isTensor(value) ? tile(value) : scalar(value);
  }
  void set(mlir::Value value, mlir::Value lowered) {
    isTensor(value) ? setTile(value, lowered) : setScalar(value, lowered);
  }

  /// Which tensors are stored in tiles at one place of the program. Tiles that one branch fills are
  /// unknown to another: lowering saves the map before, and restores it afterwards.
  using TileMap = llvm::DenseMap<mlir::Value, mlir::Value>;
  TileMap saveTiles() const { return tiles; }
  void restoreTiles(TileMap saved) { tiles = std::move(saved); }
  /// The same, but tensors that `block` defines keep their tiles: it dominates their uses.
  void restoreTilesExceptOf(mlir::Block *block, TileMap saved);

  /// An integer or float attribute as convertElement() holds it.
  mlir::Value constant(LaneBuilder &b, mlir::TypedAttr value);

  //===--------------------------------------------------------------------===//
  // Memory
  //===--------------------------------------------------------------------===//

  TileArena &arena() { return tileArena; }
  /// Where control flow wants a tensor: computed there, it need not be copied.
  void setDestination(mlir::Value tensor, mlir::Value address) { destinations[tensor] = address; }
  /// Memory for a tensor, for as long as its address is used: the same for every program that this
  /// thread runs. Its contents are lost between programs.
  mlir::Value reserveTile(LaneBuilder &b, mlir::RankedTensorType type);
  /// The same, or the tensor's destination if it has one.
  mlir::Value reserveTile(LaneBuilder &b, mlir::Value tensor);
  mlir::Value reserveBytes(LaneBuilder &b, uint64_t bytes);
  static uint64_t tileBytes(mlir::RankedTensorType type);
  /// A variable that LLVM will keep in a register: load and store it as `type`.
  mlir::Value reserveSlot(mlir::Type type);

  /// An op in the entry block; slots are made before it.
  mlir::Operation *entryPlace() const { return entry; }
  void setEntryPlace(mlir::Operation *op) { entry = op; }

  //===--------------------------------------------------------------------===//
  // The launch
  //===--------------------------------------------------------------------===//

  /// Extents of the grid (i32), and how many programs it has (i64).
  llvm::ArrayRef<mlir::Value> grid() const { return gridExtents; }
  mlir::Value programCount() const { return numPrograms; }
  void setGrid(llvm::ArrayRef<mlir::Value> extents, mlir::Value count);
  /// The ids of the program that runs (i32).
  llvm::ArrayRef<mlir::Value> program() const { return programIds; }
  void setProgram(llvm::ArrayRef<mlir::Value> ids);

  //===--------------------------------------------------------------------===//
  // Exits and effects
  //===--------------------------------------------------------------------===//

  /// Blocks that leave the kernel with KernelStatus::OutOfMemory, AssertionFailed.
  mlir::Block *outOfMemory() const { return outOfMemoryExit; }
  mlir::Block *assertionFailed() const { return assertionFailedExit; }
  void setExits(mlir::Block *outOfMemory, mlir::Block *assertionFailed) {
    outOfMemoryExit = outOfMemory;
    assertionFailedExit = assertionFailed;
  }
  /// Some store bypasses the caches: a fence is needed before the kernel returns.
  bool hasStreamingStores() const { return streams; }
  void noteStreamingStore() { streams = true; }

  /// A function of the C library, declared on first use.
  mlir::LLVM::LLVMFuncOp declare(llvm::StringRef name, mlir::Type result,
                                 llvm::ArrayRef<mlir::Type> arguments, bool variadic = false);
  mlir::Value callMalloc(LaneBuilder &b, mlir::Value bytes);
  void callFree(LaneBuilder &b, mlir::Value pointer);

private:
  mlir::ModuleOp theModule;
  llvm::DenseMap<mlir::Value, mlir::Value> scalars;
  TileMap tiles; // row-major
  llvm::DenseSet<mlir::Value> columnMajor;
  llvm::DenseMap<mlir::Value, mlir::Value> destinations;
  TileArena tileArena;
  mlir::Operation *entry = nullptr;
  std::array<mlir::Value, 3> gridExtents = {}, programIds = {};
  mlir::Value numPrograms = {};
  mlir::Block *outOfMemoryExit = nullptr, *assertionFailedExit = nullptr;
  bool streams = false;
};

} // namespace tessera::cpu
