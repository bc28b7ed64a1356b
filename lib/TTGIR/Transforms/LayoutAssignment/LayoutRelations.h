//===- LayoutRelations.h - how an op's tensors depend on its layout -------===//
// An op that moves no data, or that works in any layout, has one layout that determines those of
// all its tensors: its *label*, the layout of its result, or of its operand if the result is
// smaller (reduce, split).
//
//   tt.reduce axis 1, label #mma      operands #mma, results #slice<1, #mma>
//   tt.expand_dims axis 1, label #b   operand #slice<1, #b>, result #b
//   arith.addf, label #b              everything #b
//
// Each function has an inverse, so that a layout chosen anywhere can be propagated in both
// directions. A null attribute means that there is no such layout.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace tessera {

/// Returns whether the op works in any layout that a label determines.
bool hasLabel(mlir::Operation *op);

/// Returns the tensor to whose layout the label refers. Requires hasLabel(op).
mlir::RankedTensorType labelType(mlir::Operation *op);

/// Returns what a label implies for an operand or a result; null if it does not determine that
/// tensor (an operand that may have any layout, a result that keeps its own), or if the op does not
/// support the label.
mlir::Attribute operandEncoding(mlir::Operation *op, unsigned index, mlir::Attribute label);
mlir::Attribute resultEncoding(mlir::Operation *op, unsigned index, mlir::Attribute label);

/// Returns the label with which an operand or a result has this encoding.
mlir::Attribute labelFromOperand(mlir::Operation *op, unsigned index, mlir::Attribute encoding);
mlir::Attribute labelFromResult(mlir::Operation *op, unsigned index, mlir::Attribute encoding);

/// Returns whether the label determines the operand's (the result's) layout.
bool decidesOperand(mlir::Operation *op, unsigned index);
bool decidesResult(mlir::Operation *op, unsigned index);

/// Returns whether the tensor is not split between the CTAs of a cluster along `axis`, or along any
/// dimension if none is given.
bool staysInBlock(mlir::RankedTensorType type, mlir::Attribute encoding,
                  std::optional<unsigned> axis);
/// Returns whether the op can have this label: reductions and scans must not cross CTAs.
bool admitsLabel(mlir::Operation *op, mlir::Attribute label);

/// Returns whether the op is elementwise, without effects or regions, so that it can be duplicated.
bool isRepeatableElementwise(mlir::Operation *op);
/// Returns whether the op creates a tensor from scalars (splat, range, constant), equally cheap in
/// any layout.
bool isTensorSource(mlir::Operation *op);
/// Returns whether the operand may have any layout: for prints, and stores to shared memory.
bool takesAnyLayout(mlir::Operation *op, unsigned index);

} // namespace tessera
