//===- Terminal.h - colour where somebody is looking ----------------------===//
// A Palette holds either escape sequences or empty strings, so code prints
// the same way to a terminal and to a pipe. Whether NO_COLOR is set is told by
// the edge; nothing here reads the environment.
//
//   Palette c = choosePalette(stdout, {.noColor = edge.noColor});
//   os << c.bold << "tessera" << c.reset;
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdio>

namespace tessera {

bool isTerminal(FILE *stream);

/// Columns of the terminal, or `fallback` when it is none.
unsigned terminalWidth(FILE *stream, unsigned fallback = 80);

enum class ColorMode { Auto, Always, Never };

struct ColorRequest {
  ColorMode mode = ColorMode::Auto;
  bool noColor = false;      // NO_COLOR is set and not empty
  bool dumbTerminal = false; // TERM is unset or "dumb"
};

struct Palette {
  llvm::StringRef reset, bold, dim, red, green, yellow, blue, magenta, cyan;
};

Palette choosePalette(FILE *stream, const ColorRequest &request);

} // namespace tessera
