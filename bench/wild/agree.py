"""Compares tensors: of one compiler with the other's, with a reference, with the same program's of another run.

An element agrees when |a - b| <= tolerance * (|b| + root mean square of b). The tolerance follows from the coarser of the two
types; integers agree when they are equal, 8-bit ones (quantised) when they differ by one at most.
"""
import math

SAMPLE = 1 << 22  # elements that are kept of a tensor; a wrong tile of a larger one is still hit


def sample(tensor):
    """A flat copy on the CPU, of evenly chosen elements where there are too many."""
    import torch
    flat = tensor.detach().reshape(-1)
    if flat.numel() > SAMPLE:
        index = torch.arange(SAMPLE, device=flat.device, dtype=torch.int64) * (flat.numel() - 1) // (SAMPLE - 1)
        small = flat.dtype.is_floating_point and flat.element_size() == 1  # these cannot be indexed everywhere
        flat = flat.contiguous().view(torch.uint8)[index].view(flat.dtype) if small else flat[index]
    return flat.cpu()


def tolerance_of(dtype):
    import torch
    if not dtype.is_floating_point:
        return 0.0
    size = torch.finfo(dtype).bits // 8
    return {1: 0.15, 2: 0.02, 4: 5e-3, 8: 5e-3}[size]


def compare(found, wanted, case):
    """None when two lists of (path, sample, shape) agree, else a sentence; and the largest relative difference."""
    import torch
    if [p for p, *_ in found] != [p for p, *_ in wanted]:
        return f"{len(found)} results rather than {len(wanted)}", math.inf
    worst, said = 0.0, None
    for (path, a, shape), (_, b, wanted_shape) in zip(found, wanted):
        where = f"result {path}" if path else "result"
        if a.numel() != b.numel():
            return f"{where} has shape {shape} rather than {wanted_shape}", math.inf
        share, largest = differing(a, b, case)
        worst = max(worst, largest)
        if share > case.allowed and said is None:
            said = f"{where}: {share:.2%} of {a.numel()} elements differ, by up to {largest:.3g} of the size"
    return said, worst


def differing(a, b, case):
    import torch
    if not a.numel():
        return 0.0, 0.0
    if case.exact or not (a.dtype.is_floating_point or b.dtype.is_floating_point or a.dtype.is_complex):
        slack = 1 if not case.exact and torch.int8 in (a.dtype, b.dtype) else 0
        difference = (a.to(torch.float64) - b.to(torch.float64)).abs()
        return (difference > slack).double().mean().item(), difference.max().item()
    tolerance = case.tolerance or max(tolerance_of(a.dtype), tolerance_of(b.dtype))
    x, y = a.to(torch.float64), b.to(torch.float64)
    same = (x == y) | (x.isnan() & y.isnan())
    finite = y[y.isfinite()]
    size = finite.square().mean().sqrt().item() if finite.numel() else 0.0
    scale = y.abs() + size + 1e-30
    relative = torch.where(same, torch.zeros_like(x), (x - y).abs() / scale)
    relative = torch.where(relative.isnan(), torch.full_like(x, math.inf), relative)
    return (relative > tolerance).double().mean().item(), relative.max().item()
