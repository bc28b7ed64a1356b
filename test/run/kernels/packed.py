"""Assembly on several elements at once that mixes them: neighbours in the memory that they were loaded from."""
import triton
import triton.language as tl


@triton.jit
def reverse(x, PACK: tl.constexpr):
    """The elements of each group in the opposite order."""
    if PACK == 4:
        return tl.inline_asm_elementwise("prmt.b32 $0, $1, $1, 0x0123;", "=r,r", [x], dtype=x.dtype, is_pure=True, pack=4)
    if x.dtype == tl.uint8:
        return tl.inline_asm_elementwise("prmt.b32 $0, $1, $1, 0x3201;", "=r,r", [x], dtype=x.dtype, is_pure=True, pack=2)
    return tl.inline_asm_elementwise("prmt.b32 $0, $1, $1, 0x1032;", "=r,r", [x], dtype=x.dtype, is_pure=True, pack=2)


@triton.jit
def reverse_tile(x_ptr, out_ptr, x_stride_m, x_stride_n, out_stride_m, out_stride_n, M: tl.constexpr, N: tl.constexpr, PACK: tl.constexpr):
    """Loaded and stored by any axis: the axis in which the loaded tile is contiguous decides."""
    m, n = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + m * x_stride_m + n * x_stride_n)
    tl.store(out_ptr + m * out_stride_m + n * out_stride_n, reverse(x, PACK))


@triton.jit
def reverse_rearranged(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, HOW: tl.constexpr):
    """Between the load and the assembly the tile changes its shape."""
    m, n = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + m * N + n)
    if HOW == "trans":
        x = tl.trans(reverse(tl.trans(x), 4))
    elif HOW == "cast":
        x = reverse((x.to(tl.int32) * 3 + 1).to(tl.uint8), 4)
    elif HOW == "reshape":
        x = reverse(x.reshape(M // 2, N // 8, 16), 4).reshape(M, N)
    elif HOW == "permute":
        x = reverse(x.reshape(M, N // 16, 16).permute(1, 2, 0), 4).permute(2, 0, 1).reshape(M, N)
    else:
        low, high = x.reshape(M, N // 2, 2).split()
        x = tl.join(reverse(low, 4), reverse(high, 4)).reshape(M, N)
    tl.store(out_ptr + m * N + n, x)


@triton.jit
def upcast_words(x):
    """A word of four bytes holds eight numbers of four bits, bit by bit in the bytes: number i has bit i of each byte."""
    first, second = tl.inline_asm_elementwise("""{
        .reg .b32 a, b;
        and.b32 a, $4, 0x01010101;  mul.lo.u32 a, a, 0x01020408;  shr.b32 a, a, 24;  and.b32 a, a, 15;
        shr.b32 b, $4, 1;  and.b32 b, b, 0x01010101;  mul.lo.u32 b, b, 0x01020408;  shr.b32 b, b, 24;  and.b32 b, b, 15;
        shl.b32 b, b, 16;  or.b32 $0, a, b;
        shr.b32 a, $4, 2;  and.b32 a, a, 0x01010101;  mul.lo.u32 a, a, 0x01020408;  shr.b32 a, a, 24;  and.b32 a, a, 15;
        shr.b32 b, $4, 3;  and.b32 b, b, 0x01010101;  mul.lo.u32 b, b, 0x01020408;  shr.b32 b, b, 24;  and.b32 b, b, 15;
        shl.b32 b, b, 16;  or.b32 $1, a, b;
        shr.b32 a, $4, 4;  and.b32 a, a, 0x01010101;  mul.lo.u32 a, a, 0x01020408;  shr.b32 a, a, 24;  and.b32 a, a, 15;
        shr.b32 b, $4, 5;  and.b32 b, b, 0x01010101;  mul.lo.u32 b, b, 0x01020408;  shr.b32 b, b, 24;  and.b32 b, b, 15;
        shl.b32 b, b, 16;  or.b32 $2, a, b;
        shr.b32 a, $4, 6;  and.b32 a, a, 0x01010101;  mul.lo.u32 a, a, 0x01020408;  shr.b32 a, a, 24;  and.b32 a, a, 15;
        shr.b32 b, $4, 7;  and.b32 b, b, 0x01010101;  mul.lo.u32 b, b, 0x01020408;  shr.b32 b, b, 24;  and.b32 b, b, 15;
        shl.b32 b, b, 16;  or.b32 $3, a, b;
    }""", "=r,=r,=r,=r,r", [x], dtype=(tl.int16, tl.int16), is_pure=True, pack=4)
    x = tl.join(first, second)
    x = x.reshape(x.shape[0], x.shape[1] // 4, 4, 2).trans(0, 1, 3, 2)
    return x.reshape(x.shape[0], x.shape[1] * 8)


# signature: *u8:16,*fp32:16,*bf16:16,256,128
@triton.jit
def upcast_along_first(x_ptr, scale_ptr, out_ptr, K: tl.constexpr, N: tl.constexpr):
    """Words along axis 0, four columns in one, as a matrix unit's threads want them: the weights of a product in 4 bits."""
    kb, nb = tl.arange(0, 2 * K)[:, None], tl.arange(0, N // 4)[None, :]
    x = tl.load(x_ptr + kb + nb * (2 * K))
    x = upcast_words(x.trans())                                     # (N / 4, 4 K)
    x = x.reshape(N // 16, 4, K // 64, 2, 4, 8, 2, 2).trans(0, 6, 1, 3, 2, 5, 4, 7).reshape(N, K).trans()
    k, n = tl.arange(0, K)[:, None], tl.arange(0, N)[None, :]
    scale = tl.load(scale_ptr + (k // 32) * N + n)
    tl.store(out_ptr + k * N + n, (x.to(tl.float32) * scale).to(tl.bfloat16))


# signature: *u8:16,*bf16:16,512
@triton.jit
def unpack_fp4(x_ptr, out_ptr, N: tl.constexpr):
    """Two fp4 (e2m1) in a byte to bf16 by shifts, sums and choices on 16-bit integers, without assembly."""
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    e0, e1 = x & 0x07, x & 0x70
    low = (e0.to(tl.uint16) << 6) | ((x & 0x08).to(tl.uint16) << 12)
    high = (e1.to(tl.uint16) << 2) | ((x & 0x80).to(tl.uint16) << 8)
    low = tl.where((e0 & 0x06) != 0, low + (126 << 7), low)
    high = tl.where((e1 & 0x60) != 0, high + (126 << 7), high)
    low = tl.where(e0 == 0x01, 0x3F00 | (low & 0x8000), low)
    high = tl.where(e1 == 0x10, 0x3F00 | (high & 0x8000), high)
    tl.store(out_ptr + tl.arange(0, 2 * N), tl.interleave(low, high).to(tl.bfloat16, bitcast=True))


@triton.jit
def product_of_reversed(a_ptr, b_ptr, out_ptr, steps, a_stride_m, a_stride_k, b_stride_k, b_stride_n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """The operands' bytes pass through assembly in a loop whose loads run ahead."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = a_ptr + m[:, None] * a_stride_m + k[None, :] * a_stride_k
    b = b_ptr + k[:, None] * b_stride_k + n[None, :] * b_stride_n
    acc = tl.zeros((M, N), tl.float32)
    for _ in range(steps):
        acc = tl.dot(reverse(tl.load(a), 4).to(tl.float16), reverse(tl.load(b), 4).to(tl.float16), acc)
        a += K * a_stride_k
        b += K * b_stride_k
    tl.store(out_ptr + m[:, None] * N + n[None, :], acc)
