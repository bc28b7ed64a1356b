"""cvt: between all types."""
import numpy as np

from .numbers import FLOAT, UNSIGNED, Fault, bf16_to_f32, bits_of, f32_to_bf16, f32_to_fp8, fp8_values, numpy_type


def to_float(values, dtype, modifiers):
    if values.dtype.kind != "f":
        values = values.astype(np.longdouble)  # holds every integer of 64 bits
    result = values.astype(dtype)
    if values.dtype == dtype:
        for word, function in (("rni", np.rint), ("rmi", np.floor), ("rpi", np.ceil), ("rzi", np.trunc)):
            result = function(values) if word in modifiers else result
    elif "rz" in modifiers:
        too_far = np.abs(result.astype(values.dtype)) > np.abs(values)
        result = np.where(too_far, np.nextafter(result, np.zeros_like(result)), result)
    if "sat" in modifiers:
        result = np.where(np.isnan(result), 0, np.clip(result, 0, 1)).astype(dtype)
    return result


def float_to_integer(values, dtype, modifiers):
    """Saturating; NaN is zero."""
    function = next((f for word, f in (("rni", np.rint), ("rmi", np.floor), ("rpi", np.ceil)) if word in modifiers), np.trunc)
    rounded = function(values.astype(np.float64))
    limits = np.iinfo(dtype)
    inside = (rounded > limits.min) & (rounded < limits.max)
    exact = np.where(inside, rounded, 0).astype(np.int64 if limits.min < 0 else np.uint64).astype(dtype)
    result = np.where(inside, exact, np.where(rounded > 0, dtype(limits.max), dtype(limits.min)))
    return np.where(np.isnan(rounded), dtype(0), result)


def to_f32_odd(values):
    """As a float whose last bit says that more follows: rounding it again is rounding once."""
    wide = values.astype(np.longdouble)  # holds every double and every integer of 64 bits
    toward_zero = to_float(wide, np.float32, ["rz"])
    inexact = (toward_zero.astype(np.longdouble) != wide) & np.isfinite(toward_zero)
    return (toward_zero.view(np.uint32) | inexact.astype(np.uint32)).view(np.float32)


class Conversions:
    def op_cvt(self, instruction, mask):
        if "pack" in instruction.modifiers:
            return self.set(instruction.operands[0], self.packed_bytes(instruction), mask)
        to, source = self.types(instruction)[-2:]
        if to.endswith("x2") or source.endswith("x2"):
            return self.set(instruction.operands[0], self.packed(instruction, to, source), mask)
        values = self.get(instruction.operands[1], source)
        values = bf16_to_f32(values) if source == "bf16" else values
        if to == "bf16":
            result = f32_to_bf16(to_f32_odd(values), "rz" in instruction.modifiers)
        elif to == "tf32":
            result = values.view(np.uint32) + np.uint32(0x1000) & np.uint32(0xFFFFE000)
        elif to[0] == "f":
            result = to_float(values, FLOAT[bits_of(to)], instruction.modifiers)
        else:
            dtype = numpy_type(to)
            if values.dtype.kind == "f":
                result = float_to_integer(values, dtype, instruction.modifiers)
            elif "sat" in instruction.modifiers:
                result = np.clip(values, np.iinfo(dtype).min, np.iinfo(dtype).max).astype(dtype)
            else:
                result = values.astype(dtype)
            result = self.widened(result.view(UNSIGNED[bits_of(to)]), to, instruction.operands[0])
        self.set(instruction.operands[0], result, mask)

    def packed_bytes(self, instruction):
        """cvt.pack: a and b, limited, are the lower half, b lowest; the lower half of c is the upper one."""
        to, source = self.types(instruction)[:2]
        limits = np.iinfo(numpy_type(to))
        a, b = (np.clip(self.get(name, source), limits.min, limits.max).astype(np.int64) & 255 for name in instruction.operands[1:3])
        upper = self.get(instruction.operands[3], "u32").astype(np.int64) & 0xFFFF
        return (upper << 16 | a << 8 | b).astype(np.uint32)

    def packed(self, instruction, to, source):
        """Of two operands the first becomes the upper half."""
        if source in ("e4m3x2", "e5m2x2") and to == "f16x2":
            raw, values = self.get(instruction.operands[1], "u16"), fp8_values(source[:4])
            return np.stack([values[raw & 255], values[raw >> 8]], 1).astype(np.float16).view(np.uint32)[:, 0]
        if source == "f16x2":
            halves = np.ascontiguousarray(self.get(instruction.operands[1], "u32")).view(np.float16).astype(np.float32)
            low, high = halves[0::2], halves[1::2]
        elif source == "f32":
            high, low = (self.get(name, source) for name in instruction.operands[1:])
        else:
            raise Fault(f"no conversion from {source} to {to}")
        if to in ("e4m3x2", "e5m2x2"):
            return f32_to_fp8(low, to[:4]) | f32_to_fp8(high, to[:4]) << np.uint16(8)
        both = np.stack([low, high], 1)
        if to == "bf16x2":
            return f32_to_bf16(both, "rz" in instruction.modifiers).view(np.uint32)[:, 0]
        return to_float(both, np.float16, instruction.modifiers).view(np.uint32)[:, 0]
