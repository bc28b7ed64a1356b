"""Layer norm over the rows of a matrix: y = (x - mean) / sqrt(variance + eps) * weight + bias.

The row is read once for its statistics. Each lane follows its own mean and sum of squared deviations
(Welford's method, which never subtracts two large numbers), and one `tl.reduce` with a combine function
over three values joins the lanes' statistics. A second pass normalises. The mean and the reciprocal
standard deviation are kept, since a backward pass wants them.

    tessera compile examples/layer_norm.py --kernel-name layer_norm_kernel \
        --signature "*fp32,*fp32,*fp32,*fp32,*fp32,*fp32,i32,i32,fp32,1024" --emit ttir -o -

    python examples/layer_norm.py                       check against torch on a GPU, with Triton
    TRITON_INTERPRET=1 python examples/layer_norm.py    the same without a GPU
"""
import torch
import triton
import triton.language as tl


@triton.jit
def join_statistics(mean_a, deviation_a, count_a, mean_b, deviation_b, count_b):
    """The statistics of two sets of numbers together; either may be empty."""
    count = count_a + count_b
    share = tl.where(count > 0, count_b / tl.maximum(count, 1), 0.0)
    delta = mean_b - mean_a
    return mean_a + delta * share, deviation_a + deviation_b + delta * delta * count_a * share, count


# signature: *fp32,*fp32,*fp32,*fp32,*fp32,*fp32,i32,i32,fp32,1024
# signature: *fp16:16,*fp16:16,*fp16:16,*fp16:16,*fp32,*fp32,i32:16,i32,fp32,4096 --num-warps 8
@triton.jit
def layer_norm_kernel(x_ptr, y_ptr, weight_ptr, bias_ptr, mean_ptr, rstd_ptr, row_stride, n_cols, eps,
                      BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * row_stride
    y_ptr += row * row_stride
    lanes = tl.arange(0, BLOCK_SIZE)

    means = tl.zeros((BLOCK_SIZE,), tl.float32)
    deviations = tl.zeros((BLOCK_SIZE,), tl.float32)
    counts = tl.zeros((BLOCK_SIZE,), tl.float32)
    for start in range(0, n_cols, BLOCK_SIZE):
        mask = start + lanes < n_cols
        x = tl.load(x_ptr + start + lanes, mask=mask, other=0.0).to(tl.float32)
        counts += mask.to(tl.float32)
        delta = tl.where(mask, x - means, 0.0)
        means += delta / tl.maximum(counts, 1.0)
        deviations += delta * tl.where(mask, x - means, 0.0)
    mean, deviation, _ = tl.reduce((means, deviations, counts), 0, join_statistics)
    rstd = tl.rsqrt(deviation / n_cols + eps)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)

    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + lanes
        mask = cols < n_cols
        weight = tl.load(weight_ptr + cols, mask=mask).to(tl.float32)
        bias = tl.load(bias_ptr + cols, mask=mask).to(tl.float32)
        x = tl.load(x_ptr + cols, mask=mask, other=0.0, eviction_policy="evict_first").to(tl.float32)
        y = (x - mean) * rstd * weight + bias
        tl.store(y_ptr + cols, y.to(y_ptr.dtype.element_ty), mask=mask)


def layer_norm(x, weight, bias, eps=1e-5, block=None):
    """(y, mean, rstd) of each row of a matrix whose rows are contiguous."""
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    mean = torch.empty(n_rows, dtype=torch.float32, device=x.device)
    rstd = torch.empty_like(mean)
    block = block or min(triton.next_power_of_2(n_cols), 4096)
    layer_norm_kernel[(n_rows,)](x, y, weight, bias, mean, rstd, x.stride(0), n_cols, eps, BLOCK_SIZE=block)
    return y, mean, rstd


if __name__ == "__main__":
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    for dtype, tolerance in ((torch.float32, 2e-5), (torch.float16, 2e-2)):
        for n_rows, n_cols, block in ((1, 1, None), (7, 97, None), (5, 1000, 256), (3, 1025, 128)):
            # Far from zero, where a variance from the sum of squares would be noise.
            x = (torch.randn(n_rows, n_cols) * 2 + 100).to(dtype).to(device)
            weight, bias = torch.rand(n_cols, device=device).to(dtype), torch.randn(n_cols, device=device).to(dtype)
            y, mean, _ = layer_norm(x, weight, bias, block=block)
            expected = torch.nn.functional.layer_norm(x.double(), (n_cols,), weight.double(), bias.double())
            error = (y.double() - expected).abs().max().item()
            print(f"{str(dtype):14} {n_rows} x {n_cols}: largest difference from torch: {error:.1e}")
            assert error < tolerance and (mean - x.double().mean(1)).abs().max().item() < 1e-4
