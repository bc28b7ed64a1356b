//===- CombineRegions.h - what is known of combine functions --------------===//
// The region of a reduction or scan takes two elements (each perhaps several values)
// and gives one. Targets apply it in their own ways; these facts are the same for all.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Operation.h"

namespace tessera::tt {

/// The op of a region that is nothing but one op on its two arguments, in either order;
/// null for other regions.
mlir::Operation *singleOperation(mlir::Region &combine);

/// The element e with combine(e, x) = x for every x, as TTIR's type; null when
/// the region is not one of the well-known single operations.
mlir::TypedAttr identityOf(mlir::Region &combine);

/// Whether combine(x, y) is known to be combine(y, x): single operations that
/// are, and functions that choose one of their sides by comparing them, such as
/// argmax. Other functions are applied in the order of the elements. With NaN most
/// comparisons depend on the sides; that can be left out.
bool isCommutative(mlir::Region &combine, bool ignoreNaN = false);

} // namespace tessera::tt
