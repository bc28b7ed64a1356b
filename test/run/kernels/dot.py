"""Products of matrices: one tl.dot of whole tiles, loops of them, batches, and scaled ones."""
import triton
import triton.language as tl


@triton.jit
def tile(ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    return ptr + tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]


# signature: *fp32,*fp32,*fp32,*fp32,16,16,16,"ieee"
@triton.jit
def dot(a_ptr, b_ptr, c_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, PRECISION: tl.constexpr):
    """out = c + a b, each program its own matrices."""
    pid = tl.program_id(0)
    a = tl.load(tile(a_ptr + pid * M * K, M, K))
    b = tl.load(tile(b_ptr + pid * K * N, K, N))
    c = tl.load(tile(c_ptr + pid * M * N, M, N))
    out = tl.dot(a, b, c, input_precision=PRECISION, out_dtype=c_ptr.dtype.element_ty)
    tl.store(tile(out_ptr + pid * M * N, M, N), out)


# signature: *fp32,*fp32,*fp32,16,16,16
@triton.jit
def dot_from_zero(a_ptr, b_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    a = tl.load(tile(a_ptr, M, K))
    b = tl.load(tile(b_ptr, K, N))
    tl.store(tile(out_ptr, M, N), tl.dot(a, b, out_dtype=out_ptr.dtype.element_ty))


# signature: *fp32,*fp32,*fp32,16,16,16,1,1
@triton.jit
def dot_transposed(a_ptr, b_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, TA: tl.constexpr,
                   TB: tl.constexpr):
    """Operands that lie transposed in memory."""
    if TA:
        a = tl.trans(tl.load(tile(a_ptr, K, M)))
    else:
        a = tl.load(tile(a_ptr, M, K))
    if TB:
        b = tl.load(tile(b_ptr, N, K)).T
    else:
        b = tl.load(tile(b_ptr, K, N))
    tl.store(tile(out_ptr, M, N), tl.dot(a, b, out_dtype=out_ptr.dtype.element_ty))


# signature: *fp32,*fp32,*fp32,2,16,16,16
@triton.jit
def dot_batched(a_ptr, b_ptr, out_ptr, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    batch = tl.arange(0, B)[:, None, None]
    a = tl.load(a_ptr + batch * M * K + tile(0, M, K)[None, :, :])
    b = tl.load(b_ptr + batch * K * N + tile(0, K, N)[None, :, :])
    c = tl.dot(a, b, out_dtype=out_ptr.dtype.element_ty)
    tl.store(out_ptr + batch * M * N + tile(0, M, N)[None, :, :], c)


# signature: *fp32,*fp32,*fp32,i32,16,16,16
@triton.jit
def dot_loop(a_ptr, b_ptr, out_ptr, K, M: tl.constexpr, N: tl.constexpr, BLOCK_K: tl.constexpr):
    """K is not a multiple of the block: what is beyond it is masked to zero."""
    rows, columns, ks = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BLOCK_K)
    acc = tl.zeros((M, N), dtype=out_ptr.dtype.element_ty)
    for k in range(0, K, BLOCK_K):
        a = tl.load(a_ptr + rows[:, None] * K + (k + ks)[None, :], mask=(k + ks)[None, :] < K, other=0)
        b = tl.load(b_ptr + (k + ks)[:, None] * N + columns[None, :], mask=(k + ks)[:, None] < K, other=0)
        acc = tl.dot(a, b, acc, out_dtype=out_ptr.dtype.element_ty)
    tl.store(tile(out_ptr, M, N), acc)


# signature: *fp32,*fp32,*fp32,*fp32,16,16,16
@triton.jit
def dot_chain(a_ptr, b_ptr, c_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """Products of products, as attention has them; the accumulator is used again afterwards."""
    a = tl.load(tile(a_ptr, M, K))
    b = tl.load(tile(b_ptr, K, N))
    c = tl.load(tile(c_ptr, N, K))
    acc = tl.zeros((M, K), dtype=tl.float32)
    total = tl.zeros((M, K), dtype=tl.float32)
    for _ in range(3):
        p = tl.dot(a, b)
        acc = tl.dot((p * 0.5).to(c.dtype), c, acc * 0.25)
        total += acc
    tl.store(tile(out_ptr, M, K), total)


# signature: *u8,*u8,*u8,*u8,*fp32,32,32,64,"e2m1","e2m1",True,True,32,32
@triton.jit
def dot_scaled(a_ptr, a_scale_ptr, b_ptr, b_scale_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
               A_FORMAT: tl.constexpr, B_FORMAT: tl.constexpr, A_K_PACK: tl.constexpr, B_K_PACK: tl.constexpr,
               A_GROUP: tl.constexpr, B_GROUP: tl.constexpr):
    """A group of 0: no scales."""
    A_ROWS: tl.constexpr = M // 2 if A_FORMAT == "e2m1" and not A_K_PACK else M
    A_COLUMNS: tl.constexpr = K // 2 if A_FORMAT == "e2m1" and A_K_PACK else K
    B_ROWS: tl.constexpr = K // 2 if B_FORMAT == "e2m1" and B_K_PACK else K
    B_COLUMNS: tl.constexpr = N // 2 if B_FORMAT == "e2m1" and not B_K_PACK else N
    a = tl.load(tile(a_ptr, A_ROWS, A_COLUMNS))
    b = tl.load(tile(b_ptr, B_ROWS, B_COLUMNS))
    a_scale = None
    if A_GROUP:
        a_scale = tl.load(tile(a_scale_ptr, M, K // A_GROUP))
    b_scale = None
    if B_GROUP:
        b_scale = tl.load(tile(b_scale_ptr, N, K // B_GROUP))
    c = tl.dot_scaled(a, a_scale, A_FORMAT, b, b_scale, B_FORMAT, lhs_k_pack=A_K_PACK, rhs_k_pack=B_K_PACK)
    tl.store(tile(out_ptr, M, N), c)


# signature: *u8,*u8,*u8,*u8,*fp32,i32,32,32,64,"e2m1","e2m1",False
@triton.jit
def scaled_loop(a_ptr, a_scale_ptr, b_ptr, b_scale_ptr, out_ptr, depth, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
                A_FORMAT: tl.constexpr, B_FORMAT: tl.constexpr, IS_TRANSPOSED: tl.constexpr):
    """Tiles of K along rows of `depth` elements; the rows of B are columns of the product."""
    A_COLUMNS: tl.constexpr = K // 2 if A_FORMAT == "e2m1" else K
    B_COLUMNS: tl.constexpr = K // 2 if B_FORMAT == "e2m1" else K
    A_PER_BYTE: tl.constexpr = K // A_COLUMNS
    B_PER_BYTE: tl.constexpr = K // B_COLUMNS
    rows = tl.arange(0, M)[:, None]
    columns = tl.arange(0, N)[:, None]
    total = tl.zeros((M, N), dtype=tl.float32)
    for k in range(0, depth, K):
        a = tl.load(a_ptr + rows * (depth // A_PER_BYTE) + k // A_PER_BYTE + tl.arange(0, A_COLUMNS)[None, :])
        b = tl.load(b_ptr + columns * (depth // B_PER_BYTE) + k // B_PER_BYTE + tl.arange(0, B_COLUMNS)[None, :])
        scale_place = k // 32 + tl.arange(0, K // 32)[None, :]
        a_scale = tl.load(a_scale_ptr + rows * (depth // 32) + scale_place)
        b_scale = tl.load(b_scale_ptr + columns * (depth // 32) + scale_place)
        total = tl.dot_scaled(a, a_scale, A_FORMAT, b.T, b_scale, B_FORMAT, total)
    if IS_TRANSPOSED:
        tl.store(tile(out_ptr, N, M), total.T)
    else:
        tl.store(tile(out_ptr, M, N), total)


# signature: *u8,*u8,*fp32,32,32,64,0
@triton.jit
def constant_scales(a_ptr, b_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, SCALE: tl.constexpr):
    a = tl.load(tile(a_ptr, M, K)).to(tl.float8e4nv, bitcast=True)
    b = tl.load(tile(b_ptr, K, N)).to(tl.float8e4nv, bitcast=True)
    a_scale = tl.full((M, K // 32), SCALE, tl.uint8)
    b_scale = tl.full((N, K // 32), SCALE, tl.uint8)
    tl.store(tile(out_ptr, M, N), tl.dot_scaled(a, a_scale, "e4m3", b, b_scale, "e4m3"))
