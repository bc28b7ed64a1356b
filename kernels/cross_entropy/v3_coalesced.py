"""v3_coalesced: neighbouring threads read neighbouring scores, also if the classes are not the last dimension.

A tile is [classes, neighbouring rows]. For [N, C] it is one row wide and lies along the classes; for [N, C, d1, ...] it is 32 rows
wide, and each of its lines is one contiguous access. Tile sizes are fixed.
"""
import triton
import triton.language as tl

from ..shared import accumulator, differentiable
from .arguments import CrossEntropy, as_rows, per_row, prepare
from .arguments import reduce as reduce_losses


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
    """Adds the classes c of the rows i to the running maxima and sums, all [classes, rows]."""
    mask = (c < classes)[:, None] & inside[None, :]
    z = tl.load(start + c.to(tl.int64)[:, None] * x_class + i[None, :] * x_inner, mask=mask, other=-float("inf")).to(COMPUTE)
    grown = tl.maximum(largest, z)
    total = total * tl.exp(largest - grown) + tl.exp(z - grown)
    if SMOOTH:
        w = tl.where(c < classes, 1.0, 0.0).to(COMPUTE)
        if HAS_WEIGHT:
            w = tl.load(w_ptr + c, mask=c < classes, other=0.0).to(COMPUTE)
        weights += w[:, None]
        weighted += tl.where(mask, w[:, None] * z, 0.0)
    return grown, total, weights, weighted


@triton.jit
def merge(largest, total):
    """The maximum and the sum of exponentials over the first axis."""
    top = tl.max(largest, axis=0)
    return top, tl.sum(total * tl.exp(largest - top[None, :]), axis=0)


@triton.jit
def loss_kernel(x_ptr, target_ptr, w_ptr, loss_ptr, lse_ptr, classes, inner, x_row, x_class, x_inner, ignore_index, smoothing: tl.float64,
                HAS_WEIGHT: tl.constexpr, SMOOTH: tl.constexpr, COMPUTE: tl.constexpr, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    tiles = tl.cdiv(inner, ROWS)
    outer = (tl.program_id(0) // tiles).to(tl.int64)
    i = tl.program_id(0) % tiles * ROWS + tl.arange(0, ROWS)
    inside = i < inner
    start = x_ptr + outer * x_row
    largest = tl.full((BLOCK, ROWS), -1.0e38, COMPUTE)
    total = tl.zeros((BLOCK, ROWS), COMPUTE)
    weights = tl.zeros((BLOCK, ROWS), COMPUTE)
    weighted = tl.zeros((BLOCK, ROWS), COMPUTE)
    for first in range(0, classes, BLOCK):
        c = first + tl.arange(0, BLOCK)
        largest, total, weights, weighted = fold(largest, total, weights, weighted, start, w_ptr, c, classes, x_class, i, inside, x_inner,
                                                 HAS_WEIGHT, SMOOTH, COMPUTE)
    top, exponentials = merge(largest, total)
    lse = top + tl.log(exponentials)
    row = outer * inner + i
    y = tl.load(target_ptr + row, mask=inside, other=0)
    kept = inside & (y != ignore_index)
    at_target = tl.load(start + y * x_class + i * x_inner, mask=kept, other=0.0).to(COMPUTE)
    w_target = kept.to(COMPUTE)
    if HAS_WEIGHT:
        w_target = tl.load(w_ptr + y, mask=kept, other=0.0).to(COMPUTE)
    loss = row_loss(lse, at_target, tl.sum(weights, axis=0), tl.sum(weighted, axis=0), w_target, kept, classes, tl.cast(smoothing, COMPUTE), SMOOTH)
    tl.store(loss_ptr + row, loss, mask=inside)
    tl.store(lse_ptr + row, lse, mask=inside)


def forward(x, target, weight, ignore_index, reduction, smoothing):
    rows, classes, inner, *strides = as_rows(x)
    loss, lse = per_row(x, target)
    if target.numel():
        width = min(triton.next_power_of_2(inner), 32)
        block = max(min(triton.next_power_of_2(classes), 4096 // width), 1)
        loss_kernel[(target.numel() // inner * triton.cdiv(inner, width),)](
            rows, target.contiguous(), x if weight is None else weight.contiguous(), loss, lse, classes, inner, *strides, ignore_index, smoothing,
            HAS_WEIGHT=weight is not None, SMOOTH=smoothing > 0, COMPUTE=accumulator(x.dtype), BLOCK=block, ROWS=width,
            num_warps=8 if block * width > 2048 else 4)
    return reduce_losses(loss, x, target, weight, ignore_index, reduction), lse


def triton_cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0):
    """As torch.nn.functional.cross_entropy with class indices."""
    arguments = prepare(input, target, weight, size_average, ignore_index, reduce, reduction, label_smoothing)
    return differentiable(CrossEntropy, forward, *arguments)
