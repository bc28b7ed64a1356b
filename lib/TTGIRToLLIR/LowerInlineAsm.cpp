//===- LowerInlineAsm.cpp - assembly and functions applied to each element ===//
// tt.elementwise_inline_asm, tt.map_elementwise
//===----------------------------------------------------------------------===//
#include "Lowering.h"

using namespace mlir;
using namespace tessera;

void tessera::populateInlineAsmPatterns(RewritePatternSet &patterns,
                                        const TTGIRTypeConverter &types, const TargetInfo &target) {
}
