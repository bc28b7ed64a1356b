"""The order in which a block's warps run, where they wait for each other: each warp runs until it blocks or its turn is
over. The seed decides who is next and for how long. Warps that are at the same place take a turn together, which is
faster; some seeds let warp groups run apart.

A thread is running, blocked (on a barrier, an mbarrier, registers) or done. If nobody can run and nothing is under way
that could wake somebody, the block is dead: each warp's line and what it waits for are reported.
"""
import numpy as np

from .block import MOST_STEPS
from .memory import WARP
from .numbers import Fault

MOST_IDLE = 2000  # turns in which warps only ask for something that does not come


class Schedule:
    def start_schedule(self, seed):
        self.apart = seed % 3 == 2
        self.longest_turn = MOST_STEPS if seed % 3 == 0 else 60
        self.reasons = {}  # of a blocked warp: what it waits for, and its place
        self.idle, self.yielding = 0, False

    def run(self):
        steps = 0
        while not self.done.all():
            going = self.who_is_next()
            self.yielding, left = False, int(self.random.integers(1, self.longest_turn)) if self.longest_turn < MOST_STEPS else MOST_STEPS
            while left > 0 and not self.yielding:
                able = ~(self.waiting | self.done)
                focus = going & able & ~self.early
                if not focus.any():
                    break
                self.step(focus, (going | self.early) & able)
                steps, left = steps + 1, left - 1
            if steps > MOST_STEPS:
                raise Fault("it does not end")
        self.check_end()

    def who_is_next(self):
        """The threads of the next turn."""
        self.something_arrives(False)
        while not (able := ~(self.waiting | self.done | self.early)).any() or self.idle > MOST_IDLE:
            if not self.something_arrives(True):
                raise Fault(self.deadlock())
            self.idle = 0
        warps = np.flatnonzero(self.of_warps(able).any(1))
        places = np.where(self.of_warps(able), self.of_warps(self.place), np.iinfo(np.int64).max).min(1)
        chosen = self.random.choice(warps)
        here = places == places[chosen]
        if self.apart:
            here &= np.arange(len(here)) // 4 == chosen // 4
        return np.repeat(here, WARP)[:self.threads]

    def of_warps(self, values):
        return values.reshape(-1, WARP)

    def block(self, mask, why):
        self.waiting |= mask
        for warp in np.unique(np.flatnonzero(mask) // WARP):
            self.reasons[int(warp)] = why, self.at

    def unblock(self, mask):
        self.waiting &= ~mask
        self.progress()

    def progress(self):
        self.idle = 0

    def give_way(self):
        """A warp that asked in vain lets others run."""
        self.yielding = True
        self.idle += 1

    def deadlock(self):
        lines = ["deadlock"]
        for warp in range(self.threads // WARP):
            lanes = slice(warp * WARP, (warp + 1) * WARP)
            left = ~self.done[lanes]
            if left.any():
                why, place = "a phase", int(self.place[lanes][left].min())
                if self.waiting[lanes].any():
                    why, place = self.reasons[warp]
                elif self.early[lanes].any():
                    why = "the rest of its warp or warp group"
                instruction = self.program.code[min(place, len(self.program.code) - 1)]
                lines.append(f"warp {warp}, line {instruction.line}, waits for {why}: {instruction.text}")
        return "\n  ".join(lines)
