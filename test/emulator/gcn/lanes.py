"""Instructions that move values between the lanes of a wave: DPP, readlane, permutes, swizzles.

A lane that is not active gives nothing: what its readers get instead is each instruction's own matter.
"""
import re

import numpy as np

from ..numbers import Fault

DPP = re.compile(r"(quad_perm|row_\w+|wave_\w+|dpp8|row_newbcast|row_share|row_xmask)$")
NO_LANE = -1


def dpp_sources(modifiers, lanes):
    """The lane that each lane reads; NO_LANE beyond an end."""
    lane = np.arange(lanes)
    row, inside = lane // 16 * 16, lane % 16
    for name, text in modifiers.items():
        if name == "quad_perm":
            return lane // 4 * 4 + np.array([int(n) for n in re.findall(r"\d", text)])[lane % 4]
        if name == "dpp8":
            return lane // 8 * 8 + np.array([int(n) for n in re.findall(r"\d", text)])[lane % 8]
        if name in ("row_mirror", "row_half_mirror"):
            return row + 15 - inside if name == "row_mirror" else lane // 8 * 8 + 7 - lane % 8
        if name not in ("row_shl", "row_shr", "row_ror", "row_bcast", "row_newbcast", "row_share", "row_xmask", "wave_shl", "wave_shr", "wave_ror", "wave_rol"):
            continue
        n = int(text, 0)
        if name == "row_shl":
            return np.where(inside + n < 16, lane + n, NO_LANE)
        if name == "row_shr":
            return np.where(inside >= n, lane - n, NO_LANE)
        if name == "row_bcast":  # the last lane of the row, or of the half, before
            return np.where(lane < 16, NO_LANE, row - 1) if n == 15 else np.where(lane < 32, NO_LANE, 31)
        if name.startswith("wave_"):
            other = lane + 1 if name in ("wave_shl", "wave_rol") else lane - 1
            return other % lanes if name in ("wave_ror", "wave_rol") else np.where((other >= 0) & (other < lanes), other, NO_LANE)
        return {"row_ror": row + (inside - n) % 16, "row_newbcast": row + n, "row_share": row + n, "row_xmask": row + (inside ^ n)}[name]
    return None


