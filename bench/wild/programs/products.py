"""Matrix products: plain ones of several types, batched, split along K, stream-K, and with epilogues."""
import triton
import triton.language as tl

from corpus import Case, operator, torch


@triton.jit
def tile_place(tile, M, N, BM: tl.constexpr, BN: tl.constexpr, GROUP: tl.constexpr):
    """Row and column of a tile, GROUP rows of tiles at a time."""
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    band = tile // (GROUP * columns)
    height = min(rows - band * GROUP, GROUP)
    within = tile % (GROUP * columns)
    return band * GROUP + within % height, within // height


@triton.jit
def gemm_kernel(a_ptr, b_ptr, c_ptr, M, N, K, sam, sak, sbk, sbn, scm, scn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                GROUP: tl.constexpr, PRECISION: tl.constexpr, ACC: tl.constexpr, LEAKY: tl.constexpr):
    row, column = tile_place(tl.program_id(0), M, N, BM, BN, GROUP)
    m = (row * BM + tl.arange(0, BM)) % M
    n = (column * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    a = a_ptr + m[:, None] * sam + k[None, :] * sak
    b = b_ptr + k[:, None] * sbk + n[None, :] * sbn
    acc = tl.zeros((BM, BN), dtype=ACC)
    for step in range(tl.cdiv(K, BK)):
        left = K - step * BK
        x = tl.load(a, mask=k[None, :] < left, other=0.0)
        y = tl.load(b, mask=k[:, None] < left, other=0.0)
        acc = tl.dot(x, y, acc, input_precision=PRECISION, out_dtype=ACC)
        a += BK * sak
        b += BK * sbk
    if LEAKY:
        acc = tl.where(acc >= 0, acc, 0.01 * acc)
    m = row * BM + tl.arange(0, BM)
    n = column * BN + tl.arange(0, BN)
    tl.store(c_ptr + m[:, None] * scm + n[None, :] * scn, acc.to(c_ptr.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


def gemm(a, b, out_dtype, BM=128, BN=128, BK=32, warps=4, stages=3, precision="tf32", leaky=False):
    (M, K), N = a.shape, b.shape[1]
    c = torch.empty((M, N), device=a.device, dtype=out_dtype)
    acc = tl.int32 if a.dtype == torch.int8 else tl.float32
    gemm_kernel[(triton.cdiv(M, BM) * triton.cdiv(N, BN),)](a, b, c, M, N, K, *a.stride(), *b.stride(), *c.stride(), BM, BN, BK, 8,
                                                            precision, acc, leaky, num_warps=warps, num_stages=stages)
    return c


def product(a, b):
    wide = torch.float32 if a.device.type != "cpu" else torch.float64
    return a.to(wide) @ b.to(wide)


@operator(variants=[dict(dtype="float16"), dict(dtype="bfloat16")])
def gemm_square(w, dtype):
    n = w.pick(4096, 256)
    a, b = (w.randn(n, n, dtype=getattr(torch, dtype)) for _ in range(2))
    return Case(lambda: gemm(a, b, a.dtype, 128, 256, 64, 8, 3), lambda: product(a, b))


@operator(variants=[dict(M=16, N=4096, K=4096), dict(M=1024, N=1024, K=8192), dict(M=8192, N=512, K=512)])
def gemm_shapes(w, M, N, K):
    a, b = w.randn(M, w.pick(K, 256)), w.randn(w.pick(K, 256), w.pick(N, 192))
    return Case(lambda: gemm(a, b, torch.float16, 16 if M == 16 else 64, 128, 64, 4, 4), lambda: product(a, b))


@operator()
def gemm_leaky(w):
    n = w.pick(2048, 160)
    a, b = w.randn(n, n), w.randn(n, n)

    def reference():
        c = product(a, b)
        return torch.where(c >= 0, c, 0.01 * c)
    return Case(lambda: gemm(a, b, torch.float16, 128, 128, 32, 8, 3, leaky=True), reference)


@operator()
def gemm_transposed_b(w):
    n = w.pick(2048, 128)
    a, b = w.randn(n, n), w.randn(n, n)
    return Case(lambda: gemm(a, b.t(), torch.float16, 128, 128, 64, 8, 3), lambda: product(a, b.t()))


@operator()
def gemm_transposed_a(w):
    n = w.pick(2048, 128)
    a, b = w.randn(n, n), w.randn(n, n)
    return Case(lambda: gemm(a.t(), b, torch.float16, 128, 128, 64, 8, 3), lambda: product(a.t(), b))


@operator()
def gemm_odd_strides(w):
    """Rows of 1003 elements: no access can be wide."""
    a, b = w.randn(w.pick(1024, 96), w.pick(1003, 99)), w.randn(w.pick(1003, 99), w.pick(1027, 101))
    return Case(lambda: gemm(a, b, torch.float16, 64, 64, 32, 4, 3), lambda: product(a, b))


@operator()
def gemm_tf32(w):
    n = w.pick(2048, 128)
    a, b = w.randn(n, n, dtype=torch.float32), w.randn(n, n, dtype=torch.float32)
    return Case(lambda: gemm(a, b, torch.float32, 128, 128, 32, 8, 3), lambda: product(a, b))


@operator(suspect=True, variants=[dict(tile=64, warps=4), dict(tile=128, warps=8)])
def gemm_fp32(w, tile, warps):
    """Full precision, by multiply and add."""
    n = w.pick(1024, 128)
    a, b = w.randn(n, n, dtype=torch.float32), w.randn(n, n, dtype=torch.float32)
    return Case(lambda: gemm(a, b, torch.float32, tile, tile, 32, warps, 3, "ieee"), lambda: product(a, b), tolerance=1e-4)


@operator()
def gemm_tf32x3(w):
    n = w.pick(1024, 128)
    a, b = w.randn(n, n, dtype=torch.float32), w.randn(n, n, dtype=torch.float32)
    return Case(lambda: gemm(a, b, torch.float32, 64, 64, 32, 4, 3, "tf32x3"), lambda: product(a, b), tolerance=1e-4)


@operator()
def gemm_int8(w):
    n = w.pick(4096, 128)
    a, b = w.randint(-8, 8, (n, n), torch.int8), w.randint(-8, 8, (n, n), torch.int8)
    return Case(lambda: gemm(a, b.t(), torch.int32, 128, 128, 64, 8, 3), lambda: (a.double() @ b.double().t()).to(torch.int32), exact=True)


@operator()
def gemm_fp8(w):
    n = w.pick(4096, 128)
    a, b = w.randn(n, n, dtype=torch.float8_e4m3fn, scale=0.5), w.randn(n, n, dtype=torch.float8_e4m3fn, scale=0.5)
    return Case(lambda: gemm(a, b.t(), torch.float16, 128, 128, 64, 8, 3), lambda: product(a, b.t()))


# ---- batched --------------------------------------------------------------------------------------

@triton.jit
def batched_kernel(a_ptr, b_ptr, c_ptr, M, N, K, sab, sam, sak, sbb, sbk, sbn, scb, scm, scn,
                   BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    batch = tl.program_id(2).to(tl.int64)
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a = a_ptr + batch * sab + m[:, None] * sam + k[None, :] * sak
    b = b_ptr + batch * sbb + k[:, None] * sbk + n[None, :] * sbn
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        inside = start + k < K
        acc += tl.dot(tl.load(a, mask=(m[:, None] < M) & inside[None, :], other=0.0),
                      tl.load(b, mask=inside[:, None] & (n[None, :] < N), other=0.0))
        a += BK * sak
        b += BK * sbk
    c = c_ptr + batch * scb + m[:, None] * scm + n[None, :] * scn
    tl.store(c, acc.to(c_ptr.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


def batched(a, b, BM, BN, BK, warps, stages):
    B, M, K = a.shape
    N = b.shape[2]
    c = torch.empty((B, M, N), device=a.device, dtype=a.dtype)
    batched_kernel[(triton.cdiv(M, BM), triton.cdiv(N, BN), B)](a, b, c, M, N, K, *a.stride(), *b.stride(), *c.stride(), BM, BN, BK,
                                                                num_warps=warps, num_stages=stages)
    return c


@operator(suspect=True, variants=[dict(M=512, K=64), dict(M=1024, K=1024)])
def batched_gemm(w, M, K):
    M, B = w.pick(M, 96), w.pick(64, 2)
    a, b = w.randn(B, M, K), w.randn(B, K, M)
    return Case(lambda: batched(a, b, 128, 64, 64, 4, 3), lambda: product(a, b))


@operator()
def batched_gemm_heads(w):
    """Heads lie between tokens: the strides of a transposed view."""
    B, H, T, D = w.pick(4, 1), w.pick(32, 2), w.pick(1024, 128), 64
    q, k = w.randn(B, T, H, D), w.randn(B, T, H, D)
    left, right = q.transpose(1, 2).flatten(0, 1), k.permute(0, 2, 3, 1).flatten(0, 1)
    return Case(lambda: batched(left, right, 64, 64, 32, 4, 3), lambda: product(left, right))


# ---- split-K and stream-K -------------------------------------------------------------------------

@triton.jit
def split_k_kernel(a_ptr, b_ptr, c_ptr, M, N, K, sam, sak, sbk, sbn, scm, scn, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                   SPLIT: tl.constexpr):
    row, column = tile_place(tl.program_id(0), M, N, BM, BN, 8)
    part = tl.program_id(1)
    m = row * BM + tl.arange(0, BM)
    n = column * BN + tl.arange(0, BN)
    k = part * BK + tl.arange(0, BK)
    a = a_ptr + tl.max_contiguous(tl.multiple_of(m % M, BM), BM)[:, None] * sam + k[None, :] * sak
    b = b_ptr + k[:, None] * sbk + tl.max_contiguous(tl.multiple_of(n % N, BN), BN)[None, :] * sbn
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(tl.cdiv(K, BK * SPLIT)):
        left = K - step * BK * SPLIT
        acc += tl.dot(tl.load(a, mask=k[None, :] < left, other=0.0), tl.load(b, mask=k[:, None] < left, other=0.0))
        a += BK * SPLIT * sak
        b += BK * SPLIT * sbk
    c = c_ptr + m[:, None] * scm + n[None, :] * scn
    mask = (m[:, None] < M) & (n[None, :] < N)
    if SPLIT == 1:
        tl.store(c, acc.to(c_ptr.dtype.element_ty), mask=mask)
    else:
        tl.atomic_add(c, acc.to(c_ptr.dtype.element_ty), mask=mask, sem="relaxed")


@operator(variants=[dict(dtype="float32"), dict(dtype="float16")])
def split_k(w, dtype):
    M, N, K = w.pick(64, 32), w.pick(4096, 96), w.pick(16384, 512)
    a, b = w.randn(M, K, scale=0.1), w.randn(K, N)

    def call():
        c = torch.zeros((M, N), device=a.device, dtype=getattr(torch, dtype))
        split_k_kernel[(triton.cdiv(M, 32) * triton.cdiv(N, 64), 8)](a, b, c, M, N, K, *a.stride(), *b.stride(), *c.stride(),
                                                                     32, 64, 64, 8, num_warps=4, num_stages=4)
        return c
    return Case(call, lambda: product(a, b))


@triton.jit
def stream_k_kernel(a_ptr, b_ptr, c_ptr, locks_ptr, M, N, K, sam, sak, sbk, sbn, scm, scn, full_tiles, per_program, remainder,
                    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Program p takes a range of steps of the first tiles; parts of a tile are added in order, guarded by a lock."""
    pid = tl.program_id(0)
    steps = tl.cdiv(K, BK)
    begin = pid * per_program + min(pid, remainder)
    end = (pid + 1) * per_program + min(pid + 1, remainder)
    while begin < end:
        stop = min(begin + (steps - begin % steps), end)
        row, column = tile_place(begin // steps, M, N, BM, BN, 8)
        m = row * BM + tl.arange(0, BM)
        n = column * BN + tl.arange(0, BN)
        k = (begin % steps) * BK + tl.arange(0, BK)
        a = a_ptr + m[:, None] * sam + k[None, :] * sak
        b = b_ptr + k[:, None] * sbk + n[None, :] * sbn
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for step in range(begin, stop):
            acc += tl.dot(tl.load(a), tl.load(b))
            a += BK * sak
            b += BK * sbk
        c = c_ptr + m[:, None] * scm + n[None, :] * scn
        if stop % steps == 0:  # the tile's last part: store and let the others add
            tl.store(c, acc)
            if begin % steps != 0:
                tl.atomic_xchg(locks_ptr + begin // steps, 1)
        else:
            while tl.atomic_cas(locks_ptr + begin // steps, 1, 1) != 1:
                pass
            tl.atomic_add(c, acc, sem="relaxed")
        begin = stop


@triton.jit
def whole_tiles_kernel(a_ptr, b_ptr, c_ptr, M, N, K, sam, sak, sbk, sbn, scm, scn, first,
                       BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row, column = tile_place(first + tl.program_id(0), M, N, BM, BN, 8)
    m = row * BM + tl.arange(0, BM)
    n = column * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a = a_ptr + m[:, None] * sam + k[None, :] * sak
    b = b_ptr + k[:, None] * sbk + n[None, :] * sbn
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(tl.cdiv(K, BK)):
        acc += tl.dot(tl.load(a), tl.load(b))
        a += BK * sak
        b += BK * sbk
    tl.store(c_ptr + m[:, None] * scm + n[None, :] * scn, acc)


@operator(suspect=True, gpu_only="programs wait for each other")
def stream_k(w):
    M, N, K = w.pick(1536, 192), w.pick(1792, 128), w.pick(4096, 256)
    a, b, programs = w.randn(M, K), w.randn(K, N), w.processors()
    BM, BN, BK = 128 if w.pick(1, 0) else 64, 128 if w.pick(1, 0) else 64, 32
    tiles, steps = triton.cdiv(M, BM) * triton.cdiv(N, BN), triton.cdiv(K, BK)
    shared = tiles % programs + (programs if tiles >= programs else 0) if tiles % programs else 0

    def call():
        c = torch.empty((M, N), device=a.device, dtype=torch.float32)
        locks = torch.zeros(tiles, device=a.device, dtype=torch.int32)
        strides = (*a.stride(), *b.stride(), *c.stride())
        stream_k_kernel[(programs,)](a, b, c, locks, M, N, K, *strides, shared, shared * steps // programs, shared * steps % programs,
                                     BM, BN, BK, num_warps=8, num_stages=3)
        if tiles > shared:
            whole_tiles_kernel[(tiles - shared,)](a, b, c, M, N, K, *strides, shared, BM, BN, BK, num_warps=8, num_stages=3)
        return c
    return Case(call, lambda: product(a, b))
