# tl.inline_asm_elementwise, the instructions of tl.extra.cuda, and functions of other libraries.
# RUN: tessera compile %s -n assembly -s "*fp32,*i8,i32" --emit ttir -o - | FileCheck %s --check-prefix ASM
# RUN: tessera compile %s -n device -s "*i64" --num-warps 8 --emit ttir -o - | FileCheck %s --check-prefix DEVICE
# RUN: tessera compile %s -n externs -s "*fp32,*fp64" --emit ttir -o - | FileCheck %s --check-prefix EXTERN
import triton
import triton.language as tl
from triton.language import core


@triton.jit
def assembly(p, s, n):
    i = tl.arange(0, 16)
    x, bytes = tl.load(p + i), tl.load(s + i)
    y = tl.inline_asm_elementwise("add.f32 $0, $1, $2;", "=f,f,f", [x, 1.0], dtype=tl.float32, is_pure=True, pack=1)
    lo, hi = tl.inline_asm_elementwise("mov.b32 {$0, $1}, $2;", "=h,=h,r", [x], (tl.int16, tl.float16), False, 1)
    shifted = tl.inline_asm_elementwise("shl.b32 $0, $1, 3;", "=r,r", [bytes], dtype=tl.int8, is_pure=True, pack=4)
    one = tl.inline_asm_elementwise("mov.u32 $0, %laneid;", "=r", [], dtype=tl.int32, is_pure=True, pack=1)
    two = tl.inline_asm_elementwise("x $0, $1, $2;", "=r,l,r", [p + i, n], dtype=tl.int32, is_pure=False, pack=1)
    tl.device_print("results", y, lo, hi, shifted, one, two)


# Operands broadcast to one shape and keep their types; without operands the result is a scalar.
# ASM-LABEL: tt.func public @assembly
# ASM-DAG:     %[[ONE:.+]] = arith.constant dense<1.000000e+00> : tensor<16xf32>
# ASM:         tt.elementwise_inline_asm "add.f32 $0, $1, $2;" {constraints = "=f,f,f", packed_element = 1 : i32, pure = true} %{{.+}}, %[[ONE]] : tensor<16xf32>, tensor<16xf32> -> tensor<16xf32>
# ASM:         %{{.+}}:2 = tt.elementwise_inline_asm "mov.b32 {$0, $1}, $2;" {constraints = "=h,=h,r", packed_element = 1 : i32, pure = false} %{{.+}} : tensor<16xf32> -> tensor<16xi16>, tensor<16xf16>
# ASM:         tt.elementwise_inline_asm "shl.b32 $0, $1, 3;" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %{{.+}} : tensor<16xi8> -> tensor<16xi8>
# ASM:         tt.elementwise_inline_asm "mov.u32 $0, %laneid;" {constraints = "=r", packed_element = 1 : i32, pure = true} -> i32
# ASM:         tt.elementwise_inline_asm "x $0, $1, $2;" {{.*}} : tensor<16x!tt.ptr<f32>>, tensor<16xi32> -> tensor<16xi32>


@triton.jit
def device(p):
    tl.extra.cuda.gdc_wait()
    at = tl.extra.cuda.smid() + tl.extra.cuda.num_warps() * 1000
    tl.store(p + at, tl.extra.cuda.globaltimer())
    tl.store(p, tl.extra.cuda.num_threads())
    tl.extra.cuda.gdc_launch_dependents()


# DEVICE-LABEL: tt.func public @device
# DEVICE-DAG:     arith.constant 8000 : i32
# DEVICE-DAG:     arith.constant 256 : i64
# DEVICE:         tt.elementwise_inline_asm "griddepcontrol.wait; // dummy $0" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32
# DEVICE:         tt.elementwise_inline_asm "mov.u32 $0, %smid;" {constraints = "=r", packed_element = 1 : i32, pure = true} -> i32
# DEVICE:         tt.elementwise_inline_asm "mov.u64 $0, %globaltimer;" {constraints = "=l", packed_element = 1 : i32, pure = false} -> i64
# DEVICE:         tt.elementwise_inline_asm "griddepcontrol.launch_dependents; // dummy $0" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32


@core.extern
def sinc(x, _semantic=None):
    table = {(core.dtype(name), ): (symbol, core.dtype(name)) for name, symbol in (("fp32", "sincf"), ("fp64", "sinc"))}
    return core.extern_elementwise("signals", "/lib/signals.bc", [x], table, is_pure=False, _semantic=_semantic)


@core.extern
def lane(_semantic=None):
    return core.inline_asm_elementwise("mov.u32 $0, %laneid;", "=r", [], dtype=core.int32, is_pure=True, pack=1,
                                       _semantic=_semantic)


@triton.jit
def externs(p, dp):
    i = tl.arange(0, 16)
    tl.device_print("x", sinc(tl.load(p + i)), sinc(tl.load(dp + i)), sinc(0.5), lane())


# A function of one's own library, picked by the types of its arguments.
# EXTERN-LABEL: tt.func public @externs
# EXTERN:         tt.extern_elementwise %{{.+}} {libname = "signals", libpath = "/lib/signals.bc", pure = false, symbol = "sincf"} : (tensor<16xf32>) -> tensor<16xf32>
# EXTERN:         tt.extern_elementwise %{{.+}} {{.*}} symbol = "sinc"} : (tensor<16xf64>) -> tensor<16xf64>
# EXTERN:         tt.extern_elementwise %{{.+}} {{.*}} symbol = "sincf"} : (f32) -> f32
# EXTERN:         tt.elementwise_inline_asm "mov.u32 $0, %laneid;"
