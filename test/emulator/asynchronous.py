"""A block of a program with asynchronous instructions: wgmma, mbarriers, bulk copies, barriers of some of the warps.

Warps run as units (schedule.py), shared memory knows the order of accesses by vector clocks (tracked.py).
"""
import numpy as np

from .barriers import Barriers
from .block import Block
from .clocks import Clocks
from .cluster import Cluster
from .copies import TrackedCopies
from .global_order import GlobalOrder
from .groups import Groups
from .mbarriers import Mbarriers
from .numbers import Fault
from .schedule import Schedule
from .tensor_copies import TensorCopies
from .tensor_maps import WrittenMaps
from .tracked import TrackedMemory


class AsynchronousBlock(Schedule, TrackedCopies, Groups, Barriers, Mbarriers, TensorCopies, GlobalOrder, WrittenMaps, Cluster, Block):
    def __init__(self, program, place, grid, arguments, shared_bytes, memory, symbols, seed=0):
        super().__init__(program, place, grid, arguments, shared_bytes, memory, symbols, seed)
        self.clocks = Clocks(self.threads)
        self.shared = TrackedMemory(shared_bytes, self.threads, self.clocks, program.cluster_size)
        self.start_schedule(seed)
        self.start_groups()
        self.start_barriers()
        self.start_mbarriers()
        self.start_tensor_copies()
        self.start_global_order()
        self.start_written_maps()
        self.start_cluster()

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

    def load(self, space, addresses, size, mask):
        if space == "global" and self.marks:
            self.check_global_access("read", addresses[mask], size, np.flatnonzero(mask))
        return super().load(space, addresses, size, mask)

    def cell(self, space, address, size, thread):
        if space == "global":
            self.check_global_access("update", np.array([address]), size, thread)
        return super().cell(space, address, size, thread)

    def store(self, space, addresses, data, mask):
        if space == "global":
            self.check_global_access("write", addresses[mask], data.shape[1], np.flatnonzero(mask))
        super().store(space, addresses, data, mask)
        if space == "global":
            self.note_global_writes(addresses[mask], data.shape[1], np.flatnonzero(mask))

    def op_fence(self, instruction, mask):
        if any(word.startswith("tensormap") for word in instruction.modifiers):
            self.fence_maps(instruction, mask)
        elif "proxy" in instruction.modifiers and "async" in instruction.modifiers:
            is_shared, is_global = (any(word.startswith(space) for word in instruction.modifiers) for space in ("shared", "global"))
            self.clocks.fence_proxies(mask, of_shared=not is_global, of_global=not is_shared)
            if not is_global:
                self.fence_mbarriers(mask)
        elif "mbarrier_init" in instruction.modifiers:
            self.fence_mbarriers(mask)

    def something_arrives(self, must):
        """What is under way may arrive, in any order; whether something did. `must`: nobody can run before."""
        under_way = [(self.loads, self.end_load), (self.copy_arrivals, self.end_copy_arrival)]
        chosen = [(end, item) for items, end in under_way for item in items if self.random.integers(4) == 0]
        if must and not chosen:
            everything = [(end, item) for items, end in under_way for item in items]
            chosen = [everything[self.random.integers(len(everything))]] if everything else []
        for end, item in chosen:
            self.clocks.now += 1
            end(item)
        return bool(chosen)

    def check_end(self):
        if self.products:
            raise Fault("the kernel ends before its wgmmas were waited for")
        if self.copies:
            raise Fault("the kernel ends before its copies were waited for")
        self.check_tensor_copies()
