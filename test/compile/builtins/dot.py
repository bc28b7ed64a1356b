# tl.dot: the result's type, the accumulator, precisions, batches; tl.dot_scaled: formats, packing, scales.
# RUN: tessera compile %s -n types -s "*fp16,*fp32" --emit ttir -o - | FileCheck %s --check-prefix=TYPES
# RUN: tessera compile %s -n precisions -s "*fp32,*fp32" --emit ttir -o - | FileCheck %s --check-prefix=PRECISIONS
# RUN: tessera compile %s -n precisions_on_cpu -s "*fp32,*fp32" --target cpu --emit ttir -o - | FileCheck %s --check-prefix=CPU
# RUN: tessera compile %s -n bytes -s "*i8,*i32,*fp8e5,*fp8e4nv,*fp32" --emit ttir -o - | FileCheck %s --check-prefixes=BYTES,BYTES90
# RUN: tessera compile %s -n bytes -s "*i8,*i32,*fp8e5,*fp8e4nv,*fp32" --target cuda:89 --emit ttir -o - | FileCheck %s --check-prefixes=BYTES,BYTES89
# RUN: tessera compile %s -n batches -s "*fp16,*fp32" --emit ttir -o - | FileCheck %s --check-prefix=BATCHES
# RUN: tessera compile %s -n scaled -s "*u8,*u8,*fp32" --emit ttir -o - | FileCheck %s --check-prefix=SCALED
# RUN: tessera compile %s -n scaled_halves -s "*u16,*u8,*fp8e4nv,*fp32" --emit ttir -o - | FileCheck %s --check-prefix=HALVES
# RUN: tessera compile %s -n scaled_batches -s "*u8,*u8,*fp32" --emit ttir -o - | FileCheck %s --check-prefix=SCALEDBATCHES
# RUN: tessera compile %s -n foreign -s "*fp8e4b15,*fp32" --emit ttir -o - | FileCheck %s --check-prefix=FOREIGN
import triton
import triton.language as tl


@triton.jit
def types(x, y):
    i = tl.arange(0, 16)
    j = i[:, None] * 16 + i[None, :]
    a = tl.load(x + j)
    tl.store(y + j, tl.dot(a, a))
    tl.store(y + j, tl.dot(a, a, out_dtype=tl.float16))
    tl.store(y + j, tl.dot(a, a, tl.load(y + j)))
    b = a.to(tl.bfloat16)
    tl.store(y + j, tl.dot(b, b, out_dtype=tl.float16))  # summed in fp32, whatever out_dtype says
    c = a.to(tl.float64)
    tl.store(y + j, tl.dot(c, c, acc=c, out_dtype=tl.float64))


# TYPES-LABEL: tt.func public @types
# TYPES-DAG:   %[[WIDE:.+]] = arith.constant dense<0.000000e+00> : tensor<16x16xf32>
# TYPES-DAG:   %[[NARROW:.+]] = arith.constant dense<0.000000e+00> : tensor<16x16xf16>
# TYPES:       tt.dot %[[A:.+]], %[[A]], %[[WIDE]], inputPrecision = tf32 : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
# TYPES:       tt.dot %[[A]], %[[A]], %[[NARROW]], inputPrecision = tf32 : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf16>
# TYPES:       %[[ACC:.+]] = tt.load
# TYPES:       tt.dot %[[A]], %[[A]], %[[ACC]], inputPrecision = tf32 :
# TYPES:       tt.dot %{{.+}}, %[[WIDE]], inputPrecision = tf32 : tensor<16x16xbf16> * tensor<16x16xbf16> -> tensor<16x16xf32>
# TYPES:       tt.dot %[[C:.+]], %[[C]], %[[C]], inputPrecision = tf32 : tensor<16x16xf64> * tensor<16x16xf64> -> tensor<16x16xf64>


@triton.jit
def precisions(x, y):
    i = tl.arange(0, 16)
    j = i[:, None] * 16 + i[None, :]
    a = tl.load(x + j)
    tl.store(y + j, tl.dot(a, a, input_precision="TF32x3"))
    tl.store(y + j, tl.dot(a, a, input_precision="bf16x3"))
    tl.store(y + j, tl.dot(a, a, input_precision="bf16x6"))
    tl.store(y + j, tl.dot(a, a, input_precision="ieee"))
    tl.store(y + j, tl.dot(a, a, allow_tf32=True))
    tl.store(y + j, tl.dot(a, a, allow_tf32=False, max_num_imprecise_acc=7))


