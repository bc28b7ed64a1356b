//===- RandomProgramsTest.cpp - random accesses to one buffer -------------===//
// Programs of random loads and stores whose addresses, strides and masks are
// arguments, all into one buffer, against an interpreter that runs whole tiles
// in program order. Most calls take the fused path, the rest the slow one.
//===----------------------------------------------------------------------===//
#include "CompileAndLoad.h"
#include "gtest/gtest.h"
#include <random>

using namespace tessera;
using namespace tessera::cpu;

namespace {

constexpr int kBuffer = 8192;

/// One access: element (i, j) is at offset + i * rowStride + j * columnStride,
/// and happens when j < columns (or always). Stores add up values of loads.
struct Access {
  bool isStore, masked, gathered;
  std::vector<int> terms; // loads that a store adds; the first one's index also adds
};

struct Program {
  int rows, columns;
  std::vector<Access> accesses;
};

/// The run-time arguments of one access.
struct Place {
  int offset, rowStride, columnStride, bound;
};

} // namespace

static Program randomProgram(std::mt19937 &random) {
  auto pick = [&](int n) { return int(random() % n); };
  Program program;
  program.rows = 1 << pick(4);
  program.columns = 1 << (2 + pick(6));
  int count = 2 + pick(5);
  std::vector<int> loads;
  for (int i = 0; i < count; ++i) {
    Access access{!loads.empty() && pick(2) == 0, pick(2) == 0, pick(6) == 0, {}};
    if (i + 1 == count && !loads.empty())
      access.isStore = true;
    if (access.isStore)
      for (int k = 0; k <= pick(3); ++k)
        access.terms.push_back(loads[pick(loads.size())]);
    else
      loads.push_back(i);
    program.accesses.push_back(access);
  }
  return program;
}

static std::string print(const Program &program) {
  std::string args, body;
  for (size_t k = 0; k < program.accesses.size(); ++k) {
    const Access &access = program.accesses[k];
    args += fill(", %offset$K: i32, %row$K: i32, %column$K: i32, %bound$K: i32",
                 {{"K", std::to_string(k)}});
    // A gathered address is the same number by a road that is not affine.
    std::string scramble = access.gathered ? "%one$K = arith.constant dense<1> : $SHAPExi32>\n"
                                             "%flip$K = arith.xori %sum$K, %one$K : $SHAPExi32>\n"
                                             "%at$K = arith.xori %flip$K, %one$K : $SHAPExi32>\n"
                                           : "%at$K = arith.addi %sum$K, %none : $SHAPExi32>\n";
    body += fill(R"(
      %rs$K = tt.splat %row$K : i32 -> tensor<$Mx1xi32>
      %cs$K = tt.splat %column$K : i32 -> tensor<1x$Nxi32>
      %ri$K = arith.muli %rows, %rs$K : tensor<$Mx1xi32>
      %ci$K = arith.muli %cs$K, %columns : tensor<1x$Nxi32>
      %rb$K = tt.broadcast %ri$K : tensor<$Mx1xi32> -> $SHAPExi32>
      %cb$K = tt.broadcast %ci$K : tensor<1x$Nxi32> -> $SHAPExi32>
      %os$K = tt.splat %offset$K : i32 -> $SHAPExi32>
      %rc$K = arith.addi %rb$K, %cb$K : $SHAPExi32>
      %sum$K = arith.addi %rc$K, %os$K : $SHAPExi32>
      )" + scramble + R"(
      %p$K = tt.addptr %base, %at$K : $SHAPEx!tt.ptr<i32>>, $SHAPExi32>
      %bs$K = tt.splat %bound$K : i32 -> tensor<1x$Nxi32>
      %less$K = arith.cmpi slt, %columns, %bs$K : tensor<1x$Nxi32>
      %m$K = tt.broadcast %less$K : tensor<1x$Nxi1> -> $SHAPExi1>
      )",
                 {{"K", std::to_string(k)}});
    std::string mask = access.masked ? ", %m" + std::to_string(k) : "";
    std::string name = std::to_string(k);
    if (!access.isStore) {
      body += "%v" + name + " = tt.load %p" + name + mask + (access.masked ? ", %none" : "") +
              " : $SHAPEx!tt.ptr<i32>>\n";
      continue;
    }
    std::string value = "%cb" + std::to_string(access.terms[0]);
    for (size_t t = 0; t < access.terms.size(); ++t) {
      std::string next = "%t" + name + "_" + std::to_string(t);
      body += next + " = arith.addi " + value + ", %v" + std::to_string(access.terms[t]) +
              " : $SHAPExi32>\n";
      value = next;
    }
    body += "tt.store %p" + name + ", " + value + mask + " : $SHAPEx!tt.ptr<i32>>\n";
  }
  return fill(R"(
    tt.func public @k(%buffer: !tt.ptr<i32>$ARGS) {
      %r = tt.make_range {end = $M : i32, start = 0 : i32} : tensor<$Mxi32>
      %c = tt.make_range {end = $N : i32, start = 0 : i32} : tensor<$Nxi32>
      %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<$Mxi32> -> tensor<$Mx1xi32>
      %columns = tt.expand_dims %c {axis = 0 : i32} : tensor<$Nxi32> -> tensor<1x$Nxi32>
      %none = arith.constant dense<0> : $SHAPExi32>
      %base = tt.splat %buffer : !tt.ptr<i32> -> $SHAPEx!tt.ptr<i32>>
      $BODY
      tt.return
    })",
              {{"ARGS", args},
               {"BODY", body},
               {"SHAPE", "tensor<$Mx$N"},
               {"M", std::to_string(program.rows)},
               {"N", std::to_string(program.columns)}});
}

