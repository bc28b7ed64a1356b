//===- BufferBytes.cpp - how large a buffer is ----------------------------===//
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/Transforms/SharedMemory.h"
#include "tessera/TTIR/IR/TTTypes.h"

using namespace mlir;
using namespace tessera;

unsigned tessera::slotBytes(ttg::MemDescType type) {
  uint64_t elements = ttg::toLinearLayout(type).inSize(Dim::offset());
  if (auto padded = dyn_cast<ttg::PaddedSharedEncodingAttr>(type.getEncoding()))
    elements = paddedOffset(elements - 1, padded.getPaddingIntervals()) + 1;
  return elements * std::max(1u, tt::getElementBits(type.getElementType()) / 8);
}

unsigned tessera::bufferBytes(ttg::MemDescType type) {
  unsigned buffers = 1;
  for (int64_t size : type.getAllocShape().drop_back(type.getLayoutShape().size()))
    buffers *= size;
  return buffers * slotBytes(type);
}
