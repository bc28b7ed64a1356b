//===- LowerBufferOps.h - accesses at offsets from one pointer ------------===//
#pragma once

#include "tessera/Target/AMD/TargetInfo.h"

namespace tessera::amd {

void populateBufferOpPatterns(mlir::RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                              const AmdTargetInfo &target);

} // namespace tessera::amd
