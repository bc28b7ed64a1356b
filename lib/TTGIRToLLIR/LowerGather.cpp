//===- LowerGather.cpp - elements at indices of a tensor ----------------===//
// tt.gather
//===----------------------------------------------------------------------===//
#include "Lowering.h"

using namespace mlir;
using namespace tessera;

void tessera::populateGatherPatterns(RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                                     const TargetInfo &target) {}