static void interpret(const Program &program, const std::vector<Place> &places, int32_t *buffer) {
  int rows = program.rows, columns = program.columns;
  std::vector<std::vector<int32_t>> values(program.accesses.size());
  for (size_t k = 0; k < program.accesses.size(); ++k) {
    const Access &access = program.accesses[k];
    const Place &place = places[k];
    values[k].resize(rows * columns);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        int32_t *element = buffer + place.offset + i * place.rowStride + j * place.columnStride;
        if (access.masked && j >= place.bound)
          continue;
        if (!access.isStore) {
          values[k][i * columns + j] = *element;
          continue;
        }
        uint32_t sum = j * places[access.terms[0]].columnStride;
        for (int term : access.terms)
          sum += uint32_t(values[term][i * columns + j]);
        *element = int32_t(sum);
      }
  }
}

/// Places inside the buffer; stores write no element twice, for then the
/// language does not say which value stays.
static std::vector<Place> randomPlaces(const Program &program, std::mt19937 &random) {
  auto pick = [&](int n) { return int(random() % n); };
  std::vector<Place> places;
  for (const Access &access : program.accesses) {
    Place place;
    bool columnMajor = pick(4) == 0;
    int gap = pick(3) == 0 ? pick(3) : 0;
    place.columnStride = columnMajor ? program.rows + gap : 1 + (pick(5) == 0);
    place.rowStride = columnMajor ? 1 : program.columns * place.columnStride + gap;
    if (!access.isStore && pick(8) == 0)
      place.columnStride = 0;
    place.bound = pick(program.columns + 3) - 1;
    int span = (program.rows - 1) * place.rowStride + (program.columns - 1) * place.columnStride;
    int room = std::max(1, kBuffer - span - 64);
    place.offset = pick(2) ? pick(std::min(room, 64)) : pick(room); // near each other, or not
    if (!places.empty() && pick(3) == 0)                            // or the very same
      place = places[pick(places.size())];
    if (access.isStore && place.columnStride == 0)
      place.columnStride = 1;
    places.push_back(place);
  }
  return places;
}

TEST(RandomPrograms, AgreeWithTheInterpreter) {
  std::mt19937 random(20261115);
  llvm::Expected<CPUSpec> spec = CPUSpec::find("");
  ASSERT_TRUE(static_cast<bool>(spec));
  std::vector<std::string> processors = {"", "x86-64-v2"};
  if (spec->vectorBits >= 256)
    processors.push_back("x86-64-v3");
  for (int turn = 0; turn < 80; ++turn) {
    Program program = randomProgram(random);
    std::string text = print(program);
    CompileOptions options;
    options.cpu = processors[turn % processors.size()];
    Kernel kernel = Kernel::compile(text, options);
    ASSERT_TRUE(kernel.ok()) << kernel.error() << text;
    for (int call = 0; call < 40; ++call) {
      std::vector<Place> places = randomPlaces(program, random);
      std::vector<int32_t> buffer(2 * kBuffer), expected;
      for (int i = 0; i < 2 * kBuffer; ++i)
        buffer[i] = i * 7 + 1;
      expected = buffer;
      interpret(program, places, expected.data());
      int32_t *pointer = buffer.data();
      std::vector<const void *> args = {&pointer};
      for (Place &place : places)
        for (int *value : {&place.offset, &place.rowStride, &place.columnStride, &place.bound})
          args.push_back(value);
      const uint32_t grid[3] = {1, 1, 1};
      ASSERT_EQ(kernel.function(args.data(), grid, 0, 1), 0);
      ASSERT_EQ(buffer, expected) << "turn " << turn << " call " << call << "\n" << text;
    }
  }
}