# PRECISIONS-LABEL: tt.func public @precisions
# PRECISIONS:       tt.dot %{{.+}}, inputPrecision = tf32x3 :
# PRECISIONS:       tt.dot %{{.+}}, inputPrecision = bf16x3 :
# PRECISIONS:       tt.dot %{{.+}}, inputPrecision = bf16x6 :
# PRECISIONS:       tt.dot %[[A:[a-z0-9_]+]], %[[A]], %{{[a-z0-9_]+}} : tensor<16x16xf32>
# PRECISIONS:       tt.dot %{{.+}}, inputPrecision = tf32 :
# PRECISIONS:       tt.dot %[[A]], %[[A]], %{{[a-z0-9_]+}} {maxNumImpreciseAcc = 7 : i32} : tensor<16x16xf32>


@triton.jit
def precisions_on_cpu(x, y):
    # The target decides the default, and how small the inner size may be.
    i = tl.arange(0, 16)
    k = tl.arange(0, 4)
    a = tl.load(x + i[:, None] * 4 + k[None, :])
    b = tl.load(x + k[:, None] * 16 + i[None, :])
    tl.store(y + i[:, None] * 16 + i[None, :], tl.dot(a, b))


# CPU: tt.dot %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} : tensor<16x4xf32> * tensor<4x16xf32> -> tensor<16x16xf32>


@triton.jit
def bytes(x, y, p, q, z):
    i = tl.arange(0, 32)
    j = i[:, None] * 32 + i[None, :]
    a = tl.load(x + j)
    tl.store(y + j, tl.dot(a, a))
    tl.store(y + j, tl.dot(a, a, tl.load(y + j), out_dtype=tl.int32))
    b = tl.load(p + j)
    c = tl.load(q + j)
    tl.store(z + j, tl.dot(b, c))
    tl.store(z + j, tl.dot(c, c, max_num_imprecise_acc=32, out_dtype=tl.float16))


# How many products of fp8 are summed at low precision is the target's choice.
# BYTES-LABEL: tt.func public @bytes
# BYTES:       tt.dot %{{.+}} : tensor<32x32xi8> * tensor<32x32xi8> -> tensor<32x32xi32>
# BYTES:       %[[ACC:.+]] = tt.load
# BYTES:       tt.dot %{{.+}}, %[[ACC]], inputPrecision = tf32 : tensor<32x32xi8>
# BYTES90:     tt.dot %{{.+}}, inputPrecision = tf32 {maxNumImpreciseAcc = 1073741824 : i32} : tensor<32x32xf8E5M2> * tensor<32x32xf8E4M3FN> -> tensor<32x32xf32>
# BYTES89:     tt.dot %{{.+}}, inputPrecision = tf32 : tensor<32x32xf8E5M2> * tensor<32x32xf8E4M3FN> -> tensor<32x32xf32>
# BYTES:       tt.dot %{{.+}}, inputPrecision = tf32 {maxNumImpreciseAcc = 32 : i32} : tensor<32x32xf8E4M3FN> * tensor<32x32xf8E4M3FN> -> tensor<32x32xf16>


@triton.jit
def batches(x, y):
    i = tl.arange(0, 16)
    k = tl.arange(0, 2)
    j = k[:, None, None] * 256 + i[None, :, None] * 16 + i[None, None, :]
    a = tl.load(x + j)
    tl.store(y + j, tl.dot(a, a))
    m = k[:, None, None, None] * 512 + j[None, :, :, :]
    b = tl.load(x + m)
    tl.store(y + m, tl.dot(b, b, tl.load(y + m)))


# BATCHES-LABEL: tt.func public @batches
# BATCHES:       tt.dot %{{.+}} : tensor<2x16x16xf16> * tensor<2x16x16xf16> -> tensor<2x16x16xf32>
# BATCHES:       %[[B:.+]] = tt.reshape %{{.+}} : tensor<2x2x16x16xf16> -> tensor<4x16x16xf16>
# BATCHES:       %[[ACC:.+]] = tt.reshape %{{.+}} : tensor<2x2x16x16xf32> -> tensor<4x16x16xf32>
# BATCHES:       %[[PRODUCT:.+]] = tt.dot %[[B]], %[[B]], %[[ACC]], inputPrecision = tf32 : tensor<4x16x16xf16> * tensor<4x16x16xf16> -> tensor<4x16x16xf32>
# BATCHES:       tt.reshape %[[PRODUCT]] : tensor<4x16x16xf32> -> tensor<2x2x16x16xf32>


