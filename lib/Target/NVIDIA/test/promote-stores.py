# Stores of tiles through descriptors become copies by tensor maps; a remark names the condition that another store fails.
# RUN: tessera compile %s -n loop -s '*fp16:16,*fp16:16,*i32,i32,i32:16,i32:16,0' --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=LOOP
# RUN: tessera compile %s -n loop -s '*fp16:16,*fp16:16,*i32,i32,i32:16,i32:16,0' --no-cache --emit ptx -o - | FileCheck %s --check-prefix=PTX
# RUN: tessera compile %s -n loop -s '*fp16:16,*fp16:16,*i32,i32,i32:16,i32:16,0' --tma off --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=OFF
# RUN: tessera compile %s -n loop -s '*fp16:16,*fp16:16,*i32,i32,i32:16,i32:16,0' --target cuda:80 --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=OFF
# RUN: tessera compile %s -n loop -s '*fp16:16,*fp16:16,*i32,i32,i32:16,i32:16,1' --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=KERNEL
# RUN: tessera compile %s -n loop -s '*fp16:16,*fp16:16,*i32,i32,i32:16,i32:16,1' --ptx-version 81 --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=OLD
# RUN: tessera compile %s -n loop -s '*fp16:16,*fp16:16,*i32,i32,i32:16,i32:16,2' --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=EACH
# RUN: tessera compile %s -n loop -s '*fp16:16,*fp16:16,*i32,i32,i32:16,i32:16,3' --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=BARRIER
# RUN: tessera compile %s -n loop -s '*fp16:16,*fp16:16,*i32,i32,i32:16,i32:16,4' --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=RELEASE
# RUN: tessera compile %s -n loop -s '*fp16:16,*fp16:16,*i32,i32,i32:16,i32:16,5' --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=WAITS
# RUN: tessera compile %s -n loop -s '*fp16:16,*fp16:16,*i32,i32,i32:16,i32:16,6' --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=READS
# RUN: tessera compile %s -n loop -s '*fp16:16,*fp16:16,*i32,i32,i32:16,i32:16,7' --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=WRITES
# RUN: tessera compile %s -n loop -s '*fp16:16,*fp16:16,*i32,i32,i32:16,i32:16,8' --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=CODE
# RUN: tessera compile %s -n loop -s '*fp16:16,*fp16:16,*i32,i32,i32:16,i32:16,9' --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=HELD
# RUN: tessera compile %s -n flat -s '*fp16:16,*fp16:16,i32,i32,i32:16' --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=FLAT
# RUN: tessera compile %s -n two -s '*fp16:16,*fp16:16,*fp16:16,i32,i32:16,i32:16,64,0' --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=SAME
# RUN: tessera compile %s -n two -s '*fp16:16,*fp16:16,*fp16:16,i32,i32:16,i32:16,32,0' --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=OTHERS
# RUN: tessera compile %s -n two -s '*fp16:16,*fp16:16,*fp16:16,i32,i32:16,i32:16,32,1' --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=OVER
# RUN: tessera compile %s -n large -s '*fp16:16,*fp32:16,i32,i32,i32:16' --num-warps 8 --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=LARGE
# RUN: tessera compile %s -n edges -s '*fp16:16,*fp16:16,i32,i32,i32:16,0' --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=CUT
# RUN: tessera compile %s -n edges -s '*fp16:16,*fp16:16,i32,i32,i32:16,0' --no-cache --emit ptx -o - | FileCheck %s --check-prefix=CUTPTX
# RUN: tessera compile %s -n edges -s '*fp16:16,*fp16:16,i32,i32,i32:16,1' --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=NEVER
# RUN: tessera compile %s -n edges -s '*fp16:16,*fp16:16,i32,i32,i32:16,2' --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=FRONT
# RUN: tessera compile %s -n edges -s '*fp16:16,*fp16:16,i32,i32,i32:16,3' --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=SPLIT
# RUN: tessera compile %s -n edges -s '*fp16:16,*fp16:16,i32,i32,i32:16,4' --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=WHOLE
# RUN: tessera compile %s -n edges -s '*fp16:16,*fp16:16,i32,i32,i32:16,5' --no-cache --remarks --emit ttgir -o %t 2>&1 | FileCheck %s --check-prefix=BEFORE
# RUN: tessera compile %s -n once -s '*fp16:16,*fp16:16,i32,i32:16' --no-cache --emit ttgir -o - | FileCheck %s --check-prefix=ONCE
import triton
import triton.language as tl


