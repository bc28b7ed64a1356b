//===- SourceFile.cpp - reading, decoding and finding lines ---------------===//
// Steps, as in CPython: drop the byte-order mark; find the declared encoding;
// decode to UTF-8; turn "\r\n" and "\r" into "\n"; end in "\n"; refuse NUL.
// A file that fails a step is still given lines, with bad bytes replaced, so
// that the error can show the line.
//===----------------------------------------------------------------------===//
#include "tessera/Source/SourceFile.h"
#include "Codecs.h"
#include "Unicode.h"
#include "tessera/Source/Diagnostics.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/stat.h>

namespace tessera {

/// Offsets are 32 bits wide, and decoding can triple the size.
static constexpr uint64_t kMaxBytes = uint64_t(1) << 30;

static bool readFile(const std::string &path, std::string &bytes, std::string &why) {
  std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) {
    why = std::string("cannot open the file: ") + std::strerror(errno);
    return false;
  }
  struct stat info;
  if (fstat(fileno(file.get()), &info) == 0) {
    if (S_ISDIR(info.st_mode)) {
      why = "this is a directory, not a Python file";
      return false;
    }
    if (S_ISREG(info.st_mode) && info.st_size > 0)
      bytes.reserve(std::min<uint64_t>(info.st_size, kMaxBytes) + 1);
  }
  char buffer[1 << 16];
  while (size_t count = std::fread(buffer, 1, sizeof buffer, file.get())) {
    bytes.append(buffer, count);
    if (bytes.size() > kMaxBytes) {
      why = "the file is larger than 1 GiB";
      return false;
    }
  }
  if (std::ferror(file.get())) {
    why = std::string("cannot read the file: ") + std::strerror(errno);
    return false;
  }
  return true;
}

std::unique_ptr<SourceFile> SourceFile::load(const std::string &path,
                                             DiagnosticEngine &diagnostics) {
  std::string bytes, why;
  if (!readFile(path, bytes, why)) {
    diagnostics.report(DiagnosticKind::Error, path, why);
    return nullptr;
  }
  return fromBytes(path, std::move(bytes), diagnostics);
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

/// In place: "\r\n" and "\r" become "\n", and the last line gets one.
static void normalizeLineEndings(std::string &text) {
  if (text.find('\r') != std::string::npos) {
    size_t out = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      char c = text[i];
      if (c == '\r') {
        c = '\n';
        if (i + 1 < text.size() && text[i + 1] == '\n')
          ++i;
      }
      text[out++] = c;
    }
    text.resize(out);
  }
  if (!text.empty() && text.back() != '\n')
    text.push_back('\n');
}

/// A copy in which every byte that is not UTF-8 is U+FFFD.
static std::string replaceInvalidUtf8(std::string_view text) {
  std::string out;
  while (auto bad = checkUtf8(text)) {
    out.append(text.substr(0, bad->offset));
    out.append("\xEF\xBF\xBD");
    text.remove_prefix(bad->offset + 1);
  }
  out.append(text);
  return out;
}

static std::string codecError(std::string_view codec, std::string_view bytes, size_t offset,
                              const char *reason) {
  char byte[8];
  std::snprintf(byte, sizeof byte, "0x%02x", static_cast<unsigned char>(bytes[offset]));
  return "(unicode error) '" + std::string(codec) + "' codec can't decode byte " + byte +
         " in position " + std::to_string(offset) + ": " + reason;
}

namespace {
/// A failed step: the message and the offset in the text it is shown at.
struct DecodeProblem {
  std::string message;
  size_t offset = 0;
};
} // namespace

