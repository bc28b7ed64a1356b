# Loads of tiles become copies by tensor maps if addresses and masks have the form of one; a remark names the condition
# that another load fails.
# RUN: tessera compile %s -n product -s '*fp16:16,*fp16:16,*fp32:16,i32,i32,i32,i32:16,i32:16,i32:16,64,64,32' --tma auto --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=ACTS
# RUN: tessera compile %s -n product -s '*fp16:16,*fp16:16,*fp32:16,i32,i32,i32,i32:16,i32:16,i32:16,64,64,32' --tma off --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=OFF
# RUN: tessera compile %s -n product -s '*fp16:16,*fp16:16,*fp32:16,i32,i32,i32,i32:16,i32:16,i32:16,64,64,32' --tma auto --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=SAYS
# RUN: tessera compile %s -n product -s '*fp16:16,*fp16:16,*fp32:16,i32,i32,i32,i32,i32:16,i32:16,64,64,32' --tma auto --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=STRIDE
# RUN: tessera compile %s -n product -s '*fp16,*fp16:16,*fp32:16,i32,i32,i32,i32:16,i32:16,i32:16,64,64,32' --tma auto --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=BASE
# RUN: tessera compile %s -n others -s '*fp16:16,*fp16:16,*fp32:16,i32,i32:16,1.0' --tma auto --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=FILL
# RUN: tessera compile %s -n wrapped -s '*fp16:16,*fp16:16,*fp32:16,i32,i32,i32:16,True' --tma auto --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=UNSEEN
# RUN: tessera compile %s -n wrapped -s '*fp16:16,*fp16:16,*fp32:16,i32,i32,i32:16,False' --tma auto --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=SEEN
# RUN: tessera compile %s -n clamped -s '*fp16:16,*fp16:16,*fp32:16,i32,i32,i32:16,0' --tma auto --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=CLAMPED
# RUN: tessera compile %s -n clamped -s '*fp16:16,*fp16:16,*fp32:16,i32,i32,i32:16,1' --tma auto --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=CLAMPED
# RUN: tessera compile %s -n clamped -s '*fp16:16,*fp16:16,*fp32:16,i32,i32,i32:16,2' --tma auto --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=CLAMPED
# RUN: tessera compile %s -n clamped -s '*fp16:16,*fp16:16,*fp32:16,i32,i32,i32:16,5' --tma auto --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=CLAMPED
# RUN: tessera compile %s -n clamped -s '*fp16:16,*fp16:16,*fp32:16,i32,i32,i32:16,3' --tma auto --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=OTHER
# RUN: tessera compile %s -n clamped -s '*fp16:16,*fp16:16,*fp32:16,i32,i32,i32:16,4' --tma auto --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=MISSED
# RUN: tessera compile %s -n negative -s '*fp16:16,*fp16:16,*fp32:16,i32,i32:16,i32' --tma auto --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=START
# RUN: tessera compile %s -n written -s '*fp16:16,*fp16:16,i32,i32:16' --tma auto --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=WRITTEN
# RUN: tessera compile %s -n described -s '*fp16:16,*fp16:16,*fp32:16,i32,i32,i32:16' --tma auto --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=DESCRIBED
# RUN: tessera compile %s -n described -s '*fp16:16,*fp16:16,*fp32:16,i32,i32,i32:16' --tma auto --ptx-version 81 --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=NEGATIVE
# RUN: tessera compile %s -n listed -s '*i64:16,*fp16:16,*fp32:16,*i32,i32,i32,0' --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=LISTED
# RUN: tessera compile %s -n listed -s '*i64:16,*fp16:16,*fp32:16,*i32,i32,i32,0' --no-cache --emit ptx -o - | FileCheck %s --check-prefix=MADE
# RUN: tessera compile %s -n listed -s '*i64:16,*fp16:16,*fp32:16,*i32,i32,i32,0' --ptx-version 81 --no-cache --emit ptx -o - | FileCheck %s --check-prefix=OLD
# RUN: tessera compile %s -n listed -s '*i64:16,*fp16:16,*fp32:16,*i32,i32,i32,0' --warp-specialize on --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=ROLES
# RUN: tessera compile %s -n listed -s '*i64:16,*fp16:16,*fp32:16,*i32,i32,i32,1' --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=STORED
# RUN: tessera compile %s -n product -s '*fp16:16,*fp16:16,*fp32:16,i32,i32,i32,i32:16,i32:16,i32:16,64,64,32' --tma auto --num-stages 1 --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=ALONE
# RUN: tessera compile %s -n of_bytes -s '*i8:16,*fp16:16,*fp32:16,i32,i32:16' --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=BYTES
# RUN: tessera compile %s -n far -s '*fp16:16,*fp16:16,*fp32:16,i32' --no-cache --remarks --emit ttgir -o - 2>&1 | FileCheck %s --check-prefix=FAR
# RUN: tessera compile %s -n wide -s '*fp16:16,*fp16:16,*fp32:16,i32,i64:16' --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=WIDE
# RUN: tessera compile %s -n many -s '*fp16:16,*fp16:16,*fp32:16,i32,i32:16,15' --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=FEW
# RUN: tessera compile %s -n many -s '*fp16:16,*fp16:16,*fp32:16,i32,i32:16,16' --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=MANY
# RUN: tessera compile %s -n waits -s '*fp16:16,*fp16:16,*fp32:16,*i32,i32,0' --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=WAITS
# RUN: tessera compile %s -n waits -s '*fp16:16,*fp16:16,*fp32:16,*i32,i32,1' --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=WAITS
# RUN: tessera compile %s -n float_bits -s '*fp16:16,*fp16:16,*fp32:16,i32,fp32' --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=BITS
# RUN: tessera compile %s -n heads -s '*fp16:16,*fp16:16,*fp32:16,i32,64' --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=HEADS
import triton
import triton.language as tl


