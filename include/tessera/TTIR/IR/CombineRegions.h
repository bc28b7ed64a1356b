//===- CombineRegions.h - properties of combine functions ----------------===//
// The region of a reduction or scan takes two elements (each perhaps a tuple) and returns one.
// Targets apply it in different ways; these properties are the same for all.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Operation.h"

namespace tessera::tt {

/// Returns the op of a region that consists of one op on its two arguments, in either order; null
/// for other regions.
mlir::Operation *singleOperation(mlir::Region &combine);

/// Returns the element e with combine(e, x) = x for every x, in TTIR's type; null if the region is
/// not a well-known single operation.
mlir::TypedAttr identityOf(mlir::Region &combine);

/// Returns whether combine(x, y) is known to equal combine(y, x): for commutative single
/// operations, and for functions that select one side by comparisons, such as argmax. Other
/// functions are applied in the order of the elements. With NaN most comparisons depend on the
/// order; `ignoreNaN` disregards that.
bool isCommutative(mlir::Region &combine, bool ignoreNaN = false);

} // namespace tessera::tt
