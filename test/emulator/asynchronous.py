"""A block of a program with asynchronous instructions: wgmma, mbarriers, bulk copies, barriers of some of the warps.

Warps run as units (schedule.py), shared memory knows the order of accesses by vector clocks (tracked.py).
"""
import numpy as np

from .barriers import Barriers
from .block import Block
from .clocks import Clocks
from .groups import Groups
from .mbarriers import Mbarriers
from .numbers import Fault
from .schedule import Schedule
from .tensor_copies import TensorCopies
from .tracked import TrackedMemory


class AsynchronousBlock(Schedule, Groups, Barriers, Mbarriers, TensorCopies, Block):
    def __init__(self, program, place, grid, arguments, shared_bytes, memory, symbols, seed=0):
        super().__init__(program, place, grid, arguments, shared_bytes, memory, symbols, seed)
        self.clocks = Clocks(self.threads)
        self.shared = TrackedMemory(shared_bytes, self.threads, self.clocks)
        self.start_schedule(seed)
        self.start_groups()
        self.start_barriers()
        self.start_mbarriers()
        self.start_tensor_copies()

    def execute(self, instruction, mask):
        self.clocks.now += 1
        super().execute(instruction, mask)

    def get(self, name, kind):
        if name in self.program.group_registers:
            self.touch_register(name)
        return super().get(name, kind)

    def set(self, name, value, mask):
        if name in self.program.group_registers:
            self.touch_register(name)
        super().set(name, value, mask)

    def store(self, space, addresses, data, mask):
        super().store(space, addresses, data, mask)
        if space == "global":
            self.note_global_writes(addresses[mask], data.shape[1], np.flatnonzero(mask))

    def op_fence(self, instruction, mask):
        if "proxy" in instruction.modifiers and "async" in instruction.modifiers and "global" not in instruction.modifiers:
            self.clocks.fence_proxies(mask)
            self.fence_mbarriers(mask)
        elif "mbarrier_init" in instruction.modifiers:
            self.fence_mbarriers(mask)

    # ---- cp.async, with a count of commits for each thread ------------------------------------------

    def start_copies(self):
        self.copies, self.num_copies = [], 0  # under way: [number, bytes, data, threads, commits of those before]
        self.copy_commits = np.zeros(self.threads, np.int64)

    def op_cp(self, instruction, mask):
        if "bulk" in instruction.modifiers:
            self.op_bulk(instruction, mask)
        elif "commit_group" in instruction.modifiers:
            self.copy_commits[mask] += 1
        elif "wait_group" in instruction.modifiers:
            self.finish_copies(mask, self.copy_commits - int(instruction.operands[0]))
        elif "wait_all" in instruction.modifiers:
            self.finish_copies(mask, self.copy_commits + 1)
        else:
            super().op_cp(instruction, mask)

    def begin_copy(self, addresses, data, mask):
        threads = np.flatnonzero(mask)
        where = self.shared.bytes_at(self.aligned(addresses[threads], data.shape[1]), data.shape[1])
        self.num_copies += 1
        self.shared.begin_copy(where, threads, self.num_copies)
        self.copies.append((where, data[threads], threads, self.copy_commits[threads]))

    def finish_copies(self, mask, limits):
        """Copies of the mask's threads arrive, if fewer commits than the thread's limit came before them."""
        left = []
        for where, data, threads, commits in self.copies:
            over = mask[threads] & (commits < limits[threads])
            if over.any():
                self.shared.end_copy(where[over], data[over], threads[over])
            if not over.all():
                left.append((where[~over], data[~over], threads[~over], commits[~over]))
        self.copies = left

    def check_end(self):
        if self.products:
            raise Fault("the kernel ends before its wgmmas were waited for")
        if self.copies:
            raise Fault("the kernel ends before its copies were waited for")
        self.check_tensor_copies()
