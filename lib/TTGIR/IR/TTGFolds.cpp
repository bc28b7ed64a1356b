//===- TTGFolds.cpp - folds and canonicalisations of single ops -----------===//
#include "tessera/TTGIR/IR/TTGOps.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::ttg;

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor) {
  return getSrc().getType() == getType() ? getSrc() : OpFoldResult();
}
