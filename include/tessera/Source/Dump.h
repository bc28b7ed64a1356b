//===- Dump.h - the tree as text ------------------------------------------===//
// Prints a module as CPython's `ast.dump` does, so that the two can be compared
// character by character and people can read what was parsed.
//
//   Module(body=[Expr(value=Name(id='x', ctx=Load()))], type_ignores=[])
//===----------------------------------------------------------------------===//
#pragma once

#include "tessera/Source/AST.h"
#include <string>

namespace tessera {

struct DumpOptions {
  bool attributes = false; // lineno, col_offset, end_lineno, end_col_offset
  unsigned indent = 0;     // spaces per level; 0 prints one line
  bool typeParams = true;  // print `type_params` (3.12); 3.11 does not know it
};

std::string dump(const ast::Module &module, const DumpOptions &options = {});
std::string dump(const ast::Expr &expr, const DumpOptions &options = {});
std::string dump(const ast::Stmt &stmt, const DumpOptions &options = {});

} // namespace tessera
