//===- IRLine.h - one line of IR on a screen ------------------------------===//
#pragma once

#include "TextDiff.h"
#include "tessera/Explain/Views.h"

namespace tessera {

/// A part of a line in a colour.
struct Colored {
  Span span;
  llvm::StringRef color;
};

/// Prints lines of IR as `LINE MARK text`, where LINE is the line of Python. Of lines in a row that
/// come from one line of Python, the first has its number.
class IRLinePrinter {
public:
  explicit IRLinePrinter(const Screen &screen) : screen(screen) {}

  /// `color` is that of the whole line; `parts` ascend and do not overlap.
  void append(std::string &out, llvm::StringRef mark, LinePlace place, llvm::StringRef text,
              llvm::StringRef color = "", llvm::ArrayRef<Colored> parts = {});
  /// The next line shows its number, whatever came before.
  void forget() { last = {}; }

  static constexpr unsigned kGutter = 8;

private:
  std::string gutter(LinePlace place);

  const Screen &screen;
  LinePlace last;
};

/// Returns a pass's decision and its reason as one sentence.
std::string describeRemark(const Diagnostic &remark);

} // namespace tessera
