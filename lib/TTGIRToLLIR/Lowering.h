//===- Lowering.h - what all lowering patterns share ----------------------===//
// A pattern sees each operand as the list of its scalars (one per register)
// and answers with such a list for each result.
//===----------------------------------------------------------------------===//
#pragma once

#include "TypeConverter.h"
#include "tessera/Support/Unsupported.h"
#include "tessera/TTGIRToLLIR/TargetInfo.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tessera {

template <typename SourceOp> class Lowering : public mlir::OpConversionPattern<SourceOp> {
public:
  using Operands = typename mlir::OpConversionPattern<SourceOp>::OneToNOpAdaptor;

  Lowering(const TTGIRTypeConverter &types, const TargetInfo &target)
      : mlir::OpConversionPattern<SourceOp>(types, &types.getContext()), types(types),
        target(target) {}

protected:
  const TTGIRTypeConverter &types;
  const TargetInfo &target;
};

/// The symbol of a kernel's dynamic shared memory.
inline constexpr llvm::StringLiteral kSharedMemorySymbol = "global_smem";

/// The one value list of an op with one result.
inline mlir::LogicalResult replaceWith(mlir::ConversionPatternRewriter &b, mlir::Operation *op,
                                       llvm::ArrayRef<mlir::Value> values) {
  b.replaceOpWithMultiple(op, llvm::ArrayRef<mlir::ValueRange>(mlir::ValueRange(values)));
  return mlir::success();
}

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
void populateDotPatterns(mlir::RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                         const TargetInfo &target);
void populateAtomicsPatterns(mlir::RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                             const TargetInfo &target);
void populateAsyncCopyPatterns(mlir::RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                               const TargetInfo &target);
void populatePrintAssertPatterns(mlir::RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                                 const TargetInfo &target);
void populateInlineAsmPatterns(mlir::RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                               const TargetInfo &target);

} // namespace tessera
