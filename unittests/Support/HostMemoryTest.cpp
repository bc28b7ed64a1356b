//===- HostMemoryTest.cpp - memory that fails politely --------------------===//
#include "tessera/Support/HostMemory.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <malloc.h>

using namespace tessera;

TEST(HostMemory, ZeroedAndAligned) {
  HostBuffer buffer = llvm::cantFail(HostBuffer::allocate(1 << 20));
  EXPECT_EQ(0u, reinterpret_cast<uintptr_t>(buffer.data()) % 4096);
  for (uint64_t i = 0; i < buffer.size(); i += 4096)
    EXPECT_EQ(0, buffer.data()[i]);
  HostBuffer moved = std::move(buffer);
  EXPECT_EQ(uint64_t(1) << 20, moved.size());
  EXPECT_EQ(nullptr, buffer.data());
}

TEST(HostMemory, NothingForNothing) {
  HostBuffer buffer = llvm::cantFail(HostBuffer::allocate(0));
  EXPECT_EQ(nullptr, buffer.data());
}

TEST(HostMemory, TooMuchIsAnError) {
  EXPECT_GT(countAvailableMemory(), uint64_t(1) << 20);
  auto buffer = HostBuffer::allocate(uint64_t(1) << 60);
  ASSERT_FALSE(bool(buffer));
  std::string text = llvm::toString(buffer.takeError());
  EXPECT_TRUE(llvm::StringRef(text).starts_with("not enough memory: 1.0 EiB are needed and "))
      << text;
}

TEST(HostMemory, WritesPastTheEndAreSeen) {
  for (uint64_t bytes : {uint64_t(1), uint64_t(400), uint64_t(4095), uint64_t(1) << 20}) {
    HostBuffer buffer = llvm::cantFail(HostBuffer::allocate(bytes));
    EXPECT_TRUE(buffer.isIntact());
    buffer.data()[bytes - 1] = 1;
    EXPECT_TRUE(buffer.isIntact());
    if (bytes % 4096 == 0) // the next page is nobody's
      continue;
    buffer.data()[bytes] = 1;
    EXPECT_FALSE(buffer.isIntact());
  }
  EXPECT_TRUE(HostBuffer().isIntact());
}

#if defined(__GLIBC__)
TEST(HostMemory, FreedMemoryIsKept) {
  keepFreedMemory();
  // A block of less than 8 MiB no longer is a mapping of its own, which would end when it is freed.
  size_t before = mallinfo2().hblks;
  void *volatile block = std::malloc(4 << 20);
  EXPECT_EQ(before, mallinfo2().hblks);
  std::free(block);
}
#endif
