"""LDS: the memory of a workgroup, its instructions, and who touched which byte when.

A wave's LDS instructions take effect in their order, so its lanes never race with each other. Between waves there must be
a barrier, and before it a wait: an access that was not waited for when its wave signalled the barrier counts as one that comes
after it. Copies from global memory to LDS arrive when the wave waits for them, and nobody may touch their bytes before.
"""
import re

import numpy as np

from ..memory import SharedMemory
from ..numbers import Fault

SIZES = {"u8": 1, "i8": 1, "b8": 1, "u16": 2, "i16": 2, "b16": 2, "b32": 4, "b64": 8, "b96": 12, "b128": 16}
PAIR = re.compile(r"ds_(?:read|write)2(st64)?_b(\d+)|ds_(?:load|store)_2addr(_stride64)?_b(\d+)")
ONE = re.compile(r"ds_(read|write|load|store)(_addtid)?_([uib]\d+)(_d16_hi|_d16)?")


class LocalData(SharedMemory):
    """The LDS of workgroups that run together, one after the other."""

    def __init__(self, size, group_threads, groups, lanes):
        self.window, self.group_threads = -(-max(size, 16) // 16) * 16, group_threads
        super().__init__(self.window * groups, group_threads * groups, lanes)
        self.times = np.zeros(len(self.warp_times), np.int64)  # barriers that each wave has signalled
        self.waits = np.zeros(len(self.warp_times), np.int64)  # barriers that each wave has passed
        self.under_way = []  # (touches, bytes, threads, when issued by wave): what may not have happened yet
        self.copied = np.zeros(len(self.data), bool)  # bytes that copies under way write
        self.size, self.issue_times = size, self.times

    def physical(self, addresses, size, threads):
        offsets = addresses.astype(np.int64)
        if len(offsets) and int(offsets.max()) + size > self.size:
            raise Fault(f"LDS out of bounds: {int(offsets.max())} of {self.size}")
        return offsets + threads // self.group_threads * self.window

    def load(self, addresses, size, threads):
        places = self.physical(addresses, size, threads)
        self.complain_copies("read", places, size, threads)
        return super().load(places, size, threads)

    def store(self, addresses, data, threads):
        places = self.physical(addresses, data.shape[1], threads)
        self.complain_copies("write", places, data.shape[1], threads)
        super().store(places, data, threads)

    def cell(self, address, size, thread):
        place = int(self.physical(np.array([address]), size, np.array([thread]))[0])
        return super().cell(place, size, thread)

    def unordered(self, touches, where, threads):
        who, wave = touches.thread[where], (threads // self.warp)[:, None]
        return (who >= 0) & (who // self.warp != wave) & (touches.block_time[where] >= self.waits[wave])

    def touch(self, touches, where, threads):
        waves = threads // self.warp
        touches.thread[where] = threads[:, None]
        touches.block_time[where] = self.times[waves][:, None]
        self.under_way.append((touches, where, threads, self.issue_times[waves] + 1))

    def signal(self, waves, finished):
        """The waves signal a barrier: what is still under way happens after it."""
        self.times[waves] += 1
        kept = []
        for touches, where, threads, issued in self.under_way:
            late = issued > finished[threads // self.warp]
            if late.any():
                where, threads, issued = where[late], threads[late], issued[late]
                signalling = np.isin(threads // self.warp, waves)
                mine = touches.thread[where] == threads[:, None]
                again = mine & signalling[:, None]
                times = np.broadcast_to(self.times[threads // self.warp][:, None], where.shape)
                touches.block_time[where[again]] = times[again]
                kept.append((touches, where, threads, issued))
        self.under_way = kept

    # ---- copies from global memory ------------------------------------------------------------------

    def complain_copies(self, what, places, size, threads):
        if self.copied.any():
            where = places[:, None] + np.arange(size)
            self.complain(f"{what} of bytes that a copy under way writes", self.copied[where], where, threads)

    def begin_copy(self, addresses, size, threads):
        """The places of the bytes that will arrive."""
        places = self.physical(addresses, size, threads)
        where = places[:, None] + np.arange(size)
        self.complain("copy without a barrier after a read", self.unordered(self.read, where, threads), where, threads)
        self.copied[where] = True
        return places

    def end_copy(self, places, data, threads):
        self.copied[places[:, None] + np.arange(data.shape[1])] = False
        super().store(places, data, threads)
        self.under_way.pop()


class LocalDataShare:
    """ds_read, ds_write and their forms of two addresses."""

    def ds_offsets(self, instruction, size):
        pair = PAIR.fullmatch(instruction.name)
        if not pair:
            return [instruction.number("offset")]
        step = size * (64 if pair.group(1) or pair.group(3) else 1)
        return [instruction.number("offset0") * step, instruction.number("offset1") * step]

    def op_ds_access(self, instruction):
        plan = instruction.plan
        if plan is None:
            pair, one = PAIR.fullmatch(instruction.name), ONE.fullmatch(instruction.name)
            if not (pair or one) or (one and one.group(2)):
                raise Fault(f"no such instruction here: {instruction.text}")
            kind = f"b{pair.group(2) or pair.group(4)}" if pair else one.group(3)
            reads = instruction.name.startswith(("ds_read", "ds_load"))
            plan = instruction.plan = (kind, SIZES[kind], reads, one.group(4) if one else None, self.ds_offsets(instruction, SIZES[kind]))
        self.shared.issue_times = self.issued[self.chip.counter_of["lds"]]
        (self.ds_read if plan[2] else self.ds_write)(instruction, plan)

    def ds_addresses(self, operand, offset, size):
        """(addresses, threads) of the active lanes."""
        threads = self.threads[self.rows][self.active]
        base = np.broadcast_to(operand.word(self), self.active.shape)[self.active]
        addresses = base.astype(np.int64) + offset
        if (addresses % min(size if size != 12 else 4, 16)).any():
            raise Fault(f"an LDS address is not a multiple of {size}")
        return addresses, threads

    def ds_read(self, instruction, plan):
        kind, size, _, half, offsets = plan
        target, source = instruction.operands[:2]
        data = []
        for offset in offsets:
            addresses, threads = self.ds_addresses(source, offset, size)
            data.append(self.shared.load(addresses, size, threads))
        self.set_loaded(target, np.concatenate(data, 1), threads, kind, half, "lds")

    def ds_write(self, instruction, plan):
        _, size, _, half, offsets = plan
        for offset, source in zip(offsets, instruction.operands[1:]):
            addresses, threads = self.ds_addresses(instruction.operands[0], offset, size)
            self.shared.store(addresses, self.stored_bytes(source, size, half), threads)
        self.issue("lds")

    def op_transposed_read(self, instruction):
        """gfx950: 16 lanes read rows of a small matrix, and each gets a column: lane m's element k is element m % e of lane
        k * (16 / e) + m / e, where a lane reads e elements. Six bits: 16 elements in 96 bits."""
        bits, element = map(int, re.search(r"_b(\d+)_tr_b(\d+)", instruction.name).groups())
        if not self.is_full:
            raise Fault(f"only a part of the wave runs {instruction.text}")
        addresses, threads = self.ds_addresses(instruction.operands[1], instruction.number("offset"), bits // 8)
        self.shared.issue_times = self.issued[self.chip.counter_of["lds"]]
        data = np.unpackbits(self.shared.load(addresses, bits // 8, threads), axis=1, bitorder="little")
        count = bits // element
        rows = data.reshape(-1, count, 16, element)  # [group of lanes, k, m, bit]
        columns = rows.transpose(0, 2, 1, 3).reshape(len(threads), bits)
        self.set_loaded(instruction.operands[0], np.packbits(columns, axis=1, bitorder="little"), threads, f"b{bits}", None, "lds")
