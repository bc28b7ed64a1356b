//===- ExpandedValues.h - expand one value to several (1:N) --------------===//
// A block pointer consists of a base, sizes, strides and offsets; a descriptor is similar. Passes
// that expand such values supply their parts (a type converter with a 1:N conversion) and patterns
// for the ops that create or use them. This file rewrites all ops that only pass the values on:
//
//   before: scf.for … iter_args(%p = %q) -> (!tt.ptr<tensor<32xf16>>)
//   after:  scf.for … iter_args(%p0 = %q0, …) -> (!tt.ptr<f16>, i64, i64, i64)
//
// and likewise scf.if, scf.while, cf.br, cf.cond_br, arith.select, ub.poison, and the arguments and
// results of tt.func. All parts are passed on, because a branch may choose between tensors and a
// loop may change to another one. The canonicalizer removes parts that do not change.
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tessera {

/// Returns whether `module` has a value of such a type, or declares a function that takes or
/// returns one. This is one walk; most programs have none, and the conversion is then not set up.
bool hasValueOf(mlir::ModuleOp module, llvm::function_ref<bool(mlir::Type)> isSuchType);

/// Expands every value of `module` whose type `parts` converts.
///
/// `users` are patterns for the ops for which `isUser` holds: those that create such values or use
/// them. `what` names the values in messages ("a block pointer"). Attributes of a function's
/// argument stay with its first part.
///
/// Fails, with a diagnostic at each op that is neither a user nor known to pass values on.
mlir::LogicalResult expandValues(mlir::ModuleOp module, const mlir::TypeConverter &parts,
                                 mlir::RewritePatternSet users,
                                 llvm::function_ref<bool(mlir::Operation *)> isUser,
                                 llvm::StringRef what);

/// Returns the single value of an operand that is not expanded.
inline mlir::Value only(mlir::ValueRange parts) { return parts.front(); }
/// Concatenates the parts of all values.
llvm::SmallVector<mlir::Value> flatten(llvm::ArrayRef<mlir::ValueRange> values);

} // namespace tessera
