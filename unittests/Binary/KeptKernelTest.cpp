//===- KeptKernelTest.cpp - a kernel that gives memory back ---------------===//
#include "tessera/Binary/KeptKernel.h"
#include "tessera/Binary/PackFile.h"
#include "tessera/Support/Error.h"
#include "tessera/Support/Files.h"
#include "gtest/gtest.h"
#include <thread>

using namespace tessera;

namespace {
/// A pack of one kernel with a binary, and a text that few need.
class KeptKernelTest : public ::testing::Test {
protected:
  KeptKernelTest() {
    KernelRecord record;
    record.tesseraVersion = "0.1.0";
    record.kernelName = "k";
    record.target = "cuda:90";
    record.adopt(CompileOptions());
    PackWriter writer;
    writer.add({.key = {1}, .name = "k", .target = "cuda:90"},
               {{"record", record.toText()}, {"cubin", kBinary}, {"ptx", kText}});
    bytes = writer.finish();
  }

  std::shared_ptr<const PackFile> open() {
    std::string path = folder.file("a.tpack");
    llvm::cantFail(writeFile(path, bytes));
    return llvm::cantFail(PackFile::open(path));
  }
  /// Damages an artifact.
  void damage(llvm::StringRef contents) {
    size_t place = llvm::StringRef(bytes).find(contents);
    ASSERT_NE(place, llvm::StringRef::npos);
    bytes[place] ^= 1;
  }

  static constexpr char kBinary[] = "the binary, in 34 characters of it";
  static constexpr char kText[] = ".version 8.7";
  TemporaryFolder folder = llvm::cantFail(TemporaryFolder::create());
  std::string bytes;
};

llvm::Error failUnless(bool holds) { return holds ? llvm::Error::success() : makeError("no text"); }
} // namespace

TEST_F(KeptKernelTest, TheBinaryAlone) {
  auto pack = open();
  CompiledKernel whole = llvm::cantFail(pack->load(0));
  CompiledKernel alone = llvm::cantFail(pack->load(0, "cubin"));
  EXPECT_FALSE(whole.isPartial);
  EXPECT_TRUE(alone.isPartial);
  EXPECT_EQ(whole.record, alone.record);
  EXPECT_EQ(whole.recordText, alone.recordText);
  EXPECT_EQ(*alone.find("cubin"), kBinary);
  EXPECT_FALSE(alone.find("ptx"));
  // What an entry does not have cannot be all that is read.
  EXPECT_EQ(llvm::cantFail(pack->load(0, "hsaco")), whole);
}

TEST_F(KeptKernelTest, DropsWhatWasUsed) {
  KeptKernel kernel(llvm::cantFail(open()->load(0, "cubin")));
  for (int i = 0; i < 3; ++i) { // the second call reads the pack again
    int calls = 0;
    EXPECT_FALSE(bool(kernel.use([&](const CompiledKernel &given) {
      ++calls;
      EXPECT_EQ(*given.find("cubin"), kBinary);
      EXPECT_EQ(given.find("ptx") != nullptr, i > 0);
      return llvm::Error::success();
    })));
    EXPECT_EQ(calls, 1);
  }
  EXPECT_EQ(kernel.record().kernelName, "k");
  const CompiledKernel *kept = kernel.keep();
  ASSERT_TRUE(kept);
  EXPECT_EQ(*kept->find("ptx"), kText);
  EXPECT_FALSE(kept->recordText.empty());
  EXPECT_FALSE(bool(kernel.use([&](const CompiledKernel &given) {
    EXPECT_EQ(&given, kept);
    return llvm::Error::success();
  })));
  EXPECT_EQ(kernel.keep(), kept);
}

TEST_F(KeptKernelTest, ReadsTheRestWhereTheBinaryFails) {
  KeptKernel kernel(llvm::cantFail(open()->load(0, "cubin")));
  int calls = 0;
  EXPECT_FALSE(bool(kernel.use([&](const CompiledKernel &given) {
    ++calls;
    return failUnless(given.find("ptx"));
  })));
  EXPECT_EQ(calls, 2);
  EXPECT_EQ("no binary", llvm::toString(kernel.use(
                             [](const CompiledKernel &) { return makeError("no binary"); })));
}

TEST_F(KeptKernelTest, KeepsWhatNoPackHas) {
  CompiledKernel compiled = llvm::cantFail(open()->load(0));
  compiled.pack = nullptr;
  KeptKernel kernel(std::move(compiled));
  for (int i = 0; i < 2; ++i)
    EXPECT_FALSE(bool(
        kernel.use([](const CompiledKernel &given) { return failUnless(given.find("ptx")); })));
  ASSERT_TRUE(kernel.keep());
  EXPECT_EQ(*kernel.keep()->find("cubin"), kBinary);
}

TEST_F(KeptKernelTest, WhatIsReadLaterIsCheckedLater) {
  damage(kText);
  auto pack = open();
  llvm::Expected<CompiledKernel> whole = pack->load(0);
  ASSERT_FALSE(bool(whole));
  EXPECT_NE(llvm::toString(whole.takeError()).find("is damaged"), std::string::npos);
  KeptKernel kernel(llvm::cantFail(pack->load(0, "cubin")));
  EXPECT_FALSE(kernel.keep());
  // The first failure counts if the rest cannot be read.
  EXPECT_EQ("no binary", llvm::toString(kernel.use(
                             [](const CompiledKernel &) { return makeError("no binary"); })));
  damage(kBinary);
  llvm::Expected<CompiledKernel> binary = open()->load(0, "cubin");
  EXPECT_FALSE(bool(binary));
  llvm::consumeError(binary.takeError());
}

TEST_F(KeptKernelTest, ManyThreads) {
  auto pack = open();
  for (int round = 0; round < 50; ++round) {
    KeptKernel kernel(llvm::cantFail(pack->load(0, "cubin")));
    std::vector<std::thread> threads;
    for (int i = 0; i < 6; ++i)
      threads.emplace_back([&, i] {
        if (i % 3 == 2) {
          const CompiledKernel *kept = kernel.keep();
          ASSERT_TRUE(kept);
          EXPECT_EQ(*kept->find("ptx"), kText);
          return;
        }
        EXPECT_FALSE(bool(kernel.use([&](const CompiledKernel &given) {
          EXPECT_EQ(*given.find("cubin"), kBinary);
          return failUnless(i % 3 == 0 || given.find("ptx"));
        })));
      });
    for (std::thread &thread : threads)
      thread.join();
  }
}
