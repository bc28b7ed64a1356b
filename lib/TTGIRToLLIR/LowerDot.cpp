//===- LowerDot.cpp - products of matrices, by multiply-add -------------===//
// tt.dot
//===----------------------------------------------------------------------===//
#include "Lowering.h"

using namespace mlir;
using namespace tessera;

void tessera::populateDotPatterns(RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                                  const TargetInfo &target) {}
