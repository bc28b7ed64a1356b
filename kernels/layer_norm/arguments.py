"""What all versions of layer_norm do with their arguments, and the gradient.

The gradient of a row, with h = (x - mean) * rstd and w = gradient * weight:  dx = rstd * (w - mean(w) - h * mean(w * h)).
The gradients of weight and bias are sums over all rows. Each program adds up a share of the rows in registers and writes one
partial row; a second kernel adds the partial rows, always in the same order, so that the result is deterministic.
"""
import torch
import triton
import triton.language as tl

from ..shared import accumulator, processors, require_floating, require_same_device


IN_REGISTERS = 8192  # elements of the longest row whose gradient one program holds


def prepare(input, normalized_shape, weight, bias, eps):
    """Checks the arguments; returns those that forward takes."""
    if isinstance(normalized_shape, int):
        normalized_shape = (normalized_shape,)
    shape = tuple(normalized_shape)
    if not isinstance(input, torch.Tensor):
        raise TypeError(f"layer_norm: input must be a tensor, got {type(input).__name__}")
    require_floating("layer_norm", input=input, weight=weight, bias=bias)
    require_same_device("layer_norm", input=input, weight=weight, bias=bias)
    if not shape or tuple(input.shape[-len(shape):]) != shape:
        raise ValueError(f"layer_norm: input's last dimensions must be normalized_shape {list(shape)}, got {list(input.shape)}")
    for name, tensor in (("weight", weight), ("bias", bias)):
        if tensor is not None and tuple(tensor.shape) != shape:
            raise ValueError(f"layer_norm: {name} must have the shape {list(shape)}, got {list(tensor.shape)}")
    return input, shape, weight, bias, eps


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
    """Empty tensors for the mean and the reciprocal standard deviation of each row."""
    dtype = torch.float64 if x.dtype == torch.float64 else torch.float32
    return torch.empty(rows, dtype=dtype, device=x.device), torch.empty(rows, dtype=dtype, device=x.device)


