//===- VersionTest.cpp - version and build identity -----------------------===//
#include "tessera/Support/Version.h"
#include "gtest/gtest.h"

using namespace tessera;

TEST(Version, IdentityHoldsVersionAndBuild) {
  std::string identity = getBuildIdentity();
  EXPECT_TRUE(llvm::StringRef(identity).starts_with(getVersion().str() + "+")) << identity;
  EXPECT_FALSE(llvm::StringRef(identity).ends_with("+unknown"));
  EXPECT_EQ(identity, getBuildIdentity());
}
