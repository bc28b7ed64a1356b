"""The number types of PTX and of AMD's chips in NumPy.

    numpy_type("s32")       np.int32; bf16 travels as its bits, np.uint16
    bits_of("f16x2")        32
    bf16_to_f32, f32_to_bf16, fp8_values("e4m3"), f32_to_fp8, fused
"""
import functools
import math
import re
from fractions import Fraction

import numpy as np

UNSIGNED = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
SIGNED = {8: np.int8, 16: np.int16, 32: np.int32, 64: np.int64}
FLOAT = {16: np.float16, 32: np.float32, 64: np.float64}
TYPE = re.compile(r"[bsuf](?:8|16|32|64)|bf16|b?f16x2|e4m3x2|e5m2x2|tf32|pred")


class Fault(Exception):
    """What a GPU would not survive, or what this one does not know."""


def bits_of(kind):
    if kind == "pred":
        return 1
    if kind.endswith("16x2"):
        return 32
    return int(re.search(r"\d+", kind).group())


def numpy_type(kind):
    if kind == "bf16":
        return np.uint16
    return {"u": UNSIGNED, "b": UNSIGNED, "s": SIGNED, "f": FLOAT}[kind[0]][bits_of(kind)]


def bf16_to_f32(raw):
    return (raw.astype(np.uint32) << np.uint32(16)).view(np.float32)


def f32_to_bf16(values, toward_zero=False):
    values = np.ascontiguousarray(values, dtype=np.float32)
    raw = values.view(np.uint32)
    if not toward_zero:
        raw = raw + np.uint32(0x7FFF) + ((raw >> np.uint32(16)) & np.uint32(1))
    return np.where(np.isnan(values), np.uint32(0x7FFF), raw >> np.uint32(16)).astype(np.uint16)


FORMATS = {"e4m3": (3, 7), "e5m2": (2, 15), "e4m3fnuz": (3, 8), "e5m2fnuz": (2, 16)}  # bits of the mantissa, bias


@functools.cache
def fp8_values(name):
    """The 256 values of e4m3 (no infinities), e5m2, or one of the types without infinities and -0, whose only NaN is 0x80."""
    (mantissa, bias), values, finite_only = FORMATS[name], [], name.endswith("fnuz")
    for code in range(256):
        sign, exponent, fraction = -1.0 if code & 128 else 1.0, (code & 127) >> mantissa, code & ((1 << mantissa) - 1)
        if (finite_only and code == 128) or (name == "e4m3" and (code & 127) == 127):
            values.append(np.nan)
        elif name == "e5m2" and exponent == 31:
            values.append(np.nan if fraction else sign * np.inf)
        elif exponent == 0:
            values.append(sign * fraction * 2.0**(1 - bias - mantissa))
        else:
            values.append(sign * (1 + fraction / (1 << mantissa)) * 2.0**(exponent - bias))
    return np.array(values)


def f32_to_fp8(values, name, saturate=True):
    """To nearest, ties to even. Too large values become the largest one, or else infinity or NaN."""
    positive = fp8_values(name)[:128]
    codes = np.flatnonzero(np.isfinite(positive))
    known, exact = positive[codes], np.abs(values.astype(np.float64))
    size = np.where(np.isnan(exact), 0, np.minimum(exact, known[-1]))
    above = np.clip(np.searchsorted(known, size), 1, len(known) - 1)
    down, up = size - known[above - 1], known[above] - size
    nearest = np.where((up < down) | ((up == down) & (codes[above] % 2 == 0)), above, above - 1)
    result = codes[nearest].astype(np.uint16) | np.where(np.signbit(values), 128, 0).astype(np.uint16)
    nan = 0x80 if name.endswith("fnuz") else 0x7F
    if name.endswith("fnuz"):
        result = np.where(result == 0x80, 0, result)  # it has no -0
    if not saturate:
        too_large = exact >= known[-1] + (known[-1] - known[-2]) / 2
        overflow = np.where(np.signbit(values), 0xFC, 0x7C) if name == "e5m2" else nan
        result = np.where(too_large, overflow, result)
    return np.where(np.isnan(values), nan, result).astype(np.uint16)


def fused(x, y, z):
    """x * y + z with one rounding; of f32 and f16 nearly so."""
    if x.dtype != np.float64:
        return (x.astype(np.float64) * y + z).astype(x.dtype)
    x, y, z = np.broadcast_arrays(x, y, z)
    product = x * y
    result = np.where(np.isfinite(x) & np.isfinite(y) & np.isinf(z), z, product + z)
    # These are right as they are: an operand is not finite, or there is nothing to add.
    ordinary = np.isfinite(x) & np.isfinite(y) & np.isfinite(z) & (x != 0) & (y != 0)
    large = np.maximum(np.maximum(np.abs(x), np.abs(y)), np.abs(z)) > 2.0**500
    close = ordinary & ~large & (np.abs(product) > 2.0**-900)
    result = np.where(close, fused_in_range(x, y, z), result)
    far = ordinary & ~close
    if far.any():
        result[far] = [fused_slowly(*values) for values in zip(x[far].tolist(), y[far].tolist(), z[far].tolist())]
    return result


def fused_in_range(x, y, z):
    """Doubles without overflow and underflow: the sum of three numbers, rounded to odd before the last addition (Boldo and Melquiond)."""
    product, (high, low), (other_high, other_low) = x * y, split(x), split(y)
    rest = ((high * other_high - product) + high * other_low + low * other_high) + low * other_low
    small, smaller = two_sum(z, rest)
    total, error = two_sum(product, small)
    odd, lost = two_sum(smaller, error)
    bits = np.ascontiguousarray(odd).view(np.int64)
    step = np.where((lost > 0) == (odd > 0), 1, -1)
    return total + np.where((lost != 0) & (bits & 1 == 0), bits + step, bits).view(np.float64)


def fused_slowly(x, y, z):
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    try:
        return float(exact) if exact else x * y + z
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def two_sum(x, y):
    """The sum, and what its rounding lost."""
    total = x + y
    back = total - x
    return total, (x - (total - back)) + (y - back)


def split(x):
    """Two halves of a double whose products are exact (Dekker)."""
    large = x * 134217729.0
    high = large - (large - x)
    return high, x - high
