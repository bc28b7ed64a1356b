"""An instruction's operands: where their values come from, and what is done to them on the way.

    parse("-|v3|")          register v3, absolute value, negated
    parse("s[2:3]")         two scalar registers
    operand.read(group, "f32")

Values are arrays of one row for each wave that executes the instruction: (waves, lanes) from vector registers, (waves, 1) from
scalar registers, (1, 1) of constants. Special scalar registers have numbers behind s105.
"""
import re

import numpy as np

from ..numbers import Fault, bf16_to_f32

CODE = 0x7E0000000000  # what s_getpc gives
VCC, TTMP, M0, NULL, EXEC, SCALARS = 106, 108, 124, 125, 126, 132
SPECIAL = {"vcc": (VCC, 2), "vcc_lo": (VCC, 1), "vcc_hi": (VCC + 1, 1), "exec": (EXEC, 2), "exec_lo": (EXEC, 1), "exec_hi": (EXEC + 1, 1),
           "m0": (M0, 1), "null": (NULL, 1), "flat_scratch": (128, 2), "flat_scratch_lo": (128, 1), "flat_scratch_hi": (129, 1),
           "xnack_mask": (130, 2), "xnack_mask_lo": (130, 1), "xnack_mask_hi": (131, 1)}
DTYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "bf16": np.uint16,
          **{f"{letter}{bits}": np.dtype(f"{'i' if letter == 'i' else 'u'}{bits // 8}").type for letter in "bui" for bits in (8, 16, 32, 64)}}
UNSIGNED = {16: np.uint16, 32: np.uint32, 64: np.uint64}
SELECTED = {"BYTE_0": (0, 0xFF), "BYTE_1": (8, 0xFF), "BYTE_2": (16, 0xFF), "BYTE_3": (24, 0xFF), "WORD_0": (0, 0xFFFF), "WORD_1": (16, 0xFFFF)}


BITS = {kind: int(kind.lstrip("bfui")) for kind in DTYPES}


