"""What all versions of dropout do with their arguments.

torch's own random numbers depend on its kernels' launch grids, so no other implementation has them. Here a mask is defined by its seed,
and is the same in all versions and on all devices: element i (in row-major order) is kept if u >= p, where u is made from word i % 4 of
Philox 4x32 (ten rounds) with the counter i // 4 and the key `seed`, as tl.rand4x does. Without a seed one is drawn from torch's
default generator on the CPU, so torch.manual_seed makes results repeatable.
"""
import torch

from ..shared import differentiable, require_floating


def prepare(input, p, seed):
    """Checks the arguments; returns the seed, as a number below 2^31."""
    if not isinstance(input, torch.Tensor):
        raise TypeError(f"dropout: input must be a tensor, got {type(input).__name__}")
    require_floating("dropout", input=input)
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout: p must be from 0 to 1, got {p}")
    return int(torch.randint(2 ** 31 - 1, ())) if seed is None else int(seed) % (2 ** 31)


def scale(p):
    """What kept elements are multiplied by; nothing is kept if p is 1."""
    return 1.0 / (1.0 - p) if p < 1.0 else 0.0


class Dropout(torch.autograd.Function):
    """The gradient has the mask of the result, which the seed makes again."""

    @staticmethod
    def forward(ctx, forward, x, p, seed):
        ctx.forward, ctx.p, ctx.seed = forward, p, seed
        return forward(x, p, seed)[0]

    @staticmethod
    def backward(ctx, gradient):
        return None, ctx.forward(gradient.contiguous(), ctx.p, ctx.seed)[0], None, None


def apply(forward, input, p, training, inplace, seed):
    """What the versions' wrappers do: forward(x, p, seed, out=None) is the version's kernel, on a contiguous x."""
    seed = prepare(input, p, seed)
    if not training:
        return input if inplace else input.clone()
    if not inplace:
        return differentiable(Dropout, forward, input.contiguous(), p, seed)
    if torch.is_grad_enabled() and input.requires_grad:
        raise NotImplementedError("dropout: inplace is not supported for tensors that need a gradient")
    if input.is_contiguous():
        return forward(input, p, seed, input)[0]
    return input.copy_(forward(input.contiguous(), p, seed)[0])
