"""What all versions of add do with their arguments, and the gradient."""
import torch

from ..shared import require_same_device


def prepare(input, other, alpha):
    """Returns input and other as tensors of the result's type and shape (expanded, not copied) and alpha."""
    if not isinstance(input, torch.Tensor):
        raise TypeError(f"add: input must be a tensor, got {type(input).__name__}")
    if not isinstance(alpha, (int, float)):
        raise TypeError(f"add: alpha must be a number, got {type(alpha).__name__}")
    plain = isinstance(other, torch.Tensor) and (input.dtype, input.shape, input.device) == (other.dtype, other.shape, other.device)
    dtype = input.dtype if plain else torch.result_type(input, other)
    if dtype.is_complex:
        raise NotImplementedError("add: complex tensors are not supported")
    if dtype == torch.bool:
        raise NotImplementedError("add: bool tensors are not supported")
    if not dtype.is_floating_point and isinstance(alpha, float):
        raise ValueError("add: for integral tensors alpha must not be a floating-point number")
    if abs(alpha) > 2 ** 53 and abs(alpha) != float("inf"):
        raise ValueError(f"add: alpha must be at most 2^53 in magnitude, got {alpha}")
    if plain:
        return input, other, alpha
    if not isinstance(other, torch.Tensor):
        other = torch.full((), other, dtype=dtype, device=input.device)
    elif other.dim() == 0 and other.device != input.device:
        other = other.to(input.device)
    require_same_device("add", input=input, other=other)
    x, y = torch.broadcast_tensors(input.to(dtype), other.to(dtype))
    return x, y, alpha


class Add(torch.autograd.Function):
    """The gradient of input is that of the result, the gradient of other is alpha times that; autograd sums over broadcast
    dimensions, since the arguments arrive here expanded."""

    @staticmethod
    def forward(ctx, forward, x, y, alpha):
        ctx.forward, ctx.alpha = forward, alpha
        return forward(x, y, alpha)[0]

    @staticmethod
    def backward(ctx, gradient):
        of_y = None
        if ctx.needs_input_grad[2]:
            of_y = gradient if ctx.alpha == 1 else ctx.forward(torch.zeros_like(gradient), gradient, ctx.alpha)[0]
        return None, gradient if ctx.needs_input_grad[1] else None, of_y, None
