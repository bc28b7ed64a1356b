//===- ControlFlowTest.cpp - loops, branches, and what is unsupported -----===//
#include "CompileAndLoad.h"
#include "gtest/gtest.h"

using namespace tessera;
using namespace tessera::cpu;

TEST(ControlFlow, ForOverTiles) {
  Kernel kernel = Kernel::compile(R"(
    tt.func public @k(%xp: !tt.ptr<f32>, %op: !tt.ptr<f32>, %n: i32, %sum: !tt.ptr<i32>) {
      %zero = arith.constant 0 : i32
      %step = arith.constant 128 : i32
      %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
      %ns = tt.splat %n : i32 -> tensor<128xi32>
      %xs = tt.splat %xp : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
      %os = tt.splat %op : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
      %total = scf.for %i = %zero to %n step %step iter_args(%t = %zero) -> (i32) : i32 {
        %s = tt.splat %i : i32 -> tensor<128xi32>
        %o = arith.addi %s, %r : tensor<128xi32>
        %m = arith.cmpi slt, %o, %ns : tensor<128xi32>
        %xa = tt.addptr %xs, %o : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
        %x = tt.load %xa, %m : tensor<128x!tt.ptr<f32>>
        %y = arith.mulf %x, %x : tensor<128xf32>
        %oa = tt.addptr %os, %o : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
        tt.store %oa, %y, %m : tensor<128x!tt.ptr<f32>>
        %next = arith.addi %t, %i : i32
        scf.yield %next : i32
      }
      tt.store %sum, %total : !tt.ptr<i32>
      tt.return
    })");
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  for (int n : {0, 1, 128, 500}) {
    std::vector<float> x(n + 1), out(n + 1, -1);
    for (int i = 0; i < n; ++i)
      x[i] = float(i);
    int sum = -1, expected = 0;
    for (int i = 0; i < n; i += 128)
      expected += i;
    kernel.run({1, 1, 1}, x.data(), out.data(), n, &sum);
    for (int i = 0; i < n; ++i)
      ASSERT_EQ(out[i], float(i) * float(i));
    EXPECT_EQ(out[n], -1);
    EXPECT_EQ(sum, expected);
  }
}

TEST(ControlFlow, IfWhileAndEarlyReturn) {
  Kernel kernel = Kernel::compile(R"(
    tt.func public @k(%p: !tt.ptr<i32>, %n: i32) {
      %pid = tt.get_program_id x : i32
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %two = arith.constant 2 : i32
      %three = arith.constant 3 : i32
      %out = arith.cmpi sge, %pid, %n : i32
      cf.cond_br %out, ^exit, ^work
    ^exit:
      tt.return
    ^work:
      %start = arith.addi %pid, %one : i32
      %steps:2 = scf.while (%v = %start, %c = %zero) : (i32, i32) -> (i32, i32) {
        %more = arith.cmpi ne, %v, %one : i32
        scf.condition(%more) %v, %c : i32, i32
      } do {
      ^bb0(%v: i32, %c: i32):
        %bit = arith.andi %v, %one : i32
        %odd = arith.cmpi eq, %bit, %one : i32
        %next = scf.if %odd -> (i32) {
          %t = arith.muli %v, %three : i32
          %u = arith.addi %t, %one : i32
          scf.yield %u : i32
        } else {
          %h = arith.divsi %v, %two : i32
          scf.yield %h : i32
        }
        %count = arith.addi %c, %one : i32
        scf.yield %next, %count : i32, i32
      }
      %q = tt.addptr %p, %pid : !tt.ptr<i32>, i32
      tt.store %q, %steps#1 : !tt.ptr<i32>
      tt.return
    })");
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  std::vector<int> out(40, -1);
  kernel.run({40, 1, 1}, out.data(), 30);
  for (int i = 0; i < 40; ++i) {
    int steps = 0;
    for (long v = i + 1; v != 1; ++steps)
      v = v % 2 ? 3 * v + 1 : v / 2;
    EXPECT_EQ(out[i], i < 30 ? steps : -1) << i;
  }
}

