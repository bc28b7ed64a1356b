"""v4_optimized: each row is read once where it fits into registers; few long rows are split between programs.

The dimension is the last one (after taking a dense tensor in the order of memory):
    up to 32,768 elements   the row stays in registers: one reading, one writing. Short rows share a program. Rows of a program
                            and warps are chosen by measuring.
    longer, many rows       the online softmax of v2, one program per row, with one exponential per element; the second reading
                            comes from the L2 cache. Tiles and warps are chosen by measuring.
    longer, few rows        the row is split: programs write the maximum and the sum of their part, then a second kernel
                            combines the parts and normalizes, so that all multiprocessors work on one row.
Other dimensions: the coalesced tiles of v3, with the width chosen by measuring; a short dimension stays in registers.
"""
import torch
import triton
import triton.language as tl

from ..shared import accumulator, differentiable, processors
from .arguments import Softmax, in_memory_order, prepare, restore, split

IN_REGISTERS = 32768  # elements of the longest row that one program holds
# TILE is the number of elements that a program has at once: one row or several short ones.
TILES = [triton.Config({"TILE": t}, num_warps=w)
         for t, w in ((2048, 4), (1024, 4), (4096, 4), (4096, 8), (8192, 4), (8192, 8), (8192, 16), (16384, 8), (16384, 16), (16384, 32),
                      (32768, 16), (32768, 32))]
# With at most 64 registers, 32 warps run on a multiprocessor.
LONG = [triton.Config({"BLOCK": b}, num_warps=w, maxnreg=r) for b, w, r in ((8192, 16, 64), (4096, 8, 64), (8192, 8, None), (16384, 32, None))]
COLUMNS = [triton.Config({"BLOCK_N": n, "BLOCK_I": i}, num_warps=w) for n, i, w in ((16, 64, 4), (64, 32, 4), (128, 64, 8), (256, 16, 8), (512, 16, 16))]


def tiles_that_fit(configs, arguments, **constants):
    """Keeps the configurations whose tile is a row, or small and a few rows."""
    block = constants.get("BLOCK") or arguments["BLOCK"]
    return [c for c in configs if block <= c.kwargs["TILE"] < max(2 * block, 4097)] or configs[:1]


@triton.autotune(configs=TILES, key=["n", "n_rows"], prune_configs_by={"early_config_prune": tiles_that_fit})
@triton.jit
def rows_kernel(x_ptr, out_ptr, n_rows, n, COMPUTE: tl.constexpr, BLOCK: tl.constexpr, TILE: tl.constexpr):
    ROWS: tl.constexpr = TILE // BLOCK if TILE > BLOCK else 1
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    mask = (row < n_rows)[:, None] & (cols < n)[None, :]
    place = row[:, None] * n + cols[None, :]
    x = tl.load(x_ptr + place, mask=mask, other=-float("inf")).to(COMPUTE)
    power = tl.exp(x - tl.max(x, axis=1)[:, None])
    y = power * (1.0 / tl.sum(power, axis=1))[:, None]
    tl.store(out_ptr + place, y.to(out_ptr.dtype.element_ty), mask=mask)


@triton.jit
def fold(largest, total, x):
    """Adds a tile to the running maxima and sums. Of exp(largest - grown) and exp(x - grown) one is 1: one exponential suffices."""
    shrink = tl.exp(-tl.abs(x - largest))
    return tl.maximum(largest, x), tl.where(x > largest, total * shrink + 1, total + shrink)


