"""Scalar instructions: one value a wave."""
import re

import numpy as np

from ..numbers import Fault, fused
from .operands import CODE

U32, U64 = np.uint32, np.uint64
NAME = re.compile(r"s_(\w+?)_([biuf]\d+)(?:_([biuf]\d+))?")
COMPARE = re.compile(r"s_cmpk?_(\w+)_([iuf]\d+)")
SIZES = {"": 1, "x2": 2, "x3": 3, "x4": 4, "x8": 8, "x16": 16, "b32": 1, "b64": 2, "b96": 3, "b128": 4, "b256": 8, "b512": 16, "u8": 1, "i8": 1, "u16": 1, "i16": 1}
COMPARISONS = {"eq": np.equal, "lg": np.not_equal, "ne": np.not_equal, "gt": np.greater, "ge": np.greater_equal, "lt": np.less, "le": np.less_equal}


def shift_count(y, bits):
    return y & y.dtype.type(bits - 1)


def bits_field(x, control, bits, signed):
    """`control`: the offset, and from bit 16 on the width."""
    offset, width = control & U32(bits - 1), (control >> U32(16)) & U32(127)
    top = np.clip(bits - offset.astype(np.int64) - width, 0, bits).astype(x.dtype)
    low = np.minimum(top.astype(np.int64) + offset, bits - 1).astype(x.dtype)
    x = x.view(x.dtype.str.replace("u", "i")) if signed else x
    result = (x << top.astype(x.dtype)) >> low.astype(x.dtype)
    return np.where(width == 0, 0, result).astype(x.dtype)


def count_leading(x, signed):
    """Zeros before the first one, or bits equal to the sign; -1 if there is none."""
    bits, counts = 8 * x.dtype.itemsize, []
    for value in x.ravel().tolist():
        if signed and value >> (bits - 1):
            value ^= (1 << bits) - 1
        counts.append(bits - value.bit_length() if value else -1)
    return np.array(counts, np.int32).reshape(x.shape).view(U32)


def count_trailing(x):
    counts = [(value & -value).bit_length() - 1 for value in x.ravel().tolist()]
    return np.array(counts, np.int32).reshape(x.shape).view(U32)


def reverse_bits(x):
    octets = np.ascontiguousarray(x)[..., None].view(np.uint8)
    flipped = np.packbits(np.unpackbits(octets, axis=-1, bitorder="little"), axis=-1, bitorder="big")[..., ::-1]
    return np.ascontiguousarray(flipped).view(x.dtype)[..., 0]


def count_ones(x):
    return np.unpackbits(np.ascontiguousarray(x)[..., None].view(np.uint8), axis=-1).sum(-1).astype(U32)


# Functions of the operands; those of LOGIC also set SCC where the result is not 0.
LOGIC = {"and": lambda x, y: x & y, "or": lambda x, y: x | y, "xor": lambda x, y: x ^ y, "andn2": lambda x, y: x & ~y, "orn2": lambda x, y: x | ~y,
         "nand": lambda x, y: ~(x & y), "nor": lambda x, y: ~(x | y), "xnor": lambda x, y: ~(x ^ y), "not": lambda x: ~x,
         "lshl": lambda x, y: x << shift_count(y, x.dtype.itemsize * 8), "lshr": lambda x, y: x >> shift_count(y, x.dtype.itemsize * 8),
         "ashr": lambda x, y: x >> shift_count(y, x.dtype.itemsize * 8).astype(x.dtype), "bcnt1": count_ones,
         "bcnt0": lambda x: U32(8 * x.dtype.itemsize) - count_ones(x), "wqm": lambda x: x}
PLAIN = {"mov": lambda x: x, "mul": lambda x, y: x * y, "brev": reverse_bits, "ff1": count_trailing, "flbit": lambda x: count_leading(x, False),
         "pack_ll": lambda x, y: x & U32(0xFFFF) | y << U32(16), "pack_lh": lambda x, y: x & U32(0xFFFF) | y & U32(0xFFFF0000),
         "pack_hh": lambda x, y: x >> U32(16) | y & U32(0xFFFF0000), "pack_hl": lambda x, y: x >> U32(16) | y << U32(16)}
FLOATS = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "ceil": np.ceil, "floor": np.floor, "trunc": np.trunc,
          "rndne": np.rint}


