//===- Codecs.h - bytes of a source file → UTF-8 --------------------------===//
// Finds the encoding of a file (byte-order mark, PEP 263 comment, UTF-8) and
// decodes the single-byte encodings that Python sources are found in.
//===----------------------------------------------------------------------===//
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tessera {

/// The encoding named by a comment in one of the first two lines.
struct EncodingDeclaration {
  std::string name; // as written
  unsigned line;    // 1 or 2
};
std::optional<EncodingDeclaration> findEncodingDeclaration(std::string_view bytes);

bool isUtf8Name(std::string_view encoding);
/// Returns true for the names of UTF-8 that a file with a byte-order mark may declare.
bool isPlainUtf8Name(std::string_view encoding);
bool isKnownEncoding(std::string_view encoding);

/// Decodes to UTF-8. Returns the offset of the first byte that the encoding
/// does not define, or nothing when all went well.
std::optional<size_t> decodeSingleByte(std::string_view encoding, std::string_view bytes,
                                       std::string &out);

} // namespace tessera