static std::optional<DecodeProblem> decode(std::string bytes, std::string &text) {
  bool hasMark = std::string_view(bytes).starts_with("\xEF\xBB\xBF");
  if (hasMark)
    bytes.erase(0, 3);
  std::optional<EncodingDeclaration> declared = findEncodingDeclaration(bytes);
  auto asUtf8 = [&]() -> std::optional<DecodeProblem> {
    auto bad = checkUtf8(bytes);
    if (!bad) {
      text = std::move(bytes);
      return std::nullopt;
    }
    text = replaceInvalidUtf8(bytes);
    return DecodeProblem{codecError("utf-8", bytes, bad->offset, bad->reason), bad->offset};
  };
  if (!declared || (isUtf8Name(declared->name) && !hasMark) || isPlainUtf8Name(declared->name))
    return asUtf8();
  size_t declarationAt = bytes.find(declared->name);
  if (hasMark) {
    text = replaceInvalidUtf8(bytes);
    return DecodeProblem{"encoding problem: " + declared->name + " with BOM", declarationAt};
  }
  if (!isKnownEncoding(declared->name)) {
    text = replaceInvalidUtf8(bytes);
    return DecodeProblem{"unknown encoding: " + declared->name, declarationAt};
  }
  if (auto bad = decodeSingleByte(declared->name, bytes, text)) {
    size_t at = *bad; // where it lies in the decoded text
    std::string before;
    decodeSingleByte(declared->name, std::string_view(bytes).substr(0, at), before);
    return DecodeProblem{codecError(declared->name, bytes, at, "character maps to <undefined>"),
                         before.size()};
  }
  return std::nullopt;
}

std::unique_ptr<SourceFile> SourceFile::fromBytes(std::string path, std::string bytes,
                                                  DiagnosticEngine &diagnostics) {
  std::unique_ptr<SourceFile> file(new SourceFile(std::move(path)));
  if (bytes.size() > kMaxBytes) {
    diagnostics.report(DiagnosticKind::Error, file->filePath, "the file is larger than 1 GiB");
    return nullptr;
  }
  std::optional<DecodeProblem> problem = decode(std::move(bytes), file->decoded);
  if (!problem) {
    size_t nul = file->decoded.find('\0');
    if (nul != std::string::npos)
      problem = DecodeProblem{"source code cannot contain null bytes", nul};
  }
  if (problem) {
    // Line endings only shrink the text; count those before the problem.
    std::string before = file->decoded.substr(0, std::min(problem->offset, file->decoded.size()));
    before.push_back('x');
    normalizeLineEndings(before);
    problem->offset = before.size() - 2;
  }
  normalizeLineEndings(file->decoded);
  file->buildLineTable();
  if (!problem)
    return file;
  SourceLoc at = file->locate(static_cast<uint32_t>(problem->offset));
  diagnostics.error(*file, {at, {at.line, at.column + 1}}, std::move(problem->message));
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

void SourceFile::buildLineTable() {
  lineStarts.clear();
  lineStarts.reserve(decoded.size() / 32 + 1);
  for (size_t at = 0; at < decoded.size();) {
    lineStarts.push_back(static_cast<uint32_t>(at));
    size_t end = decoded.find('\n', at);
    at = end == std::string::npos ? decoded.size() : end + 1;
  }
}

std::string_view SourceFile::line(uint32_t number) const {
  if (number == 0 || number > lineStarts.size())
    return {};
  uint32_t begin = lineStarts[number - 1];
  size_t end = number < lineStarts.size() ? lineStarts[number] : decoded.size();
  if (end > begin && decoded[end - 1] == '\n')
    --end;
  return std::string_view(decoded).substr(begin, end - begin);
}

SourceLoc SourceFile::locate(uint32_t offset) const {
  auto it = std::upper_bound(lineStarts.begin(), lineStarts.end(), offset);
  if (it == lineStarts.begin())
    return {1, 0};
  --it;
  return {static_cast<uint32_t>(it - lineStarts.begin()) + 1, offset - *it};
}

uint32_t SourceFile::displayColumn(SourceLoc loc) const {
  std::string_view text = line(loc.line);
  uint32_t column = 1;
  for (size_t i = 0; i < loc.column; ++i)
    column += i >= text.size() || (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
  return column;
}

} // namespace tessera
