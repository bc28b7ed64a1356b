//===- LowerWarpRoles.h - warps with code of their own --------------------===//
#pragma once

#include "tessera/TTGIRToLLIR/TypeConverter.h"
#include "tessera/Target/NVIDIA/TargetInfo.h"

namespace tessera::nvidia {

/// The number of a warp, its registers, and the barrier of all warps.
void populateWarpRolePatterns(mlir::RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                              const NvidiaTargetInfo &target);

} // namespace tessera::nvidia
