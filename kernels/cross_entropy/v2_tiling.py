"""v2_tiling: the classes pass in tiles, whose size and number of warps are chosen by measuring.

The running maximum and sum are kept per lane (online softmax), so that a row of any length is read once, without spills. Scores
of inputs [N, C, d1, ...] are still walked with the stride of their classes.
"""
import triton
import triton.language as tl

from ..shared import accumulator, differentiable
from .arguments import CrossEntropy, as_rows, per_row, prepare
from .arguments import reduce as reduce_losses

CONFIGS = [triton.Config({"BLOCK": b}, num_warps=w) for b, w in ((512, 4), (1024, 4), (2048, 8), (4096, 8), (8192, 16))]


@triton.jit
def row_loss(lse, at_target, total_weight, weighted_scores, w_target, kept, classes, smoothing, SMOOTH: tl.constexpr):
    """The loss of a row (see arguments.py)."""
    loss = (1.0 - smoothing) * w_target * (lse - at_target)
    if SMOOTH:
        loss += smoothing / classes * (lse * total_weight - weighted_scores)
    return tl.where(kept, loss, 0.0)


@triton.autotune(configs=CONFIGS, key=["classes", "inner"])
@triton.jit
def loss_kernel(x_ptr, target_ptr, w_ptr, loss_ptr, lse_ptr, classes, inner, x_row, x_class, x_inner, ignore_index, smoothing: tl.float64,
                HAS_WEIGHT: tl.constexpr, SMOOTH: tl.constexpr, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    start = x_ptr + row // inner * x_row + row % inner * x_inner
    largest = tl.full((BLOCK,), -1.0e38, COMPUTE)
    total = tl.zeros((BLOCK,), COMPUTE)
    weights = tl.zeros((BLOCK,), COMPUTE)
    weighted = tl.zeros((BLOCK,), COMPUTE)
    for first in range(0, classes, BLOCK):
        c = first + tl.arange(0, BLOCK)
        mask = c < classes
        z = tl.load(start + c.to(tl.int64) * x_class, mask=mask, other=-float("inf")).to(COMPUTE)
        grown = tl.maximum(largest, z)
        total = total * tl.exp(largest - grown) + tl.exp(z - grown)
        largest = grown
        if SMOOTH:
            w = tl.where(mask, 1.0, 0.0).to(COMPUTE)
            if HAS_WEIGHT:
                w = tl.load(w_ptr + c, mask=mask, other=0.0).to(COMPUTE)
            weights += w
            weighted += tl.where(mask, w * z, 0.0)
    row_largest = tl.max(largest, axis=0)
    lse = row_largest + tl.log(tl.sum(total * tl.exp(largest - row_largest), axis=0))
    y = tl.load(target_ptr + row)
    kept = y != ignore_index
    at_target = tl.load(start + y * x_class, mask=kept, other=0.0).to(COMPUTE)
    w_target = kept.to(COMPUTE)
    if HAS_WEIGHT:
        w_target = tl.load(w_ptr + y, mask=kept, other=0.0).to(COMPUTE)
    loss = row_loss(lse, at_target, tl.sum(weights, axis=0), tl.sum(weighted, axis=0), w_target, kept, classes, tl.cast(smoothing, COMPUTE), SMOOTH)
    tl.store(loss_ptr + row, loss)
    tl.store(lse_ptr + row, lse)


def forward(x, target, weight, ignore_index, reduction, smoothing):
    rows, classes, inner, *strides = as_rows(x)
    loss, lse = per_row(x, target)
    if target.numel():
        loss_kernel[(target.numel(),)](
            rows, target.contiguous(), x if weight is None else weight.contiguous(), loss, lse, classes, inner, *strides, ignore_index, smoothing,
            HAS_WEIGHT=weight is not None, SMOOTH=smoothing > 0, COMPUTE=accumulator(x.dtype))
    return reduce_losses(loss, x, target, weight, ignore_index, reduction), lse


def triton_cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0):
    """As torch.nn.functional.cross_entropy with class indices."""
    arguments = prepare(input, target, weight, size_average, ignore_index, reduce, reduction, label_smoothing)
    return differentiable(CrossEntropy, forward, *arguments)
