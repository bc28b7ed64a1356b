"""Instructions of one thread: arithmetic, comparisons, bits."""
import numpy as np

from .numbers import UNSIGNED, Fault, bf16_to_f32, bits_of, f32_to_bf16, fused, numpy_type
from .program import names_in

np.seterr(all="ignore")


def elementwise(function):
    """A method that applies `function` to the operands."""
    def method(self, instruction, mask):
        self.apply(instruction, mask, function)
    return method


def on_integers(function, values, dtype):
    """Exactly, on Python's integers."""
    return np.array([function(*row) for row in zip(*(v.tolist() for v in values))], dtype=object).astype(dtype)


def divide(x, y):
    """Toward zero; the result of a division by zero is anything."""
    return 0 if y == 0 else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


class Arithmetic:
    def apply(self, instruction, mask, function):
        """Halves compute as floats of 32 bits where NumPy has none, packed ones side by side."""
        kind, (destination, *operands) = self.types(instruction)[-1], instruction.operands
        if kind in ("f16x2", "bf16x2"):
            halves = [np.ascontiguousarray(self.get(name, "u32")).view(np.uint16) for name in operands]
            if kind == "f16x2":
                result = function(*(h.view(np.float16) for h in halves)).astype(np.float16)
            else:
                result = f32_to_bf16(function(*map(bf16_to_f32, halves)))
            self.set(destination, np.ascontiguousarray(result).view(np.uint32), mask)
        elif kind == "bf16":
            self.set(destination, f32_to_bf16(function(*(bf16_to_f32(self.get(name, kind)) for name in operands))), mask)
        elif kind == "pred":
            self.set(destination, function(*(self.get(name, kind) for name in operands)), mask)
        else:
            result = np.asarray(function(*(self.get(name, kind) for name in operands)), numpy_type(kind))
            if "sat" in instruction.modifiers and kind[0] == "f":
                result = np.where(np.isnan(result), 0, np.clip(result, 0, 1)).astype(result.dtype)
            self.set(destination, result, mask)

    op_add = elementwise(lambda x, y: x + y)
    op_sub = elementwise(lambda x, y: x - y)
    op_and = elementwise(lambda x, y: x & y)
    op_or = elementwise(lambda x, y: x | y)
    op_xor = elementwise(lambda x, y: x ^ y)
    op_not = elementwise(lambda x: ~x)
    op_neg = elementwise(lambda x: -x)
    op_abs = elementwise(np.abs)
    op_ex2 = elementwise(np.exp2)
    op_lg2 = elementwise(np.log2)
    op_rcp = elementwise(lambda x: np.asarray(1, x.dtype) / x)
    op_sqrt = elementwise(np.sqrt)
    op_rsqrt = elementwise(lambda x: np.asarray(1, x.dtype) / np.sqrt(x))
    op_sin = elementwise(np.sin)
    op_cos = elementwise(np.cos)
    op_tanh = elementwise(np.tanh)
    op_copysign = elementwise(lambda x, y: np.copysign(y, x))
    op_div = elementwise(lambda x, y: x / y if x.dtype.kind == "f" else on_integers(divide, (x, y), x.dtype))
    op_rem = elementwise(lambda x, y: on_integers(lambda a, b: a - b * divide(a, b), (x, y), x.dtype))

    def op_fma(self, instruction, mask):
        self.apply(instruction, mask, fused)

    def extremum(self, instruction, mask, number, nan, sign_of_zero):
        def of_floats(x, y):
            result = (nan if "NaN" in instruction.modifiers else number)(x, y)
            negative = sign_of_zero(np.signbit(x), np.signbit(y))  # -0 is less than 0
            zero = np.where(negative, -np.zeros_like(result), np.zeros_like(result))
            return np.where((x == 0) & (y == 0), zero, result).astype(result.dtype)
        self.apply(instruction, mask, of_floats if "f" in self.types(instruction)[-1] else nan)

    def op_min(self, instruction, mask):
        self.extremum(instruction, mask, np.fmin, np.minimum, np.logical_or)

    def op_max(self, instruction, mask):
        self.extremum(instruction, mask, np.fmax, np.maximum, np.logical_and)

    def op_mul(self, instruction, mask):
        kind = self.types(instruction)[-1]
        x, y = instruction.operands[1:3]
        if "wide" in instruction.modifiers:
            result = self.wide_product(kind, x, y)
        elif "hi" in instruction.modifiers:
            result = self.high_product(kind, x, y)
        else:
            return self.apply(instruction, mask, lambda x, y: x * y)
        self.set(instruction.operands[0], result, mask)

    def op_mad(self, instruction, mask):
        kind, (destination, x, y, z) = self.types(instruction)[-1], instruction.operands
        if "wide" in instruction.modifiers:
            self.set(destination, self.wide_product(kind, x, y) + self.get(z, f"{kind[0]}{2 * bits_of(kind)}"), mask)
        elif "hi" in instruction.modifiers:
            self.set(destination, self.high_product(kind, x, y) + self.get(z, kind), mask)
        else:
            self.apply(instruction, mask, lambda x, y, z: x * y + z)

    def wide_product(self, kind, x, y):
        wide = numpy_type(f"{kind[0]}{2 * bits_of(kind)}")
        return self.get(x, kind).astype(wide) * self.get(y, kind).astype(wide)

    def high_product(self, kind, x, y):
        return on_integers(lambda a, b: a * b >> bits_of(kind), (self.get(x, kind), self.get(y, kind)), numpy_type(kind))

    # ---- bits -------------------------------------------------------------------------------------

    def op_shl(self, instruction, mask):
        kind, (destination, x, by) = self.types(instruction)[-1], instruction.operands
        bits, x, by = bits_of(kind), self.get(x, kind), self.get(by, "u32")
        self.set(destination, np.where(by < bits, x << np.minimum(by, bits - 1).astype(x.dtype), 0).astype(x.dtype), mask)

    def op_shr(self, instruction, mask):
        kind, (destination, x, by) = self.types(instruction)[-1], instruction.operands
        bits, x, by = bits_of(kind), self.get(x, kind), self.get(by, "u32")
        shifted = x >> np.minimum(by, bits - 1).astype(x.dtype)
        self.set(destination, shifted if kind[0] == "s" else np.where(by < bits, shifted, 0).astype(x.dtype), mask)

    def op_shf(self, instruction, mask):
        low, high, by = (self.get(name, "u64") for name in instruction.operands[1:])
        by = by % np.uint64(32) if "wrap" in instruction.modifiers else np.minimum(by, np.uint64(32))
        both = high << np.uint64(32) | low
        result = (both << by) >> np.uint64(32) if "l" in instruction.modifiers else both >> by
        self.set(instruction.operands[0], result.astype(np.uint32), mask)

    def op_prmt(self, instruction, mask):
        if instruction.modifiers != ["b32"]:
            raise Fault("a mode of prmt")
        low, high, selectors = (self.get(name, "u32") for name in instruction.operands[1:])
        source = np.stack([low, high], 1).view(np.uint8)
        result = np.zeros((self.threads, 4), np.uint8)
        for index in range(4):
            selector = selectors >> np.uint32(4 * index) & np.uint32(15)
            chosen = source[np.arange(self.threads), (selector & np.uint32(7)).astype(np.int64)]
            result[:, index] = np.where(selector & np.uint32(8), np.where(chosen & 128, 255, 0), chosen)
        self.set(instruction.operands[0], result.view(np.uint32)[:, 0], mask)

    def op_lop3(self, instruction, mask):
        inputs = [self.get(name, "u32") for name in instruction.operands[1:4]]
        table, result = int(instruction.operands[4], 0), np.zeros(self.threads, np.uint32)
        for row in range(8):
            if table >> row & 1:
                result |= np.bitwise_and.reduce([x if row >> (2 - i) & 1 else ~x for i, x in enumerate(inputs)])
        self.set(instruction.operands[0], result, mask)

    def op_bfe(self, instruction, mask):
        kind, (destination, x, first, count) = self.types(instruction)[-1], instruction.operands
        def field(x, first, count):
            value = (x & ((1 << bits_of(kind)) - 1)) >> (first & 255) & ((1 << (count & 255)) - 1)
            return value - (1 << count) if kind[0] == "s" and count and value >> (count - 1) & 1 else value
        self.set(destination, on_integers(field, (self.get(x, kind), self.get(first, "u32"), self.get(count, "u32")), numpy_type(kind)), mask)

    def op_bfi(self, instruction, mask):
        bits, (destination, x, into, first, count) = bits_of(self.types(instruction)[-1]), instruction.operands
        def inserted(x, into, first, count):
            field = ((1 << count) - 1) << first
            return (into & ~field | x << first & field) & ((1 << bits) - 1)
        values = [self.get(x, f"u{bits}"), self.get(into, f"u{bits}"), self.get(first, "u32"), self.get(count, "u32")]
        self.set(destination, on_integers(inserted, values, UNSIGNED[bits]), mask)

    def of_bits(self, instruction, mask, function, dtype=np.uint32):
        values = self.get(instruction.operands[1], f"u{bits_of(self.types(instruction)[-1])}")
        self.set(instruction.operands[0], on_integers(function, [values], dtype), mask)

    def op_popc(self, instruction, mask):
        self.of_bits(instruction, mask, lambda x: bin(x).count("1"))

    def op_clz(self, instruction, mask):
        bits = bits_of(self.types(instruction)[-1])
        self.of_bits(instruction, mask, lambda x: bits - x.bit_length())

    def op_brev(self, instruction, mask):
        bits = bits_of(self.types(instruction)[-1])
        self.of_bits(instruction, mask, lambda x: int(format(x, f"0{bits}b")[::-1], 2), UNSIGNED[bits])

    # ---- comparisons and choices ------------------------------------------------------------------

    @staticmethod
    def compare(how, x, y):
        nan = np.isnan(x) | np.isnan(y) if x.dtype.kind == "f" else np.zeros(x.shape, bool)
        if how in ("num", "nan"):
            return nan if how == "nan" else ~nan
        unordered = len(how) == 3 and how.endswith("u")
        how = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}.get(how, how[:2])
        result = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
                  "ge": np.greater_equal}[how](x, y)
        return result | nan if unordered else result & ~nan

    def op_setp(self, instruction, mask):
        kind = self.types(instruction)[-1]
        x, y = (self.get(name, kind) for name in instruction.operands[1:3])
        if kind == "bf16":
            x, y = bf16_to_f32(x), bf16_to_f32(y)
        result = self.compare(instruction.modifiers[0], x, y)
        join = instruction.one_of("and", "or", "xor")
        if join:
            other = self.get(instruction.operands[3], "pred")
            result = {"and": result & other, "or": result | other, "xor": result ^ other}[join]
        destination, *opposite = instruction.operands[0].split("|")
        self.set(destination, result, mask)
        for name in opposite:
            self.set(name, ~result, mask)

    def op_testp(self, instruction, mask):
        test = {"finite": np.isfinite, "infinite": np.isinf, "notanumber": np.isnan, "number": lambda x: ~np.isnan(x)}
        values = self.get(instruction.operands[1], self.types(instruction)[-1])
        self.set(instruction.operands[0], test[instruction.modifiers[0]](values), mask)

    def op_selp(self, instruction, mask):
        kind = f"u{bits_of(self.types(instruction)[-1])}"
        destination, yes, no, condition = instruction.operands
        self.set(destination, np.where(self.get(condition, "pred"), self.get(yes, kind), self.get(no, kind)), mask)

    # ---- moves ------------------------------------------------------------------------------------

    def op_mov(self, instruction, mask):
        kind, (destination, source) = self.types(instruction)[-1], instruction.operands
        bits = bits_of(kind)
        if destination.startswith("{"):
            names = names_in(destination)
            parts = np.ascontiguousarray(self.get(source, f"u{bits}")).view(UNSIGNED[bits // len(names)])
            for index, name in enumerate(names):
                self.set(name, np.ascontiguousarray(parts[index::len(names)]), mask)
        elif source.startswith("{"):
            names = names_in(source)
            parts = np.stack([self.get(name, f"u{bits // len(names)}") for name in names], 1)
            self.set(destination, parts.view(UNSIGNED[bits])[:, 0], mask)
        else:
            self.set(destination, self.get(source, "pred" if kind == "pred" else f"u{bits}"), mask)

    def op_cvta(self, instruction, mask):
        """Every space has addresses of its own here, so generic ones are the same numbers."""
        self.set(instruction.operands[0], self.get(instruction.operands[1], "u64"), mask)
