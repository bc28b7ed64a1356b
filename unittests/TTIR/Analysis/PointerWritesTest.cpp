//===- PointerWritesTest.cpp - which pointers a kernel writes through -----===//
// Each test is a kernel in TTIR and one line: 'r' for an argument that is only read
// through, 'w' for any other, and '+' where the kernel may write to something that no
// argument points to.
//===----------------------------------------------------------------------===//
#include "tessera/TTIR/Analysis/PointerWrites.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tessera;

namespace {
class PointerWritesTest : public testing::Test {
protected:
  PointerWritesTest() : context(registry(), MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
  }

  static DialectRegistry registry() {
    DialectRegistry registry;
    registry.insert<tt::TTDialect, scf::SCFDialect, cf::ControlFlowDialect, gpu::GPUDialect,
                    LLVM::LLVMDialect>();
    return registry;
  }

  /// Returns the result for the function @k of a module.
  std::string writesOf(const Twine &text) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text.str(), &context);
    if (!module)
      return "does not parse";
    PointerWrites found = findPointerWrites(module->lookupSymbol<tt::FuncOp>("k"));
    std::string letters;
    for (bool isReadOnly : found.readOnly)
      letters += isReadOnly ? 'r' : 'w';
    return letters + (found.onlyThroughArguments ? "" : "+");
  }
  /// Returns the result for a kernel of two pointers to floats, one to addresses as integers, and a
  /// condition.
  std::string writesOfBody(const Twine &body) {
    return writesOf("tt.func public @k(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %table: !tt.ptr<i64>, "
                    "%c: i1) {\n%one = arith.constant 1.0 : f32\n%n = arith.constant 4 : i32\n" +
                    body + "\ntt.return\n}");
  }

  MLIRContext context;
};
} // namespace

