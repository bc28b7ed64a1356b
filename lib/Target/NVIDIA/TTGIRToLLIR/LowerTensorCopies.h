//===- LowerTensorCopies.h - copies of tiles by tensor maps ---------------===//
#pragma once

#include "tessera/TTGIRToLLIR/TypeConverter.h"
#include "tessera/Target/NVIDIA/TargetInfo.h"

namespace tessera::nvidia {

/// ttng's copies between global and shared memory by tensor maps, and waits for those that read
/// shared memory.
void populateTensorCopyPatterns(mlir::RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                                const NvidiaTargetInfo &target);

/// Tensor maps that the kernel makes in global memory.
void populateTensorMapPatterns(mlir::RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                               const NvidiaTargetInfo &target);

} // namespace tessera::nvidia
