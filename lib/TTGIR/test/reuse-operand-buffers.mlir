// RUN: tessera-opt %s --ttg-reuse-operand-buffers | FileCheck %s
// RUN: tessera-opt %s --ttg-reuse-operand-buffers=max-shared-bytes=1024 | FileCheck %s --check-prefix=FULL
// RUN: tessera-opt %s --ttg-reuse-operand-buffers=max-shared-bytes=1024 --remark-format=emitRemark --remarks-filter=ttg-reuse-operand-buffers 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] buffer {{.*}}Remark="the operand is kept in its buffer, which 1 other ops read"
// REMARK-DAG: [Missed] buffer {{.*}}Reason="tt.store needs it there", Remark="the operand stays in registers beside its buffer"
// REMARK-DAG: [Missed] buffer {{.*}}Reason="the buffers would take 16384 bytes of shared memory, of 8192"

#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#m = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #m, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #m, kWidth = 2}>
#s = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, "ttg.num-ctas" = 1 : i32} {

// The buffer is filled where the tensor is loaded, and both dots read it.

// CHECK-LABEL: tt.func @kept
// CHECK: %[[X:.*]] = tt.load
// CHECK-NEXT: %[[S:.*]] = ttg.local_alloc %[[X]]
// CHECK-NOT: ttg.convert_layout
// CHECK: ttg.local_load %[[S]]
// CHECK: %[[D:.*]] = tt.dot
// CHECK: %[[Q:.*]] = ttg.local_load %[[S]]
// CHECK: tt.dot %[[Q]], %{{.*}}, %[[D]]
tt.func @kept(%p: tensor<64x64x!tt.ptr<f16>, #l>, %w: tensor<64x64xf16, #b>, %c: tensor<64x64xf32, #m>) -> tensor<64x64xf32, #m> {
  %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
  %n = arith.addf %c, %c : tensor<64x64xf32, #m>
  %s = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #s, #smem>
  %o = ttg.local_load %s : !ttg.memdesc<64x64xf16, #s, #smem> -> tensor<64x64xf16, #a>
  %d = tt.dot %o, %w, %n : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #m>
  %q = ttg.convert_layout %x : tensor<64x64xf16, #l> -> tensor<64x64xf16, #a>
  %e = tt.dot %q, %w, %d : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #m>
  tt.return %e : tensor<64x64xf32, #m>
}

// Declines: the tensor is stored from registers.

// CHECK-LABEL: tt.func @stored
// CHECK: arith.addf
// CHECK-NEXT: ttg.local_alloc
// CHECK: ttg.convert_layout
tt.func @stored(%p: tensor<64x64x!tt.ptr<f16>, #l>, %w: tensor<64x64xf16, #b>, %c: tensor<64x64xf32, #m>) -> tensor<64x64xf32, #m> {
  %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
  %n = arith.addf %c, %c : tensor<64x64xf32, #m>
  %s = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #s, #smem>
  %o = ttg.local_load %s : !ttg.memdesc<64x64xf16, #s, #smem> -> tensor<64x64xf16, #a>
  %d = tt.dot %o, %w, %n : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #m>
  %q = ttg.convert_layout %x : tensor<64x64xf16, #l> -> tensor<64x64xf16, #a>
  %e = tt.dot %q, %w, %d : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #m>
  tt.store %p, %x : tensor<64x64x!tt.ptr<f16>, #l>
  tt.return %e : tensor<64x64xf32, #m>
}

// An earlier use of the tensor in registers does not matter: the buffer is filled at once.

// CHECK-LABEL: tt.func @needed_earlier
// CHECK: %[[X:.*]] = tt.load
// CHECK-NEXT: ttg.local_alloc %[[X]]
// CHECK-NEXT: arith.addf %[[X]]
tt.func @needed_earlier(%p: tensor<64x64x!tt.ptr<f16>, #l>, %w: tensor<64x64xf16, #b>, %c: tensor<64x64xf32, #m>) -> tensor<64x64xf32, #m> {
  %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
  %y = arith.addf %x, %x : tensor<64x64xf16, #l>
  tt.store %p, %y : tensor<64x64x!tt.ptr<f16>, #l>
  %s = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #s, #smem>
  %o = ttg.local_load %s : !ttg.memdesc<64x64xf16, #s, #smem> -> tensor<64x64xf16, #a>
  %d = tt.dot %o, %w, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #m>
  tt.return %d : tensor<64x64xf32, #m>
}

