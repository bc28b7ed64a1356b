//===- LowerBuffers.cpp - buffers in shared memory ----------------------===//
// local_alloc, local_load, local_store, views
//===----------------------------------------------------------------------===//
#include "Lowering.h"

using namespace mlir;
using namespace tessera;

void tessera::populateBuffersPatterns(RewritePatternSet &patterns, const TTGIRTypeConverter &types,
                                      const TargetInfo &target) {}
