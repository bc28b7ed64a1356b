//===- Printable.h - text of others on a terminal -------------------------===//
#pragma once

#include <string>
#include <string_view>

namespace tessera {

/// Bytes that are no text, and control characters but for tabs and line ends, as \x1b: what a file
/// or a command line holds must not change the terminal that shows it.
std::string escapeUnprintable(std::string_view text);

} // namespace tessera
