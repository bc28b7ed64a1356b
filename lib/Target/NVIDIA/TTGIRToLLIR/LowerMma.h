//===- LowerMma.h - products of matrices by mma.sync ----------------------===//
#pragma once

#include "tessera/TTGIRToLLIR/TypeConverter.h"
#include "tessera/Target/NVIDIA/TargetInfo.h"

namespace tessera::nvidia {

/// tt.dot whose layouts are fragments of an instruction that the chip has.
void populateMmaPatterns(mlir::RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                         const NvidiaTargetInfo &target, const NvidiaSpec &spec);

} // namespace tessera::nvidia
