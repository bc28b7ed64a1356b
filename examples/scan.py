"""Scans: every prefix of a row at once, in log(BLOCK_SIZE) steps for each block instead of one step an element.

    cumsum_kernel             y[t] = x[0] + ... + x[t], or from the row's end with REVERSE
    linear_recurrence_kernel  h[t] = a[t] * h[t - 1] + x[t], the core of state space models (Mamba, S5)

A recurrence looks sequential, but the map h -> a h + x followed by h -> b h + y is again such a map,
h -> (b a) h + (b x + y). Composing maps is associative, and that is all `tl.associative_scan` asks of a
combine function: it may group the elements as it likes, but keeps their order.

A row may be longer than a block: the last result of one block is carried into the next.

    tessera compile examples/scan.py --kernel-name linear_recurrence_kernel \
        --signature "*fp32,*fp32,*fp32,i32,i32,256" --emit ttir -o -

    python examples/scan.py                       check against torch on a GPU, with Triton
    TRITON_INTERPRET=1 python examples/scan.py    the same without a GPU
"""
import torch
import triton
import triton.language as tl


# signature: *fp32,*fp32,i32,i32,1024,0
# signature: *i32:16,*i32:16,i32:16,i32,256,1
@triton.jit
def cumsum_kernel(x_ptr, y_ptr, row_stride, n_cols, BLOCK_SIZE: tl.constexpr, REVERSE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * row_stride
    y_ptr += row * row_stride
    carry = tl.zeros((1,), x_ptr.dtype.element_ty)
    for step in range(0, tl.cdiv(n_cols, BLOCK_SIZE)):
        # The blocks come in the order in which the sum runs.
        block = tl.cdiv(n_cols, BLOCK_SIZE) - 1 - step if REVERSE else step
        cols = block * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_ptr + cols, mask=cols < n_cols, other=0)
        y = tl.cumsum(x, axis=0, reverse=REVERSE) + carry
        tl.store(y_ptr + cols, y, mask=cols < n_cols)
        carry += tl.sum(x, axis=0)


@triton.jit
def then(a, x, b, y):
    """The map h -> a h + x, then h -> b h + y."""
    return b * a, b * x + y


# signature: *fp32,*fp32,*fp32,i32,i32,256
# signature: *fp16:16,*fp16:16,*fp16:16,i32:16,i32,1024
@triton.jit
def linear_recurrence_kernel(a_ptr, x_ptr, h_ptr, row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * row_stride
    cols = tl.arange(0, BLOCK_SIZE)
    carry = 0.0
    for first in range(0, n_cols, BLOCK_SIZE):
        mask = first + cols < n_cols
        # Past the end stands the map that changes nothing, so that the carry is right.
        a = tl.load(a_ptr + start + first + cols, mask=mask, other=1.0).to(tl.float32)
        x = tl.load(x_ptr + start + first + cols, mask=mask, other=0.0).to(tl.float32)
        factor, offset = tl.associative_scan((a, x), 0, then)
        h = factor * carry + offset
        tl.store(h_ptr + start + first + cols, h.to(h_ptr.dtype.element_ty), mask=mask)
        # The last element of the block.
        carry = tl.sum(tl.where(cols == BLOCK_SIZE - 1, h, 0.0), axis=0)


def cumsum(x: torch.Tensor, reverse: bool = False, block: int = 256) -> torch.Tensor:
    y = torch.empty_like(x)
    cumsum_kernel[(x.shape[0],)](x, y, x.stride(0), x.shape[1], BLOCK_SIZE=block, REVERSE=reverse)
    return y


def linear_recurrence(a: torch.Tensor, x: torch.Tensor, block: int = 256) -> torch.Tensor:
    h = torch.empty_like(x)
    linear_recurrence_kernel[(x.shape[0],)](a, x, h, x.stride(0), x.shape[1], BLOCK_SIZE=block)
    return h


if __name__ == "__main__":
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    for shape in ((1, 1), (3, 97), (5, 1000)):
        for reverse in (False, True):
            x = torch.randint(-1000, 1000, shape, dtype=torch.int32, device=device)
            expected = x.flip(1).cumsum(1).flip(1) if reverse else x.cumsum(1)
            assert torch.equal(cumsum(x, reverse), expected.int()), f"cumsum of {shape}, reverse={reverse}"
        x = torch.randn(shape, device=device)
        error = (cumsum(x).double() - x.double().cumsum(1)).abs().max().item()
        a = torch.rand(shape, device=device) * 1.1
        h, expected = torch.zeros(shape[0], dtype=torch.double, device=device), []
        for t in range(shape[1]):
            h = a[:, t].double() * h + x[:, t].double()
            expected.append(h)
        expected = torch.stack(expected, 1)
        recurrence_error = ((linear_recurrence(a, x).double() - expected).abs() / expected.abs().clamp(min=1)).max().item()
        print(f"{shape}: cumsum exact in int32, {error:.1e} off in fp32; the recurrence {recurrence_error:.1e}")
        assert error < 1e-3 and recurrence_error < 1e-4
