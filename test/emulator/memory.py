"""Global memory, of arrays far from each other; and a block's shared memory, which remembers who touched what.

Two accesses to a byte by different threads, one of them a write, must be separated: by a barrier of the block, or within
a warp by one of the warp. Writing what is there already is no race: threads that replicate a value all write it.
"""
import numpy as np

from .numbers import Fault

WARP = 32


class GlobalMemory:
    FIRST = 0x7F0000000000
    GAP = 4096  # that belongs to nobody, between arrays

    def __init__(self):
        self.arrays, self.next = [], self.FIRST
        self.words = []  # the arrays, each up to the end of its last word
        self.maps = {}  # address -> TensorMap
        self.written_maps = {}  # address -> WrittenMap: those that the kernel makes

    def place(self, data, alignment=256):
        """The address of a copy."""
        address = -(-self.next // alignment) * alignment
        whole = np.frombuffer(bytearray(data) + bytes(-len(data) % 4), np.uint8)
        self.arrays.append((address, whole[:len(data)]))
        self.words.append((address, whole))
        self.next = address + len(data) + self.GAP
        return address

    def find(self, begin, end):
        """(address, bytes) of the array around a range."""
        for address, data in self.arrays:
            if address <= begin and end <= address + len(data):
                return address, data
        raise Fault(f"global memory out of bounds: {begin:#x}")

    def find_word(self, begin, end):
        """The same, also for a word of which a part belongs to the array: atomic updates of 16 bits touch all of it."""
        if begin % 4 == 0 and end - begin == 4:
            for address, data in self.words:
                if address <= begin and end <= address + len(data):
                    return address, data
        return self.find(begin, end)

    def places(self, addresses, size, find):
        """[(positions in `addresses`, array, offsets)]: almost always one array holds them all."""
        if len(addresses) == 0:
            return []
        try:
            address, data = self.find(int(addresses.min()), int(addresses.max()) + size)
            return [(slice(None), data, (addresses - np.uint64(address)).astype(np.int64))]
        except Fault:
            found = []
            for position, begin in enumerate(addresses.tolist()):
                address, data = find(begin, begin + size)
                found.append(([position], data, np.array([begin - address])))
            return found

    def load(self, addresses, size, find=None):
        result = np.zeros((len(addresses), size), np.uint8)
        for positions, data, offsets in self.places(addresses, size, find or self.find):
            result[positions] = data[offsets[:, None] + np.arange(size)]
        return result

    def store(self, addresses, data):
        for positions, array, offsets in self.places(addresses, data.shape[1], self.find):
            array[offsets[:, None] + np.arange(data.shape[1])] = data[positions]


class Touches:
    """The last thread that touched each byte, and when: by the block's and by its warp's count of barriers."""

    def __init__(self, size):
        self.thread = np.full(size, -1, np.int64)
        self.block_time, self.warp_time = np.zeros(size, np.int64), np.zeros(size, np.int64)


class SharedMemory:
    def __init__(self, size, num_threads, warp=WARP):
        self.warp = warp
        self.data = np.full(max(size, 16), 0xCD, np.uint8)
        self.written, self.read = Touches(len(self.data)), Touches(len(self.data))
        self.block_time, self.warp_times = 0, np.zeros(-(-num_threads // warp), np.int64)
        self.problems, self.known, self.line = [], set(), 0  # of the instruction that is being executed

    def block_barrier(self):
        self.block_time += 1
        self.warp_times += 1

    def warp_barrier(self, threads):
        self.warp_times[np.unique(threads // self.warp)] += 1

    def bytes_at(self, addresses, size):
        offsets = addresses.astype(np.int64)
        if (offsets + size > len(self.data)).any():
            raise Fault(f"shared memory out of bounds: {int(offsets.max())} of {len(self.data)}")
        return offsets[:, None] + np.arange(size)

    def load(self, addresses, size, threads):
        where = self.bytes_at(addresses, size)
        self.complain("read without a barrier after a write", self.unordered(self.written, where, threads), where, threads)
        self.complain("read of bytes that nobody wrote", self.written.thread[where] < 0, where, threads)
        self.touch(self.read, where, threads)
        return self.data[where]

    def store(self, addresses, data, threads):
        where = self.bytes_at(addresses, data.shape[1])
        changes = self.data[where] != data
        self.complain("two writes without a barrier", self.unordered(self.written, where, threads) & changes, where, threads)
        self.complain("write without a barrier after a read", self.unordered(self.read, where, threads), where, threads)
        self.data[where] = data
        self.complain("two threads write at once", self.data[where] != data, where, threads)
        self.touch(self.written, where, threads)

    def cell(self, address, size, thread):
        """For an atomic update, which is no race with another."""
        where = self.bytes_at(np.array([address]), size)
        self.touch(self.written, where, np.array([thread]))
        return self.data[address:address + size]

    def chunks(self, numbers):
        """Chunks of 16 bytes, by their numbers."""
        if (numbers + 1).max() * 16 > len(self.data):
            raise Fault(f"shared memory out of bounds: {int(numbers.max()) * 16} of {len(self.data)}")
        return self.data[:len(self.data) // 16 * 16].reshape(-1, 16)[numbers]

    def unordered(self, touches, where, threads):
        who, warps = touches.thread[where], (threads // self.warp)[:, None]
        same_time = np.where(who // self.warp == warps, touches.warp_time[where] == self.warp_times[warps],
                             touches.block_time[where] == self.block_time)
        return (who >= 0) & (who != threads[:, None]) & same_time

    def touch(self, touches, where, threads):
        touches.thread[where] = threads[:, None]
        touches.block_time[where] = self.block_time
        touches.warp_time[where] = self.warp_times[threads // self.warp][:, None]

    def complain(self, what, bad, where, threads):
        """Once for each instruction and what is wrong with it."""
        if bad.any() and (what, self.line) not in self.known and len(self.problems) < 20:
            self.known.add((what, self.line))
            thread, byte = np.argwhere(bad)[0]
            self.problems.append(f"{what}: byte {where[thread, byte]} by thread {threads[thread]}, line {self.line}")
