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
  // A volatile load must be neither removed nor moved, so it is modelled as a write to unknown
  // memory. The same holds for a load with `.cv` ("fetch again"): programs that poll memory use it.
  if (getIsVolatile() || getCache() == CacheModifier::CV)
    effects.emplace_back(MemoryEffects::Write::get());
}

//===----------------------------------------------------------------------===//
// Functions and assembly from elsewhere
//===----------------------------------------------------------------------===//

/// Code that is not marked pure may read and write any memory.
static void
addForeignEffects(bool pure,
                  SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (pure)
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

void ExternElementwiseOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  addForeignEffects(getPure(), effects);
}

Speculation::Speculatability ExternElementwiseOp::getSpeculatability() {
  return getPure() ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

void ElementwiseInlineAsmOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  addForeignEffects(getPure(), effects);
}

Speculation::Speculatability ElementwiseInlineAsmOp::getSpeculatability() {
  return getPure() ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

void SplitOp::getAsmResultNames(function_ref<void(Value, StringRef)> setName) {
  setName(getOutLHS(), "outLHS");
  setName(getOutRHS(), "outRHS");
}
