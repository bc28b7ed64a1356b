//===- BufferUse.cpp - how a tensor's buffer in shared memory is used ------===//
// See BufferUse.h.
//===----------------------------------------------------------------------===//
#include "tessera/TTGIR/Transforms/BufferUse.h"
#include "tessera/TTGIR/IR/TTGLayouts.h"
#include "tessera/TTGIR/Layout/VectorWidth.h"

using namespace mlir;
using namespace tessera;

SharedBufferUse tessera::bufferUse(RankedTensorType written, ArrayRef<RankedTensorType> read,
                                   const MachineModel &machine) {
  SharedBufferUse use;
  use.shape.assign(written.getShape().begin(), written.getShape().end());
  use.writers = {ttg::toLinearLayout(written)};
  use.order = dimensionOrder(use.writers.front());
  use.elementBits = written.getElementTypeBitWidth();
  for (RankedTensorType type : read)
    use.readers.push_back(ttg::toLinearLayout(type));
  use.cga = cast<ttg::LayoutEncodingAttr>(written.getEncoding()).getCGALayout().getBases();
  use.matrixLoads = machine.matrixLoads;
  use.machine = machine;
  return use;
}

Attribute tessera::swizzledEncoding(RankedTensorType written, const SwizzledSharedParams &params) {
  auto cga = cast<ttg::LayoutEncodingAttr>(written.getEncoding()).getCGALayout();
  return ttg::SwizzledSharedEncodingAttr::get(written.getContext(), params.vec, params.perPhase,
                                              params.maxPhase, params.order, cga);
}
