"""The matrix product of matmul.py with block pointers: shapes, strides and tiles instead of address arithmetic.

`tl.make_block_ptr` describes a whole matrix and the tile to begin with; `tl.advance` moves the tile.
The load says along which dimensions the tile may stick out (`boundary_check`) and what to read there
(`padding_option`). The compiler turns all of it into the pointers and masks that matmul.py writes by
hand; see it happen between the two:

    tessera compile examples/matmul_block_ptr.py --kernel-name matmul_block_ptr_kernel --num-warps 8 \
        --signature "*fp16:16,*fp16:16,*fp16:16,i32,i32,i32,i32:16,i32:1,i32:16,i32:1,i32:16,i32:1,128,256,64,8" \
        --emit ttir -o -

    python examples/matmul_block_ptr.py                       check against torch on a GPU, with Triton
    TRITON_INTERPRET=1 python examples/matmul_block_ptr.py    the same without a GPU
"""
import torch
import triton
import triton.language as tl


# signature: *fp16:16,*fp16:16,*fp16:16,i32,i32,i32,i32:16,i32:1,i32:16,i32:1,i32:16,i32:1,128,256,64,8 --num-warps 8
# signature: *fp32,*fp32,*fp32,i32,i32,i32,i32,i32,i32,i32,i32,i32,64,32,16,4
@triton.jit
def matmul_block_ptr_kernel(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                            BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr):
    # Neighbouring programs share rows and columns (matmul.py says why); the library has the numbering too.
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    pid = tl.program_id(0)
    tile_m, tile_n = tl.swizzle2d(pid // tiles_n, pid % tiles_n, tiles_m, tiles_n, GROUP_M)

    # `order` names the dimensions from the fastest to the slowest; here both matrices are row-major.
    a_block = tl.make_block_ptr(a_ptr, shape=(M, K), strides=(stride_am, stride_ak), offsets=(tile_m * BLOCK_M, 0),
                                block_shape=(BLOCK_M, BLOCK_K), order=(1, 0))
    b_block = tl.make_block_ptr(b_ptr, shape=(K, N), strides=(stride_bk, stride_bn), offsets=(0, tile_n * BLOCK_N),
                                block_shape=(BLOCK_K, BLOCK_N), order=(1, 0))
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        a = tl.load(a_block, boundary_check=(0, 1), padding_option="zero")
        b = tl.load(b_block, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(a, b, acc)
        a_block = tl.advance(a_block, (0, BLOCK_K))
        b_block = tl.advance(b_block, (BLOCK_K, 0))

    c_block = tl.make_block_ptr(c_ptr, shape=(M, N), strides=(stride_cm, stride_cn),
                                offsets=(tile_m * BLOCK_M, tile_n * BLOCK_N), block_shape=(BLOCK_M, BLOCK_N), order=(1, 0))
    tl.store(c_block, acc.to(c_ptr.dtype.element_ty), boundary_check=(0, 1))


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    (M, K), (_, N) = a.shape, b.shape
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    grid = lambda meta: (triton.cdiv(M, meta["BLOCK_M"]) * triton.cdiv(N, meta["BLOCK_N"]),)
    matmul_block_ptr_kernel[grid](a, b, c, M, N, K, *a.stride(), *b.stride(), *c.stride(),
                                  BLOCK_M=64, BLOCK_N=64, BLOCK_K=32, GROUP_M=4)
    return c


if __name__ == "__main__":
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    for dtype in (torch.float16, torch.float32):
        for M, N, K in ((1, 1, 1), (97, 131, 67), (64, 200, 256)):
            a, b = (torch.randn(shape, device=device).to(dtype) for shape in ((M, K), (K, N)))
            expected = a.double() @ b.double()
            error = (matmul(a, b).double() - expected).abs().max().item() / max(expected.abs().max().item(), 1)
            print(f"{str(dtype):14} {M} x {N} x {K}: largest difference from torch: {error:.1e}")
            assert error < 5e-3
