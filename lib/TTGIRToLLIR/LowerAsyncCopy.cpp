//===- LowerAsyncCopy.cpp - copies that run beside the program ----------===//
// async_copy_global_to_local, async_wait
//===----------------------------------------------------------------------===//
#include "Lowering.h"

using namespace mlir;
using namespace tessera;

void tessera::populateAsyncCopyPatterns(RewritePatternSet &patterns,
                                        const TTGIRTypeConverter &types, const TargetInfo &target) {
}
