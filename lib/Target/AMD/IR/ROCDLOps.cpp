//===- ROCDLOps.cpp - instructions in Triton's TTGIR ----------------------===//
// See tessera/Target/AMD/IR/ROCDLOps.td.
//===----------------------------------------------------------------------===//
#include "tessera/Target/AMD/IR/ROCDLOps.h"

using namespace mlir;
using namespace tessera;

#include "tessera/Target/AMD/IR/ROCDLDialect.cpp.inc"

#define GET_OP_CLASSES
#include "tessera/Target/AMD/IR/ROCDLOps.cpp.inc"

void rocdl::ROCDLDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "tessera/Target/AMD/IR/ROCDLOps.cpp.inc"
      >();
}
