"""Float formats bit by bit: an exact reference for conversions, in integer arithmetic.

A finite number is sign · magnitude · 2^exponent with an integer magnitude below 2^64; rounding it to a format moves the
exponent to the format's and drops bits. Nothing here computes with floats narrower than the format it reads.
"""
import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True)
class Format:
    name: str
    width: int
    mantissa: int  # bits
    bias: int
    largest: int  # bits of the largest number
    infinity: bool = False  # all exponent bits set is infinity or NaN
    saturates: bool = False  # too large becomes the largest number, infinity too
    nan: int = None  # bits of the one NaN, where there is one

    @property
    def storage(self):
        return np.dtype(f"u{self.width // 8}")

    @property
    def least(self):
        """The exponent of the smallest subnormal number."""
        return 1 - self.bias - self.mantissa

    def is_nan(self, bits):
        bits = bits.astype(np.uint64)
        magnitude = bits & np.uint64((1 << self.width - 1) - 1)
        if self.infinity:
            return magnitude > self.largest + 1
        return bits == self.nan if self.nan == 1 << self.width - 1 else magnitude == self.nan

    def is_infinite(self, bits):
        magnitude = bits.astype(np.uint64) & np.uint64((1 << self.width - 1) - 1)
        return (magnitude == self.largest + 1) & self.infinity

    def decode(self, bits):
        """(negative, magnitude, exponent) of finite numbers; of others, something."""
        bits = bits.astype(np.uint64)
        negative = bits >> np.uint64(self.width - 1) != 0
        field = (bits >> np.uint64(self.mantissa)).astype(np.int64) & ((1 << self.width - 1 - self.mantissa) - 1)
        hidden = np.where(field > 0, np.uint64(1 << self.mantissa), np.uint64(0))
        magnitude = (bits & np.uint64((1 << self.mantissa) - 1)) | hidden
        return negative, magnitude, np.maximum(field, 1) - 1 + self.least

    def encode(self, negative, magnitude, exponent, toward_zero=False):
        """The bits of the nearest number, of two the even one; or of the next one toward zero."""
        magnitude, exponent = magnitude.astype(np.uint64), np.asarray(exponent, np.int64)
        length = np.zeros(magnitude.shape, np.int64)  # of the magnitude, in bits
        for step in (32, 16, 8, 4, 2, 1):
            longer = magnitude >> length.astype(np.uint64) >= np.uint64(1) << np.uint64(step)
            length = np.where(longer, length + step, length)
        length += magnitude > 0
        # The exponent of the result's last bit, and how many bits go.
        last = np.maximum(exponent + length - 1 - self.mantissa, self.least)
        drop = last - exponent
        gone = np.clip(drop, 0, 63).astype(np.uint64)
        kept = magnitude >> gone
        rest = magnitude & ((np.uint64(1) << gone) - np.uint64(1))
        vanishes = drop > length  # less than half of the smallest number
        if not toward_zero:
            half = np.where(gone > 0, np.uint64(1) << (np.maximum(gone, np.uint64(1)) - np.uint64(1)), np.uint64(0))
            odd = kept & np.uint64(1) != 0
            up = (gone > 0) & ((rest > half) | ((rest == half) & odd))
            kept = kept + up.astype(np.uint64)
        kept = np.where(vanishes, np.uint64(0), kept)
        # Numbers with more zeros at the end than the format has bits.
        kept = kept << np.clip(-drop, 0, 63).astype(np.uint64)
        bits = np.where(magnitude == 0, np.uint64(0), kept + ((last - self.least).astype(np.uint64) << np.uint64(self.mantissa)))
        beyond = bits > np.uint64(self.largest)
        limit = self.largest if self.saturates or toward_zero else self.largest + 1
        bits = np.where(beyond, np.uint64(limit), bits)
        return self.sign(bits, negative)

    def sign(self, bits, negative):
        negative = negative & ~((bits == 0) & (self.nan == 1 << self.width - 1))  # such formats have no -0
        return (bits | (negative.astype(np.uint64) << np.uint64(self.width - 1))).astype(self.storage)

    def infinite(self, negative):
        limit = self.largest if self.saturates else self.largest + 1
        return self.sign(np.full(negative.shape, limit, np.uint64), negative)

    def same(self, actual, expected):
        """Equal bits; one NaN is as good as another."""
        return (actual == expected) | (self.is_nan(actual) & self.is_nan(expected))


FP8E5 = Format("fp8e5", 8, 2, 15, 0x7B, infinity=True, saturates=True, nan=0x7F)
FP8E4NV = Format("fp8e4nv", 8, 3, 7, 0x7E, saturates=True, nan=0x7F)
FP8E4B8 = Format("fp8e4b8", 8, 3, 8, 0x7F, saturates=True, nan=0x80)
FP8E5B16 = Format("fp8e5b16", 8, 2, 16, 0x7F, saturates=True, nan=0x80)
FP16 = Format("fp16", 16, 10, 15, 0x7BFF, infinity=True, nan=0x7E00)
BF16 = Format("bf16", 16, 7, 127, 0x7F7F, infinity=True, nan=0x7FC0)
FP32 = Format("fp32", 32, 23, 127, 0x7F7FFFFF, infinity=True, nan=0x7FC00000)
FP64 = Format("fp64", 64, 52, 1023, 0x7FEFFFFFFFFFFFFF, infinity=True, nan=0x7FF8000000000000)
ALL = [FP8E5, FP8E4NV, FP8E4B8, FP8E5B16, FP16, BF16, FP32, FP64]


def convert(bits, source, target, toward_zero=False):
    """What a conversion of `source` bits to `target` gives, in `target` bits."""
    negative, magnitude, exponent = source.decode(bits)
    result = target.encode(negative, magnitude, exponent, toward_zero)
    result = np.where(source.is_infinite(bits), target.infinite(negative), result)
    return np.where(source.is_nan(bits), target.storage.type(target.nan), result).astype(target.storage)


def from_ints(values, target):
    """Integers of any type as `target` bits."""
    negative = values < 0
    magnitude = values.astype(np.uint64)
    magnitude = np.where(negative, ~magnitude + np.uint64(1), magnitude)
    return target.encode(negative, magnitude, np.zeros(values.shape, np.int64))


def to_ints(bits, source, storage):
    """Toward zero; too large saturates, NaN is 0."""
    info = np.iinfo(storage)
    negative, magnitude, exponent = source.decode(bits)
    result = []
    for sign, number, power, nan, infinite in zip(negative.tolist(), magnitude.tolist(), exponent.tolist(),
                                                  source.is_nan(bits).tolist(), source.is_infinite(bits).tolist()):
        value = (number << power if power < 200 else 1 << 200) if power >= 0 else number >> -power
        value = 0 if nan else 1 << 200 if infinite else value
        result.append(min(max(-value if sign else value, info.min), info.max))
    return np.array(result, dtype=storage)
