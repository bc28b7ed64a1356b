//===- SourceFile.h - one Python file, decoded, with its lines ------------===//
// Holds the text the lexer reads: UTF-8 without a byte-order mark, with every
// line ending turned into '\n', as CPython's tokenizer sees it. An encoding
// declaration (PEP 263) is honoured: the bytes are decoded to UTF-8 here.
//
//   auto file = SourceFile::load("kernel.py", diagnostics);   // null on error
//   file->line(3)            // the third line, without its '\n'
//   file->displayColumn(loc) // the 1-based column that people see
//
// Requires: the file outlives whatever keeps string_views into text(). The AST
// and the diagnostics keep copies, so both may outlive the SourceFile.
// Cost: one pass over the bytes; a second only when they must be converted.
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

class DiagnosticEngine;

/// A place in a file, counted as CPython's `ast` counts: the line from 1, the
/// column from 0 in bytes of UTF-8. Line 0 means "no place".
struct SourceLoc {
  uint32_t line = 0;
  uint32_t column = 0;

  bool isValid() const { return line != 0; }
  friend bool operator==(const SourceLoc &, const SourceLoc &) = default;
  friend auto operator<=>(const SourceLoc &, const SourceLoc &) = default;
};

/// From the first byte to one past the last.
struct SourceRange {
  SourceLoc begin;
  SourceLoc end;

  bool isValid() const { return begin.isValid(); }
  friend bool operator==(const SourceRange &, const SourceRange &) = default;
};

class SourceFile {
public:
  /// Reads and decodes a file. Reports one error and returns null when it
  /// cannot be read (missing, a directory, ...) or decoded.
  static std::unique_ptr<SourceFile> load(const std::string &path, DiagnosticEngine &diagnostics);

  /// Decodes bytes that are already in memory; `path` is for messages only.
  static std::unique_ptr<SourceFile> fromBytes(std::string path, std::string bytes,
                                               DiagnosticEngine &diagnostics);

  const std::string &path() const { return filePath; }
  /// The decoded text. Ends in '\n' unless empty.
  std::string_view text() const { return decoded; }

  uint32_t lineCount() const { return static_cast<uint32_t>(lineStarts.size()); }
  /// The text of a line (from 1) without its line ending; empty out of range.
  std::string_view line(uint32_t number) const;
  /// The offset in text() at which a line (from 1) starts.
  uint32_t lineStart(uint32_t number) const { return lineStarts[number - 1]; }
  /// The line and byte column of an offset in text().
  SourceLoc locate(uint32_t offset) const;
  /// The column as people count it: from 1, one per Unicode code point.
  uint32_t displayColumn(SourceLoc loc) const;

private:
  SourceFile(std::string path) : filePath(std::move(path)) {}
  void buildLineTable();

  std::string filePath;
  std::string decoded;
  std::vector<uint32_t> lineStarts;
};

} // namespace tessera
