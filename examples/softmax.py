"""Softmax over the rows of a matrix: y[i, j] = exp(x[i, j] - max_i) / sum_k exp(x[i, k] - max_i).

Two ways, both reading any row length and computing in fp32:

    softmax_kernel          A row fits into one block: it is read once, reduced twice and written.
    online_softmax_kernel   A row of any length goes by in blocks. Each lane keeps its running maximum
                            and its running sum, rescaled whenever the maximum grows; flash attention
                            (attention.py) rests on the same idea.

The maximum is subtracted so that exp never overflows; what lies past the row's end is loaded as -inf,
whose exp is 0.

    tessera compile examples/softmax.py --kernel-name softmax_kernel \
        --signature "*fp32,*fp32,i32,i32,i32,i32,1024" --emit ttir -o -

    python examples/softmax.py                       check against torch on a GPU, with Triton
    TRITON_INTERPRET=1 python examples/softmax.py    the same without a GPU
"""
import torch
import triton
import triton.language as tl


# signature: *fp32,*fp32,i32,i32,i32,i32,1024
# signature: *fp16:16,*fp16:16,i32:16,i32:16,i32,i32,4096 --num-warps 8
@triton.jit
def softmax_kernel(output_ptr, input_ptr, output_row_stride, input_row_stride, n_rows, n_cols, BLOCK_SIZE: tl.constexpr):
    # There may be fewer programs than rows: each takes every num_programs-th row, and the next row's
    # load overlaps with the work on this one. Rows count in 64 bits, since a matrix may have more than
    # 2^31 elements.
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    for row in tl.range(tl.program_id(0).to(tl.int64), n_rows, tl.num_programs(0), num_stages=2):
        x = tl.load(input_ptr + row * input_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
        numerator = tl.exp(x - tl.max(x, axis=0))
        y = numerator / tl.sum(numerator, axis=0)
        tl.store(output_ptr + row * output_row_stride + cols, y.to(output_ptr.dtype.element_ty), mask=mask)


# signature: *fp32,*fp32,i32,i32,i32,256
# signature: *bf16:16,*bf16:16,i32:16,i32:16,i32,1024
@triton.jit
def online_softmax_kernel(output_ptr, input_ptr, output_row_stride, input_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    input_ptr += row * input_row_stride
    output_ptr += row * output_row_stride
    cols = tl.arange(0, BLOCK_SIZE)

    # First pass: every lane's own maximum, and its sum of exponentials relative to that maximum.
    # The maximum starts at the smallest finite number, since (-inf) - (-inf) is not 0.
    largest = tl.full((BLOCK_SIZE,), -3.4028234663852886e38, tl.float32)
    total = tl.zeros((BLOCK_SIZE,), tl.float32)
    for start in range(0, n_cols, BLOCK_SIZE):
        x = tl.load(input_ptr + start + cols, mask=start + cols < n_cols, other=-float("inf")).to(tl.float32)
        grown = tl.maximum(largest, x)
        total = total * tl.exp(largest - grown) + tl.exp(x - grown)
        largest = grown
    row_largest = tl.max(largest, axis=0)
    row_total = tl.sum(total * tl.exp(largest - row_largest), axis=0)

    # Second pass: read again, write.
    for start in range(0, n_cols, BLOCK_SIZE):
        mask = start + cols < n_cols
        x = tl.load(input_ptr + start + cols, mask=mask).to(tl.float32)
        y = tl.exp(x - row_largest) / row_total
        tl.store(output_ptr + start + cols, y.to(output_ptr.dtype.element_ty), mask=mask)


def softmax(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x)
    n_rows, n_cols = x.shape
    block = triton.next_power_of_2(n_cols)
    programs = min(n_rows, 2048)
    softmax_kernel[(programs,)](y, x, y.stride(0), x.stride(0), n_rows, n_cols, BLOCK_SIZE=block)
    return y


def online_softmax(x: torch.Tensor, block: int = 256) -> torch.Tensor:
    y = torch.empty_like(x)
    n_rows, n_cols = x.shape
    online_softmax_kernel[(n_rows,)](y, x, y.stride(0), x.stride(0), n_cols, BLOCK_SIZE=block)
    return y


if __name__ == "__main__":
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    for dtype, tolerance in ((torch.float32, 1e-6), (torch.float16, 1e-3)):
        for shape in ((1, 1), (3, 97), (37, 781), (5, 1000)):
            x = (torch.randn(shape) * 10).to(dtype).to(device)
            if shape[1] > 4:
                x[:, 2] = -float("inf")
            expected = torch.softmax(x.double(), dim=1)
            for function in (softmax, online_softmax):
                error = (function(x).double() - expected).abs().max().item()
                print(f"{function.__name__:15} {str(dtype):14} {str(shape):10} largest difference from torch: {error:.1e}")
                assert error < tolerance
