//===- NestEmitter.h - the loops of one nest ------------------------------===//
// Builds one loop nest: collects its memory accesses and the facts about them, merges loops,
// chooses the vector loop, and emits the loops (NestAnalysis.cpp, NestEmitter.cpp). LoopNest.cpp
// decides which nests there are.
//===----------------------------------------------------------------------===//
#pragma once

#include "Reduce.h"
#include "TileEvaluator.h"
#include <vector>

namespace tessera::cpu {

/// The stores, reductions, and tensors written to tiles of one shape, together with the loads that
/// they need.
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

  /// Emits the nest with all facts about addresses and masks, guarded at run time if necessary.
  void emitFused();
  /// Emits the nest without any facts about addresses and masks; without vectors if it is expected
  /// to run rarely.
  void emitGeneral(bool vectors);
  /// Emits a single load or store (null for reductions and other outputs) element by element,
  /// without assumptions.
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
  std::vector<NestAccess> accesses;  // stores and the loads they need, in program order
  llvm::SmallVector<unsigned> order; // the loops from outermost to innermost
};

/// Returns the index of a load's or store's element: the nest's own indices.
inline TileIndex accessIndex(mlir::Operation *access) {
  return identityIndex(shapeOf(access->getOperand(0)));
}

} // namespace tessera::cpu
