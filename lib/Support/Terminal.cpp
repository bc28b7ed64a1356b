//===- Terminal.cpp - colour where somebody is looking --------------------===//
#include "tessera/Support/Terminal.h"
#include <sys/ioctl.h>
#include <unistd.h>

namespace tessera {

bool isTerminal(FILE *stream) { return stream && ::isatty(::fileno(stream)); }

unsigned terminalWidth(FILE *stream, unsigned fallback) {
  winsize size;
  if (isTerminal(stream) && ::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return fallback;
}

Palette choosePalette(FILE *stream, const ColorRequest &request) {
  bool colored =
      request.mode == ColorMode::Always || (request.mode == ColorMode::Auto && !request.noColor &&
                                            !request.dumbTerminal && isTerminal(stream));
  if (!colored)
    return {};
  return {.reset = "\033[0m",
          .bold = "\033[1m",
          .dim = "\033[2m",
          .red = "\033[31m",
          .green = "\033[32m",
          .yellow = "\033[33m",
          .blue = "\033[34m",
          .magenta = "\033[35m",
          .cyan = "\033[36m"};
}

} // namespace tessera
