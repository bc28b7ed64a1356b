"""What all versions of dropout do with their arguments.

torch's own random numbers depend on its kernels' launch grids, so no other implementation has them. Here a mask is defined by its seed,
and is the same in all versions and on all devices: element i (in row-major order) is kept if u >= p, where u is made from word i % 4 of
Philox 4x32 (ten rounds) with the counter i // 4 and the key `seed`, as tl.rand4x does. Without a seed one is drawn from torch's
default generator on the CPU, so torch.manual_seed makes results repeatable.
"""
import torch

from ..shared import require_floating


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
