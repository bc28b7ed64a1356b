//===- TTHints.h - hints about values (tl.multiple_of and others) --------===//
// A hint (tl.multiple_of, tl.max_contiguous, tl.max_constancy) is a discardable attribute of the op
// that defines the value. Values without a defining op, such as block arguments, are cast to their
// own type, and the cast carries the hint:
//
//   %q = tt.bitcast %p {tt.divisibility = dense<16> : tensor<1xi32>} : T -> T
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"

namespace tessera::tt {

/// Attribute of a kernel's argument, 32: the tensor that the pointer points to ends less than 2^31
/// bytes after it.
inline constexpr llvm::StringLiteral kPointerRangeAttr = "tt.pointer_range";

/// Attribute of a load or store: it goes through a tensor descriptor, whose base and strides are
/// what tensor maps require, and which was taken apart.
inline constexpr llvm::StringLiteral kDescriptorAccessAttr = "tt.descriptor_access";

/// Returns whether the op carries a hint about its result.
bool hasHint(mlir::Operation *op);

} // namespace tessera::tt
