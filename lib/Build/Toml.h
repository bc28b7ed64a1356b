//===- Toml.h - the subset of TOML that manifests use ---------------------===//
// Reads text into a tree whose nodes know their places, so that whoever finds a
// value wrong can point at it.
//
//   name = "my_kernels"             # a comment
//   [[kernel]]
//   signatures = ["*fp32,i32", '*fp32,1']
//   options = { num-warps = 4 }
//
// There are tables, arrays of tables, dotted and quoted keys, strings of one line
// ("..." with escapes, '...' without), integers, floats, booleans, arrays and inline
// tables. Dates and strings of several lines are errors that say so.
//
// Cost: linear in the text. Nesting is limited, so that no text uses up the stack.
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Source/Diagnostics.h"
#include "tessera/Source/SourceFile.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::build {

struct TomlValue {
  enum class Kind { String, Integer, Float, Boolean, Array, Table };

  Kind kind = Kind::Table;
  SourceRange range = {};    // of the value; of a table, its header
  SourceRange keyRange = {}; // of the key in front of it, if it has one
  std::string text = {};     // of a string: its value; of a number: as it is written
  int64_t integer = 0;
  bool boolean = false;
  std::vector<TomlValue> elements = {};
  std::vector<std::pair<std::string, TomlValue>> members = {}; // in the order of the file
  bool isComplete =
      false; // an inline table, or one whose header was read: no other header may open it
  bool isOfTables = false; // an array that [[...]] extends

  const TomlValue *find(llvm::StringRef key) const;
  TomlValue *find(llvm::StringRef key);
  bool isString() const { return kind == Kind::String; }
  bool isArray() const { return kind == Kind::Array; }
  bool isTable() const { return kind == Kind::Table; }
  /// "a string", "an array": for messages.
  llvm::StringRef kindName() const;
};

/// The table of the whole file; nothing after an error, which `diagnostics` has.
std::optional<TomlValue> parseToml(const SourceFile &file, DiagnosticEngine &diagnostics);

} // namespace tessera::build
