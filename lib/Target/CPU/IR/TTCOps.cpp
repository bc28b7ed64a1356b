//===- TTCOps.cpp - the ttc dialect ---------------------------------------===//
#include "tessera/Target/CPU/IR/TTCOps.h"

using namespace mlir;
using namespace tessera;

#include "tessera/Target/CPU/IR/TTCDialect.cpp.inc"

#define GET_OP_CLASSES
#include "tessera/Target/CPU/IR/TTCOps.cpp.inc"

void ttc::TTCDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "tessera/Target/CPU/IR/TTCOps.cpp.inc"
      >();
}

LogicalResult ttc::ExtractOp::verify() {
  // [ttc.extract.C1] one index per dimension
  int64_t rank = getTensor().getType().getRank();
  if (rank != static_cast<int64_t>(getIndices().size()))
    return emitOpError("needs an index for each of the ")
           << rank << " dimensions, and has " << getIndices().size();
  return success();
}

LogicalResult ttc::ExplainWrapOp::verify() {
  // [ttc.explain_wrap.C1] the suspect is one of a check
  if (!getSuspect().getDefiningOp<CheckAccessOp>())
    return emitOpError("explains a suspect of ttc.check_access, and gets another value");
  return success();
}
