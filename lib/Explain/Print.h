//===- Print.h - lines that fit on a screen -------------------------------===//
#pragma once

#include "tessera/Explain/Views.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace tessera {

/// The number of columns that UTF-8 text takes.
unsigned columnsOf(llvm::StringRef text);

/// The text cut to `width` columns, with ".." at its end if something was cut.
std::string fit(llvm::StringRef text, unsigned width);

/// A right-aligned cell.
std::string right(llvm::StringRef text, unsigned width);
/// A left-aligned cell.
std::string left(llvm::StringRef text, unsigned width);

/// Text in a colour; the colour ends with it.
std::string paint(const Screen &screen, llvm::StringRef color, llvm::StringRef text);

/// Appends text whose lines begin at column `indent` and are folded at the screen's width between
/// words. `text` has no escape sequences.
void appendFolded(std::string &out, const Screen &screen, unsigned indent, llvm::StringRef text,
                  llvm::StringRef color = "");

/// "1 pass", "3 passes".
std::string counted(size_t count, llvm::StringRef one, llvm::StringRef many = "");

} // namespace tessera
