//===- WrongPass.h - edits that a wrong pass might make -------------------===//
// The tests of `tessera explain --bisect` plant an error in a pass, and look whether it is found.
//===----------------------------------------------------------------------===//
#pragma once

namespace mlir {
class Operation;
}
namespace llvm {
class Function;
}

namespace tessera {

/// Replaces each sum, difference and product of floats by another operation; if there is none,
/// negates the operands of truncations of floats. All are changed, because the first may be in code
/// that is not reached, such as that for the rest of an array.
void makeWrong(mlir::Operation *root);
/// Replaces each sum, difference and product of floats by another operation.
void makeWrong(llvm::Function &function);

} // namespace tessera
