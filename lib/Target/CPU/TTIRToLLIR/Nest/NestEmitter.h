//===- NestEmitter.h - the loops of one nest ------------------------------===//
// Builds one loop nest: collects its memory accesses and what is known of them,
// merges loops, chooses the vector loop, and emits the loops (NestAnalysis.cpp,
// NestEmitter.cpp). LoopNest.cpp decides which nests there are.
//===----------------------------------------------------------------------===//
#pragma once

#include "Reduce.h"
#include "TileEvaluator.h"
#include <vector>

namespace tessera::cpu {

/// Stores, reductions, and values written to tiles, of one shape. Loads come
/// along where these need them.
struct Nest {
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<tt::StoreOp> stores; // in program order
  llvm::SmallVector<Reduction> reductions;
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> outputs; // a tensor and its tile

  mlir::Value tileOf(mlir::Value value) const {
    for (auto [output, tile] : outputs)
      if (output == value)
        return tile;
    return {};
  }
};

class NestEmitter {
public:
  NestEmitter(KernelContext &context, const Nest &nest, mlir::Location loc)
      : context(context), nest(nest), loc(loc), b(context.builder, loc), loops(nest.shape),
        evaluator(context, loops), reducer(context, loops, evaluator, nest.reductions) {}

  /// The nest with all that is known of addresses and masks, guarded at run time where needed.
  void emitFused();
  /// The same nest with nothing known of addresses and masks; without vectors
  /// where it will hardly ever run.
  void emitGeneral(bool vectors);
  /// A load, a store (or null, for reductions and other outputs) by itself, one
  /// element after the other, nothing assumed.
  void emitLiterally(mlir::Operation *access);

private:
  void analyze(AffineBuilder *affine, AffineBuilder::ScalarLookup scalars);
  void mergeLoops();
  void chooseVectors();
  void emitLoops(unsigned position);
  void emitChunks();
  void emitPeeledChunks();
  void emitBody(BodyKind kind);
  const NestAccess *findStreamedStore() const;
  std::pair<mlir::Value, mlir::Value> hullOf(unsigned loop);
  std::pair<mlir::Value, mlir::Value> fullRange();
  mlir::Value wantsStreaming();
  std::pair<mlir::Value, mlir::Value> startOfChunks(mlir::Value first, const NestAccess *streamed);
  mlir::Block *newBlock();
  void jump(mlir::Block *to, mlir::ValueRange args = {}) {
    mlir::LLVM::BrOp::create(context.builder, loc, args, to);
  }
  void branch(mlir::Value condition, mlir::Block *yes, mlir::ValueRange yesArgs, mlir::Block *no,
              mlir::ValueRange noArgs) {
    mlir::LLVM::CondBrOp::create(context.builder, loc, condition, yes, yesArgs, no, noArgs);
  }
  void emitSlowTwin();

  KernelContext &context;
  const Nest &nest;
  mlir::Location loc;
  LaneBuilder b;
  NestLoops loops;
  TileEvaluator evaluator;
  ReductionEmitter reducer;
  std::vector<NestAccess> accesses;  // stores, and loads they need; in program order
  llvm::SmallVector<unsigned> order; // loops from the outside in
};

/// Where a load or store accesses its tensors: at the nest's own indices.
inline TileIndex accessIndex(mlir::Operation *access) {
  return identityIndex(shapeOf(access->getOperand(0)));
}

} // namespace tessera::cpu
