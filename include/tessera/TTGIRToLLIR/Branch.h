//===- Branch.h - code that only some threads execute ---------------------===//
//   Block *after = enterIf(b, loc, condition);
//   ... code where the condition is true ...
//   leaveIf(b, loc, after);
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace tessera {

/// Continues in a basic block that is entered only if `condition` is true; returns the block in
/// which both paths join. `otherwise` are the results where the condition is false: arguments of
/// that block.
inline mlir::Block *enterIf(mlir::RewriterBase &b, mlir::Location loc, mlir::Value condition,
                            mlir::ValueRange otherwise = {}) {
  mlir::Block *before = b.getInsertionBlock();
  mlir::Block *after = b.splitBlock(before, b.getInsertionPoint());
  for (mlir::Value value : otherwise)
    after->addArgument(value.getType(), loc);
  mlir::Block *inside = b.createBlock(before->getParent(), after->getIterator());
  b.setInsertionPointToEnd(before);
  mlir::LLVM::CondBrOp::create(b, loc, condition, inside, mlir::ValueRange(), after, otherwise);
  b.setInsertionPointToEnd(inside);
  return after;
}

/// Continues in `after`, the result of enterIf, with the results where the condition is true; null
/// means that no branch was entered.
inline void leaveIf(mlir::RewriterBase &b, mlir::Location loc, mlir::Block *after,
                    mlir::ValueRange results = {}) {
  if (!after)
    return;
  mlir::LLVM::BrOp::create(b, loc, results, after);
  b.setInsertionPointToStart(after);
}

} // namespace tessera
