//===- AliasingTest.cpp - accesses that touch each other's bytes ----------===//
// Whatever the pointers are, the result is that of whole tiles in program
// order: all of a load happens before a later store.
//===----------------------------------------------------------------------===//
#include "CompileAndLoad.h"
#include "gtest/gtest.h"
#include <numeric>
#include <sys/mman.h>

using namespace tessera;
using namespace tessera::cpu;

static std::vector<float> ramp(int n) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

TEST(Aliasing, ShiftedInPlace) {
  for (int block : {16, 64, 1024, 4096}) {
    Kernel kernel =
        Kernel::compile(elementwiseKernel("f32", "f32", block, "%r = arith.addf %x, %y : $T"));
    ASSERT_TRUE(kernel.ok()) << kernel.error();
    for (int shift : {-block + 1, -17, -16, -3, -1, 0, 1, 2, 16, 33, block - 1, block}) {
      for (int n : {block, block - 1, 1}) { // one program: the order of programs is undefined
        std::vector<float> memory = ramp(4 * block + 128), expected = memory;
        float *x = memory.data() + 2 * block;
        for (int i = 0; i < n; ++i)
          expected[2 * block + shift + i] = 2 * memory[2 * block + i];
        kernel.run({1, 1, 1}, x, x, x + shift, n);
        ASSERT_EQ(memory, expected) << "block " << block << " shift " << shift << " n " << n;
      }
    }
    EXPECT_EQ(kernel.status, 0);
  }
}

TEST(Aliasing, OutputRightBehindInput) { // apart, though the tile would reach over
  Kernel kernel =
      Kernel::compile(elementwiseKernel("f32", "f32", 1 << 16, "%r = arith.addf %x, %y : $T"));
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  std::vector<float> memory = ramp(30);
  kernel.run({1, 1, 1}, memory.data(), memory.data() + 10, memory.data() + 20, 10);
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(memory[20 + i], float(i + 1 + i + 11));
}

// out0 = x; out1 = x: the second store must see what was loaded, not stored.
static const char *twoStores = R"(
  tt.func public @k(%xp: !tt.ptr<f32>, %ap: !tt.ptr<f32>, %bp: !tt.ptr<f32>) {
    %range = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %xs = tt.splat %xp : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
    %xa = tt.addptr %xs, %range : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    %x = tt.load %xa : tensor<256x!tt.ptr<f32>>
    %d = arith.addf %x, %x : tensor<256xf32>
    %as = tt.splat %ap : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
    %aa = tt.addptr %as, %range : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    tt.store %aa, %d : tensor<256x!tt.ptr<f32>>
    %again = tt.load %xa : tensor<256x!tt.ptr<f32>>
    %t = arith.addf %x, %again : tensor<256xf32>
    %bs = tt.splat %bp : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
    %ba = tt.addptr %bs, %range : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    tt.store %ba, %t : tensor<256x!tt.ptr<f32>>
    tt.return
  })";

TEST(Aliasing, TwoStoresAndALoadBetween) {
  Kernel kernel = Kernel::compile(twoStores);
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  for (int a : {-300, -5, 0, 1, 7, 300})
    for (int b : {-600, -3, 0, 2, 9, 600}) {
      std::vector<float> memory = ramp(2000), expected = memory;
      int x = 800;
      std::vector<float> loaded(expected.begin() + x, expected.begin() + x + 256);
      for (int i = 0; i < 256; ++i)
        expected[x + a + i] = 2 * loaded[i];
      std::vector<float> again(expected.begin() + x, expected.begin() + x + 256);
      for (int i = 0; i < 256; ++i)
        expected[x + b + i] = loaded[i] + again[i];
      float *base = memory.data() + x;
      kernel.run({1, 1, 1}, base, base + a, base + b);
      ASSERT_EQ(memory, expected) << "a " << a << " b " << b;
    }
}

// A gather from what is then overwritten: reverses in place.
static const char *reverse = R"(
  tt.func public @k(%xp: !tt.ptr<f32>, %ip: !tt.ptr<i32>) {
    %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %is = tt.splat %ip : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
    %ia = tt.addptr %is, %range : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
    %i = tt.load %ia : tensor<128x!tt.ptr<i32>>
    %xs = tt.splat %xp : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %from = tt.addptr %xs, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %x = tt.load %from : tensor<128x!tt.ptr<f32>>
    %to = tt.addptr %xs, %range : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    tt.store %to, %x : tensor<128x!tt.ptr<f32>>
    tt.return
  })";

