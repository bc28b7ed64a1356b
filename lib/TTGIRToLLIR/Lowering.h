//===- Lowering.h - declarations that the generic patterns share ----------===//
// See tessera/TTGIRToLLIR/Pattern.h for the base class of patterns.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIRToLLIR/Pattern.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tessera {

/// The symbol of a kernel's shared memory.
inline constexpr llvm::StringLiteral kSharedMemorySymbol = "global_smem";

/// Returns null if the mask is known to be true; a null predicate means always.
mlir::Value simplifyPredicate(mlir::Value mask);
/// Emits the conjunction of two predicates.
mlir::Value emitBoth(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, mlir::Value y);

void populateElementwisePatterns(mlir::RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                                 const TargetInfo &target);
void populateShapePatterns(mlir::RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                           const TargetInfo &target);
void populateMemoryPatterns(mlir::RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                            const TargetInfo &target);
void populateConvertLayoutPatterns(mlir::RewritePatternSet &patterns,
                                   const TTGIRTypeConverter &types, const TargetInfo &target);
void populateProgramPatterns(mlir::RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                             const TargetInfo &target);
void populateBuffersPatterns(mlir::RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                             const TargetInfo &target);
void populateReducePatterns(mlir::RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                            const TargetInfo &target);
void populateScanPatterns(mlir::RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                          const TargetInfo &target);
void populateGatherPatterns(mlir::RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                            const TargetInfo &target);
void populateHistogramPatterns(mlir::RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                               const TargetInfo &target);
void populateMapElementwisePatterns(mlir::RewritePatternSet &patterns,
                                    const TTGIRTypeConverter &types, const TargetInfo &target);
void populateDotPatterns(mlir::RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                         const TargetInfo &target);
void populateAtomicsPatterns(mlir::RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                             const TargetInfo &target);
void populateAsyncCopyPatterns(mlir::RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                               const TargetInfo &target);
void populatePrintAssertPatterns(mlir::RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                                 const TargetInfo &target, bool printEveryThread);
void populateInlineAsmPatterns(mlir::RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                               const TargetInfo &target);

} // namespace tessera
