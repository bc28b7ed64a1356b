//===- AotGrid.h - the expressions of --grid ------------------------------===//
// A launcher that computes its grid takes three expressions over the kernel's
// scalar parameters and numbers, in C's notation:
//
//   (n + BLOCK - 1) / BLOCK, cdiv(m, 64), batch > 0 ? batch : 1
//
// They are read by a parser of their own, and what is written into the C file
// is made from what was understood: nothing else gets there.
//
// There are numbers, parameters (integers and fp32, fp64; constants by their
// value), + - * / %, // as /, comparisons, & | ^ << >> ~, && || !, c ? a : b,
// casts to integer types, cdiv(a, b), min(a, b), max(a, b) and parentheses.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Kernel/KernelRecord.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace tessera::aot {

/// Writes the three expressions as C into `extents`, with the parameters under `names`, their names
/// in the C file. Fails for what is no such expression, and for one that is known to be no number
/// of programs, as 0.
llvm::Error translateGrid(llvm::ArrayRef<std::string> grid, const KernelRecord &record,
                          llvm::ArrayRef<std::string> names, llvm::ArrayRef<std::string *> extents);

/// The same for one expression that is true or false.
llvm::Expected<std::string> translateCondition(llvm::StringRef condition,
                                               const KernelRecord &record,
                                               llvm::ArrayRef<std::string> names);

} // namespace tessera::aot
