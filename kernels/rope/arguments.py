"""What all versions of rope do with their arguments."""
import torch

from ..shared import require_floating, require_same_device


def prepare(q, k, cos, sin):
    """Checks the arguments. Returns cos and sin with a batch stride (0 if all batch elements share them), contiguous in the end."""
    for name, tensor in (("q", q), ("k", k), ("cos", cos), ("sin", sin)):
        if not isinstance(tensor, torch.Tensor):
            raise TypeError(f"rope: {name} must be a tensor, got {type(tensor).__name__}")
    require_floating("rope", q=q, k=k, cos=cos, sin=sin)
    require_same_device("rope", q=q, k=k, cos=cos, sin=sin)
    if q.dim() != 4 or k.dim() != 4 or (q.shape[0], q.shape[2], q.shape[3]) != (k.shape[0], k.shape[2], k.shape[3]):
        raise ValueError(f"rope: q and k must be [batch, heads, rows, elements] and differ in heads only, got {list(q.shape)} and {list(k.shape)}")
    batch, _, rows, head = q.shape
    if head % 2:
        raise ValueError(f"rope: a head must have an even number of elements, got {head}")
    if cos.shape != sin.shape or tuple(cos.shape) not in ((rows, head), (1, rows, head), (batch, rows, head)):
        raise ValueError(f"rope: cos and sin must have the shape [{rows}, {head}] or [{batch}, {rows}, {head}], got {list(cos.shape)} and {list(sin.shape)}")
    if cos.dtype != sin.dtype:
        raise TypeError(f"rope: cos and sin must have one type, got {cos.dtype} and {sin.dtype}")
    cos, sin = cos.contiguous(), sin.contiguous()
    return cos, sin, rows * head if cos.dim() == 3 and cos.shape[0] == batch and batch > 1 else 0


def ends_contiguous(x):
    return x if x.stride(-1) == 1 or x.shape[-1] == 1 else x.contiguous()
