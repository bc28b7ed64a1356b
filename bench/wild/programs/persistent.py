"""Persistent and grouped products: a fixed number of programs shares all tiles; with pointers and with descriptors."""
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from corpus import Case, operator, torch
from programs.products import product, tile_place


@triton.jit
def persistent_kernel(a_ptr, b_ptr, c_ptr, M, N, K, sam, sak, sbk, sbn, scm, scn, BM: tl.constexpr, BN: tl.constexpr,
                      BK: tl.constexpr, PROGRAMS: tl.constexpr, FLATTEN: tl.constexpr):
    tiles = tl.cdiv(M, BM) * tl.cdiv(N, BN)
    steps = tl.cdiv(K, BK)
    for tile in tl.range(tl.program_id(0), tiles, PROGRAMS, flatten=FLATTEN):
        row, column = tile_place(tile, M, N, BM, BN, 8)
        m = row * BM + tl.arange(0, BM)
        n = column * BN + tl.arange(0, BN)
        m_in = tl.max_contiguous(tl.multiple_of(tl.where(m < M, m, 0), BM), BM)
        n_in = tl.max_contiguous(tl.multiple_of(tl.where(n < N, n, 0), BN), BN)
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for step in range(steps):
            k = step * BK + tl.arange(0, BK)
            a = tl.load(a_ptr + m_in[:, None] * sam + k[None, :] * sak, mask=k[None, :] < K, other=0.0)
            b = tl.load(b_ptr + k[:, None] * sbk + n_in[None, :] * sbn, mask=k[:, None] < K, other=0.0)
            acc = tl.dot(a, b, acc)
        tl.store(c_ptr + m[:, None] * scm + n[None, :] * scn, acc.to(c_ptr.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


@operator(suspect=True, variants=[dict(flatten=False), dict(flatten=True)])
def persistent(w, flatten):
    n, k = w.pick(4096, 256), w.pick(1024, 128)
    a, b, programs = w.randn(n, k), w.randn(n, k).t(), w.processors()

    def call():
        c = torch.empty((n, n), device=a.device, dtype=a.dtype)
        persistent_kernel[(programs,)](a, b, c, n, n, k, *a.stride(), *b.stride(), *c.stride(), 128, 128, 64, programs, flatten,
                                       num_warps=8, num_stages=3)
        return c
    return Case(call, lambda: product(a, b))


@triton.jit
def persistent_descriptor_kernel(a_desc, b_desc, c_desc, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                                 PROGRAMS: tl.constexpr, FLATTEN: tl.constexpr):
    tiles = tl.cdiv(M, BM) * tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tiles, PROGRAMS, flatten=FLATTEN):
        row, column = tile_place(tile, M, N, BM, BN, 8)
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for step in range(tl.cdiv(K, BK)):
            a = a_desc.load([row * BM, step * BK])
            b = b_desc.load([column * BN, step * BK])
            acc = tl.dot(a, b.T, acc)
        c_desc.store([row * BM, column * BN], acc.to(tl.float16))


@operator(suspect=True, variants=[dict(flatten=False), dict(flatten=True)])
def persistent_descriptor(w, flatten):
    n, k = w.pick(4096, 256), w.pick(1024, 128)
    a, b, programs = w.randn(n, k), w.randn(n, k), w.processors()

    def call():
        c = torch.empty((n, n), device=a.device, dtype=a.dtype)
        descriptors = [TensorDescriptor.from_tensor(t, block) for t, block in ((a, [128, 64]), (b, [128, 64]), (c, [128, 128]))]
        persistent_descriptor_kernel[(programs,)](*descriptors, n, n, k, 128, 128, 64, programs, flatten, num_warps=8, num_stages=3)
        return c
    return Case(call, lambda: product(a, b.t()))


@triton.jit
def device_descriptor_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    a_desc = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BM, BK])
    b_desc = tl.make_tensor_descriptor(b_ptr, shape=[N, K], strides=[K, 1], block_shape=[BN, BK])
    c_desc = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    row, column = tile_place(tl.program_id(0), M, N, BM, BN, 8)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(tl.cdiv(K, BK)):
        acc = tl.dot(a_desc.load([row * BM, step * BK]), b_desc.load([column * BN, step * BK]).T, acc)
    c_desc.store([row * BM, column * BN], acc.to(tl.float16))


