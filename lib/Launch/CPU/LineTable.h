//===- LineTable.h - the source line of an address, for signal handlers ---===//
// Decodes the line program of an object's .debug_line section (DWARF 2 to 4,
// which the CPU target writes). It allocates nothing, calls nothing, and reads
// no byte outside the section, so a handler of SIGSEGV may call it.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace tessera {

/// Returns the line, in the file whose path ends in `file`, of the code at `offset` from the
/// beginning of the object's code: the last one at or before the offset. 0 if there is none.
uint32_t findLine(llvm::StringRef debugLine, uint64_t offset, llvm::StringRef file);

} // namespace tessera
