//===- OutlinedFunctions.h - what ttg-outline-functions leaves ------------===//
// Afterwards the region of a reduction, scan or map_elementwise is either one op on its
// two arguments or a call of a private function.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/ReducePlan.h"
#include "tessera/TTIR/IR/TTOps.h"

namespace tessera {

/// On a tt.reduce whose function gives the same with its sides exchanged, NaN and the
/// signs of zeros aside.
inline constexpr llvm::StringLiteral kCommutesAttr = "ttg.commutes";

Commutes howItCommutes(tt::ReduceOp op);

/// Whether the region is an op that LLVM has for the type.
bool canEmitDirectly(mlir::Region &combine);

/// The call that is all of the region; null if it is something else.
tt::CallOp findCallee(mlir::Region &region);

} // namespace tessera
