"""A block's shared memory in programs with asynchronous instructions: it knows the order of accesses by vector clocks
(clocks.py), which bytes belong to copies and products under way, and which proxy an access used.

Loads, stores and cp.async belong to the generic proxy; wgmma and bulk copies to the async proxy. A generic write before
an async read, and a generic access before an async write, need fence.proxy.async by the thread that made the generic
access, before the barrier that orders the two.
"""
import numpy as np

from .memory import WARP, SharedMemory

CHUNK = 16


class TrackedMemory(SharedMemory):
    def __init__(self, size, num_threads, clocks):
        super().__init__(-(-size // CHUNK) * CHUNK, num_threads)
        size, warps, self.clocks = len(self.data), -(-num_threads // WARP), clocks
        chunks, groups = -(-size // CHUNK), max(1, num_threads // (4 * WARP))
        self.write_step, self.writer = np.zeros(size, np.int64), np.zeros(size, np.int32)
        self.read_step = np.zeros(size, np.int64)  # the last of all
        self.read_steps, self.readers = np.zeros((warps, size), np.int32), np.zeros((warps, size), np.int32)
        self.flying = np.zeros(size, np.int32)  # the number of the copy that writes the byte, while it is under way
        self.barriers = np.zeros(size, bool)  # bytes of mbarriers
        self.reading = np.zeros((groups, chunks), np.int32)  # products under way that read the chunk
        self.group_read = np.zeros((groups, chunks), np.int64)  # when the last one was waited for
        self.groups_read = self.bulks_read = False  # whether any was
        self.bulk_reading = np.zeros(chunks, np.int32)
        self.bulk_read, self.bulk_reader = np.zeros(chunks, np.int64), np.zeros(chunks, np.int32)

    def warp_barrier(self, threads):
        mask = np.zeros(self.clocks.num_threads, bool)
        mask[threads] = True
        self.clocks.warp_barrier(mask)

    # ---- loads and stores of threads ----------------------------------------------------------------

    def load(self, addresses, size, threads):
        where = self.bytes_at(addresses, size)
        self.check_owners("read", where, threads)
        steps = self.write_step[where]
        if len(threads) and steps.max() > self.clocks.everything(threads):
            late = ~self.clocks.before(threads[:, None], self.writer[where], steps)
            self.complain("read without a barrier after a write", late & (self.writer[where] < self.clocks.num_threads), where, threads)
            self.complain("read without waiting for the copy's mbarrier", late & (self.writer[where] >= self.clocks.num_threads), where, threads)
        self.complain("read of bytes that nobody wrote", steps == 0, where, threads)
        self.note_read(where, threads)
        return self.data[where]

    def note_read(self, where, threads):
        self.read_step[where] = self.clocks.now
        warps = threads[:, None] // WARP
        self.read_steps[warps, where], self.readers[warps, where] = self.clocks.now, threads[:, None]

    def store(self, addresses, data, threads):
        where = self.bytes_at(addresses, data.shape[1])
        self.check_owners("write", where, threads)
        self.check_before_write(where, threads, self.data[where] != data)
        self.write(where, data, threads)

    def write(self, where, data, threads):
        self.data[where] = data
        self.complain("two threads write at once", self.data[where] != data, where, threads)
        self.write_step[where], self.writer[where] = self.clocks.now, threads[:, None]

    def cell(self, address, size, thread):
        where, threads = self.bytes_at(np.array([address]), size), np.array([thread])
        self.check_owners("update", where, threads)
        self.write_step[where], self.writer[where] = self.clocks.now, thread
        return self.data[address:address + size]

    def check_owners(self, verb, where, threads):
        """Bytes that belong to a copy under way or to an mbarrier."""
        if self.flying[where].any():
            self.complain(f"{verb} of bytes that a copy under way writes", self.flying[where] > 0, where, threads)
        if self.barriers[where].any():
            self.complain(f"{verb} of an mbarrier", self.barriers[where], where, threads)

    def check_before_write(self, where, threads, changes=True, asynchronous=False):
        """Everything that must be over before `threads` write. `changes`: where the bytes are not there already."""
        if where.size == 0:
            return
        safe, who = self.clocks.everything(threads, asynchronous), threads[:, None]
        if self.write_step[where].max() > safe:
            late = ~self.clocks.before(who, self.writer[where], self.write_step[where]) & changes
            self.complain("two writes without a barrier", late, where, threads)
            if asynchronous:
                late = ~self.clocks.fenced_before(who, self.writer[where], self.write_step[where]) & ~late
                self.complain("no fence.proxy.async between a write and a copy over it", late, where, threads)
        if self.read_step[where].max() > safe:
            self.check_readers(where, threads, asynchronous)
        self.check_asynchronous_readers(where, threads)

    def check_readers(self, where, threads, asynchronous):
        who = threads[:, None]
        for warp in range(len(self.read_steps)):
            steps, readers = self.read_steps[warp][where], self.readers[warp][where]
            late = ~self.clocks.before(who, readers, steps)
            self.complain("write without a barrier after a read", late, where, threads)
            if asynchronous:
                late = ~self.clocks.fenced_before(who, readers, steps) & ~late
                self.complain("no fence.proxy.async between a read and a copy over it", late, where, threads)

    def check_asynchronous_readers(self, where, threads):
        chunks = where // CHUNK
        if self.reading.any() and (busy := self.reading[:, chunks].any(0)).any():
            self.complain("write to bytes that a wgmma under way reads", busy, where, threads)
        if self.bulk_reading.any():
            self.complain("write to bytes that a copy under way reads", self.bulk_reading[chunks] > 0, where, threads)
        if self.bulks_read:
            late = ~self.clocks.before(threads[:, None], self.bulk_reader[chunks], self.bulk_read[chunks])
            self.complain("write without a barrier after a copy read", late, where, threads)
        if not self.groups_read:
            return
        before = self.clocks.groups_before(threads)
        for group in range(before.shape[1]):
            late = self.group_read[group][chunks] > before[:, group][:, None]
            self.complain(f"write without a barrier after a wgmma of warp group {group} read", late, where, threads)

    # ---- copies -------------------------------------------------------------------------------------

    def begin_copy(self, where, threads, number, asynchronous=False):
        """A copy may write from now on. Copies of one number may write the same bytes: threads that replicate a value."""
        other = (self.flying[where] > 0) & (self.flying[where] != number)
        self.complain("two copies under way write the same bytes", other, where, threads)
        self.complain("a copy writes an mbarrier", self.barriers[where], where, threads)
        self.check_before_write(where, threads, asynchronous=asynchronous)
        self.flying[where] = number

    def end_copy(self, where, data, threads):
        self.flying[where] = 0
        self.write(where, data, threads)

    def begin_bulk_read(self, chunks, thread):
        """A bulk copy reads what the thread sees."""
        where = (chunks.reshape(-1, 1) * CHUNK + np.arange(CHUNK))
        self.check_asynchronous_read("a copy", where, np.array([thread]))
        self.bulk_reading[chunks] += 1

    def end_bulk_read(self, chunks, thread):
        self.bulk_reading[chunks] -= 1
        self.bulks_read = True
        self.bulk_read[chunks], self.bulk_reader[chunks] = self.clocks.now, thread

    # ---- products of warp groups --------------------------------------------------------------------

    def begin_group_read(self, group, chunks):
        self.chunks(chunks)  # which are inside
        where = chunks.reshape(-1, 1) * CHUNK + np.arange(CHUNK)
        self.check_asynchronous_read("a wgmma", where, np.array([self.clocks.lane_of(4 * group + warp) for warp in range(4)]))
        self.reading[group, chunks] += 1

    def end_group_read(self, group, chunks):
        self.reading[group, chunks] -= 1
        self.groups_read = True
        self.group_read[group, chunks] = self.clocks.now

    def check_asynchronous_read(self, reader, where, threads):
        """Everything that must be over before the async proxy reads for the threads: one of each warp."""
        def complain(what, bad):
            if bad.any():
                self.complain(f"{reader} reads {what}", bad, where, np.resize(threads[:1], len(where)))
        if self.flying[where].any():
            complain("bytes that a copy under way writes", self.flying[where] > 0)
        steps = self.write_step[where]
        if steps.min() == 0:
            complain("bytes that nobody wrote", steps == 0)
        if steps.max() <= self.clocks.everything(threads, True):
            return
        for thread in threads:
            late, by_thread = ~self.clocks.before(thread, self.writer[where], steps), self.writer[where] < self.clocks.num_threads
            complain("without a barrier after a write", late & by_thread)
            complain("without waiting for the copy's mbarrier", late & ~by_thread)
            complain("without a fence.proxy.async after a write", ~self.clocks.fenced_before(thread, self.writer[where], steps) & ~late)
