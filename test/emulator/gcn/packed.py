"""Instructions on packed values: two halves or two floats a lane, dot products of a lane, fp8 conversions, mixed precision."""
import re

import numpy as np

from ..numbers import Fault, bf16_to_f32, f32_to_bf16, f32_to_fp8, fp8_values, fused
from .functions import FUNCTIONS, pack

U16, U32 = np.uint16, np.uint32
NAME = re.compile(r"v_pk_(\w+)_(b?[fuib]\d+)")
FP4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])


def packed_word(group, operand):
    """32 bits that hold two halves; an inline float is a half in the low part."""
    if operand.kind == "constant" and "." in operand.name:
        return operand.constant(group, "f16").astype(U32)
    return operand.word(group)


class Packed:
    def op_packed(self, instruction):
        op, kind = NAME.fullmatch(instruction.name).groups()
        if kind in ("f32", "b32"):
            return self.pairs_of_floats(instruction, op)
        target, *sources = instruction.operands
        low, high = instruction.list("op_sel", [0, 0, 0]), instruction.list("op_sel_hi", [1, 1, 1])
        signs = instruction.list("neg_lo", [0, 0, 0]), instruction.list("neg_hi", [0, 0, 0])
        if op == "fmac":
            op, sources = "fma", [*sources, target]
        function = FUNCTIONS[f"v_{op}_{kind if kind != 'bf16' else 'f32'}"][0]
        words, halves = [packed_word(self, operand) for operand in sources], []
        for selection, negated in zip((low, high), signs):
            values = []
            for place, word in enumerate(words):
                raw = (word >> U32(16) if selection[place] else word).astype(U16)
                raw = raw ^ U16(0x8000) if negated[place] else raw
                values.append(bf16_to_f32(raw) if kind == "bf16" else raw.view({"f": np.float16, "i": np.int16}.get(kind[0], U16)))
            result = function(*values)
            if "clamp" in instruction.modifiers and kind == "f16":
                result = np.clip(result, 0, 1).astype(result.dtype)
            halves.append(f32_to_bf16(result) if kind == "bf16" else np.ascontiguousarray(result))
        self.set_vector(target, pack(*halves), "u32", self.active)

    def pairs_of_floats(self, instruction, op):
        """v_pk_add_f32 and others: op_sel chooses between the two registers of a source."""
        target, *sources = instruction.operands
        choices = instruction.list("op_sel", [0, 0, 0]), instruction.list("op_sel_hi", [1, 1, 1])
        signs = instruction.list("neg_lo", [0, 0, 0]), instruction.list("neg_hi", [0, 0, 0])
        results = []
        for half, (selection, negated) in enumerate(zip(choices, signs)):
            if op == "mov":  # the low word is the first source's, the high word the second's
                operand = sources[half]
                results.append(operand.word(self, choices[0][half] if operand.count > 1 else 0).copy())
                continue
            values = []
            for place, operand in enumerate(sources):
                value = operand.word(self, selection[place] if operand.count > 1 else 0).view(np.float32)
                values.append(-value if negated[place] else value)
            result = {"add": np.add, "mul": np.multiply, "fma": fused}[op](*values)
            results.append(np.ascontiguousarray(result).view(U32))
        for index, result in enumerate(results):
            self.set_word(target.kind, target.first + index, result, None if self.is_full else self.active)

    # ---- mixed precision --------------------------------------------------------------------------

    def mixed(self, instruction):
        """op_sel_hi says which sources are halves, op_sel which half of the register."""
        halves, high = instruction.list("op_sel_hi", [0, 0, 0]), instruction.list("op_sel", [0, 0, 0])
        signs, sizes = instruction.list("neg_lo", [0, 0, 0]), instruction.list("neg_hi", [0, 0, 0])
        values = []
        for place, operand in enumerate(instruction.operands[1:4]):
            operand.high = high[place] if halves[place] else 0
            value = operand.read(self, "f16" if halves[place] else "f32").astype(np.float32)
            value = np.abs(value) if sizes[place] else value
            values.append(-value if signs[place] else value)
        result = fused(*values)
        return np.where(np.isnan(result), 0, np.clip(result, 0, 1)).astype(np.float32) if "clamp" in instruction.modifiers else result

    def op_v_fma_mix_f32(self, instruction):
        self.set_vector(instruction.operands[0], self.mixed(instruction), "f32", self.active)

    def op_v_fma_mixlo_f16(self, instruction):
        target, high = instruction.operands[0], "mixhi" in instruction.name
        raw = self.mixed(instruction).astype(np.float16).view(U16).astype(U32)
        old = target.word(self)
        result = old & U32(0xFFFF) | raw << U32(16) if high else old & U32(0xFFFF0000) | raw
        self.set_vector(target, result, "u32", self.active)
    op_v_fma_mixhi_f16 = op_v_fma_mixlo_f16

    # ---- dot products of a lane -------------------------------------------------------------------

    def elements(self, operand, kind):
        word = np.ascontiguousarray(np.broadcast_to(operand.word(self), self.active.shape))[..., None]
        if kind == "bf16":
            return bf16_to_f32(word.view(U16)).astype(np.float64)
        return word.view({"f16": np.float16, "i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": U16}[kind]).astype(np.float64 if kind == "f16" else np.int64)

    def op_dot(self, instruction):
        count, result, kind = re.fullmatch(r"v_dot(\d)c?_(\w+?)_(\w+)", instruction.name).groups()
        target, x, y, *z = instruction.operands
        z = z[0] if z else target
        signed = instruction.list("neg_lo", [0, 0, 0])
        kinds = [("i8" if sign else "u8") if kind == "iu8" else kind for sign in signed[:2]]
        total = (self.elements(x, kinds[0]) * self.elements(y, kinds[1])).sum(-1)
        if result == "bf16":
            return self.set_vector(target, f32_to_bf16((total + z.read(self, "bf16")).astype(np.float32)), "bf16", self.active)
        addend = z.read(self, result)
        wide = total + addend.astype(total.dtype)
        if result[0] in "iu":
            limits = np.iinfo(np.int32 if result[0] == "i" else U32)
            wide = np.clip(wide, limits.min, limits.max) if "clamp" in instruction.modifiers else wide & 0xFFFFFFFF
            return self.set_vector(target, wide.astype(np.int64).astype(U32), "u32", self.active)
        self.set_vector(target, wide.astype(addend.dtype), result, self.active)

    # ---- fp8 --------------------------------------------------------------------------------------

    def fp8_kind(self, name):
        return self.chip.fp8[1 if "bf8" in name else 0]

    def from_fp8(self, instruction):
        """v_cvt_f32_fp8 and v_cvt_pk_f32_fp8, with a scale on gfx950."""
        target, source, *scale = instruction.operands
        words = np.broadcast_to(source.word(self), self.active.shape).copy()  # the result may overwrite the source
        is_pair = "_pk_" in instruction.name
        if is_pair:
            high = instruction.list("op_sel", [0])[0] or instruction.modifiers.get("src0_sel") == "WORD_1"
            shifts = (16, 24) if high else (0, 8)
        else:
            selection = instruction.list("op_sel", [0, 0])
            octet = instruction.number("byte_sel", selection[0] * 2 + selection[1] if "op_sel" in instruction.modifiers else 0)
            octet = int(instruction.modifiers.get("src0_sel", f"BYTE_{octet}")[-1]) if "src0_sel" in instruction.modifiers else octet
            shifts = (8 * octet,)
        values = fp8_values(self.fp8_kind(instruction.name.split("_f32_")[1]))
        for index, by in enumerate(shifts):
            value = values[(words >> U32(by)) & U32(255)].astype(np.float32)
            value = value * scale[0].read(self, "f32") if scale else value
            self.set_word(target.kind, target.first + index, np.ascontiguousarray(value).view(U32), None if self.is_full else self.active)

    def to_fp8(self, instruction):
        """Two floats to two bytes of the low or high half of a register."""
        target, x, y, *scale = instruction.operands
        kind, saturate = self.fp8_kind(instruction.name), bool(int(self.mode[self.rows][0]) >> 23 & 1)
        codes = []
        for operand in (x, y):
            value = np.broadcast_to(operand.read(self, "f32"), self.active.shape)
            value = value / scale[0].read(self, "f32") if scale else value
            codes.append(f32_to_fp8(value, kind, saturate or bool(scale)).astype(U32))
        high = instruction.list("op_sel", [0] * 4)[len(instruction.operands) - 1]
        raw, old = codes[0] | codes[1] << U32(8), target.word(self)
        self.set_vector(target, old & U32(0xFFFF) | raw << U32(16) if high else old & U32(0xFFFF0000) | raw, "u32", self.active)

    def op_fp8(self, instruction):
        if re.fullmatch(r"v_cvt_(scalef32_)?(pk_)?f32_(fp8|bf8)", instruction.name):
            return self.from_fp8(instruction)
        if re.fullmatch(r"v_cvt_(scalef32_)?pk_(fp8|bf8)_f32", instruction.name):
            return self.to_fp8(instruction)
        if instruction.name == "v_cvt_scalef32_pk_f32_fp4":
            return self.from_fp4(instruction)
        raise Fault(f"no such instruction here: {instruction.text}")

    def from_fp4(self, instruction):
        target, source, scale = instruction.operands
        first, second = instruction.list("op_sel", [0, 0])[:2]
        octet = (source.word(self) >> U32(8 * (first + 2 * second))) & U32(255)
        for index, code in enumerate((octet & U32(15), octet >> U32(4))):
            value = (FP4[code] * scale.read(self, "f32")).astype(np.float32)
            self.set_word(target.kind, target.first + index, np.ascontiguousarray(value).view(U32), self.active)
