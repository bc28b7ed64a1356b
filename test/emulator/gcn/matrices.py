"""Products of matrices: MFMA (CDNA) and WMMA (RDNA). The maps are those of AMD's matrix instruction calculator, and of Triton's
layouts for what it does not know (gfx950's larger K).

Lane bits l0..., a lane's element j of A (B likewise, by columns), its result register r. `per`: elements of a lane.

  MFMA 32x32, one block     A: row = l0..4, k = per * l5 + j              D: column = l0..4, row = r0..1 + 4 * l5 + 8 * r2..
  MFMA 16x16, one block     A: row = l0..3, k = per * l4..5 + j           D: column = l0..3, row = r0..1 + 4 * l4..5
  MFMA, several blocks      A: row = low lanes, block = high lanes, k = j D: the block of 4x4 is in the lanes, else in r
  WMMA, gfx11               A: row = l0..3, k = j, l4 replicates          D: column = l0..3, row = l4 + 2 * r
  WMMA, gfx12               A: row = l0..3, k = j + per * l4              D: column = l0..3, row = r + 8 * l4

Products are added up in double precision or int64 and rounded once per instruction.
"""
import re

import numpy as np

from ..numbers import Fault, bf16_to_f32, f32_to_bf16, fp8_values
from .packed import FP4

MFMA = re.compile(r"v_mfma_(?:scale_)?(f32|i32|f64)_(\d+)x(\d+)x(\d+)(?:_(\d+)b)?_?(\w+)")
WMMA = re.compile(r"v_wmma_(f32|i32|f16|bf16)_16x16x(\d+)_(\w+)")
BITS = {"f16": 16, "bf16": 16, "bf16_1k": 16, "f32": 32, "xf32": 32, "i8": 8, "f64": 64, "fp8": 8, "bf8": 8, "iu8": 8, "iu4": 4}
SMALL = {0: ("fp8", 8), 1: ("bf8", 8), 2: ("fp6", 6), 3: ("bf6", 6), 4: ("fp4", 4)}  # cbsz and blgp of f8f6f4


def small_float(bits_of_exponent, bits_of_mantissa, bias):
    values = []
    for code in range(1 << (1 + bits_of_exponent + bits_of_mantissa)):
        fraction, power = code & ((1 << bits_of_mantissa) - 1), code >> bits_of_mantissa & ((1 << bits_of_exponent) - 1)
        size = fraction * 2.0**(1 - bias - bits_of_mantissa) if power == 0 else (1 + fraction / (1 << bits_of_mantissa)) * 2.0**(power - bias)
        values.append(-size if code >> (bits_of_exponent + bits_of_mantissa) else size)
    return np.array(values)


FP6 = {"fp6": small_float(2, 3, 1), "bf6": small_float(3, 2, 3)}


def unpacked(words, bits):
    """[wave, lane, element]: codes of 4 or 6 bits."""
    stream = np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=-1, bitorder="little")
    count = stream.shape[-1] // bits
    groups = stream[..., :count * bits].reshape(*stream.shape[:-1], count, bits)
    return (groups.astype(np.int64) << np.arange(bits)).sum(-1)


