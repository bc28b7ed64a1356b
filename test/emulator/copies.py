"""cp.async: copies of each thread from global to shared memory, which arrive when they are waited for."""
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