// Two conversions read a new buffer instead of exchanging the tensor twice.

// CHECK-LABEL: tt.func @converted
// CHECK: %[[X:.*]] = tt.load
// CHECK-NEXT: %[[S:.*]] = ttg.local_alloc %[[X]]
// CHECK-NOT: ttg.convert_layout
// CHECK: ttg.local_load %[[S]] : {{.*}} -> tensor<64x64xf16, #mma>
// CHECK: ttg.local_load %[[S]] : {{.*}} -> tensor<64x64xf16, #ttg.dot_op
// CHECK: tt.dot
tt.func @converted(%p: tensor<64x64x!tt.ptr<f16>, #l>, %w: tensor<64x64xf16, #b>, %c: tensor<64x64xf32, #m>) -> tensor<64x64xf32, #m> {
  %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
  %e = ttg.convert_layout %x : tensor<64x64xf16, #l> -> tensor<64x64xf16, #m>
  %f = arith.extf %e : tensor<64x64xf16, #m> to tensor<64x64xf32, #m>
  %n = arith.addf %c, %f : tensor<64x64xf32, #m>
  %o = ttg.convert_layout %x : tensor<64x64xf16, #l> -> tensor<64x64xf16, #a>
  %d = tt.dot %o, %w, %n : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #m>
  tt.return %d : tensor<64x64xf32, #m>
}

// A conversion whose result is itself converted twice: both tensors have buffers.

// CHECK-LABEL: tt.func @converted_again
// CHECK: %[[X:.*]] = tt.load
// CHECK-NEXT: %[[S:.*]] = ttg.local_alloc %[[X]]
// CHECK-NOT: ttg.convert_layout
// CHECK: %[[E:.*]] = ttg.local_load %[[S]] : {{.*}} -> tensor<64x64xf16, #mma>
// CHECK-NEXT: %[[T:.*]] = ttg.local_alloc %[[E]]
// CHECK-NOT: ttg.convert_layout
// CHECK: ttg.local_load %[[T]] : {{.*}} -> tensor<64x64xf16, #ttg.dot_op
// CHECK: ttg.local_load %[[T]] : {{.*}} -> tensor<64x64xf16, #blocked>
// CHECK: ttg.local_load %[[S]] : {{.*}} -> tensor<64x64xf16, #ttg.dot_op
tt.func @converted_again(%p: tensor<64x64x!tt.ptr<f16>, #l>, %w: tensor<64x64xf16, #b>, %c: tensor<64x64xf32, #m>) -> tensor<64x64xf32, #m> {
  %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
  %n = arith.addf %c, %c : tensor<64x64xf32, #m>
  %e = ttg.convert_layout %x : tensor<64x64xf16, #l> -> tensor<64x64xf16, #m>
  %k = arith.addf %n, %c : tensor<64x64xf32, #m>
  %o = ttg.convert_layout %e : tensor<64x64xf16, #m> -> tensor<64x64xf16, #a>
  %d = tt.dot %o, %w, %k : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #m>
  %y = ttg.convert_layout %e : tensor<64x64xf16, #m> -> tensor<64x64xf16, #l>
  tt.store %p, %y : tensor<64x64x!tt.ptr<f16>, #l>
  %q = ttg.convert_layout %x : tensor<64x64xf16, #l> -> tensor<64x64xf16, #a>
  %f = tt.dot %q, %w, %d : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #m>
  tt.return %f : tensor<64x64xf32, #m>
}

// Pointers and bits have no buffers, and vectors are small.

