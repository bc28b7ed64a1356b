"""v4_optimized: v3's tiles with measured sizes, the classes split between programs if rows are few, and the sum of all rows fused.

If there are fewer rows than the GPU has multiprocessors, the classes are split: each program writes the maximum and the sum of its
share, and a second kernel combines them. Otherwise the program that has seen all classes of a row writes its loss, too. For the
reductions `mean` and `sum` one last program adds the rows' losses and weights and divides, instead of the torch operators of v1 to v3.

At the H200's memory bandwidth a multiprocessor has time for about 14 instructions per element. So the neighbours that a thread loads at
once share one running maximum: each costs a multiplication with addition, an exponential and an addition. Maxima are in base 2.
"""
import torch
import triton
import triton.language as tl

from ..shared import accumulator, differentiable, processors
from .arguments import CrossEntropy, as_rows, per_row, prepare

LOG2E = tl.constexpr(1.4426950408889634)
CONFIGS = [triton.Config({"TILE": t}, num_warps=w) for t, w in ((1024, 4), (2048, 4), (2048, 8), (4096, 4), (4096, 8), (8192, 8))]


@triton.jit
def row_loss(lse, at_target, total_weight, weighted_scores, w_target, kept, classes, smoothing, SMOOTH: tl.constexpr):
    """The loss of a row (see arguments.py)."""
    loss = (1.0 - smoothing) * w_target * (lse - at_target)
    if SMOOTH:
        loss += smoothing / classes * (lse * total_weight - weighted_scores)
    return tl.where(kept, loss, 0.0)


@triton.jit
def fold(largest, total, weights, weighted, start, w_ptr, c, classes, x_class, i, inside, x_inner,
         HAS_WEIGHT: tl.constexpr, SMOOTH: tl.constexpr, COMPUTE: tl.constexpr):
    """Adds the classes c, [groups, neighbours], of the rows i to the running maxima, in base 2, and sums: [groups, rows]."""
    mask = (c < classes)[:, :, None] & inside[None, None, :]
    z = tl.load(start + c.to(tl.int64)[:, :, None] * x_class + i[None, None, :] * x_inner, mask=mask, other=-float("inf")).to(COMPUTE)
    grown = tl.maximum(largest, tl.max(z, axis=1) * LOG2E)
    total = total * tl.exp2(largest - grown) + tl.sum(tl.exp2(z * LOG2E - grown[:, None, :]), axis=1)
    if SMOOTH:
        w = tl.where(c < classes, 1.0, 0.0).to(COMPUTE)
        if HAS_WEIGHT:
            w = tl.load(w_ptr + c, mask=c < classes, other=0.0).to(COMPUTE)
        weights += tl.sum(w, axis=1)[:, None]
        weighted += tl.sum(tl.where(mask, w[:, :, None] * z, 0.0), axis=1)
    return grown, total, weights, weighted


@triton.jit
def merge(largest, total):
    """The maximum and the sum of exponentials over the first axis."""
    top = tl.max(largest, axis=0)
    return top, tl.sum(total * tl.exp2(largest - top[None, :]), axis=0)


