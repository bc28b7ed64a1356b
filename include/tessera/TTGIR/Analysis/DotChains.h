//===- DotChains.h - what feeds a dot, and what it feeds ------------------===//
// Walks over elementwise ops and layout conversions, from a dot's operands to what was
// loaded, and from its result to the dots that take it as an operand.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTIR/IR/TTOps.h"

namespace tessera::ttg {

/// Calls `visit` for `value` and each value that it was computed from, element by element, also in
/// a loop before.
void walkSources(mlir::Value value, llvm::function_ref<void(mlir::Value)> visit);

/// Returns whether the op is tt.dot or tt.dot_scaled: operands 0 and 1 are multiplied, and 2 is
/// added.
bool isDot(mlir::Operation *op);

/// The operand (0 or 1) of another dot that the result of `dot` becomes, element by element,
/// also in the next iteration of a loop or after it.
std::optional<unsigned> findFedOperand(mlir::Operation *dot);

/// The operand (0 or 1) of `dot` that the result of another dot becomes.
std::optional<unsigned> findOperandFromDot(mlir::Operation *dot);

/// Returns the value before its layout was converted.
mlir::Value unconverted(mlir::Value value);

/// The fewest bits of an element that the operand was made of in memory.
unsigned narrowestBits(mlir::Value operand);

} // namespace tessera::ttg
