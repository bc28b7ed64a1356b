//===- OutlinedFunctions.h - the result of ttg-outline-functions ---------===//
// After that pass, the region of a reduction, scan or map_elementwise is either one op on its two
// arguments or a call of a private function.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/ReducePlan.h"
#include "tessera/TTIR/IR/TTOps.h"

namespace tessera {

/// Attribute of a tt.reduce whose function gives the same result with exchanged operands, except
/// for NaN and the signs of zeros.
inline constexpr llvm::StringLiteral kCommutesAttr = "ttg.commutes";

Commutes howItCommutes(tt::ReduceOp op);

/// Returns whether the region is an op that LLVM has for the type.
bool canEmitDirectly(mlir::Region &combine);

/// Returns the call of which the region consists; null if it is something else.
tt::CallOp findCallee(mlir::Region &region);

} // namespace tessera
