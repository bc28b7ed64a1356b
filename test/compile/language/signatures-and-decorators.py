# Every kind of signature entry, and what the decorators say about a kernel.
# RUN: split-file %s %t
# RUN: tessera compile %t/k.py -n composite -s "tensordesc<fp16[64, 32]>, (i32, (5, *fp32:16)), *fp16, i32" --emit ttir -o - | FileCheck %s --check-prefix=COMPOSITE
# A descriptor is followed by its shape and strides; a tuple's constants are no arguments.
# COMPOSITE: tt.func public @composite(%d: !tt.tensordesc<tensor<64x32xf16>> {{.*}}, %d_0: i32 {{.*}}, %d_1: i32 {{.*}}, %d_2: i64 {{.*}}, %d_3: i64 {{.*}}, %t: i32 {{.*}}, %t_4: !tt.ptr<f32> {tt.divisibility = 16 : i32} {{.*}}, %p: !tt.ptr<f16> {{.*}}, %n: i32
# COMPOSITE: arith.constant 5 : i32
# COMPOSITE: tt.descriptor_load %d
# COMPOSITE: arith.sitofp %d_0 : i32 to f32
# RUN: tessera compile %t/k.py -n constants -s "*fp32, -3, 0x10, 1.5e3, True, None, 'a, b', tl.float16, (2, 'c', (None,)), i32:1" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix=CONSTANTS
# CONSTANTS: -3 16 1500.0 True None 'a, b' triton.language.float16 (2, 'c', (None,)) 1
# CONSTANTS: tt.func public @constants(%p: !tt.ptr<f32> loc({{.*}})) attributes
# RUN: tessera compile %t/k.py -n named -s "*fp32,i32,32" --emit ttir -o - | FileCheck %s --check-prefix=NAMED
# NAMED: tt.func public @named_32_i32(
# NAMED: tt.assert
# RUN: tessera compile %t/k.py -n unnamed -s "*fp32" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix=UNNAMED
# UNNAMED: warning: repr does not name the kernel at compile time ('no name' is no identifier); it is called 'unnamed'
# UNNAMED: tt.func public @unnamed(
# RUN: tessera compile %t/k.py -n annotated -s "*fp32,i64,fp64" --emit ttir -o - 2>&1 | FileCheck %s --check-prefix=ANNOTATED
# ANNOTATED: k.py:33:18: warning: 'n' is annotated as i32, which launches pass, and the signature says i64
# ANNOTATED-NOT: warning
# ANNOTATED: tt.func public @annotated(%p: !tt.ptr<f32> {{.*}}, %n: i64 {{.*}}, %x: f64

#--- k.py
import triton
import triton.language as tl

@triton.jit
def composite(d, t, p, n):
    x = d.load([0, n])
    tl.store(p + t[0] + t[1][0], tl.sum(x))
    tl.store(t[1][1], d.shape[0])

@triton.constexpr_function
def show(*values):
    return " ".join([repr(v) for v in values])

@triton.jit
def constants(p, a, b, c, d: tl.constexpr, e, f: tl.constexpr, g: tl.constexpr, h: tl.constexpr, i):
    tl.static_print(show(a, b, c, d, e, f, g, h, i))
    tl.store(p, a)

def name(specialization):
    return f"named_{specialization.constants['BLOCK']}_{specialization.signature['n']}"

@triton.jit(repr=name, do_not_specialize=["n"], debug=True, launch_metadata=lambda grid, kernel, args: {})
def named(p, n, BLOCK: tl.constexpr):
    assert n > BLOCK
    tl.store(p, n)

@triton.jit(repr=lambda specialization: "no name")
def unnamed(p):
    tl.store(p, 1)

# The line of `def annotated` is in an expectation above.
@triton.jit
def annotated(p, n: int, x: "fp64"):
    tl.store(p, n + x)
