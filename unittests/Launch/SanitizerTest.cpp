//===- SanitizerTest.cpp - wrong accesses are found and told --------------===//
// Calls what sanitized code calls, without any code: blocks of pointers into
// arrays of this test.
//===----------------------------------------------------------------------===//
#include "tessera/Launch/Sanitizer.h"
#include "CPU/Sanitizer.h"
#include "gtest/gtest.h"
#include <deque>
#include <numeric>
#include <thread>

using namespace tessera;

namespace {

class SanitizerTest : public ::testing::Test {
protected:
  std::vector<float> x = std::vector<float>(4096), out = std::vector<float>(4096);
  std::deque<std::string> records; // what the object's constants would hold
  std::unique_ptr<Sanitizer> sanitizer;

  void begin(uint64_t size = 1000, bool initialized = true, uint32_t programs = 8) {
    std::vector<SanitizedArgument> arguments(3);
    arguments[0] = {"x", "fp32", true, address(x), size * 4, 4, {size}, true};
    arguments[1] = {"n", "i32", false, 0, 0, 4, {}, true};
    arguments[2] = {"out", "fp32", true, address(out), size * 4, 4, {size}, initialized};
    sanitizer = std::make_unique<Sanitizer>(arguments);
    sanitizer->beginLaunch({programs, 1, 1});
  }
  static uint64_t address(std::vector<float> &array) {
    return reinterpret_cast<uint64_t>(array.data());
  }

  const AccessSite *site(uint32_t flags, int argument, llvm::ArrayRef<int64_t> shape,
                         bool masked = true, uint32_t line = 7) {
    AccessSite record;
    AccessText text;
    for (int64_t extent : shape)
      record.elements *= extent, record.rowLength = extent;
    record.elementBytes = 4;
    record.argument = argument;
    record.flags = flags;
    text.kernel = "kernel";
    text.operation = flags & AccessSite::Writes ? "store" : "load";
    text.type = "f32";
    text.place = {"k.py", line, 5, ""};
    text.hasMask = masked;
    text.mask = {"k.py", 6, 12, "mask"};
    text.shape.assign(shape.begin(), shape.end());
    records.push_back(packRecord(record, text));
    return reinterpret_cast<const AccessSite *>(records.back().data());
  }

  static std::vector<uint64_t> range(uint64_t base, int64_t first, int64_t count,
                                     int64_t step = 1) {
    std::vector<uint64_t> pointers;
    for (int64_t i = 0; i < count; ++i)
      pointers.push_back(base + static_cast<uint64_t>((first + i * step) * 4));
    return pointers;
  }

  std::vector<uint8_t> safe;
  int64_t check(const AccessSite *record, const std::vector<uint64_t> &pointers, uint64_t program,
                const std::vector<uint8_t> &mask = {}) {
    safe.assign(pointers.size(), 9);
    return checkSanitizedAccess(sanitizer->handle(), record, pointers.data(),
                                mask.empty() ? nullptr : mask.data(), safe.data(), program);
  }