class DppPlan:
    def __init__(self, modifiers, lanes):
        self.sources = dpp_sources(modifiers, lanes)
        lane = np.arange(lanes)
        rows, banks = int(modifiers.get("row_mask", "0xf"), 0), int(modifiers.get("bank_mask", "0xf"), 0)
        self.enabled = ((rows >> lane // 16) & 1).astype(bool) & ((banks >> lane % 16 // 4) & 1).astype(bool)
        self.exists = self.sources != NO_LANE
        self.sources = np.maximum(self.sources, 0)
        self.gives_zero = "bound_ctrl" in modifiers
        self.takes_inactive = modifiers.get("fi") == "1"


def has_dpp(modifiers):
    return any(DPP.match(name) and name != "row_mask" for name in modifiers)


class Lanes:
    def through_dpp(self, plan, value):
        """(what each lane reads, lanes that are written)."""
        value = np.broadcast_to(value, (self.num_rows, self.lanes))
        moved = value[:, plan.sources]
        valid = plan.exists if plan.takes_inactive else plan.exists & self.active[:, plan.sources]
        written = self.active & plan.enabled
        if plan.gives_zero:
            return np.where(valid, moved, moved.dtype.type(0)), written
        return moved, written & valid

    # ---- lanes and scalars ------------------------------------------------------------------------

    def op_v_readfirstlane_b32(self, instruction):
        value = np.broadcast_to(instruction.operands[1].word(self), (self.num_rows, self.lanes))
        self.set_scalar(instruction.operands[0], value[np.arange(self.num_rows), self.active.argmax(1)])

    def op_v_readlane_b32(self, instruction):
        value = np.broadcast_to(instruction.operands[1].word(self), (self.num_rows, self.lanes))
        lane = instruction.operands[2].scalar(self).astype(np.int64) % self.lanes
        self.set_scalar(instruction.operands[0], value[np.arange(self.num_rows), lane])

    def op_v_writelane_b32(self, instruction):
        target, value, lane = instruction.operands
        mask = np.arange(self.lanes) == (lane.scalar(self).astype(np.int64) % self.lanes)[:, None]
        self.set_word(target.kind, target.first, value.word(self), mask)

    # ---- permutes through LDS hardware: lanes that are not active give 0 ----------------------------

    def set_moved(self, instruction, value, sources):
        """`sources`: [lane] or [wave, lane]."""
        sources = np.broadcast_to(sources, (self.num_rows, self.lanes))
        wave = np.arange(self.num_rows)[:, None]
        moved = np.where(self.active[wave, sources], np.broadcast_to(value, sources.shape)[wave, sources], np.uint32(0))
        target = instruction.operands[0]
        self.set_word(target.kind, target.first, moved, None if self.is_full else self.active)
        self.issue("lds", registers=[(target.kind, target.first)])

    def op_ds_bpermute_b32(self, instruction):
        _, address, value = instruction.operands
        sources = (address.word(self).astype(np.int64) + instruction.number("offset")) // 4 % self.lanes
        self.set_moved(instruction, value.word(self), sources)

    def op_ds_permute_b32(self, instruction):
        target, address, value = instruction.operands
        places = (np.broadcast_to(address.word(self), self.active.shape).astype(np.int64) + instruction.number("offset")) // 4 % self.lanes
        value, moved = np.broadcast_to(value.word(self), self.active.shape), np.zeros(self.active.shape, np.uint32)
        for lane in range(self.lanes):  # the highest lane wins
            rows = np.flatnonzero(self.active[:, lane])
            moved[rows, places[rows, lane]] = value[rows, lane]
        self.set_word(target.kind, target.first, moved, None if self.is_full else self.active)
        self.issue("lds", registers=[(target.kind, target.first)])

    def op_ds_swizzle_b32(self, instruction):
        if instruction.plan is None:
            instruction.plan = self.swizzled(instruction.modifiers.get("offset", "0"))
        self.set_moved(instruction, instruction.operands[1].word(self), instruction.plan)

    def swizzled(self, text):
        lane = np.arange(self.lanes)
        swap = re.match(r"swizzle\(SWAP,\s*(\d+)\)", text)
        reverse = re.match(r"swizzle\(REVERSE,\s*(\d+)\)", text)
        broadcast = re.match(r"swizzle\(BROADCAST,\s*(\d+),\s*(\d+)\)", text)
        masks = re.match(r'swizzle\(BITMASK_PERM,\s*"(\w{5})"\)', text)
        quad = re.match(r"swizzle\(QUAD_PERM,\s*(\d),\s*(\d),\s*(\d),\s*(\d)\)", text)
        if swap:
            return lane ^ int(swap.group(1))
        if reverse:
            size = int(reverse.group(1))
            return lane // size * size + size - 1 - lane % size
        if broadcast:
            size, which = map(int, broadcast.groups())
            return lane // size * size + which
        if quad:
            return lane // 4 * 4 + np.array([int(n) for n in quad.groups()])[lane % 4]
        if masks:
            kept = int("".join("1" if c in "pi" else "0" for c in masks.group(1)), 2)
            ones, flips = (int("".join("1" if c == wanted else "0" for c in masks.group(1)), 2) for wanted in "1i")
        elif re.fullmatch(r"0x[0-9a-f]+|\d+", text):
            code = int(text, 0)
            if code & 0x8000:
                return lane // 4 * 4 + np.array([code >> 2 * i & 3 for i in range(4)])[lane % 4]
            kept, ones, flips = code & 31, code >> 5 & 31, code >> 10 & 31
        else:
            raise Fault(f"no such swizzle here: {text}")
        return lane // 32 * 32 + ((lane % 32 & kept | ones) ^ flips)

    # ---- permutes of rows -------------------------------------------------------------------------

    def op_v_permlane16_b32(self, instruction):
        target, value, low, high = instruction.operands
        picks = low.word(self).astype(np.uint64) | high.word(self).astype(np.uint64) << np.uint64(32)
        lane = np.arange(self.lanes)
        inside = (picks >> (lane % 16 * 4).astype(np.uint64) & np.uint64(15)).astype(np.int64)
        row = lane // 16 ^ (1 if "permlanex16" in instruction.name else 0)
        sources = np.broadcast_to(row * 16 + inside, self.active.shape)
        fetch_inactive, bound = instruction.list("op_sel", [0, 0])[:2]
        wave = np.arange(self.num_rows)[:, None]
        moved = np.broadcast_to(value.word(self), sources.shape)[wave, sources]
        valid = self.active[wave, sources] | bool(fetch_inactive)
        written = self.active if bound else self.active & valid
        self.set_word(target.kind, target.first, np.where(valid, moved, np.uint32(0)), written)
    op_v_permlanex16_b32 = op_v_permlane16_b32

    def op_v_permlane64_b32(self, instruction):
        target, value = instruction.operands
        self.set_word(target.kind, target.first, np.roll(np.broadcast_to(value.word(self), self.active.shape), 32, 1), self.active)

    def swap_rows(self, instruction, size):
        """The odd groups of `size` lanes of the first register change places with the even ones of the second."""
        first, second = instruction.operands
        x, y = (operand.word(self).copy().reshape(self.num_rows, -1, 2, size) for operand in (first, second))
        new_first, new_second = x.copy(), y.copy()
        new_first[:, :, 1], new_second[:, :, 0] = y[:, :, 0], x[:, :, 1]
        for operand, value in ((first, new_first), (second, new_second)):
            self.set_word(operand.kind, operand.first, value.reshape(self.num_rows, self.lanes), self.active)

    def op_v_permlane16_swap_b32(self, instruction):
        self.swap_rows(instruction, 16)

    def op_v_permlane32_swap_b32(self, instruction):
        self.swap_rows(instruction, 32)
