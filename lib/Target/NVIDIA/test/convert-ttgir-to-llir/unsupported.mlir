// RUN: tessera-opt %s --nvidia-convert-ttgir-to-llir --allow-unregistered-dialect --split-input-file --verify-diagnostics

// One diagnostic per problem, which names the op and the target.

#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:90"} {
tt.func public @f(%x: !tt.ptr<f32>) {
  // expected-error @+1 {{unsupported: 'test.unknown' is not implemented for cuda:90}}
  "test.unknown"() : () -> ()
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:90"} {
tt.func public @f(%p: !tt.ptr<i8>, %x: i8) {
  // expected-error @+1 {{unsupported: atomic 'add' on elements of type 'i8' on cuda:90; use 32-bit elements}}
  %y = tt.atomic_rmw add, relaxed, gpu, %p, %x : (!tt.ptr<i8>, i8) -> i8
  %z = tt.atomic_cas relaxed, gpu, %p, %x, %x : (!tt.ptr<i8>, i8, i8) -> i8
  tt.return
}
}

// -----

// Mistakes in inline assembly are found before LLVM sees them.

module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:90"} {
tt.func public @f(%x: i32) {
  // expected-error @+1 {{inline assembly names operand $2, and the constraints "=r,r" make 2}}
  %y = tt.elementwise_inline_asm "add.s32 $0, $1, $2;" {constraints = "=r,r", packed_element = 1 : i32, pure = false} %x : i32 -> i32
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:90"} {
tt.func public @f(%x: i32) {
  // expected-error @+1 {{inline assembly has a '$' that stands for nothing; write $0, $1, ... for operands and $$ for a dollar sign}}
  %y = tt.elementwise_inline_asm "add.s32 $0, $x, ${;" {constraints = "=r,r", packed_element = 1 : i32, pure = false} %x : i32 -> i32
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:90"} {
tt.func public @f(%x: i32) {
  // expected-error @+1 {{inline assembly constraint 'z' in "=z,r" is none of cuda:90's: use r, l, h, f, d or b}}
  %y = tt.elementwise_inline_asm "add.s32 $0, $1, 1;" {constraints = "=z,r", packed_element = 1 : i32, pure = false} %x : i32 -> i32
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:90"} {
tt.func public @f(%x: i32) {
  // expected-error @+1 {{inline assembly cannot jump, and the constraints "=r,!r" name a label}}
  %y = tt.elementwise_inline_asm "add.s32 $0, $1, 1;" {constraints = "=r,!r", packed_element = 1 : i32, pure = false} %x : i32 -> i32
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:90"} {
tt.func public @f(%x: i32) {
  // expected-error @+1 {{inline assembly names its outputs first, and the constraints "r,=r" name one after an input}}
  %y = tt.elementwise_inline_asm "add.s32 $0, $1, 1;" {constraints = "r,=r", packed_element = 1 : i32, pure = false} %x : i32 -> i32
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:90"} {
tt.func public @f(%x: i8) {
  // expected-error @+1 {{inline assembly needs 1 output and 1 input registers for groups of 4 elements, and the constraints "=r,=r,r" name 2 and 1}}
  %y = tt.elementwise_inline_asm "add.s32 $0, $1, 1;" {constraints = "=r,=r,r", packed_element = 4 : i32, pure = false} %x : i8 -> i8
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:90"} {
tt.func public @f(%p: tensor<2x!tt.ptr<i32>, #b>) {
  // expected-error @+1 {{unsupported: constant tensor whose elements differ; only splats are implemented: load it from memory instead}}
  %c = arith.constant dense<[1, 2]> : tensor<2xi32, #b>
  tt.store %p, %c : tensor<2x!tt.ptr<i32>, #b>
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:90"} {
tt.func public @f(%p: !tt.ptr<i32>, %x: i32) {
  // expected-error @+1 {{unsupported: cache modifier 'wt' on a load; use one of ca, cg, cs, cv}}
  %c = tt.load %p cacheModifier = wt : !tt.ptr<i32>
  tt.return
}
}

// -----

// expected-error @+1 {{module is for target 'hip:gfx942', which is no NVIDIA GPU we know}}
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942"} {
}

// -----

// A thread's registers are few.

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:90"} {
tt.func public @f() {
  // expected-error @+1 {{unsupported: tensor of 524288 elements in 32 threads; with so many threads use blocks of at most 262144 elements}}
  %y = tt.make_range {start = 0 : i32, end = 524288 : i32} : tensor<524288xi32, #b>
  tt.return
}
}
