"""The matrix product C = A B^T with tensor descriptors, which a TMA engine can serve.

`tl.make_tensor_descriptor` describes a matrix once; `load` and `store` then take only a tile's first
row and column. On a GPU with a TMA engine (Hopper and later) one thread asks for a whole tile and the
hardware computes the addresses, checks the bounds and reads zeros outside; on others the compiler falls
back to pointers and masks. The hardware wants the last stride to be 1 and the others to be multiples of
16 bytes. B is stored as N rows of K, as the weights of a linear layer are.

A kernel may import what another file has: the numbering of the tiles comes from matmul.py.

    tessera compile examples/matmul_descriptor.py --kernel-name matmul_descriptor_kernel --num-warps 8 \
        --signature "*fp16:16,*fp16:16,*fp16:16,i32,i32,i32:16,128,256,64,8" --emit ttir -o -

    python examples/matmul_descriptor.py                       check against torch on a GPU, with Triton
    TRITON_INTERPRET=1 python examples/matmul_descriptor.py    the same without a GPU
"""
import torch
import triton
import triton.language as tl

from matmul import tile_of_program


# signature: *fp16:16,*fp16:16,*fp16:16,i32,i32,i32:16,128,256,64,8 --num-warps 8
# signature: *fp32,*fp32,*fp32,i32,i32,i32,64,32,32,4
@triton.jit
def matmul_descriptor_kernel(a_ptr, b_ptr, c_ptr, M, N, K,
                             BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr):
    tile_m, tile_n = tile_of_program(tl.program_id(0), M, N, BLOCK_M, BLOCK_N, GROUP_M)
    row, col = tile_m * BLOCK_M, tile_n * BLOCK_N

    a_desc = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BLOCK_M, BLOCK_K])
    b_desc = tl.make_tensor_descriptor(b_ptr, shape=[N, K], strides=[K, 1], block_shape=[BLOCK_N, BLOCK_K])
    c_desc = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N])
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        a = a_desc.load([row, k])
        b = b_desc.load([col, k])
        acc = tl.dot(a, b.T, acc)
    c_desc.store([row, col], acc.to(c_ptr.dtype.element_ty))


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """A B^T for contiguous A [M, K] and B [N, K] whose rows, and the result's, are multiples of 16 bytes."""
    (M, K), (N, _) = a.shape, b.shape
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    # A descriptor made in a kernel lives in memory that the host hands out.
    if a.is_cuda:
        triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device=a.device))
    grid = lambda meta: (triton.cdiv(M, meta["BLOCK_M"]) * triton.cdiv(N, meta["BLOCK_N"]),)
    matmul_descriptor_kernel[grid](a, b, c, M, N, K, BLOCK_M=64, BLOCK_N=64, BLOCK_K=32, GROUP_M=4)
    return c


if __name__ == "__main__":
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    for dtype in (torch.float16, torch.float32):
        for M, N, K in ((1, 8, 8), (97, 136, 72), (64, 200, 256)):
            a, b = (torch.randn(shape, device=device).to(dtype) for shape in ((M, K), (N, K)))
            expected = a.double() @ b.double().T
            error = (matmul(a, b).double() - expected).abs().max().item() / max(expected.abs().max().item(), 1)
            print(f"{str(dtype):14} {M} x {N} x {K}: largest difference from torch: {error:.1e}")
            assert error < 5e-3