def allow_scratch(device):
    triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device=device))


@operator()
def device_descriptor(w):
    n, k = w.pick(2048, 256), w.pick(1024, 128)
    a, b = w.randn(n, k), w.randn(n, k)

    def call():
        allow_scratch(a.device)
        c = torch.empty((n, n), device=a.device, dtype=a.dtype)
        tiles = triton.cdiv(n, 128) * triton.cdiv(n, 128)
        device_descriptor_kernel[(tiles,)](a, b, c, n, n, k, 128, 128, 64, num_warps=8, num_stages=3)
        return c
    return Case(call, lambda: product(a, b.t()))


@triton.jit
def block_pointer_kernel(a_ptr, b_ptr, c_ptr, M, N, K, sam, sak, sbk, sbn, scm, scn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row, column = tile_place(tl.program_id(0), M, N, BM, BN, 8)
    a = tl.make_block_ptr(a_ptr, (M, K), (sam, sak), (row * BM, 0), (BM, BK), (1, 0))
    b = tl.make_block_ptr(b_ptr, (K, N), (sbk, sbn), (0, column * BN), (BK, BN), (1, 0))
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, K, BK):
        acc += tl.dot(tl.load(a, boundary_check=(0, 1)), tl.load(b, boundary_check=(0, 1)))
        a = tl.advance(a, (0, BK))
        b = tl.advance(b, (BK, 0))
    c = tl.make_block_ptr(c_ptr, (M, N), (scm, scn), (row * BM, column * BN), (BM, BN), (1, 0))
    tl.store(c, acc.to(c_ptr.dtype.element_ty), boundary_check=(0, 1))


@operator()
def block_pointer(w):
    n, k = w.pick(2048, 192), w.pick(2048, 96)
    a, b = w.randn(n, k), w.randn(k, n)

    def call():
        c = torch.empty((n, n), device=a.device, dtype=a.dtype)
        tiles = triton.cdiv(n, 128) * triton.cdiv(n, 128)
        block_pointer_kernel[(tiles,)](a, b, c, n, n, k, *a.stride(), *b.stride(), *c.stride(), 128, 128, 32, num_warps=4, num_stages=3)
        return c
    return Case(call, lambda: product(a, b))


# ---- grouped --------------------------------------------------------------------------------------

@triton.jit
def grouped_kernel(a_addresses, b_addresses, c_addresses, sizes_ptr, strides_ptr, groups, PROGRAMS: tl.constexpr, BM: tl.constexpr,
                   BN: tl.constexpr, BK: tl.constexpr, HINTS: tl.constexpr):
    """Products of different sizes; the matrices' addresses come from memory as integers."""
    tile = tl.program_id(0)
    passed = 0
    for group in range(groups):
        M = tl.load(sizes_ptr + group * 3)
        N = tl.load(sizes_ptr + group * 3 + 1)
        K = tl.load(sizes_ptr + group * 3 + 2)
        columns = tl.cdiv(N, BN)
        tiles = tl.cdiv(M, BM) * columns
        while tile >= passed and tile < passed + tiles:
            lda = tl.load(strides_ptr + group * 3)
            ldb = tl.load(strides_ptr + group * 3 + 1)
            ldc = tl.load(strides_ptr + group * 3 + 2)
            a_ptr = tl.load(a_addresses + group).to(tl.pointer_type(tl.float16))
            b_ptr = tl.load(b_addresses + group).to(tl.pointer_type(tl.float16))
            c_ptr = tl.load(c_addresses + group).to(tl.pointer_type(tl.float16))
            m = (tile - passed) // columns * BM + tl.arange(0, BM)
            n = (tile - passed) % columns * BN + tl.arange(0, BN)
            k = tl.arange(0, BK)
            a = a_ptr + m[:, None] * lda + k[None, :]
            b = b_ptr + k[:, None] * ldb + n[None, :]
            acc = tl.zeros((BM, BN), dtype=tl.float32)
            for _ in range(tl.cdiv(K, BK)):
                if HINTS:
                    tl.multiple_of(a, [16, 16])
                    tl.multiple_of(b, [16, 16])
                acc += tl.dot(tl.load(a), tl.load(b))
                a += BK
                b += BK * ldb
            tl.store(c_ptr + m[:, None] * ldc + n[None, :], acc.to(tl.float16))
            tile += PROGRAMS
        passed += tiles


