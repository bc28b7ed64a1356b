# x.to(dtype) from each kind of type to each other (docs/language.md, casts).
# RUN: tessera compile %s -n casts -s "*i8,*u8,*i32,*fp16,*bf16,*fp32,*fp64,*fp8e5,*u1" --emit ttir -o - | FileCheck %s
# RUN: tessera compile %s -n pointers -s "*fp32,i64,*i64" --emit ttir -o - | FileCheck %s --check-prefix POINTER
# RUN: tessera compile %s -n bits -s "*fp32,*i16" --emit ttir -o - | FileCheck %s --check-prefix BITS
import triton
import triton.language as tl


@triton.jit
def show(x):
    tl.device_print("x", x)


@triton.jit
def casts(i8, u8, i32, h, b, f, d, e, t):
    show(tl.load(i8).to(tl.int32))
    show(tl.load(u8).to(tl.int32))
    show(tl.load(i32).to(tl.int16))
    show(tl.load(t).to(tl.int32))
    show(tl.load(i32).to(tl.int1))
    show(tl.load(f).to(tl.int1))
    show(tl.load(i32).to(tl.float32))
    show(tl.load(u8).to(tl.float16))
    show(tl.load(f).to(tl.int32))
    show(tl.load(f).to(tl.uint32))
    show(tl.load(h).to(tl.float32))
    show(tl.load(h).to(tl.bfloat16))
    show(tl.load(d).to(tl.float16))
    show(tl.load(f).to(tl.float16, fp_downcast_rounding="rtz"))
    show(tl.load(e).to(tl.float32))
    show(tl.load(f).to(tl.float8e5))
    tl.static_assert(tl.cast(5, tl.int64).dtype == tl.int64)
    show(tl.cast(tl.load(f), tl.float32))  # nothing to do


# CHECK-LABEL: tt.func public @casts
# CHECK:         arith.extsi %{{.+}} : i8 to i32
# CHECK:         arith.extui %{{.+}} : i8 to i32
# CHECK:         arith.trunci %{{.+}} : i32 to i16
# CHECK:         arith.extui %{{.+}} : i1 to i32
# CHECK:         arith.cmpi ne, %{{.+}} : i32
# CHECK:         arith.cmpf une, %{{.+}} : f32
# CHECK:         arith.sitofp %{{.+}} : i32 to f32
# CHECK:         arith.uitofp %{{.+}} : i8 to f16
# CHECK:         arith.fptosi %{{.+}} : f32 to i32
# CHECK:         arith.fptoui %{{.+}} : f32 to i32
# CHECK:         arith.extf %{{.+}} : f16 to f32
# fp16 and bf16 meet in fp32.
# CHECK:         arith.extf %{{.+}} : f16 to f32
# CHECK:         arith.truncf %{{.+}} : f32 to bf16
# CHECK:         arith.truncf %{{.+}} : f64 to f16
# CHECK:         tt.fp_to_fp %{{.+}}, rounding = rtz : f32 -> f16
# CHECK:         tt.fp_to_fp %{{.+}} : f8E5M2 -> f32
# CHECK:         tt.fp_to_fp %{{.+}}, rounding = rtne : f32 -> f8E5M2


@triton.jit
def pointers(p, address, q):
    tl.store(q, p.to(tl.int64))
    tl.store(q, p.to(tl.int1))
    tl.store(address.to(tl.pointer_type(tl.float32)), 1.0)
    tl.store(p.to(tl.pointer_type(tl.int8)), 1)


# POINTER-LABEL: tt.func public @pointers
# POINTER:         tt.ptr_to_int %p : !tt.ptr<f32> -> i64
# POINTER:         arith.cmpi ne
# POINTER:         tt.int_to_ptr %address : i64 -> !tt.ptr<f32>
# POINTER:         tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<i8>


@triton.jit
def bits(p, q):
    tl.store(p, tl.load(p).to(tl.int32, bitcast=True))
    tl.store(q, tl.load(q).to(tl.float16, bitcast=True).to(tl.int16, bitcast=True))
    tl.static_assert(tl.load(q).to(tl.uint16, bitcast=True).dtype == tl.uint16)


# BITS-LABEL: tt.func public @bits
# BITS:         tt.bitcast %{{.+}} : f32 -> i32
# BITS:         tt.bitcast %{{.+}} : i16 -> f16
# BITS:         tt.bitcast %{{.+}} : f16 -> i16
