"""One thread block: its registers, its way through the program, its accesses to memory.

A register is an array of unsigned integers, one per thread (of bools: a predicate). While all threads are at one place
they execute it together; after a branch that divides them, those with the lowest place go first until they meet again.
Lanes that reach an instruction of the whole warp (shfl.sync) before the others wait for them, as on the chip.
A method `op_name(instruction, mask)` executes an instruction for the threads of the mask.
"""
import re

import numpy as np

from .arithmetic import Arithmetic
from .convert import Conversions
from .copies import Copies
from .matrices import Matrices
from .memory import WARP, SharedMemory
from .numbers import SIGNED, TYPE, UNSIGNED, Fault, bf16_to_f32, bits_of, f32_to_bf16, numpy_type
from .program import names_in
from .warps import Warps

LOCAL = 0x10000000  # where each thread's own memory begins
MOST_STEPS = 4_000_000
WARP_WIDE = {**dict.fromkeys(("shfl", "redux", "vote", "ldmatrix", "stmatrix", "mma"), WARP), "wgmma": 4 * WARP, "setmaxnreg": 4 * WARP}


def threads_together(instruction):
    """How many threads execute it together; None for one."""
    if instruction.name in ("bar", "barrier") and "warp" in instruction.modifiers:
        return WARP if instruction.operands[0].lower() in ("-1", "0xffffffff", "4294967295") else None
    if instruction.name == "tensormap" and "cp_fenceproxy" in instruction.modifiers:
        return WARP
    return WARP_WIDE.get(instruction.name)


