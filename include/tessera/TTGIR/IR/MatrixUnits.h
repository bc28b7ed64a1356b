//===- MatrixUnits.h - encodings of matrix units, whosever they are -------===//
// Passes ask whether a product runs on a matrix unit and how long its instructions are,
// not which vendor's unit it is.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Attributes.h"
#include <cstdint>
#include <optional>

namespace tessera::ttg {

class DotOperandEncodingAttr;

/// Returns whether `encoding` is the layout of a matrix unit's accumulator.
bool isMatrixUnitEncoding(mlir::Attribute encoding);

/// Returns K of one matrix instruction, which the operand's layout implies; nothing if it is not an
/// operand of a matrix unit.
std::optional<int64_t> matrixInstructionK(DotOperandEncodingAttr operand);

} // namespace tessera::ttg
