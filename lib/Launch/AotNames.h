//===- AotNames.h - the names in a generated C file -----------------------===//
// What the launchers for a GPU and for the CPU share: how a kernel's types and
// parameters are spelled in C, whatever Python calls them.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Kernel/KernelRecord.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace tessera::aot {

/// The C type of a scalar; 16- and 8-bit floats travel as their bits.
llvm::StringRef scalarType(llvm::StringRef type);

/// Returns whether it is a name in C: ASCII letters, digits and '_', no digit first.
bool isIdentifier(llvm::StringRef name);

/// Why a function cannot be called so in C or C++: it is no name there, or the language, the
/// headers that generated files include or the C library have it. Empty if it can.
std::string whyNoFunction(llvm::StringRef name);

/// "t_0" for the part "t.0" of a tuple: what people write for it in C.
std::string plainName(const KernelArgument &argument);

/// A C name for each parameter: its own if that is one in C and C++, whatever headers are
/// included, and none of those that begin with `function` and '_', which generated code uses.
/// Callers do not see them, and --grid is translated.
std::vector<std::string> parameterNames(const KernelRecord &record, llvm::StringRef function);

/// A name of ours that no parameter has.
std::string freshName(llvm::StringRef wanted, llvm::ArrayRef<std::string> parameters);

/// "float *" with its star, "int32_t " with its space: a name can follow.
std::string declarator(const KernelArgument &argument);

/// Returns the facts about an argument that its C type does not express; may be empty.
std::string describeArgument(const KernelArgument &argument);

/// Breaks lines of code behind commas. Comments and #includes stay as they are; there
/// are no string literals.
std::string wrapLines(llvm::StringRef text);

/// A comment, whatever the lines hold.
std::string comment(llvm::ArrayRef<std::string> lines);

/// Text that stays within a comment of one line: without control characters.
std::string inOneLine(llvm::StringRef text);

/// Fails for a file name that `#include "..."` cannot hold.
llvm::Error checkHeaderName(llvm::StringRef name);

} // namespace tessera::aot
