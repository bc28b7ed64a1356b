# Functions of each element on its own: choices, arithmetic, extrema and the functions of tl.math.
# RUN: tessera compile %s -n choices -s "*fp32,*fp16,*i32" --emit ttir -o - | FileCheck %s --check-prefix WHERE
# RUN: tessera compile %s -n arithmetic -s "*fp32,*i32,*fp32" --emit ttir -o - | FileCheck %s --check-prefix ARITH --implicit-check-not tt.assert
# RUN: tessera compile %s -n arithmetic -s "*fp32,*i32,*fp32" --emit ttir --debug -o - | FileCheck %s --check-prefix DEBUG
# RUN: tessera compile %s -n extrema -s "*fp32,*fp16,*bf16,*i32,*u32" --emit ttir -o - | FileCheck %s --check-prefix MINMAX
# RUN: tessera compile %s -n functions -s "*fp32,*fp64,*i32,*u32" --emit ttir -o - | FileCheck %s --check-prefix MATH
# RUN: tessera compile %s -n casts -s "*fp32,*fp64,*i64" --emit ttir -o - | FileCheck %s --check-prefix CAST
# RUN: tessera compile %s -n storage -s "*fp32,*fp16" --emit ttir -o - | FileCheck %s --check-prefix STORAGE
import triton
import triton.language as tl


@triton.jit
def show(x):
    tl.device_print("x", x)


@triton.jit
def choices(p, hp, q):
    i = tl.arange(0, 16)
    x, h, n = tl.load(p + i), tl.load(hp + i), tl.load(q + i)
    show(tl.where(n > 0, x, 0))
    show(tl.where(n > 0, h, 0.5))
    show(tl.where(tl.load(q) > 0, x, x[:, None]))
    show(tl.load(tl.where(n > 0, p, p + 1)))


# `where` keeps weak typing for the values: the 0.5 is a half.
# WHERE-LABEL: tt.func public @choices
# WHERE-DAG:     %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : tensor<16xf32>
# WHERE-DAG:     %[[HALF:.+]] = arith.constant dense<5.000000e-01> : tensor<16xf16>
# WHERE:         arith.select %{{.+}}, %{{.+}}, %[[ZERO]] : tensor<16xi1>, tensor<16xf32>
# WHERE:         arith.select %{{.+}}, %{{.+}}, %[[HALF]] : tensor<16xi1>, tensor<16xf16>
# WHERE:         arith.select %{{.+}}, %{{.+}}, %{{.+}} : {{i1|tensor<16x16xi1>}}, tensor<16x16xf32>
# WHERE:         arith.select %{{.+}}, %{{.+}}, %{{.+}} : tensor<16xi1>, tensor<16x!tt.ptr<f32>>


@triton.jit
def arithmetic(p, q, r):
    i = tl.arange(0, 16)
    x, n = tl.load(p + i), tl.load(q + i)
    show(tl.add(x, 1))
    show(tl.sub(n, i))
    show(tl.mul(n, 3, sanitize_overflow=False))
    show(tl.load(tl.add(r, n)))


# ARITH-LABEL: tt.func public @arithmetic
# ARITH:         arith.addf %{{.+}}, %{{.+}} : tensor<16xf32>
# ARITH:         arith.subi %{{.+}}, %{{.+}} : tensor<16xi32>
# ARITH:         arith.muli %{{.+}}, %{{.+}} : tensor<16xi32>
# ARITH:         tt.addptr %{{.+}}, %{{.+}} : tensor<16x!tt.ptr<f32>>, tensor<16xi32>

# In debug mode the difference is computed in 64 bits too; the product asked not to be.
# DEBUG-LABEL: tt.func public @arithmetic
# DEBUG-DAG:     %[[MAX:.+]] = arith.constant dense<2147483647> : tensor<16xi64>
# DEBUG-DAG:     %[[MIN:.+]] = arith.constant dense<-2147483648> : tensor<16xi64>
# DEBUG:         %[[WIDE:.+]] = arith.subi %{{.+}}, %{{.+}} : tensor<16xi64>
# DEBUG:         %[[BELOW:.+]] = arith.cmpi sle, %[[WIDE]], %[[MAX]] : tensor<16xi64>
# DEBUG:         %[[ABOVE:.+]] = arith.cmpi sge, %[[WIDE]], %[[MIN]] : tensor<16xi64>
# DEBUG:         %[[FITS:.+]] = arith.andi %[[BELOW]], %[[ABOVE]] : tensor<16xi1>
# DEBUG:         tt.assert %[[FITS]], "int32 overflow detected for operation sub" : tensor<16xi1>
# DEBUG-NOT:     tt.assert
# DEBUG:         tt.return


