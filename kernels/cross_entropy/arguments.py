"""What all versions of cross_entropy do with their arguments, the reduction, and the gradient.

With z the scores of a row, y its target, w the class weights, s the label smoothing and C classes, the loss of a row is

    (1 - s) * w[y] * (lse(z) - z[y])  +  s / C * (lse(z) * sum(w) - sum(w * z))

A version computes lse(z) and the row's loss; `reduce` makes the result. The gradient needs lse alone.
"""
import torch
import triton
import triton.language as tl

from ..shared import accumulator, require_floating, require_same_device


def prepare(input, target, weight, size_average, ignore_index, reduce, reduction, label_smoothing):
    """Checks the arguments; returns (x, target, weight, ignore_index, reduction, label_smoothing) with classes in dimension 1."""
    if size_average is not None or reduce is not None:
        raise NotImplementedError("cross_entropy: size_average and reduce are deprecated; use reduction")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"cross_entropy: reduction must be 'none', 'mean' or 'sum', got {reduction!r}")
    if not 0.0 <= label_smoothing <= 1.0:
        raise ValueError(f"cross_entropy: label_smoothing must be from 0 to 1, got {label_smoothing}")
    require_floating("cross_entropy", input=input, weight=weight)
    require_same_device("cross_entropy", input=input, target=target, weight=weight)
    if target.is_floating_point():
        raise NotImplementedError("cross_entropy: targets are class indices; probabilities are not supported")
    if input.dim() == 0:
        raise ValueError("cross_entropy: input needs at least one dimension")
    expected = input.shape[:0] if input.dim() == 1 else (input.shape[0], *input.shape[2:])
    if tuple(target.shape) != tuple(expected):
        raise ValueError(f"cross_entropy: for an input of shape {list(input.shape)} target must have the shape {list(expected)}, got {list(target.shape)}")
    classes = input.shape[0] if input.dim() == 1 else input.shape[1]
    if weight is not None and tuple(weight.shape) != (classes,):
        raise ValueError(f"cross_entropy: weight must have the shape [{classes}], got {list(weight.shape)}")
    return input, target, weight, ignore_index, reduction, float(label_smoothing)


def as_rows(x):
    """Returns (x, classes, inner, row stride, class stride, inner stride) of scores [N, C, d1, ...]: row r is the scores of
    (r // inner, r % inner). A tensor whose inner dimensions cannot be walked with one stride is copied."""
    if x.dim() == 1:
        return x, x.shape[0], 1, 0, x.stride(0), 0
    if x.dim() > 2:
        try:
            x = x.view(x.shape[0], x.shape[1], -1) if x.numel() else x.reshape(x.shape[0], x.shape[1], torch.Size(x.shape[2:]).numel())
        except RuntimeError:
            x = x.contiguous().view(x.shape[0], x.shape[1], -1)
        return x, x.shape[1], x.shape[2], *x.stride()
    return x, x.shape[1], 1, x.stride(0), x.stride(1), 0


def per_row(x, target):
    """Empty tensors for the loss and the logarithm of the sum of exponentials of each row."""
    dtype = torch.float64 if x.dtype == torch.float64 else torch.float32
    return (torch.empty(target.numel(), dtype=dtype, device=x.device) for _ in range(2))


def weights_of_rows(target, weight, ignore_index, dtype):
    """What each row counts in a mean: its class's weight, 0 if it is ignored."""
    kept = target != ignore_index
    if weight is None:
        return kept.to(dtype)
    return torch.where(kept, weight.to(dtype)[torch.where(kept, target, torch.zeros_like(target))], torch.zeros((), dtype=dtype, device=target.device))


def reduce(loss, x, target, weight, ignore_index, reduction):
    """Returns the result from the losses of the rows."""
    if reduction == "none":
        return loss.view(target.shape).to(x.dtype)
    total = loss.sum()
    if reduction == "mean":
        total = total / weights_of_rows(target, weight, ignore_index, loss.dtype).sum()
    return total.to(x.dtype)


@triton.jit
def gradient_kernel(x_ptr, target_ptr, w_ptr, lse_ptr, scale_ptr, out_ptr, classes, inner, x_row, x_class, x_inner, sum_ptr,
                    ignore_index, smoothing: tl.float64, HAS_WEIGHT: tl.constexpr, SMOOTH: tl.constexpr, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    """The gradient of a tile of one row's scores: ((1-s) w[y] + s/C sum(w)) softmax(z) - (1-s) w[y] [c = y] - s/C w, scaled."""
    row = tl.program_id(0).to(tl.int64)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = c < classes
    y = tl.load(target_ptr + row)
    kept = y != ignore_index
    scale = tl.load(scale_ptr + row).to(COMPUTE)
    z = tl.load(x_ptr + row // inner * x_row + row % inner * x_inner + c.to(tl.int64) * x_class, mask=mask, other=0.0).to(COMPUTE)
    p = tl.exp(z - tl.load(lse_ptr + row))
    of_target = 1.0 - tl.cast(smoothing, COMPUTE)
    if HAS_WEIGHT:
        of_target *= tl.load(w_ptr + y, mask=kept, other=0.0).to(COMPUTE)
    g = of_target * (p - tl.where(c == y, 1.0, 0.0))
    if SMOOTH:
        share = tl.cast(smoothing, COMPUTE) / classes
        if HAS_WEIGHT:
            g += share * (tl.load(sum_ptr).to(COMPUTE) * p - tl.load(w_ptr + c, mask=mask, other=0.0).to(COMPUTE))
        else:
            g += share * (classes * p - 1.0)
    g = tl.where(kept, g * scale, 0.0)
    at = row // inner * classes * inner + row % inner + c.to(tl.int64) * inner
    tl.store(out_ptr + at, g.to(out_ptr.dtype.element_ty), mask=mask)


class CrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, forward, x, target, weight, ignore_index, reduction, smoothing):
        result, lse = forward(x, target, weight, ignore_index, reduction, smoothing)
        ctx.save_for_backward(x, target, weight, lse)
        ctx.facts = ignore_index, reduction, smoothing
        return result

    @staticmethod
    def backward(ctx, gradient):
        x, target, weight, lse = ctx.saved_tensors
        ignore_index, reduction, smoothing = ctx.facts
        out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
        if out.numel() == 0:
            return None, out.zero_(), None, None, None, None, None
        scale = gradient.to(lse.dtype)
        if reduction == "mean":
            scale = scale / weights_of_rows(target, weight, ignore_index, lse.dtype).sum()
        scale = scale.expand(target.shape).contiguous()
        rows, classes, inner, *strides = as_rows(x)
        block = min(triton.next_power_of_2(classes), 4096)
        total = x if weight is None or smoothing == 0 else weight.to(lse.dtype).sum()
        gradient_kernel[(target.numel(), triton.cdiv(classes, block))](
            rows, target.contiguous(), x if weight is None else weight.contiguous(), lse, scale, out, classes, inner, *strides, total,
            ignore_index, smoothing, HAS_WEIGHT=weight is not None, SMOOTH=smoothing > 0, COMPUTE=accumulator(x.dtype), BLOCK=block,
            num_warps=8 if block > 1024 else 4)
        return None, out, None, None, None, None, None
