//===- CombineFunction.h - apply the region of a reduction or scan --------===//
// After ttg-outline-functions a region is one op, which becomes one instruction, or a
// call of a private function, which LLVM inlines.
//===----------------------------------------------------------------------===//
#pragma once

#include "Lowering.h"

namespace tessera {

class CombineFunction {
public:
  /// Of the region of `op`. Fails, saying so, before ttg-outline-functions has run.
  static mlir::FailureOr<CombineFunction> of(mlir::Operation *op, const TTGIRTypeConverter &types,
                                             mlir::ConversionPatternRewriter &b);

  /// The results for arguments in the order of the region's.
  llvm::SmallVector<mlir::Value, 2> apply(mlir::OpBuilder &b, mlir::Location loc,
                                          mlir::ValueRange arguments) const;

  /// The op that the region is; null for a call.
  mlir::Operation *operation() const { return single; }

private:
  mlir::Operation *single = nullptr;
  mlir::FlatSymbolRefAttr callee;
  llvm::SmallVector<mlir::Type> results;   // of the callee
  llvm::SmallVector<mlir::Value> captured; // its last arguments
};

/// For private functions: they become LLVM functions that are always inlined.
void populateOutlinedFunctionPatterns(mlir::RewritePatternSet &patterns,
                                      const TTGIRTypeConverter &types, const TargetInfo &target);

} // namespace tessera