TEST_F(PointerWritesTest, LoadsReadAndStoresWrite) {
  EXPECT_EQ("rrrw", writesOfBody(""));
  EXPECT_EQ("rwrw", writesOfBody(R"(
    %p = tt.addptr %x, %n : !tt.ptr<f32>, i32
    %a = tt.load %p {isVolatile = true} : !tt.ptr<f32>
    tt.store %y, %a : !tt.ptr<f32>)"));
}

TEST_F(PointerWritesTest, ThroughTensorsOfPointers) {
  EXPECT_EQ("rwrw", writesOfBody(R"(
    %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
    %xp = tt.addptr %xs, %i : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
    %yp = tt.addptr %ys, %i : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    %yr = tt.reshape %yp : tensor<8x!tt.ptr<f32>> -> tensor<2x4x!tt.ptr<f32>>
    %yt = tt.trans %yr {order = array<i32: 1, 0>} : tensor<2x4x!tt.ptr<f32>> -> tensor<4x2x!tt.ptr<f32>>
    %a = tt.load %xp : tensor<8x!tt.ptr<f32>>
    %b = tt.reshape %a : tensor<8xf32> -> tensor<4x2xf32>
    tt.store %yt, %b : tensor<4x2x!tt.ptr<f32>>)"));
}

TEST_F(PointerWritesTest, AtomicsWrite) {
  EXPECT_EQ("wrrw", writesOfBody(R"(
    %t = arith.constant true
    %a = tt.atomic_rmw fadd, acq_rel, gpu, %x, %one, %t : (!tt.ptr<f32>, f32, i1) -> f32)"));
  EXPECT_EQ("rrww", writesOfBody(R"(
    %z = arith.constant 0 : i64
    %a = tt.atomic_cas acq_rel, gpu, %table, %z, %z : (!tt.ptr<i64>, i64, i64) -> i64)"));
}

TEST_F(PointerWritesTest, SelectionsAreBoth) {
  EXPECT_EQ("wwrw", writesOfBody(R"(
    %p = arith.select %c, %x, %y : !tt.ptr<f32>
    tt.store %p, %one : !tt.ptr<f32>)"));
  EXPECT_EQ("rrrw", writesOfBody(R"(
    %p = arith.select %c, %x, %y : !tt.ptr<f32>
    %a = tt.load %p : !tt.ptr<f32>)"));
}

TEST_F(PointerWritesTest, LoopsCarryPointers) {
  // The pointers change places in each round.
  EXPECT_EQ("wwrw", writesOfBody(R"(
    %zero = arith.constant 0 : i32
    %p:2 = scf.for %i = %zero to %n step %n iter_args(%a = %x, %b = %y) -> (!tt.ptr<f32>, !tt.ptr<f32>) : i32 {
      tt.store %a, %one : !tt.ptr<f32>
      scf.yield %b, %a : !tt.ptr<f32>, !tt.ptr<f32>
    })"));
  // The store is through the loop's result, which may be the initial value.
  EXPECT_EQ("rwrw", writesOfBody(R"(
    %zero = arith.constant 0 : i32
    %p:2 = scf.for %i = %zero to %n step %n iter_args(%a = %x, %b = %y) -> (!tt.ptr<f32>, !tt.ptr<f32>) : i32 {
      %v = tt.load %a : !tt.ptr<f32>
      %q = tt.addptr %b, %i : !tt.ptr<f32>, i32
      scf.yield %a, %q : !tt.ptr<f32>, !tt.ptr<f32>
    }
    tt.store %p#1, %one : !tt.ptr<f32>)"));
  EXPECT_EQ("rwrw", writesOfBody(R"(
    %p:2 = scf.while (%a = %x, %b = %y) : (!tt.ptr<f32>, !tt.ptr<f32>) -> (!tt.ptr<f32>, !tt.ptr<f32>) {
      scf.condition(%c) %b, %a : !tt.ptr<f32>, !tt.ptr<f32>
    } do {
    ^bb0(%b: !tt.ptr<f32>, %a: !tt.ptr<f32>):
      tt.store %b, %one : !tt.ptr<f32>
      scf.yield %a, %b : !tt.ptr<f32>, !tt.ptr<f32>
    })"));
}

TEST_F(PointerWritesTest, BranchesCarryPointers) {
  EXPECT_EQ("rwrw", writesOfBody(R"(
    %p:2 = scf.if %c -> (!tt.ptr<f32>, !tt.ptr<f32>) {
      scf.yield %x, %y : !tt.ptr<f32>, !tt.ptr<f32>
    } else {
      %q = tt.addptr %y, %n : !tt.ptr<f32>, i32
      %u = ub.poison : !tt.ptr<f32>
      scf.yield %u, %q : !tt.ptr<f32>, !tt.ptr<f32>
    }
    %a = tt.load %p#0 : !tt.ptr<f32>
    tt.store %p#1, %one : !tt.ptr<f32>)"));
  EXPECT_EQ("rwrw", writesOfBody(R"(
    cf.cond_br %c, ^a(%x, %y : !tt.ptr<f32>, !tt.ptr<f32>), ^b
  ^a(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>):
    %a = tt.load %p : !tt.ptr<f32>
    tt.store %q, %a : !tt.ptr<f32>
    cf.br ^b
  ^b:)"));
}

TEST_F(PointerWritesTest, BlockPointersAndDescriptors) {
  EXPECT_EQ("rwrw", writesOfBody(R"(
    %l = arith.constant 8 : i64
    %s = arith.constant 1 : i64
    %z = arith.constant 0 : i32
    %p = tt.make_tensor_ptr %x, [%l], [%s], [%z] {order = array<i32: 0>} : !tt.ptr<tensor<8xf32>>
    %q = tt.advance %p, [%n] : !tt.ptr<tensor<8xf32>>
    %v = tt.load %q : !tt.ptr<tensor<8xf32>>
    %o = tt.make_tensor_ptr %y, [%l], [%s], [%z] {order = array<i32: 0>} : !tt.ptr<tensor<8xf32>>
    tt.store %o, %v : !tt.ptr<tensor<8xf32>>)"));
  EXPECT_EQ("rwrw", writesOfBody(R"(
    %l = arith.constant 8 : i32
    %s = arith.constant 1 : i64
    %z = arith.constant 0 : i32
    %p = tt.make_tensor_descriptor %x, [%l], [%s] : !tt.ptr<f32>, !tt.tensordesc<tensor<8xf32>>
    %v = tt.descriptor_load %p[%z] : !tt.tensordesc<tensor<8xf32>> -> tensor<8xf32>
    %o = tt.make_tensor_descriptor %y, [%l], [%s] : !tt.ptr<f32>, !tt.tensordesc<tensor<8xf32>>
    tt.descriptor_reduce add, %o[%z], %v : !tt.tensordesc<tensor<8xf32>>, tensor<8xf32>)"));
}

TEST_F(PointerWritesTest, DescriptorArgumentsAreTheirParts) {
  // Base, size and stride of each; the numbers may stand beside the descriptor or not.
  for (StringRef parts : {"", ", %l: i32, %s: i64"})
    EXPECT_EQ("rwwwww", writesOf("tt.func public @k(%a: !tt.tensordesc<tensor<8xf32>>" + parts +
                                 R"(, %b: !tt.tensordesc<tensor<8xf32>>) {
      %z = arith.constant 0 : i32
      %v = tt.descriptor_load %a[%z] : !tt.tensordesc<tensor<8xf32>> -> tensor<8xf32>
      tt.descriptor_store %b[%z], %v : !tt.tensordesc<tensor<8xf32>>, tensor<8xf32>
      tt.return
    })"));
}

TEST_F(PointerWritesTest, CallsAreFollowed) {
  const char *text = R"(
    tt.func private @next(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) -> (!tt.ptr<f32>, !tt.ptr<f32>) attributes {noinline = true} {
      %n = arith.constant 4 : i32
      %a = tt.addptr %p, %n : !tt.ptr<f32>, i32
      tt.return %a, %q : !tt.ptr<f32>, !tt.ptr<f32>
    }
    tt.func private @unrelated(%p: !tt.ptr<f32>, %a: i64) {
      %q = tt.int_to_ptr %a : i64 -> !tt.ptr<f32>
      %v = tt.load %p : !tt.ptr<f32>
      tt.store %q, %v : !tt.ptr<f32>
      tt.return
    }
    tt.func public @k(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
      %p:2 = tt.call @next(%x, %y) : (!tt.ptr<f32>, !tt.ptr<f32>) -> (!tt.ptr<f32>, !tt.ptr<f32>)
      %v = tt.load %p#0 : !tt.ptr<f32>
      tt.store %p#1, %v : !tt.ptr<f32>
      tt.return
    })";
  EXPECT_EQ("rw", writesOf(text));
  EXPECT_EQ("w+", writesOf(R"(
    tt.func private @foreign(!tt.ptr<f32>)
    tt.func public @k(%x: !tt.ptr<f32>) {
      tt.call @foreign(%x) : (!tt.ptr<f32>) -> ()
      tt.return
    })"));
}

TEST_F(PointerWritesTest, WhatEscapesCountsAsWritten) {
  EXPECT_EQ("wrrw", writesOfBody("%a = tt.ptr_to_int %x : !tt.ptr<f32> -> i64"));
  EXPECT_EQ("ww", writesOf(R"(tt.func public @k(%x: !tt.ptr<f32>, %p: !tt.ptr<!tt.ptr<f32>>) {
    tt.store %p, %x : !tt.ptr<!tt.ptr<f32>>
    tt.return
  })"));
  EXPECT_EQ("wrrw", writesOfBody(R"(
    %a = tt.extern_elementwise %x {libname = "", libpath = "", symbol = "f", pure = true} : (!tt.ptr<f32>) -> f32)"));
  EXPECT_EQ("wrrw", writesOfBody(R"(
    %a = tt.elementwise_inline_asm "ld.global.f32 $0, [$1];" {constraints = "=r,l", packed_element = 1 : i32, pure = true} %x : !tt.ptr<f32> -> f32)"));
}

TEST_F(PointerWritesTest, PointersFromElsewhereMayPointAnywhere) {
  const char *loadAddress = R"(
    %a = tt.load %table : !tt.ptr<i64>
    %p = tt.int_to_ptr %a : i64 -> !tt.ptr<f32>
  )";
  EXPECT_EQ("rrrw", writesOfBody(loadAddress + Twine("%v = tt.load %p : !tt.ptr<f32>")));
  EXPECT_EQ("rrrw+", writesOfBody(loadAddress + Twine("tt.store %p, %one : !tt.ptr<f32>")));
  EXPECT_EQ("wrrw+", writesOfBody(loadAddress + Twine(R"(
    %q = arith.select %c, %x, %p : !tt.ptr<f32>
    tt.store %q, %one : !tt.ptr<f32>)")));
  // The result of inline assembly need not point to the same memory as its operand.
  EXPECT_EQ("wrrw+", writesOfBody(R"(
    %p = tt.elementwise_inline_asm "ld.global.b64 $0, [$1];" {constraints = "=l,l", packed_element = 1 : i32, pure = true} %x : !tt.ptr<f32> -> !tt.ptr<f32>
    tt.store %p, %one : !tt.ptr<f32>)"));
  EXPECT_EQ("r+", writesOf(R"(tt.func public @k(%x: !tt.ptr<!tt.ptr<f32>>) {
    %one = arith.constant 1.0 : f32
    %p = tt.load %x : !tt.ptr<!tt.ptr<f32>>
    tt.store %p, %one : !tt.ptr<f32>
    tt.return
  })"));
}

TEST_F(PointerWritesTest, AssemblyThatIsNotPureMayWriteAnything) {
  const char *text = R"(%a = tt.elementwise_inline_asm "st.global.f32 [$1], $2;"
    {constraints = "=r,l,r", packed_element = 1 : i32, pure = PURE} %n, %n : i32, i32 -> i32)";
  std::string pure(text), impure(text);
  pure.replace(pure.find("PURE"), 4, "true");
  impure.replace(impure.find("PURE"), 4, "false");
  EXPECT_EQ("rrrw", writesOfBody(pure));
  EXPECT_EQ("rrrw+", writesOfBody(impure));
}

TEST_F(PointerWritesTest, WhatHasNothingToDoWithMemory) {
  EXPECT_EQ("rrrw", writesOfBody(R"(
    tt.print "x" {hex = true, isSigned = array<i32: 0>} : %x : !tt.ptr<f32>
    tt.assert %c, "no" : i1
    llvm.intr.assume %c : i1
    gpu.barrier)"));
}