TEST(ControlFlow, ScalarMasks) {
  Kernel kernel = Kernel::compile(R"(
    tt.func public @k(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %on: i1) {
      %seven = arith.constant 7.0 : f32
      %v = tt.load %p, %on, %seven : !tt.ptr<f32>
      tt.store %q, %v : !tt.ptr<f32>
      %q1 = arith.constant 1 : i32
      %r = tt.addptr %q, %q1 : !tt.ptr<f32>, i32
      tt.store %r, %v, %on : !tt.ptr<f32>
      tt.return
    })");
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  float in = 3, out[2] = {-1, -1};
  float *null = nullptr;
  kernel.run({1, 1, 1}, null, &out[0], uint8_t(0));
  EXPECT_EQ(out[0], 7);
  EXPECT_EQ(out[1], -1);
  kernel.run({1, 1, 1}, &in, &out[0], uint8_t(1));
  EXPECT_EQ(out[0], 3);
  EXPECT_EQ(out[1], 3);
}

// Sums `n` rows of a matrix, walking a tensor of pointers down the rows.
TEST(ControlFlow, TensorsCarriedByALoop) {
  Kernel kernel = Kernel::compile(R"(
    tt.func public @k(%xp: !tt.ptr<f32>, %op: !tt.ptr<f32>, %n: i32, %stride: i32) {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
      %none = arith.constant dense<0.0> : tensor<128xf32>
      %xs = tt.splat %xp : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
      %first = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
      %down = tt.splat %stride : i32 -> tensor<128xi32>
      %sum:3 = scf.for %i = %zero to %n step %one
          iter_args(%acc = %none, %count = %zero, %p = %first)
          -> (tensor<128xf32>, i32, tensor<128x!tt.ptr<f32>>) : i32 {
        %x = tt.load %p : tensor<128x!tt.ptr<f32>>
        %next = arith.addf %acc, %x : tensor<128xf32>
        %c = arith.addi %count, %one : i32
        %q = tt.addptr %p, %down : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
        scf.yield %next, %c, %q : tensor<128xf32>, i32, tensor<128x!tt.ptr<f32>>
      }
      %cf = arith.sitofp %sum#1 : i32 to f32
      %cs = tt.splat %cf : f32 -> tensor<128xf32>
      %out = arith.addf %sum#0, %cs : tensor<128xf32>
      %os = tt.splat %op : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
      %oa = tt.addptr %os, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
      tt.store %oa, %out : tensor<128x!tt.ptr<f32>>
      tt.return
    })");
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  for (int n : {0, 1, 2, 7}) {
    std::vector<float> x(8 * 130), out(128), expected(128, float(n));
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = float(i % 97);
    for (int row = 0; row < n; ++row)
      for (int i = 0; i < 128; ++i)
        expected[i] += x[row * 130 + i];
    kernel.run({1, 1, 1}, x.data(), out.data(), n, 130);
    ASSERT_EQ(out, expected) << n;
  }
}

