# The type of each operation: numbers are weak, run-time scalars are not (docs/language.md, arithmetic).
# RUN: tessera compile %s -n tensors -s "*fp32" --emit ttir -o - | FileCheck %s --check-prefix TYPES
# RUN: tessera compile %s -n numbers -s "*fp32" --emit ttir -o - | FileCheck %s --check-prefix TYPES
# RUN: tessera compile %s -n operations -s "*fp32,i32,u32,fp32" --emit ttir -o - | FileCheck %s --check-prefix OPS
# RUN: tessera compile %s -n comparisons -s "*i32,*fp16,*u32,*i8,fp32" --emit ttir -o - | FileCheck %s --check-prefix COMPARE
# RUN: tessera compile %s -n broadcasts -s "*fp32,fp32" --emit ttir -o - | FileCheck %s --check-prefix BROADCAST
# RUN: tessera compile %s -n numbers_rounded -s "*bf16,*fp16" --emit ttir -o - | FileCheck %s --check-prefix ROUND
import triton
import triton.language as tl


@triton.jit
def tensors(p):
    b = tl.full((8,), 1, tl.int1)
    i8 = tl.full((8,), 1, tl.int8)
    i16 = tl.full((8,), 1, tl.int16)
    i32 = tl.full((8,), 1, tl.int32)
    i64 = tl.full((8,), 1, tl.int64)
    u8 = tl.full((8,), 1, tl.uint8)
    u32 = tl.full((8,), 1, tl.uint32)
    u64 = tl.full((8,), 1, tl.uint64)
    e5 = tl.full((8,), 0, tl.float8e5)
    e4 = tl.full((8,), 0, tl.float8e4nv)
    h = tl.full((8,), 1, tl.float16)
    bf = tl.full((8,), 1, tl.bfloat16)
    f = tl.full((8,), 1, tl.float32)
    d = tl.full((8,), 1, tl.float64)
    # Floats, in the order of the rules.
    tl.static_assert((d + f).dtype == tl.float64)
    tl.static_assert((d / i32).dtype == tl.float64)
    tl.static_assert((f + h).dtype == tl.float32)
    tl.static_assert((h + i64).dtype == tl.float16)
    tl.static_assert((h + bf).dtype == tl.float16)
    tl.static_assert((h + e5).dtype == tl.float16)
    tl.static_assert((h / h).dtype == tl.float32)
    tl.static_assert((h % h).dtype == tl.float32)
    tl.static_assert((bf + bf).dtype == tl.bfloat16)
    tl.static_assert((bf / bf).dtype == tl.float32)
    tl.static_assert((bf + i32).dtype == tl.float32)
    tl.static_assert((bf + e5).dtype == tl.float32)
    tl.static_assert((e5 + e5).dtype == tl.float8e5)
    tl.static_assert((e5 + e4).dtype == tl.float16)
    # Integers: the wider, and unsigned where it is as wide.
    tl.static_assert((i8 + i16).dtype == tl.int16)
    tl.static_assert((u8 + i8).dtype == tl.uint8)
    tl.static_assert((u32 + i64).dtype == tl.int64)
    tl.static_assert((i64 + u64).dtype == tl.uint64)
    tl.static_assert((i8 & u8).dtype == tl.uint8)
    tl.static_assert((i8 << i32).dtype == tl.int32)
    tl.static_assert((b + b).dtype == tl.int1)
    tl.static_assert((b + i8).dtype == tl.int8)
    tl.static_assert((b & b).dtype == tl.int1)
    tl.static_assert((i32 / i32).dtype == tl.float32)
    tl.static_assert((i64 / i64).dtype == tl.float32)
    tl.static_assert((-b).dtype == tl.int1)
    tl.store(p, 0.0)


