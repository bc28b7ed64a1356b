//===- HostValues.h - Python's operations on compile-time values ----------===//
// What compile-time code (constexpr functions, default values, a module's top level)
// does beyond arithmetic: calls, construction, containers, identity. Each function
// reports its error.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Source/AST.h"
#include "../Builtins/Builtins.h"
#include "../Operators/Semantics.h"
#include "../Values/Definitions.h"

namespace tessera {

class Evaluator;

/// Calls anything that compile-time code can: plain functions, lambdas, constexpr functions,
/// classes, Python's own functions, methods of compile-time values.
FailureOr<Value> callHost(Emitter &emit, const Value &callee,
                          llvm::ArrayRef<CallArgument> arguments);

/// Runs a @triton.constexpr_function, or any Python function simple enough, on
/// compile-time arguments.
FailureOr<Value> callHostFunction(Emitter &emit, const JitFunction &function,
                                  llvm::ArrayRef<CallArgument> arguments);
/// Defines the parameters of a function that runs at compile time, by Python's rules.
LogicalResult bindHostParameters(Emitter &emit, const JitFunction &function,
                                 llvm::ArrayRef<CallArgument> arguments, Evaluator &evaluator);
/// Makes what executes a jit function where it is called.
using TranslatorMaker = llvm::function_ref<std::unique_ptr<Evaluator>(const JitFunction &)>;
/// Constructs a NamedTuple or an aggregate. An __init__ that is a jit function
/// is executed by what `makeTranslator` makes; at compile time there is none.
FailureOr<Value> construct(Emitter &emit, const ClassDefinition &type,
                           llvm::ArrayRef<CallArgument> arguments,
                           TranslatorMaker makeTranslator = nullptr);

/// The items of an iterable: the characters of a string, the keys of a dict.
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

/// Converts a compile-time value to the form that kernels see: lists become tuples, and plain
/// functions become HostObjects with a name. Fails, with an error, if the value is too large.
FailureOr<Value> kernelView(Emitter &emit, const Value &value);

} // namespace tessera
