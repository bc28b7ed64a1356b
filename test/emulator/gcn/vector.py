"""Vector instructions: operands with their modifiers in, a function (functions.py), a register of the active lanes out.

Modifiers of operands: neg, abs, sext, op_sel, SDWA's selections, DPP. Of results: clamp, omod, SDWA's dst_sel, halves.
"""
import re

import numpy as np

from ..numbers import Fault
from .directed import Rounding, rounded
from .functions import FUNCTIONS
from .lanes import DppPlan, has_dpp
from .operands import SELECTED, Operand

U16, U32, U64 = np.uint16, np.uint32, np.uint64
TINY = {np.dtype(np.float32): np.finfo(np.float32).tiny, np.dtype(np.float64): np.finfo(np.float64).tiny, np.dtype(np.float16): np.finfo(np.float16).tiny}
COMPARISONS = {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal, "ne": np.not_equal, "lg": np.not_equal}
SATURATES = {"v_add_u32": (np.add, np.uint32), "v_sub_u32": (np.subtract, np.uint32), "v_add_i32": (np.add, np.int32), "v_sub_i32": (np.subtract, np.int32),
             "v_add_u16": (np.add, np.uint16), "v_sub_u16": (np.subtract, np.uint16),
             "v_subrev_u32": (lambda x, y: y - x, np.uint32), "v_subrev_u16": (lambda x, y: y - x, np.uint16),
             "v_add_i16": (np.add, np.int16), "v_sub_i16": (np.subtract, np.int16)}
WITH_ACCUMULATOR = re.compile(r"v_(fmac|mac|dot2c|pk_fmac)_(\w+)")
EXACT = re.compile(r"v_(mov|cndmask|min|max|med3|mini?num|maxi?num|floor|ceil|trunc|rndne|fract|bfi|and|or|xor|perm|ldexp|cmp|accvgpr|readlane)")
VCC = Operand("vcc")


class VectorPlan:
    def __init__(self, instruction, lanes):
        accumulates = WITH_ACCUMULATOR.fullmatch(instruction.name)
        name = f"v_fma_{accumulates.group(2)}" if accumulates else instruction.name
        if name not in FUNCTIONS:
            raise Fault(f"no such instruction here: {instruction.text}")
        self.function, self.kinds, self.result = FUNCTIONS[name]
        self.name, self.rounding, self.is_exact = name, Rounding.of(name), EXACT.match(name) is not None
        self.target, *self.sources = instruction.operands
        if accumulates:
            self.sources.append(self.target)
        if name.startswith("v_div_fmas"):
            self.sources = self.sources[:3]
        selected = instruction.list("op_sel", [0, 0, 0, 0])
        for operand, high in zip(self.sources, selected):
            operand.high = high
        places = len(self.sources)
        self.high = selected[places] if "op_sel" in instruction.modifiers and places < len(selected) else 0
        self.dpp = DppPlan(instruction.modifiers, lanes) if has_dpp(instruction.modifiers) else None
        self.clamp = "clamp" in instruction.modifiers
        self.factor = 2.0**{"mul:2": 1, "mul:4": 2, "div:2": -1}.get(next((f"{k}:{v}" for k, v in instruction.modifiers.items() if k in ("mul", "div")), ""), 0)
        self.is_plain = not (self.clamp or self.factor != 1)
        self.saturated = SATURATES.get(instruction.name)
        self.in_floats = self.kinds[0][0] == "f" and instruction.name != "v_mov_b32"
        self.select = instruction.modifiers.get("dst_sel", "DWORD")
        self.unused = instruction.modifiers.get("dst_unused")


