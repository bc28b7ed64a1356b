"""Torch's operators as tuned kernels, with the interfaces of torch.

    from tessera.kernels import softmax, layer_norm
    y = softmax(x, dim=-1)                        # as torch.softmax, on CUDA and CPU tensors, gradients included

Which version runs (kernels/softmax/v1_baseline.py to v4_optimized.py), and in which configuration, is looked up in the records of
`tessera lab` (logs/softmax.json) by the device and by the size of the arguments; `chosen("softmax", x, -1)` tells. Without a record for the
device the version is v4_optimized, and its kernels choose their configurations by measuring. What a kernel does not support (dropout in
attention, say) is done by torch's own function. All functions can be used inside torch.compile, where they are operators of torch.library.

Importing this package imports torch.
"""
import sys
import types

from .choice import chosen
from .dispatch import call

OPERATORS = ("add", "softmax", "mha", "layer_norm", "rms_norm", "gelu", "matmul", "conv3d", "msda", "cross_entropy", "rope", "dropout")
__all__ = [*OPERATORS, "chosen"]


def add(input, other, *, alpha=1):
    """torch.add: input + alpha * other."""
    return call("add", (input, other), {"alpha": alpha})


def softmax(input, dim, *, dtype=None):
    """torch.softmax."""
    return call("softmax", (input, dim), {"dtype": dtype})


def mha(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """torch.nn.functional.scaled_dot_product_attention."""
    return call("mha", (query, key, value, attn_mask, dropout_p, is_causal), {"scale": scale, "enable_gqa": enable_gqa})


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """torch.nn.functional.layer_norm."""
    return call("layer_norm", (input, normalized_shape, weight, bias, eps), {})


def rms_norm(input, normalized_shape, weight=None, eps=None):
    """torch.nn.functional.rms_norm."""
    return call("rms_norm", (input, normalized_shape, weight, eps), {})


def gelu(input, *, approximate="none"):
    """torch.nn.functional.gelu."""
    return call("gelu", (input,), {"approximate": approximate})


def matmul(input, other, *, bias=None, activation=None):
    """torch.matmul; then a bias is added and an activation ("relu", "gelu", "silu") applied."""
    return call("matmul", (input, other), {"bias": bias, "activation": activation})


def conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """torch.nn.functional.conv3d."""
    return call("conv3d", (input, weight, bias, stride, padding, dilation, groups), {})


def msda(value, value_spatial_shapes, sampling_locations, attention_weights):
    """multi_scale_deformable_attn_pytorch of MMCV."""
    return call("msda", (value, value_spatial_shapes, sampling_locations, attention_weights), {})


def cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0):
    """torch.nn.functional.cross_entropy."""
    return call("cross_entropy", (input, target, weight, size_average, ignore_index, reduce, reduction, label_smoothing), {})


def rope(q, k, cos, sin):
    """apply_rotary_pos_emb of Transformers; returns (q, k)."""
    return call("rope", (q, k, cos, sin), {})


def dropout(input, p=0.5, training=True, inplace=False, *, seed=None):
    """torch.nn.functional.dropout; `seed` fixes the mask."""
    return call("dropout", (input, p, training, inplace), {"seed": seed})


class _Package(types.ModuleType):
    """Importing tessera.kernels.softmax.v1_baseline would replace the function `softmax` by the folder of that name; it stays."""

    def __setattr__(self, name, value):
        if not (name in OPERATORS and isinstance(value, types.ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