# The buffer is in front of the loop. Its next tile waits for the writes of the last one, which may be to the same
# place; the kernel ends when the last one has been read.
# LOOP: tt.func public @loop({{.*}} %[[MAP:[^ ]*]]: !tt.tensordesc<tensor<64x64xf16, #[[LAYOUT:.*]]>> {tt.tensor_map = {base = "arg1", extents = ["arg4", "arg3"],
# LOOP: %[[BUFFER:.*]] = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #[[LAYOUT]], #smem, mutable>
# LOOP: scf.for
# LOOP: ttng.warp_group_dot
# LOOP: ttng.async_tma_store_wait {pendings = 0 : i32, written}
# LOOP-NEXT: ttg.local_store %{{.*}}, %[[BUFFER]] : tensor<64x64xf16, #mma>
# LOOP-NEXT: ttng.async_tma_copy_local_to_global %[[MAP]][%{{.*}}, %{{.*}}] %[[BUFFER]]
# LOOP-NOT: tt.store
# LOOP: }
# LOOP: ttng.async_tma_store_wait {pendings = 0 : i32} loc
# LOOP-NEXT: ttg.local_dealloc %[[BUFFER]]
# LOOP-NEXT: tt.return
# Threads write the buffer by matrices, and fence that before one of them starts the copy.
# PTX: cp.async.bulk.wait_group 0;
# PTX: bar.sync
# PTX: stmatrix.sync.aligned.m8n8.x4.shared.b16
# PTX: fence.proxy.async.shared::cta;
# PTX: bar.sync
# PTX: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group
# PTX: cp.async.bulk.commit_group;
# PTX: cp.async.bulk.wait_group.read 0;
# PTX: ret;
# OFF-NOT: tma
# OFF: tt.store
# OFF-NOT: tma
# The kernel makes a map whose parts come from memory: with no extent of 0, for which nothing is copied.
# KERNEL: %[[SIZE:.*]] = tt.load
# KERNEL: %[[EXTENT:.*]] = arith.maxsi %[[SIZE]], %c1_i32
# KERNEL: %[[COLUMNS:.*]] = arith.maxsi %N, %c1_i32
# KERNEL: %[[MAP:.*]] = tt.make_tensor_descriptor %{{.*}}, [%[[EXTENT]], %[[COLUMNS]]]
# KERNEL: scf.for
# KERNEL: %[[ROWS:.*]] = arith.cmpi sgt, %[[SIZE]], %c0_i32
# KERNEL: %[[ANY:.*]] = arith.cmpi sgt, %N, %c0_i32
# KERNEL: %[[BOTH:.*]] = arith.andi %[[ROWS]], %[[ANY]]
# KERNEL: ttng.async_tma_copy_local_to_global %[[MAP]][%{{.*}}, %{{.*}}] %{{[^ ]*}}, %[[BOTH]]
# KERNEL-NOT: tt.store
# OLD: nvidia-promote-stores: the tile is stored by the threads that hold it: its mask compares with a bound that might be negative
# EACH: nvidia-promote-stores: the tile is stored by the threads that hold it: the kernel would have to make a tensor map for each tile
# What comes after a barrier of the program, or a release, comes after the writes.
# BARRIER: ttng.async_tma_copy_local_to_global
# BARRIER-NEXT: ttng.async_tma_store_wait {pendings = 0 : i32, written}
# BARRIER-NEXT: gpu.barrier
# RELEASE: ttng.async_tma_copy_local_to_global
# RELEASE: ttng.async_tma_store_wait {pendings = 0 : i32, written}
# RELEASE-NEXT: tt.atomic_rmw add, acq_rel
# WAITS: nvidia-promote-stores: the tile is stored by the threads that hold it: the kernel may wait for what other programs do
# READS: nvidia-promote-stores: the tile is stored by the threads that hold it: the kernel may read the memory, too
# WRITES: nvidia-promote-stores: the tile is stored by the threads that hold it: the kernel may write the memory in other ways, too
# CODE: nvidia-promote-stores: the tile is stored by the threads that hold it: 'tt.elementwise_inline_asm' may access any memory
# HELD: nvidia-promote-stores: the tile is stored by the threads that hold it: threads hold runs of its rows
@triton.jit
def loop(a, c, sizes, M, N, sc, CASE: tl.constexpr):
    r, k = tl.arange(0, 64), tl.arange(0, 32)
    rows = tl.load(sizes) if CASE == 1 else M
    out = tl.make_tensor_descriptor(c, [rows, N], [sc, 1], [64, 64])
    for row in range(0, M, 64):
        if CASE == 2:
            out = tl.make_tensor_descriptor(c, [tl.load(sizes + row), N], [sc, 1], [64, 64])
        x = tl.load(a + (row + r)[:, None] * 32 + k[None, :], (row + r)[:, None] < M, 0.0)
        y = tl.load(a + r[None, :] * 32 + k[:, None])
        tile = tl.dot(x, y).to(tl.float16)
        if CASE == 9:
            tile = tl.load(a + r[:, None] * 64 + r[None, :])
        out.store([row, 0], tile)
        if CASE == 3:
            tl.debug_barrier()
        if CASE == 4:
            tl.atomic_add(sizes, 1)
        if CASE == 5:
            if tl.atomic_add(sizes, 1) == 5:
                tl.store(sizes + 1, row)
        if CASE == 6:
            tl.store(sizes + r, tl.load(c + r).to(tl.int32))
        if CASE == 7:
            tl.store(c + row, 1.0)
        if CASE == 8:
            tl.store(sizes, tl.inline_asm_elementwise("mov.u32 $0, %clock;", "=r", [], tl.int32, is_pure=False, pack=1))


