//===- ExpandedValues.h - one value becomes several, wherever it goes -----===//
// A block pointer is a base, sizes, strides and offsets; a descriptor is much the
// same. Passes that take such a value apart say what its parts are (a type
// converter with a 1:N conversion) and how its makers and its users read them
// (patterns). What merely hands the value on is rewritten here:
//
//   before: scf.for … iter_args(%p = %q) -> (!tt.ptr<tensor<32xf16>>)
//   after:  scf.for … iter_args(%p0 = %q0, …) -> (!tt.ptr<f16>, i64, i64, i64)
//
// and the same for scf.if, scf.while, cf.br, cf.cond_br, arith.select, ub.poison,
// and the arguments and results of tt.func. All parts travel: a branch may choose
// between tensors, and a loop may move on to another one. Parts that do not change
// are for the canonicalizer to take out again.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tessera {

/// Whether `module` has a value, or declares a function that takes or returns one, of such a
/// type. One walk: most programs have none, and then nothing else needs to be set up.
bool hasValueOf(mlir::ModuleOp module, llvm::function_ref<bool(mlir::Type)> isSuchType);

/// Takes apart every value of `module` whose type `parts` does not leave alone.
///
/// `users` are patterns for the ops for which `isUser` holds: those that make such values
/// or read what they stand for. `what` names the values in messages ("a block pointer").
/// Attributes of a function's argument stay with its first part.
///
/// Fails, with a diagnostic at each op that is neither a user nor known to hand values on.
mlir::LogicalResult expandValues(mlir::ModuleOp module, const mlir::TypeConverter &parts,
                                 mlir::RewritePatternSet users,
                                 llvm::function_ref<bool(mlir::Operation *)> isUser,
                                 llvm::StringRef what);

/// The one value that stands for a value which is not taken apart.
inline mlir::Value only(mlir::ValueRange parts) { return parts.front(); }
/// All parts in a row.
llvm::SmallVector<mlir::Value> flatten(llvm::ArrayRef<mlir::ValueRange> values);

} // namespace tessera