class Block(Arithmetic, Conversions, Warps, Matrices, Copies):
    def __init__(self, program, place, grid, arguments, shared_bytes, memory, symbols, seed=0):
        self.program, self.memory, self.threads = program, memory, program.threads * program.cluster_size
        self.all = np.ones(self.threads, bool)
        self.thread = np.arange(self.threads, dtype=np.uint32)
        self.arguments = dict(zip(program.parameters, arguments))
        self.registers = self.special_registers(place, grid)
        self.shared = SharedMemory(shared_bytes, self.threads)
        self.local = np.zeros((self.threads, program.local_bytes), np.uint8)
        self.symbols = {"global_smem": 0, "WARP_SZ": WARP, "__local_depot0": LOCAL, **symbols}
        self.random = np.random.default_rng([seed, *place])
        self.place, self.active = np.zeros(self.threads, np.int64), self.all
        self.waiting, self.done = ~self.all, ~self.all
        self.early = ~self.all  # lanes that wait for the others of their warp
        self.start_copies()

    def special_registers(self, place, grid):
        """The place is that of the cluster's first block; threads of a block follow each other."""
        own, cluster = np.uint32(self.program.threads), self.program.cluster
        rank = self.thread // own
        values = {"%laneid": self.thread % np.uint32(WARP), "%tid.x": self.thread % own, "%cluster_ctarank": rank,
                  "%cluster_nctarank": np.full(self.threads, self.program.cluster_size, np.uint32)}
        for axis, letter in enumerate("xyz"):
            inside = rank % np.uint32(cluster[axis])
            rank = rank // np.uint32(cluster[axis])
            numbers = {"nctaid": grid[axis], "ntid": self.program.threads if axis == 0 else 1, "cluster_nctaid": cluster[axis],
                       "clusterid": place[axis] // cluster[axis], "nclusterid": -(-grid[axis] // cluster[axis])}
            values |= {f"%{name}.{letter}": np.full(self.threads, number, np.uint32) for name, number in numbers.items()}
            values[f"%ctaid.{letter}"] = np.uint32(place[axis]) + inside
            values[f"%cluster_ctaid.{letter}"] = inside
            values.setdefault(f"%tid.{letter}", np.zeros(self.threads, np.uint32))
        return values

    # ---- registers --------------------------------------------------------------------------------

    def types(self, instruction):
        return [word for word in instruction.modifiers if TYPE.fullmatch(word)]

    def get(self, name, kind):
        """An operand's values, as the type."""
        if name.startswith("!"):
            return ~self.get(name[1:], kind)
        if kind == "pred":
            return self.all if name in ("1", "-1") else ~self.all if name == "0" else self.registers.get(name, self.all)
        if name in self.registers:
            return self.as_type(self.registers[name], kind)
        if name[0] == "%":  # poison, or of another path: LLVM selects it away
            return self.as_type(np.full(self.threads, 0x5A5A5A5A, np.uint32), kind)
        return self.as_type(np.full(self.threads, self.constant(name), np.uint64), kind)

    def constant(self, text):
        if re.match(r"0[fFdD][0-9a-fA-F]+$", text):
            return int(text[2:], 16)
        name, _, offset = text.partition("+")
        if name in self.symbols:
            return self.symbols[name] + int(offset or 0)
        return int(text.rstrip("U"), 0) & ((1 << 64) - 1)

    @staticmethod
    def as_type(raw, kind):
        raw = raw.astype(np.uint32) if raw.dtype == bool else raw
        bits = bits_of(kind)
        raw = raw if raw.dtype.itemsize * 8 == bits else raw.astype(UNSIGNED[bits])
        return raw if kind.endswith("16x2") or kind == "bf16" else raw.view(numpy_type(kind))

    def set(self, name, value, mask):
        if name == "_":
            return
        value = np.broadcast_to(value, self.threads)
        if value.dtype != bool and value.dtype.kind != "u":
            value = np.ascontiguousarray(value).view(UNSIGNED[value.dtype.itemsize * 8])
        before = self.registers.get(name)
        if mask is self.all or before is None:
            self.registers[name] = np.array(value)
        else:
            self.registers[name] = np.where(mask, value, before.astype(value.dtype))

    def widened(self, raw, kind, name):
        """A small integer as it lies in the register `name`."""
        bits = bits_of(kind)
        width = self.program.width(name) or max(16, bits)
        if width <= bits:
            return raw
        return raw.view(SIGNED[bits]).astype(SIGNED[width]) if kind[0] == "s" else raw.astype(UNSIGNED[width])

    # ---- the way through the program --------------------------------------------------------------

    def run(self):
        for _ in range(MOST_STEPS):
            running = ~(self.waiting | self.done)
            if running.any():
                going = running & ~self.early
                self.step(going if going.any() else running, running, going.any())
            elif self.done.all():
                return
            else:
                self.waiting[:] = False
                self.shared.block_barrier()
        raise Fault("it does not end")

    def step(self, going, running, together=True):
        """One instruction: at the lowest place of `going`, for all of `running` that are there. `together`: those who
        reach an instruction of a whole warp wait for its other lanes."""
        at = self.at = int(self.place[going].min())
        mask = running & (self.place == at)
        if at == len(self.program.code):
            self.done |= mask
            return
        instruction = self.program.code[at]
        size = threads_together(instruction)
        if size and together and (parts := self.lanes_of_parts(mask, size)).any():
            self.early |= parts
            mask = mask & ~parts
            if not mask.any():
                return
        self.early &= ~mask
        active = self.active = mask
        if instruction.predicate:
            active = self.active = mask & (self.get(instruction.predicate, "pred") ^ instruction.negated)
        self.place[mask] += 1
        if instruction.name == "bra":
            self.place[active] = self.program.labels[instruction.operands[0]]
        elif instruction.name in ("ret", "exit"):
            self.done |= active
        elif active.any():
            self.execute(instruction, self.all if active.all() else active)

    def execute(self, instruction, mask):
        if instruction.name in ("bar", "barrier") and "warp" not in instruction.modifiers:
            method = self.meet
        else:
            method = getattr(self, "op_" + instruction.name, None)
        if method is None:
            raise Fault(f"no such instruction here: {instruction.text}")
        self.shared.line = instruction.line
        try:
            method(instruction, mask)
        except Exception as problem:
            raise Fault(f"{problem} in line {instruction.line}: {instruction.text}") from problem

    def meet(self, _, mask):
        """The block's barrier."""
        self.waiting |= mask

    # ---- loads and stores -------------------------------------------------------------------------

    def address(self, operand):
        base, offset = re.fullmatch(r"\[\s*([%\w$.]+?)\s*(?:\+\s*(-?\d+))?\s*\]", operand).groups()
        return self.get(base, "u64") + np.uint64(int(offset or 0) & ((1 << 64) - 1))

    @staticmethod
    def space(instruction):
        shared = any(word.startswith("shared") for word in instruction.modifiers)
        return "shared" if shared else instruction.one_of("param", "local") or "global"

    def is_local(self, space, addresses):
        end = LOCAL + self.local.shape[1]
        return space == "local" or (space == "global" and len(addresses) > 0 and LOCAL <= int(addresses[0]) < end)

    def load(self, space, addresses, size, mask):
        """`size` bytes of each thread; zeros in those that are not in the mask."""
        result, threads = np.zeros((self.threads, size), np.uint8), np.flatnonzero(mask)
        addresses = self.aligned(addresses[threads], size)
        if self.is_local(space, addresses):
            offsets = (addresses - np.uint64(LOCAL)).astype(np.int64)
            result[threads] = self.local[threads[:, None], offsets[:, None] + np.arange(size)]
        elif space == "shared":
            result[threads] = self.shared.load(addresses, size, threads)
        else:
            result[threads] = self.memory.load(addresses, size)
        return result

    def store(self, space, addresses, data, mask):
        threads = np.flatnonzero(mask)
        addresses, data = self.aligned(addresses[threads], data.shape[1]), data[threads]
        if self.is_local(space, addresses):
            offsets = (addresses - np.uint64(LOCAL)).astype(np.int64)
            self.local[threads[:, None], offsets[:, None] + np.arange(data.shape[1])] = data
        elif space == "shared":
            self.shared.store(addresses, data, threads)
        else:
            self.memory.store(addresses, data)

    @staticmethod
    def aligned(addresses, size):
        if (addresses % np.uint64(size)).any():
            raise Fault(f"an address is not a multiple of {size}")
        return addresses

    def op_ld(self, instruction, mask):
        kind = self.types(instruction)[-1]
        bits, names = bits_of(kind), names_in(instruction.operands[0])
        if self.space(instruction) == "param":
            value = self.arguments[instruction.operands[1].strip("[] ")] & ((1 << bits) - 1)
            values = [np.full(self.threads, value, UNSIGNED[bits])]
        else:
            data = self.load(self.space(instruction), self.address(instruction.operands[1]), bits // 8 * len(names), mask)
            values = data.view(UNSIGNED[bits]).T
        for name, value in zip(names, values):
            self.set(name, self.widened(np.ascontiguousarray(value), kind, name), mask)

    def op_st(self, instruction, mask):
        bits = bits_of(self.types(instruction)[-1])
        values = np.stack([self.get(name, f"u{bits}") for name in names_in(instruction.operands[1])], 1)
        self.store(self.space(instruction), self.address(instruction.operands[0]), values.view(np.uint8), mask)

    # ---- atomic updates, thread by thread ---------------------------------------------------------

    def op_atom(self, instruction, mask):
        kind = self.types(instruction)[-1]
        update = instruction.one_of("add", "min", "max", "and", "or", "xor", "exch", "cas")
        operands = instruction.operands if instruction.name == "red" else instruction.operands[1:]
        bits, addresses = bits_of(kind), self.address(operands[0])
        sources = [[self.get(name, f"u{bits}") for name in names_in(operand)] for operand in operands[1:]]
        before = [np.zeros(self.threads, UNSIGNED[bits]) for _ in sources[0]]
        for thread in np.flatnonzero(mask).tolist():
            for element, old in enumerate(before):
                cell = self.cell(self.space(instruction), int(addresses[thread]) + element * bits // 8, bits // 8, thread)
                cell = cell.view(UNSIGNED[bits])
                old[thread] = cell[0]
                cell[0] = self.updated(update, kind, cell[:1].copy(), *(source[element][thread:thread + 1] for source in sources))[0]
        if instruction.name != "red":
            for name, old in zip(names_in(instruction.operands[0]), before):
                self.set(name, old, mask)
    op_red = op_atom

    def cell(self, space, address, size, thread):
        if space == "shared":
            return self.shared.cell(address, size, thread)
        begin, data = self.memory.find(address, address + size)
        return data[address - begin:address - begin + size]

    @staticmethod
    def updated(update, kind, old, value, desired=None):
        """Arrays of one element, unsigned, also the result."""
        if update in ("exch", "and", "or", "xor"):
            return {"exch": value, "and": old & value, "or": old | value, "xor": old ^ value}[update]
        if update == "cas":
            return desired if old[0] == value[0] else old
        if kind in ("f16x2", "bf16x2", "bf16"):
            halves = [x.view(np.uint16) for x in (old, value)]
            if kind == "f16x2":
                return (halves[0].view(np.float16) + halves[1].view(np.float16)).view(old.dtype)
            return f32_to_bf16(bf16_to_f32(halves[0]) + bf16_to_f32(halves[1])).view(old.dtype)
        x, y = (raw.view(numpy_type(kind)) for raw in (old, value))
        return {"add": np.add, "min": np.minimum, "max": np.maximum}[update](x, y).view(old.dtype)
