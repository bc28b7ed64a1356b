"""v4_optimized: persistent programs keep the weight in registers; long rows pass in wide tiles.

    up to 16,384 elements   a few programs per multiprocessor walk over the rows. The weight is read once per program, not once per
                            row, and the loads of the next row overlap with the arithmetic of this one. Or each tile has a program,
                            which reads the weight after the sum, when the caches have it: with fewer registers, more programs are
                            in flight. The rows of a tile, the warps, and which of the two, are chosen by measuring.
    longer                  a program per row reads it twice, the second time from the L2 cache, in tiles of 8192 elements.
"""
import torch
import triton
import triton.language as tl

from ..shared import accumulator, differentiable, processors
from .arguments import RMSNorm, as_matrix, prepare, statistics

IN_REGISTERS = 16384  # elements of the longest row that one program holds
# PROGRAMS is the number of persistent programs per multiprocessor, 0 for one program per tile. 2048 threads fit on a multiprocessor; half
# as many leave each of them 64 registers.
CONFIGS = [triton.Config({"ROWS": r, "PROGRAMS": p}, num_warps=w)
           for r, w in ((1, 4), (1, 8), (1, 16), (4, 4), (4, 8), (16, 4)) for p in (0, 32 // w)]
CONFIGS += [triton.Config({"ROWS": 1, "PROGRAMS": 0}, num_warps=8, maxnreg=64)]  # 32 warps on a multiprocessor, for rows of 8192


def rows_that_fit(configs, arguments, **constants):
    """Keeps the configurations that give a thread 8 to 32 elements, or what comes nearest."""
    block = constants.get("BLOCK") or arguments["BLOCK"]
    each = {c: block * c.kwargs["ROWS"] // (32 * c.num_warps) for c in configs}
    fitting = [c for c in configs if 8 <= each[c] <= 32]
    return fitting or [min(configs, key=lambda c: abs(each[c] - 16))]


@triton.autotune(configs=CONFIGS, key=["n", "n_rows"], prune_configs_by={"early_config_prune": rows_that_fit})
@triton.jit
def persistent_kernel(x_ptr, w_ptr, y_ptr, scale_ptr, n_rows, n, x_stride, eps,
                      HAS_WEIGHT: tl.constexpr, COMPUTE: tl.constexpr, BLOCK: tl.constexpr, ROWS: tl.constexpr, PROGRAMS: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    inside = cols < n
    if HAS_WEIGHT and PROGRAMS:
        weight = tl.load(w_ptr + cols, mask=inside, other=0.0)
    # Without persistent programs there are as many programs as tiles, and the loop runs once.
    for first in tl.range(tl.program_id(0) * ROWS, n_rows, tl.num_programs(0) * ROWS, num_stages=2 if PROGRAMS else 1):
        row = tl.cast(first, tl.int64) + tl.arange(0, ROWS)
        mask = (row < n_rows)[:, None] & inside[None, :]
        x = tl.load(x_ptr + row[:, None] * x_stride + cols[None, :], mask=mask, other=0.0).to(COMPUTE)
        scale = 1 / tl.sqrt(tl.sum(x * x, axis=1) / n + eps)
        y = x * scale[:, None]
        if HAS_WEIGHT:
            if not PROGRAMS:
                weight = tl.load(w_ptr + cols, mask=inside, other=0.0)
            y = y * weight.to(COMPUTE)[None, :]
        tl.store(y_ptr + row[:, None] * n + cols[None, :], y.to(y_ptr.dtype.element_ty), mask=mask)
        tl.store(scale_ptr + row, scale, mask=row < n_rows)


@triton.jit
def long_rows_kernel(x_ptr, w_ptr, y_ptr, scale_ptr, n, x_stride, eps,
                     HAS_WEIGHT: tl.constexpr, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * x_stride
    y_ptr += row * n
    cols = tl.arange(0, BLOCK)
    squares = tl.zeros((BLOCK,), COMPUTE)
    for first in range(0, n, BLOCK):
        x = tl.load(x_ptr + first + cols, mask=first + cols < n, other=0.0).to(COMPUTE)
        squares += x * x
    scale = 1 / tl.sqrt(tl.sum(squares, axis=0) / n + eps)
    for first in range(0, n, BLOCK):
        mask = first + cols < n
        y = tl.load(x_ptr + first + cols, mask=mask, other=0.0, eviction_policy="evict_first").to(COMPUTE) * scale
        if HAS_WEIGHT:
            y = y * tl.load(w_ptr + first + cols, mask=mask, other=0.0).to(COMPUTE)
        tl.store(y_ptr + first + cols, y.to(y_ptr.dtype.element_ty), mask=mask)
    tl.store(scale_ptr + row, scale)


def forward(input, shape, weight, eps):
    x, rows, n = as_matrix(input, shape)
    y = torch.empty(input.shape, dtype=input.dtype, device=input.device)
    scale = statistics(x, rows)
    if y.numel() == 0:
        return y, scale
    arguments = (x, x if weight is None else weight.contiguous(), y, scale)
    options = dict(HAS_WEIGHT=weight is not None, COMPUTE=accumulator(x.dtype))
    if n <= IN_REGISTERS:
        block = triton.next_power_of_2(n)

        def grid(meta):
            tiles = triton.cdiv(rows, meta["ROWS"])
            return (min(tiles, processors(x.device) * meta["PROGRAMS"]) if meta["PROGRAMS"] else tiles,)
        persistent_kernel[grid](*arguments, rows, n, x.stride(0), eps, BLOCK=block, **options)
    else:
        long_rows_kernel[(rows,)](*arguments, n, x.stride(0), eps, BLOCK=8192, num_warps=16, **options)
    return y, scale


def triton_rms_norm(input, normalized_shape, weight=None, eps=None):
    """As torch.nn.functional.rms_norm."""
    return differentiable(RMSNorm, forward, *prepare(input, normalized_shape, weight, eps))
