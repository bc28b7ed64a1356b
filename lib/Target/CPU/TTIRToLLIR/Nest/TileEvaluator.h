//===- TileEvaluator.h - the value of a tensor in one nest iteration ------===//
// Computes elements of tensors inside a loop nest: a scalar where the value is
// the same for all lanes, a vector otherwise. Each value is computed once per
// iteration, in the outermost loop that it depends on.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTIR/IR/TTOps.h"
#include "../Kernel/KernelContext.h"
#include "../Lanes/MemoryAccess.h"
#include "../Plan/AffineForm.h"

namespace tessera::cpu {

/// What the iterations of the innermost loop are told about masks.
enum class BodyKind {
  Full,      // every bound holds for every lane
  Streaming, // so too, and consecutive stores bypass the caches
  Masked,    // lanes may be outside
};

/// One access of a nest with what is known of its address and mask.
struct NestAccess {
  mlir::Operation *op;
  TileIndex index;
  std::optional<AffineForm> address;
  MaskForm mask;
  /// Per loop the intersection of the mask's bounds; null where there is none.
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>, 4> box;

  bool isStore() const { return llvm::isa<tt::StoreOp>(op); }
  mlir::Type pointee() const;
  /// Lane after lane lies next to each other along `loop`.
  bool isConsecutive(unsigned loop) const;
};

/// The loops of a nest, as far as they have been built. Whoever builds the nest fills this in;
/// evaluation and reductions read it.
struct NestLoops {
  explicit NestLoops(llvm::ArrayRef<int64_t> shape)
      : shape(shape), extents(shape), indices(shape.size()), depths(shape.size()) {}

  /// The shape that the nest runs over, and the trip count of each loop: 1 for a loop that was
  /// merged into the next one, which has the product of both.
  llvm::SmallVector<int64_t, 4> shape, extents;
  /// Per loop: the current index (i64); of the vector loop, the first lane's.
  llvm::SmallVector<mlir::Value, 4> indices;
  /// Per loop: its depth in the nest, counted from 1 for the outermost.
  llvm::SmallVector<unsigned, 4> depths;
  /// Values of depth d are built right before `points[d]`, or at the builder's
  /// place for the innermost depth.
  llvm::SmallVector<mlir::Operation *, 4> points;
  int vectorLoop = -1;
  unsigned lanes = 0;
  /// Lanes of a masked body may be outside the tile (its start was aligned).
  bool mayOverhang = false;
  /// Rows are long: memory is prefetched ahead of reading it.
  bool prefetchesAhead = false;

  bool isVectorLoop(int loop) const { return lanes && loop == vectorLoop; }
};

class TileEvaluator {
public:
  TileEvaluator(KernelContext &context, const NestLoops &loops) : context(context), loops(loops) {}

  /// Loads of this value at this index are made with what is known of `access`, which must outlive
  /// the evaluator.
  void addLoad(const NestAccess &access);
  /// Forgets the values of the innermost loop: another body is being built.
  void beginBody(BodyKind kind);

  mlir::Value evaluate(mlir::Value value, llvm::ArrayRef<int8_t> index);
  void store(const NestAccess &access);
  /// Writes a value that was evaluated to its tile.
  void writeTile(mlir::Value value, llvm::ArrayRef<int8_t> index, mlir::Value tile);
  /// The elements of a tile at `index`, at the builder's place: lanes if the
  /// index has the vector loop in it. The tile is `value`'s, which may be a
  /// scalar.
  mlir::Value loadTile(mlir::Value value, llvm::ArrayRef<int8_t> index, mlir::Value tile);
  void storeTile(mlir::Value value, llvm::ArrayRef<int8_t> index, mlir::Value tile,
                 mlir::Value element);
  /// The address of an affine access's first lane, at the current iteration.
  mlir::Value firstAddress(const NestAccess &access);
  /// The same with the vector loop at index 0.
  mlir::Value rowAddress(const NestAccess &access);
  /// The address of the first lane of `value`'s tile at `index`, or one per lane where lanes are
  /// not consecutive.
  mlir::Value tileAddress(mlir::Value value, llvm::ArrayRef<int8_t> index, mlir::Value tile);

private:
  unsigned innermost() const { return loops.points.size(); }
  unsigned depthOf(llvm::ArrayRef<int8_t> index) const;
  void goTo(unsigned depth);
  /// Computed before in this iteration; null if not.
  mlir::Value known(const TileElement &element) const;
  mlir::Value compute(mlir::Value value, llvm::ArrayRef<int8_t> index);
  mlir::Value load(tt::LoadOp op, llvm::ArrayRef<int8_t> index);
  void prefetch(LaneBuilder &b, mlir::Value pointer, unsigned bytes);
  mlir::Value join(tt::JoinOp op, llvm::ArrayRef<int8_t> index);
  mlir::Value indexAsI32(int8_t loop);
  /// Pointer (first lane's, or one per lane) and lanes of an access.
  mlir::Value pointerOf(const NestAccess &access, unsigned depth);
  mlir::Value maskOf(const NestAccess &access, unsigned depth);
  MemoryAccess tileAccess(mlir::Value value, llvm::ArrayRef<int8_t> index, mlir::Value tile);
  mlir::Value overhangMask(llvm::ArrayRef<int8_t> index);
  mlir::Value lanesWithin(mlir::Value begin, mlir::Value end);

  KernelContext &context;
  const NestLoops &loops;
  BodyKind body = BodyKind::Masked;
  llvm::DenseMap<TileElement, const NestAccess *> loads;
  /// Values that were computed: outside of the innermost loop, and in its current body.
  llvm::DenseMap<TileElement, mlir::Value> outer, inner;
  llvm::DenseMap<const NestAccess *, mlir::Value> rows;
};

} // namespace tessera::cpu