// Two tensors that change places, of which a store inside the loop shows one;
// the shapes of the carried tensor and the store differ.
TEST(ControlFlow, TensorsThatSwap) {
  Kernel kernel = Kernel::compile(R"(
    tt.func public @k(%xp: !tt.ptr<f32>, %op: !tt.ptr<f32>, %n: i32) {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
      %xs = tt.splat %xp : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
      %xa = tt.addptr %xs, %r : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
      %x = tt.load %xa : tensor<16x!tt.ptr<f32>>
      %y = arith.addf %x, %x : tensor<16xf32>
      %two:2 = scf.for %i = %zero to %n step %one iter_args(%a = %x, %b = %y)
          -> (tensor<16xf32>, tensor<16xf32>) : i32 {
        %v = tt.load %xa : tensor<16x!tt.ptr<f32>>
        %w = arith.addf %v, %a : tensor<16xf32>
        tt.store %xa, %w : tensor<16x!tt.ptr<f32>>
        %a2 = tt.expand_dims %a {axis = 1 : i32} : tensor<16xf32> -> tensor<16x1xf32>
        %ab = tt.broadcast %a2 : tensor<16x1xf32> -> tensor<16x4xf32>
        %o2 = tt.splat %op : !tt.ptr<f32> -> tensor<16x4x!tt.ptr<f32>>
        tt.store %o2, %ab : tensor<16x4x!tt.ptr<f32>>
        scf.yield %b, %a : tensor<16xf32>, tensor<16xf32>
      }
      %os = tt.splat %op : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
      %oa = tt.addptr %os, %r : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
      tt.store %oa, %two#0 : tensor<16x!tt.ptr<f32>>
      tt.return
    })");
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  for (int n : {0, 1, 2, 3, 4}) {
    std::vector<float> x(16), out(16);
    for (int i = 0; i < 16; ++i)
      x[i] = float(i + 1);
    kernel.run({1, 1, 1}, x.data(), out.data(), n);
    for (int i = 0; i < 16; ++i) {
      float first = float(i + 1), a = first, b = 2 * first, memory = first;
      for (int k = 0; k < n; ++k) {
        memory += a;
        std::swap(a, b);
      }
      ASSERT_EQ(out[i], a) << n;
      ASSERT_EQ(x[i], memory) << n;
    }
  }
}

TEST(ControlFlow, TensorsFromBranches) {
  Kernel kernel = Kernel::compile(R"(
    tt.func public @k(%xp: !tt.ptr<f32>, %op: !tt.ptr<f32>) {
      %pid = tt.get_program_id x : i32
      %two = arith.constant 2 : i32
      %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
      %xs = tt.splat %xp : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
      %xa = tt.addptr %xs, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
      %x = tt.load %xa : tensor<64x!tt.ptr<f32>>
      %low = arith.cmpi slt, %pid, %two : i32
      %v:2 = scf.if %low -> (tensor<64xf32>, i32) {
        %n = arith.negf %x : tensor<64xf32>
        scf.yield %n, %two : tensor<64xf32>, i32
      } else {
        %y = tt.load %xa : tensor<64x!tt.ptr<f32>>
        %s = arith.addf %x, %y : tensor<64xf32>
        scf.yield %s, %pid : tensor<64xf32>, i32
      }
      %size = arith.constant 64 : i32
      %start = arith.muli %pid, %size : i32
      %ss = tt.splat %start : i32 -> tensor<64xi32>
      %o = arith.addi %ss, %r : tensor<64xi32>
      %os = tt.splat %op : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
      %oa = tt.addptr %os, %o : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
      %cf = arith.sitofp %v#1 : i32 to f32
      %cs = tt.splat %cf : f32 -> tensor<64xf32>
      %t = arith.addf %v#0, %cs : tensor<64xf32>
      tt.store %oa, %t : tensor<64x!tt.ptr<f32>>
      tt.return
    })");
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  std::vector<float> x(64), out(4 * 64);
  for (int i = 0; i < 64; ++i)
    x[i] = float(i);
  kernel.run({4, 1, 1}, x.data(), out.data());
  for (int p = 0; p < 4; ++p)
    for (int i = 0; i < 64; ++i)
      ASSERT_EQ(out[p * 64 + i], p < 2 ? 2 - float(i) : 2 * float(i) + p);
}

TEST(ControlFlow, UnsupportedIsADiagnostic) {
  Kernel assembly = Kernel::compile(R"(
    tt.func public @k(%p: !tt.ptr<f32>) {
      %x = arith.constant dense<1.0> : tensor<16xf32>
      %y = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r",
        packed_element = 1 : i32, pure = true} %x : tensor<16xf32> -> tensor<16xf32>
      %ps = tt.splat %p : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
      tt.store %ps, %y : tensor<16x!tt.ptr<f32>>
      tt.return
    })");
  EXPECT_FALSE(assembly.ok());
  EXPECT_NE(assembly.error().find("unsupported: "), std::string::npos);
  EXPECT_NE(assembly.error().find("inline assembly"), std::string::npos) << assembly.error();
}
