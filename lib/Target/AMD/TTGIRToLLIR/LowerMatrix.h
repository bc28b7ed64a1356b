//===- LowerMatrix.h - products of matrices by MFMA and WMMA --------------===//
#pragma once

#include "tessera/TTGIRToLLIR/TypeConverter.h"
#include "tessera/Target/AMD/TargetInfo.h"

namespace tessera::amd {

void populateMatrixPatterns(mlir::RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                            const AmdTargetInfo &target, const AmdSpec &spec);

} // namespace tessera::amd
