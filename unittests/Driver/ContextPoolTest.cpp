//===- ContextPoolTest.cpp - what later compilations find again -----------===//
#include "tessera/Driver/ContextPool.h"
#include <gtest/gtest.h>

using namespace tessera;

// Code generators stay with the context in which they were made, and go with it.
TEST(ContextPoolTest, keepsCodeGenerators) {
  ContextPool pool;
  mlir::MLIRContext *context = nullptr;
  {
    std::unique_ptr<ContextPool::Lease> lease = pool.take();
    context = &lease->context();
    EXPECT_TRUE(lease->machines().empty());
    lease->machines()["chip"];
  }
  std::unique_ptr<ContextPool::Lease> again = pool.take(), other = pool.take();
  EXPECT_EQ(&again->context(), context);
  EXPECT_EQ(again->machines().count("chip"), 1u);
  EXPECT_TRUE(other->machines().empty());
}

TEST(ContextPoolTest, dropsThemWithALongServingContext) {
  ContextPool pool;
  {
    std::unique_ptr<ContextPool::Lease> lease = pool.take();
    lease->machines()["chip"];
    lease->countText(1 << 20);
  }
  EXPECT_TRUE(pool.take()->machines().empty());
}
