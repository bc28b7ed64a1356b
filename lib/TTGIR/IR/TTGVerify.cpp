//===- TTGVerify.cpp - what the ttg dialect holds to be well formed -------===//
// Each rule has an id, [ttg.<op>.C<n>], cited by the test that rejects it. Rules of
// encodings are in TTGAttrs.cpp and TTGSharedAttrs.cpp, of types in TTGTypes.cpp, of
// tensors and dots in TTGInference.cpp.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/IR/TTGOps.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::ttg;

LogicalResult ConvertLayoutOp::verify() {
  // [ttg.convert_layout.C1] there is a layout on both sides
  if (!tt::getEncodingOf(getSrc().getType()) || !tt::getEncodingOf(getType()))
    return emitOpError() << "converts between encodings, but got " << getSrc().getType() << " and "
                         << getType();
  return success();
}