# Two tiles of one shape share a buffer, which the second may write when it has been read. The writes of the one before
# it may go on, since these are to other memory.
# SAME: %[[BUFFER:.*]] = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16
# SAME-NOT: ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
# SAME: ttng.async_tma_store_wait {pendings = 1 : i32, written}
# SAME-NEXT: ttng.async_tma_store_wait {pendings = 0 : i32} loc
# SAME-NEXT: ttg.local_store %{{.*}}, %[[BUFFER]]
# SAME: ttng.async_tma_store_wait {pendings = 1 : i32, written}
# SAME-NEXT: ttng.async_tma_store_wait {pendings = 0 : i32} loc
# SAME-NEXT: ttg.local_store %{{.*}}, %[[BUFFER]]
# Each shape has a buffer of its own.
# OTHERS-COUNT-2: ttg.local_alloc : () -> !ttg.memdesc<64x{{.*}}, mutable>
# OTHERS-COUNT-2: ttng.async_tma_store_wait {pendings = 1 : i32, written}
# OTHERS-NOT: written
# The second tile comes after the first, which it may overlap.
# OVER-COUNT-2: ttng.async_tma_store_wait {pendings = 0 : i32, written}
# OVER-NOT: written
@triton.jit
def two(a, c, d, M, N, sc, WIDTH: tl.constexpr, SAME_TENSOR: tl.constexpr):
    r, k, w = tl.arange(0, 64), tl.arange(0, 32), tl.arange(0, WIDTH)
    first = tl.make_tensor_descriptor(c, [M, N], [sc, 1], [64, 64])
    second = tl.make_tensor_descriptor(c if SAME_TENSOR else d, [M, N], [sc, 1], [64, WIDTH])
    for row in range(0, M, 64):
        x = tl.load(a + (row + r)[:, None] * 32 + k[None, :], (row + r)[:, None] < M, 0.0)
        y = tl.load(a + r[None, :] * 32 + k[:, None])
        z = tl.load(a + w[None, :] * 32 + k[:, None])
        first.store([row, 0], tl.dot(x, y).to(tl.float16))
        second.store([row, 0], tl.dot(x, z).to(tl.float16))


# LARGE: nvidia-promote-stores: the tile is stored by the threads that hold it: with its buffer of 131072 bytes the kernel would take {{.*}} bytes of shared memory, of 216064
@triton.jit
def large(a, c, M, K, sc):
    r, n, k = tl.arange(0, 128), tl.arange(0, 256), tl.arange(0, 64)
    out = tl.make_tensor_descriptor(c, [M, 256], [sc, 1], [128, 256])
    for row in range(0, M, 128):
        acc = tl.zeros((128, 256), tl.float32)
        for i in range(0, K, 64):
            x = tl.load(a + (row + r)[:, None] * 64 + k[None, :] + i)
            y = tl.load(a + n[None, :] * 64 + k[:, None] + i)
            acc = tl.dot(x, y, acc)
        out.store([row, 0], acc)


# Outside of loops the buffer begins where it is written, so that it may lie where the loop's tiles were.
# ONCE: scf.for
# ONCE: ttg.local_dealloc
# ONCE: %[[BUFFER:.*]] = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16
# ONCE-NEXT: ttg.local_store %{{.*}}, %[[BUFFER]]
# ONCE-NOT: written
# ONCE: ttng.async_tma_copy_local_to_global
# ONCE: ttng.async_tma_store_wait {pendings = 0 : i32} loc
# ONCE-NEXT: ttg.local_dealloc %[[BUFFER]]
# ONCE-NEXT: tt.return
@triton.jit
def once(a, c, K, sc):
    r, k = tl.arange(0, 64), tl.arange(0, 32)
    out = tl.make_tensor_descriptor(c, [64, 64], [sc, 1], [64, 64])
    acc = tl.zeros((64, 64), tl.float32)
    for i in range(0, K, 32):
        x = tl.load(a + r[:, None] * 512 + i + k[None, :])
        y = tl.load(a + r[None, :] * 512 + i + k[:, None])
        acc = tl.dot(x, y, acc)
    out.store([0, 0], acc.to(tl.float16))


