# tl.atomic_add and its family: operations by type, orders, scopes, masks, shapes.
# RUN: tessera compile %s -n integers -s "*i32,*u64,i32" --emit ttir -o - | FileCheck %s --check-prefix=INTEGERS
# RUN: tessera compile %s -n constant_masks -s "*i32" --emit ttir -o - | FileCheck %s --check-prefix=MASKS
# RUN: tessera compile %s -n floats -s "*fp16,*bf16,*fp64,fp32" --emit ttir -o - | FileCheck %s --check-prefix=FLOATS
# RUN: tessera compile %s -n extrema -s "*fp32,*fp64,i32" --emit ttir -o - | FileCheck %s --check-prefix=EXTREMA
# RUN: tessera compile %s -n orders -s "*i32,i32" --emit ttir -o - | FileCheck %s --check-prefix=ORDERS
# RUN: tessera compile %s -n swap -s "*i64,*u32,*fp16" --emit ttir -o - | FileCheck %s --check-prefix=SWAP
import triton
import triton.language as tl


@triton.jit
def integers(x, y, n):
    i = tl.arange(0, 16)
    j = i[:, None] * 16 + i[None, :]
    tl.atomic_add(x + j, i[:, None], mask=(i < n)[None, :])
    tl.atomic_max(x + i, i)
    tl.atomic_min(x + i, 1.9)  # converted, as a store does
    (x + i).atomic_and(i)
    (x + i).atomic_or(i)
    (x + i).atomic_xor(i)
    tl.store(x, x.atomic_xchg(3))
    tl.atomic_max(y, n)
    tl.atomic_min(y, n, mask=n > 0)


# INTEGERS-LABEL: tt.func public @integers
# INTEGERS-DAG:   %[[ALL:.+]] = arith.constant dense<true> : tensor<16xi1>
# INTEGERS-DAG:   %[[TRUE:.+]] = arith.constant true
# INTEGERS-DAG:   %[[ONE:.+]] = arith.constant dense<1> : tensor<16xi32>
# INTEGERS:       %[[MASK:.+]] = tt.broadcast %{{.+}} : tensor<1x16xi1> -> tensor<16x16xi1>
# INTEGERS:       %[[VALUE:.+]] = tt.broadcast %{{.+}} : tensor<16x1xi32> -> tensor<16x16xi32>
# INTEGERS:       tt.atomic_rmw add, acq_rel, gpu, %{{.+}}, %[[VALUE]], %[[MASK]] : (tensor<16x16x!tt.ptr<i32>>, tensor<16x16xi32>, tensor<16x16xi1>) -> tensor<16x16xi32>
# INTEGERS:       tt.atomic_rmw max, acq_rel, gpu, %{{.+}}, %[[ALL]] :
# INTEGERS:       tt.atomic_rmw min, acq_rel, gpu, %{{.+}}, %[[ONE]], %[[ALL]] :
# INTEGERS:       tt.atomic_rmw and, acq_rel, gpu,
# INTEGERS:       tt.atomic_rmw or, acq_rel, gpu,
# INTEGERS:       tt.atomic_rmw xor, acq_rel, gpu,
# INTEGERS:       %[[OLD:.+]] = tt.atomic_rmw exch, acq_rel, gpu, %x, %{{.+}}, %[[TRUE]] : (!tt.ptr<i32>, i32, i1) -> i32
# INTEGERS:       tt.store %x, %[[OLD]]
# INTEGERS:       %[[N:.+]] = arith.extsi %n : i32 to i64
# INTEGERS:       tt.atomic_rmw umax, acq_rel, gpu, %y, %[[N]], %[[TRUE]] : (!tt.ptr<i64>, i64, i1) -> i64
# INTEGERS:       tt.atomic_rmw umin, acq_rel, gpu, %y, %[[N]], %{{.+}} :


@triton.jit
def constant_masks(x):
    tl.atomic_add(x, 1, mask=True)
    tl.atomic_add(x + tl.arange(0, 16), 1, mask=False)


# MASKS-LABEL: tt.func public @constant_masks
# MASKS-DAG:   %[[NONE:.+]] = arith.constant dense<false> : tensor<16xi1>
# MASKS-DAG:   %[[TRUE:.+]] = arith.constant true
# MASKS:       tt.atomic_rmw add, acq_rel, gpu, %x, %{{.+}}, %[[TRUE]] : (!tt.ptr<i32>, i32, i1) -> i32
# MASKS:       tt.atomic_rmw add, acq_rel, gpu, %{{.+}}, %[[NONE]] :


@triton.jit
def floats(x, y, z, v):
    tl.atomic_add(x, v)
    tl.atomic_add(y, v)
    tl.atomic_add(z, v)
    tl.atomic_xchg(z, v)