@triton.jit
def extrema(p, hp, bp, q, u):
    i = tl.arange(0, 16)
    x, h, b, n, m = tl.load(p + i), tl.load(hp + i), tl.load(bp + i), tl.load(q + i), tl.load(u + i)
    show(tl.minimum(x, 0.0))
    show(tl.maximum(x, x[:, None], propagate_nan=tl.PropagateNan.ALL))
    show(tl.maximum(h, 0.0))
    show(tl.minimum(b, b))
    show(tl.minimum(n, 5))
    show(tl.maximum(m, 7))
    show(max(n, 5, 7))
    show(tl.clamp(x, 0.0, 1.0))
    show(tl.clamp(x, x[:, None], 1, propagate_nan=tl.PropagateNan.ALL))


# Numbers become tensors first, so a half meets an fp32, and bf16 is compared in fp32.
# MINMAX-LABEL:  tt.func public @extrema
# MINMAX:         arith.minnumf %{{.+}}, %{{.+}} : tensor<16xf32>
# MINMAX:         arith.maximumf %{{.+}}, %{{.+}} : tensor<16x16xf32>
# MINMAX:         arith.maxnumf %{{.+}}, %{{.+}} : tensor<16xf32>
# MINMAX:         arith.extf %{{.+}} : tensor<16xbf16> to tensor<16xf32>
# MINMAX:         arith.minnumf %{{.+}}, %{{.+}} : tensor<16xf32>
# MINMAX:         arith.minsi %{{.+}}, %{{.+}} : tensor<16xi32>
# MINMAX:         arith.maxui %{{.+}}, %{{.+}} : tensor<16xi32>
# MINMAX-COUNT-2: arith.maxsi %{{.+}}, %{{.+}} : tensor<16xi32>
# MINMAX:         tt.clampf %{{.+}}, %{{.+}}, %{{.+}}, propagateNan = none : tensor<16xf32>
# MINMAX:         tt.clampf %{{.+}}, %{{.+}}, %{{.+}}, propagateNan = all : tensor<16x16xf32>


@triton.jit
def functions(p, dp, q, u):
    i = tl.arange(0, 16)
    x, d, n, m = tl.load(p + i), tl.load(dp + i), tl.load(q + i), tl.load(u + i)
    show(tl.exp(x))
    show(tl.exp2(d))
    show(x.log())
    show(tl.log2(x))
    show(tl.sin(x))
    show(d.cos())
    show(tl.sqrt(x))
    show(tl.sqrt_rn(x))
    show(tl.rsqrt(x))
    show(tl.erf(x))
    show(tl.floor(x))
    show(tl.ceil(x))
    show(tl.abs(x))
    show(n.abs())
    show(tl.fdiv(x, 2.0))
    show(tl.div_rn(x, 3))
    show(tl.fma(x, 2.0, 1.0))
    show(tl.umulhi(m, 5))
    show(tl.math.umulhi(n, n))


# MATH-LABEL: tt.func public @functions
# MATH:         math.exp %{{.+}} : tensor<16xf32>
# MATH:         math.exp2 %{{.+}} : tensor<16xf64>
# MATH:         math.log %{{.+}} : tensor<16xf32>
# MATH:         math.log2 %{{.+}} : tensor<16xf32>
# MATH:         math.sin %{{.+}} : tensor<16xf32>
# MATH:         math.cos %{{.+}} : tensor<16xf64>
# MATH:         math.sqrt %{{.+}} : tensor<16xf32>
# MATH:         tt.precise_sqrt %{{.+}} : tensor<16xf32>
# MATH:         math.rsqrt %{{.+}} : tensor<16xf32>
# MATH:         math.erf %{{.+}} : tensor<16xf32>
# MATH:         math.floor %{{.+}} : tensor<16xf32>
# MATH:         math.ceil %{{.+}} : tensor<16xf32>
# MATH:         math.absf %{{.+}} : tensor<16xf32>
# MATH:         math.absi %{{.+}} : tensor<16xi32>
# MATH:         arith.divf %{{.+}}, %{{.+}} : tensor<16xf32>
# MATH:         tt.precise_divf %{{.+}}, %{{.+}} : tensor<16xf32>
# MATH:         math.fma %{{.+}}, %{{.+}}, %{{.+}} : tensor<16xf32>
# MATH-COUNT-2: tt.mulhiui %{{.+}}, %{{.+}} : tensor<16xi32>


