//===- CombineFunction.h - apply the region of a reduction or scan --------===//
// After ttg-outline-functions a region is one op, which becomes one instruction, or a
// call of a private function, which LLVM inlines.
//===----------------------------------------------------------------------===//
#pragma once

#include "Lowering.h"

namespace tessera {

class CombineFunction {
public:
  /// Returns the function of the region of `op`. Fails with an error if ttg-outline-functions has
  /// not run.
  static mlir::FailureOr<CombineFunction> of(mlir::Operation *op, const TTGIRTypeConverter &types,
                                             mlir::ConversionPatternRewriter &b);

  /// Emits the function for arguments in the order of the region's; returns the results.
  llvm::SmallVector<mlir::Value, 2> apply(mlir::OpBuilder &b, mlir::Location loc,
                                          mlir::ValueRange arguments) const;

  /// The only op of the region; null if it is a call.
  mlir::Operation *operation() const { return single; }

private:
  mlir::Operation *single = nullptr;
  mlir::FlatSymbolRefAttr callee;
  llvm::SmallVector<mlir::Type> results;   // of the callee
  llvm::SmallVector<mlir::Value> captured; // its last arguments
};

/// Adds the patterns for private functions, which become LLVM functions that are always inlined.
void populateOutlinedFunctionPatterns(mlir::RewritePatternSet &patterns,
                                      const TTGIRTypeConverter &types, const TargetInfo &target);

} // namespace tessera