# The loops are one, with a branch for products without any iterations. Its tile is copied like the others, as one tensor is not
# stored in two ways.
# FLAT-NOT: tt.store
# FLAT-COUNT-2: ttng.async_tma_copy_local_to_global
# FLAT-NOT: tt.store
@triton.jit
def flat(a, c, M, K, sc):
    r, k = tl.arange(0, 64), tl.arange(0, 32)
    out = tl.make_tensor_descriptor(c, [M, 64], [sc, 1], [64, 64])
    for tile in tl.range(0, tl.cdiv(M, 64), flatten=True):
        acc = tl.zeros((64, 64), tl.float32)
        for i in range(0, K, 32):
            x = tl.load(a + (tile * 64 + r)[:, None] * 512 + i + k[None, :])
            y = tl.load(a + r[None, :] * 512 + i + k[:, None])
            acc = tl.dot(x, y, acc)
        out.store([tile * 64, 0], acc.to(tl.float16))


# Rows may end inside of 16 bytes, all of which a copy would write. The threads store such tiles out of the buffer. The fence lets
# them come before later copies.
# CUT: scf.for
# CUT: %[[REST:.*]] = arith.andi %N, %c7_i32
# CUT: %[[LAST:.*]] = arith.subi %N, %c64_i32
# CUT: %[[EVEN:.*]] = arith.cmpi eq, %[[REST]], %c0_i32
# CUT: %[[INSIDE:.*]] = arith.cmpi sge, %[[LAST]], %c0_i32
# CUT: %[[OK:.*]] = arith.ori %[[EVEN]], %[[INSIDE]]
# CUT: ttng.async_tma_copy_local_to_global %{{.*}}[%{{.*}}, %{{.*}}] %[[BUFFER:[^ ]*]], %[[OK]]
# CUT: %[[NOT:.*]] = arith.xori %[[OK]], %true
# CUT: scf.if %[[NOT]] {
# CUT: %[[TILE:.*]] = ttg.local_load %[[BUFFER]]
# CUT-NEXT: tt.store %{{.*}}, %[[TILE]], %{{.*}} : tensor<64x64x!tt.ptr<f16>, #blocked
# CUT-NEXT: ttng.fence_async_global
# CUT-NEXT: }
# The group is committed whether there is a copy or not, so that waits count the same ones.
# CUTPTX: st.global
# CUTPTX: fence.proxy.async.global;
# CUTPTX: bar.sync
# CUTPTX: fence.proxy.async.shared::cta;
# CUTPTX: bar.sync
# CUTPTX: @%[[COPIES:p[0-9]+]] cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group
# CUTPTX-NOT: @%[[COPIES]] cp.async.bulk.commit_group
# CUTPTX: @%p{{[0-9]+}} cp.async.bulk.commit_group
# CUTPTX: st.global
# NEVER: nvidia-promote-stores: the tile is stored by the threads that hold it: its rows end inside of 16 bytes
# A tile that begins at a multiple of its size lies outside as a whole, if it begins in front of the tensor.
# FRONT: %[[START:.*]] = arith.addi %{{.*}}, %c-64_i32
# FRONT: %[[OK:.*]] = arith.cmpi sge, %[[START]], %c0_i32
# FRONT: ttng.async_tma_copy_local_to_global %{{.*}}[%[[START]], %{{.*}}] %{{[^ ]*}}, %[[OK]]
# FRONT-NOT: scf.if
# FRONT: tt.return
# SPLIT: ttng.async_tma_copy_local_to_global
# SPLIT: scf.if
# SPLIT: tt.store
# The number of columns is the stride, which is a multiple of 16 bytes.
# WHOLE: ttng.async_tma_copy_local_to_global %{{.*}}[%{{.*}}, %{{.*}}] %{{[^ ,]*}} : !tt.tensordesc
# WHOLE-NOT: tt.store
# BEFORE: nvidia-promote-stores: the tile is stored by the threads that hold it: a start is negative
@triton.jit
def edges(a, c, M, N, sc, CASE: tl.constexpr):
    r, k = tl.arange(0, 64), tl.arange(0, 32)
    columns = 41 if CASE == 1 else 64 if CASE == 2 or CASE == 3 or CASE == 5 else N
    out = tl.make_tensor_descriptor(c, [M, columns], [N if CASE == 4 else sc, 1], [64, 64])
    first = 64 if CASE == 2 else 3 if CASE == 3 else 0
    for row in range(0, M, 64):
        x = tl.load(a + (row + r)[:, None] * 32 + k[None, :], (row + r)[:, None] < M, 0.0)
        y = tl.load(a + r[None, :] * 32 + k[:, None])
        out.store([-64 if CASE == 5 else row - first, 0], tl.dot(x, y).to(tl.float16))
