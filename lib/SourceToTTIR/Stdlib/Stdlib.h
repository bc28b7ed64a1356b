//===- Stdlib.h - the language's functions that are kernel code -----------===//
// tl.sum, tl.softmax, tl.sort, tl.rand, ... are jit functions written in the
// kernel language. Their files are embedded in the library, and a file is
// parsed when a kernel first uses one of its functions.
//
//   if (const StdlibFunction *function = findStdlibFunction("sum")) { // tl.sum
//     const ParsedStdlibFile *parsed = parsedStdlibFile(function->file);
//     ... parsed->module holds `def sum`, decorated with @triton.jit;
//         a ModuleScope over (*parsed->file, *parsed->module) resolves its globals
//   }
//
// Such a file is an ordinary Python module: it imports triton and
// triton.language as tl, and reaches functions of other files as tl.<name>.
// Names that start with '_' belong to the module tl.standard (or tl.random),
// not to tl: kernels do write tl.standard._log2 and import tl.standard's
// combine functions.
//
// Threads: everything here may be called from any thread. A parsed file is
// immutable and lives as long as the process.
// Cost: a lookup is a binary search in a constant table. Nothing is allocated
// or run before the first parsedStdlibFile().
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Source/AST.h"
#include "tessera/Source/SourceFile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace tessera {

/// An embedded file. Its index in stdlibFiles() names it.
struct StdlibFile {
  llvm::StringRef name; // "sums.py"
  llvm::StringRef text;

  /// The module of the language that its functions belong to: "standard" or "random".
  llvm::StringRef languageModule() const { return name == "random.py" ? "random" : "standard"; }
};

/// A top-level function of an embedded file.
struct StdlibFunction {
  llvm::StringRef name;
  unsigned file; // index in stdlibFiles()
  bool isJit;    // else a constexpr_function
  bool isMethod; // x.name(...) is name(x, ...) for tensors x

  /// Returns true if the function is an attribute of `tl` itself.
  bool isPublic() const { return !name.starts_with("_"); }
};

struct ParsedStdlibFile {
  const SourceFile *file; // its path is "tessera/stdlib/sums.py"
  const ast::Module *module;
};

llvm::ArrayRef<StdlibFile> stdlibFiles();

/// All functions, sorted by name.
llvm::ArrayRef<StdlibFunction> stdlibFunctions();

/// Null if the standard library has no function of that name.
const StdlibFunction *findStdlibFunction(llvm::StringRef name);

/// The file's syntax tree, parsed on the first call. Null for an index out of range.
const ParsedStdlibFile *parsedStdlibFile(unsigned index);

} // namespace tessera
