//===- LowerScan.cpp - running combinations along a dimension -----------===//
// tt.scan
//===----------------------------------------------------------------------===//
#include "Lowering.h"

using namespace mlir;
using namespace tessera;

void tessera::populateScanPatterns(RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                                   const TargetInfo &target) {}
