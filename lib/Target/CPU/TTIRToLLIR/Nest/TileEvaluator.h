//===- TileEvaluator.h - the value of a tensor in one nest iteration ------===//
// Computes elements of tensors inside a loop nest: a scalar if the value is the same for all lanes,
// a vector otherwise. Each value is computed once per iteration, in the outermost loop that it
// depends on.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTIR/IR/TTOps.h"
#include "../Kernel/KernelContext.h"
#include "../Lanes/MemoryAccess.h"
#include "../Plan/AffineForm.h"

namespace tessera::cpu {

/// The kinds of bodies of the innermost loop, by what is known about masks.
enum class BodyKind {
  Full,      // all lanes are within all bounds
  Streaming, // the same, and consecutive stores are non-temporal
  Masked,    // lanes may be out of bounds
};

/// One access of a nest with the facts about its address and mask.
struct NestAccess {
  mlir::Operation *op;
  TileIndex index;
  std::optional<AffineForm> address;
  MaskForm mask;
  /// The intersection of the mask's bounds for each loop; null if there is none.
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>, 4> box;

  bool isStore() const { return llvm::isa<tt::StoreOp>(op); }
  mlir::Type pointee() const;
  /// Returns whether lanes access consecutive elements along `loop`.
  bool isConsecutive(unsigned loop) const;
};

/// The loops of a nest, as far as they have been built. The code that builds the nest fills this
/// in; evaluation and reductions read it.
struct NestLoops {
  explicit NestLoops(llvm::ArrayRef<int64_t> shape)
      : shape(shape), extents(shape), indices(shape.size()), depths(shape.size()) {}

  /// The shape of the nest, and the trip count of each loop: 1 for a loop that was merged into the
  /// next one, which has the product of both.
  llvm::SmallVector<int64_t, 4> shape, extents;
  /// For each loop the current index (i64); for the vector loop, that of the first lane.
  llvm::SmallVector<mlir::Value, 4> indices;
  /// For each loop its depth in the nest; the outermost has depth 1.
  llvm::SmallVector<unsigned, 4> depths;
  /// Values of depth d are created right before `points[d]`, or at the insertion point for the
  /// innermost depth.
  llvm::SmallVector<mlir::Operation *, 4> points;
  int vectorLoop = -1;
  unsigned lanes = 0;
  /// True if lanes of a masked body may be outside of the tile, because its start was aligned.
  bool mayOverhang = false;
  /// True if rows are long, so that memory is prefetched.
  bool prefetchesAhead = false;

  bool isVectorLoop(int loop) const { return lanes && loop == vectorLoop; }
};

class TileEvaluator {
public:
  TileEvaluator(KernelContext &context, const NestLoops &loops) : context(context), loops(loops) {}

  /// Loads of this value at this index use the facts in `access`, which must outlive the evaluator.
  void addLoad(const NestAccess &access);
  /// Discards the values of the innermost loop, because another body begins.
  void beginBody(BodyKind kind);

  mlir::Value evaluate(mlir::Value value, llvm::ArrayRef<int8_t> index);
  void store(const NestAccess &access);
  /// Writes a value that was evaluated to its tile.
  void writeTile(mlir::Value value, llvm::ArrayRef<int8_t> index, mlir::Value tile);
  /// Loads the elements of a tile at `index`, at the insertion point: lanes if the index contains
  /// the vector loop. The tile is that of `value`, which may be a scalar.
  mlir::Value loadTile(mlir::Value value, llvm::ArrayRef<int8_t> index, mlir::Value tile);
  void storeTile(mlir::Value value, llvm::ArrayRef<int8_t> index, mlir::Value tile,
                 mlir::Value element);
  /// Returns the address of an affine access's first lane in the current iteration.
  mlir::Value firstAddress(const NestAccess &access);
  /// Returns the same with the vector loop at index 0.
  mlir::Value rowAddress(const NestAccess &access);
  /// Returns the address of the first lane of `value`'s tile at `index`, or one per lane if lanes
  /// are not consecutive.
  mlir::Value tileAddress(mlir::Value value, llvm::ArrayRef<int8_t> index, mlir::Value tile);

private:
  unsigned innermost() const { return loops.points.size(); }
  unsigned depthOf(llvm::ArrayRef<int8_t> index) const;
  void goTo(unsigned depth);
  /// Returns a value that was computed before in this iteration; null if there is none.
  mlir::Value known(const TileElement &element) const;
  mlir::Value compute(mlir::Value value, llvm::ArrayRef<int8_t> index);
  mlir::Value load(tt::LoadOp op, llvm::ArrayRef<int8_t> index);
  void prefetch(LaneBuilder &b, mlir::Value pointer, unsigned bytes);
  mlir::Value join(tt::JoinOp op, llvm::ArrayRef<int8_t> index);
  mlir::Value indexAsI32(int8_t loop);
  /// Returns the pointer (the first lane's, or one per lane) of an access.
  mlir::Value pointerOf(const NestAccess &access, unsigned depth);
  mlir::Value maskOf(const NestAccess &access, unsigned depth);
  MemoryAccess tileAccess(mlir::Value value, llvm::ArrayRef<int8_t> index, mlir::Value tile);
  mlir::Value overhangMask(llvm::ArrayRef<int8_t> index);
  mlir::Value lanesWithin(mlir::Value begin, mlir::Value end);

  KernelContext &context;
  const NestLoops &loops;
  BodyKind body = BodyKind::Masked;
  llvm::DenseMap<TileElement, const NestAccess *> loads;
  /// The values computed so far: outside of the innermost loop, and in its current body.
  llvm::DenseMap<TileElement, mlir::Value> outer, inner;
  llvm::DenseMap<const NestAccess *, mlir::Value> rows;
};

} // namespace tessera::cpu
