"""Barriers among some of a block's warps: named barriers; and setmaxnreg, which waits for registers."""
import dataclasses

import numpy as np

from .memory import WARP
from .numbers import Fault


@dataclasses.dataclass
class Barrier:
    """One of the block's sixteen barriers, while threads meet at it."""
    expected: int
    arrived: int = 0
    waiting: np.ndarray = None
    clock: tuple = None


class Barriers:
    def start_barriers(self):
        self.named = {}
        entry = self.program.registers_at_entry
        self.registers_of_warps, self.free_registers = np.full(self.threads // WARP, entry), 0
        self.wait_for_registers = ~self.all

    # ---- bar.sync and bar.arrive --------------------------------------------------------------------

    def meet(self, instruction, mask):
        if instruction.one_of("cluster", "red"):
            raise Fault("no such barrier here")
        if instruction.operands in ([], ["0"]) and mask.all():
            return self.clocks.acquire(mask, self.clocks.released(mask))
        numbers = self.get(instruction.operands[0], "u32") if instruction.operands else np.zeros(self.threads, np.uint32)
        expected = self.get(instruction.operands[1], "u32") if len(instruction.operands) > 1 else np.full(self.threads, self.threads)
        for number in np.unique(numbers[mask]).tolist():
            here = mask & (numbers == number)
            self.meet_at(number, expected[here], here, "arrive" not in instruction.modifiers)

    def meet_at(self, number, expected, mask, waits):
        if number > 15 or (expected != expected[0]).any() or expected[0] % WARP or expected[0] == 0:
            raise Fault(f"barrier {number} for {expected[0]} threads")
        barrier = self.named.setdefault(number, Barrier(int(expected[0]), waiting=np.zeros(self.threads, bool)))
        if barrier.expected != expected[0]:
            raise Fault(f"barrier {number} is for {barrier.expected} threads, not {expected[0]}")
        barrier.arrived += int(mask.sum())
        barrier.clock = self.clocks.joined(barrier.clock, self.clocks.released(mask))
        if barrier.arrived > barrier.expected:
            raise Fault(f"{barrier.arrived} threads come to barrier {number}, which is for {barrier.expected}")
        if waits:
            barrier.waiting |= mask
            self.block(mask, f"barrier {number}")
        if barrier.arrived == barrier.expected:
            del self.named[number]
            self.clocks.acquire(barrier.waiting, barrier.clock)
            self.unblock(barrier.waiting)

    # ---- registers of warps -------------------------------------------------------------------------

    def op_setmaxnreg(self, instruction, mask):
        """Warp groups give registers to the block's pool and take some from it. The pool is empty at first."""
        wanted, warps = int(instruction.operands[0]), np.unique(np.flatnonzero(mask) // WARP)
        if not self.program.registers_at_entry:
            raise Fault("registers at entry are unknown without .reqntid and .maxnreg, so ptxas ignores setmaxnreg")
        if wanted % 8 or not 24 <= wanted <= 256:
            raise Fault("no such number of registers")
        if len(warps) % 4 or (warps.reshape(-1, 4) != warps[::4, None] // 4 * 4 + np.arange(4)).any():
            raise Fault("only some warps of a warp group")
        for warp in warps[::4]:
            self.set_registers(slice(warp, warp + 4), wanted, "inc" in instruction.modifiers)

    def set_registers(self, warps, wanted, more):
        has = self.registers_of_warps[warps.start]
        if (wanted < has) if more else (wanted > has):
            raise Fault(f"a warp group has {has} registers already")
        threads = np.zeros(self.threads, bool)
        threads[warps.start * WARP:warps.stop * WARP] = True
        needed = (wanted - has) * 4 * WARP
        if needed > self.free_registers:
            self.place[threads] = self.at
            self.wait_for_registers |= threads
            return self.block(threads, f"{needed} registers, of which {self.free_registers} are free")
        self.registers_of_warps[warps] = wanted
        self.free_registers -= needed
        if needed < 0:
            self.unblock(self.wait_for_registers)
            self.wait_for_registers = ~self.all
