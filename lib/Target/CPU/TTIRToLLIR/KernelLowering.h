//===- KernelLowering.h - one kernel on its way to LLVM -------------------===//
// The function around a kernel and its scalar ops (ConvertTTIRToLLIR.cpp), and
// its control flow (ControlFlow.cpp). Tensor ops are the business of LoopNest.h
// and TileOps.h, which are called where FusionPlan says.
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
  unsigned tables = 0;                                 // constants of many values, so far
  mlir::Block *latch = nullptr;                        // a program ends here
  mlir::Block *leave = nullptr;                        // returns its argument
  llvm::DenseMap<mlir::Block *, mlir::Block *> blocks; // of the kernel's own control flow
  llvm::DenseMap<mlir::Value, mlir::Value> incoming;   // tiles for their tensor arguments
  /// Where the tensors that an op carries are to be written.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> destinations;
};

} // namespace tessera::cpu
