"""Atomic updates of global memory, buffers and LDS, lane by lane. Without `glc` or `sc0` they return nothing."""
import re

import numpy as np

from ..numbers import Fault, bf16_to_f32, f32_to_bf16
from .program import RETURNS

NAME = re.compile(r"(?:(?:global|flat|buffer)_atomic|ds)_(\w+)")
KINDS = {"swap": "u", "cmpswap": "u", "add": "u", "sub": "u", "smin": "i", "smax": "i", "umin": "u", "umax": "u", "and": "u", "or": "u", "xor": "u"}


def parse_atomic(name):
    """(operation, kind such as "u32", whether its name says that it returns the old value)."""
    rest = NAME.fullmatch(name).group(1)
    returns = "_rtn" in rest
    rest = rest.replace("_rtn", "").replace("cmpst", "cmpswap").replace("cmpstore", "cmpswap").replace("wrxchg", "swap").replace("storexchg", "swap")
    rest = rest.replace("_num_", "_").replace("coop_", "")
    wide = rest.endswith("_x2")
    rest = rest.removesuffix("_x2")
    packed = re.fullmatch(r"pk_add(?:_rtn)?_(b?f16)", rest)
    if packed:
        return "add", packed.group(1) + "x2", returns
    typed = re.fullmatch(r"(\w+?)_([biuf]\d+)", rest)
    if typed:
        return typed.group(1), typed.group(2).replace("b", "u"), returns
    return rest, f"{KINDS.get(rest, 'u')}{64 if wide else 32}", returns


def updated(operation, kind, old, value, desired):
    """Arrays of one element, unsigned, also the result."""
    if operation in ("swap", "and", "or", "xor"):
        return {"swap": value, "and": old & value, "or": old | value, "xor": old ^ value}[operation]
    if operation == "cmpswap":
        return desired if old[0] == value[0] else old
    if kind.endswith("x2"):
        halves = [x.view(np.uint16) for x in (old, value)]
        if kind == "f16x2":
            return (halves[0].view(np.float16) + halves[1].view(np.float16)).view(old.dtype)
        return f32_to_bf16(bf16_to_f32(halves[0]) + bf16_to_f32(halves[1])).view(old.dtype)
    dtype = np.dtype(kind[0] + str(old.dtype.itemsize))
    x, y = old.view(dtype), value.view(dtype)
    functions = {"add": np.add, "sub": np.subtract, "min": np.fmin if dtype.kind == "f" else np.minimum, "max": np.fmax if dtype.kind == "f" else np.maximum}
    name = operation[1:] if operation in ("smin", "smax", "umin", "umax") else operation
    if name not in functions:
        raise Fault(f"no such atomic operation here: {operation}")
    return functions[name](x, y).view(old.dtype)


class Atomics:
    def update(self, instruction, cells, source, target, threads, counters):
        """`cells`: the bytes of each active lane, or None for a lane that does nothing."""
        operation, kind, _ = instruction.plan
        words = 2 if kind.endswith("64") else 1
        dtype, swaps = np.uint64 if words == 2 else np.uint32, operation == "cmpswap"
        data = np.ascontiguousarray(source.words(self, words * (2 if swaps else 1))[self.active])
        values = data.view(dtype)
        old = np.zeros((len(threads), 1), dtype)
        for lane, cell in enumerate(cells):
            if cell is None:
                continue
            cell = cell.view(dtype)
            old[lane] = cell[0]
            # cmpswap has the new value first, then the one to compare with.
            value, desired = (values[lane, 1:2], values[lane, :1]) if swaps else (values[lane, :1], None)
            cell[0] = updated(operation, kind, cell[:1].copy(), value, desired)[0]
        if target is None:
            self.issue(*counters)
        else:
            self.set_loaded(target, old.view(np.uint8), threads, "b32", None, *counters)

    @staticmethod
    def returns(instruction):
        return RETURNS.search(instruction.text) is not None

    def global_cell(self, address, size):
        begin, data = self.memory.find_word(address, address + size)
        return data[address - begin:address - begin + size]

    def op_global_atomic(self, instruction):
        if instruction.plan is None:
            instruction.plan = parse_atomic(instruction.name)
        returns = self.returns(instruction)
        target, (address, source, *base) = (instruction.operands[0], instruction.operands[1:]) if returns else (None, instruction.operands)
        addresses = self.global_addresses(address, base[0] if base else None, instruction)
        size = 8 if instruction.plan[1].endswith("64") else 4
        if (addresses % np.uint64(size)).any():
            raise Fault(f"an address is not a multiple of {size}")
        cells = [self.global_cell(int(where), size) for where in addresses.tolist()]
        flat = ["lds"] if instruction.name.startswith("flat") else []
        self.update(instruction, cells, source, target, self.threads[self.rows][self.active], ["load" if returns else "store", *flat])

    def op_buffer_atomic(self, instruction):
        if instruction.plan is None:
            instruction.plan = parse_atomic(instruction.name)
        source, *places = instruction.operands
        base, offset, limit = self.buffer_places(instruction, places)
        size = 8 if instruction.plan[1].endswith("64") else 4
        inside = offset + np.uint64(size) <= limit
        cells = [self.global_cell(int(where), size) if valid else None for where, valid in zip((base + offset).tolist(), inside.tolist())]
        returns = self.returns(instruction)
        self.update(instruction, cells, source, source if returns else None, self.threads[self.rows][self.active], ["load" if returns else "store"])

    def op_ds_atomic(self, instruction):
        if instruction.plan is None:
            instruction.plan = parse_atomic(instruction.name)
        operation, kind, returns = instruction.plan
        target, (address, source, *more) = (instruction.operands[0], instruction.operands[1:]) if returns else (None, instruction.operands)
        if more and operation == "cmpswap":
            raise Fault(f"no such instruction here: {instruction.text}")
        size = 8 if kind.endswith("64") else 4
        addresses, threads = self.ds_addresses(address, instruction.number("offset"), size)
        self.shared.issue_times = self.issued[self.chip.counter_of["lds"]]
        cells = [self.shared.cell(int(where), size, int(thread)) for where, thread in zip(addresses, threads)]
        self.update(instruction, cells, source, target, threads, ["lds"])
