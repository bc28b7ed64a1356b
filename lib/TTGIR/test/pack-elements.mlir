// RUN: tessera-opt %s --ttg-pack-elements | FileCheck %s

#single = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#pairs = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#byrows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [0, 1]}>

// CHECK-DAG: #[[$SINGLE:.*]] = #ttg.blocked<{sizePerThread = [1], {{.*}}>
// CHECK-DAG: #[[$PAIRS:.*]] = #ttg.blocked<{sizePerThread = [2], {{.*}}>
// CHECK-DAG: #[[$FOUR:.*]] = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], {{.*}}, order = [0, 1]}>
// CHECK-DAG: #[[$ROWS:.*]] = #ttg.blocked<{sizePerThread = [2, 2], {{.*}}, order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {

// CHECK-LABEL: tt.func public @pairs_of_threads
// CHECK: %[[P:.*]] = ttg.convert_layout %arg0 : tensor<256xf32, #[[$SINGLE]]> -> tensor<256xf32, #[[$PAIRS]]>
// CHECK: %[[M:.*]] = "tt.map_elementwise"(%[[P]])
// CHECK: %[[B:.*]] = ttg.convert_layout %[[M]] : tensor<256xf32, #[[$PAIRS]]> -> tensor<256xf32, #[[$SINGLE]]>
// CHECK: tt.return %[[B]]
tt.func public @pairs_of_threads(%x: tensor<256xf32, #single>) -> tensor<256xf32, #single> {
  %r = "tt.map_elementwise"(%x) <{pack = 2 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.map_elementwise.return %b, %a : f32, f32
  }) : (tensor<256xf32, #single>) -> tensor<256xf32, #single>
  tt.return %r : tensor<256xf32, #single>
}

// Groups that are longer than a row go on in the next.
// CHECK-LABEL: tt.func public @longer_than_rows
// CHECK: ttg.convert_layout %arg0 {{.*}} -> tensor<64x2xf32, #[[$ROWS]]>
tt.func public @longer_than_rows(%x: tensor<64x2xf32, #columns>) -> tensor<64x2xf32, #columns> {
  %r = "tt.map_elementwise"(%x) <{pack = 4 : i32}> ({
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tt.map_elementwise.return %b, %a, %c, %d : f32, f32, f32, f32
  }) : (tensor<64x2xf32, #columns>) -> tensor<64x2xf32, #columns>
  tt.return %r : tensor<64x2xf32, #columns>
}

// Nothing to do.
// CHECK-LABEL: tt.func public @pairs_of_registers
// CHECK-NOT: ttg.convert_layout
tt.func public @pairs_of_registers(%x: tensor<256xf32, #pairs>, %y: tensor<256xf32, #single>) -> (tensor<256xf32, #pairs>, tensor<256xf32, #single>) {
  %r = "tt.map_elementwise"(%x) <{pack = 2 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.map_elementwise.return %b, %a : f32, f32
  }) : (tensor<256xf32, #pairs>) -> tensor<256xf32, #pairs>
  %s = "tt.map_elementwise"(%y) <{pack = 1 : i32}> ({
  ^bb0(%a: f32):
    tt.map_elementwise.return %a : f32
  }) : (tensor<256xf32, #single>) -> tensor<256xf32, #single>
  tt.return %r, %s : tensor<256xf32, #pairs>, tensor<256xf32, #single>
}

// Packed assembly: a thread holds the elements that differ in the bits that it names.

// CHECK-LABEL: tt.func public @assembly_along_axis_0
// CHECK: %[[P:.*]] = ttg.convert_layout %arg0 : {{.*}} -> tensor<64x32xi8, #[[$FOUR]]>
// CHECK: %[[Q:.*]] = tt.elementwise_inline_asm "f" {{.*}} %[[P]]
// CHECK: %[[B:.*]] = ttg.convert_layout %[[Q]]
// CHECK: tt.return %[[B]]
tt.func public @assembly_along_axis_0(%x: tensor<64x32xi8, #byrows>) -> tensor<64x32xi8, #byrows> {
  %r = tt.elementwise_inline_asm "f" {constraints = "=r,r", packed_element = 4 : i32, pure = true, ttg.pack = array<i32: 0, 0, 0, 1>} %x : tensor<64x32xi8, #byrows> -> tensor<64x32xi8, #byrows>
  tt.return %r : tensor<64x32xi8, #byrows>
}

// Bits that are not the lowest of their axis need a layout without a name.
// CHECK-LABEL: tt.func public @assembly_of_high_bits
// CHECK: ttg.convert_layout %arg0 : {{.*}} -> tensor<64x32xi8, #{{linear[0-9]*}}>
tt.func public @assembly_of_high_bits(%x: tensor<64x32xi8, #byrows>) -> tensor<64x32xi8, #byrows> {
  %r = tt.elementwise_inline_asm "f" {constraints = "=r,r", packed_element = 4 : i32, pure = true, ttg.pack = array<i32: 0, 2, 1, 0>} %x : tensor<64x32xi8, #byrows> -> tensor<64x32xi8, #byrows>
  tt.return %r : tensor<64x32xi8, #byrows>
}

// Nothing to do: the thread holds the group already, or none is named.
// CHECK-LABEL: tt.func public @assembly_on_registers
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.return
tt.func public @assembly_on_registers(%x: tensor<64x32xi8, #byrows>) -> (tensor<64x32xi8, #byrows>, tensor<64x32xi8, #byrows>) {
  %r = tt.elementwise_inline_asm "f" {constraints = "=r,r", packed_element = 4 : i32, pure = true, ttg.pack = array<i32: 1, 0, 1, 1>} %x : tensor<64x32xi8, #byrows> -> tensor<64x32xi8, #byrows>
  %s = tt.elementwise_inline_asm "f" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %x : tensor<64x32xi8, #byrows> -> tensor<64x32xi8, #byrows>
  tt.return %r, %s : tensor<64x32xi8, #byrows>, tensor<64x32xi8, #byrows>
}
}