@triton.jit
def grouped_descriptor_kernel(a_addresses, b_addresses, c_addresses, sizes_ptr, strides_ptr, groups, PROGRAMS: tl.constexpr,
                              BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    tile = tl.program_id(0)
    passed = 0
    for group in range(groups):
        M = tl.load(sizes_ptr + group * 3)
        N = tl.load(sizes_ptr + group * 3 + 1)
        K = tl.load(sizes_ptr + group * 3 + 2)
        columns = tl.cdiv(N, BN)
        tiles = tl.cdiv(M, BM) * columns
        if tile >= passed and tile < passed + tiles:
            a_ptr = tl.load(a_addresses + group).to(tl.pointer_type(tl.float16))
            b_ptr = tl.load(b_addresses + group).to(tl.pointer_type(tl.float16))
            c_ptr = tl.load(c_addresses + group).to(tl.pointer_type(tl.float16))
            a_desc = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[tl.load(strides_ptr + group * 3), 1], block_shape=[BM, BK])
            b_desc = tl.make_tensor_descriptor(b_ptr, shape=[N, K], strides=[tl.load(strides_ptr + group * 3 + 1), 1],
                                               block_shape=[BN, BK])
            c_desc = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[tl.load(strides_ptr + group * 3 + 2), 1],
                                               block_shape=[BM, BN])
            while tile >= passed and tile < passed + tiles:
                row = (tile - passed) // columns * BM
                column = (tile - passed) % columns * BN
                acc = tl.zeros((BM, BN), dtype=tl.float32)
                for step in range(tl.cdiv(K, BK)):
                    acc += tl.dot(a_desc.load([row, step * BK]), b_desc.load([column, step * BK]).T)
                c_desc.store([row, column], acc.to(tl.float16))
                tile += PROGRAMS
        passed += tiles


def grouped_inputs(w, transposed):
    sizes = w.pick([1024, 512, 256, 128] * 2, [128, 256])
    a = [w.randn(n, n) for n in sizes]
    b = [w.randn(n, n) for n in sizes]
    programs = w.processors()
    addresses = [w.tensor([t.data_ptr() for t in tensors], torch.int64) for tensors in (a, b)]
    numbers = w.tensor([[n] * 3 for n in sizes], torch.int32)

    def call(kernel, *blocks, **options):
        c = [torch.empty_like(x) for x in a]
        where = w.tensor([t.data_ptr() for t in c], torch.int64)
        kernel[(programs,)](*addresses, where, numbers, numbers, len(sizes), programs, *blocks, **options)
        return c
    return call, lambda: [product(x, y.t() if transposed else y) for x, y in zip(a, b)]


@operator(suspect=True, variants=[dict(BM=128, BN=128, BK=32), dict(BM=64, BN=128, BK=64)])
def grouped(w, BM, BN, BK):
    call, reference = grouped_inputs(w, False)
    return Case(lambda: call(grouped_kernel, BM, BN, BK, True, num_warps=4, num_stages=3), reference)


@operator(suspect=True)
def grouped_without_hints(w):
    call, reference = grouped_inputs(w, False)
    return Case(lambda: call(grouped_kernel, 128, 128, 32, False, num_warps=4, num_stages=3), reference)


@operator(suspect=True)
def grouped_descriptor(w):
    call, reference = grouped_inputs(w, True)

    def with_scratch():
        allow_scratch(torch.device(w.device))
        return call(grouped_descriptor_kernel, 128, 128, 64, num_warps=8, num_stages=3)
    return Case(with_scratch, reference)
