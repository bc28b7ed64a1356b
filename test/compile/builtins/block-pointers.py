# Block pointers become addresses, and masks where boundaries are checked (tl.make_block_ptr, tl.advance).
# RUN: tessera compile %s -n copy -s "*fp16,*fp16,i32,i64" --emit ttir -o - | FileCheck %s --check-prefix=COPY
# RUN: tessera compile %s -n checks -s "*fp32,i32,i32" --emit ttir -o - | FileCheck %s --check-prefix=CHECKS
# RUN: tessera compile %s -n bools -s "*u1,u32" --emit ttir -o - | FileCheck %s --check-prefix=BOOLS
# RUN: tessera compile %s -n single_numbers -s "*fp32,i32" --emit ttir -o - | FileCheck %s --check-prefix=SINGLE
# RUN: tessera compile %s -n fill -s "*i32,i32" --emit ttir -o - | FileCheck %s --check-prefix=FILL
import triton
import triton.language as tl


@triton.jit
def copy(x, y, M, N):
    source = tl.make_block_ptr(x, (M, N), (N, 1), (0, 16), (16, 32), (1, 0))
    target = tl.make_block_ptr(y, [M, N], [N, 1], [M, 0], [16, 32], [1, 0])
    target = target.advance((0, 32))
    block = tl.load(source, cache_modifier=".cg", eviction_policy="evict_first", volatile=True)
    tl.store(target, block, cache_modifier=".cs", eviction_policy="evict_last")


# Nothing is checked, so nothing is masked. Sizes and strides are 64-bit, offsets 32-bit and extended.
# COPY-LABEL: tt.func public @copy
# COPY-NOT:   tt.make_tensor_ptr
# COPY-NOT:   tt.advance
# COPY:       arith.extsi %M : i32 to i64
# COPY:       %[[BLOCK:.+]] = tt.load %{{[a-z0-9_]+}} cacheModifier = cg evictionPolicy = evict_first {isVolatile = true} : tensor<16x32x!tt.ptr<f16>>
# COPY:       tt.store %{{[a-z0-9_]+}}, %[[BLOCK]] cacheModifier = cs evictionPolicy = evict_last : tensor<16x32x!tt.ptr<f16>>


@triton.jit
def checks(x, M, N):
    p = tl.make_block_ptr(x, (M, N), (N, 1), (0, 0), (16, 32), (1, 0))
    zeros = tl.load(p, boundary_check=(1, 0), padding_option="zero")
    nans = tl.load(p, boundary_check=(0,), padding_option="nan")
    tl.store(p, zeros + nans, boundary_check=(1,))


# CHECKS-LABEL: tt.func public @checks
# CHECKS-DAG:   %[[NAN:.+]] = arith.constant dense<0x7FC00000> : tensor<16x32xf32>
# CHECKS-DAG:   %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : tensor<16x32xf32>
# CHECKS:       %[[ZEROS:.+]] = tt.load %[[P:.+]], %{{.+}}, %[[ZERO]] : tensor<16x32x!tt.ptr<f32>>
# CHECKS:       %[[NANS:.+]] = tt.load %[[P]], %{{.+}}, %[[NAN]] : tensor<16x32x!tt.ptr<f32>>
# CHECKS:       %[[SUM:.+]] = arith.addf %[[ZEROS]], %[[NANS]]
# CHECKS:       tt.store %[[P]], %[[SUM]], %{{.+}} : tensor<16x32x!tt.ptr<f32>>


@triton.jit
def bools(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (32,), (0,))
    tl.store(p, tl.load(p))


# A bool in memory is a byte.
# BOOLS-LABEL: tt.func public @bools
# BOOLS:       %[[BYTES:.+]] = tt.bitcast %x : !tt.ptr<i1> -> !tt.ptr<i8>
# BOOLS:       tt.splat %[[BYTES]] : !tt.ptr<i8> -> tensor<32x!tt.ptr<i8>>
# BOOLS:       %[[VALUE:.+]] = tt.load %{{.+}} : tensor<32x!tt.ptr<i8>>
# BOOLS:       tt.store %{{.+}}, %[[VALUE]] : tensor<32x!tt.ptr<i8>>


@triton.jit
def single_numbers(x, n):
    p = tl.make_block_ptr(x, n, 1, 0, 32, 0)
    tl.store(p, tl.load(p, boundary_check=0))


# One number is a list of one, and 0 is an axis.
# SINGLE-LABEL: tt.func public @single_numbers
# SINGLE:       tt.load %{{.+}}, %{{.+}} : tensor<32x!tt.ptr<f32>>


@triton.jit
def fill(x, n):
    p = tl.make_block_ptr(x, (n, 4, 8), (32, 8, 1), (n, 0, 1), (2, 4, 8), (2, 1, 0))
    p.store(7, boundary_check=(0,))


# FILL-LABEL: tt.func public @fill
# FILL:       %[[SEVEN:.+]] = arith.constant dense<7> : tensor<2x4x8xi32>
# FILL:       %[[MASK:.+]] = tt.broadcast %{{.+}} : tensor<2x1x1xi1> -> tensor<2x4x8xi1>
# FILL:       tt.store %{{.+}}, %[[SEVEN]], %[[MASK]] : tensor<2x4x8x!tt.ptr<i32>>
