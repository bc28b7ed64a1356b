"""Sorting the rows of a matrix, a row in one block, with the bitonic network behind `tl.sort`.

    sort_kernel      the sorted row
    topk_kernel      its K largest values
    argsort_kernel   where each element of the sorted row came from

The network needs a power of two of elements, so a row is filled up with values that sort to its end.
It moves values only; to carry an index along, argsort packs the key and the index into one 64-bit
integer. Equal keys then sort by their index: the sort is stable.

    tessera compile examples/sort.py --kernel-name sort_kernel --signature "*fp32,*fp32,i32,i32,256,0" --emit ttir -o -

    python examples/sort.py                       check against torch on a GPU, with Triton
    TRITON_INTERPRET=1 python examples/sort.py    the same without a GPU
"""
import torch
import triton
import triton.language as tl


@triton.constexpr_function
def extreme(dtype, largest):
    """The largest or the smallest value of a type. Runs while the kernel is compiled."""
    if dtype.is_floating():
        return float("inf") if largest else -float("inf")
    bits = dtype.primitive_bitwidth
    if dtype.is_int_unsigned():
        return 2**bits - 1 if largest else 0
    return 2**(bits - 1) - 1 if largest else -(2**(bits - 1))


# signature: *fp32,*fp32,i32,i32,256,0
# signature: *i32:16,*i32:16,i32:16,i32,64,1
# signature: *fp16,*fp16,i32,i32,1024,1 --num-warps 8
@triton.jit
def sort_kernel(x_ptr, y_ptr, row_stride, n_cols, BLOCK_SIZE: tl.constexpr, DESCENDING: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * row_stride
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    fill: tl.constexpr = extreme(x_ptr.dtype.element_ty, not DESCENDING)
    x = tl.load(x_ptr + start + cols, mask=mask, other=fill)
    tl.store(y_ptr + start + cols, tl.sort(x, descending=DESCENDING), mask=mask)


# signature: *fp32,*fp32,i32,i32,256,8
# signature: *i32,*i32,i32,i32,64,64
@triton.jit
def topk_kernel(x_ptr, y_ptr, row_stride, n_cols, BLOCK_SIZE: tl.constexpr, K: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_SIZE)
    fill: tl.constexpr = extreme(x_ptr.dtype.element_ty, False)
    x = tl.load(x_ptr + row * row_stride + cols, mask=cols < n_cols, other=fill)
    tl.store(y_ptr + row * K + tl.arange(0, K), tl.topk(x, K))


# signature: *fp32,*i32,i32,i32,256
# signature: *fp32:16,*i64:16,i32:16,i32,1024 --num-warps 8
@triton.jit
def argsort_kernel(x_ptr, index_ptr, row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * row_stride
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + start + cols, mask=mask, other=float("inf"))
    # The bits of a float sort as an integer once those of negative numbers, but for the sign, are flipped.
    # Adding zero first turns -0.0 into 0.0: the two are equal.
    bits = (x + 0.0).to(tl.int32, bitcast=True)
    key = tl.where(bits < 0, bits ^ 0x7FFFFFFF, bits)
    packed = (key.to(tl.int64) << 32) | cols
    index = tl.sort(packed) & 0xFFFFFFFF
    tl.store(index_ptr + start + cols, index, mask=mask)


def sort(x: torch.Tensor, descending: bool = False) -> torch.Tensor:
    y = torch.empty_like(x)
    sort_kernel[(x.shape[0],)](x, y, x.stride(0), x.shape[1], BLOCK_SIZE=triton.next_power_of_2(x.shape[1]),
                               DESCENDING=descending)
    return y


def topk(x: torch.Tensor, k: int) -> torch.Tensor:
    """The k largest values of each row, largest first; k is a power of two, at most the row's length."""
    y = torch.empty((x.shape[0], k), dtype=x.dtype, device=x.device)
    topk_kernel[(x.shape[0],)](x, y, x.stride(0), x.shape[1], BLOCK_SIZE=triton.next_power_of_2(x.shape[1]), K=k)
    return y


def argsort(x: torch.Tensor) -> torch.Tensor:
    index = torch.empty(x.shape, dtype=torch.int64, device=x.device)
    argsort_kernel[(x.shape[0],)](x, index, x.stride(0), x.shape[1], BLOCK_SIZE=triton.next_power_of_2(x.shape[1]))
    return index


if __name__ == "__main__":
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    for shape in ((1, 1), (3, 97), (2, 256)):
        for dtype in (torch.float32, torch.float16, torch.int32):
            # Few different values: ties.
            x = torch.randint(-30, 30, shape).to(dtype).to(device)
            for descending in (False, True):
                assert torch.equal(sort(x, descending), x.sort(1, descending=descending).values), (shape, dtype, descending)
            k = min(16, triton.next_power_of_2(shape[1] // 2 + 1))
            assert torch.equal(topk(x, k), x.topk(k, 1).values), (shape, dtype, k)
        x = torch.randint(-30, 30, shape).float().to(device) * 0.5
        x[:, shape[1] // 2] = -0.0
        assert torch.equal(argsort(x), x.sort(dim=1, stable=True).indices), shape
        print(f"{shape}: sort, topk and argsort equal torch's")
