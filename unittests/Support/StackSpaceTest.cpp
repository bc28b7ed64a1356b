//===- StackSpaceTest.cpp - enough stack for work that recurses -----------===//
#include "tessera/Support/StackSpace.h"
#include "gtest/gtest.h"
#include <cstring>
#include <pthread.h>

using namespace tessera;

namespace {

/// Uses about `bytes` of the stack.
[[gnu::noinline]] int useStack(size_t bytes) {
  volatile char block[4096];
  block[0] = 1;
  return bytes < sizeof(block) ? block[0] : useStack(bytes - sizeof(block)) + block[0];
}

void onThreadWith(size_t bytes, void *(*work)(void *)) {
  pthread_attr_t attributes;
  pthread_t thread;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
  ASSERT_EQ(pthread_create(&thread, &attributes, work, nullptr), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

TEST(StackSpace, EnoughIsUsedInPlace) {
  pthread_t ran = 0;
  callWithStack(4096, [&] { ran = pthread_self(); });
  EXPECT_EQ(ran, pthread_self());
}

TEST(StackSpace, ASmallStackIsKnown) {
  onThreadWith(64 << 10, [](void *) -> void * {
    EXPECT_LT(stackSpaceLeft(), size_t(64 << 10));
    EXPECT_GT(stackSpaceLeft(), size_t(16 << 10));
    return nullptr;
  });
}

TEST(StackSpace, WorkGetsWhatItNeeds) {
  onThreadWith(64 << 10, [](void *) -> void * {
    int count = 0;
    callWithStack(4 << 20, [&] {
      EXPECT_GE(stackSpaceLeft(), size_t(4 << 20));
      callWithStack(4 << 20, [&] { count = useStack(3 << 20); }); // in place
    });
    EXPECT_GT(count, 700);
    return nullptr;
  });
}

TEST(StackSpace, MoreThanThereIsRunsAnyway) {
  bool hasRun = false;
  callWithStack(size_t(1) << 46, [&] { hasRun = true; });
  EXPECT_TRUE(hasRun);
}

} // namespace
