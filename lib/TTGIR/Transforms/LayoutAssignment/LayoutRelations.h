//===- LayoutRelations.h - how an op's tensors depend on its layout -------===//
// An op that moves no data, or that works in any layout, has one layout that
// decides those of all its tensors: its *label*, the layout of its result, or of
// its operand where the result is smaller (reduce, split).
//
//   tt.reduce axis 1, label #mma      operands #mma, results #slice<1, #mma>
//   tt.expand_dims axis 1, label #b   operand #slice<1, #b>, result #b
//   arith.addf, label #b              everything #b
//
// Each question has an inverse, so that a layout chosen anywhere can be followed
// both ways. Nothing (a null attribute) means that there is no such layout.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace tessera {

/// Whether the op works in any layout, and a label decides it.
bool hasLabel(mlir::Operation *op);

/// The tensor that the label lays out. Requires hasLabel(op).
mlir::RankedTensorType labelType(mlir::Operation *op);

/// What a label implies for an operand or a result; null if it does not decide that
/// tensor (an operand that may have any layout, a result that keeps its own), or if the
/// op cannot be done so.
mlir::Attribute operandEncoding(mlir::Operation *op, unsigned index, mlir::Attribute label);
mlir::Attribute resultEncoding(mlir::Operation *op, unsigned index, mlir::Attribute label);

/// The label under which an operand or a result has this encoding.
mlir::Attribute labelFromOperand(mlir::Operation *op, unsigned index, mlir::Attribute encoding);
mlir::Attribute labelFromResult(mlir::Operation *op, unsigned index, mlir::Attribute encoding);

/// Whether the label decides the operand's (the result's) layout.
bool decidesOperand(mlir::Operation *op, unsigned index);
bool decidesResult(mlir::Operation *op, unsigned index);

/// Whether the blocks of a cluster do not split the tensor along `axis`, or along any
/// dimension if none is given.
bool staysInBlock(mlir::RankedTensorType type, mlir::Attribute encoding,
                  std::optional<unsigned> axis);
/// Whether the op can be done with this label: what combines elements along a dimension
/// does so within a block.
bool admitsLabel(mlir::Operation *op, mlir::Attribute label);

/// Elementwise without effects or regions: repeating it changes nothing.
bool isRepeatableElementwise(mlir::Operation *op);
/// Makes a tensor from scalars: splat, range, constant. Any layout is as good.
bool isTensorSource(mlir::Operation *op);
/// Takes a tensor in any layout: prints it, puts it into shared memory.
bool takesAnyLayout(mlir::Operation *op, unsigned index);

} // namespace tessera
