"""What all versions of rms_norm do with their arguments, and the gradient.

The gradient of a row, with h = x * scale and w = gradient * weight:  dx = scale * (w - h * mean(w * h)).
The gradient of weight is a sum over all rows. Each program adds up a share of the rows in registers and writes one
partial row; a second kernel adds the partial rows, always in the same order, so that the result is deterministic.
"""
import torch
import triton
import triton.language as tl

from ..shared import accumulator, processors, require_floating, require_same_device


IN_REGISTERS = 8192  # elements of the longest row whose gradient one program holds


def prepare(input, normalized_shape, weight, eps):
    """Checks the arguments; returns those that forward takes."""
    if isinstance(normalized_shape, int):
        normalized_shape = (normalized_shape,)
    shape = tuple(normalized_shape)
    if not isinstance(input, torch.Tensor):
        raise TypeError(f"rms_norm: input must be a tensor, got {type(input).__name__}")
    require_floating("rms_norm", input=input, weight=weight)
    require_same_device("rms_norm", input=input, weight=weight)
    if not shape or tuple(input.shape[-len(shape):]) != shape:
        raise ValueError(f"rms_norm: input's last dimensions must be normalized_shape {list(shape)}, got {list(input.shape)}")
    if weight is not None and tuple(weight.shape) != shape:
        raise ValueError(f"rms_norm: weight must have the shape {list(shape)}, got {list(weight.shape)}")
    if eps is None:  # torch's default is the epsilon of the type that it computes in
        eps = torch.finfo(torch.float64 if input.dtype == torch.float64 else torch.float32).eps
    return input, shape, weight, eps


def as_matrix(x, shape):
    """Returns (matrix, rows, n): a view of rows with any row stride if possible, otherwise a contiguous copy."""
    n = torch.Size(shape).numel()
    rows = x.numel() // n if n else 0
    if not x.is_contiguous():
        try:
            x = x.view(rows, n)
        except RuntimeError:
            x = x.contiguous().view(rows, n)
        if n > 1 and x.stride(1) != 1:
            x = x.contiguous()
    return x.view(rows, n), rows, n


def statistics(x, rows):
    """An empty tensor for the factor that each row is scaled by."""
    return torch.empty(rows, dtype=torch.float64 if x.dtype == torch.float64 else torch.float32, device=x.device)


