//===- TTOps.cpp - the generated op code, and effects ---------------------===//
#include "tessera/TTIR/IR/TTOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tessera::tt;

void TTDialect::registerOperations() {
  addOperations<
#define GET_OP_LIST
#include "tessera/TTIR/IR/TTOps.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "tessera/TTIR/IR/TTOps.cpp.inc"

void LoadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPtrMutable(), GlobalMemory::get());
  // A volatile load must neither vanish nor move: the write has no place of its own.
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get());
}
