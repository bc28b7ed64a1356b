"""Matrix product C = A B through pointers: the blocked loop that every GEMM on a GPU starts from.

Each program owns one BLOCK_M x BLOCK_N tile of C. It walks along K in steps of BLOCK_K, loads a tile of
A and a tile of B, and lets `tl.dot` add their product to an accumulator (fp32, or int32 for int8).

    for k in range(0, K, BLOCK_K):
        acc += A[tile rows, k : k + BLOCK_K] @ B[k : k + BLOCK_K, tile columns]

Two things matter for speed. Programs that run at the same time should read the same rows and columns,
so that the L2 cache serves them: `tile_of_program` numbers the tiles in groups of GROUP_M rows. And the
edges should cost nothing inside the loop: row and column indices wrap around M and N, so only K needs
a mask there, and what wrapped is left out by the store.

    tessera compile examples/matmul.py --kernel-name matmul_kernel --num-warps 8 \
        --signature "*fp16:16,*fp16:16,*fp16:16,i32,i32,i32,i32:16,i32:1,i32:16,i32:1,i32:16,i32:1,128,256,64,8,0" \
        --emit ttir -o -

    python examples/matmul.py                       check against torch on a GPU, with Triton
    TRITON_INTERPRET=1 python examples/matmul.py    the same without a GPU
"""
import torch
import triton
import triton.language as tl


@triton.jit
def tile_of_program(pid, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP_M: tl.constexpr):
    """The row and the column of the tile that program `pid` owns: column by column within GROUP_M rows of tiles."""
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    tiles_in_group = GROUP_M * tiles_n
    first_m = (pid // tiles_in_group) * GROUP_M
    rows = min(tiles_m - first_m, GROUP_M)  # the last group may have fewer
    within = pid % tiles_in_group
    return first_m + within % rows, within // rows


@triton.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)


# signature: *fp16:16,*fp16:16,*fp16:16,i32,i32,i32,i32:16,i32:1,i32:16,i32:1,i32:16,i32:1,128,256,64,8,0 --num-warps 8
# signature: *fp32,*fp32,*fp32,i32,i32,i32,i32,i32,i32,i32,i32,i32,32,64,16,4,1
# signature: *i8:16,*i8:16,*i32:16,i32,i32,i32,i32,i32:1,i32,i32:1,i32,i32:1,128,128,64,8,0
@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                  BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
                  LEAKY_RELU: tl.constexpr):
    tile_m, tile_n = tile_of_program(tl.program_id(0), M, N, BLOCK_M, BLOCK_N, GROUP_M)
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    ks = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + (rows % M).to(tl.int64)[:, None] * stride_am + ks[None, :] * stride_ak
    b_ptrs = b_ptr + ks[:, None] * stride_bk + (cols % N).to(tl.int64)[None, :] * stride_bn

    acc_type: tl.constexpr = tl.int32 if a_ptr.dtype.element_ty.is_int() else tl.float32
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=acc_type)
    for k in range(0, K, BLOCK_K):
        a = tl.load(a_ptrs, mask=ks[None, :] < K - k, other=0)
        b = tl.load(b_ptrs, mask=ks[:, None] < K - k, other=0)
        acc = tl.dot(a, b, acc, out_dtype=acc_type)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    if LEAKY_RELU:
        acc = leaky_relu(acc)

    c_ptrs = c_ptr + rows.to(tl.int64)[:, None] * stride_cm + cols[None, :] * stride_cn
    tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=(rows[:, None] < M) & (cols[None, :] < N))


def matmul(a: torch.Tensor, b: torch.Tensor, leaky: bool = False) -> torch.Tensor:
    (M, K), (_, N) = a.shape, b.shape
    c = torch.empty((M, N), dtype=torch.int32 if a.dtype == torch.int8 else a.dtype, device=a.device)
    grid = lambda meta: (triton.cdiv(M, meta["BLOCK_M"]) * triton.cdiv(N, meta["BLOCK_N"]),)
    matmul_kernel[grid](a, b, c, M, N, K, *a.stride(), *b.stride(), *c.stride(),
                        BLOCK_M=64, BLOCK_N=64, BLOCK_K=32, GROUP_M=4, LEAKY_RELU=leaky)
    return c


if __name__ == "__main__":
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    # On a GPU tl.dot multiplies fp32 as tf32, with ten bits of mantissa.
    for dtype, tolerance in ((torch.float16, 5e-3), (torch.float32, 5e-3), (torch.int8, 0)):
        for M, N, K in ((1, 1, 1), (97, 131, 67), (64, 200, 256)):
            a, b = ((torch.randn(shape) * 9).to(dtype).to(device) for shape in ((M, K), (K, N)))
            for right, name in ((b, "row-major B"), (b.T.contiguous().T, "column-major B")):
                expected = a.double() @ right.double()
                scale = max(expected.abs().max().item(), 1)
                error = (matmul(a, right).double() - expected).abs().max().item() / scale
                print(f"{str(dtype):14} {M} x {N} x {K}, {name}: largest difference from torch: {error:.1e}")
                assert error <= tolerance
    a, b = torch.randn(40, 50, device=device), torch.randn(50, 60, device=device)
    expected = torch.nn.functional.leaky_relu(a.double() @ b.double(), 0.01)
    assert (matmul(a, b, leaky=True).double() - expected).abs().max().item() < 5e-2
