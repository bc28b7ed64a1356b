//===- HostValues.h - Python's operations on compile-time values ----------===//
// What host code (constexpr functions, default values, a module's top level) does
// beyond arithmetic: containers, identity, calls. Each function reports its error.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Source/AST.h"
#include "../Builtins.h"
#include "../Semantics.h"

namespace tessera {

/// Calls anything that host code can: plain functions, lambdas, constexpr functions,
/// classes, Python's own functions, methods of compile-time values.
FailureOr<Value> callHost(Emitter &emit, const Value &callee,
                          llvm::ArrayRef<CallArgument> arguments);

/// What an iterable holds; the characters of a text, the keys of a dict.
FailureOr<std::vector<Value>> itemsOf(Emitter &emit, const Value &iterable);

/// Any of Python's comparisons.
FailureOr<Value> compareHost(Emitter &emit, ast::CmpOp op, const Value &lhs, const Value &rhs);
bool isIdentical(const Value &lhs, const Value &rhs);
FailureOr<bool> contains(Emitter &emit, const Value &container, const Value &value);

/// The distinct ones, in their order.
Value makeSet(const std::vector<Value> &elements);
/// An error if `value` cannot go into the list or dict at `container`: that would then
/// hold itself, or too much.
LogicalResult checkInsertion(Emitter &emit, const void *container, size_t size, const Value &value);

/// What a kernel sees of a host value: lists are tuples, plain functions only have names.
/// An error if it is too large for a compile-time value.
FailureOr<Value> kernelView(Emitter &emit, const Value &value);

/// Python's functions beyond those that kernels have: `sorted`, `sum`, `dict`.
std::optional<Value> lookupHostBuiltin(llvm::StringRef name);
/// A method of a compile-time value: "x".upper, [].append, (5).bit_length.
std::optional<Value> lookupHostMethod(const Value &value, llvm::StringRef name);
/// A field or method of a named tuple, an aggregate or a class; a method of any other
/// compile-time value (Classes.cpp). Nothing if it has none.
std::optional<Value> objectAttribute(const Value &value, llvm::StringRef name);
llvm::ArrayRef<Builtin> hostFunctions();         // "host.sorted"
llvm::ArrayRef<Builtin> hostMethods();           // "str.upper"
llvm::ArrayRef<Builtin> mathFunctions();         // "math.gcd", beyond what kernels use most
llvm::ArrayRef<Builtin> pythonModuleFunctions(); // "os.getenv"

} // namespace tessera
