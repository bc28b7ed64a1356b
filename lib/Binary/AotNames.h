//===- AotNames.h - the names in a generated C file -----------------------===//
// What the launchers for a GPU and for the CPU share: how a kernel's types and
// parameters are spelled in C, whatever Python calls them.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Binary/KernelMetadata.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace tessera::aot {

/// The C type of a scalar; 16- and 8-bit floats travel as their bits.
llvm::StringRef scalarType(llvm::StringRef type);

/// Names that Python allows and C or C++ does not, or that the generated
/// files' own headers define.
bool isReservedInC(llvm::StringRef name);

/// A C name for each parameter: its own where that is one, so that --grid can use it.
std::vector<std::string> parameterNames(const KernelMetadata &metadata);

/// A name of ours that no parameter has.
std::string freshName(llvm::StringRef wanted, const KernelMetadata &metadata);

/// A grid expression with every parameter under its C name, and numbers for those
/// that were fixed.
std::string renameParameters(llvm::StringRef expression, const KernelMetadata &metadata,
                             llvm::ArrayRef<std::string> names);

} // namespace tessera::aot