# The launcher builds two maps: extents are the mask's bounds, strides the rows' distances. One barrier tells that a
# slot's two tiles have arrived.
# ACTS: tt.func public @product
# ACTS-NOT: tt.load
# ACTS: ttng.init_barrier
# ACTS: ttng.barrier_expect
# ACTS-COUNT-2: ttng.async_tma_copy_global_to_local
# ACTS: scf.for
# ACTS: ttng.wait_barrier
# ACTS: ttng.warp_group_dot
# ACTS-NOT: tt.load
# OFF-NOT: tma
# OFF: ttg.async_copy_global_to_local
# SAYS-COUNT-2: nvidia-promote-loads: the tile is copied by a tensor map of 2 dimensions
# STRIDE: nvidia-promote-loads: the tile is not copied by a tensor map: a stride is not known to be a multiple of 16 bytes
# STRIDE: nvidia-promote-loads: the tile is copied by a tensor map
# BASE: nvidia-promote-loads: the tile is not copied by a tensor map: its pointer is not known to be a multiple of 16 bytes
# A loop that is not pipelined copies and waits (nvidia-lower-descriptor-loads).
# ALONE: scf.for
# ALONE: ttng.async_tma_copy_global_to_local
# ALONE: ttng.wait_barrier
# ALONE: ttng.inval_barrier
# ALONE: ttng.warp_group_dot
@triton.jit
def product(a, b, c, M, N, K, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        rk = k + tl.arange(0, BK)
        x = tl.load(a + rm[:, None] * sa + rk[None, :], (rm[:, None] < M) & (rk[None, :] < K), 0.0)
        y = tl.load(b + rk[:, None] * sb + rn[None, :], (rk[:, None] < K) & (rn[None, :] < N), 0.0)
        acc = tl.dot(x, y, acc)
    tl.store(c + rm[:, None] * sc + rn[None, :], acc, (rm[:, None] < M) & (rn[None, :] < N))


# FILL: the tile is not copied by a tensor map: masked elements are not zero
@triton.jit
def others(a, b, c, K, stride, other: tl.constexpr):
    r = tl.arange(0, 64)
    acc = tl.zeros((64, 64), tl.float32)
    for k in range(0, K, 64):
        x = tl.load(a + r[:, None] * stride + k + r[None, :], (k + r)[None, :] < K, other)
        y = tl.load(b + (k + r)[:, None] * stride + r[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + r[:, None] * 64 + r[None, :], acc)


# Rows behind the last one wrap around to the first. A copy reads zeros there, which nobody sees if the store leaves them out.
# UNSEEN: the tile is copied by a tensor map
# SEEN: the tile is not copied by a tensor map: its indices are changed beyond a bound, and elements from there on may be seen
@triton.jit
def wrapped(a, b, c, M, K, stride, masked: tl.constexpr):
    r = tl.arange(0, 64)
    rm = tl.program_id(0) * 64 + r
    acc = tl.zeros((64, 64), tl.float32)
    for k in range(0, K, 64):
        x = tl.load(a + (rm % M)[:, None] * stride + k + r[None, :], (k + r)[None, :] < K, 0.0)
        y = tl.load(b + (k + r)[:, None] * stride + r[None, :], (k + r)[:, None] < K, 0.0)
        acc = tl.dot(x, y, acc)
    place = c + rm[:, None] * 64 + r[None, :]
    if masked:
        tl.store(place, acc, rm[:, None] < M)
    else:
        tl.store(place, acc)


# Rows behind the last one read another row, and are masked there or not seen. A bound that is not the store's, and a choice that
# is not the compared index, are other matters.
# CLAMPED-COUNT-2: the tile is copied by a tensor map
# OTHER: the tile is not copied by a tensor map: its indices are changed beyond a bound, and elements from there on may be seen
# MISSED: the tile is not copied by a tensor map: its addresses are not sums of products of indices
@triton.jit
def clamped(a, b, c, M, K, stride, how: tl.constexpr):
    r = tl.arange(0, 64)
    rm = tl.program_id(0) * 64 + r
    if how == 0:
        row = tl.where(rm < M, rm, 0)
    elif how == 1:
        row = tl.minimum(rm, M - 1)
    elif how == 2:
        row = tl.max_contiguous(tl.multiple_of(tl.where(M - 1 >= rm, rm, M - 1), 64), 64)
    elif how == 5:
        row = tl.minimum(M - 1, rm)
    elif how == 3:
        row = tl.where(rm <= M, rm, 0)
    else:
        row = tl.where(rm < M, rm + 1, 0)
    acc = tl.zeros((64, 64), tl.float32)
    for k in range(0, K, 64):
        inside = (k + r)[None, :] < K
        if how == 1:
            inside = inside & (rm[:, None] < M)
        x = tl.load(a + row[:, None] * stride + k + r[None, :], inside, 0.0)
        y = tl.load(b + (k + r)[:, None] * stride + r[None, :], (k + r)[:, None] < K, 0.0)
        acc = tl.dot(x, y, acc)
    tl.store(c + rm[:, None] * 64 + r[None, :], acc, rm[:, None] < M)


# A copy reads zeros in front of the tensor; the load would read what is there.
# START: the tile is not copied by a tensor map: a start is not known to be positive or zero
@triton.jit
def negative(a, b, c, K, stride, shift):
    r = tl.arange(0, 64)
    acc = tl.zeros((64, 64), tl.float32)
    for k in range(0, K, 64):
        x = tl.load(a + (tl.program_id(0) * 64 - tl.program_id(1) * shift + r)[:, None] * stride + k + r[None, :])
        y = tl.load(b + (k + r)[:, None] * stride + r[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + r[:, None] * 64 + r[None, :], acc)


# WRITTEN: the tile is not copied by a tensor map: the kernel may write the memory that it reads
@triton.jit
def written(a, b, K, stride):
    r = tl.arange(0, 64)
    acc = tl.zeros((64, 64), tl.float32)
    for k in range(0, K, 64):
        x = tl.load(a + r[:, None] * stride + k + r[None, :])
        y = tl.load(b + (k + r)[:, None] * stride + r[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(a + r[:, None] * 64 + r[None, :], acc.to(tl.float16))


# A descriptor's tiles have unsigned comparisons with its extents, which are not negative where a launch builds a map. Those of the
# second one's rows are compared with a value that may be negative, and then true of all. The kernel could make its map.
# DESCRIBED: the tile is copied by a tensor map
# DESCRIBED: the tile is not copied by a tensor map: the kernel would have to make a tensor map for each product
# NEGATIVE: the tile is copied by a tensor map
# NEGATIVE: the tile is not copied by a tensor map: its mask compares with a bound that might be negative
@triton.jit
def described(a, b, c, M, K, stride):
    r = tl.arange(0, 64)
    x = tl.make_tensor_descriptor(a, [M, K], [stride, 1], [64, 64])
    acc = tl.zeros((64, 64), tl.float32)
    for k in range(0, K, 64):
        y = tl.make_tensor_descriptor(b, [M - tl.program_id(0), K], [stride, 1], [64, 64])
        acc = tl.dot(x.load([64, k]), y.load([0, k]).T, acc)
    tl.store(c + r[:, None] * 64 + r[None, :], acc)


# The offset counts elements of the pointer that it was added to.
# BYTES: offset = ["*", "arg3", 2]
@triton.jit
def of_bytes(a, b, c, first, stride):
    r = tl.arange(0, 64)
    halves = a.to(tl.pointer_type(tl.float16), bitcast=True)
    first = tl.multiple_of(first, 8)
    acc = tl.zeros((64, 64), tl.float32)
    for k in range(0, stride, 64):
        x = tl.load(halves + first + r[:, None] * stride + k + r[None, :])
        y = tl.load(b + (k + r)[:, None] * stride + r[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + r[:, None] * 64 + r[None, :], acc)


# Batches have a dimension of their own: along the contiguous one, 32 bits would not count the elements of some thousands.
# FAR-COUNT-2: the tile is copied by a tensor map of 3 dimensions
# FAR: strides = [128, 1048576]
@triton.jit
def far(a, b, c, N):
    r = tl.arange(0, 64)
    batch = tl.program_id(0).to(tl.int64) * (8192 * 64)
    acc = tl.zeros((64, 64), tl.float32)
    for k in range(0, N, 64):
        inside = k + r < N
        x = tl.load(a + batch + (k + r)[None, :] + r[:, None] * 8192, inside[None, :], 0.0)
        y = tl.load(b + batch + (k + r)[:, None] * 64 + r[None, :], inside[:, None], 0.0)
        acc = tl.dot(tl.trans(y), y, acc)
        acc = tl.dot(y, tl.load(b + batch + (k + r)[None, :] * 64 + r[:, None], inside[None, :], 0.0), acc)
    tl.store(c + r[:, None] * 64 + r[None, :], acc)


# WIDE: the tile is not copied by a tensor map: a start is a number of 64 bits
# WIDE: the tile is copied by a tensor map
@triton.jit
def wide(a, b, c, N, first):
    r = tl.arange(0, 64)
    start = tl.where(first > 0, tl.program_id(0).to(tl.int64) * 1073741824, 0)
    acc = tl.zeros((64, 64), tl.float32)
    for k in range(0, N, 64):
        x = tl.load(a + start + r[:, None] * 512 + k + r[None, :])
        y = tl.load(b + (k + r)[:, None] * 512 + r[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + r[:, None] * 64 + r[None, :], acc)


# A launch builds 16 maps, and knows where there is none: a map that the kernel made would have no way back.
# FEW-NOT: not copied
# MANY: the tile is not copied by a tensor map: a launch builds no more tensor maps than those of the kernel's other tiles
# MANY-NOT: the kernel itself makes the tensor map
@triton.jit
def many(a, b, c, N, stride, COUNT: tl.constexpr):
    r = tl.arange(0, 64)
    acc = tl.zeros((64, 64), tl.float32)
    for k in range(0, N, 64):
        y = tl.load(b + (k + r)[:, None] * stride + r[None, :])
        for i in tl.static_range(COUNT):
            acc = tl.dot(tl.load(a + i * 64 + r[:, None] * stride + k + r[None, :]), y, acc)
    tl.store(c + r[:, None] * 64 + r[None, :], acc)


# Another kernel may write the matrices before it sets the flag.
# WAITS-COUNT-2: the tile is not copied by a tensor map: the kernel may wait for what other programs write
@triton.jit
def waits(a, b, c, flag, N, KIND: tl.constexpr):
    r = tl.arange(0, 64)
    if KIND:
        while tl.atomic_add(flag, 0, sem="relaxed") == 0:
            pass
    else:
        while tl.load(flag, volatile=True) == 0:
            pass
    acc = tl.zeros((64, 64), tl.float32)
    for k in range(0, N, 64):
        x = tl.load(a + r[:, None] * 512 + k + r[None, :])
        y = tl.load(b + (k + r)[:, None] * 512 + r[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + r[:, None] * 64 + r[None, :], acc)


# Recipes have no bits of floats.
# BITS: the tile is not copied by a tensor map: a stride is not known at launch
# BITS: the tile is copied by a tensor map
@triton.jit
def float_bits(a, b, c, N, bits):
    r = tl.arange(0, 64)
    stride = tl.multiple_of(bits.to(tl.int32, bitcast=True), 16)
    acc = tl.zeros((64, 64), tl.float32)
    for k in range(0, N, 64):
        x = tl.load(a + r[:, None] * stride + k + r[None, :])
        y = tl.load(b + (k + r)[:, None] * 512 + r[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + r[:, None] * 64 + r[None, :], acc)


# The address of a matrix and its sizes come from memory: the kernel makes the map, and several products use it. No map has an
# extent of 0; that of one element is made instead, and tiles lie outside of it. Warps of their own cannot make maps.
# LISTED: scf.for
# LISTED: %[[ADDRESS:.*]] = tt.int_to_ptr
# LISTED: %[[SIZE:.*]] = tt.load
# LISTED: %[[HINT:.*]] = tt.bitcast %[[ADDRESS]]
# LISTED: %[[EXTENT:.*]] = arith.maxsi %[[SIZE]], %c1_i32
# LISTED: tt.make_tensor_descriptor %[[HINT]], [%[[EXTENT]],
# LISTED: scf.for
# LISTED: arith.select %{{.*}}, %{{.*}}, %c-1073741824_i32
# LISTED: ttng.async_tma_copy_global_to_local
# MADE: .version 8.6
# MADE: tensormap.replace.tile.global_address
# OLD: .version 8.1
# OLD-NOT: tensormap.replace
# ROLES: no warps of their own start the copies of tiles: a start of a copy depends on 'tt.load'
# STORED: nvidia-promote-loads: the tile is not copied by a tensor map: the kernel may write the memory that it reads
@triton.jit
def listed(addresses, b, c, sizes, count, K, STORES: tl.constexpr):
    r = tl.arange(0, 64)
    for matrix in range(count):
        base = tl.load(addresses + matrix).to(tl.pointer_type(tl.float16))
        rows = tl.load(sizes + matrix)
        x = tl.make_tensor_descriptor(base, [rows, K], [128, 1], [64, 64])
        for row in range(0, rows, 64):
            acc = tl.zeros((64, 64), tl.float32)
            for k in range(0, K, 64):
                y = tl.load(b + (k + r)[:, None] * 64 + r[None, :])
                acc = tl.dot(x.load([row, k]), y, acc)
            tl.store(c + row * 64 + r[:, None] * 64 + r[None, :], acc)
            if STORES:
                tl.store(base + r, 0.0)


# Nobody says that the number of rows is positive: the rows of a head are a stride, which the launcher checks, and no
# part of the first row's number.
# HEADS: nvidia-promote-loads: the tile is copied by a tensor map of 3 dimensions
@triton.jit
def heads(a, b, c, rows, D: tl.constexpr):
    m, n, d = tl.program_id(0) * 64 + tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, D)
    head = tl.program_id(1).to(tl.int64) * rows * D
    x = tl.load(a + head + m[:, None] * D + d[None, :])
    acc = tl.zeros((64, 64), tl.float32)
    for first in range(0, rows, 64):
        acc += tl.dot(x, tl.load(b + head + (first + n)[None, :] * D + d[:, None]))
    tl.store(c + tl.program_id(1) * rows * 64 + m[:, None] * 64 + n[None, :], acc)
