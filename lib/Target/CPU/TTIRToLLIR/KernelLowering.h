//===- KernelLowering.h - lower one kernel to the LLVM dialect -----------===//
// Lowers the function around a kernel and its scalar ops (ConvertTTIRToLLIR.cpp), and its control
// flow (ControlFlow.cpp). Tensor ops are lowered by LoopNest.h and TileOps.h, which are called at
// the places that FusionPlan chooses.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "Kernel/DebugTrace.h"
#include "Kernel/KernelContext.h"
#include "Kernel/ScalarBlockLowering.h"
#include "Plan/FusionPlan.h"

namespace tessera::cpu {

class KernelLowering final : private ScalarBlockLowering {
public:
  KernelLowering(tt::FuncOp source, KernelContext &context, const FusionPlan &plan,
                 DebugTrace *trace)
      : source(source), context(context), plan(plan), trace(trace), builder(context.builder),
        loc(source.getLoc()), b(context.builder, source.getLoc()) {}

  void run();

private:
  void createFunction();
  void createProgramLoop();
  void finishArena();
  void createBlock(mlir::Block &block);
  void receiveTensors(mlir::Block &block);
  void lowerBlock(mlir::Block &block);
  void lowerRegion(mlir::Region &region);
  void emitGroups(mlir::Operation &before, llvm::ArrayRef<FusedGroup> groups);
  void lowerOp(mlir::Operation &op);
  void lowerScalarBlock(mlir::Block &block) override;
  mlir::Value lowerTable(mlir::arith::ConstantOp op);
  void lowerLoad(tt::LoadOp op);
  void lowerStore(tt::StoreOp op);
  void lowerFor(mlir::scf::ForOp op);
  void lowerIf(mlir::scf::IfOp op);
  void lowerWhile(mlir::scf::WhileOp op);
  void setDestinations(mlir::Operation *op, llvm::ArrayRef<mlir::Value> tiles);

  mlir::Block *newBlock(mlir::TypeRange types = {});
  llvm::SmallVector<mlir::Type> convertTypes(mlir::TypeRange types);
  llvm::SmallVector<mlir::Value> scalarsOf(mlir::ValueRange values);
  void bind(mlir::ValueRange from, mlir::ValueRange to) {
    for (auto [source, target] : llvm::zip(from, to))
      context.setScalar(source, target);
  }
  void jump(mlir::Block *to, mlir::ValueRange args = {}) {
    mlir::LLVM::BrOp::create(builder, loc, args, to);
  }
  void branch(mlir::Value condition, mlir::Block *yes, mlir::ValueRange yesArgs, mlir::Block *no,
              mlir::ValueRange noArgs) {
    mlir::LLVM::CondBrOp::create(builder, loc, condition, yes, yesArgs, no, noArgs);
  }

  tt::FuncOp source;
  KernelContext &context;
  const FusionPlan &plan;
  DebugTrace *trace; // null without --debug-info
  mlir::OpBuilder &builder;
  mlir::Location loc;
  LaneBuilder b;
  mlir::LLVM::LLVMFuncOp function;
  unsigned tables = 0;                                 // the number of constant tables so far
  mlir::Block *latch = nullptr;                        // each program ends here
  mlir::Block *leave = nullptr;                        // returns its argument from the kernel
  llvm::DenseMap<mlir::Block *, mlir::Block *> blocks; // the LLVM blocks of the kernel's own blocks
  llvm::DenseMap<mlir::Value, mlir::Value> incoming;   // the tiles of their tensor arguments
  /// The tiles to which the tensors that an op passes on are written.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> destinations;
};

} // namespace tessera::cpu
