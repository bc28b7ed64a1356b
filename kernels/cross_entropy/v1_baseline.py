"""v1_baseline: one program per row, all its classes in one tile.

A direct translation of the definition: the maximum, the sum of exponentials, the score of the target. A program has always four
warps, whatever the number of classes; a vocabulary of 128,000 classes does not fit into their registers and spills.
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
def loss_kernel(x_ptr, target_ptr, w_ptr, loss_ptr, lse_ptr, classes, inner, x_row, x_class, x_inner, ignore_index, smoothing: tl.float64,
                HAS_WEIGHT: tl.constexpr, SMOOTH: tl.constexpr, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    mask = c < classes
    start = x_ptr + row // inner * x_row + row % inner * x_inner
    z = tl.load(start + c.to(tl.int64) * x_class, mask=mask, other=-float("inf")).to(COMPUTE)
    largest = tl.max(z, axis=0)
    lse = largest + tl.log(tl.sum(tl.exp(z - largest), axis=0))
    y = tl.load(target_ptr + row)
    kept = y != ignore_index
    at_target = tl.load(start + y * x_class, mask=kept, other=0.0).to(COMPUTE)
    w_target = kept.to(COMPUTE)
    w = tl.where(mask, 1.0, 0.0).to(COMPUTE)
    if HAS_WEIGHT:
        w_target = tl.load(w_ptr + y, mask=kept, other=0.0).to(COMPUTE)
        w = tl.load(w_ptr + c, mask=mask, other=0.0).to(COMPUTE)
    weighted = tl.sum(tl.where(mask, w * z, 0.0), axis=0)
    loss = row_loss(lse, at_target, tl.sum(w, axis=0), weighted, w_target, kept, classes, tl.cast(smoothing, COMPUTE), SMOOTH)
    tl.store(loss_ptr + row, loss)
    tl.store(lse_ptr + row, lse)


def forward(x, target, weight, ignore_index, reduction, smoothing):
    rows, classes, inner, *strides = as_rows(x)
    loss, lse = per_row(x, target)
    if classes > 131072:
        raise NotImplementedError(f"cross_entropy v1_baseline: at most 131072 classes, got {classes}")
    if target.numel():
        loss_kernel[(target.numel(),)](
            rows, target.contiguous(), x if weight is None else weight.contiguous(), loss, lse, classes, inner, *strides, ignore_index, smoothing,
            HAS_WEIGHT=weight is not None, SMOOTH=smoothing > 0, COMPUTE=accumulator(x.dtype), BLOCK=triton.next_power_of_2(classes))
    return reduce_losses(loss, x, target, weight, ignore_index, reduction), lse


def triton_cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0):
    """As torch.nn.functional.cross_entropy with class indices."""
    arguments = prepare(input, target, weight, size_average, ignore_index, reduce, reduction, label_smoothing)
    return differentiable(CrossEntropy, forward, *arguments)