# FLOATS-LABEL: tt.func public @floats
# FLOATS:       tt.atomic_rmw fadd, acq_rel, gpu, %x, %{{.+}} : (!tt.ptr<f16>, f16, i1) -> f16
# FLOATS:       tt.atomic_rmw fadd, acq_rel, gpu, %y, %{{.+}} : (!tt.ptr<bf16>, bf16, i1) -> bf16
# FLOATS:       tt.atomic_rmw fadd, acq_rel, gpu, %z, %{{.+}} : (!tt.ptr<f64>, f64, i1) -> f64
# FLOATS:       tt.atomic_rmw exch, acq_rel, gpu, %z, %{{.+}} : (!tt.ptr<f64>, f64, i1) -> f64


@triton.jit
def extrema(x, y, n):
    i = tl.arange(0, 16)
    v = tl.load(x + i)
    old = tl.atomic_max(x + i, v, mask=i < n)
    tl.store(x + i, old)
    tl.store(y, tl.atomic_min(y, tl.load(y), sem="relaxed"))


# The bits compare as integers do: signed where the sign bit is clear, the other way round where it is set.
# EXTREMA-LABEL: tt.func public @extrema
# EXTREMA:       %[[V:.+]] = tt.load
# EXTREMA:       %[[MASK:.+]] = arith.cmpi slt,
# EXTREMA:       %[[BITS:.+]] = tt.bitcast %[[V]] : tensor<16xf32> -> tensor<16xi32>
# EXTREMA:       %[[P:.+]] = tt.bitcast %{{.+}} : tensor<16x!tt.ptr<f32>> -> tensor<16x!tt.ptr<i32>>
# EXTREMA:       %[[SIGN:.+]] = arith.shrui %[[BITS]], %{{.+}} : tensor<16xi32>
# EXTREMA:       %[[NEGATIVE:.+]] = arith.cmpi ne, %[[SIGN]], %{{.+}} : tensor<16xi32>
# EXTREMA:       %[[ABOVE:.+]] = tt.atomic_rmw max, acq_rel, gpu, %[[P]], %[[BITS]], %{{.+}} : (tensor<16x!tt.ptr<i32>>, tensor<16xi32>, tensor<16xi1>) -> tensor<16xi32>
# EXTREMA:       %[[WHERE:.+]] = arith.andi %[[MASK]], %[[NEGATIVE]] : tensor<16xi1>
# EXTREMA:       %[[BELOW:.+]] = tt.atomic_rmw umin, acq_rel, gpu, %[[P]], %[[BITS]], %[[WHERE]] :
# EXTREMA:       %[[OLD:.+]] = arith.select %{{.+}}, %[[ABOVE]], %[[BELOW]] : tensor<16xi1>, tensor<16xi32>
# EXTREMA:       tt.bitcast %[[OLD]] : tensor<16xi32> -> tensor<16xf32>
# EXTREMA:       tt.bitcast %{{.+}} : f64 -> i64
# EXTREMA:       tt.atomic_rmw min, relaxed, gpu, %{{.+}} : (!tt.ptr<i64>, i64, i1) -> i64
# EXTREMA:       tt.atomic_rmw umax, relaxed, gpu, %{{.+}} : (!tt.ptr<i64>, i64, i1) -> i64


@triton.jit
def orders(x, n):
    tl.atomic_add(x, n, sem="relaxed", scope="cta")
    tl.atomic_add(x, n, sem="acquire", scope="gpu")
    tl.atomic_add(x, n, sem="release", scope="sys")
    tl.atomic_add(x, n, sem="acq_rel", scope=None)


# ORDERS-LABEL: tt.func public @orders
# ORDERS:       tt.atomic_rmw add, relaxed, cta, %x
# ORDERS:       tt.atomic_rmw add, acquire, gpu, %x
# ORDERS:       tt.atomic_rmw add, release, sys, %x
# ORDERS:       tt.atomic_rmw add, acq_rel, gpu, %x


@triton.jit
def swap(lock, words, halves):
    tl.store(lock, tl.atomic_cas(lock, tl.full((), 0, tl.int64), tl.full((), 1, tl.int64), sem="acquire"))
    tl.atomic_cas(words, 0, 1, scope="sys")  # the same bits, whatever the sign
    i = tl.arange(0, 16)
    v = tl.load(halves + i)
    (halves + i).atomic_cas(v, v)


# SWAP-LABEL: tt.func public @swap
# SWAP:       tt.atomic_cas acquire, gpu, %lock, %{{.+}}, %{{.+}} : (!tt.ptr<i64>, i64, i64) -> i64
# SWAP:       tt.atomic_cas acq_rel, sys, %words, %{{.+}}, %{{.+}} : (!tt.ptr<i32>, i32, i32) -> i32
# SWAP:       tt.atomic_cas acq_rel, gpu, %{{.+}}, %[[V:.+]], %[[V]] : (tensor<16x!tt.ptr<f16>>, tensor<16xf16>, tensor<16xf16>) -> tensor<16xf16>
