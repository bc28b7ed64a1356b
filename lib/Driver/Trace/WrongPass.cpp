//===- WrongPass.cpp - edits that a wrong pass might make -----------------===//
#include "WrongPass.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace tessera;

/// The operation in the place of a right one; empty for other ops. Three operations take turns, so
/// that a pass that runs twice does not repair what it broke.
static llvm::StringRef wrongName(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Case("arith.addf", "arith.subf")
      .Case("arith.subf", "arith.mulf")
      .Case("arith.mulf", "arith.addf")
      .Case("llvm.fadd", "llvm.fsub")
      .Case("llvm.fsub", "llvm.fmul")
      .Case("llvm.fmul", "llvm.fadd")
      .Default("");
}

static llvm::StringRef negationFor(llvm::StringRef truncation) {
  return llvm::StringSwitch<llvm::StringRef>(truncation)
      .Case("arith.truncf", "arith.negf")
      .Case("llvm.fptrunc", "llvm.fneg")
      .Default("");
}

static llvm::SmallVector<mlir::Operation *>
findOps(mlir::Operation *root, llvm::function_ref<llvm::StringRef(llvm::StringRef)> nameFor) {
  llvm::SmallVector<mlir::Operation *> found;
  root->walk([&](mlir::Operation *op) {
    if (!nameFor(op->getName().getStringRef()).empty())
      found.push_back(op);
  });
  return found;
}

void tessera::makeWrong(mlir::Operation *root) {
  mlir::OpBuilder builder(root->getContext());
  llvm::SmallVector<mlir::Operation *> ops = findOps(root, wrongName);
  for (mlir::Operation *right : ops) {
    mlir::OperationState state(right->getLoc(), wrongName(right->getName().getStringRef()),
                               right->getOperands(), right->getResultTypes(), right->getAttrs());
    builder.setInsertionPoint(right);
    right->replaceAllUsesWith(builder.create(state)->getResults());
    right->erase();
  }
  if (!ops.empty())
    return;
  for (mlir::Operation *truncation : findOps(root, negationFor)) {
    mlir::Value operand = truncation->getOperand(0);
    mlir::OperationState state(truncation->getLoc(),
                               negationFor(truncation->getName().getStringRef()), operand,
                               operand.getType());
    builder.setInsertionPoint(truncation);
    truncation->setOperand(0, builder.create(state)->getResult(0));
  }
}

/// The operation in the place of a right one; null for other instructions.
static llvm::Value *createWrong(llvm::IRBuilder<> &builder, const llvm::Instruction &right) {
  switch (right.getOpcode()) {
  case llvm::Instruction::FAdd:
    return builder.CreateFSub(right.getOperand(0), right.getOperand(1));
  case llvm::Instruction::FSub:
    return builder.CreateFMul(right.getOperand(0), right.getOperand(1));
  case llvm::Instruction::FMul:
    return builder.CreateFAdd(right.getOperand(0), right.getOperand(1));
  default:
    return nullptr;
  }
}

void tessera::makeWrong(llvm::Function &function) {
  for (llvm::Instruction &right : llvm::make_early_inc_range(llvm::instructions(function))) {
    llvm::IRBuilder<> builder(&right);
    if (llvm::Value *wrong = createWrong(builder, right)) {
      right.replaceAllUsesWith(wrong);
      right.eraseFromParent();
    }
  }
}
