//===- LayoutCosts.h - what layouts cost ----------------------------------===//
// Costs are thread instructions, weighted by how often the op runs. Moving data
// costs by how far it goes and how many bytes; working on it by how many
// registers a thread has of it, so replicas are paid for.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/TTGIR/Layout/Conversion.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace tessera {

using Cost = double;
inline constexpr Cost kImpossible = 1e30;

/// How often an op runs, relative to the kernel: loops count as several rounds.
Cost executionWeight(mlir::Operation *op);
/// Of a conversion of `value` for a use by `user`: it is done outside of the loops that
/// do not compute it.
Cost executionWeight(mlir::Value value);

/// Instructions per register of an elementwise op.
Cost instructionWeight(mlir::Operation *op);

/// Remembers what was computed of layouts.
class LayoutCosts {
public:
  explicit LayoutCosts(const MoveCosts &moves) : moves(moves) {}

  /// Of moving a tensor once; 0 if no data moves.
  Cost conversion(mlir::RankedTensorType type, mlir::Attribute from, mlir::Attribute to);
  /// Values that a thread holds of a tensor.
  Cost registers(mlir::RankedTensorType type, mlir::Attribute encoding);
  /// Of doing `op` once with this label (LayoutRelations.h), other than moving its
  /// operands.
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
