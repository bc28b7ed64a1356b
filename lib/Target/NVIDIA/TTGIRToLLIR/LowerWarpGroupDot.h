//===- LowerWarpGroupDot.h - products of matrices by wgmma ----------------===//
#pragma once

#include "tessera/TTGIRToLLIR/TypeConverter.h"
#include "tessera/Target/NVIDIA/TargetInfo.h"

namespace tessera::nvidia {

/// ttng.warp_group_dot, its wait, and the fence of the asynchronous proxy.
void populateWarpGroupDotPatterns(mlir::RewritePatternSet &patterns,
                                  const TTGIRTypeConverter &types, const NvidiaTargetInfo &target,
                                  const NvidiaSpec &spec);

} // namespace tessera::nvidia
