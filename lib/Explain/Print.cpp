//===- Print.cpp - lines that fit on a screen -----------------------------===//
#include "Print.h"
#include "llvm/Support/Unicode.h"

using namespace tessera;

unsigned tessera::columnsOf(llvm::StringRef text) {
  int columns = llvm::sys::unicode::columnWidthUTF8(text);
  return columns < 0 ? text.size() : columns;
}

/// The length in bytes of the character that begins a text.
static size_t characterSize(llvm::StringRef text) {
  size_t size = 1;
  while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80)
    ++size;
  return size;
}

/// The longest beginning of a text that takes at most `width` columns.
static llvm::StringRef takeColumns(llvm::StringRef text, unsigned width) {
  size_t end = 0;
  for (unsigned columns = 0; end < text.size();) {
    llvm::StringRef character = text.substr(end).take_front(characterSize(text.substr(end)));
    columns += columnsOf(character);
    if (columns > width)
      break;
    end += character.size();
  }
  return text.take_front(end);
}

std::string tessera::fit(llvm::StringRef text, unsigned width) {
  if (columnsOf(text) <= width)
    return text.str();
  return width < 3 ? takeColumns(text, width).str()
                   : takeColumns(text, width - 2).rtrim().str() + "..";
}

std::string tessera::right(llvm::StringRef text, unsigned width) {
  unsigned columns = columnsOf(text);
  return std::string(columns < width ? width - columns : 0, ' ') + text.str();
}

std::string tessera::left(llvm::StringRef text, unsigned width) {
  unsigned columns = columnsOf(text);
  return text.str() + std::string(columns < width ? width - columns : 0, ' ');
}

std::string tessera::paint(const Screen &screen, llvm::StringRef color, llvm::StringRef text) {
  if (color.empty() || text.empty())
    return text.str();
  return (color + text + screen.colors.reset).str();
}

void tessera::appendFolded(std::string &out, const Screen &screen, unsigned indent,
                           llvm::StringRef text, llvm::StringRef color) {
  unsigned width = screen.width > indent + 20 ? screen.width - indent : 20;
  std::string margin(indent, ' ');
  text = text.trim();
  do {
    llvm::StringRef line = takeColumns(text, width);
    if (line.size() < text.size() && text[line.size()] != ' ')
      if (size_t space = line.rfind(' '); space != llvm::StringRef::npos && space > 0)
        line = line.take_front(space);
    if (line.empty() && !text.empty())
      line = text.take_front(characterSize(text));
    out += margin + paint(screen, color, line.rtrim()) + "\n";
    text = text.drop_front(line.size()).ltrim();
  } while (!text.empty());
}

std::string tessera::counted(size_t count, llvm::StringRef one, llvm::StringRef many) {
  std::string plural = many.empty() ? one.str() + "s" : many.str();
  return std::to_string(count) + " " + (count == 1 ? one.str() : plural);
}
