//===- Options.h - what a compilation is asked to do ----------------------===//
// CompileOptions is semantic: two compilations with equal options and equal
// source give equal code, and all of it is hashed into the cache key.
// DebugOptions changes what is shown and is never hashed. Both structs are
// generated from Options.def. They live in Support because passes in Target/
// read them and includes point only upwards.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <utility>
#include <vector>

namespace tessera {

struct CompileOptions {
#define COMPILE_OPTION(type, field, value, flag, help) type field = value;
#include "tessera/Support/Options.def"

  /// Each flag with its value as text, in table order.
  std::vector<std::pair<std::string, std::string>> flagsAndValues() const;
  /// Those of them that do not have the default.
  std::vector<std::pair<std::string, std::string>> changedFlagsAndValues() const;
  /// These as `flag=value` lines: what the cache key hashes.
  std::string canonicalText() const;
};

struct DebugOptions {
#define DEBUG_OPTION(type, field, value, flag, help) type field = value;
#include "tessera/Support/Options.def"
};

/// Sets one option by its flag, from text ("8", "true"). The error names the
/// flag and what it takes; an unknown flag is one too.
llvm::Error setOption(CompileOptions &options, llvm::StringRef flag, llvm::StringRef text);
llvm::Error setOption(DebugOptions &options, llvm::StringRef flag, llvm::StringRef text);

/// Checks that the table cannot express: powers of two, ranges.
llvm::Error checkOptions(const CompileOptions &options);

} // namespace tessera
