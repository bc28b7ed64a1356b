"""Tensor maps that a kernel makes: tensormap.replace, and the fences between it and copies.

The map starts as zeros, in global or in shared memory. From there a warp copies it to global memory and releases it
(`tensormap.cp_fenceproxy`); otherwise the thread that wrote it does (`fence.proxy.tensormap::generic.release`). The thread that
copies by it acquires it (`…acquire [address], 128`).
"""
import dataclasses

import numpy as np

from .numbers import Fault

KINDS = {0: "u8", 1: "u16", 2: "u32", 3: "s32", 4: "u64", 5: "s64", 6: "f16", 7: "f32", 9: "f64", 10: "bf16"}
FIELDS = ("global_address", "rank", "box_dim", "global_dim", "global_stride", "element_stride", "elemtype", "interleave_layout",
          "swizzle_mode", "fill_mode")
FIRST_VERSION = 86  # of PTX: before, the unit of strides depends on the assembler


@dataclasses.dataclass(eq=False)
class WrittenMap:
    fields: dict = dataclasses.field(default_factory=dict)  # (name, number) -> value
    writer: int = None
    is_released: bool = False
    readers: set = dataclasses.field(default_factory=set)  # threads that have acquired it

    def describe(self, make, address):
        def of(name, number=0):
            if (name, number) not in self.fields:
                raise Fault(f"the tensor map at {address:#x} has no {name} {number}")
            return self.fields[name, number]
        rank = of("rank") + 1
        if of("interleave_layout"):
            raise Fault("interleaved tensor maps are not modelled")
        each = {name: tuple(of(name, i) for i in range(count)) for name, count in
                (("box_dim", rank), ("global_dim", rank), ("global_stride", rank - 1), ("element_stride", rank))}
        return make(of("global_address"), KINDS[of("elemtype")], each["global_dim"], each["global_stride"], each["box_dim"],
                    (0, 32, 64, 128)[of("swizzle_mode")], ("zero", "nan")[of("fill_mode")], each["element_stride"])


USED = 0xEE  # what the bytes of a map in shared memory hold when a field was written


class WrittenMaps:
    def start_written_maps(self):
        self.shared_maps = {}  # address -> WrittenMap

    def op_tensormap(self, instruction, mask):
        """tensormap.replace.tile.FIELD.global.b1024.TYPE [address], [number,] value"""
        modifiers, operands = instruction.modifiers, instruction.operands
        if self.program.version < FIRST_VERSION:
            raise Fault(f"no {instruction.text} here")
        if modifiers[0] == "cp_fenceproxy":
            return self.copy_map(operands, mask)
        if modifiers[:2] != ["replace", "tile"]:
            raise Fault(f"no {instruction.text} here")
        name = next(word for word in modifiers if word in FIELDS)
        number = int(operands[1]) if len(operands) == 3 else 0
        addresses = np.broadcast_to(self.address(operands[0]), self.threads)
        values = self.get(operands[-1], "u64" if "b64" in modifiers else "u32")
        for thread in np.flatnonzero(mask):
            address, value = int(addresses[thread]), int(values[thread])
            if "global" not in modifiers:
                self.write_shared_map(address, int(thread)).fields[name, number] = value
                continue
            self.check_map_place(address)
            written = self.memory.written_maps.get(address)
            if written is None:
                if self.memory.load(np.array([address], np.uint64), 128).any():
                    raise Fault("a tensor map is made of bytes that are not zero")
                written = self.memory.written_maps[address] = WrittenMap()
            written.fields[name, number], written.writer = value, int(thread)
            written.is_released = False
            written.readers.clear()

    def check_map_place(self, address):
        """A copy under way may read its map as late as it likes."""
        if address % 64:
            raise Fault(f"a tensor map at {address:#x}, which is no multiple of 64")
        if any(copy.map_address == address for copy in self.loads + self.stores):
            raise Fault(f"the tensor map at {address:#x} is changed while a copy uses it")

    def map_in_shared(self, address, thread):
        """Where its bytes are."""
        where = self.shared_address(f"[{address}]", thread)
        if where % 128:
            raise Fault(f"a tensor map at {where} in shared memory, which is no multiple of 128")
        return where

    def write_shared_map(self, address, thread):
        where, one = self.map_in_shared(address, thread), np.array([thread])
        written, data = self.shared_maps.get(where), self.shared.load(np.array([where]), 128, one)
        if written is None:
            if data.any():
                raise Fault("a tensor map is made of bytes that are not zero")
            written = self.shared_maps[where] = WrittenMap()
        self.shared.store(np.array([where]), np.full((1, 128), USED, np.uint8), one)
        return written

    def copy_map(self, operands, mask):
        """tensormap.cp_fenceproxy.….release.gpu.sync.aligned [to], [from], 128: by all lanes of a warp."""
        to, source = (np.broadcast_to(self.address(operand), self.threads) for operand in operands[:2])
        threads = np.flatnonzero(mask)
        if len(threads) % 32 or len(np.unique(threads // 32)) * 32 != len(threads):
            raise Fault("a part of a warp copies a tensor map")
        for warp in np.unique(threads // 32):
            lanes = np.arange(32) + 32 * warp
            address, where = int(to[lanes[0]]), self.map_in_shared(int(source[lanes[0]]), int(lanes[0]))
            self.check_map_place(address)
            self.shared.load(np.full(32, where), 128, lanes)
            written = self.shared_maps.pop(where, None)
            if written is None:
                raise Fault("a copy of a tensor map that nobody wrote")
            self.memory.load(np.array([address], np.uint64), 128)  # it is inside of an array
            self.memory.written_maps[address] = WrittenMap(written.fields, int(lanes[0]), is_released=True)

    def fence_maps(self, instruction, mask):
        """fence.proxy.tensormap::generic.release.gpu; or .acquire.gpu [address], 128"""
        if "release" in instruction.modifiers:
            for written in self.memory.written_maps.values():
                written.is_released |= bool(mask[written.writer])
            return
        addresses = np.broadcast_to(self.address(instruction.operands[0]), self.threads)
        for thread in np.flatnonzero(mask):
            written = self.memory.written_maps.get(int(addresses[thread]))
            if written and written.is_released:
                written.readers.add(int(thread))

    def written_map(self, make, address, thread):
        written = self.memory.written_maps.get(address)
        if written is None:
            raise Fault(f"no tensor map at {address:#x}")
        if not written.is_released or thread not in written.readers:
            raise Fault(f"no fence.proxy.tensormap between the tensor map at {address:#x} and a copy by it")
        return written.describe(make, address)
