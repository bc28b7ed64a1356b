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

#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:90"} {
tt.func public @f(%x: f8E4M3FN, %p: !tt.ptr<f8E4M3FN>) {
  // expected-error @+1 {{unsupported: 'arith.addf' from 'f8E4M3FN' to 'f8E4M3FN' has no implementation for cuda:90}}
  %y = arith.addf %x, %x : f8E4M3FN
  tt.store %p, %y : !tt.ptr<f8E4M3FN>
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:80"} {
tt.func public @f(%x: f32, %p: !tt.ptr<f8E4M3FN>) {
  // expected-error @+1 {{unsupported: 'tt.fp_to_fp' from 'f32' to 'f8E4M3FN' has no implementation for cuda:80}}
  %y = tt.fp_to_fp %x, rounding = rtne : f32 -> f8E4M3FN
  tt.store %p, %y : !tt.ptr<f8E4M3FN>
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

module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:90"} {
// expected-error @+1 {{unsupported: function 'helper' that is not a kernel and was not inlined; remove noinline}}
tt.func private @helper(%x: i32) attributes {noinline = true} {
  tt.return
}
}

// -----

// expected-error @+1 {{module is for target 'hip:gfx942', which is no NVIDIA GPU we know}}
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942"} {
}