class ScalarPlan:
    def __init__(self, instruction):
        parts = NAME.fullmatch(instruction.name)
        if not parts:
            raise Fault(f"no such instruction here: {instruction.text}")
        self.op, self.kind, self.source_kind = parts.groups()
        self.method = "scalar_float" if self.kind[0] == "f" or self.op == "cvt" else "save_exec" if self.op.endswith("saveexec") else None
        self.bits, self.result_bits = int((self.source_kind or self.kind)[1:]), int(self.kind[1:])
        self.signed = self.kind[0] == "i" and not self.source_kind
        shifts = self.op in ("lshl", "lshr", "ashr")
        self.widths = (self.bits, 32 if shifts else self.bits)
        self.shifts_wide = shifts and self.bits == 64
        self.function, self.sets_scc = LOGIC.get(self.op) or PLAIN.get(self.op), self.op in LOGIC
        self.unsigned = U64 if self.result_bits == 64 else U32


class Scalars:
    def op_scalar(self, instruction):
        if instruction.plan is None:
            instruction.plan = ScalarPlan(instruction)
        plan, operands = instruction.plan, instruction.operands
        if plan.method:
            return getattr(self, plan.method)(instruction, plan.op, plan.kind, plan.source_kind)
        values = [operand.scalar(self, bits, plan.signed) for operand, bits in zip(operands[1:], plan.widths)]
        if plan.shifts_wide:
            values[1] = values[1].astype(values[0].dtype)
        if plan.function is None:
            result = self.special_scalar(instruction, plan.op, values, plan.bits, plan.signed)
        else:
            result = plan.function(*values)
            if plan.sets_scc:
                self.scc[self.rows] = result != 0
        self.set_scalar(operands[0], result.view(plan.unsigned) if result.dtype.itemsize * 8 == plan.result_bits else result.astype(plan.unsigned), plan.result_bits)

    def special_scalar(self, instruction, op, values, bits, signed):
        """Operations with carries, conditions and fields."""
        if op == "cselect":
            return np.where(self.scc[self.rows], *values)
        if op == "cmov":
            return np.where(self.scc[self.rows], values[0], instruction.operands[0].scalar(self, bits))
        if op in ("add", "sub", "addc", "subb"):
            return self.sum(op, *values, signed, bits)
        if op in ("min", "max"):
            self.scc[self.rows] = (values[0] < values[1]) if op == "min" else (values[0] > values[1])
            return (np.minimum if op == "min" else np.maximum)(*values)
        if op == "abs":
            self.scc[self.rows] = values[0] != 0
            return np.abs(values[0].view(np.int32))
        if op == "absdiff":
            result = np.abs(values[0].astype(np.int64) - values[1]).astype(U32)
            self.scc[self.rows] = result != 0
            return result
        if op == "mul_hi":
            wide = np.int64 if signed else U64
            return (values[0].astype(wide) * values[1].astype(wide) >> wide(32)).astype(U32)
        if op == "bfe":
            result = bits_field(values[0].view(U32 if bits == 32 else U64), values[1].astype(U32), bits, signed)
            self.scc[self.rows] = result != 0
            return result
        if op == "bfm":
            return ((values[0].dtype.type(1) << (values[0] & values[0].dtype.type(bits - 1))) - values[0].dtype.type(1)) << (values[1] & values[1].dtype.type(bits - 1))
        lshl = re.fullmatch(r"lshl([1-4])_add", op)
        if lshl:
            return (values[0].astype(U32) << U32(lshl.group(1))) + values[1].astype(U32)
        if op in ("bitset0", "bitset1"):
            old, one = instruction.operands[0].scalar(self, bits), values[0].dtype.type(1)
            place = one << (values[0] & values[0].dtype.type(bits - 1))
            return old | place if op == "bitset1" else old & ~place
        raise Fault(f"no such instruction here: {instruction.text}")

    def with_constant(self, instruction, op):
        constant = np.int64(int(instruction.operands[1].name, 0) & 0xFFFF)
        constant = constant - 65536 if constant >= 32768 else constant
        if op == "movk":
            return np.full(self.num_rows, constant & 0xFFFFFFFF, np.int64).astype(U32)
        old = instruction.operands[0].scalar(self, 32, True).astype(np.int64)
        total = old + constant if op == "addk" else old * constant
        if op == "addk":
            self.scc[self.rows] = total != total.astype(np.int32)
        return (total & 0xFFFFFFFF).astype(U32)

    def sum(self, op, x, y, signed, bits):
        """SCC becomes the carry of unsigned sums, the overflow of signed ones."""
        if bits == 64:
            return x + y if op == "add" else x - y
        carry = self.scc[self.rows].astype(np.int64) if op in ("addc", "subb") else 0
        wide = x.astype(np.int64) + y + carry if op.startswith("add") else x.astype(np.int64) - y - carry
        self.scc[self.rows] = wide != wide.astype(np.int32) if signed else (wide < 0) | (wide > 0xFFFFFFFF)
        return (wide & 0xFFFFFFFF).astype(U32)

    def scalar_float(self, instruction, op, kind, source_kind):
        from .functions import FUNCTIONS
        operands = instruction.operands
        if op == "cvt":
            source = operands[1].read(self, source_kind)[:, 0]
            result = FUNCTIONS[f"v_cvt_{kind}_{source_kind}"][0](source)
        elif op in ("fmac", "fmamk", "fmaak"):
            x, y = (o.read(self, kind)[:, 0] for o in operands[1:3])
            z = (operands[0] if op == "fmac" else operands[3]).read(self, kind)[:, 0]
            result = fused(x, y, z)
        elif op in FLOATS or op in ("min", "max", "minnan", "maxnan"):
            function = FLOATS.get(op) or FUNCTIONS[f"v_{op}_{kind}"][0]
            result = function(*(o.read(self, kind)[:, 0] for o in operands[1:]))
        else:
            raise Fault(f"no such instruction here: {instruction.text}")
        result = np.broadcast_to(np.asarray(result), self.num_rows)
        raw = np.ascontiguousarray(result).view(np.uint16 if result.dtype.itemsize == 2 else U32)
        self.set_scalar(operands[0], raw)

    def op_scalar_function(self, instruction):
        """v_s_rcp_f32 and others of gfx12: functions of vector units on scalar registers."""
        from .functions import FUNCTIONS
        name = instruction.name.replace("v_s_", "v_")
        result = FUNCTIONS[name][0](instruction.operands[1].read(self, name[-3:]))[:, 0]
        result = np.ascontiguousarray(np.broadcast_to(result, self.num_rows))
        self.set_scalar(instruction.operands[0], result.view(np.uint16 if result.dtype.itemsize == 2 else U32))

    def save_exec(self, instruction, op, *_):
        bits, operands, op = self.lanes, instruction.operands, op[:-len("_saveexec")]
        words = np.packbits(self.active, axis=1, bitorder="little")
        old = words.view(U32 if bits == 32 else U64)[:, 0]
        value = operands[1].scalar(self, bits)
        result = {"and": lambda: value & old, "or": lambda: value | old, "xor": lambda: value ^ old, "andn2": lambda: value & ~old,
                  "orn2": lambda: value | ~old, "andn1": lambda: ~value & old, "orn1": lambda: ~value | old}[op]()
        self.set_scalar(operands[0], old, bits)
        octets = np.ascontiguousarray(result)[:, None].view(np.uint8)
        self.set_exec(np.unpackbits(octets, axis=1, bitorder="little").view(bool))
        self.scc[self.rows] = result != 0

    def op_scalar_compare(self, instruction):
        op, kind = COMPARE.fullmatch(instruction.name).groups()
        x, y = (operand.read(self, kind)[:, 0] for operand in instruction.operands)
        if kind == "i32" and instruction.name.startswith("s_cmpk"):  # a constant of 16 bits, printed without its sign
            y = (((y.astype(np.int64) & 0xFFFF) ^ 0x8000) - 0x8000).astype(x.dtype)
        if kind[0] == "f":
            nan = np.isnan(x) | np.isnan(y)
            if op in ("o", "u"):
                result = ~nan if op == "o" else nan
            else:
                result = COMPARISONS[op](x, y) & ~nan if op in COMPARISONS else ~COMPARISONS[op[1:] if op != "neq" else "eq"](x, y) | nan
        else:
            result = COMPARISONS[op](x, y)
        self.scc[self.rows] = result

    def bit_compare(self, instruction, wanted):
        bits = int(instruction.name[-2:])
        x, place = instruction.operands[0].scalar(self, bits), instruction.operands[1].scalar(self)
        self.scc[self.rows] = ((x >> (place & U32(bits - 1)).astype(x.dtype)) & x.dtype.type(1)) == wanted

    def op_s_bitcmp1_b32(self, instruction):
        self.bit_compare(instruction, 1)

    def op_s_bitcmp0_b32(self, instruction):
        self.bit_compare(instruction, 0)
    op_s_bitcmp1_b64, op_s_bitcmp0_b64 = op_s_bitcmp1_b32, op_s_bitcmp0_b32

    def op_s_sext_i32_i16(self, instruction):
        bits = 8 if instruction.name.endswith("i8") else 16
        x = np.ascontiguousarray(instruction.operands[1].scalar(self)).view(np.int32)
        self.set_scalar(instruction.operands[0], (x << np.int32(32 - bits) >> np.int32(32 - bits)).view(U32))
    op_s_sext_i32_i8 = op_s_sext_i32_i16

    def op_s_movk_i32(self, instruction):
        self.set_scalar(instruction.operands[0], self.with_constant(instruction, "movk"))

    def op_s_addk_i32(self, instruction):
        self.set_scalar(instruction.operands[0], self.with_constant(instruction, "addk"))

    def op_s_mulk_i32(self, instruction):
        self.set_scalar(instruction.operands[0], self.with_constant(instruction, "mulk"))

    def op_s_getpc_b64(self, instruction):
        self.set_scalar(instruction.operands[0], np.full(self.num_rows, CODE, U64), 64)

    # ---- MODE and other hardware registers --------------------------------------------------------

    @staticmethod
    def hardware_field(text):
        name, offset, size = (re.fullmatch(r"hwreg\(\s*(\w+)\s*(?:,\s*(\d+)\s*,\s*(\d+)\s*)?\)", text).groups())
        return name, int(offset or 0), int(size or 32)

    def op_s_setreg_imm32_b32(self, instruction):
        self.set_mode(instruction, instruction.operands[1].scalar(self).astype(np.int64))
    op_s_setreg_b32 = op_s_setreg_imm32_b32

    def set_mode(self, instruction, value):
        place = next(o for o in instruction.operands if "hwreg" in o.name)
        name, offset, size = self.hardware_field(place.name)
        if name not in ("HW_REG_MODE", "HW_REG_WAVE_MODE"):
            raise Fault(f"no such hardware register here: {name}")
        field = ((1 << size) - 1) << offset
        self.mode[self.rows] = self.mode[self.rows] & ~field | (value << offset) & field

    def op_s_getreg_b32(self, instruction):
        name, offset, size = self.hardware_field(instruction.operands[1].name)
        value = self.mode[self.rows] if name.endswith("MODE") else np.zeros(self.num_rows, np.int64)
        self.set_scalar(instruction.operands[0], (value >> offset) & ((1 << size) - 1))

    def op_s_memtime(self, instruction):
        """A clock that only says that time passes."""
        self.clock = getattr(self, "clock", 0) + 100
        self.set_scalar(instruction.operands[0], np.full(self.num_rows, self.clock, U64), 64)
        self.issue("scalar", registers=[("s", instruction.operands[0].first + i) for i in range(2)], ordered=False)
    op_s_memrealtime = op_s_memtime

    # ---- scalar loads -----------------------------------------------------------------------------

    def op_scalar_load(self, instruction):
        kind = re.fullmatch(r"s_(buffer_)?load_(?:dword)?(\w*)", instruction.name)
        if kind.group(1):
            raise Fault(f"no such instruction here: {instruction.text}")
        target, base, *offsets = instruction.operands
        addresses = base.scalar(self, 64) + U64(instruction.number("offset") & ((1 << 64) - 1))
        for offset in offsets:
            if offset.is_register:
                addresses = addresses + offset.scalar(self).astype(U64)
            elif offset.name != "null":
                addresses = addresses + U64(int(offset.name, 0) & ((1 << 64) - 1))
        count, small = SIZES[kind.group(2)], kind.group(2) in ("u8", "i8", "u16", "i16")
        size = int(kind.group(2)[1:]) // 8 if small else 4 * count
        if not small and (addresses & U64(3)).any():
            raise Fault("the address of a scalar load is not a multiple of 4")
        data = self.memory.load(addresses, size, self.memory.find_word)
        words = np.ascontiguousarray(self.widened(data, kind.group(2)) if small else data).view(U32)
        registers = [("s", target.first + index) for index in range(count)]
        for index, register in enumerate(registers):
            if register in self.flying:
                self.check_flying(register)
            self.scalars[register[1]][self.rows] = words[:, index]
        self.issue("scalar", registers=registers, ordered=False)

