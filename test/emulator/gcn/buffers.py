"""Buffer instructions: a descriptor in four scalar registers, an offset of each lane, a scalar one and a constant.

Raw buffers only: an access that does not lie within `num_records` bytes gives 0 or is dropped, dword by dword. Both compilers mean
that only for masked-off lanes, whose offset is MASKED_OFF; any other offset out of range is an access outside of the tensor. Private
memory of gfx90a is a buffer as well, which the base address tells.
"""
import numpy as np

from ..numbers import Fault
from .accesses import parse_access, size_of

SCRATCH_HIGH = 0x5C00
MASKED_OFF = 1 << 31


class Buffers:
    def buffer_places(self, instruction, operands):
        """(base addresses, offsets, sizes) of the active lanes; `operands`: offset, descriptor, scalar offset."""
        lane, descriptor, scalar = operands
        words = [self.register("s", descriptor.first + index).astype(np.uint64) for index in range(4)]
        if "idxen" in instruction.modifiers or (words[1] >> np.uint64(16)).any():
            raise Fault("structured buffers are not modelled")
        base = words[0] | (words[1] & np.uint64(0xFFFF)) << np.uint64(32)
        offset = np.uint64(instruction.number("offset")) + scalar.read(self, "u32").astype(np.uint64)
        if "offen" in instruction.modifiers:
            # The sum does not wrap: a negative offset is out of range, whatever constant is added.
            offsets = np.broadcast_to(lane.read(self, "u32"), self.active.shape)[self.active]
            limit = np.broadcast_to(words[2], self.active.shape)[self.active]
            masked = (offsets >= MASKED_OFF) & (offsets < MASKED_OFF + 16)  # LLVM loads a part of an element if that is all that is used
            outside = (offsets >= limit) & ~masked & (limit >= MASKED_OFF - 2)  # a smaller buffer is there to cut accesses off
            if outside.any():
                raise Fault(f"an offset of {int(offsets[outside][0].astype(np.int32))} bytes from a buffer of {int(limit[outside][0])}")
            offset = (offset + lane.read(self, "u32").astype(np.uint64))
        shape = self.active.shape
        return [np.broadcast_to(values, shape)[self.active] for values in (base, offset, words[2])]

    def op_buffer(self, instruction):
        if instruction.plan is None:
            instruction.plan = parse_access(instruction)
        _, loads, kind, half = instruction.plan
        to_lds = "lds" in instruction.modifiers
        target, *places = instruction.operands if not to_lds else [None, *instruction.operands]
        base, offset, size = self.buffer_places(instruction, places)
        threads = self.threads[self.rows][self.active]
        if len(base) and int(base[0]) >> 32 == SCRATCH_HIGH:
            return self.private(target, offset.astype(np.int64), loads, kind, half, threads)
        if to_lds:
            inside = offset + np.uint64(size_of(kind)) <= size
            return self.load_to_lds(instruction, base + offset, kind, inside)
        (self.buffer_load if loads else self.buffer_store)(target, base, offset, size, kind, half, threads)

    def pieces(self, kind):
        """[(begin, bytes)]: each dword is checked by itself."""
        size = size_of(kind)
        return [(begin, min(4, size)) for begin in range(0, size, 4)]

    def buffer_load(self, target, base, offset, size, kind, half, threads):
        self.aligned(base + offset, kind)
        data = np.zeros((len(threads), size_of(kind)), np.uint8)
        if (offset + np.uint64(size_of(kind)) <= size).all():
            data[:] = self.memory.load(base + offset, size_of(kind))
        else:
            for begin, count in self.pieces(kind):
                inside = offset + np.uint64(begin + count) <= size
                data[inside, begin:begin + count] = self.memory.load((base + offset)[inside] + np.uint64(begin), count)
        self.set_loaded(target, data, threads, kind, half, "load")

    def buffer_store(self, source, base, offset, size, kind, half, threads):
        self.aligned(base + offset, kind)
        data = self.stored_bytes(source, size_of(kind), half)
        for begin, count in self.pieces(kind):
            inside = offset + np.uint64(begin + count) <= size
            self.memory.store((base + offset)[inside] + np.uint64(begin), data[inside, begin:begin + count])
        self.issue("store")
