"""Calls an operator: the chosen version, with a gradient; torch's own function for what no version supports; an operator of torch.library
inside torch.compile."""
import torch

from . import graph
from .choice import function_for
from .loading import load

DEVICES = ("cuda", "cpu")


def call(operator, args, kwargs):
    if graph.is_compiling():
        return graph.call(operator, args, kwargs)
    return eager(operator, args, kwargs)


def needs_gradient(args, kwargs):
    return torch.is_grad_enabled() and any(isinstance(a, torch.Tensor) and a.requires_grad for a in (*args, *kwargs.values()))


def eager(operator, args, kwargs):
    device = next((a.device for a in args if isinstance(a, torch.Tensor)), None)
    if device is None or device.type not in DEVICES:
        return load(operator, "reference").reference(*args, **kwargs)
    function = function_for(operator, device, args, kwargs)
    try:
        if needs_gradient(args, kwargs) and not getattr(load(operator, "reference"), "backward", False):
            return with_torch_gradient(operator, function, args, kwargs)
        return function(*args, **kwargs)
    except NotImplementedError:
        return load(operator, "reference").reference(*args, **kwargs)


class TorchGradient(torch.autograd.Function):
    """The forward pass by a kernel; the gradient by torch, which computes the operator once more for it."""

    @staticmethod
    def forward(ctx, compute, differentiate, *tensors):
        ctx.differentiate = differentiate
        ctx.save_for_backward(*tensors)
        return compute()

    @staticmethod
    def backward(ctx, *gradients):
        return None, None, *ctx.differentiate(ctx.saved_tensors, gradients, ctx.needs_input_grad[2:])


def with_torch_gradient(operator, function, args, kwargs):
    """Runs a version that has no gradient of its own."""
    names = [*range(len(args)), *kwargs]
    values = dict(zip(names, (*args, *kwargs.values())))
    places = [name for name in names if isinstance(values[name], torch.Tensor)]

    def differentiate(tensors, gradients, wanted):
        given = dict(values)
        leaves = [t.detach().requires_grad_(bool(need)) for t, need in zip(tensors, wanted)]
        given.update(zip(places, leaves))
        with torch.enable_grad():
            result = load(operator, "reference").reference(*(given[i] for i in range(len(args))), **{name: given[name] for name in kwargs})
        results = result if isinstance(result, tuple) else (result,)
        found = iter(torch.autograd.grad(results, [l for l, need in zip(leaves, wanted) if need], gradients, allow_unused=True))
        return [next(found) if need else None for need in wanted]
    return TorchGradient.apply(lambda: function(*args, **kwargs), differentiate, *(values[p] for p in places))
