//===- MatrixUnits.cpp - encodings of matrix units, whosever they are -----===//
#include "tessera/TTGIR/IR/MatrixUnits.h"
#include "tessera/TTGIR/IR/TTGOps.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::ttg;

bool ttg::isMatrixUnitEncoding(Attribute encoding) {
  return isa_and_nonnull<NvidiaMmaEncodingAttr, AmdMfmaEncodingAttr, AmdWmmaEncodingAttr>(encoding);
}

std::optional<int64_t> ttg::matrixInstructionK(DotOperandEncodingAttr operand) {
  // PTX ISA, mma.m16n8k16: four lanes along K hold two runs of kWidth each.
  if (isa<NvidiaMmaEncodingAttr>(operand.getParent()))
    return 8 * int64_t(operand.getKWidth());
  // All lanes along K hold kWidth elements; an instruction may take a part of them.
  if (auto mfma = dyn_cast<AmdMfmaEncodingAttr>(operand.getParent())) {
    unsigned narrow = std::min(mfma.getInstrShape()[0], mfma.getInstrShape()[1]);
    return int64_t(operand.getKWidth()) * (mfma.getNumLanes() / narrow);
  }
  if (auto wmma = dyn_cast<AmdWmmaEncodingAttr>(operand.getParent()))
    return std::max<int64_t>(wmma.getInstrShape()[2],
                             operand.getKWidth() * (wmma.getVersion() == 1 ? 1 : 2));
  return std::nullopt;
}