class Vectors:
    def op_vector(self, instruction):
        plan = instruction.plan
        if plan is None:
            plan = instruction.plan = VectorPlan(instruction, self.lanes)
        mask = self.active
        values = [operand.read(self, kind) for operand, kind in zip(plan.sources, plan.kinds)]
        if plan.dpp:
            values[0], mask = self.through_dpp(plan.dpp, values[0])
        flushes = plan.in_floats and self.flushes(plan.kinds[0])
        if flushes:
            values = [self.flushed(value) for value in values]
        result = rounded(plan, int(self.mode[self.rows][0]), plan.function(*values), values)
        if not plan.is_plain:
            result = self.modified(plan, result, values)
        if flushes and result.dtype.kind == "f":
            result = self.flushed(result)
        if plan.select != "DWORD":
            result = self.selected_result(plan, result)
        self.set_vector(plan.target, result, plan.result, mask, plan.high)

    def flushes(self, kind):
        """Whether MODE says that denormal numbers of the type are 0."""
        field = 4 if kind == "f32" else 6
        return (int(self.mode[self.rows][0]) >> field & 3) != 3

    @staticmethod
    def flushed(value):
        if value.dtype.kind != "f":
            return value
        return np.where(np.abs(value) < TINY[value.dtype], np.copysign(value.dtype.type(0), value), value)

    @staticmethod
    def modified(plan, result, values):
        if result.dtype.kind == "f":
            result = result * result.dtype.type(plan.factor)
            return np.where(np.isnan(result), 0, np.clip(result, 0, 1)).astype(result.dtype) if plan.clamp else result
        if plan.saturated:
            function, dtype = plan.saturated
            limits = np.iinfo(dtype)
            x, y = (value.view(dtype).astype(np.int64) for value in values)
            return np.clip(function(x, y), limits.min, limits.max).astype(dtype)
        raise Fault("clamp of this instruction is not modelled")

    def selected_result(self, plan, result):
        """SDWA: the result goes to a part of the register."""
        shift, mask = SELECTED[plan.select]
        raw = np.ascontiguousarray(result).view({2: U16, 4: U32}[result.dtype.itemsize]).astype(U32) & U32(mask)
        raw = raw << U32(shift)
        if plan.unused == "UNUSED_PRESERVE":
            return plan.target.word(self) & U32(~(mask << shift) & 0xFFFFFFFF) | raw
        if plan.unused == "UNUSED_SEXT":
            raise Fault("UNUSED_SEXT is not modelled")
        return raw

    # ---- results ----------------------------------------------------------------------------------

    def set_vector(self, target, value, kind, mask, high=0):
        bits = value.dtype.itemsize * 8
        if self.is_full and mask is self.active:
            mask = None
        if value.dtype.kind != "u":
            value = np.ascontiguousarray(value).view({16: U16, 32: U32, 64: U64}[bits])
        if bits == 64:
            self.set_word(target.kind, target.first, value.astype(U32), mask)
            self.set_word(target.kind, target.first + 1, (value >> U64(32)).astype(U32), mask)
            return
        if bits == 16:
            value = self.half_written(target, value.astype(U32), high)
        self.set_word(target.kind, target.first, value, mask)

    def half_written(self, target, value, high):
        if high or target.half == 1:
            return target.word(self) & U32(0xFFFF) | value << U32(16)
        if target.half == 0 or not self.chip.clears_high_half:
            return target.word(self) & U32(0xFFFF0000) | value
        return value

    # ---- comparisons ------------------------------------------------------------------------------

    def op_compare(self, instruction):
        if instruction.plan is None:
            writes_exec, op, kind = re.fullmatch(r"v_cmp(x?)_(\w+)_([fiub]\d+)", instruction.name).groups()
            sources = instruction.operands[-2:]
            target = instruction.operands[0] if len(instruction.operands) > 2 else None
            for operand, high in zip(sources, instruction.list("op_sel", [0, 0])):
                operand.high = high
            dpp = DppPlan(instruction.modifiers, self.lanes) if has_dpp(instruction.modifiers) else None
            instruction.plan = (writes_exec, op, kind, sources, target, dpp)
        writes_exec, op, kind, sources, target, dpp = instruction.plan
        x = sources[0].read(self, kind)
        if dpp:
            x, _ = self.through_dpp(dpp, x)
        y = sources[1].read(self, "u32" if op == "class" else kind)
        result = np.broadcast_to(self.compared(op, kind, x, y), self.active.shape) & self.active
        if target is not None:
            self.set_mask(target, result)
        elif not writes_exec:
            self.set_mask(VCC, result)
        if writes_exec:
            self.set_exec(result)

    def compared(self, op, kind, x, y):
        if op == "class":
            return self.classified(x, y)
        if op in ("t", "tru", "f"):
            return np.full(self.active.shape, op != "f")
        if kind[0] != "f":
            return COMPARISONS[op](x, y)
        if self.flushes(kind):
            x, y = self.flushed(x), self.flushed(y)
        nan = np.isnan(x) | np.isnan(y)
        if op in ("o", "u"):
            return nan if op == "u" else ~nan
        if op in COMPARISONS:
            return COMPARISONS[op](x, y) & ~nan
        return ~COMPARISONS[{"neq": "eq", "nlg": "lg"}.get(op, op[1:])](x, y) | nan

    @staticmethod
    def classified(x, wanted):
        tiny, negative = TINY[x.dtype], np.signbit(x)
        size = np.abs(x)
        quiet = (np.ascontiguousarray(x).view({2: U16, 4: U32, 8: U64}[x.dtype.itemsize]) >> {2: U16(9), 4: U32(22), 8: U64(51)}[x.dtype.itemsize]) & 1 == 1
        infinite, nan, zero, denormal = np.isinf(x), np.isnan(x), size == 0, (size < tiny) & (size > 0)
        normal = ~(infinite | nan | zero | denormal)
        classes = [nan & ~quiet, nan & quiet, infinite & negative, normal & negative, denormal & negative, zero & negative,
                   zero & ~negative, denormal & ~negative, normal & ~negative, infinite & ~negative]
        result = np.zeros(np.broadcast(x, wanted).shape, bool)
        for bit, members in enumerate(classes):
            result |= members & ((wanted >> U32(bit)) & U32(1) == 1)
        return result

    # ---- carries, conditions, wide products -------------------------------------------------------

    def op_v_cndmask_b32(self, instruction):
        target, first, second, *condition = instruction.operands
        if instruction.plan is None:
            instruction.plan = (DppPlan(instruction.modifiers, self.lanes) if has_dpp(instruction.modifiers) else None,
                                VectorResult(instruction))
        dpp, result_plan = instruction.plan
        mask, x = self.active, first.read(self, "b32")
        if dpp:
            x, mask = self.through_dpp(dpp, x)
        result = np.where((condition[0] if condition else VCC).mask(self), second.read(self, "b32"), x)
        if result_plan.select != "DWORD":
            result = self.selected_result(result_plan, result)
        self.set_vector(target, result, "b32", mask)

    def op_v_cndmask_b16(self, instruction):
        target, first, second, condition = instruction.operands
        selected = instruction.list("op_sel", [0, 0, 0, 0])
        first.high, second.high = selected[:2]
        result = np.where(condition.mask(self), second.read(self, "b16"), first.read(self, "b16"))
        self.set_vector(target, result, "b16", self.active, selected[3] if "op_sel" in instruction.modifiers else 0)

    def with_carry(self, instruction, sign, reverse=False, takes=False):
        """Sums and differences with a lane mask of carries."""
        target, carry_out, x, y, *carry_in = instruction.operands
        x, y, mask = x.read(self, "u32"), y.read(self, "u32").astype(np.int64), self.active
        if has_dpp(instruction.modifiers):
            instruction.plan = instruction.plan or DppPlan(instruction.modifiers, self.lanes)
            x, mask = self.through_dpp(instruction.plan, x)
        x = x.astype(np.int64)
        x, y = (y, x) if reverse else (x, y)
        carry = (carry_in[0] if carry_in else VCC).mask(self).astype(np.int64) if takes else 0
        total = x + sign * y + sign * carry
        result = (total & 0xFFFFFFFF).astype(U32)
        self.set_mask(carry_out, np.broadcast_to((total < 0) | (total > 0xFFFFFFFF), self.active.shape))
        self.set_vector(target, result, "u32", mask)

    def op_v_add_co_u32(self, instruction):
        self.with_carry(instruction, 1)

    def op_v_sub_co_u32(self, instruction):
        self.with_carry(instruction, -1)

    def op_v_subrev_co_u32(self, instruction):
        self.with_carry(instruction, -1, reverse=True)

    def op_v_addc_co_u32(self, instruction):
        self.with_carry(instruction, 1, takes=True)

    def op_v_subb_co_u32(self, instruction):
        self.with_carry(instruction, -1, takes=True)

    def op_v_subbrev_co_u32(self, instruction):
        self.with_carry(instruction, -1, reverse=True, takes=True)

    def op_v_mad_u64_u32(self, instruction):
        target, carry, x, y, z = instruction.operands
        product, addend = x.read(self, "u32").astype(U64) * y.read(self, "u32").astype(U64), z.read(self, "u64")
        total = product + addend
        self.set_mask(carry, np.broadcast_to(total < addend, self.active.shape))
        self.set_vector(target, total, "u64", self.active)

    def op_v_mad_i64_i32(self, instruction):
        target, carry, x, y, z = instruction.operands
        total = x.read(self, "i32").astype(np.int64) * y.read(self, "i32").astype(np.int64) + z.read(self, "i64")
        self.set_mask(carry, np.zeros(self.active.shape, bool))
        self.set_vector(target, total, "i64", self.active)

    def op_v_div_scale_f32(self, instruction):
        kind = instruction.name[-3:]
        target, carry, value = instruction.operands[:3]
        result = value.read(self, kind)
        self.set_mask(carry, np.zeros(self.active.shape, bool))
        self.set_vector(target, result, kind, self.active)
    op_v_div_scale_f64 = op_v_div_scale_f32

    def op_v_swap_b32(self, instruction):
        first, second = instruction.operands
        x, y = first.word(self).copy(), second.word(self).copy()
        self.set_word(first.kind, first.first, y, self.active)
        self.set_word(second.kind, second.first, x, self.active)

    def op_v_swap_b16(self, instruction):
        """v0.h, v1.l: halves of two registers, or of one."""
        operands = instruction.operands
        halves = [(operand.word(self) >> np.uint32(16 * (operand.half or 0))) & np.uint32(0xFFFF) for operand in operands]
        for operand, new in zip(operands, reversed(halves)):
            shift = np.uint32(16 * (operand.half or 0))
            kept = operand.word(self) & ~(np.uint32(0xFFFF) << shift)
            self.set_word(operand.kind, operand.first, kept | new << shift, self.active)

    def op_v_bitop3_b32(self, instruction):
        """Any function of three bits, by its table."""
        kind, code = instruction.name[-3:], instruction.number("bitop3")
        target, *sources = instruction.operands
        selected = instruction.list("op_sel", [0, 0, 0, 0])
        for operand, high in zip(sources, selected):
            operand.high = high if kind == "b16" else 0
        values = [operand.read(self, kind) for operand in sources]
        result = values[0].dtype.type(0)
        for row in range(8):
            if code >> row & 1:
                term = values[0].dtype.type(np.iinfo(values[0].dtype).max)
                for place, value in enumerate(values):
                    term = term & (value if row >> (2 - place) & 1 else ~value)
                result = result | term
        self.set_vector(target, np.asarray(result), kind, self.active, selected[3] if kind == "b16" and "op_sel" in instruction.modifiers else 0)
    op_v_bitop3_b16 = op_v_bitop3_b32

    def op_v_mbcnt_lo_u32_b32(self, instruction):
        """Ones of the mask below each lane, plus a number."""
        target, mask, addend = instruction.operands
        lane = np.arange(self.lanes)
        count = np.clip(lane - (32 if "_hi_" in instruction.name else 0), 0, 32).astype(U64)
        below = ((U64(1) << count) - U64(1)).astype(U32)
        word = np.broadcast_to(mask.word(self), self.active.shape) & below
        ones = np.unpackbits(np.ascontiguousarray(word)[..., None].view(np.uint8), axis=-1).sum(-1).astype(U32)
        self.set_vector(target, ones + addend.word(self), "u32", self.active)
    op_v_mbcnt_hi_u32_b32 = op_v_mbcnt_lo_u32_b32


class VectorResult:
    """Where SDWA puts a result."""

    def __init__(self, instruction):
        self.target, self.select = instruction.operands[0], instruction.modifiers.get("dst_sel", "DWORD")
        self.unused = instruction.modifiers.get("dst_unused")