@triton.jit
def finish(row, inside, top, exponentials, weights, weighted, x_ptr, target_ptr, w_ptr, loss_ptr, counted_ptr, lse_ptr, classes, inner,
           x_row, x_class, x_inner, ignore_index, smoothing, HAS_WEIGHT: tl.constexpr, SMOOTH: tl.constexpr, COMPUTE: tl.constexpr):
    """Writes each row's loss, what it counts in a mean, and the logarithm of its sum."""
    lse = top / LOG2E + tl.log(exponentials)
    y = tl.load(target_ptr + row, mask=inside, other=ignore_index)
    kept = inside & (y != ignore_index)
    at_target = tl.load(x_ptr + row // inner * x_row + row % inner * x_inner + y * x_class, mask=kept, other=0.0).to(COMPUTE)
    w_target = kept.to(COMPUTE)
    if HAS_WEIGHT:
        w_target = tl.load(w_ptr + y, mask=kept, other=0.0).to(COMPUTE)
    loss = row_loss(lse, at_target, weights, weighted, w_target, kept, classes, tl.cast(smoothing, COMPUTE), SMOOTH)
    tl.store(loss_ptr + row, loss, mask=inside)
    tl.store(counted_ptr + row, w_target, mask=inside)
    tl.store(lse_ptr + row, lse, mask=inside)


@triton.autotune(configs=CONFIGS, key=["classes", "inner", "share"])
@triton.jit
def share_kernel(x_ptr, target_ptr, w_ptr, parts_ptr, loss_ptr, counted_ptr, lse_ptr, classes, inner, share, x_row, x_class, x_inner, n_rows,
                 ignore_index, smoothing: tl.float64, HAS_WEIGHT: tl.constexpr, SMOOTH: tl.constexpr, COMPUTE: tl.constexpr,
                 ROWS: tl.constexpr, WHOLE: tl.constexpr, TILE: tl.constexpr):
    """The maximum, the sum and, for smoothing, the weights and weighted scores of a share of the classes, which is axis 1 of the grid.
    WHOLE: the share is all of them, and the rows are finished."""
    BLOCK: tl.constexpr = TILE // ROWS
    TOGETHER: tl.constexpr = 128 // x_ptr.dtype.element_ty.primitive_bitwidth if ROWS == 1 else 1  # one access of a thread
    tiles = tl.cdiv(inner, ROWS)
    outer = (tl.program_id(0) // tiles).to(tl.int64)
    i = tl.program_id(0) % tiles * ROWS + tl.arange(0, ROWS)
    inside = i < inner
    largest = tl.full((BLOCK // TOGETHER, ROWS), -1.0e38, COMPUTE)
    total = tl.zeros((BLOCK // TOGETHER, ROWS), COMPUTE)
    weights = tl.zeros((BLOCK // TOGETHER, ROWS), COMPUTE)
    weighted = tl.zeros((BLOCK // TOGETHER, ROWS), COMPUTE)
    begin = tl.program_id(1) * share
    end = tl.minimum(begin + share, classes)
    for first in range(begin, end, BLOCK):
        c = first + tl.arange(0, BLOCK // TOGETHER)[:, None] * TOGETHER + tl.arange(0, TOGETHER)[None, :]
        largest, total, weights, weighted = fold(largest, total, weights, weighted, x_ptr + outer * x_row, w_ptr, c, end, x_class, i, inside,
                                                 x_inner, HAS_WEIGHT, SMOOTH, COMPUTE)
    top, exponentials = merge(largest, total)
    row = outer * inner + i
    if WHOLE:
        finish(row, inside, top, exponentials, tl.sum(weights, axis=0), tl.sum(weighted, axis=0), x_ptr, target_ptr, w_ptr, loss_ptr, counted_ptr,
               lse_ptr, classes, inner, x_row, x_class, x_inner, ignore_index, smoothing, HAS_WEIGHT, SMOOTH, COMPUTE)
    else:  # four numbers for each share of a row: [shares, 4, rows]
        at = parts_ptr + tl.program_id(1).to(tl.int64) * 4 * n_rows + row
        tl.store(at, top, mask=inside)
        tl.store(at + n_rows, exponentials, mask=inside)
        if SMOOTH:
            tl.store(at + 2 * n_rows, tl.sum(weights, axis=0), mask=inside)
            tl.store(at + 3 * n_rows, tl.sum(weighted, axis=0), mask=inside)


@triton.jit
def rows_kernel(x_ptr, target_ptr, w_ptr, parts_ptr, loss_ptr, counted_ptr, lse_ptr, classes, inner, shares, x_row, x_class, x_inner, n_rows,
                ignore_index, smoothing: tl.float64, HAS_WEIGHT: tl.constexpr, SMOOTH: tl.constexpr, COMPUTE: tl.constexpr,
                SHARES: tl.constexpr, BLOCK: tl.constexpr):
    """Combines the shares of BLOCK rows and finishes them."""
    row = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = row < n_rows
    s = tl.arange(0, SHARES)
    mask = (s < shares)[:, None] & inside[None, :]
    at = parts_ptr + s.to(tl.int64)[:, None] * 4 * n_rows + row[None, :]
    top, exponentials = merge(tl.load(at, mask=mask, other=-1.0e38), tl.load(at + n_rows, mask=mask, other=0.0))
    weights = tl.zeros((BLOCK,), COMPUTE)
    weighted = tl.zeros((BLOCK,), COMPUTE)
    if SMOOTH:
        weights += tl.sum(tl.load(at + 2 * n_rows, mask=mask, other=0.0), axis=0)
        weighted += tl.sum(tl.load(at + 3 * n_rows, mask=mask, other=0.0), axis=0)
    finish(row, inside, top, exponentials, weights, weighted, x_ptr, target_ptr, w_ptr, loss_ptr, counted_ptr, lse_ptr, classes, inner,
           x_row, x_class, x_inner, ignore_index, smoothing, HAS_WEIGHT, SMOOTH, COMPUTE)


@triton.jit
def total_kernel(loss_ptr, counted_ptr, out_ptr, n_rows, MEAN: tl.constexpr, BLOCK: tl.constexpr):
    """The sum or the mean of all rows, by one program, always in the same order."""
    total = tl.zeros((BLOCK,), loss_ptr.dtype.element_ty)
    count = tl.zeros((BLOCK,), loss_ptr.dtype.element_ty)
    for first in range(0, n_rows, BLOCK):
        row = first + tl.arange(0, BLOCK)
        total += tl.load(loss_ptr + row, mask=row < n_rows, other=0.0)
        count += tl.load(counted_ptr + row, mask=row < n_rows, other=0.0)
    result = tl.sum(total, axis=0)
    if MEAN:
        result = result / tl.sum(count, axis=0)
    tl.store(out_ptr, result.to(out_ptr.dtype.element_ty))


def losses(x, target, weight, ignore_index, smoothing):
    """Returns the losses, the weights and the logarithms of the sums of all rows."""
    rows, classes, inner, *strides = as_rows(x)
    loss, lse = per_row(x, target)
    counted = torch.empty_like(loss)
    n = target.numel()
    if n == 0:
        return loss, counted, lse
    width = min(triton.next_power_of_2(inner), 32)
    programs = n // inner * triton.cdiv(inner, width)
    shares = max(min(2 * processors(x.device) // programs, triton.cdiv(classes, 4096), 64), 1)
    share = triton.cdiv(classes, shares)
    shares = triton.cdiv(classes, max(share, 1))
    parts = torch.empty(shares, 4, n, dtype=loss.dtype, device=x.device) if shares > 1 else loss
    target = target.contiguous()
    w = x if weight is None else weight.contiguous()
    options = dict(HAS_WEIGHT=weight is not None, SMOOTH=smoothing > 0, COMPUTE=accumulator(x.dtype))
    share_kernel[(programs, shares)](rows, target, w, parts, loss, counted, lse, classes, inner, share, *strides, n, ignore_index, smoothing,
                                     ROWS=width, WHOLE=shares == 1, **options)
    if shares > 1:
        rows_kernel[(triton.cdiv(n, 128),)](rows, target, w, parts, loss, counted, lse, classes, inner, shares, *strides, n, ignore_index,
                                           smoothing, SHARES=triton.next_power_of_2(shares), BLOCK=128, **options)
    return loss, counted, lse


def forward(x, target, weight, ignore_index, reduction, smoothing):
    loss, counted, lse = losses(x, target, weight, ignore_index, smoothing)
    if reduction == "none":
        return loss.view(target.shape).to(x.dtype), lse
    out = torch.empty((), dtype=x.dtype, device=x.device)
    total_kernel[(1,)](loss, counted, out, target.numel(), MEAN=reduction == "mean", BLOCK=8192, num_warps=16)
    return out, lse


def triton_cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0):
    """As torch.nn.functional.cross_entropy with class indices."""
    arguments = prepare(input, target, weight, size_average, ignore_index, reduce, reduction, label_smoothing)
    return differentiable(CrossEntropy, forward, *arguments)
