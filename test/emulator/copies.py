"""cp.async: copies of each thread from global to shared memory, which arrive when they are waited for, or before they
arrive at an mbarrier."""
import dataclasses

import numpy as np

from .numbers import Fault


class Copies:
    def start_copies(self):
        self.copies, self.groups = [], []  # those under way, and those committed

    def op_cp(self, instruction, mask):
        """cp.async: what was read arrives when it is waited for."""
        if "commit_group" in instruction.modifiers:
            self.groups.append(self.copies)
            self.copies = []
        elif "wait_group" in instruction.modifiers:
            self.finish_copies(int(instruction.operands[0]))
        elif "wait_all" in instruction.modifiers:
            self.groups.append(self.copies)
            self.copies = []
            self.finish_copies(0)
        else:
            size, operands = int(instruction.operands[2]), instruction.operands
            source, read = self.address(operands[1]), np.full(self.threads, size, np.uint32)
            if len(operands) > 3 and not operands[3].startswith("%rd"):
                read = np.broadcast_to(self.get(operands[3], "u32"), read.shape)
            self.begin_copy(self.address(operands[0]), self.read_in_part(source, size, read, mask), mask)

    def begin_copy(self, addresses, data, mask):
        self.copies.append((addresses, data, np.array(mask)))

    def read_in_part(self, source, size, read, mask):
        """The first `read` of `size` bytes of each thread, and zeros."""
        if (mask & (read > size)).any():
            raise Fault(f"a copy of {size} bytes reads more")
        data = self.load("global", source, size, mask & (read == size))
        partly = mask & (read < size)
        self.aligned(np.broadcast_to(source, read.shape)[partly & (read > 0)], size)
        for byte in range(int(read[partly].max(initial=0))):
            wanted = partly & (read > byte)
            data[wanted, byte] = self.load("global", source + np.uint64(byte), 1, wanted)[wanted, 0]
        return data

    def finish_copies(self, left):
        while len(self.groups) > left:
            for addresses, data, mask in self.groups.pop(0):
                self.store("shared", addresses, data, mask)


@dataclasses.dataclass(eq=False)
class Copy:
    """An instruction's copies under way; a row or element for each thread."""
    number: int
    where: np.ndarray  # bytes of shared memory
    data: np.ndarray
    threads: np.ndarray
    commits: np.ndarray  # how many commits of the thread came before


@dataclasses.dataclass(eq=False)
class CopyArrival:
    """cp.async.mbarrier.arrive: the thread arrives when its copies up to the number are there."""
    barrier: object
    thread: int
    number: int
    clock: tuple


class TrackedCopies:
    """Of programs with asynchronous instructions: each thread counts its commits."""

    def start_copies(self):
        self.copies, self.copy_arrivals, self.num_copies = [], [], 0
        self.copy_commits = np.zeros(self.threads, np.int64)

    def op_cp(self, instruction, mask):
        modifiers = instruction.modifiers
        if "bulk" in modifiers:
            self.op_bulk(instruction, mask)
        elif "mbarrier" in modifiers:
            self.begin_copy_arrivals(instruction, mask)
        elif "commit_group" in modifiers:
            self.copy_commits[mask] += 1
        elif "wait_group" in modifiers:
            limits = self.copy_commits - int(instruction.operands[0])
            self.finish_copies(lambda copy: mask[copy.threads] & (copy.commits < limits[copy.threads]))
        elif "wait_all" in modifiers:
            self.finish_copies(lambda copy: mask[copy.threads])
        else:
            super().op_cp(instruction, mask)

    def begin_copy(self, addresses, data, mask):
        threads = np.flatnonzero(mask)
        places = self.shared.physical(self.aligned(addresses[threads], data.shape[1]), threads, data.shape[1])
        where = self.shared.bytes_at(places, data.shape[1])
        self.num_copies += 1
        self.shared.begin_copy(where, threads, self.num_copies)
        self.copies.append(Copy(self.num_copies, where, data[threads], threads, self.copy_commits[threads]))

    def finish_copies(self, chosen, writer=None):
        """Copies arrive: those of the threads that `chosen` says. The writer is the thread, or an agent."""
        left = []
        for copy in self.copies:
            over = chosen(copy)
            if over.any():
                writers = copy.threads[over] if writer is None else np.full(over.sum(), writer)
                self.shared.end_copy(copy.where[over], copy.data[over], writers)
            if not over.all():
                left.append(Copy(copy.number, copy.where[~over], copy.data[~over], copy.threads[~over], copy.commits[~over]))
        self.copies = left

    def begin_copy_arrivals(self, instruction, mask):
        for (address, _), threads in self.pairs(instruction.operands[0], None, mask).items():
            barrier = self.mbarrier(address, threads)
            if "noinc" not in instruction.modifiers:
                barrier.missing += len(threads)
            for thread in threads.tolist():
                self.copy_arrivals.append(CopyArrival(barrier, thread, self.num_copies, self.clocks.released(self.thread == thread)))

    def end_copy_arrival(self, arrival):
        """What the copies wrote is the mbarrier's agent's, and no proxy fence followed it."""
        self.copy_arrivals.remove(arrival)
        barrier = arrival.barrier
        self.finish_copies(lambda copy: (copy.threads == arrival.thread) & (copy.number <= arrival.number), barrier.agent)
        known, *fenced = self.clocks.joined(None, arrival.clock)
        known = np.pad(known, (0, self.clocks.known.shape[1] - len(known)))
        known[barrier.agent], barrier.landed = self.clocks.now, barrier.phase
        self.count_arrivals(barrier, 1, (known, *fenced))
        self.end_phase(barrier)
