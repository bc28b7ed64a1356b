//===- LowerHistogram.cpp - count values --------------------------------===//
// tt.histogram
//===----------------------------------------------------------------------===//
#include "Lowering.h"

using namespace mlir;
using namespace tessera;

void tessera::populateHistogramPatterns(RewritePatternSet &patterns,
                                        const TTGIRTypeConverter &types, const TargetInfo &target) {
}
