//===- PythonText.h - str(), repr() and format() of compile-time values ---===//
// f"{x:>8.3f}", "%d" % n and "{}".format(v) give the characters that CPython does.
//===----------------------------------------------------------------------===//
#pragma once

#include "Semantics.h"

namespace tessera {

/// Charges for the digits of a large int, which take time with their square.
LogicalResult countDigits(Emitter &emit, const Value &value);
/// format(value, spec). Reports what Python raises.
FailureOr<std::string> formatValue(Emitter &emit, const Value &value, llvm::StringRef spec);
/// "{} {0:>4} {name!r}".format(...): positional arguments, then those with names.
FailureOr<std::string> formatFields(Emitter &emit, llvm::StringRef text,
                                    llvm::ArrayRef<Value> arguments,
                                    llvm::ArrayRef<std::pair<std::string, Value>> named);
/// "%s has %d" % values.
FailureOr<std::string> formatPercent(Emitter &emit, llvm::StringRef text, const Value &values);

/// The characters of a string, each as UTF-8: what len() counts and [] takes.
std::vector<llvm::StringRef> characters(llvm::StringRef text);

/// Longer strings are an error, not a reason to run out of memory.
inline constexpr size_t kMaxTextBytes = 1 << 20;
/// More elements than any kernel's constants have.
inline constexpr size_t kMaxElements = 1 << 16;

} // namespace tessera
