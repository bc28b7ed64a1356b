//===- SpecTest.cpp - the table of AMD chips ------------------------------===//
#include "tessera/Target/AMD/Spec.h"
#include "tessera/Target/AMD/AmdTarget.h"
#include "gtest/gtest.h"

using namespace tessera::amd;

TEST(AmdSpec, Rows) {
  const AmdSpec *spec = AmdSpec::find("gfx942");
  ASSERT_NE(nullptr, spec);
  EXPECT_EQ("hip:gfx942", spec->name());
  EXPECT_EQ(64u, spec->threadsPerWarp);
  EXPECT_EQ(16u, spec->maxWarps());
  EXPECT_TRUE(spec->hasMFMA());
  EXPECT_TRUE(spec->hasFP8Fnuz());
  EXPECT_FALSE(spec->hasFP8Ocp());
  EXPECT_EQ(nullptr, AmdSpec::find("gfx941"));
}

TEST(AmdSpec, ParsesDriversNames) {
  const AmdSpec *spec = AmdSpec::find("gfx942");
  EXPECT_EQ(spec, AmdSpec::parse("hip:gfx942"));
  EXPECT_EQ(spec, AmdSpec::parse("hip:gfx942:sramecc+:xnack-"));
  EXPECT_EQ(spec, AmdSpec::parse("hip:gfx942:64"));
  EXPECT_EQ(nullptr, AmdSpec::parse("hip:gfx942:32"));
  EXPECT_EQ(nullptr, AmdSpec::parse("gfx942"));
  EXPECT_EQ(nullptr, AmdSpec::parse("cuda:90"));
}

/// A chip has one kind of matrix instructions and at most one kind of fp8; RDNA has 32 lanes.
TEST(AmdSpec, EveryRowIsConsistent) {
  for (const AmdSpec &spec : AmdSpec::all()) {
    SCOPED_TRACE(spec.chip.str());
    EXPECT_NE(spec.hasMFMA(), spec.hasWMMA());
    EXPECT_EQ(spec.hasMFMA() ? 64u : 32u, spec.threadsPerWarp);
    EXPECT_FALSE(spec.hasFP8Fnuz() && spec.hasFP8Ocp());
    EXPECT_EQ(spec.hasWMMA(), spec.hasDPPRowXmask());
    EXPECT_EQ(spec.hasWMMA(), spec.hasPermLaneX16());
    EXPECT_GE(spec.maxSharedBytes, 64u * 1024);
  }
}

/// How many waves LLVM's AMDGPU usage guide lets run beside each other.
TEST(AmdMachineFacts, Limits) {
  tessera::KernelRecord record;
  record.numWarps = 4;
  record.registers = 130; // 136 of 512: three waves on each SIMD
  record.sharedBytes = 40 * 1024;
  auto facts = machineFacts(*AmdSpec::find("gfx942"), record);
  ASSERT_TRUE(facts);
  EXPECT_EQ(32u, facts->maxWarps);
  std::vector<std::pair<std::string, unsigned>> expected = {
      {"waves", 8}, {"registers", 3}, {"shared memory", 1}};
  EXPECT_EQ(expected, facts->limits);
  EXPECT_EQ(4u, facts->warps);
  // 144 of 1536: ten waves on each SIMD; a workgroup processor has 128 KiB.
  facts = machineFacts(*AmdSpec::find("gfx1100"), record);
  expected = {{"waves", 16}, {"registers", 10}, {"shared memory", 3}};
  EXPECT_EQ(expected, facts->limits);
  EXPECT_EQ(64u, facts->maxWarps);
  for (const AmdSpec &spec : AmdSpec::all())
    EXPECT_TRUE(machineFacts(spec, record)) << spec.chip.str();
}
