//===- KernelContext.h - state shared by all parts of a kernel's lowering -===//
// The map from the kernel's values to LLVM values, the memory for tensors that are stored in tiles
// (only where fusion stops), and the exit blocks. There is one context per kernel.
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
  /// `columnMajor` contains the tensors whose tiles have the last two dimensions exchanged.
  KernelContext(mlir::OpBuilder &builder, const CPUSpec &spec, Elementwise &elementwise,
                mlir::ModuleOp module, llvm::DenseSet<mlir::Value> columnMajor)
      : builder(builder), spec(spec), elementwise(elementwise), theModule(module),
        columnMajor(std::move(columnMajor)) {}

  mlir::OpBuilder &builder;
  const CPUSpec &spec;
  Elementwise &elementwise;
  /// Whether tt.print prints one line instead of a line per element.
  bool printRows = false;
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

  /// Returns the tile of a tensor, or the LLVM value of a scalar.
  mlir::Value lookup(mlir::Value value) const {
    return isTensor(value) ? tile(value) : scalar(value);
  }
  void set(mlir::Value value, mlir::Value lowered) {
    isTensor(value) ? setTile(value, lowered) : setScalar(value, lowered);
  }

  /// The tensors that are stored in tiles at one point of the program. Tiles that one branch fills
  /// are not valid in another, so the lowering saves the map before a branch and restores it
  /// afterwards.
  using TileMap = llvm::DenseMap<mlir::Value, mlir::Value>;
  TileMap saveTiles() const { return tiles; }
  void restoreTiles(TileMap saved) { tiles = std::move(saved); }
  /// Like restoreTiles, but tensors that `block` defines keep their tiles: the block dominates
  /// their uses.
  void restoreTilesExceptOf(mlir::Block *block, TileMap saved);

  /// Returns an integer or float attribute in the representation of convertElement().
  mlir::Value constant(LaneBuilder &b, mlir::TypedAttr value);

  //===--------------------------------------------------------------------===//
  // Memory
  //===--------------------------------------------------------------------===//

  TileArena &arena() { return tileArena; }
  /// Control flow needs the tensor at `address`; if it is computed there, it need not be copied.
  void setDestination(mlir::Value tensor, mlir::Value address) { destinations[tensor] = address; }
  /// Reserves memory for a tensor while its address is used. All programs that this thread runs use
  /// the same memory; its contents are lost between programs.
  mlir::Value reserveTile(LaneBuilder &b, mlir::RankedTensorType type);
  /// Like reserveTile(type), or the tensor's destination if it has one.
  mlir::Value reserveTile(LaneBuilder &b, mlir::Value tensor);
  mlir::Value reserveBytes(LaneBuilder &b, uint64_t bytes);
  static uint64_t tileBytes(mlir::RankedTensorType type);
  /// Reserves a variable of `type` that LLVM will keep in a register: an alloca.
  mlir::Value reserveSlot(mlir::Type type);

  /// An op in the entry block; slots are created before it.
  mlir::Operation *entryPlace() const { return entry; }
  void setEntryPlace(mlir::Operation *op) { entry = op; }

  //===--------------------------------------------------------------------===//
  // The launch
  //===--------------------------------------------------------------------===//

  /// The extents of the grid (i32), and its number of programs (i64).
  llvm::ArrayRef<mlir::Value> grid() const { return gridExtents; }
  mlir::Value programCount() const { return numPrograms; }
  void setGrid(llvm::ArrayRef<mlir::Value> extents, mlir::Value count);
  /// The ids of the current program (i32).
  llvm::ArrayRef<mlir::Value> program() const { return programIds; }
  void setProgram(llvm::ArrayRef<mlir::Value> ids);

  //===--------------------------------------------------------------------===//
  // Exits and effects
  //===--------------------------------------------------------------------===//

  /// Blocks that leave the kernel with KernelStatus::OutOfMemory or AssertionFailed.
  mlir::Block *outOfMemory() const { return outOfMemoryExit; }
  mlir::Block *assertionFailed() const { return assertionFailedExit; }
  void setExits(mlir::Block *outOfMemory, mlir::Block *assertionFailed) {
    outOfMemoryExit = outOfMemory;
    assertionFailedExit = assertionFailed;
  }
  /// Returns whether any store is non-temporal: a fence is then needed before the kernel returns.
  bool hasStreamingStores() const { return streams; }
  void noteStreamingStore() { streams = true; }

  /// Returns a function of the C library, which is declared on first use.
  mlir::LLVM::LLVMFuncOp declare(llvm::StringRef name, mlir::Type result,
                                 llvm::ArrayRef<mlir::Type> arguments, bool variadic = false);
  mlir::Value callMalloc(LaneBuilder &b, mlir::Value bytes);
  void callFree(LaneBuilder &b, mlir::Value pointer);

private:
  mlir::ModuleOp theModule;
  llvm::DenseMap<mlir::Value, mlir::Value> scalars;
  TileMap tiles; // stored row-major
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
