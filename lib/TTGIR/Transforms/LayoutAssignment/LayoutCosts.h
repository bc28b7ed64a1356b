//===- LayoutCosts.h - the cost model of layouts -------------------------===//
// Costs are thread instructions, weighted by how often the op runs. Moving data costs by distance
// and bytes; computing costs by the registers that a thread holds, so copies are counted.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/Conversion.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace tessera {

using Cost = double;
inline constexpr Cost kImpossible = 1e30;

/// Returns how often an op runs, relative to the kernel: a loop counts as several iterations.
Cost executionWeight(mlir::Operation *op);
/// Returns the weight of a conversion of `value`, which is placed at the definition of the value
/// and thus outside of loops in which the value is invariant.
Cost executionWeight(mlir::Value value);

/// Returns the instructions per register of an elementwise op.
Cost instructionWeight(mlir::Operation *op);

/// Caches the costs of layouts.
class LayoutCosts {
public:
  explicit LayoutCosts(const MoveCosts &moves) : moves(moves) {}

  /// Returns the cost of converting a tensor once; 0 if no data moves.
  Cost conversion(mlir::RankedTensorType type, mlir::Attribute from, mlir::Attribute to);
  /// Returns the values of a tensor that a thread holds.
  Cost registers(mlir::RankedTensorType type, mlir::Attribute encoding);
  /// Returns the cost of `op` with this label (LayoutRelations.h), without moving its operands.
  Cost operation(mlir::Operation *op, mlir::RankedTensorType type, mlir::Attribute label);

private:
  using Shaped = std::pair<mlir::RankedTensorType, mlir::Attribute>;
  const LinearLayout &layout(mlir::RankedTensorType type, mlir::Attribute encoding);
  Cost reduction(mlir::RankedTensorType type, mlir::Attribute label, unsigned axis);
  Cost packing(mlir::Operation *op, mlir::RankedTensorType type, mlir::Attribute label);

  MoveCosts moves;
  llvm::DenseMap<Shaped, std::unique_ptr<LinearLayout>> layouts;
  llvm::DenseMap<std::pair<Shaped, mlir::Attribute>, Cost> conversions;
};

} // namespace tessera
