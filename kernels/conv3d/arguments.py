"""What all versions of conv3d do with their arguments."""
import torch

from ..shared import require_floating, require_same_device


def three(name, value):
    value = (value,) * 3 if isinstance(value, int) else tuple(value)
    if len(value) == 1:
        value *= 3
    if len(value) != 3 or not all(isinstance(v, int) for v in value):
        raise ValueError(f"conv3d: {name} must be one or three integers, got {value}")
    return value


class Geometry:
    """The sizes of a convolution: n, c, d, h, w of the input; o output channels; kd, kh, kw of the filter; od, oh, ow of the result;
    sd, sh, sw strides; pd, ph, pw padding in front; ld, lh, lw dilations; g groups."""

    def __init__(self, x, weight, stride, padding, dilation, groups):
        self.n, self.c, self.d, self.h, self.w = x.shape
        self.o, self.cg, self.kd, self.kh, self.kw = weight.shape
        self.g = groups
        kernel = (self.kd, self.kh, self.kw)
        self.stride, self.dilation = three("stride", stride), three("dilation", dilation)
        if min(self.stride) < 1 or min(self.dilation) < 1:
            raise ValueError("conv3d: stride and dilation must be positive")
        reach = [l * (k - 1) for l, k in zip(self.dilation, kernel)]
        if padding == "same":
            if self.stride != (1, 1, 1):
                raise ValueError("conv3d: padding='same' needs stride 1")
            self.padding, self.out = tuple(r // 2 for r in reach), tuple(x.shape[2:])
        else:
            self.padding = (0, 0, 0) if padding == "valid" else three("padding", padding)
            self.out = tuple((size + 2 * p - r - 1) // s + 1 for size, p, r, s in zip(x.shape[2:], self.padding, reach, self.stride))
        if min(self.out) < 0 or (min(self.out) == 0 and min(x.shape[2:]) > 0):
            raise ValueError(f"conv3d: the filter {list(kernel)} is larger than the padded input {list(x.shape[2:])}")
        self.positions = self.out[0] * self.out[1] * self.out[2]
        self.taps = self.kd * self.kh * self.kw


def prepare(input, weight, bias, stride, padding, dilation, groups):
    """Returns (x, weight, bias, geometry, whether the input had a batch)."""
    require_floating("conv3d", input=input, weight=weight, bias=bias)
    require_same_device("conv3d", input=input, weight=weight, bias=bias)
    if input.dim() not in (4, 5) or weight.dim() != 5:
        raise ValueError(f"conv3d: input must have 4 or 5 dimensions and weight 5, got {list(input.shape)} and {list(weight.shape)}")
    if input.dtype != weight.dtype or (bias is not None and bias.dtype != input.dtype):
        raise TypeError(f"conv3d: input, weight and bias must have one type, got {input.dtype} and {weight.dtype}")
    x = input if input.dim() == 5 else input[None]
    if groups < 1 or x.shape[1] != weight.shape[1] * groups or weight.shape[0] % groups:
        raise ValueError(f"conv3d: weight {list(weight.shape)} does not fit {x.shape[1]} channels in {groups} groups")
    if bias is not None and tuple(bias.shape) != (weight.shape[0],):
        raise ValueError(f"conv3d: bias must have the shape [{weight.shape[0]}], got {list(bias.shape)}")
    return x, weight, bias, Geometry(x, weight, stride, padding, dilation, groups), input.dim() == 5


def precision(dtype):
    """fp32 is exact unless torch allows tf32 for convolutions (on a GPU it does by default)."""
    return "tf32" if dtype == torch.float32 and torch.backends.cudnn.allow_tf32 and torch.cuda.is_available() else "ieee"
