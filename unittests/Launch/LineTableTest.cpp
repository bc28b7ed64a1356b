//===- LineTableTest.cpp - lines of addresses from .debug_line ------------===//
// Tables are written here, opcode by opcode, from lists of rows; findLine must
// agree with a search of the list, and must survive damaged tables.
//===----------------------------------------------------------------------===//
#include "CPU/LineTable.h"
#include "gtest/gtest.h"
#include <random>
#include <vector>

using namespace tessera;

namespace {

struct Row {
  uint64_t address;
  unsigned file; // 1: k.py, 2: sums.py
  int64_t line;
};

constexpr int kLineBase = -5;
constexpr unsigned kLineRange = 14, kOpcodeBase = 13;

void appendFixed(std::string &bytes, uint64_t value, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    bytes += char(value >> (8 * i));
}

void appendUnsigned(std::string &bytes, uint64_t value) {
  do {
    uint8_t part = value & 0x7f;
    value >>= 7;
    bytes += char(part | (value ? 0x80 : 0));
  } while (value);
}

void appendSigned(std::string &bytes, int64_t value) {
  bool isLast = false;
  while (!isLast) {
    uint8_t part = value & 0x7f;
    value >>= 7;
    isLast = (value == 0 && !(part & 0x40)) || (value == -1 && (part & 0x40));
    bytes += char(part | (isLast ? 0 : 0x80));
  }
}

/// Writes the rows with the shortest opcodes, or only with those of which any table can consist.
std::string encodeRows(const std::vector<Row> &rows, bool isShort) {
  std::string program = {0, 9, 2}; // DW_LNE_set_address, whose operand is relocated
  program.append(8, '\0');
  Row now{0, 1, 1};
  for (const Row &row : rows) {
    if (row.file != now.file) {
      program += char(4); // DW_LNS_set_file
      appendUnsigned(program, row.file);
    }
    program += char(5); // DW_LNS_set_column, which is skipped by its number of operands
    appendUnsigned(program, 300);
    uint64_t step = row.address - now.address;
    int64_t lines = row.line - now.line;
    if (isShort && step >= (255 - kOpcodeBase) / kLineRange) {
      program += char(8); // DW_LNS_const_add_pc
      step -= (255 - kOpcodeBase) / kLineRange;
    }
    int64_t special = lines - kLineBase + int64_t(kLineRange * step) + kOpcodeBase;
    if (isShort && lines >= kLineBase && lines < kLineBase + int(kLineRange) && special <= 255) {
      program += char(special);
    } else {
      program += char(3); // DW_LNS_advance_line
      appendSigned(program, lines);
      if (step <= 0xffff && !isShort) {
        program += char(9); // DW_LNS_fixed_advance_pc
        appendFixed(program, step, 2);
      } else {
        program += char(2); // DW_LNS_advance_pc
        appendUnsigned(program, step);
      }
      program += char(1); // DW_LNS_copy
    }
    now = row;
  }
  program += char(2);
  appendUnsigned(program, 16);
  return program + std::string({0, 1, 1}); // DW_LNE_end_sequence
}

std::string makeTable(const std::vector<Row> &rows, unsigned version = 4, bool isShort = true) {
  std::string head = {1};
  if (version == 4)
    head += char(1);
  head += {1, char(kLineBase), char(kLineRange), char(kOpcodeBase)};
  head += {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1}; // operands of the standard opcodes
  head += std::string("/src/me\0\0", 9);
  for (llvm::StringRef name : {"k.py", "lib/sums.py"}) {
    head += name.str() + '\0';
    head += {1, 0, 0};
  }
  head += '\0';
  std::string body;
  appendFixed(body, version, 2);
  appendFixed(body, head.size(), 4);
  body += head + encodeRows(rows, isShort);
  std::string table;
  appendFixed(table, body.size(), 4);
  return table + body;
}

uint32_t lastLine(const std::vector<Row> &rows, uint64_t offset, unsigned file) {
  uint32_t found = 0;
  for (const Row &row : rows)
    if (row.address <= offset && row.file == file && row.line > 0)
      found = uint32_t(row.line);
  return found;
}

TEST(LineTable, FindsTheLastRowAtOrBefore) {
  std::vector<Row> rows = {{0, 1, 10}, {4, 1, 12}, {4, 1, 11}, {9, 2, 700}, {40, 1, 13}};
  std::string table = makeTable(rows);
  EXPECT_EQ(findLine(table, 0, "k.py"), 10u);
  EXPECT_EQ(findLine(table, 3, "k.py"), 10u);
  EXPECT_EQ(findLine(table, 4, "k.py"), 11u);
  EXPECT_EQ(findLine(table, 12, "k.py"), 11u); // sums.py was inlined here: the caller's line
  EXPECT_EQ(findLine(table, 12, "sums.py"), 700u);
  EXPECT_EQ(findLine(table, 41, "k.py"), 13u);
}

TEST(LineTable, ComparesTheLastComponentsOfPaths) {
  std::string table = makeTable({{0, 1, 10}, {4, 2, 20}});
  EXPECT_EQ(findLine(table, 4, "/src/me/k.py"), 10u);
  EXPECT_EQ(findLine(table, 4, "elsewhere/sums.py"), 20u);
  EXPECT_EQ(findLine(table, 4, "other.py"), 0u);
  EXPECT_EQ(findLine(table, 4, ""), 0u);
}

TEST(LineTable, ReadsVersions2To4) {
  std::vector<Row> rows = {{0, 1, 10}, {4, 1, 12}};
  for (unsigned version : {2u, 3u, 4u})
    EXPECT_EQ(findLine(makeTable(rows, version), 5, "k.py"), 12u) << version;
  EXPECT_EQ(findLine(makeTable(rows, 5), 5, "k.py"), 0u);
}

TEST(LineTable, AgreesWithASearchOfRandomRows) {
  std::mt19937 random(7);
  for (int table = 0; table < 300; ++table) {
    std::vector<Row> rows;
    uint64_t address = 0;
    for (int i = 0; i < 20; ++i) {
      rows.push_back({address, unsigned(1 + random() % 2), int64_t(1 + random() % 400)});
      address += random() % (i % 5 == 4 ? 70000 : 30);
    }
    for (bool isShort : {false, true}) {
      std::string bytes = makeTable(rows, 2 + random() % 3, isShort);
      for (int query = 0; query < 40; ++query) {
        uint64_t offset = random() % (address + 2);
        ASSERT_EQ(findLine(bytes, offset, "k.py"), lastLine(rows, offset, 1)) << offset;
        ASSERT_EQ(findLine(bytes, offset, "sums.py"), lastLine(rows, offset, 2)) << offset;
      }
    }
  }
}

TEST(LineTable, SurvivesTruncatedAndDamagedTables) {
  std::vector<Row> rows = {{0, 1, 10}, {4, 1, 12}, {9, 2, 700}, {40, 1, 13}};
  std::string table = makeTable(rows);
  for (size_t length = 0; length <= table.size(); ++length) {
    std::vector<char> exact(table.begin(), table.begin() + length); // sanitizers see its end
    findLine({exact.data(), exact.size()}, 20, "k.py");
  }
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::vector<char> damaged(table.begin(), table.end());
    for (int flips = 1 + random() % 4; flips > 0; --flips)
      damaged[random() % damaged.size()] = char(random());
    findLine({damaged.data(), damaged.size()}, 20, "k.py");
  }
}

} // namespace
