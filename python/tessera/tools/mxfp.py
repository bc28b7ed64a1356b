"""Formats of the OCP microscaling specification, in torch: 4-bit floats (e2m1), packed two to a byte, and the powers of two (e8m0)
that scale blocks of them. tl.dot_scaled takes such operands.

    codes = MXFP4Tensor(data=torch.randn(64, 32))
    codes.to_packed_tensor(dim=1)            # uint8 of shape (64, 16); the first of each pair is in the low half
    codes.to(torch.float32)                  # the values that the codes represent
    MXScaleTensor(size=(64, 1)).random(low=1 / 128, high=2.0)
"""
from __future__ import annotations

import torch

_E2M1 = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]  # by code; the fourth bit is the sign


class _Codes:
    """A tensor of codes in `data` (uint8), made from floats, or of a size to be filled with random codes."""

    def __init__(self, data=None, size=None, device=None):
        self.device = device
        if data is not None:
            if not isinstance(data, torch.Tensor):
                raise TypeError(f"data must be a torch tensor, not {type(data).__name__}")
            self.device = data.device
            self.data = self._from_float(data)
        elif size is not None:
            self.size = size if isinstance(size, tuple) else (size, )
        else:
            raise ValueError("either data or size must be given")

    def to(self, dtype):
        """The values of the codes, as float32."""
        if dtype != torch.float32:
            raise TypeError(f"only float32 holds every value; {dtype} was asked for")
        return torch.tensor(self._values(), dtype=torch.float32, device=self.data.device)[self.data.long()]


class MXFP4Tensor(_Codes):
    """e2m1: a sign bit, two exponent bits, one mantissa bit; no infinity and no NaN."""

    @staticmethod
    def _values():
        return _E2M1 + [-value for value in _E2M1]

    def random(self):
        self.data = torch.randint(0, 16, size=self.size, dtype=torch.uint8, device=self.device)
        return self

    def _from_float(self, values):
        """Rounds to nearest, ties to the even mantissa; values beyond the range, infinities and NaN become the largest magnitude."""
        magnitude = torch.nan_to_num(values.abs().float(), nan=_E2M1[-1], posinf=_E2M1[-1])
        middles = torch.tensor([(low + high) / 2 for low, high in zip(_E2M1, _E2M1[1:])], device=values.device)
        # The two differ for a value halfway between two codes; the one with the even mantissa is taken.
        below, above = (torch.bucketize(magnitude, middles, right=right) for right in (False, True))
        code = torch.where(below % 2 == 0, below, above).to(torch.uint8)
        return code | (torch.signbit(values).to(torch.uint8) << 3)

    def to_packed_tensor(self, dim):
        """Packs pairs along `dim` into bytes, the first in the low half. An odd number is padded with a zero."""
        data = self.data
        if not 0 <= dim < data.ndim:
            raise ValueError(f"dim is {dim}, and the tensor has {data.ndim} dimensions")
        if data.size(dim) % 2:
            shape = list(data.shape)
            shape[dim] = 1
            data = torch.cat([data, torch.zeros(shape, dtype=torch.uint8, device=data.device)], dim)
        pairs = data.unflatten(dim, (data.size(dim) // 2, 2))
        return pairs.select(dim + 1, 0) | (pairs.select(dim + 1, 1) << 4)

    def unpack_packed_tensor(self, packed_tensor, dim, original_shape):
        """Unpacks the result of to_packed_tensor(dim) of a tensor of that shape into codes, one per byte."""
        pairs = torch.stack((packed_tensor & 0xF, packed_tensor >> 4), dim=dim + 1)
        return pairs.flatten(dim, dim + 1).narrow(dim, 0, original_shape[dim]).to(torch.uint8)


class MXScaleTensor(_Codes):
    """e8m0: only an exponent, with bias 127; 255 is NaN."""

    @staticmethod
    def _values():
        return [2.0**(code - 127) for code in range(255)] + [float("nan")]

    def random(self, low=None, high=None):
        """Powers of two between low and high, which are rounded towards 1; never NaN."""
        first, last = (default if bound is None else min(254, max(0, int(torch.log2(torch.tensor(float(bound)))) + 127))
                       for bound, default in ((low, 0), (high, 254)))
        if first > last:
            raise ValueError(f"low is {low}, above high, which is {high}")
        self.data = torch.randint(first, last + 1, size=self.size, dtype=torch.uint8, device=self.device)
        return self

    def _from_float(self, values):
        """The largest power of two that is at most the value; NaN for a value that is not positive and finite."""
        valid = torch.isfinite(values) & (values > 0)
        _, exponent = torch.frexp(torch.where(valid, values, torch.ones_like(values)).float())
        code = (exponent - 1 + 127).clamp(0, 254)
        return torch.where(valid, code, torch.full_like(code, 255)).to(torch.uint8)
