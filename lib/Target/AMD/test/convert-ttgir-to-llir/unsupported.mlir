// RUN: not tessera-opt %s --amd-convert-ttgir-to-llir --split-input-file 2>&1 | FileCheck %s

// What the target lacks is refused here; LLVM's back end would end the process.

module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx942"} {
// CHECK: unsupported: tl.device_print on hip:gfx942; store the values and print them on the host
tt.func public @print(%x: i32) {
  tt.print " x: " {hex = false, isSigned = array<i32: 1>} : %x : i32
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx942"} {
// CHECK: unsupported: call of '__nv_jnf' in library 'libdevice' on hip:gfx942
tt.func public @bessel(%p: !tt.ptr<f32>, %n: i32, %x: f32) {
  %d = tt.extern_elementwise %n, %x {libname = "libdevice", libpath = "", pure = true, symbol = "__nv_jnf"} : (i32, f32) -> f32
  tt.store %p, %d : !tt.ptr<f32>
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 64 : i32, ttg.target = "hip:gfx1250"} {
// CHECK: error: module is for target 'hip:gfx1250', which is no AMD GPU we know
tt.func public @chip() {
  tt.return
}
}