@triton.jit
def casts(p, dp, lp):
    i = tl.arange(0, 16)
    x, d, address = tl.load(p + i), tl.load(dp + i), tl.load(lp + i)
    show(x.to(tl.float16))
    show(x.to(tl.bfloat16, fp_downcast_rounding="rtz"))
    show(d.to(tl.float32, "rtz"))
    show(x.to(tl.float8e5, fp_downcast_rounding="rtz").to(tl.float16))
    show(tl.cast(x, tl.float8e4nv).to(tl.float32))
    show(x.to(tl.int32, bitcast=True))
    show(tl.load(address.to(tl.pointer_type(tl.int8))))
    show(p.to(tl.int64))


# CAST-LABEL: tt.func public @casts
# CAST:         arith.truncf %{{.+}} : tensor<16xf32> to tensor<16xf16>
# CAST:         tt.fp_to_fp %{{.+}}, rounding = rtz : tensor<16xf32> -> tensor<16xbf16>
# CAST:         tt.fp_to_fp %{{.+}}, rounding = rtz : tensor<16xf64> -> tensor<16xf32>
# CAST:         tt.fp_to_fp %{{.+}}, rounding = rtz : tensor<16xf32> -> tensor<16xf8E5M2>
# CAST:         tt.fp_to_fp %{{.+}} : tensor<16xf8E5M2> -> tensor<16xf16>
# CAST:         tt.fp_to_fp %{{.+}}, rounding = rtne : tensor<16xf32> -> tensor<16xf8E4M3FN>
# CAST:         tt.fp_to_fp %{{.+}} : tensor<16xf8E4M3FN> -> tensor<16xf32>
# CAST:         tt.bitcast %{{.+}} : tensor<16xf32> -> tensor<16xi32>
# CAST:         tt.int_to_ptr %{{.+}} : tensor<16xi64> -> tensor<16x!tt.ptr<i8>>
# CAST:         tt.ptr_to_int %{{.+}} : !tt.ptr<f32> -> i64


@triton.jit
def storage(p, hp):
    h = tl.load(hp + tl.arange(0, 16))
    x = tl.load(p + tl.arange(0, 16))
    show(tl.abs(h.to(tl.float8e4b15)))
    show(x.to(tl.float8e4b15).to(tl.float32))
    show(tl.full((16, ), 1.5, tl.float8e5))
    show(tl.full((16, ), 1.5, tl.float8e4b15))


# fp8e4b15 is an i8 that integer arithmetic converts; fp32 is cut to half precision first.
# STORAGE-LABEL: tt.func public @storage
# STORAGE-DAG:     arith.constant dense<1.500000e+00> : tensor<16xf8E5M2>
# STORAGE-DAG:     arith.constant dense<124> : tensor<16xi8>
# STORAGE:         tt.bitcast %{{.+}} : tensor<16xf16> -> tensor<16xi16>
# STORAGE:         arith.minui %{{.+}}, %{{.+}} : tensor<16xi16>
# STORAGE:         arith.trunci %{{.+}} : tensor<16xi16> to tensor<16xi8>
# STORAGE:         arith.andi %{{.+}}, %{{.+}} : tensor<16xi8>
# STORAGE:         tt.fp_to_fp %{{.+}}, rounding = rtz : tensor<16xf32> -> tensor<16xf16>
# STORAGE:         arith.trunci %{{.+}} : tensor<16xi16> to tensor<16xi8>
# STORAGE:         arith.extui %{{.+}} : tensor<16xi8> to tensor<16xi16>
# STORAGE:         tt.bitcast %{{.+}} : tensor<16xi16> -> tensor<16xf16>
# STORAGE:         arith.extf %{{.+}} : tensor<16xf16> to tensor<16xf32>
