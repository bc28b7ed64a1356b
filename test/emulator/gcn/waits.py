"""Counters of memory instructions under way: what a wave may not touch before its s_waitcnt.

A load's registers are *flying* from its issue until the wave has waited for it; whoever reads or writes them earlier is told.
Instructions that share a counter finish in the order of their issue. Scalar loads and flat accesses do not: while one of
them is under way, only a wait for 0 says anything. What happens at the end of an instruction (bytes that arrive in LDS) is an
`arrival`, called when its wave has waited.
"""
import re

import numpy as np

from ..numbers import Fault

COUNTERS = ("vmcnt", "vscnt", "lgkmcnt", "loadcnt", "storecnt", "dscnt", "kmcnt")
# A counter has 6 bits (kmcnt 5, lgkmcnt of gfx9 4). A wave does not issue an instruction that would overflow it until an earlier one
# has finished; LLVM relies on that.
MOST = {"kmcnt": 31}


class Waits:
    def start_waits(self):
        self.issued = {name: np.zeros(self.waves, np.int64) for name in COUNTERS}
        self.finished = {name: np.zeros(self.waves, np.int64) for name in COUNTERS}
        self.unordered = {name: np.zeros(self.waves, np.int64) for name in COUNTERS}  # the last that finishes in any order
        self.flying = {}  # (kind, register) -> [(counter, when it was issued, by wave; 0: not)]
        self.arrivals = []  # (counter, wave, when it was issued, what to do)

    def issue(self, *kinds, registers=(), ordered=True):
        """An instruction of the kinds (chips.py) is issued by this step's waves and will write the registers."""
        names = [self.chip.counter_of[kind] for kind in dict.fromkeys(kinds)]
        for name in names:
            self.issued[name][self.rows] += 1
            self.wait(name, 15 if name == "lgkmcnt" and self.chip.lanes == 64 else MOST.get(name, 63))
            if not ordered:
                self.unordered[name][self.rows] = self.issued[name][self.rows]
        for register in registers:
            self.fly(register, names)

    def fly(self, register, names):
        entry = self.flying.get(register)
        if entry is None or [name for name, _ in entry] != names:
            if entry is not None:
                self.check_flying(register)
            entry = self.flying[register] = [(name, np.zeros(self.waves, np.int64)) for name in names]
        for name, times in entry:
            times[self.rows] = self.issued[name][self.rows]

    def check_flying(self, register):
        """Whether this step's waves may touch a register that was loaded."""
        busy = False
        for name, times in self.flying[register]:
            late = times > self.finished[name]
            if late[self.rows].any():
                kind, number = register
                raise Fault(f"{kind}{number} belongs to a load that has not been waited for ({name})")
            busy |= late.any()
        if not busy:
            del self.flying[register]

    def wait(self, name, most):
        issued, finished = self.issued[name][self.rows], self.finished[name][self.rows]
        until = np.maximum(finished, issued - most)
        if most > 0:
            until = np.where(self.unordered[name][self.rows] > finished, finished, until)
        self.finished[name][self.rows] = until
        if self.arrivals:
            self.arrive()

    def when_finished(self, kind, wave, action):
        name = self.chip.counter_of[kind]
        self.arrivals.append((name, wave, self.issued[name][wave], action))

    def arrive(self):
        kept, due = [], []
        for arrival in self.arrivals:
            name, wave, issued, _ = arrival
            (due if issued <= self.finished[name][wave] else kept).append(arrival)
        self.arrivals = kept
        for *_, action in due:
            action()

    # ---- instructions -----------------------------------------------------------------------------

    def op_s_waitcnt(self, instruction):
        given = re.findall(r"(\w+cnt)\((\w+)\)", instruction.text)
        if not given and instruction.text.split()[-1] not in ("0", "0x0"):
            raise Fault(f"no such wait here: {instruction.text}")
        for name, most in given or [("vmcnt", "0"), ("lgkmcnt", "0")]:
            if name in COUNTERS:
                self.wait(name, int(most, 0))

    def op_s_waitcnt_vscnt(self, instruction):
        self.wait("vscnt", int(instruction.text.split()[-1], 0))

    def op_wait_counter(self, instruction):
        """s_wait_loadcnt 0x1, s_wait_loadcnt_dscnt 0x102: the first in the upper byte."""
        names, most = re.findall(r"[a-z]+cnt", instruction.text.split()[0]), int(instruction.text.split()[-1], 0)
        for name in reversed(names):
            if name in COUNTERS:
                self.wait(name, most & 0xFF if len(names) > 1 else most)
            most >>= 8

    def op_s_wait_idle(self, _):
        for name in COUNTERS:
            self.wait(name, 0)
