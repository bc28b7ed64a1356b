// RUN: tessera-opt %s --split-input-file --null-convert-ttgir-to-llir --verify-diagnostics

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "null"} {
tt.func public @no_memory(%x: tensor<128xf32, #b>) {
  // expected-error @+1 {{'tt.reduce' op has no shared memory: run ttg-allocate-shared-memory first}}
  %m = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %d = arith.addf %a, %c : f32
    tt.reduce.return %d : f32
  }) : (tensor<128xf32, #b>) -> f32
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "null"} {
tt.func public @no_function(%x: tensor<32xf32, #b>) {
  // expected-error @+1 {{'tt.scan' op has a region that is no function: run ttg-outline-functions first}}
  %m = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %c: f32):
    %d = arith.addf %a, %c : f32
    %e = arith.addf %a, %d : f32
    tt.scan.return %e : f32
  }) : (tensor<32xf32, #b>) -> tensor<32xf32, #b>
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "null"} {
tt.func public @not_packed(%x: tensor<32xf32, #b>) {
  // expected-error @+1 {{'tt.map_elementwise' op a thread does not hold 2 elements in a row: run ttg-pack-elements first}}
  %m = "tt.map_elementwise"(%x) <{pack = 2 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    tt.map_elementwise.return %c, %a : f32, f32
  }) : (tensor<32xf32, #b>) -> tensor<32xf32, #b>
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0], CGALayout = [[1]]}>
module attributes {"ttg.num-warps" = 1 : i32, "ttg.num-ctas" = 2 : i32, ttg.target = "null"} {
tt.func public @between_blocks(%x: tensor<64xf32, #b>) {
  // expected-error @+1 {{unsupported: reduction along a dimension that the thread blocks of a cluster share; compile with --num-ctas 1}}
  %m = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %c: f32):
    %d = arith.addf %a, %c : f32
    tt.reduce.return %d : f32
  }) : (tensor<64xf32, #b>) -> f32
  tt.return
}
}

// -----

#l = #ttg.linear<{register = [[1, 0]], lane = [[0, 1], [2, 0], [1, 0], [0, 0], [0, 0]], warp = [], block = []}>
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "null"} {
tt.func public @repeated(%x: tensor<4x2xf32, #l>) {
  // expected-error @+1 {{unsupported: scan in a layout that repeats elements other than by zero bases}}
  %m = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %c: f32):
    %d = arith.addf %a, %c : f32
    tt.scan.return %d : f32
  }) : (tensor<4x2xf32, #l>) -> tensor<4x2xf32, #l>
  tt.return
}
}
