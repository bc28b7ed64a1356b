"""v4_optimized: persistent programs keep weight and bias in registers; long rows pass once for both statistics.

    up to 16,384 elements   a few programs per multiprocessor walk over the rows. Weight and bias are read once per program, not
                            once per row, and the loads of the next row overlap with the arithmetic of this one. Or each tile has
                            a program, which reads weight and bias after the statistics, when the caches have them: with fewer
                            registers, more programs are in flight. The rows of a tile, the warps, and which of the two, are
                            chosen by measuring.
    longer                  mean and variance come from one reading: each tile's own mean and sum of squares are merged into the
                            running ones (Chan, Golub and LeVeque), which loses no precision to cancellation. The second reading
                            comes from the L2 cache.
"""
import torch
import triton
import triton.language as tl

from ..shared import accumulator, differentiable, processors
from .arguments import LayerNorm, as_matrix, prepare, statistics

IN_REGISTERS = 16384  # elements of the longest row that one program holds
# PROGRAMS is the number of persistent programs per multiprocessor, 0 for one program per tile. 2048 threads fit on a multiprocessor; half
# as many leave each of them 64 registers.
CONFIGS = [triton.Config({"ROWS": r, "PROGRAMS": p}, num_warps=w)
           for r, w in ((1, 4), (1, 8), (1, 16), (4, 4), (4, 8), (16, 4)) for p in (0, 32 // w)]
CONFIGS += [triton.Config({"ROWS": 1, "PROGRAMS": 0}, num_warps=w, maxnreg=64) for w in (8, 16)]  # 32 warps on a multiprocessor, for rows of 8192


def rows_that_fit(configs, arguments, **constants):
    """Keeps the configurations that give a thread 8 to 32 elements, or what comes nearest."""
    block = constants.get("BLOCK") or arguments["BLOCK"]
    each = {c: block * c.kwargs["ROWS"] // (32 * c.num_warps) for c in configs}
    fitting = [c for c in configs if 8 <= each[c] <= 32]
    return fitting or [min(configs, key=lambda c: abs(each[c] - 16))]


@triton.autotune(configs=CONFIGS, key=["n", "n_rows"], prune_configs_by={"early_config_prune": rows_that_fit})
@triton.jit
def persistent_kernel(x_ptr, w_ptr, b_ptr, y_ptr, mean_ptr, rstd_ptr, n_rows, n, x_stride, eps, HAS_WEIGHT: tl.constexpr,
                      HAS_BIAS: tl.constexpr, COMPUTE: tl.constexpr, BLOCK: tl.constexpr, ROWS: tl.constexpr, PROGRAMS: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    inside = cols < n
    if HAS_WEIGHT and PROGRAMS:
        weight = tl.load(w_ptr + cols, mask=inside, other=0.0)
    if HAS_BIAS and PROGRAMS:
        bias = tl.load(b_ptr + cols, mask=inside, other=0.0)
    # Without persistent programs there are as many programs as tiles, and the loop runs once.
    for first in tl.range(tl.program_id(0) * ROWS, n_rows, tl.num_programs(0) * ROWS, num_stages=2 if PROGRAMS else 1):
        row = tl.cast(first, tl.int64) + tl.arange(0, ROWS)
        mask = (row < n_rows)[:, None] & inside[None, :]
        x = tl.load(x_ptr + row[:, None] * x_stride + cols[None, :], mask=mask, other=0.0).to(COMPUTE)
        mean = tl.sum(x, axis=1) / n
        centred = tl.where(mask, x - mean[:, None], 0.0)
        rstd = 1 / tl.sqrt(tl.sum(centred * centred, axis=1) / n + eps)
        y = centred * rstd[:, None]
        if HAS_WEIGHT:
            if not PROGRAMS:
                weight = tl.load(w_ptr + cols, mask=inside, other=0.0)
            y = y * weight.to(COMPUTE)[None, :]
        if HAS_BIAS:
            if not PROGRAMS:
                bias = tl.load(b_ptr + cols, mask=inside, other=0.0)
            y = y + bias.to(COMPUTE)[None, :]
        tl.store(y_ptr + row[:, None] * n + cols[None, :], y.to(y_ptr.dtype.element_ty), mask=mask)
        tl.store(mean_ptr + row, mean, mask=row < n_rows)
        tl.store(rstd_ptr + row, rstd, mask=row < n_rows)


@triton.jit
def long_rows_kernel(x_ptr, w_ptr, b_ptr, y_ptr, mean_ptr, rstd_ptr, n, x_stride, eps,
                     HAS_WEIGHT: tl.constexpr, HAS_BIAS: tl.constexpr, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * x_stride
    y_ptr += row * n
    cols = tl.arange(0, BLOCK)
    mean = tl.zeros((1,), COMPUTE)
    squares = tl.zeros((1,), COMPUTE)
    for first in range(0, n, BLOCK):
        mask = first + cols < n
        x = tl.load(x_ptr + first + cols, mask=mask, other=0.0).to(COMPUTE)
        count = tl.cast(tl.minimum(n - first, BLOCK), COMPUTE)
        tile_mean = tl.sum(x, axis=0) / count
        centred = tl.where(mask, x - tile_mean, 0.0)
        # Chan, Golub and LeVeque: the statistics of `first` elements and of `count` more.
        seen = count + first
        delta = tile_mean - mean
        mean += delta * (count / seen)
        squares += tl.sum(centred * centred, axis=0) + delta * delta * (first * (count / seen))
    rstd = 1 / tl.sqrt(squares / n + eps)
    for first in range(0, n, BLOCK):
        mask = first + cols < n
        y = (tl.load(x_ptr + first + cols, mask=mask, other=0.0, eviction_policy="evict_first").to(COMPUTE) - mean) * rstd
        if HAS_WEIGHT:
            y = y * tl.load(w_ptr + first + cols, mask=mask, other=0.0).to(COMPUTE)
        if HAS_BIAS:
            y = y + tl.load(b_ptr + first + cols, mask=mask, other=0.0).to(COMPUTE)
        tl.store(y_ptr + first + cols, y.to(y_ptr.dtype.element_ty), mask=mask)
    one = tl.arange(0, 1)
    tl.store(mean_ptr + row + one, mean)
    tl.store(rstd_ptr + row + one, rstd)


def forward(input, shape, weight, bias, eps):
    x, rows, n = as_matrix(input, shape)
    y = torch.empty(input.shape, dtype=input.dtype, device=input.device)
    mean, rstd = statistics(x, rows)
    if y.numel() == 0:
        return y, mean, rstd
    arguments = (x, x if weight is None else weight.contiguous(), x if bias is None else bias.contiguous(), y, mean, rstd)
    options = dict(HAS_WEIGHT=weight is not None, HAS_BIAS=bias is not None, COMPUTE=accumulator(x.dtype))
    if n <= IN_REGISTERS:
        block = triton.next_power_of_2(n)

        def grid(meta):
            tiles = triton.cdiv(rows, meta["ROWS"])
            return (min(tiles, processors(x.device) * meta["PROGRAMS"]) if meta["PROGRAMS"] else tiles,)
        persistent_kernel[grid](*arguments, rows, n, x.stride(0), eps, BLOCK=block, **options)
    else:
        long_rows_kernel[(rows,)](*arguments, n, x.stride(0), eps, BLOCK=8192, num_warps=16, **options)
    return y, mean, rstd


def triton_layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """As torch.nn.functional.layer_norm."""
    return differentiable(LayerNorm, forward, *prepare(input, normalized_shape, weight, bias, eps))
