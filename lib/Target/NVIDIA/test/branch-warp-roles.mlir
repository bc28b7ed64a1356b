// RUN: tessera-opt %s --allow-unregistered-dialect --nvidia-branch-warp-roles --split-input-file --verify-diagnostics | FileCheck %s

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!barrier = !ttg.memdesc<1xi64, #shared, #smem, mutable>
module attributes {"ttg.num-warps" = 8 : i32, "ttg.total-num-warps" = 12 : i32, ttg.target = "cuda:90"} {

// One warp of the partition does its work: its ops get the warp's number. All warps meet before.

// CHECK-LABEL: tt.func public @acts
// CHECK: ttg.local_barrier {allWarps}
// CHECK: %[[W:.*]] = ttng.warp_number
// CHECK: %[[C:.*]] = arith.cmpi ult, %[[W]], %c8_i32
// CHECK: cf.cond_br %[[C]], ^[[COMPUTING:.*]], ^[[CHOOSING:.*]]
// CHECK: ^[[COMPUTING]]:
// CHECK-NEXT: ttng.set_max_registers 240
// CHECK-NEXT: "compute"(%arg1)
// CHECK-NEXT: cf.br ^[[REST:.*]]
// CHECK: ^[[REST]]:
// CHECK-NEXT: tt.return
// CHECK: ^[[CHOOSING]]:
// CHECK-NEXT: ttng.set_max_registers 24 release
// CHECK: %[[N:.*]] = ttng.warp_number
// CHECK: %[[I:.*]] = arith.cmpi eq, %[[N]], %c8_i32
// CHECK: cf.cond_br %[[I]], ^[[COPYING:.*]], ^[[END:.*]]
// CHECK: ^[[COPYING]]:
// CHECK-NEXT: %[[P:.*]] = arith.cmpi sgt, %arg1
// CHECK-NEXT: ttng.barrier_expect %arg0, 64 {ttng.first_warp = 8 : i32}, %[[P]]
// CHECK: cf.br ^[[END]]
// CHECK: ^[[END]]:
// CHECK-NEXT: tt.return
tt.func public @acts(%b: !barrier, %n: i32) {
  ttg.warp_specialize(%b, %n) attributes {actualRegisters = array<i32: 240, 24>, requestedRegisters = array<i32: 24>, warpGroupStartIds = array<i32: 8>}
  default {
    "compute"(%n) : (i32) -> ()
    ttg.warp_yield
  }
  partition0(%bar: !barrier, %count: i32) num_warps(4) {
    %p = arith.cmpi sgt, %count, %count : i32
    ttng.barrier_expect %bar, 64, %p : !barrier
    ttg.warp_return
  } : (!barrier, i32) -> ()
  tt.return
}

// A kernel with one role stays as it is.

// CHECK-LABEL: tt.func public @declines
// CHECK-NEXT: tt.return
tt.func public @declines() {
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 8 : i32, ttg.target = "cuda:90"} {
tt.func public @stores(%q: !tt.ptr<i32>, %n: i32) {
  ttg.warp_specialize(%q, %n) attributes {warpGroupStartIds = array<i32: 8>}
  default {
    ttg.warp_yield
  }
  partition0(%p: !tt.ptr<i32>, %count: i32) num_warps(4) {
    // expected-error @+1 {{unsupported: 'tt.store' in a group of warps that starts copies}}
    tt.store %p, %count : !tt.ptr<i32>
    ttg.warp_return
  } : (!tt.ptr<i32>, i32) -> ()
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 8 : i32, ttg.target = "cuda:90"} {
tt.func public @twice() {
  // expected-error @+1 {{unsupported: warp specialisation other than of a whole kernel in two groups}}
  ttg.warp_specialize()
  default {
    ttg.warp_yield
  }
  partition0() num_warps(4) {
    ttg.warp_return
  }
  partition1() num_warps(4) {
    ttg.warp_return
  } : () -> ()
  tt.return
}
}