@triton.jit
def numbers(p):
    b = tl.full((8,), 1, tl.int1)
    i8 = tl.full((8,), 1, tl.int8)
    i32 = tl.full((8,), 1, tl.int32)
    h = tl.full((8,), 1, tl.float16)
    bf = tl.full((8,), 1, tl.bfloat16)
    f = tl.full((8,), 1, tl.float32)
    tl.static_assert((i8 + 5).dtype == tl.int8)
    tl.static_assert((5 - i8).dtype == tl.int8)
    tl.static_assert((i8 + True).dtype == tl.int8)
    tl.static_assert((i8 + 5.0).dtype == tl.float32)
    tl.static_assert((i8 // 2).dtype == tl.int8)
    tl.static_assert((i8 << 3).dtype == tl.int8)
    tl.static_assert((b + 1).dtype == tl.int32)
    tl.static_assert((b & 1).dtype == tl.int32)
    tl.static_assert((h + 1).dtype == tl.float16)
    tl.static_assert((h * 2.5).dtype == tl.float16)
    tl.static_assert((h / 2).dtype == tl.float32)
    tl.static_assert((bf / 2.0).dtype == tl.float32)
    tl.static_assert((i32 / 2.0).dtype == tl.float32)
    tl.static_assert((f + 1e300).dtype == tl.float32)
    # A run-time scalar is no number.
    tl.static_assert((i8 + tl.program_id(0)).dtype == tl.int32)
    # These make tensors of numbers first; `where` does not.
    tl.static_assert(tl.maximum(h, 0.0).dtype == tl.float32)
    tl.static_assert(tl.minimum(i8, 5).dtype == tl.int32)
    tl.static_assert(tl.clamp(h, -1.0, 1.0).dtype == tl.float32)
    tl.static_assert(tl.fma(h, 2.0, 1.0).dtype == tl.float32)
    tl.static_assert(tl.where(h > 0, h, 0.0).dtype == tl.float16)
    tl.store(p, 0.0)


# TYPES-LABEL: tt.func public
# TYPES:         tt.store


@triton.jit
def operations(p, n, u, f):
    tl.store(p, n // 3)
    tl.store(p, u // 3)
    tl.store(p, n % 3)
    tl.store(p, u % 3)
    tl.store(p, f % 2.5)
    tl.store(p, n >> 2)
    tl.store(p, u >> 2)
    tl.store(p, 1 << n)
    tl.store(p + u, f / 3)
    tl.store(p - n, f)
    tl.store(n + p, f)


# OPS-LABEL: tt.func public @operations
# OPS:         arith.divsi %n
# OPS:         arith.divui %u
# OPS:         arith.remsi %n
# OPS:         arith.remui %u
# OPS:         arith.remf %f
# OPS:         arith.shrsi %n
# OPS:         arith.shrui %u
# OPS:         arith.shli %{{.+}}, %n
# An unsigned offset is made 64 bits wide before it could look negative.
# OPS:         %[[WIDE:.+]] = arith.extui %u : i32 to i64
# OPS:         tt.addptr %p, %[[WIDE]] : !tt.ptr<f32>, i64
# OPS:         arith.divf %f
# OPS:         %[[MINUS:.+]] = arith.subi %{{.+}}, %n : i32
# OPS:         tt.addptr %p, %[[MINUS]]
# OPS:         tt.addptr %p, %n


@triton.jit
def comparisons(p, hp, up, bp, f):
    h, u, b = tl.load(hp), tl.load(up), tl.load(bp)
    tl.store(p, h < 0.1)
    tl.store(p, u < -1)
    tl.store(p, b < 300)
    tl.store(p, f != f)
    tl.store(p, f == 1)
    tl.store(p, b >= u)


# COMPARE-LABEL: tt.func public @comparisons
# COMPARE:         arith.cmpf olt, %{{.+}}, %{{.+}} : f32
# COMPARE:         arith.cmpi ult, %{{.+}}, %c-1_i32 : i32
# COMPARE:         arith.cmpi slt, %{{.+}}, %c300_i32 : i32
# COMPARE:         arith.cmpf une, %f, %f : f32
# COMPARE:         arith.cmpf oeq, %f, %{{.+}} : f32
# COMPARE:         arith.cmpi uge, %{{.+}}, %{{.+}} : i32


@triton.jit
def broadcasts(p, f):
    i = tl.arange(0, 8)
    x = tl.load(p + i)
    tl.static_assert((x + f).shape == (8,))
    tl.static_assert((x[:, None] + x).shape == (8, 8))  # (8,) counts as a row
    tl.static_assert((x[:, None] * x[None, :]).shape == (8, 8))
    tl.store(p + i[:, None] + i[None, :] * 8, x[:, None] + f)


# BROADCAST-LABEL: tt.func public @broadcasts
# BROADCAST:         tt.broadcast %{{.+}} : tensor<8x1xf32> -> tensor<8x8xf32>


@triton.jit
def numbers_rounded(b, h):
    x = tl.load(b)
    tl.store(b, x * 1e-7)
    tl.store(b, x * 0.1)
    tl.store(b, x * -0.0)
    tl.store(h, tl.load(h) + 70000.0)


# Each number is rounded once, to nearest even, and zero keeps its sign.
# ROUND-LABEL: tt.func public @numbers_rounded
# ROUND-DAG:     arith.constant 1.001170e-07 : bf16
# ROUND-DAG:     arith.constant 1.000980e-01 : bf16
# ROUND-DAG:     arith.constant -0.000000e+00 : bf16
# ROUND-DAG:     arith.constant 0x7C00 : f16