  std::string text() {
    std::string all;
    auto place = [](const SourcePlace &at) {
      return at.isKnown() ? at.path + ":" + std::to_string(at.line) + ": " : std::string();
    };
    for (const SanitizerReport &report : sanitizer->reports()) {
      all += place(report.place) + report.message + "\n";
      for (const SanitizerNote &note : report.notes)
        all += "  " + place(note.place) + note.text + "\n";
    }
    return all;
  }
  static bool contains(const std::string &all, const std::string &part) {
    return all.find(part) != std::string::npos;
  }
};

constexpr uint32_t kLoad = AccessSite::Reads, kStore = AccessSite::Writes;

TEST_F(SanitizerTest, InsideIsSilent) {
  begin();
  EXPECT_EQ(check(site(kLoad, 0, {1000}), range(address(x), 0, 1000), 0), -1);
  EXPECT_EQ(std::accumulate(safe.begin(), safe.end(), 0), 1000);
  EXPECT_FALSE(sanitizer->foundSomething());
  EXPECT_EQ(text(), "");
}

TEST_F(SanitizerTest, MaskedLanesAreNotAccesses) {
  begin();
  std::vector<uint8_t> mask(1024, 1);
  std::fill(mask.begin() + 1000, mask.end(), 0);
  EXPECT_EQ(check(site(kLoad, 0, {1024}), range(address(x), 0, 1024), 0, mask), -1);
  EXPECT_EQ(safe, mask);
  EXPECT_FALSE(sanitizer->foundSomething());
}

TEST_F(SanitizerTest, OffByOne) {
  begin();
  std::vector<uint8_t> mask(1024, 1);
  std::fill(mask.begin() + 1001, mask.end(), 0);
  EXPECT_EQ(check(site(kLoad, 0, {1024}), range(address(x), 0, 1024), 3, mask), 1000);
  EXPECT_EQ(safe[999], 1);
  EXPECT_EQ(safe[1000], 0);
  EXPECT_EQ(safe[1001], 0);
  std::string all = text();
  EXPECT_TRUE(contains(all, "k.py:7: load outside 'x': element 1000, 1 element past the end"))
      << all;
  EXPECT_TRUE(contains(all, "in program (3, 0, 0) of kernel, at [1000] of the block's [1024]"))
      << all;
  EXPECT_TRUE(contains(all, "k.py:6: the mask 'mask' is true there")) << all;
  EXPECT_TRUE(contains(all, "'x' is fp32[1000]")) << all;
  EXPECT_FALSE(contains(all, "in all")) << all;
}

TEST_F(SanitizerTest, BeforeTheBeginningWithoutMask) {
  begin();
  EXPECT_EQ(check(site(kLoad, 0, {4, 8}, false), range(address(x), -2, 32), 0), 0);
  std::string all = text();
  EXPECT_TRUE(contains(all, "element -2, 2 elements before the beginning")) << all;
  EXPECT_TRUE(contains(all, "at [0, 0] of the block's [4, 8]")) << all;
  EXPECT_TRUE(contains(all, "no mask is in force")) << all;
  EXPECT_TRUE(contains(all, "2 such accesses in all")) << all;
}

TEST_F(SanitizerTest, TellsWhoseMemoryItIs) {
  begin();
  check(site(kLoad, 0, {}, false), {address(out) + 12}, 0);
  EXPECT_TRUE(contains(text(), "the address is in 'out', at element 3")) << text();
}

TEST_F(SanitizerTest, FirstProgramIsShownWhateverTheOrder) {
  begin();
  const AccessSite *record = site(kLoad, 0, {8}, false);
  EXPECT_EQ(check(record, range(address(x), 1000, 8), 5), 0);
  EXPECT_EQ(check(record, range(address(x), 998, 8), 2), 2);
  check(record, range(address(x), 1000, 8), 6);
  std::string all = text();
  EXPECT_TRUE(contains(all, "program (2, 0, 0)")) << all;
  EXPECT_TRUE(contains(all, "22 such accesses in all")) << all;
}

TEST_F(SanitizerTest, UnknownOriginsAreSearched) {
  begin();
  const AccessSite *record = site(kLoad, -1, {2}, false);
  EXPECT_EQ(check(record, {address(x), address(out)}, 0), -1);
  EXPECT_FALSE(sanitizer->foundSomething());
  EXPECT_EQ(check(record, {address(x), 16}, 0), 1);
  EXPECT_TRUE(contains(text(), "load outside every argument's memory")) << text();
}

TEST_F(SanitizerTest, AnEmptyBufferHasNoInside) {
  begin(0);
  EXPECT_EQ(check(site(kStore, 2, {}, false), {address(out)}, 0), 0);
  EXPECT_TRUE(contains(text(), "store outside 'out': element 0, 1 element past the end")) << text();
}

std::string wrapRecord(uint32_t operation, bool isUnsigned = false) {
  WrapSite wrap;
  wrap.operation = operation;
  wrap.isUnsigned = isUnsigned;
  return packRecord(wrap, {"k.py", 4, 9, ""});
}

TEST_F(SanitizerTest, NamesTheFirstOperationThatWrapped) {
  begin();
  const AccessSite *record = site(kLoad, 0, {8}, false);
  int64_t element = check(record, range(address(x), -536870912, 8), 1);
  ASSERT_EQ(element, 0);
  std::string add = wrapRecord(WrapSite::Add), multiply = wrapRecord(WrapSite::Multiply);
  auto explain = [&](const std::string &wrap, int64_t left, int64_t right) {
    explainSanitizedWrap(sanitizer->handle(), record, 1, element,
                         reinterpret_cast<const WrapSite *>(wrap.data()), left, right);
  };
  explain(add, 5, 6); // did not wrap
  explain(multiply, 65536, 32768);
  explain(add, INT32_MAX, 1);
  std::string all = text();
  EXPECT_TRUE(contains(all, "k.py:4: a 32-bit offset overflowed on the way there: 65536 * 32768 is "
                            "2147483648 and became -2147483648"))
      << all;
}

TEST_F(SanitizerTest, NamesAnOverflowOfALaterProgram) {
  begin();
  const AccessSite *record = site(kLoad, 0, {}, false);
  std::string multiply = wrapRecord(WrapSite::Multiply);
  for (int64_t program : {3, 1, 2}) { // 1 is outside, 2 and 3 also overflow
    if (check(record, {address(x) + (1ull << 32)}, program) == 0)
      explainSanitizedWrap(sanitizer->handle(), record, program, 0,
                           reinterpret_cast<const WrapSite *>(multiply.data()), program, 1 << 30);
  }
  std::string all = text();
  EXPECT_TRUE(contains(all, "in program (1, 0, 0) of kernel; address")) << all;
  EXPECT_TRUE(contains(all, "a 32-bit offset overflowed on the way in program (2, 0, 0): 2 * "
                            "1073741824 is 2147483648 and became -2147483648"))
      << all;
}

TEST_F(SanitizerTest, UnsignedNumbersWrapLater) {
  begin();
  const AccessSite *record = site(kLoad, 0, {}, false);
  check(record, {0}, 0);
  std::string fits = wrapRecord(WrapSite::Multiply, true);
  explainSanitizedWrap(sanitizer->handle(), record, 0, 0,
                       reinterpret_cast<const WrapSite *>(fits.data()), 65536, 32768);
  EXPECT_FALSE(contains(text(), "overflowed")) << text();
}

TEST_F(SanitizerTest, ReadsOfWhatNobodyWrote) {
  begin(1000, /*initialized=*/false);
  check(site(kStore | AccessSite::MeetsReads, 2, {8}, false, 3), range(address(out), 0, 8), 0);
  check(site(kLoad | AccessSite::MeetsWrites, 2, {8}, false), range(address(out), 4, 8), 0);
  std::string all = text();
  EXPECT_TRUE(contains(all, "k.py:7: load of element 8 of 'out', which nothing has written"))
      << all;
  EXPECT_TRUE(contains(all, "at [4] of the block's [8]")) << all;
  EXPECT_TRUE(contains(all, "4 such accesses in all")) << all;
  EXPECT_EQ(safe, std::vector<uint8_t>(8, 1)) << "such a read is harmless";
}

TEST_F(SanitizerTest, WrittenMemoryStaysWritten) {
  begin(1000, /*initialized=*/false);
  check(site(kStore, 2, {8}, false), range(address(out), 0, 8), 0);
  sanitizer->beginLaunch({8, 1, 1});
  check(site(kLoad, 2, {8}, false), range(address(out), 0, 8), 5);
  EXPECT_EQ(text(), "");
}

TEST_F(SanitizerTest, ProgramsThatWriteTheSame) {
  begin();
  const AccessSite *record = site(kStore, 2, {8}, false);
  for (uint64_t program : {6, 2, 4})
    check(record, range(address(out), int64_t(program), 8), program);
  std::string all = text();
  EXPECT_TRUE(
      contains(all, "program (2, 0, 0) and program (4, 0, 0) both write element 4 of 'out'"))
      << all;
  EXPECT_TRUE(contains(all, "8 such elements in all")) << all;
}

TEST_F(SanitizerTest, OneProgramMayWriteTwice) {
  begin();
  const AccessSite *record = site(kStore, 2, {8}, false);
  check(record, range(address(out), 0, 8), 1);
  check(record, range(address(out), 4, 8), 1);
  sanitizer->beginLaunch({8, 1, 1}); // and another launch anything
  check(record, range(address(out), 0, 8), 2);
  EXPECT_EQ(text(), "");
}

TEST_F(SanitizerTest, ScatteredElementsMeetToo) {
  begin();
  const AccessSite *record = site(kStore, 2, {4, 4}, false);
  check(record, range(address(out), 900, 16, -7), 0);
  EXPECT_EQ(text(), "");
  check(record, range(address(out), 900 - 15 * 7, 16, 1), 1);
  EXPECT_TRUE(contains(text(), "both write element 795 of 'out'")) << text();
}

TEST_F(SanitizerTest, ReadersAndWriters) {
  for (bool readFirst : {true, false}) {
    begin();
    const AccessSite *read = site(kLoad | AccessSite::MeetsWrites, 0, {8}, false, 8);
    const AccessSite *write = site(kStore | AccessSite::MeetsReads, 0, {8}, false, 9);
    auto reading = [&] { check(read, range(address(x), 1, 8), 0); };
    if (readFirst)
      reading();
    check(write, range(address(x), 8, 8), 1);
    if (!readFirst)
      reading();
    std::string expected =
        readFirst ? "program (1, 0, 0) writes element 8 of 'x', which program (0, 0, 0)"
                    " reads"
                  : "program (0, 0, 0) reads element 8 of 'x', which program (1, 0, 0)"
                    " writes";
    EXPECT_TRUE(contains(text(), expected)) << text();
  }
}

TEST_F(SanitizerTest, AtomicsAndWhatTheyOrderMayMeet) {
  begin();
  const AccessSite *atomic = site(kLoad | kStore | AccessSite::Atomic, 2, {8}, false);
  const AccessSite *ordered = site(kStore | AccessSite::Ordered, 2, {8}, false);
  for (uint64_t program : {0, 1, 2}) {
    check(atomic, range(address(out), 0, 8), program);
    check(ordered, range(address(out), 16, 8), program);
  }
  EXPECT_EQ(text(), "");
}

TEST_F(SanitizerTest, PiecesOfElementsAreNotToldApart) {
  begin();
  AccessSite bytes;
  bytes.elementBytes = 1;
  bytes.argument = 2;
  bytes.flags = kStore;
  std::string record = packRecord(bytes, {});
  auto *narrow = reinterpret_cast<const AccessSite *>(record.data());
  check(narrow, {address(out)}, 0);
  check(narrow, {address(out) + 1}, 1);
  EXPECT_EQ(text(), "");
}

TEST_F(SanitizerTest, WholeRegionsAndPartsOfThem) {
  begin(1000, /*initialized=*/false);
  const AccessSite *all = site(kStore | AccessSite::MeetsReads, 2, {512}, false, 3);
  const AccessSite *part = site(kStore | AccessSite::MeetsReads, 2, {16}, false, 4);
  const AccessSite *read = site(kLoad | AccessSite::MeetsWrites, 2, {512}, false, 5);
  check(all, range(address(out), 0, 512), 1);
  check(part, range(address(out), 100, 16), 1);
  check(part, range(address(out), 600, 16), 1);
  check(read, range(address(out), 0, 512), 1);
  EXPECT_EQ(text(), "");
  check(part, range(address(out), 500, 16), 2); // 12 of them in what 1 wrote and read
  std::string found = text();
  EXPECT_TRUE(contains(found, "k.py:4: program (1, 0, 0) and program (2, 0, 0) both write element "
                              "500 of 'out'"))
      << found;
  EXPECT_TRUE(contains(found, "program (2, 0, 0) writes element 500 of 'out', which program "
                              "(1, 0, 0) reads"))
      << found;
  EXPECT_TRUE(contains(found, "12 such elements in all")) << found;
  check(read, range(address(out), 488, 512), 1); // written: up to 515, and 600 to 615
  found = text();
  EXPECT_TRUE(contains(found, "load of element 516 of 'out', which nothing has written")) << found;
  EXPECT_TRUE(contains(found, "468 such accesses in all")) << found;
}

TEST_F(SanitizerTest, ReadersAddUp) {
  begin();
  const AccessSite *read = site(kLoad | AccessSite::MeetsWrites, 0, {512}, false, 8);
  const AccessSite *write = site(kStore | AccessSite::MeetsReads, 0, {8}, false, 9);
  for (uint64_t program : {1, 2, 1})
    check(read, range(address(x), 0, 512), program);
  EXPECT_EQ(text(), "");
  check(write, range(address(x), 8, 8), 1);
  EXPECT_TRUE(contains(text(), "program (1, 0, 0) writes element 8 of 'x', which several programs "
                               "read\n"))
      << text();
}

TEST_F(SanitizerTest, LaunchesDoNotMeet) {
  // So many programs that the numbers are used up again and again.
  begin(1000, false, 1 << 29);
  const AccessSite *whole = site(kStore, 2, {256}, false), *part = site(kStore, 2, {8}, false);
  const AccessSite *read = site(kLoad | AccessSite::MeetsWrites, 2, {8}, false);
  for (uint64_t launch = 0; launch < 9; ++launch) {
    check(whole, range(address(out), 0, 256), launch * 1000);
    check(part, range(address(out), 300, 8), launch * 1000 + 1);
    check(read, range(address(out), 300, 8), launch * 1000 + 1);
    sanitizer->beginLaunch({1 << 29, 1, 1});
  }
  EXPECT_EQ(text(), "");
  check(part, range(address(out), 300, 8), (1 << 29) - 1);
  check(part, range(address(out), 304, 8), 0);
  EXPECT_TRUE(contains(text(), "program (0, 0, 0) and program (536870911, 0, 0) both write element "
                               "304"))
      << text();
}

TEST_F(SanitizerTest, ManyThreadsCountExactly) {
  begin(4096, true, 16);
  const AccessSite *record = site(kStore, 2, {4096}, false);
  std::vector<uint64_t> pointers = range(address(out), 0, 4096);
  std::vector<std::thread> threads;
  for (uint64_t program = 0; program < 16; ++program)
    threads.emplace_back([&, program] {
      std::vector<uint8_t> ok(4096);
      checkSanitizedAccess(sanitizer->handle(), record, pointers.data(), nullptr, ok.data(),
                           program);
    });
  for (std::thread &thread : threads)
    thread.join();
  std::string all = text();
  EXPECT_TRUE(contains(all, "program (0, 0, 0) and program (1, 0, 0) both write element 0")) << all;
  EXPECT_TRUE(contains(all, "4096 such elements in all")) << all;
}

TEST(AccessSite, RecordsKeepTheirText) {
  AccessText text;
  text.kernel = "k\"\xff";
  text.operation = "atomic add";
  text.place = {"a b.py", 12, 3, "x"};
  text.callers = {{"lib.py", 1, 2, ""}};
  text.shape = {4, 8};
  AccessSite site;
  site.elements = 32;
  std::string record = packRecord(site, text);
  AccessText back = readText(*reinterpret_cast<const AccessSite *>(record.data()));
  EXPECT_EQ(back.kernel, "k\"\xEF\xBF\xBD") << "JSON holds Unicode only";
  EXPECT_EQ(back.operation, text.operation);
  EXPECT_EQ(back.place, text.place);
  EXPECT_EQ(back.callers, text.callers);
  EXPECT_EQ(back.shape, text.shape);
  EXPECT_FALSE(back.hasMask);
}

} // namespace
