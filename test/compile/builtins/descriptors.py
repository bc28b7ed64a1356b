# Tensor descriptors (tl.make_tensor_descriptor and its methods) where the target has a TMA engine.
# RUN: tessera compile %s -n blocks -s "*fp16,*i32,*i64,i32,i64" --emit ttir -o - | FileCheck %s --check-prefix=BLOCKS
# RUN: tessera compile %s -n reductions -s "*i32,*u64,i32" --emit ttir -o - | FileCheck %s --check-prefix=REDUCE
# RUN: tessera compile %s -n halves -s "*bf16,i32" --emit ttir -o - | FileCheck %s --check-prefix=HALVES
# RUN: tessera compile %s -n rows -s "*fp32,i32" --emit ttir -o - | FileCheck %s --check-prefix=ROWS
import triton
import triton.language as tl


@triton.jit
def blocks(x, y, z, M, N):
    d = tl.make_tensor_descriptor(x, [M, N], [N, 1], [16, 32], padding_option="nan")
    e = tl.make_tensor_descriptor(y, shape=[M], strides=[1], block_shape=[32])
    block = d.load([0, M])
    d.store([16, 0], block)
    again = tl.load_tensor_descriptor(d, [0, 0])
    tl.store_tensor_descriptor(d, [16, 0], again.to(tl.float32) * 0.1)  # converted back
    e.store([M], tl.arange(0, 32))
    tl.static_assert(d.block_shape[1] == 32)
    tl.static_assert(d.dtype == tl.float16)
    tl.store(z, d.shape[1] + d.strides[0])


# Sizes are 32-bit, strides 64-bit; integers have a sign in the descriptor's type.
# BLOCKS-LABEL: tt.func public @blocks
# BLOCKS:       %[[ROW:.+]] = arith.constant 1 : i64
# BLOCKS:       %[[N:.+]] = arith.trunci %N : i64 to i32
# BLOCKS:       %[[D:.+]] = tt.make_tensor_descriptor %x, [%M, %[[N]]], [%N, %[[ROW]]] {padding = 2 : i32} : <f16>, <tensor<16x32xf16>>
# BLOCKS:       %[[E:.+]] = tt.make_tensor_descriptor %y, [%M], [%[[ROW]]] : <i32>, <tensor<32xsi32>>
# BLOCKS:       %[[BLOCK:.+]] = tt.descriptor_load %[[D]][%{{.+}}, %M] : !tt.tensordesc<tensor<16x32xf16>> -> tensor<16x32xf16>
# BLOCKS:       tt.descriptor_store %[[D]][%{{.+}}, %{{.+}}], %[[BLOCK]] : !tt.tensordesc<tensor<16x32xf16>>, tensor<16x32xf16>
# BLOCKS:       %[[AGAIN:.+]] = tt.descriptor_load %[[D]]
# BLOCKS:       %[[WIDE:.+]] = arith.extf %[[AGAIN]] : tensor<16x32xf16> to tensor<16x32xf32>
# BLOCKS:       %[[LESS:.+]] = arith.mulf %[[WIDE]], %{{.+}} : tensor<16x32xf32>
# BLOCKS:       %[[BACK:.+]] = arith.truncf %[[LESS]] : tensor<16x32xf32> to tensor<16x32xf16>
# BLOCKS:       tt.descriptor_store %[[D]][%{{.+}}, %{{.+}}], %[[BACK]]
# BLOCKS:       tt.descriptor_store %[[E]][%M], %{{.+}} : !tt.tensordesc<tensor<32xsi32>>, tensor<32xi32>
# BLOCKS:       %[[SIZE:.+]] = arith.extsi %[[N]] : i32 to i64
# BLOCKS:       arith.addi %[[SIZE]], %N : i64


@triton.jit
def reductions(x, y, n):
    d = tl.make_tensor_descriptor(x, [n, 8], [8, 1], [4, 8])
    v = d.load([0, 0])
    d.atomic_add([0, 0], v)
    d.atomic_min([0, 0], v)
    d.atomic_max([0, 0], v)
    d.atomic_and([0, 0], v)
    d.atomic_or([0, 0], v)
    d.atomic_xor([n, 0], v)
    e = tl.make_tensor_descriptor(y, [n], [1], [16])
    e.atomic_max([n], e.load([0]))


# REDUCE-LABEL: tt.func public @reductions
# REDUCE:       tt.descriptor_reduce add, %[[D:.+]][%{{.+}}, %{{.+}}], %[[V:.+]] : !tt.tensordesc<tensor<4x8xsi32>>, tensor<4x8xi32>
# REDUCE:       tt.descriptor_reduce min, %[[D]][%{{.+}}, %{{.+}}], %[[V]]
# REDUCE:       tt.descriptor_reduce max, %[[D]][%{{.+}}, %{{.+}}], %[[V]]
# REDUCE:       tt.descriptor_reduce and, %[[D]][%{{.+}}, %{{.+}}], %[[V]]
# REDUCE:       tt.descriptor_reduce or, %[[D]][%{{.+}}, %{{.+}}], %[[V]]
# REDUCE:       tt.descriptor_reduce xor, %[[D]][%n, %{{.+}}], %[[V]]
# REDUCE:       tt.descriptor_reduce max, %{{.+}}[%n], %{{.+}} : !tt.tensordesc<tensor<16xui64>>, tensor<16xi64>


@triton.jit
def halves(x, n):
    d = tl.make_tensor_descriptor(x, [n], [1], [16])
    d.atomic_min([n], d.load([0]))


# HALVES: tt.descriptor_reduce min, %{{.+}}[%n], %{{.+}} : !tt.tensordesc<tensor<16xbf16>>, tensor<16xbf16>


@triton.jit
def rows(x, n):
    d = tl.make_tensor_descriptor(x, [n, n], [n, 1], [1, 32])
    i = tl.arange(0, 16)
    block = d.gather(i * 2, n)
    d.scatter(block, i, 0)


# ROWS-LABEL: tt.func public @rows
# ROWS:       %[[BLOCK:.+]] = tt.descriptor_gather %[[D:.+]][%{{.+}}, %n] : (!tt.tensordesc<tensor<1x32xf32>>, tensor<16xi32>, i32) -> tensor<16x32xf32>
# ROWS:       tt.descriptor_scatter %[[D]][%{{.+}}, %{{.+}}], %[[BLOCK]] : !tt.tensordesc<tensor<1x32xf32>>, tensor<16xi32>, i32, tensor<16x32xf32>