@triton.jit
def rows_gradient_kernel(x_ptr, g_ptr, w_ptr, mean_ptr, rstd_ptr, dx_ptr, dw_ptr, db_ptr, n_rows, n, x_stride,
                         HAS_WEIGHT: tl.constexpr, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    if HAS_WEIGHT:
        weight = tl.load(w_ptr + cols, mask=mask, other=0.0).to(COMPUTE)
    dw = tl.zeros((BLOCK,), COMPUTE)
    db = tl.zeros((BLOCK,), COMPUTE)
    for row in range(tl.program_id(0), n_rows, tl.num_programs(0)):
        at = tl.cast(row, tl.int64)
        x = tl.load(x_ptr + at * x_stride + cols, mask=mask, other=0.0).to(COMPUTE)
        g = tl.load(g_ptr + at * n + cols, mask=mask, other=0.0).to(COMPUTE)
        mean = tl.load(mean_ptr + at)
        rstd = tl.load(rstd_ptr + at)
        h = tl.where(mask, (x - mean) * rstd, 0.0)
        dw += g * h
        db += g
        if HAS_WEIGHT:
            g = g * weight
        along = tl.sum(g, axis=0) / n
        across = tl.sum(g * h, axis=0) / n
        tl.store(dx_ptr + at * n + cols, (rstd * (g - along - h * across)).to(dx_ptr.dtype.element_ty), mask=mask)
    partial = tl.program_id(0).to(tl.int64) * n
    tl.store(dw_ptr + partial + cols, dw, mask=mask)
    tl.store(db_ptr + partial + cols, db, mask=mask)


@triton.jit
def long_rows_gradient_kernel(x_ptr, g_ptr, w_ptr, mean_ptr, rstd_ptr, dx_ptr, n, x_stride,
                              HAS_WEIGHT: tl.constexpr, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    """The gradient of one row that is too long for registers: it passes twice."""
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mean = tl.load(mean_ptr + row)
    rstd = tl.load(rstd_ptr + row)
    along = tl.zeros((BLOCK,), COMPUTE)
    across = tl.zeros((BLOCK,), COMPUTE)
    for first in range(0, n, BLOCK):
        mask = first + cols < n
        h = (tl.load(x_ptr + row * x_stride + first + cols, mask=mask, other=0.0).to(COMPUTE) - mean) * rstd
        g = tl.load(g_ptr + row * n + first + cols, mask=mask, other=0.0).to(COMPUTE)
        if HAS_WEIGHT:
            g = g * tl.load(w_ptr + first + cols, mask=mask, other=0.0).to(COMPUTE)
        along += g
        across += g * h
    row_along = tl.sum(along, axis=0) / n
    row_across = tl.sum(across, axis=0) / n
    for first in range(0, n, BLOCK):
        mask = first + cols < n
        h = (tl.load(x_ptr + row * x_stride + first + cols, mask=mask, other=0.0).to(COMPUTE) - mean) * rstd
        g = tl.load(g_ptr + row * n + first + cols, mask=mask, other=0.0).to(COMPUTE)
        if HAS_WEIGHT:
            g = g * tl.load(w_ptr + first + cols, mask=mask, other=0.0).to(COMPUTE)
        dx = rstd * (g - row_along - h * row_across)
        tl.store(dx_ptr + row * n + first + cols, dx.to(dx_ptr.dtype.element_ty), mask=mask)


@triton.jit
def columns_gradient_kernel(x_ptr, g_ptr, mean_ptr, rstd_ptr, dw_ptr, db_ptr, n_rows, n, x_stride, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    """A share of the rows, which is axis 1 of the grid, of the gradients of BLOCK weights and biases."""
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < n
    dw = tl.zeros((BLOCK,), COMPUTE)
    db = tl.zeros((BLOCK,), COMPUTE)
    for row in range(tl.program_id(1), n_rows, tl.num_programs(1)):
        at = tl.cast(row, tl.int64)
        x = tl.load(x_ptr + at * x_stride + cols, mask=mask, other=0.0).to(COMPUTE)
        g = tl.load(g_ptr + at * n + cols, mask=mask, other=0.0).to(COMPUTE)
        dw += g * (x - tl.load(mean_ptr + at)) * tl.load(rstd_ptr + at)
        db += g
    partial = tl.program_id(1).to(tl.int64) * n
    tl.store(dw_ptr + partial + cols, dw, mask=mask)
    tl.store(db_ptr + partial + cols, db, mask=mask)


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


class LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, forward, input, shape, weight, bias, eps):
        y, mean, rstd = forward(input, shape, weight, bias, eps)
        ctx.save_for_backward(input, weight, bias, mean, rstd)
        ctx.shape = shape
        return y

    @staticmethod
    def backward(ctx, gradient):
        input, weight, bias, mean, rstd = ctx.saved_tensors
        x, rows, n = as_matrix(input, ctx.shape)
        dx = torch.empty(input.shape, dtype=input.dtype, device=input.device)
        if dx.numel() == 0:
            zeros = [None if t is None else torch.zeros_like(t) for t in (weight, bias)]
            return None, dx, None, zeros[0], zeros[1], None
        gradient = gradient.contiguous()
        programs = min(rows, 2 * processors(x.device))
        partial = torch.empty(2, programs, n, dtype=mean.dtype, device=x.device)
        block = triton.next_power_of_2(n)
        w, compute = x if weight is None else weight.contiguous(), accumulator(x.dtype)
        if block <= IN_REGISTERS:
            rows_gradient_kernel[(programs,)](
                x, gradient, w, mean, rstd, dx, partial[0], partial[1], rows, n, x.stride(0),
                HAS_WEIGHT=weight is not None, COMPUTE=compute, BLOCK=block, num_warps=4 if block <= 2048 else 8)
        else:
            long_rows_gradient_kernel[(rows,)](x, gradient, w, mean, rstd, dx, n, x.stride(0), HAS_WEIGHT=weight is not None, COMPUTE=compute,
                                               BLOCK=4096, num_warps=8)
            programs = min(programs, 16)
            partial = partial[:, :programs]
            columns_gradient_kernel[(triton.cdiv(n, 1024), programs)](x, gradient, mean, rstd, partial[0], partial[1], rows, n, x.stride(0),
                                                                     COMPUTE=compute, BLOCK=1024)
        dw = column_sums(partial[0], weight) if ctx.needs_input_grad[3] else None
        db = column_sums(partial[1], bias) if ctx.needs_input_grad[4] else None
        return None, dx, None, dw, db, None
