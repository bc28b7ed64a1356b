//===- TTGOps.cpp - the generated op code ---------------------------------===//
#include "tessera/TTGIR/IR/TTGOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::ttg;

void TTGDialect::registerOperations() {
  addOperations<
#define GET_OP_LIST
#include "tessera/TTGIR/IR/TTGOps.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "tessera/TTGIR/IR/TTGOps.cpp.inc"
