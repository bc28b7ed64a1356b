"""v5_descriptors: v4 with tiles that tensor descriptors copy, which Hopper's copy engine (TMA) can serve.

A descriptor holds the address, the sizes and the strides of a matrix. One thread then starts the copy of a whole tile; no thread computes
addresses or masks, parts outside the matrix read as 0 and are not written, and the registers that pointers needed are free. Where the
compiler does not use the copy engine, the threads copy as in v4. Needs rows of a multiple of 16 bytes and no batch: other arguments take v4.
"""
import torch
import triton
import triton.language as tl

from ..shared import accumulator
from .arguments import precision, prepare
from .v4_optimized import activate, number_of_shares
from .v4_optimized import forward as forward_by_pointers

CONFIGS = [triton.Config({"BM": m, "BN": n, "BK": k}, num_warps=w, num_stages=s)
           for m, n, k, w, s in ((64, 64, 32, 4, 3), (128, 256, 64, 8, 3), (128, 256, 64, 8, 4), (128, 128, 64, 4, 4), (128, 128, 64, 8, 3))]


@triton.autotune(configs=CONFIGS, key=["M", "N", "K"])
@triton.jit
def matmul_kernel(a_ptr, b_ptr, bias_ptr, c_ptr, M, N, K, TRANSPOSED: tl.constexpr, HAS_BIAS: tl.constexpr, ACTIVATION: tl.constexpr,
                  PRECISION: tl.constexpr, COMPUTE: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    per_group = GROUP * tl.cdiv(N, BN)
    top = tl.program_id(0) // per_group * GROUP
    height = tl.minimum(tl.cdiv(M, BM) - top, GROUP)
    row = (top + tl.program_id(0) % per_group % height) * BM
    column = tl.program_id(0) % per_group // height * BN
    a = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BM, BK])
    if TRANSPOSED:  # other is [N, K] in memory
        b = tl.make_tensor_descriptor(b_ptr, shape=[N, K], strides=[K, 1], block_shape=[BN, BK])
    else:
        b = tl.make_tensor_descriptor(b_ptr, shape=[K, N], strides=[N, 1], block_shape=[BK, BN])
    acc = tl.zeros((BM, BN), COMPUTE)
    for first in range(0, K, BK):
        x = a.load([row, first])
        if TRANSPOSED:
            y = b.load([column, first]).T
        else:
            y = b.load([first, column])
        acc = tl.dot(x, y, acc, input_precision=PRECISION, out_dtype=COMPUTE)
    if HAS_BIAS:
        n = column + tl.arange(0, BN)
        acc += tl.load(bias_ptr + n, mask=n < N, other=0.0).to(COMPUTE)[None, :]
    c = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    c.store([row, column], activate(acc, ACTIVATION).to(c_ptr.dtype.element_ty))


def describable(*matrices):
    """Whether descriptors can name these row-major matrices: 16-byte rows and addresses."""
    return all(m.stride(1) == 1 and m.stride(0) == m.shape[1] and m.shape[1] * m.element_size() % 16 == 0 and m.data_ptr() % 16 == 0
               for m in matrices)


def scratch(size, alignment, stream):
    """Triton keeps the descriptors of a launch in memory that the program gives it."""
    return torch.empty(size, dtype=torch.int8, device="cuda")


def forward(a, b, bias, activation):
    batch, M, K = a.shape
    N = b.shape[2]
    if batch != 1 or 0 in (M, N, K) or a.dtype == torch.float64 or number_of_shares(batch, M, N, K, a.device) > 1:
        return forward_by_pointers(a, b, bias, activation)
    c = torch.empty(batch, M, N, dtype=a.dtype, device=a.device)
    transposed = b.stride(1) == 1 and N > 1
    matrices = a[0], b[0].t() if transposed else b[0]
    if not describable(*matrices, c[0]):
        return forward_by_pointers(a, b, bias, activation)
    if a.is_cuda:
        triton.set_allocator(scratch)
    matmul_kernel[lambda meta: (triton.cdiv(M, meta["BM"]) * triton.cdiv(N, meta["BN"]),)](
        *matrices, c if bias is None else bias, c, M, N, K, TRANSPOSED=transposed, HAS_BIAS=bias is not None, ACTIVATION=activation,
        PRECISION=precision(a.dtype), COMPUTE=accumulator(a.dtype), GROUP=8)
    return c


def triton_matmul(input, other, *, bias=None, activation=None):
    """As torch.matmul; then the bias is added and the activation applied."""
    a, b, bias, activation, shape = prepare(input, other, bias, activation)
    return forward(a, b, bias, activation).view(shape)
