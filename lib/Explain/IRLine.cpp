//===- IRLine.cpp - one line of IR on a screen ----------------------------===//
#include "IRLine.h"
#include "Print.h"
#include "tessera/Source/Printable.h"
#include "llvm/Support/Path.h"

using namespace tessera;

std::string tessera::describeRemark(const Diagnostic &remark) {
  std::string text = remark.message;
  if (remark.remark && !remark.remark->reason.empty())
    text += ": " + remark.remark->reason;
  return text;
}

std::string IRLinePrinter::gutter(LinePlace place) {
  bool isNew = !(place == last) && place.line != 0;
  last = place;
  std::string number = isNew ? std::to_string(place.line) : "";
  // A line of another file is marked: its number means nothing in the kernel's file.
  if (isNew && place.file != 0)
    number = "+" + number;
  return right(number, 5);
}

/// Replaces tabs by spaces; spans move along.
static std::string expandTabs(llvm::StringRef text, std::vector<Colored> &parts) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    size_t begin = result.size();
    result += text[i] == '\t' ? std::string(begin == 0 ? 4 : 1, ' ') : std::string(1, text[i]);
    unsigned longer = result.size() - begin - 1;
    for (Colored &part : parts) {
      part.span.first += part.span.first > begin ? longer : 0;
      part.span.second += part.span.second > begin ? longer : 0;
    }
  }
  return result;
}

/// Returns the place where the line may be broken: behind the last comma or space of a piece.
static size_t breakAt(llvm::StringRef text, size_t width) {
  if (text.size() <= width)
    return text.size();
  size_t at = text.take_front(width).find_last_of(" ,");
  return at == llvm::StringRef::npos || at < width / 3 ? width : at + 1;
}

void IRLinePrinter::append(std::string &out, llvm::StringRef mark, LinePlace place,
                           llvm::StringRef text, llvm::StringRef color,
                           llvm::ArrayRef<Colored> parts) {
  std::vector<Colored> colored(parts.begin(), parts.end());
  std::string line = expandTabs(text, colored);
  std::string head =
      paint(screen, screen.colors.dim, gutter(place)) + " " + paint(screen, color, mark) + " ";
  size_t indent = line.find_first_not_of(' ');
  indent = indent == std::string::npos ? 0 : std::min<size_t>(indent, 24);
  size_t width = screen.wraps && screen.width > kGutter + 30 ? screen.width - kGutter : line.size();
  size_t begin = 0;
  do {
    size_t room = begin == 0 ? width : std::max<size_t>(20, width - indent - 4);
    size_t end = begin + breakAt(llvm::StringRef(line).substr(begin), room);
    out += head;
    if (begin > 0)
      out += std::string(indent + 4, ' ');
    size_t at = begin;
    auto show = [&](size_t to, llvm::StringRef with) {
      out += paint(screen, with, escapeUnprintable(llvm::StringRef(line).slice(at, to)));
      at = to;
    };
    for (const Colored &part : colored) {
      size_t from = std::clamp<size_t>(part.span.first, at, end);
      size_t to = std::clamp<size_t>(part.span.second, from, end);
      show(from, color);
      show(to, part.color);
    }
    show(end, color);
    out += "\n";
    begin = end;
    head = std::string(kGutter - 2, ' ') + "  ";
  } while (begin < line.size());
}
