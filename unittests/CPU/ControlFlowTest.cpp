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

TEST(ControlFlow, UnsupportedIsADiagnostic) {
  Kernel carried = Kernel::compile(R"(
    tt.func public @k(%n: i32) {
      %c = arith.constant dense<0.0> : tensor<16xf32>
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %p = tt.get_program_id x : i32
      %t = scf.for %i = %zero to %n step %one iter_args(%a = %c) -> (tensor<16xf32>) : i32 {
        %s = arith.sitofp %i : i32 to f32
        %b = tt.splat %s : f32 -> tensor<16xf32>
        scf.yield %b : tensor<16xf32>
      }
      %q = tt.splat %n : i32 -> tensor<16xi32>
      %ptr = arith.constant 0 : i64
      %pp = tt.int_to_ptr %ptr : i64 -> !tt.ptr<f32>
      %ps = tt.splat %pp : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
      tt.store %ps, %t : tensor<16x!tt.ptr<f32>>
      tt.return
    })");
  EXPECT_FALSE(carried.ok());
  EXPECT_NE(carried.error().find("unsupported: "), std::string::npos);
  EXPECT_NE(carried.error().find("scf.for"), std::string::npos) << carried.error();
}
