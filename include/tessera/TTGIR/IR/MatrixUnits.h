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

/// Whether `encoding` is that of a matrix unit's accumulator.
bool isMatrixUnitEncoding(mlir::Attribute encoding);

/// K of one matrix instruction, as the operand's layout has it; nothing if no matrix unit takes
/// the operand.
std::optional<int64_t> matrixInstructionK(DotOperandEncodingAttr operand);

} // namespace tessera::ttg
