"""Which accesses come before which, among the warps of a block: vector clocks.

Each instruction is a step, and `now` counts them. `known[w, t]` is a step: what thread t did up to it comes before what
warp w does now. Barriers carry that knowledge from warp to warp: those who arrive release theirs, those who wait acquire
it. `fenced[w, t]` is the same for accesses that thread t followed by fence.proxy.async before it released them.

Behind the threads stand agents: each mbarrier is one, for the copies that complete on it.

    clock = clocks.released(mask)          what the threads of the mask know and did
    clocks.acquire(warps, clock)           the warps know it now
    clocks.before(threads, who, steps)     whether accesses of `who` come before the threads' accesses
"""
import numpy as np

WARP = 32
ALWAYS = 1 << 62


class Clocks:
    def __init__(self, num_threads, num_agents=64):
        self.num_threads, self.now, self.agents = num_threads, 0, 0
        warps = -(-num_threads // WARP)
        self.known = np.zeros((warps, num_threads + num_agents), np.int64)
        self.fenced = self.known.copy()
        self.fence = np.zeros(num_threads, np.int64)  # when each thread executed its last proxy fence

    def new_agent(self):
        if self.num_threads + self.agents == self.known.shape[1]:
            more = np.zeros(self.known.shape, np.int64)
            self.known, self.fenced = np.hstack([self.known, more]), np.hstack([self.fenced, more])
        self.agents += 1
        return self.num_threads + self.agents - 1

    def fence_proxies(self, mask):
        self.fence[mask] = self.now

    def released(self, mask):
        """(known, fenced)"""
        warps = np.unique(np.flatnonzero(mask) // WARP)
        known, fenced = self.known[warps].max(0), self.fenced[warps].max(0)
        known[:self.num_threads][mask] = self.now
        fenced[:self.num_threads][mask] = self.fence[mask]
        return known, fenced

    def acquire(self, warps, clock):
        known, fenced = clock
        width = self.known.shape[1]
        if len(known) < width:  # agents were born in between
            known, fenced = (np.pad(part, (0, width - len(part))) for part in clock)
        self.known[warps] = np.maximum(self.known[warps], known)
        self.fenced[warps] = np.maximum(self.fenced[warps], fenced)

    @staticmethod
    def joined(first, second):
        if first is None:
            return second
        width = max(len(first[0]), len(second[0]))
        return tuple(np.maximum(*(np.pad(part, (0, width - len(part))) for part in parts)) for parts in zip(first, second))

    def warp_barrier(self, mask):
        """Lanes of a warp learn of each other."""
        for warp in np.unique(np.flatnonzero(mask) // WARP):
            lanes = np.flatnonzero(mask[warp * WARP:(warp + 1) * WARP]) + warp * WARP
            self.known[warp, lanes], self.fenced[warp, lanes] = self.now, self.fence[lanes]

    def everything(self, threads, fenced=False):
        """The step up to which everything comes before what the threads do."""
        table = self.fenced if fenced else self.known
        return table[np.unique(threads // WARP), :self.num_threads + self.agents].min()

    def before(self, threads, who, steps):
        return (steps <= self.known[threads // WARP, who]) | (who == threads)

    def fenced_before(self, threads, who, steps):
        """Accesses of the generic proxy before one of the async proxy: `who` fenced in between."""
        own = np.append(self.fence, ALWAYS)[np.minimum(who, self.num_threads)]
        return (steps <= self.fenced[threads // WARP, who]) | ((who == threads) & (steps <= own))

    def groups_before(self):
        """[warp, warp group]: until when wgmmas of the group come before what the warp does. A wait speaks for the group."""
        groups = self.num_threads // (4 * WARP)
        table = self.known[:, :groups * 4 * WARP].reshape(len(self.known), groups, 4 * WARP).max(2)
        own = np.arange(len(self.known))
        inside = own // 4 < groups
        table[own[inside], own[inside] // 4] = ALWAYS
        return table
