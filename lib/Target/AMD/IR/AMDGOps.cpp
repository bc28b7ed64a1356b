//===- AMDGOps.cpp - the amdg dialect -------------------------------------===//
// Types of pointers, offsets and masks follow from that of the elements, which is the one in text.
//===----------------------------------------------------------------------===//
#include "tessera/Target/AMD/IR/AMDGOps.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::amdg;

namespace tessera::amdg {
/// The pointer to an element of a tensor.
static Type getPointerTo(Type tensor) {
  constexpr int globalSpace = 1;
  return tt::PointerType::get(cast<RankedTensorType>(tensor).getElementType(), globalSpace);
}
static Type getOffsetsOf(Type tensor) {
  return cast<RankedTensorType>(tensor).clone(IntegerType::get(tensor.getContext(), 32));
}
static Type getMaskOf(Type tensor) {
  return cast<RankedTensorType>(tensor).clone(IntegerType::get(tensor.getContext(), 1));
}
} // namespace tessera::amdg

#include "tessera/Target/AMD/IR/AMDGDialect.cpp.inc"

#define GET_OP_CLASSES
#include "tessera/Target/AMD/IR/AMDGOps.cpp.inc"

void AMDGDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "tessera/Target/AMD/IR/AMDGOps.cpp.inc"
      >();
}

bool BufferLoadOp::isStore() { return false; }
bool BufferStoreOp::isStore() { return true; }
