"""What bulk copies write to global memory, and which threads may touch it when.

The bytes belong to the copy until its thread waits for the writes (`cp.async.bulk.wait_group`, not `.read`); that thread may touch
them from then on, others after a barrier.
"""
import numpy as np

from .numbers import Fault


class Marks:
    """Of each byte of an array: how many copies under way write it; who waited for the last one that did, and when."""

    def __init__(self, size):
        self.under_way = np.zeros(size, np.int16)
        self.thread, self.step = np.zeros(size, np.int32), np.zeros(size, np.int64)


class GlobalOrder:
    def start_global_order(self):
        self.marks = {}  # address of an array -> Marks

    def marked(self, addresses, size, everywhere=False):
        """[(positions in `addresses`, marks, offsets of the bytes)] of the arrays that copies write, or of all."""
        found = []
        if not len(addresses) or not (everywhere or self.marks):
            return found
        addresses = addresses.astype(np.uint64)
        for begin, data in self.memory.arrays:
            inside = np.flatnonzero((addresses >= np.uint64(begin)) & (addresses < np.uint64(begin + len(data))))
            if len(inside) and (everywhere or begin in self.marks):
                marks = self.marks.setdefault(begin, Marks(len(data)))
                offsets = (addresses[inside] - np.uint64(begin)).astype(np.int64)
                found.append((inside, marks, np.minimum(offsets[:, None] + np.arange(size), len(data) - 1)))
        return found

    def begin_global_writes(self, addresses, size, thread, may_overlap):
        for _, marks, where in self.marked(addresses, size, everywhere=True):
            if marks.under_way[where].any() and not may_overlap:
                raise Fault("two copies under way write the same bytes of global memory")
            self.check_marks("copy", marks, where, thread)
            marks.under_way[where] += 1

    def end_global_writes(self, addresses, size, thread):
        for _, marks, where in self.marked(addresses, size):
            marks.under_way[where] -= 1
            marks.thread[where], marks.step[where] = thread, self.clocks.now

    def check_global_access(self, verb, addresses, size, threads):
        """`threads`: who touches each address."""
        for positions, marks, where in self.marked(addresses, size):
            if marks.under_way[where].any():
                raise Fault(f"{verb} of global bytes that a copy under way writes")
            self.check_marks(verb, marks, where, np.broadcast_to(np.asarray(threads), addresses.shape)[positions][:, None])

    def check_marks(self, verb, marks, where, threads):
        if not self.clocks.before(np.broadcast_to(threads, where.shape), marks.thread[where], marks.step[where]).all():
            raise Fault(f"{verb} of global bytes without a barrier after the wait for the copy that wrote them")
