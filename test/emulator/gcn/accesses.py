"""Loads and stores of global, flat and private (scratch) memory, and what all accesses share."""
import re

import numpy as np

from ..numbers import Fault

# Bytes of an access by the last part of its name, and how it fills a register.
WIDTHS = {"ubyte": "u8", "sbyte": "i8", "byte": "b8", "ushort": "u16", "sshort": "i16", "short": "b16", "dword": "b32", "dwordx2": "b64",
          "dwordx3": "b96", "dwordx4": "b128", **{name: name for name in ("u8", "i8", "b8", "u16", "i16", "b16", "b32", "b64", "b96", "b128")}}
NAME = re.compile(r"(global|flat|scratch|buffer)_(load|store)_(lds_)?(?:(d16)_(hi_)?)?(u?byte|sbyte|u?short|sshort|dword(?:x[234])?|[uib]\d+)(?:_(d16)(_hi)?)?")


def parse_access(instruction):
    """(space, whether it loads, kind such as "u16", half of the register or None)."""
    found = NAME.fullmatch(instruction.name)
    if not found:
        raise Fault(f"no such instruction here: {instruction.text}")
    space, what, _, before, high_before, width, after, high_after = found.groups()
    half = ("_d16_hi" if high_before or high_after else "_d16") if before or after else None
    return space, what == "load", WIDTHS[width], half


def size_of(kind):
    return int(kind[1:]) // 8


class Accesses:
    # ---- what all accesses share ------------------------------------------------------------------

    def set_loaded(self, target, data, threads, kind, half, *counters):
        """`data`: bytes of each thread; they reach the target's registers when the wave has waited."""
        data = self.widened(data, kind)
        waves, lanes = threads // self.lanes, threads % self.lanes
        words = np.ascontiguousarray(data).view(np.uint32)
        registers = [(target.kind, target.first + index) for index in range(words.shape[1])]
        if half is None and target.half is not None:
            half = "_d16_hi" if target.half else "_d16"
        for index, register in enumerate(registers):
            whole, word = self.whole_register(*register), words[:, index]
            if half:
                old = whole[waves, lanes]
                word = old & np.uint32(0xFFFF) | word << np.uint32(16) if half == "_d16_hi" else old & np.uint32(0xFFFF0000) | word & np.uint32(0xFFFF)
            whole[waves, lanes] = word
        self.issue(*counters, registers=registers, ordered=len(counters) == 1)

    @staticmethod
    def widened(data, kind):
        """Small values fill a register."""
        if data.shape[1] >= 4:
            return data
        wide = np.zeros((len(data), 4), np.uint8)
        wide[:, :data.shape[1]] = data
        if kind[0] == "i":
            wide[:, data.shape[1]:] = np.where(data[:, -1:] & 0x80, 0xFF, 0).astype(np.uint8)
        return wide

    def stored_bytes(self, source, size, half):
        """The bytes of the active lanes."""
        words = np.ascontiguousarray(source.words(self, max(1, size // 4))[self.active]).view(np.uint8)
        begin = 2 if half == "_d16_hi" or source.half else 0
        return words[:, begin:begin + size]

    # ---- global, flat and scratch -----------------------------------------------------------------

    def op_global(self, instruction):
        if instruction.plan is None:
            instruction.plan = parse_access(instruction)
        space, loads, kind, half = instruction.plan
        if "_lds_" in instruction.name:
            return self.load_to_lds(instruction, self.global_addresses(instruction.operands[0], instruction.operands[1], instruction), kind)
        threads = self.threads[self.rows][self.active]
        operands = instruction.operands
        if space == "scratch":
            return self.scratch_access(instruction, loads, kind, half, threads)
        if loads:
            target, address, base = (*operands, None)[:3]
        else:
            address, source, base = (*operands, None)[:3]
        addresses = self.aligned(self.global_addresses(address, base, instruction), kind)
        counters = ("load" if loads else "store", *(["lds"] if space == "flat" else []))
        if loads:
            return self.set_loaded(target, self.memory.load(addresses, size_of(kind), self.memory.find_word), threads, kind, half, *counters)
        self.memory.store(addresses, self.stored_bytes(source, size_of(kind), half))
        self.issue(*counters, ordered=space != "flat")

    def global_addresses(self, address, base, instruction):
        """Of the active lanes. A scalar base goes with a 32-bit offset of each lane."""
        offset = np.uint64(instruction.number("offset") & ((1 << 64) - 1))
        if base is None or base.kind == "off":
            values = address.read(self, "u64") + offset
        elif address.kind == "off":
            values = base.read(self, "u64") + offset
        else:
            values = base.read(self, "u64") + address.read(self, "u32").astype(np.uint64) + offset
        return np.broadcast_to(values, self.active.shape)[self.active]

    @staticmethod
    def aligned(addresses, kind):
        # LLVM joins loads of two bytes: global memory takes any address in HSA's mode. Wider accesses are the compiler's own choice.
        unit = min(size_of(kind), 4) if size_of(kind) > 2 else 1
        if (addresses % np.uint64(unit)).any():
            raise Fault(f"an address is not a multiple of {unit}")
        return addresses

    def scratch_access(self, instruction, loads, kind, half, threads):
        """Two address operands, a lane's and a scalar one: either may be `off`."""
        operands = instruction.operands
        target, *parts = operands if loads else [operands[1], operands[0], *operands[2:]]
        offsets = np.zeros(self.active.shape, np.int64) + instruction.number("offset")
        for part in parts:
            if part.kind != "off":
                offsets = offsets + part.read(self, "i32")
        self.private(target, offsets[self.active], loads, kind, half, threads)

    def private(self, target, offsets, loads, kind, half, threads):
        size = size_of(kind)
        if len(offsets) and (offsets.min() < 0 or offsets.max() + size > self.scratch.shape[1]):
            raise Fault(f"private memory out of bounds: {int(offsets.max())} of {self.scratch.shape[1]}")
        where = (threads[:, None], offsets[:, None] + np.arange(size))
        if loads:
            return self.set_loaded(target, self.scratch[where], threads, kind, half, "load")
        self.scratch[where] = self.stored_bytes(target, size, half)
        self.issue("store")

    # ---- from global memory to LDS: lane i of a wave writes at M0 + i * size ------------------------

    def load_to_lds(self, instruction, addresses, kind, valid=None):
        size, threads = size_of(kind), self.threads[self.rows][self.active]
        data = np.zeros((len(threads), size), np.uint8)
        inside = np.full(len(threads), True) if valid is None else valid
        data[inside] = self.memory.load(self.aligned(addresses[inside], kind), size)
        self.issue("load")
        base = np.broadcast_to(self.register("s", 124), self.active.shape)[self.active].astype(np.int64)
        places = base + instruction.number("offset") * 0 + threads % self.lanes * max(size, 4)
        for wave in np.unique(threads // self.lanes).tolist():
            of_wave = threads // self.lanes == wave
            self.copy_later(wave, places[of_wave], data[of_wave], threads[of_wave])

    def copy_later(self, wave, addresses, data, threads):
        places = self.shared.begin_copy(addresses, data.shape[1], threads)
        self.when_finished("load", wave, lambda: self.shared.end_copy(places, data, threads))
