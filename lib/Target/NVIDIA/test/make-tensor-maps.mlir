// RUN: tessera-opt %s --allow-unregistered-dialect --nvidia-make-tensor-maps --split-input-file --verify-diagnostics | FileCheck %s

#wide = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#tile = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {

// A tile of 128 columns is copied by boxes of 64 (128 bytes); dimensions are counted from the innermost, and strides are in bytes.

// CHECK-LABEL: tt.func public @acts
// CHECK-DAG: %[[ROWS:.*]] = arith.constant 32 : i32
// CHECK-DAG: %[[COLUMNS:.*]] = arith.constant 64 : i32
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[BYTES:.*]] = arith.muli %arg3, %{{.*}} : i64
// CHECK: %[[MAP:.*]] = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
// CHECK: ttng.tensormap_create %[[MAP]], %arg0, [%[[COLUMNS]], %[[ROWS]]], [%arg2, %arg1], [%[[BYTES]]], [%[[ONE]], %[[ONE]]] {elem_type = 10 : i32, fill_mode = 1 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32}
// CHECK: ttng.tensormap_fenceproxy_acquire %[[MAP]]
// CHECK: %[[D:.*]] = ttng.reinterpret_tensor_descriptor %[[MAP]] : !tt.ptr<i8> to !tt.tensordesc<tensor<32x128xbf16, #shared>>
// CHECK: "use"(%[[D]]
tt.func public @acts(%a: !tt.ptr<bf16>, %m: i32, %n: i32, %s: i64) {
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %a, [%m, %n], [%s, %one] {padding = 2 : i32} : !tt.ptr<bf16>, !tt.tensordesc<tensor<32x128xbf16, #wide>>
  "use"(%d) : (!tt.tensordesc<tensor<32x128xbf16, #wide>>) -> ()
  tt.return
}

// A loop changes a map when the copies out of shared memory that use it are over. Others are awaited where they are.

// CHECK-LABEL: tt.func public @again
// CHECK: scf.for
// CHECK: ttng.async_tma_store_wait {pendings = 0 : i32, written}
// CHECK-NEXT: ttg.global_scratch_alloc
// CHECK: ttng.tensormap_create
// CHECK: ttng.async_tma_copy_local_to_global
// CHECK: scf.for
// CHECK-NOT: ttng.async_tma_store_wait
// CHECK: ttng.tensormap_create
// CHECK: tt.descriptor_load
tt.func public @again(%a: !tt.ptr<bf16>, %m: i32, %s: i64) {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %step = arith.constant 1 : i32
  %buffer = ttg.local_alloc : () -> !ttg.memdesc<32x128xbf16, #wide, #smem, mutable>
  scf.for %i = %zero to %m step %step : i32 {
    %d = tt.make_tensor_descriptor %a, [%i, %m], [%s, %one] : !tt.ptr<bf16>, !tt.tensordesc<tensor<32x128xbf16, #wide>>
    ttng.async_tma_copy_local_to_global %d[%i, %i] %buffer : !tt.tensordesc<tensor<32x128xbf16, #wide>>, !ttg.memdesc<32x128xbf16, #wide, #smem, mutable>
  }
  scf.for %i = %zero to %m step %step : i32 {
    %d = tt.make_tensor_descriptor %a, [%i, %m], [%s, %one] : !tt.ptr<bf16>, !tt.tensordesc<tensor<32x128xbf16, #wide>>
    %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<32x128xbf16, #wide>> -> tensor<32x128xbf16, #tile>
  }
  tt.return
}

// A descriptor without a layout is not for the hardware.

// CHECK-LABEL: tt.func public @declines
// CHECK: tt.make_tensor_descriptor
tt.func public @declines(%a: !tt.ptr<f16>, %m: i32, %s: i64) {
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %a, [%m, %m], [%s, %one] : !tt.ptr<f16>, !tt.tensordesc<tensor<64x64xf16>>
  "use"(%d) : (!tt.tensordesc<tensor<64x64xf16>>) -> ()
  tt.return
}
}

// -----

#bytes = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
tt.func public @no_nan(%a: !tt.ptr<f8E4M3FN>, %m: i32, %s: i64) {
  %one = arith.constant 1 : i64
  // expected-error @+1 {{tensor map for blocks of 'tensor<64x64xf8E4M3FN, #ttg.nvmma_shared<}}
  %d = tt.make_tensor_descriptor %a, [%m, %m], [%s, %one] {padding = 2 : i32} : !tt.ptr<f8E4M3FN>, !tt.tensordesc<tensor<64x64xf8E4M3FN, #bytes>>
  "use"(%d) : (!tt.tensordesc<tensor<64x64xf8E4M3FN, #bytes>>) -> ()
  tt.return
}
}