@triton.autotune(configs=LONG, key=["n"])
@triton.jit
def long_rows_kernel(x_ptr, out_ptr, n, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * n
    cols = tl.arange(0, BLOCK)
    largest = tl.full((BLOCK,), -1.0e38, COMPUTE)
    total = tl.zeros((BLOCK,), COMPUTE)
    for first in range(0, n, BLOCK):
        x = tl.load(x_ptr + row + first + cols, mask=first + cols < n, other=-float("inf")).to(COMPUTE)
        largest, total = fold(largest, total, x)
    row_largest = tl.max(largest, axis=0)
    inverse = 1.0 / tl.sum(total * tl.exp(largest - row_largest), axis=0)
    for first in range(0, n, BLOCK):
        mask = first + cols < n
        x = tl.load(x_ptr + row + first + cols, mask=mask, other=0.0, eviction_policy="evict_first").to(COMPUTE)
        y = (tl.exp(x - row_largest) * inverse).to(out_ptr.dtype.element_ty)
        tl.store(out_ptr + row + first + cols, y, mask=mask, eviction_policy="evict_first")  # the cache is for the rows


@triton.jit
def parts_kernel(x_ptr, largest_ptr, total_ptr, n, part, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    """The maximum and the sum of one part of a row."""
    row = tl.program_id(1).to(tl.int64) * n
    begin = tl.program_id(0) * part
    end = tl.minimum(begin + part, n)
    cols = tl.arange(0, BLOCK)
    largest = tl.full((BLOCK,), -1.0e38, COMPUTE)
    total = tl.zeros((BLOCK,), COMPUTE)
    for first in range(begin, end, BLOCK):
        x = tl.load(x_ptr + row + first + cols, mask=first + cols < end, other=-float("inf")).to(COMPUTE)
        largest, total = fold(largest, total, x)
    part_largest = tl.max(largest, axis=0)
    place = tl.program_id(1) * tl.num_programs(0) + tl.program_id(0)
    tl.store(largest_ptr + place, part_largest)
    tl.store(total_ptr + place, tl.sum(total * tl.exp(largest - part_largest), axis=0))


@triton.jit
def normalize_kernel(x_ptr, largest_ptr, total_ptr, out_ptr, n, parts, COMPUTE: tl.constexpr, PARTS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, PARTS)
    largest = tl.load(largest_ptr + tl.program_id(1) * parts + i, mask=i < parts, other=-1.0e38)
    total = tl.load(total_ptr + tl.program_id(1) * parts + i, mask=i < parts, other=0.0)
    row_largest = tl.max(largest, axis=0)
    inverse = 1.0 / tl.sum(total * tl.exp(largest - row_largest), axis=0)
    row = tl.program_id(1).to(tl.int64) * n
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row + cols, mask=cols < n, other=0.0).to(COMPUTE)
    tl.store(out_ptr + row + cols, (tl.exp(x - row_largest) * inverse).to(out_ptr.dtype.element_ty), mask=cols < n)


@triton.autotune(configs=COLUMNS, key=["n", "inner"])
@triton.jit
def columns_kernel(x_ptr, out_ptr, n, inner, COMPUTE: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_I: tl.constexpr):
    tiles = tl.cdiv(inner, BLOCK_I)
    start = (tl.program_id(0) // tiles).to(tl.int64) * n * inner
    i = tl.program_id(0) % tiles * BLOCK_I + tl.arange(0, BLOCK_I)
    k = tl.arange(0, BLOCK_N)
    if n <= BLOCK_N:
        mask = (k < n)[:, None] & (i < inner)[None, :]
        place = start + k.to(tl.int64)[:, None] * inner + i[None, :]
        x = tl.load(x_ptr + place, mask=mask, other=-float("inf")).to(COMPUTE)
        power = tl.exp(x - tl.max(x, axis=0)[None, :])
        tl.store(out_ptr + place, (power * (1.0 / tl.sum(power, axis=0))[None, :]).to(out_ptr.dtype.element_ty), mask=mask)
    else:
        largest = tl.full((BLOCK_N, BLOCK_I), -1.0e38, COMPUTE)
        total = tl.zeros((BLOCK_N, BLOCK_I), COMPUTE)
        for first in range(0, n, BLOCK_N):
            mask = (first + k < n)[:, None] & (i < inner)[None, :]
            place = start + (first + k).to(tl.int64)[:, None] * inner + i[None, :]
            x = tl.load(x_ptr + place, mask=mask, other=-float("inf")).to(COMPUTE)
            largest, total = fold(largest, total, x)
        row_largest = tl.max(largest, axis=0)[None, :]
        inverse = (1.0 / tl.sum(total * tl.exp(largest - row_largest), axis=0))[None, :]
        for first in range(0, n, BLOCK_N):
            mask = (first + k < n)[:, None] & (i < inner)[None, :]
            place = start + (first + k).to(tl.int64)[:, None] * inner + i[None, :]
            x = tl.load(x_ptr + place, mask=mask, other=0.0, eviction_policy="evict_first").to(COMPUTE)
            tl.store(out_ptr + place, (tl.exp(x - row_largest) * inverse).to(out_ptr.dtype.element_ty), mask=mask)


def rows(x, out, n_rows, n):
    block = triton.next_power_of_2(n)
    rows_kernel[lambda meta: (triton.cdiv(n_rows, max(meta["TILE"] // block, 1)),)](x, out, n_rows, n, COMPUTE=accumulator(x.dtype), BLOCK=block)


def long_rows(x, out, n_rows, n):
    compute = accumulator(x.dtype)
    parts = min(triton.cdiv(2 * processors(x.device), n_rows), triton.cdiv(n, 8192), 256)
    if parts < 2:
        long_rows_kernel[(n_rows,)](x, out, n, COMPUTE=compute)
        return
    part = triton.cdiv(triton.cdiv(n, parts), 4096) * 4096
    parts = triton.cdiv(n, part)
    largest = torch.empty(n_rows, parts, dtype=torch.float64 if compute == tl.float64 else torch.float32, device=x.device)
    total = torch.empty_like(largest)
    parts_kernel[(parts, n_rows)](x, largest, total, n, part, COMPUTE=compute, BLOCK=4096, num_warps=8)
    normalize_kernel[(triton.cdiv(n, 4096), n_rows)](x, largest, total, out, n, parts, COMPUTE=compute,
                                                    PARTS=triton.next_power_of_2(parts), BLOCK=4096, num_warps=8)


def forward(x, dim):
    x, dim, order = in_memory_order(x, dim)
    out = torch.empty_like(x)
    outer, n, inner = split(x.shape, dim)
    if out.numel() == 0:
        pass
    elif inner > 1:
        columns_kernel[lambda meta: (outer * triton.cdiv(inner, meta["BLOCK_I"]),)](x, out, n, inner, COMPUTE=accumulator(x.dtype))
    elif n <= IN_REGISTERS:
        rows(x, out, outer, n)
    else:
        long_rows(x, out, outer, n)
    return (restore(out, order),)


def triton_softmax(input, dim, *, dtype=None):
    """As torch.softmax."""
    return differentiable(Softmax, forward, *prepare(input, dim, dtype))
