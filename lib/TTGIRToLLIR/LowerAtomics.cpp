//===- LowerAtomics.cpp - read, change and write at once ----------------===//
// tt.atomic_rmw, tt.atomic_cas
//===----------------------------------------------------------------------===//
#include "Lowering.h"

using namespace mlir;
using namespace tessera;

void tessera::populateAtomicsPatterns(RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                                      const TargetInfo &target) {}