TEST(Aliasing, GatherThenStoreInPlace) {
  Kernel kernel = Kernel::compile(reverse);
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  std::vector<float> x = ramp(128), expected(x.rbegin(), x.rend());
  std::vector<int> index(128);
  for (int i = 0; i < 128; ++i)
    index[i] = 127 - i;
  kernel.run({1, 1, 1}, x.data(), index.data());
  EXPECT_EQ(x, expected);
}

// Transposes a square in place: load [i, j], store [j, i].
static const char *transpose = R"(
  tt.func public @k(%xp: !tt.ptr<f32>, %stride: i32) {
    %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %row = tt.expand_dims %range {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %col = tt.expand_dims %range {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %s0 = tt.splat %stride : i32 -> tensor<32x1xi32>
    %s1 = tt.splat %stride : i32 -> tensor<1x32xi32>
    %ri = arith.muli %row, %s0 : tensor<32x1xi32>
    %ci = arith.muli %col, %s1 : tensor<1x32xi32>
    %r0 = tt.broadcast %ri : tensor<32x1xi32> -> tensor<32x32xi32>
    %c0 = tt.broadcast %col : tensor<1x32xi32> -> tensor<32x32xi32>
    %r1 = tt.broadcast %row : tensor<32x1xi32> -> tensor<32x32xi32>
    %c1 = tt.broadcast %ci : tensor<1x32xi32> -> tensor<32x32xi32>
    %from = arith.addi %r0, %c0 : tensor<32x32xi32>
    %to = arith.addi %r1, %c1 : tensor<32x32xi32>
    %xs = tt.splat %xp : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
    %fa = tt.addptr %xs, %from : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    %x = tt.load %fa : tensor<32x32x!tt.ptr<f32>>
    %ta = tt.addptr %xs, %to : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    tt.store %ta, %x : tensor<32x32x!tt.ptr<f32>>
    tt.return
  })";

TEST(Aliasing, TransposeInPlace) {
  Kernel kernel = Kernel::compile(transpose);
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  std::vector<float> x = ramp(32 * 40), expected = x;
  for (int i = 0; i < 32; ++i)
    for (int j = 0; j < 32; ++j)
      expected[j * 40 + i] = x[i * 40 + j];
  kernel.run({1, 1, 1}, x.data(), 40);
  EXPECT_EQ(x, expected);
}

// Offsets that wrap around 2^31: the elements lie 4 GiB apart.
TEST(Aliasing, OffsetsThatWrap) {
  Kernel kernel = Kernel::compile(R"(
    tt.func public @k(%xp: !tt.ptr<i8>, %op: !tt.ptr<i8>, %start: i32) {
      %range = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
      %s = tt.splat %start : i32 -> tensor<256xi32>
      %offs = arith.addi %s, %range : tensor<256xi32>
      %xs = tt.splat %xp : !tt.ptr<i8> -> tensor<256x!tt.ptr<i8>>
      %xa = tt.addptr %xs, %offs : tensor<256x!tt.ptr<i8>>, tensor<256xi32>
      %x = tt.load %xa : tensor<256x!tt.ptr<i8>>
      %os = tt.splat %op : !tt.ptr<i8> -> tensor<256x!tt.ptr<i8>>
      %oa = tt.addptr %os, %range : tensor<256x!tt.ptr<i8>>, tensor<256xi32>
      tt.store %oa, %x : tensor<256x!tt.ptr<i8>>
      tt.return
    })");
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  size_t bytes = (size_t(1) << 32) + 4096;
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    GTEST_SKIP() << "no 4 GiB of address space";
  auto *middle = static_cast<uint8_t *>(memory) + (size_t(1) << 31);
  for (int i = 0; i < 100; ++i)
    middle[int64_t(INT32_MAX) - 99 + i] = i + 1;
  for (int i = 0; i < 156; ++i)
    middle[int64_t(INT32_MIN) + i] = i + 101;
  std::vector<uint8_t> out(256), expected(256);
  for (int i = 0; i < 256; ++i)
    expected[i] = uint8_t(i + 1);
  kernel.run({1, 1, 1}, middle, out.data(), INT32_MAX - 99);
  EXPECT_EQ(out, expected);
  munmap(memory, bytes);
}