@triton.jit
def rows_gradient_kernel(x_ptr, g_ptr, w_ptr, scale_ptr, dx_ptr, dw_ptr, n_rows, n, x_stride,
                         HAS_WEIGHT: tl.constexpr, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    if HAS_WEIGHT:
        weight = tl.load(w_ptr + cols, mask=mask, other=0.0).to(COMPUTE)
    dw = tl.zeros((BLOCK,), COMPUTE)
    for row in range(tl.program_id(0), n_rows, tl.num_programs(0)):
        at = tl.cast(row, tl.int64)
        x = tl.load(x_ptr + at * x_stride + cols, mask=mask, other=0.0).to(COMPUTE)
        g = tl.load(g_ptr + at * n + cols, mask=mask, other=0.0).to(COMPUTE)
        scale = tl.load(scale_ptr + at)
        h = x * scale
        dw += g * h
        if HAS_WEIGHT:
            g = g * weight
        along = tl.sum(g * h, axis=0) / n
        tl.store(dx_ptr + at * n + cols, (scale * (g - h * along)).to(dx_ptr.dtype.element_ty), mask=mask)
    tl.store(dw_ptr + tl.program_id(0).to(tl.int64) * n + cols, dw, mask=mask)


@triton.jit
def long_rows_gradient_kernel(x_ptr, g_ptr, w_ptr, scale_ptr, dx_ptr, n, x_stride,
                              HAS_WEIGHT: tl.constexpr, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    """The gradient of one row that is too long for registers: it passes twice."""
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    scale = tl.load(scale_ptr + row)
    total = tl.zeros((BLOCK,), COMPUTE)
    for first in range(0, n, BLOCK):
        mask = first + cols < n
        h = tl.load(x_ptr + row * x_stride + first + cols, mask=mask, other=0.0).to(COMPUTE) * scale
        g = tl.load(g_ptr + row * n + first + cols, mask=mask, other=0.0).to(COMPUTE)
        if HAS_WEIGHT:
            g = g * tl.load(w_ptr + first + cols, mask=mask, other=0.0).to(COMPUTE)
        total += g * h
    along = tl.sum(total, axis=0) / n
    for first in range(0, n, BLOCK):
        mask = first + cols < n
        h = tl.load(x_ptr + row * x_stride + first + cols, mask=mask, other=0.0).to(COMPUTE) * scale
        g = tl.load(g_ptr + row * n + first + cols, mask=mask, other=0.0).to(COMPUTE)
        if HAS_WEIGHT:
            g = g * tl.load(w_ptr + first + cols, mask=mask, other=0.0).to(COMPUTE)
        tl.store(dx_ptr + row * n + first + cols, (scale * (g - h * along)).to(dx_ptr.dtype.element_ty), mask=mask)


@triton.jit
def columns_gradient_kernel(x_ptr, g_ptr, scale_ptr, dw_ptr, n_rows, n, x_stride, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    """A share of the rows, which is axis 1 of the grid, of the gradients of BLOCK weights."""
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < n
    dw = tl.zeros((BLOCK,), COMPUTE)
    for row in range(tl.program_id(1), n_rows, tl.num_programs(1)):
        at = tl.cast(row, tl.int64)
        x = tl.load(x_ptr + at * x_stride + cols, mask=mask, other=0.0).to(COMPUTE)
        g = tl.load(g_ptr + at * n + cols, mask=mask, other=0.0).to(COMPUTE)
        dw += g * x * tl.load(scale_ptr + at)
    tl.store(dw_ptr + tl.program_id(1).to(tl.int64) * n + cols, dw, mask=mask)


@triton.jit
def column_sums_kernel(partial_ptr, out_ptr, rows, n, ROWS: tl.constexpr, COLS: tl.constexpr):
    cols = tl.program_id(0) * COLS + tl.arange(0, COLS)
    total = tl.zeros((ROWS, COLS), partial_ptr.dtype.element_ty)
    for first in range(0, rows, ROWS):
        row = first + tl.arange(0, ROWS)
        mask = (row < rows)[:, None] & (cols < n)[None, :]
        total += tl.load(partial_ptr + row.to(tl.int64)[:, None] * n + cols[None, :], mask=mask, other=0.0)
    tl.store(out_ptr + cols, tl.sum(total, axis=0).to(out_ptr.dtype.element_ty), mask=cols < n)


def column_sums(partial, like):
    """Adds the rows of a matrix; returns the sums in the shape and the type of `like`."""
    rows, n = partial.shape
    out = torch.empty(like.shape, dtype=like.dtype, device=like.device)
    column_sums_kernel[(triton.cdiv(n, 64),)](partial, out, rows, n, ROWS=32, COLS=64)
    return out


class RMSNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, forward, input, shape, weight, eps):
        y, scale = forward(input, shape, weight, eps)
        ctx.save_for_backward(input, weight, scale)
        ctx.shape = shape
        return y

    @staticmethod
    def backward(ctx, gradient):
        input, weight, scale = ctx.saved_tensors
        x, rows, n = as_matrix(input, ctx.shape)
        dx = torch.empty(input.shape, dtype=input.dtype, device=input.device)
        if dx.numel() == 0:
            return None, dx, None, None if weight is None else torch.zeros_like(weight), None
        gradient = gradient.contiguous()
        programs = min(rows, 2 * processors(x.device))
        partial = torch.empty(programs, n, dtype=scale.dtype, device=x.device)
        block = triton.next_power_of_2(n)
        w, compute = x if weight is None else weight.contiguous(), accumulator(x.dtype)
        if block <= IN_REGISTERS:
            rows_gradient_kernel[(programs,)](x, gradient, w, scale, dx, partial, rows, n, x.stride(0), HAS_WEIGHT=weight is not None,
                                              COMPUTE=compute, BLOCK=block, num_warps=4 if block <= 2048 else 8)
        else:
            long_rows_gradient_kernel[(rows,)](x, gradient, w, scale, dx, n, x.stride(0), HAS_WEIGHT=weight is not None, COMPUTE=compute,
                                               BLOCK=4096, num_warps=8)
            programs = min(programs, 16)
            partial = partial[:programs]
            columns_gradient_kernel[(triton.cdiv(n, 1024), programs)](x, gradient, scale, partial, rows, n, x.stride(0), COMPUTE=compute, BLOCK=1024)
        return None, dx, None, column_sums(partial, weight) if ctx.needs_input_grad[3] else None, None
