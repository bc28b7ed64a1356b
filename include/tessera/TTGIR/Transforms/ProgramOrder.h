//===- ProgramOrder.h - the order in which programs start -----------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tessera {

/// On tt.get_program_id: programs are numbered backwards (ttg-order-programs).
inline constexpr llvm::StringLiteral kReversedAttr = "ttg.reversed";

} // namespace tessera