// CHECK-LABEL: tt.func @others
// CHECK-NOT: ttg.local_alloc
// CHECK-COUNT-3: ttg.convert_layout
tt.func @others(%p: tensor<64x64x!tt.ptr<f16>, #l>, %k: tensor<64xf32, #ttg.slice<{dim = 1, parent = #l}>>) -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #m}>> {
  %zero = arith.constant dense<0> : tensor<64x64xi32, #l>
  %q = tt.addptr %p, %zero : tensor<64x64x!tt.ptr<f16>, #l>, tensor<64x64xi32, #l>
  %i = arith.cmpi eq, %zero, %zero : tensor<64x64xi32, #l>
  %r = ttg.convert_layout %q : tensor<64x64x!tt.ptr<f16>, #l> -> tensor<64x64x!tt.ptr<f16>, #m>
  %j = ttg.convert_layout %i : tensor<64x64xi1, #l> -> tensor<64x64xi1, #m>
  %v = tt.load %r, %j : tensor<64x64x!tt.ptr<f16>, #m>
  tt.store %r, %v : tensor<64x64x!tt.ptr<f16>, #m>
  %h = arith.addf %k, %k : tensor<64xf32, #ttg.slice<{dim = 1, parent = #l}>>
  %g = ttg.convert_layout %h : tensor<64xf32, #ttg.slice<{dim = 1, parent = #l}>> -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #m}>>
  tt.return %g : tensor<64xf32, #ttg.slice<{dim = 0, parent = #m}>>
}

// Declines: the buffer may be written again.

// CHECK-LABEL: tt.func @written
// CHECK: arith.addf
// CHECK-NEXT: ttg.local_alloc
// CHECK: ttg.convert_layout
tt.func @written(%p: tensor<64x64x!tt.ptr<f16>, #l>, %w: tensor<64x64xf16, #b>, %c: tensor<64x64xf32, #m>) -> tensor<64x64xf32, #m> {
  %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
  %n = arith.addf %c, %c : tensor<64x64xf32, #m>
  %s = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #s, #smem, mutable>
  %o = ttg.local_load %s : !ttg.memdesc<64x64xf16, #s, #smem, mutable> -> tensor<64x64xf16, #a>
  %d = tt.dot %o, %w, %n : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #m>
  %q = ttg.convert_layout %x : tensor<64x64xf16, #l> -> tensor<64x64xf16, #a>
  %e = tt.dot %q, %w, %d : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #m>
  tt.return %e : tensor<64x64xf32, #m>
}

// Declines where shared memory does not suffice: the buffers of both tensors would be live at once.

// CHECK-LABEL: tt.func @two
// CHECK: tt.load
// CHECK-NEXT: ttg.local_alloc
// CHECK-NEXT: tt.load
// CHECK-NEXT: ttg.local_alloc
// FULL-LABEL: tt.func @two
// FULL: tt.load
// FULL-NEXT: ttg.local_alloc
// FULL-NEXT: tt.load
// FULL-NEXT: ttg.local_load
// FULL-NEXT: tt.dot
// FULL-NEXT: ttg.local_alloc
tt.func @two(%p: tensor<64x64x!tt.ptr<f16>, #l>, %w: tensor<64x64xf16, #b>, %c: tensor<64x64xf32, #m>) -> tensor<64x64xf32, #m> {
  %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
  %y = tt.load %p : tensor<64x64x!tt.ptr<f16>, #l>
  %s = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #s, #smem>
  %o = ttg.local_load %s : !ttg.memdesc<64x64xf16, #s, #smem> -> tensor<64x64xf16, #a>
  %d = tt.dot %o, %w, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #m>
  %t = ttg.local_alloc %y : (tensor<64x64xf16, #l>) -> !ttg.memdesc<64x64xf16, #s, #smem>
  %q = ttg.local_load %t : !ttg.memdesc<64x64xf16, #s, #smem> -> tensor<64x64xf16, #a>
  %e = tt.dot %q, %w, %d : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #m>
  tt.return %e : tensor<64x64xf32, #m>
}
}
