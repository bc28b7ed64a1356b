"""Which accesses come before which, among the warps of a block: vector clocks.

Each instruction is a step, and `now` counts them. `known[w, t]` is a step: what thread t did up to it comes before what
warp w does now. Barriers carry that knowledge from warp to warp: those who arrive release theirs, those who wait acquire
it. `fenced[w, t]` is the same for accesses that thread t followed by fence.proxy.async for shared memory before it released
them; `fenced_global` is for global memory.

A lane that waited alone knows more than its warp, until a barrier of the warp: `own` has its clock.

Behind the threads stand agents: each mbarrier is one, for the copies that complete on it.

    clock = clocks.released(mask)          what the threads of the mask know and did
    clocks.acquire(mask, clock)            the threads of the mask know it now
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
        self.fenced, self.fenced_global = self.known.copy(), self.known.copy()
        self.fence, self.fence_global = np.zeros((2, num_threads), np.int64)  # when each thread executed its last proxy fence
        self.own = {}  # thread -> (known, fenced, fenced_global)

    @property
    def tables(self):
        return self.known, self.fenced, self.fenced_global

    def new_agent(self):
        if self.num_threads + self.agents == self.known.shape[1]:
            more = np.zeros(self.known.shape, np.int64)
            self.known, self.fenced, self.fenced_global = (np.hstack([table, more]) for table in self.tables)
        self.agents += 1
        return self.num_threads + self.agents - 1

    def fence_proxies(self, mask, of_shared=True, of_global=True):
        if of_shared:
            self.fence[mask] = self.now
        if of_global:
            self.fence_global[mask] = self.now

    def released(self, mask):
        """(known, fenced, fenced_global)"""
        warps = np.unique(np.flatnonzero(mask) // WARP)
        clock = tuple(table[warps].max(0) for table in self.tables)
        for thread, own in self.own.items():
            if mask[thread]:
                clock = self.joined(clock, own)
        for part, last in zip(clock, (np.full(self.num_threads, self.now), self.fence, self.fence_global)):
            part[:self.num_threads][mask] = last[mask]
        return clock

    def acquire(self, mask, clock):
        lanes = mask.reshape(-1, WARP)
        whole = lanes.all(1)
        clock = tuple(np.pad(part, (0, self.known.shape[1] - len(part))) for part in clock)
        for table, part in zip(self.tables, clock):
            table[whole] = np.maximum(table[whole], part)
        for thread in np.flatnonzero(mask & ~np.repeat(whole, WARP)).tolist():
            self.own[thread] = self.joined(self.own.get(thread), clock)

    @staticmethod
    def joined(first, second):
        """What either knows; None knows nothing."""
        if first is None or second is None:
            return second if first is None else first
        width = max(len(part) for part in (*first, *second))
        return tuple(np.maximum(*(np.pad(part, (0, width - len(part))) for part in parts)) for parts in zip(first, second))

    def warp_barrier(self, mask):
        """Lanes of a warp learn of each other."""
        for warp in np.unique(np.flatnonzero(mask) // WARP):
            lanes = np.flatnonzero(mask[warp * WARP:(warp + 1) * WARP]) + warp * WARP
            for table, last in zip(self.tables, (self.now, self.fence[lanes], self.fence_global[lanes])):
                table[warp, lanes] = last
            for thread in lanes.tolist() if self.own else ():
                if thread in self.own:
                    everyone = np.zeros(self.num_threads, bool)
                    everyone[warp * WARP:(warp + 1) * WARP] = True
                    self.acquire(everyone, self.own.pop(thread))

    def everything(self, threads, fenced=False):
        """The step up to which everything comes before what the threads do."""
        table = self.fenced if fenced else self.known
        return table[np.unique(threads // WARP), :self.num_threads + self.agents].min()

    def lane_of(self, warp):
        """A lane that knows no more than its warp."""
        lanes = range(warp * WARP, (warp + 1) * WARP)
        return next((lane for lane in lanes if lane not in self.own), lanes[0])

    def before(self, threads, who, steps):
        return self.in_table(0, self.known, threads, who, steps) | (who == threads)

    def fenced_before(self, threads, who, steps, of_global=False):
        """Accesses of the generic proxy before one of the async proxy: `who` fenced in between."""
        last, part = (self.fence_global, 2) if of_global else (self.fence, 1)
        own = np.append(last, ALWAYS)[np.minimum(who, self.num_threads)]
        return self.in_table(part, self.tables[part], threads, who, steps) | ((who == threads) & (steps <= own))

    def in_table(self, part, table, threads, who, steps):
        result = steps <= table[threads // WARP, who]
        for thread, clock in self.own.items():
            here = np.broadcast_to(threads == thread, result.shape)
            if here.any():
                clock = np.pad(clock[part], (0, table.shape[1] - len(clock[part])))
                result = result | (here & (steps <= clock[who]))
        return result

    def groups_before(self, threads):
        """[thread, warp group]: until when wgmmas of the group come before what the thread does. A wait speaks for the
        group, and so does each of its threads that arrives at a barrier after it."""
        groups = self.num_threads // (4 * WARP)
        rows = self.known[threads // WARP]
        for number, thread in enumerate(threads.tolist() if self.own else ()):
            if thread in self.own:
                rows[number] = np.maximum(rows[number], np.pad(self.own[thread][0], (0, rows.shape[1] - len(self.own[thread][0]))))
        table = rows[:, :groups * 4 * WARP].reshape(len(threads), groups, 4 * WARP).max(2)
        inside = np.flatnonzero(threads // (4 * WARP) < groups)
        table[inside, threads[inside] // (4 * WARP)] = ALWAYS
        return table
