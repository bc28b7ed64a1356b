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

LogicalResult ttc::ExchangeOp::verify() {
  int64_t elements = getSrc().getType().getNumElements();
  // [ttc.exchange.C1] places are bits
  if (!llvm::isPowerOf2_64(elements))
    return emitOpError("needs a power of two of elements, and has ") << elements;
  // [ttc.exchange.C2] a turn and a direction for each bit
  if (getTurns().size() != getBits().size() || getDowns().size() != getBits().size())
    return emitOpError("has ") << getBits().size() << " bits, " << getTurns().size()
                               << " turns and " << getDowns().size() << " downs";
  // [ttc.exchange.C3] bit < turn <= n
  int32_t top = static_cast<int32_t>(llvm::Log2_64(elements));
  for (auto [bit, turn] : llvm::zip(getBits(), getTurns()))
    if (bit < 0 || turn <= bit || turn > top)
      return emitOpError("has bit ")
             << bit << " with turn " << turn << ", and places have " << top << " bits";
  return success();
}