@triton.jit
def scaled(x, s, y):
    i = tl.arange(0, 64)
    k = tl.arange(0, 32)
    j = i[:, None] * 64 + i[None, :]
    a = tl.load(x + j)
    f = tl.load(x + i[:, None] * 32 + k[None, :])
    g = tl.load(x + k[:, None] * 64 + i[None, :])
    t = tl.load(s + i[:, None] * 2 + tl.arange(0, 2)[None, :])
    tl.store(y + j, tl.dot_scaled(a, t, "e4m3", a, t, "e5m2"))
    tl.store(y + j, tl.dot_scaled(f, t, "e2m1", g, None, "e2m1", tl.load(y + j), fast_math=True))
    tl.store(y + j, tl.dot_scaled(g, t, "e2m1", f, t, "e2m1", lhs_k_pack=False, rhs_k_pack=False))


# SCALED-LABEL: tt.func public @scaled
# SCALED-DAG:   %[[E4M3:.+]] = tt.bitcast %[[A:.+]] : tensor<64x64xi8> -> tensor<64x64xf8E4M3FN>
# SCALED-DAG:   %[[E5M2:.+]] = tt.bitcast %[[A]] : tensor<64x64xi8> -> tensor<64x64xf8E5M2>
# SCALED:       tt.dot_scaled %[[E4M3]] scale %[[T:.+]], %[[E5M2]] scale %[[T]], %{{.+}} lhs = e4m3 rhs = e5m2 {fastMath = false} : tensor<64x64xf8E4M3FN>, tensor<64x2xi8> * tensor<64x64xf8E5M2>, tensor<64x2xi8> -> tensor<64x64xf32>
# SCALED:       %[[ACC:.+]] = tt.load
# SCALED:       tt.dot_scaled %{{.+}} scale %[[T]], %{{.+}}, %[[ACC]] lhs = e2m1 rhs = e2m1 {fastMath = true} : tensor<64x32xi8>, tensor<64x2xi8> * tensor<32x64xi8> -> tensor<64x64xf32>
# SCALED:       tt.dot_scaled %{{.+}} lhs = e2m1 rhs = e2m1 {fastMath = false, lhs_k_pack = false, rhs_k_pack = false} : tensor<32x64xi8>, tensor<64x2xi8> * tensor<64x32xi8>, tensor<64x2xi8> -> tensor<64x64xf32>


@triton.jit
def scaled_halves(x, p, s, y):
    i = tl.arange(0, 64)
    j = i[:, None] * 64 + i[None, :]
    a = tl.load(x + j)
    tl.store(y + j, tl.dot_scaled(a, None, "fp16", a, None, "bf16"))
    f = tl.load(p + j)
    t = tl.load(s + i[:, None] * 4 + tl.arange(0, 4)[None, :])
    tl.store(y + j, tl.dot_scaled(f, t, "e5m2", f, None, "e5m2"))


# Scales of fp8e4nv are for groups of 16.
# HALVES-LABEL: tt.func public @scaled_halves
# HALVES:       tt.dot_scaled %{{.+}} lhs = fp16 rhs = bf16 {fastMath = false} : tensor<64x64xf16> * tensor<64x64xbf16> -> tensor<64x64xf32>
# HALVES:       tt.dot_scaled %{{.+}} lhs = e5m2 rhs = e5m2 {fastMath = false} : tensor<64x64xf8E5M2>, tensor<64x4xf8E4M3FN> * tensor<64x64xf8E5M2> -> tensor<64x64xf32>


@triton.jit
def scaled_batches(x, s, y):
    i = tl.arange(0, 64)
    b = tl.arange(0, 2)[:, None, None]
    j = b * 4096 + i[None, :, None] * 64 + i[None, None, :]
    a = tl.load(x + j)
    t = tl.load(s + b * 128 + i[None, :, None] * 2 + tl.arange(0, 2)[None, None, :])
    tl.store(y + j, tl.dot_scaled(a, t, "e5m2", a, None, "e5m2"))


# A batch has its scales in batches.
# SCALEDBATCHES: tt.dot_scaled %{{.+}} lhs = e5m2 rhs = e5m2 {fastMath = false} : tensor<2x64x64xf8E5M2>, tensor<2x64x2xi8> * tensor<2x64x64xf8E5M2> -> tensor<2x64x64xf32>


@triton.jit
def foreign(x, y):
    i = tl.arange(0, 16)
    j = i[:, None] * 16 + i[None, :]
    a = tl.load(x + j)
    tl.store(y + j, tl.dot(a, a))


# No hardware multiplies fp8e4b15: it is widened, and then its inner size may be that of fp16.
# FOREIGN: tt.dot %[[A:.+]], %[[A]], %{{.+}}, inputPrecision = tf32 : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
