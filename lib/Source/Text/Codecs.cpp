//===- Codecs.cpp - encodings of source files -----------------------------===//
// Encodings are matched by Python's rules for their names: case, '-', '_' and
// '.' do not matter, and a few aliases are common.
//===----------------------------------------------------------------------===//
#include "Codecs.h"
#include "Unicode.h"
#include <cctype>

namespace tessera {

namespace {
#include "CodecTables.inc"

struct Codec {
  std::string_view names[6]; // folded by foldName
  const char16_t *upper;     // null: the byte is the code point
  unsigned limit;            // bytes from here on are errors
};
} // namespace

static constexpr Codec kCodecs[] = {
    {{"ascii", "usascii", "646", "ansix341968"}, nullptr, 128},
    {{"latin1", "iso88591", "isolatin1", "latin", "l1", "8859"}, nullptr, 256},
    {{"iso88592", "latin2", "l2"}, k_iso8859_2, 256},
    {{"iso88595", "cyrillic"}, k_iso8859_5, 256},
    {{"iso88597", "greek", "greek8"}, k_iso8859_7, 256},
    {{"iso88599", "latin5", "l5"}, k_iso8859_9, 256},
    {{"iso885915", "latin9", "l9"}, k_iso8859_15, 256},
    {{"cp1250", "windows1250", "1250"}, k_cp1250, 256},
    {{"cp1251", "windows1251", "1251"}, k_cp1251, 256},
    {{"cp1252", "windows1252", "1252"}, k_cp1252, 256},
    {{"koi8r"}, k_koi8_r, 256},
    {{"koi8u"}, k_koi8_u, 256},
};

static std::string foldName(std::string_view name) {
  std::string folded;
  for (unsigned char c : name)
    if (std::isalnum(c))
      folded.push_back(static_cast<char>(std::tolower(c)));
  return folded;
}

static const Codec *findCodec(std::string_view encoding) {
  std::string folded = foldName(encoding);
  for (const Codec &codec : kCodecs)
    for (std::string_view name : codec.names)
      if (!name.empty() && name == folded)
        return &codec;
  return nullptr;
}

bool isUtf8Name(std::string_view encoding) {
  std::string folded = foldName(encoding);
  return folded == "utf8" || folded == "u8" || folded == "utf" || folded == "utf8sig" ||
         folded == "cp65001" || folded.starts_with("utf8");
}

bool isPlainUtf8Name(std::string_view encoding) {
  std::string name;
  for (unsigned char c : encoding)
    name.push_back(c == '_' ? '-' : static_cast<char>(std::tolower(c)));
  return name == "utf-8" || name.starts_with("utf-8-");
}

bool isKnownEncoding(std::string_view encoding) {
  return isUtf8Name(encoding) || findCodec(encoding);
}

static bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\f'; }

std::optional<EncodingDeclaration> findEncodingDeclaration(std::string_view bytes) {
  for (unsigned number = 1; number <= 2; ++number) {
    std::string_view line = bytes.substr(0, bytes.find_first_of("\r\n"));
    size_t hash = 0;
    while (hash < line.size() && isBlank(line[hash]))
      ++hash;
    if (hash < line.size() && line[hash] != '#')
      return std::nullopt; // code: declarations come before it
    for (size_t at = hash; (at = line.find("coding", at)) != std::string_view::npos;) {
      at += 6;
      if (at >= line.size() || (line[at] != ':' && line[at] != '='))
        continue;
      size_t begin = at + 1;
      while (begin < line.size() && (line[begin] == ' ' || line[begin] == '\t'))
        ++begin;
      size_t end = begin;
      while (end < line.size() && (std::isalnum(static_cast<unsigned char>(line[end])) ||
                                   line[end] == '-' || line[end] == '_' || line[end] == '.'))
        ++end;
      if (end > begin)
        return EncodingDeclaration{std::string(line.substr(begin, end - begin)), number};
    }
    size_t next = line.size();
    if (next < bytes.size() && bytes[next] == '\r')
      ++next;
    if (next < bytes.size() && bytes[next] == '\n')
      ++next;
    bytes.remove_prefix(next);
  }
  return std::nullopt;
}

std::optional<size_t> decodeSingleByte(std::string_view encoding, std::string_view bytes,
                                       std::string &out) {
  const Codec *codec = findCodec(encoding);
  if (!codec)
    return 0;
  out.clear();
  out.reserve(bytes.size() + bytes.size() / 8);
  std::optional<size_t> firstBad;
  for (size_t i = 0; i < bytes.size(); ++i) {
    unsigned char byte = bytes[i];
    char32_t c = byte < 128             ? byte
                 : byte >= codec->limit ? 0
                 : codec->upper         ? codec->upper[byte - 128]
                                        : byte;
    if (byte >= 128 && c == 0) {
      if (!firstBad)
        firstBad = i;
      c = 0xFFFD;
    }
    appendUtf8(out, c);
  }
  return firstBad;
}

} // namespace tessera
