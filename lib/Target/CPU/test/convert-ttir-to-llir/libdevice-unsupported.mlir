// RUN: tessera-opt --split-input-file --verify-diagnostics --cpu-convert-ttir-to-llir %s

tt.func public @unknown(%p: !tt.ptr<f32>, %x: f32) {
  // expected-error @+1 {{unsupported: the CPU target has no function 'my_function'; it has those of tl.extra.libdevice}}
  %y = tt.extern_elementwise %x {libname = "mine", libpath = "/mine.bc", pure = true, symbol = "my_function"} : (f32) -> f32
  tt.store %p, %y : !tt.ptr<f32>
  tt.return
}

// -----

tt.func public @impure(%p: !tt.ptr<f32>, %x: f32) {
  // expected-error @+1 {{unsupported: the CPU target calls '__nv_tanhf' as a pure function only; leave is_pure true}}
  %y = tt.extern_elementwise %x {libname = "", libpath = "", pure = false, symbol = "__nv_tanhf"} : (f32) -> f32
  tt.store %p, %y : !tt.ptr<f32>
  tt.return
}

// -----

tt.func public @types(%p: !tt.ptr<f64>, %x: f64) {
  // expected-error @+1 {{unsupported: the CPU target has '__nv_tanhf' with other types than these; tl.extra.libdevice has them}}
  %y = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_tanhf"} : (f64) -> f64
  tt.store %p, %y : !tt.ptr<f64>
  tt.return
}

// -----

tt.func public @assembly(%p: !tt.ptr<i32>, %x: i32) {
  // expected-error @+1 {{unsupported: inline assembly is for GPUs: the CPU target has no PTX}}
  %y = tt.elementwise_inline_asm "add.s32 $0, $1, 1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
  tt.store %p, %y : !tt.ptr<i32>
  tt.return
}