class Matrices:
    def lane_elements(self, operand, kind, count, signed=True):
        """[wave, lane, element] in double precision or int64."""
        words = np.ascontiguousarray(operand.words(self, max(1, count * BITS.get(kind, 8) // 32)))
        if kind in ("f16", "f32", "f64"):
            return words.view({"f16": np.float16, "f32": np.float32, "f64": np.float64}[kind]).astype(np.float64)
        if kind in ("bf16", "bf16_1k"):
            return bf16_to_f32(words.view(np.uint16)).astype(np.float64)
        if kind == "xf32":
            return (words & np.uint32(0xFFFFE000)).view(np.float32).astype(np.float64)
        if kind in ("fp8", "bf8"):
            return fp8_values(self.chip.fp8[int(kind == "bf8")])[words.view(np.uint8)]
        if kind == "iu4":
            codes = unpacked(words, 4)
            return np.where(codes >= 8, codes - 16, codes) if signed else codes
        return words.view(np.int8 if signed else np.uint8).astype(np.int64)

    # ---- MFMA -------------------------------------------------------------------------------------

    def op_mfma(self, instruction):
        result, rows, columns, depth, blocks, kinds = MFMA.fullmatch(instruction.name).groups()
        rows, depth = int(rows), int(depth)
        blocks = int(blocks or self.blocks_of(rows, depth, kinds))
        if kinds == "f8f6f4":
            a, b = self.scaled_operands(instruction, rows, depth)
        else:
            pair = re.fullmatch(r"(fp8|bf8)_(fp8|bf8)", kinds)
            a, b = (self.mfma_operand(instruction.operands[place], pair.group(place) if pair else kinds, rows, depth, blocks) for place in (1, 2))
            a, b = self.broadcast(instruction, a, b, kinds)
        product = np.matmul(a, b.swapaxes(-1, -2))  # [wave, block, row, column]
        self.add_product(instruction, product, result, rows, blocks)

    @staticmethod
    def blocks_of(rows, depth, kinds):
        """The names of gfx90a do not say how many blocks there are: those with several have this K."""
        small = {32: {"f32": 1, "f16": 4, "bf16_1k": 4, "bf16": 2, "i8": 4}, 16: {"f32": 1, "f16": 4, "bf16_1k": 4, "bf16": 2, "i8": 4}}
        if rows == 4:
            return 16 if kinds != "f64" else 4
        return 64 // rows if small[rows].get(kinds) == depth else 1

    def mfma_operand(self, operand, kind, rows, depth, blocks):
        """[wave, block, row, k]."""
        per = depth * rows * blocks // 64
        values = self.lane_elements(operand, kind, per)[..., :per]
        groups = values.reshape(self.num_rows, 64 // rows, rows, per)  # by the high lanes
        if blocks > 1 and not (kind == "f64" and rows == 4):
            return groups
        return groups.transpose(0, 2, 1, 3).reshape(self.num_rows, 1, rows, depth) if blocks == 1 else self.f64_blocks(groups)

    def f64_blocks(self, groups):
        """4x4x4 in four blocks: lane = row + 4 * block + 16 * k."""
        return groups.reshape(self.num_rows, 4, 4, 4).transpose(0, 2, 3, 1)

    @staticmethod
    def broadcast(instruction, a, b, kinds):
        """cbsz and abid: groups of 2**cbsz blocks share the A of one. blgp: lanes of B change places; signs for f64."""
        size, which, lanes = (instruction.number(name) for name in ("cbsz", "abid", "blgp"))
        if size:
            block = np.arange(a.shape[1])
            a = a[:, block >> size << size | which]
        if kinds == "f64":
            a, b = (-a if lanes & 1 else a), (-b if lanes & 2 else b)
            if lanes & 4:
                raise Fault("a negated addend is not modelled")
        elif lanes:
            raise Fault("blgp is not modelled")
        return a, b

    def scaled_operands(self, instruction, rows, depth):
        """gfx950's f8f6f4: 32 elements a lane; bytes lie as in two instructions of half the depth. In the scaled form each lane has a
        scale 2**(s - 127) for 32 neighbours along K."""
        per, groups, found = depth * rows // 64, 64 // rows, []
        for place, name in ((1, "cbsz"), (2, "blgp")):
            kind, bits = SMALL[instruction.number(name)]
            words = np.ascontiguousarray(instruction.operands[place].words(self, per * bits // 32))
            if bits == 8:
                values = fp8_values(self.chip.fp8[int(kind == "bf8")])[words.view(np.uint8)]
                values = values.reshape(self.num_rows, groups, rows, 2, per // 2).transpose(0, 2, 3, 1, 4)
            else:
                values = (FP4 if bits == 4 else FP6[kind])[unpacked(words, bits)].reshape(self.num_rows, groups, rows, per).transpose(0, 2, 1, 3)
            values = values.reshape(self.num_rows, rows, groups, per)
            if "mfma_scale" in instruction.name:
                values = values * self.scales(instruction, place).reshape(self.num_rows, groups, rows).transpose(0, 2, 1)[..., None]
            found.append(values.reshape(self.num_rows, 1, rows, depth))
        return found

    def scales(self, instruction, place):
        """[wave, lane]: op_sel and op_sel_hi choose the byte of the scales' register."""
        octet = instruction.list("op_sel", [0, 0])[place - 1] + 2 * instruction.list("op_sel_hi", [0, 0])[place - 1]
        word = np.broadcast_to(instruction.operands[3 + place].word(self), self.active.shape)
        code = (word >> np.uint32(8 * octet) & np.uint32(255)).astype(np.float64)
        return np.where(code == 255, np.nan, np.exp2(code - 127))

    def result_places(self, result, rows, blocks):
        """[(block, row, column)] of each result register, by lane."""
        lane = np.arange(64)
        column, high = lane % rows, lane // rows
        if rows == 4:
            if result == "f64":
                return [(lane // 4 % 4, lane // 16, column)]
            return [(lane // 4, np.full(64, r), column) for r in range(4)]
        places = []
        for number in range(rows * rows * blocks // 64):
            block, r = divmod(number, rows * rows // 64)
            if result == "f64":
                row = 4 * r + high
            else:
                row = r % 4 + 4 * high + (r // 4 * 8 if rows == 32 else 0)
            places.append((np.full(64, block), row, column))
        return places

    def add_product(self, instruction, product, result, rows, blocks):
        target, addend = instruction.operands[0], instruction.operands[3]
        dtype = {"f32": np.float32, "i32": np.int32, "f64": np.float64}[result]
        width = 2 if result == "f64" else 1
        new = []
        for number, (block, row, column) in enumerate(self.result_places(result, rows, blocks)):
            if addend.is_register:
                words = np.stack([np.broadcast_to(addend.word(self, number * width + i), self.active.shape) for i in range(width)], 2)
                old = np.ascontiguousarray(words).view(dtype)[..., 0]
            else:
                old = addend.read(self, result)
            new.append((product[:, block, row, column] + old).astype(dtype))
        for number, value in enumerate(new):  # every lane, whatever EXEC says
            words = np.ascontiguousarray(value)[..., None].view(np.uint32)
            for index in range(width):
                self.set_word(target.kind, target.first + number * width + index, words[..., index], None)

    # ---- WMMA -------------------------------------------------------------------------------------

    def op_wmma(self, instruction):
        found = WMMA.fullmatch(instruction.name)
        if not found:
            raise Fault(f"no such instruction here: {instruction.text}")
        if not self.is_full:
            raise Fault("WMMA in a part of a wave")
        result, depth, kinds = found.groups()
        replicated = self.chip.counter_of["load"] == "vmcnt"  # gfx11
        pair = re.fullmatch(r"(fp8|bf8)_(fp8|bf8)", kinds)
        signed = instruction.list("neg_lo", [0, 0, 0])
        sides = [self.wmma_operand(instruction.operands[place], pair.group(place) if pair else kinds, int(depth), replicated, bool(signed[place - 1]))
                 for place in (1, 2)]
        if kinds not in ("iu8", "iu4") and ("neg_lo" in instruction.modifiers or "neg_hi" in instruction.modifiers):
            raise Fault("signs of WMMA are not modelled")
        product = np.matmul(sides[0], sides[1].swapaxes(-1, -2))
        self.add_wmma(instruction, product, result, replicated)

    def wmma_operand(self, operand, kind, depth, replicated, signed):
        """[wave, row, k]."""
        per = depth if replicated else depth // 2
        values = self.lane_elements(operand, kind, per, signed)[..., :per].reshape(self.num_rows, 2, 16, per)
        if replicated:
            if (values[:, 0] != values[:, 1]).any() and not np.isnan(values).any():
                raise Fault("the two halves of a wave hold different operands of WMMA")
            return values[:, 0]
        return values.transpose(0, 2, 1, 3).reshape(self.num_rows, 16, depth)

    def add_wmma(self, instruction, product, result, replicated):
        target, addend, lane = instruction.operands[0], instruction.operands[3], np.arange(32)
        high_half = instruction.list("op_sel", [0, 0, 0])[2]
        halves = result in ("f16", "bf16")
        new = []
        for r in range(8):
            row = lane // 16 + 2 * r if replicated else r + 8 * (lane // 16)
            value = product[:, row, lane % 16]
            place = (r if replicated else r // 2) if halves else r
            word = addend.word(self, place if addend.is_register else 0)
            if halves:
                shift = np.uint32(16 if (high_half if replicated else r % 2) else 0)
                raw = (word >> shift).astype(np.uint16) if addend.is_register else addend.constant(self, "bf16" if result == "bf16" else "f16")
                old = bf16_to_f32(raw) if result == "bf16" else raw.view(np.float16)
            else:
                old = word.view({"f32": np.float32, "i32": np.int32}[result])
            new.append(value + old)
        if halves:
            return self.set_wmma_halves(target, new, result, replicated, high_half)
        for r, value in enumerate(new):
            value = value.astype(np.float32) if result == "f32" else (value.astype(np.int64) & 0xFFFFFFFF).astype(np.uint32)
            self.set_word(target.kind, target.first + r, np.ascontiguousarray(value).view(np.uint32), None)

    def set_wmma_halves(self, target, values, result, replicated, high_half):
        raw = [(f32_to_bf16(v.astype(np.float32)) if result == "bf16" else v.astype(np.float16).view(np.uint16)).astype(np.uint32) for v in values]
        for place in range(8 if replicated else 4):
            if replicated:
                old = target.word(self, place)
                word = old & np.uint32(0xFFFF) | raw[place] << np.uint32(16) if high_half else old & np.uint32(0xFFFF0000) | raw[place]
            else:
                word = raw[2 * place] | raw[2 * place + 1] << np.uint32(16)
            self.set_word(target.kind, target.first + place, word, None)
