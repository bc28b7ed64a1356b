"""Clusters: blocks that run together, see each other's shared memory and meet at a barrier of their own.

A cluster is emulated as one block: its threads are those of all of its blocks, in the order of their ranks, and its
shared memory holds theirs one after the other. An address in the space shared::cluster carries the rank of its block, as
mapa makes it; without one it is the own block's.
"""
import numpy as np

from .memory import WARP
from .numbers import Fault

RANK_BIT = 24  # of an address made by mapa: rank + 1


class Cluster:
    def start_cluster(self):
        self.cluster_barrier = {"phase": 0, "arrived": np.zeros(self.threads, np.int64), "clock": None}
        self.wait_for_cluster = ~self.all

    def ranks(self):
        return self.thread // np.uint32(self.program.threads)

    def op_mapa(self, instruction, mask):
        """The address in another block of the cluster."""
        kind = self.types(instruction)[-1]
        address, rank = self.get(instruction.operands[1], kind), self.get(instruction.operands[2], "u32")
        if (rank[mask] >= self.program.cluster_size).any():
            raise Fault("no such rank in the cluster")
        own = address & address.dtype.type((1 << RANK_BIT) - 1)
        self.set(instruction.operands[0], own + ((rank + np.uint32(1)).astype(address.dtype) << address.dtype.type(RANK_BIT)), mask)

    def op_getctarank(self, instruction, mask):
        tag = self.get(instruction.operands[1], self.types(instruction)[-1]).astype(np.uint64) >> np.uint64(RANK_BIT)
        self.set(instruction.operands[0], np.where(tag > 0, tag - np.uint64(1), self.ranks()).astype(np.uint32), mask)

    def meet_cluster(self, instruction, mask):
        """barrier.cluster.arrive and .wait: a thread waits for the phase in which it arrived."""
        barrier = self.cluster_barrier
        if "arrive" in instruction.modifiers:
            if (barrier["arrived"][mask] > barrier["phase"]).any():
                raise Fault("a thread arrives twice at the cluster's barrier")
            barrier["arrived"][mask] = barrier["phase"] + 1
            if "relaxed" not in instruction.modifiers:
                barrier["clock"] = self.clocks.joined(barrier["clock"], self.clocks.released(mask))
            self.end_cluster_phase()
            return
        if (barrier["arrived"][mask] == 0).any():
            raise Fault("a thread waits at the cluster's barrier before it arrives")
        late = mask & (barrier["arrived"] > barrier["phase"])
        if (mask & ~late).any() and barrier.get("done") is not None:
            self.clocks.acquire(mask & ~late, barrier["done"])
        if late.any():
            self.place[late] = self.at
            self.wait_for_cluster |= late
            self.block(late, "the cluster's barrier")

    def end_blocks(self):
        """Blocks whose threads are done: nobody may use their shared memory any more."""
        over = self.done.reshape(self.program.cluster_size, -1).all(1)
        warps = self.program.threads // WARP
        for rank in np.flatnonzero(over & ~self.shared.over).tolist():
            known = self.clocks.known[rank * warps:(rank + 1) * warps].max(0)
            if any(step > known[thread] for thread, step in self.shared.remote[rank].items()):
                raise Fault(f"block {rank} of a cluster ends while another may still use its shared memory")
        self.shared.over = over
        self.end_cluster_phase()

    def end_cluster_phase(self):
        """Threads that are done count as arrived."""
        barrier = self.cluster_barrier
        if ((barrier["arrived"] > barrier["phase"]) | self.done).all():
            barrier["phase"] += 1
            barrier["done"], barrier["clock"] = self.clocks.joined(barrier.get("done"), barrier["clock"]), None
            self.unblock(self.wait_for_cluster)
            self.wait_for_cluster = ~self.all
