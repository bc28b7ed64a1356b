//===- Repr.h - values as Python's repr() prints them ---------------------===//
#pragma once

#include "tessera/Source/AST.h"
#include <string>

namespace tessera {

void appendStringRepr(std::string &out, std::string_view text);
void appendBytesRepr(std::string &out, std::string_view bytes);
void appendFloatRepr(std::string &out, double value);
void appendConstantRepr(std::string &out, const ast::Constant &constant);

} // namespace tessera
