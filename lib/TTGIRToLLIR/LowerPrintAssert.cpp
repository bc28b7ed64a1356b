//===- LowerPrintAssert.cpp - what a kernel tells its user --------------===//
// tt.print, tt.assert
//===----------------------------------------------------------------------===//
#include "Lowering.h"

using namespace mlir;
using namespace tessera;

void tessera::populatePrintAssertPatterns(RewritePatternSet &patterns,
                                          const TTGIRTypeConverter &types,
                                          const TargetInfo &target) {}
