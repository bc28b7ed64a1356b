//===- LineTable.cpp - the source line of an address, for signal handlers -===//
// The names of opcodes are those of the DWARF 4 specification, section 6.2.5.
//===----------------------------------------------------------------------===//
#include "LineTable.h"
#include <algorithm>

namespace tessera {

namespace {

/// Reads numbers in little-endian order. At the end of the bytes everything is 0.
class Reader {
public:
  explicit Reader(llvm::StringRef bytes) : rest(bytes) {}

  bool atEnd() const { return rest.empty(); }
  uint64_t fixed(unsigned bytes) {
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i)
      value |= uint64_t(byte()) << (8 * i);
    return value;
  }
  uint8_t byte() {
    if (rest.empty())
      return 0;
    uint8_t first = uint8_t(rest.front());
    rest = rest.drop_front();
    return first;
  }
  uint64_t unsignedLEB() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      uint8_t part = byte();
      value |= uint64_t(part & 0x7f) << shift;
      if (!(part & 0x80))
        break;
    }
    return value;
  }
  int64_t signedLEB() {
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t part = 0;
    do {
      part = byte();
      value |= uint64_t(part & 0x7f) << shift;
      shift += 7;
    } while ((part & 0x80) && shift < 64);
    bool isNegative = (part & 0x40) && shift < 64;
    return int64_t(isNegative ? value | (~uint64_t(0) << shift) : value);
  }
  llvm::StringRef string() {
    size_t length = rest.find('\0');
    length = length == llvm::StringRef::npos ? rest.size() : length;
    llvm::StringRef text = rest.take_front(length);
    rest = rest.drop_front(length + (length < rest.size()));
    return text;
  }
  llvm::StringRef bytes(uint64_t count) {
    llvm::StringRef taken = rest.take_front(count);
    rest = rest.drop_front(taken.size());
    return taken;
  }

private:
  llvm::StringRef rest;
};

struct Header {
  unsigned minimumInstruction = 1, lineRange = 1, opcodeBase = 1;
  int lineBase = 0;
  llvm::StringRef lengths; // the number of operands of each standard opcode
  uint64_t file = 0;       // the number of the file that is looked for
};

/// A row of the table while the program runs.
struct Row {
  uint64_t address = 0, file = 1;
  int64_t line = 1;
};

/// Finds the last row of the file at or before an offset.
class LineProgram {
public:
  LineProgram(const Header &header, uint64_t offset) : header(header), offset(offset) {}

  uint32_t run(Reader program) {
    while (!program.atEnd())
      step(program);
    return found;
  }

private:
  void emit() {
    // A row is the last one as long as the next one is not at or before the offset, too.
    if (row.address <= offset && row.file == header.file && row.line > 0)
      found = uint32_t(row.line);
  }
  void step(Reader &program) {
    unsigned opcode = program.byte();
    if (opcode >= header.opcodeBase) {
      unsigned adjusted = opcode - header.opcodeBase;
      row.address += uint64_t(header.minimumInstruction) * (adjusted / header.lineRange);
      row.line += header.lineBase + int(adjusted % header.lineRange);
      return emit();
    }
    if (opcode == 0)
      return extended(program);
    standard(opcode, program);
  }
  void extended(Reader &program) {
    Reader operation(program.bytes(program.unsignedLEB()));
    unsigned opcode = operation.byte();
    if (opcode == 1) // DW_LNE_end_sequence
      row = Row();
    else if (opcode == 2) // DW_LNE_set_address: a relocation, whose addend is in another section
      row.address = 0;
  }
  void standard(unsigned opcode, Reader &program) {
    switch (opcode) {
    case 1: // DW_LNS_copy
      return emit();
    case 2: // DW_LNS_advance_pc
      row.address += program.unsignedLEB() * header.minimumInstruction;
      return;
    case 3: // DW_LNS_advance_line
      row.line += program.signedLEB();
      return;
    case 4: // DW_LNS_set_file
      row.file = program.unsignedLEB();
      return;
    case 8: // DW_LNS_const_add_pc
      row.address +=
          uint64_t(header.minimumInstruction) * ((255 - header.opcodeBase) / header.lineRange);
      return;
    case 9: // DW_LNS_fixed_advance_pc
      row.address += program.fixed(2);
      return;
    default:
      for (uint8_t left = uint8_t(header.lengths[opcode - 1]); left > 0; --left)
        program.unsignedLEB();
    }
  }

  const Header &header;
  const uint64_t offset;
  Row row;
  uint32_t found = 0;
};

} // namespace

static llvm::StringRef baseName(llvm::StringRef path) {
  size_t slash = path.rfind('/');
  return slash == llvm::StringRef::npos ? path : path.substr(slash + 1);
}

uint32_t findLine(llvm::StringRef debugLine, uint64_t offset, llvm::StringRef file) {
  Reader unit(debugLine);
  Reader body(unit.bytes(unit.fixed(4)));
  uint64_t version = body.fixed(2);
  if (version < 2 || version > 4 || file.empty())
    return 0;
  Reader head(body.bytes(body.fixed(4)));
  Header header;
  header.minimumInstruction = head.byte();
  if (version == 4)
    head.byte(); // operations per instruction
  head.byte();   // default_is_stmt
  header.lineBase = int8_t(head.byte());
  header.lineRange = std::max<unsigned>(1, head.byte());
  header.opcodeBase = std::max<unsigned>(1, head.byte());
  header.lengths = head.bytes(header.opcodeBase - 1);
  if (header.lengths.size() != header.opcodeBase - 1)
    return 0;
  while (!head.atEnd() && !head.string().empty()) // the folders
    ;
  for (uint64_t number = 1; !head.atEnd(); ++number) {
    llvm::StringRef name = head.string();
    if (name.empty())
      break;
    for (int field = 0; field < 3; ++field)
      head.unsignedLEB();
    if (baseName(name) == baseName(file))
      header.file = number;
  }
  return header.file ? LineProgram(header, offset).run(body) : 0;
}

} // namespace tessera
