"""mbarriers: barriers in shared memory, for arrivals of threads and for bytes of copies (PTX ISA, mbarrier).

A phase is over when all arrivals and all expected bytes are there; the next one begins at once. A thread waits for the
phase with a parity: the wait passes while the phase under way has the other one, so on a fresh barrier parity 1 passes.
"""
import dataclasses

import numpy as np

from .numbers import Fault

MOST = (1 << 20) - 1  # arrivals, and bytes under way


@dataclasses.dataclass
class Mbarrier:
    address: int
    expected: int
    agent: int  # column of Clocks: the copies that complete here
    maker: int  # thread
    made: int  # step
    fenced: int = None  # when its maker executed fence.mbarrier_init or fence.proxy.async
    phase: int = 0
    missing: int = 0  # arrivals
    bytes: int = 0  # expected, less those that came
    clock: tuple = None  # of the phase under way
    done_clock: tuple = None  # of all before
    landed: int = -1  # the last phase in which copies arrived
    awaited: int = -1  # the last phase that somebody waited for

    def __str__(self):
        return f"phase {self.phase} of the mbarrier at {self.address}, which lacks {self.missing} of {self.expected} arrivals and {self.bytes} bytes"


class Mbarriers:
    def start_mbarriers(self):
        self.mbarriers, self.agents = {}, {}
        self.waiting_for = {}  # address -> threads

    def op_mbarrier(self, instruction, mask):
        what = instruction.modifiers[0]
        if what == "init":
            self.make_mbarriers(instruction, mask)
        elif what in ("test_wait", "try_wait"):
            self.wait_for_phase(instruction, mask, what == "try_wait")
        elif what in ("arrive", "arrive_drop", "expect_tx", "complete_tx"):
            self.arrive(instruction, mask)
        elif what == "inval":
            for address, _ in self.pairs(instruction.operands[0], None, mask):
                self.shared.barriers[address:address + 8] = False
                del self.mbarriers[self.mbarrier(address, mask).address]
        else:
            raise Fault(f"no mbarrier.{what} here")

    def pairs(self, operand, number, mask):
        """{(address, number): threads}"""
        addresses = self.shared.physical(np.broadcast_to(self.address(operand), self.threads)[mask], np.flatnonzero(mask), 8)
        numbers = self.get(number, "u32") if number else np.zeros(self.threads, np.uint32)
        found = {}
        for address, thread in zip(addresses.tolist(), np.flatnonzero(mask)):
            found.setdefault((address, int(numbers[thread])), []).append(thread)
        return {pair: np.array(threads) for pair, threads in found.items()}

    def make_mbarriers(self, instruction, mask):
        for (address, expected), threads in self.pairs(*instruction.operands, mask).items():
            if len(threads) > 1 or address % 8 or not 1 <= expected <= MOST:
                raise Fault(f"{len(threads)} threads make an mbarrier at {address} for {expected} arrivals")
            if address in self.mbarriers:
                raise Fault(f"there is an mbarrier at {address}")
            where, thread = np.arange(address, address + 8)[None], int(threads[0])
            self.shared.check_owners("update", where, threads)
            self.shared.check_before_write(where, threads)
            self.shared.write(where, np.zeros((1, 8), np.uint8), threads)
            self.shared.barriers[where] = True
            if address not in self.agents:
                self.agents[address] = self.clocks.new_agent()
            self.mbarriers[address] = Mbarrier(address, expected, self.agents[address], thread, self.clocks.now, missing=expected)

    def fence_mbarriers(self, mask):
        for barrier in self.mbarriers.values():
            if mask[barrier.maker] and barrier.fenced is None:
                barrier.fenced = self.clocks.now

    def mbarrier(self, address, threads, by_copy=False):
        """The barrier, which the threads know to be made."""
        barrier = self.mbarriers.get(address)
        if barrier is None:
            raise Fault(f"there is no mbarrier at {address}")
        if by_copy and barrier.fenced is None:
            raise Fault(f"no fence.mbarrier_init after the mbarrier at {address} was made")
        step = barrier.fenced if by_copy else barrier.made
        if not self.clocks.before(np.flatnonzero(threads) if threads.dtype == bool else threads, barrier.maker, step).all():
            raise Fault(f"no barrier after the mbarrier at {address} was made")
        return barrier

    # ---- arrivals -----------------------------------------------------------------------------------

    def arrive(self, instruction, mask):
        """mbarrier.arrive [state,] [address] [, count or bytes]; also expect_tx and complete_tx alone."""
        operands, modifiers = list(instruction.operands), instruction.modifiers
        state = operands.pop(0) if not operands[0].startswith("[") else None
        arrives, expects = modifiers[0] == "arrive", "expect_tx" in modifiers
        if modifiers[0] == "arrive_drop":
            raise Fault("no mbarrier.arrive_drop here")
        for (address, number), threads in self.pairs(operands[0], operands[1] if len(operands) > 1 else None, mask).items():
            barrier = self.mbarrier(address, threads)
            who = np.zeros(self.threads, bool)
            who[threads] = True
            if state and state != "_":
                self.set(state, np.full(self.threads, barrier.phase, np.uint64), who)
            if expects or modifiers[0] == "complete_tx":
                barrier.bytes += number * len(threads) * (1 if expects else -1)
            if arrives:
                count = len(threads) * (1 if expects or len(operands) == 1 else number)
                self.count_arrivals(barrier, count, self.clocks.released(who))
            self.end_phase(barrier)

    def count_arrivals(self, barrier, count, clock):
        if count > barrier.missing:
            raise Fault(f"{count} arrivals, too many: {barrier}")
        barrier.missing -= count
        barrier.clock = self.clocks.joined(barrier.clock, clock)

    def bytes_arrive(self, barrier, count):
        """A copy is over: what it wrote is the agent's, and known to those who wait for the phase."""
        barrier.bytes -= count
        barrier.landed = barrier.phase
        clock = np.zeros(self.clocks.known.shape[1], np.int64)
        clock[barrier.agent] = self.clocks.now
        barrier.clock = self.clocks.joined(barrier.clock, (clock, clock, clock))
        self.end_phase(barrier)

    def end_phase(self, barrier):
        if not -MOST <= barrier.bytes <= MOST or (barrier.missing == 0 and barrier.bytes < 0):
            raise Fault(f"more bytes than expected: {barrier}")
        if barrier.missing or barrier.bytes:
            return
        barrier.phase, barrier.missing = barrier.phase + 1, barrier.expected
        barrier.done_clock, barrier.clock = self.clocks.joined(barrier.done_clock, barrier.clock), None
        if barrier.address in self.waiting_for:
            self.unblock(self.waiting_for.pop(barrier.address))
        self.progress()

    # ---- waits --------------------------------------------------------------------------------------

    def wait_for_phase(self, instruction, mask, blocks):
        """[predicate], [address], parity or state. A try_wait that fails is tried again when the phase ends, or it says so."""
        predicate, address, parity = instruction.operands[:3]
        for (address, parity), threads in self.pairs(address, parity, mask).items():
            barrier = self.mbarrier(address, threads)
            who = np.zeros(self.threads, bool)
            who[threads] = True
            over = barrier.phase % 2 != parity % 2
            if over:
                barrier.awaited = barrier.phase - 1
            if over and barrier.done_clock is not None:
                self.clocks.acquire(who, barrier.done_clock)
            if over or not blocks or self.random.integers(8) == 0:
                self.set(predicate, np.full(self.threads, over), who)
                if not over:
                    self.give_way(who)
                continue
            self.place[who] = self.at
            self.waiting_for[address] = self.waiting_for.get(address, ~self.all) | who
            self.block(who, barrier)
