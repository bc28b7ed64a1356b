"""Many matrix products of different sizes in one launch, as a mixture of experts needs them.

Launching each product alone would leave most of the GPU idle whenever one is small. Here a fixed number
of programs shares all tiles of all products: tiles are numbered through, and program i computes tiles
i, i + n, i + 2n, ... of n programs. A program finds its tile's product by walking along the list of sizes.

The host passes addresses: `tl.load` of an integer and a cast to a pointer type give each product's
matrices. All are fp16 and row-major.

    addresses_ptr   [products, 3] int64: where A, B and C lie
    sizes_ptr       [products, 6] int32: M, N, K and the row strides of A, B and C

    tessera compile examples/grouped_gemm.py --kernel-name grouped_gemm_kernel \
        --signature "*i64,*i32,i32,128,128,32" --emit ttir -o -

    python examples/grouped_gemm.py                       check against torch on a GPU, with Triton
    TRITON_INTERPRET=1 python examples/grouped_gemm.py    the same without a GPU
"""
import torch
import triton
import triton.language as tl


@triton.jit
def multiply_tile(a_ptr, b_ptr, c_ptr, M, N, K, stride_a, stride_b, stride_c, tile_m, tile_n,
                  BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """One tile of C = A B; matmul.py explains the loop."""
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    ks = tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        a = tl.load(a_ptr + rows[:, None] * stride_a + (k + ks)[None, :],
                    mask=(rows < M)[:, None] & (k + ks < K)[None, :], other=0.0)
        b = tl.load(b_ptr + (k + ks)[:, None] * stride_b + cols[None, :],
                    mask=(k + ks < K)[:, None] & (cols < N)[None, :], other=0.0)
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + rows[:, None] * stride_c + cols[None, :], acc.to(tl.float16),
             mask=(rows < M)[:, None] & (cols < N)[None, :])


# signature: *i64,*i32,i32,128,128,32
# signature: *i64:16,*i32:16,i32,32,64,16
@triton.jit
def grouped_gemm_kernel(addresses_ptr, sizes_ptr, n_products,
                        BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    tile = tl.program_id(0)
    first = 0  # the number of the current product's first tile
    for product in range(n_products):
        M = tl.load(sizes_ptr + product * 6)
        N = tl.load(sizes_ptr + product * 6 + 1)
        K = tl.load(sizes_ptr + product * 6 + 2)
        tiles_n = tl.cdiv(N, BLOCK_N)
        end = first + tl.cdiv(M, BLOCK_M) * tiles_n
        if tile < end:
            half_ptr: tl.constexpr = tl.pointer_type(tl.float16)
            a_ptr = tl.load(addresses_ptr + product * 3).to(half_ptr)
            b_ptr = tl.load(addresses_ptr + product * 3 + 1).to(half_ptr)
            c_ptr = tl.load(addresses_ptr + product * 3 + 2).to(half_ptr)
            stride_a = tl.load(sizes_ptr + product * 6 + 3)
            stride_b = tl.load(sizes_ptr + product * 6 + 4)
            stride_c = tl.load(sizes_ptr + product * 6 + 5)
            while tile < end:
                multiply_tile(a_ptr, b_ptr, c_ptr, M, N, K, stride_a, stride_b, stride_c,
                              (tile - first) // tiles_n, (tile - first) % tiles_n, BLOCK_M, BLOCK_N, BLOCK_K)
                tile += tl.num_programs(0)
        first = end


def grouped_gemm(pairs):
    """[a @ b for a, b in pairs] for contiguous fp16 matrices, in one launch."""
    device = pairs[0][0].device
    results = [torch.empty((a.shape[0], b.shape[1]), dtype=torch.float16, device=device) for a, b in pairs]
    addresses = [[a.data_ptr(), b.data_ptr(), c.data_ptr()] for (a, b), c in zip(pairs, results)]
    sizes = [[*a.shape[:1], *b.shape[1:], a.shape[1], a.stride(0), b.stride(0), c.stride(0)]
             for (a, b), c in zip(pairs, results)]
    programs = torch.cuda.get_device_properties(device).multi_processor_count if device.type == "cuda" else 5
    grouped_gemm_kernel[(programs,)](torch.tensor(addresses, dtype=torch.int64, device=device),
                                     torch.tensor(sizes, dtype=torch.int32, device=device), len(pairs),
                                     BLOCK_M=64, BLOCK_N=64, BLOCK_K=32)
    return results


if __name__ == "__main__":
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    sizes = ((1, 1, 1), (200, 130, 97), (0, 64, 32), (65, 300, 40), (128, 64, 256))
    pairs = [(torch.randn(M, K).half().to(device), torch.randn(K, N).half().to(device)) for M, N, K in sizes]
    for (a, b), c in zip(pairs, grouped_gemm(pairs)):
        expected = a.double() @ b.double()
        error = (c.double() - expected).abs().max().item() if c.numel() else 0
        print(f"{tuple(a.shape)} x {tuple(b.shape)}: largest difference from torch: {error:.1e}")
        assert error < 1e-3 * max(expected.abs().max().item() if c.numel() else 0, 1)
