"""Instructions in which the lanes of a warp take part together."""
import numpy as np

from .memory import WARP
from .numbers import Fault


class Warps:
    def lanes_of_parts(self, mask, size=WARP):
        """Threads of the mask in whose warp, or warp group, others are not."""
        if mask.all():
            return np.zeros(len(mask), bool)
        whole = np.repeat(mask[:len(mask) // size * size].reshape(-1, size).all(1), size)
        parts = mask.copy()
        parts[:len(whole)] &= ~whole
        parts[len(whole):] = False  # too few for a warp group
        return parts

    def whole_warps(self, mask):
        in_part = mask.reshape(-1, WARP).any(1) & ~mask.reshape(-1, WARP).all(1)
        if in_part.any():
            raise Fault(f"only some lanes of warp {int(np.argmax(in_part))} take part")

    def op_shfl(self, instruction, mask):
        self.whole_warps(mask)
        value, by, limits = (self.get(name, "u32").astype(np.int64) for name in instruction.operands[1:4])
        lane = self.thread.astype(np.int64) % WARP
        last, segment = limits & 31, limits >> 8 & 31
        edge = (lane & segment) | (last & ~segment)
        kind = instruction.one_of("up", "down", "bfly", "idx")
        source = {"up": lane - (by & 31), "down": lane + (by & 31), "bfly": lane ^ (by & 31),
                  "idx": (lane & segment) | (by & 31 & ~segment)}[kind]
        inside = source >= edge if kind == "up" else source <= edge
        holder = self.thread.astype(np.int64) - lane + np.where(inside, source, lane) % WARP
        destination, *predicate = instruction.operands[0].split("|")
        self.set(destination, value[holder].astype(np.uint32), mask)
        for name in predicate:
            self.set(name, inside, mask)

    def op_redux(self, instruction, mask):
        self.whole_warps(mask)
        function = {"add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or,
                    "xor": np.bitwise_xor}[instruction.one_of("add", "min", "max", "and", "or", "xor")]
        values = self.get(instruction.operands[1], self.types(instruction)[-1]).reshape(-1, WARP)
        self.set(instruction.operands[0], np.repeat(function.reduce(values, axis=1, dtype=values.dtype), WARP), mask)

    @staticmethod
    def ballot(bits):
        return np.repeat((bits.reshape(-1, WARP).astype(np.uint64) << np.arange(WARP, dtype=np.uint64)).sum(1).astype(np.uint32), WARP)

    def op_vote(self, instruction, mask):
        bits = self.get(instruction.operands[1], "pred")
        kind = instruction.one_of("ballot", "any", "all")
        if kind == "ballot":
            result = self.ballot(bits & mask)
        elif kind == "any":
            result = np.repeat((bits & mask).reshape(-1, WARP).any(1), WARP)
        else:
            result = np.repeat((bits | ~mask).reshape(-1, WARP).all(1), WARP)
        self.set(instruction.operands[0], result, mask)

    def op_activemask(self, instruction, mask):
        self.set(instruction.operands[0], self.ballot(mask), mask)

    def op_bar(self, _, mask):
        """bar.warp.sync; barriers of more warps are Block.meet."""
        self.shared.warp_barrier(np.flatnonzero(mask))
    op_barrier = op_bar

    def nothing(self, instruction, mask):
        """Memory is as the program order of each thread has it; what threads see of each other, barriers say."""
    op_fence = op_membar = op_nanosleep = op_prefetch = op_griddepcontrol = nothing

    def op_elect(self, instruction, mask):
        """The lowest of the lanes that take part."""
        lanes = np.where(mask, self.thread % WARP, WARP).reshape(-1, WARP).min(1)
        lane, predicate = (name.strip() for name in instruction.operands[0].split("|"))
        self.set(lane, np.repeat(lanes, WARP).astype(np.uint32), mask)
        self.set(predicate, self.thread % WARP == np.repeat(lanes, WARP), mask)

    def op_createpolicy(self, instruction, mask):
        self.set(instruction.operands[0], np.zeros(self.threads, np.uint64), mask)

    def op_trap(self, _, mask):
        raise Fault(f"thread {int(np.argmax(mask))} traps")
    op_brkpt = op_trap
