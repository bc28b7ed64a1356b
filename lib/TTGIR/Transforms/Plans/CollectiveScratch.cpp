//===- CollectiveScratch.cpp - where partial results lie ------------------===//
#include "tessera/TTGIR/Transforms/CollectiveScratch.h"
#include "tessera/TTGIR/Transforms/SharedMemory.h"
#include "tessera/TTIR/IR/TTOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera;

CollectiveScratch tessera::placeScratch(ValueRange operands, unsigned count) {
  CollectiveScratch scratch;
  for (Value operand : operands) {
    unsigned bytes = std::max(1u, tt::getElementBits(operand.getType()) / 8);
    scratch.offsets.push_back(scratch.bytes);
    scratch.bytes += llvm::alignTo(count * bytes, kSharedAlignment);
  }
  return scratch;
}
