"""What all versions of gelu do with their arguments."""
import torch

from ..shared import require_floating


def prepare(input, approximate):
    """Checks the arguments; returns the tensor and whether tanh is wanted."""
    if not isinstance(input, torch.Tensor):
        raise TypeError(f"gelu: input must be a tensor, got {type(input).__name__}")
    require_floating("gelu", input=input)
    if approximate not in ("none", "tanh"):
        raise ValueError(f"gelu: approximate must be 'none' or 'tanh', got {approximate!r}")
    return input, approximate == "tanh"
