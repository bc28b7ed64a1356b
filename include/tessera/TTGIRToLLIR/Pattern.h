//===- Pattern.h - the shape of a lowering pattern ------------------------===//
// A pattern sees each operand as the list of its scalars (one per register)
// and answers with such a list for each result. Targets write theirs like this
// too (TargetInfo::populatePatterns).
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Support/Unsupported.h"
#include "tessera/TTGIRToLLIR/TargetInfo.h"
#include "tessera/TTGIRToLLIR/TypeConverter.h"

namespace tessera {

template <typename SourceOp> class Lowering : public mlir::OpConversionPattern<SourceOp> {
public:
  using Operands = typename mlir::OpConversionPattern<SourceOp>::OneToNOpAdaptor;

  Lowering(const TTGIRTypeConverter &types, const TargetInfo &target,
           mlir::PatternBenefit benefit = 1)
      : mlir::OpConversionPattern<SourceOp>(types, &types.getContext(), benefit), types(types),
        target(target) {}

protected:
  const TTGIRTypeConverter &types;
  const TargetInfo &target;
};

/// The one value list of an op with one result.
inline mlir::LogicalResult replaceWith(mlir::ConversionPatternRewriter &b, mlir::Operation *op,
                                       llvm::ArrayRef<mlir::Value> values) {
  b.replaceOpWithMultiple(op, llvm::ArrayRef<mlir::ValueRange>(mlir::ValueRange(values)));
  return mlir::success();
}

} // namespace tessera