class Operand:
    def __init__(self, text):
        self.text = text
        self.negated = self.absolute = self.extended = False
        self.kind, self.first, self.count, self.half = "constant", 0, 1, None
        self.selection = None  # of SDWA: (shift, mask)
        self.high = 0  # op_sel: the high half of the register
        self.values = {}  # constants by kind
        self.strip_modifiers()
        self.find_register()

    def strip_modifiers(self):
        text = self.text
        while True:
            wrapped = re.fullmatch(r"(neg|abs|sext)\((.*)\)", text)
            if wrapped:
                self.negated |= wrapped.group(1) == "neg"
                self.absolute |= wrapped.group(1) == "abs"
                self.extended |= wrapped.group(1) == "sext"
                text = wrapped.group(2)
            elif text.startswith("-") and not re.match(r"-\s*[\d.]", text):
                self.negated, text = True, text[1:]
            elif text.startswith("|") and text.endswith("|") and len(text) > 2:
                self.absolute, text = True, text[1:-1]
            else:
                self.name = text
                return

    def find_register(self):
        one = re.fullmatch(r"([vsa]|ttmp)(\d+)(\.[lh])?", self.name)
        many = re.fullmatch(r"([vsa]|ttmp)\[(\d+):(\d+)\]", self.name) or re.fullmatch(r"([vsa]|ttmp)\[(\d+)()\]", self.name)
        if one:
            self.kind, self.first = one.group(1), int(one.group(2))
            self.half = one.group(3) and int(one.group(3) == ".h")
        elif many:
            self.kind, self.first = many.group(1), int(many.group(2))
            self.count = int(many.group(3) or self.first) - self.first + 1
        elif self.name in SPECIAL:
            self.kind, (self.first, self.count) = "s", SPECIAL[self.name]
        elif self.name in ("scc", "src_scc"):
            self.kind = "scc"
        elif self.name == "off":
            self.kind = "off"
        if self.kind == "ttmp":
            self.kind, self.first = "s", TTMP + self.first

    @property
    def is_register(self):
        return self.kind in ("v", "a", "s")

    @property
    def is_vector(self):
        return self.kind in ("v", "a")

    # ---- constants --------------------------------------------------------------------------------

    def constant(self, group, kind):
        if kind in self.values:
            return self.values[kind]
        value = np.array([[self.constant_bits(group, kind)]], UNSIGNED[max(16, BITS[kind])])
        if "@" not in self.name:  # a symbol's address is another in each launch
            self.values[kind] = value
        return value

    def constant_bits(self, group, kind):
        text, bits = self.name, max(16, BITS[kind])
        if re.fullmatch(r"-?\d+\.\d*(e[+-]?\d+)?", text):
            if kind == "bf16":
                return int(np.array([float(text)], np.float32).view(np.uint32)[0]) >> 16
            dtype = {16: np.float16, 32: np.float32, 64: np.float64}[bits]
            return int(np.array([float(text)], dtype).view(UNSIGNED[bits])[0])
        literal = re.fullmatch(r"(?:lit(?:64)?\()?(-?(?:0x[0-9a-fA-F]+|\d+))\)?", text)
        value = int(literal.group(1), 0) if literal else group.symbol(text)
        if kind == "f64" and not -16 <= value <= 64:
            value <<= 32  # a literal has the upper half of a double
        elif kind == "i64" and 1 << 31 <= value < 1 << 32 and text.startswith("0x"):
            value -= 1 << 32
        return value & ((1 << bits) - 1)

    # ---- reading ----------------------------------------------------------------------------------

    def word(self, group, index=0):
        """The bits of one register, or of a constant."""
        if self.kind == "constant":
            return self.constant(group, "u32")
        if self.kind == "scc":
            return group.scc[group.rows].astype(np.uint32)[:, None]
        return group.register(self.kind, self.first + index)

    def read(self, group, kind):
        """The values as the type."""
        bits = max(16, BITS[kind])
        if self.kind == "constant":
            raw = self.constant(group, kind)
        elif bits == 64:
            if self.count == 1:
                raise Fault(f"{self.text} has 32 bits of 64")
            raw = self.word(group).astype(np.uint64) | (self.word(group, 1).astype(np.uint64) << np.uint64(32))
        else:
            raw = self.word(group)
            if self.selection or self.extended:
                raw = self.selected(raw)
            if bits == 16:
                raw = (raw >> np.uint32(16) if self.high or self.half else raw).astype(np.uint16)
        if self.absolute or self.negated:
            raw = self.with_sign(raw, raw.dtype.itemsize * 8, kind)
        if kind == "bf16":
            return bf16_to_f32(raw)
        return raw.view(DTYPES[kind]) if raw.dtype.itemsize * 8 == BITS[kind] else raw.astype(DTYPES[kind])

    def selected(self, raw):
        shift, mask = self.selection or (0, 0xFFFFFFFF)
        raw = (raw >> np.uint32(shift)) & np.uint32(mask)
        if self.extended:
            unused = np.int32(32 - mask.bit_length())
            raw = (raw.view(np.int32) << unused >> unused).view(np.uint32)
        return raw

    def with_sign(self, raw, bits, kind):
        sign = raw.dtype.type(1 << (bits - 1))
        raw = raw & ~sign if self.absolute else raw
        return raw ^ sign if self.negated else raw

    def words(self, group, count):
        """[wave, lane, word]: the registers side by side; a constant or scalar stands in every lane."""
        shape = (group.num_rows, group.lanes)
        return np.stack([np.broadcast_to(self.word(group, i if self.is_register else 0), shape) for i in range(count)], 2)

    # ---- scalars ----------------------------------------------------------------------------------

    def scalar(self, group, bits=32, signed=False):
        """One value a wave; one for all of them if it is a constant."""
        if self.kind == "s":
            raw = group.scalar_word(self.first)
            if bits == 64:
                raw = raw.astype(np.uint64) | group.scalar_word(self.first + 1).astype(np.uint64) << np.uint64(32)
        elif self.kind == "constant":
            raw = self.constant(group, f"{'i' if signed else 'u'}{bits}")[0]
        elif self.kind == "scc":
            raw = group.scc[group.rows].astype(UNSIGNED[bits])
        else:
            raise Fault(f"{self.text} is no scalar register")
        return raw.view(DTYPES[f"i{bits}"]) if signed else raw

    def mask(self, group):
        """[wave, lane] of bools: a lane mask."""
        words = [np.ascontiguousarray(np.broadcast_to(self.word(group, i if self.is_register else 0), (group.num_rows, 1)))
                 for i in range(group.lanes // 32)]
        return np.unpackbits(np.concatenate(words, 1).view(np.uint8), axis=1, bitorder="little").view(bool)
