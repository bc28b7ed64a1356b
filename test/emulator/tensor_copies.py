"""Bulk copies between global and shared memory: cp.async.bulk and, with a tensor map, cp.async.bulk.tensor (TMA).

A map describes a tensor in global memory and a box of it. A copy to shared memory completes on an mbarrier, at some time
that the seed decides; until then its bytes belong to it. A copy from shared memory is committed to a group of the
thread's copies; `wait_group.read` says that it has read its bytes, `wait_group` that it has written them (global_order.py).

What an H200 does with copies from shared memory beside that: rows end where the tensor does in steps of 16 bytes along the
contiguous dimension, so that elements behind it are written; other dimensions end exactly. A negative coordinate is an illegal
instruction, also for a box that is all outside of the tensor. Copies to shared memory know neither.

    run(program, grid, [TensorMap(address, "f16", (K, M), (stride,), (64, 128), swizzle=128)], ...)
"""
import dataclasses

import numpy as np

from .numbers import UNSIGNED, Fault, bits_of
from .program import names_in
from .tracked import CHUNK

MAP_BYTES = 128
REDUCTIONS = {"add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}


@dataclasses.dataclass(frozen=True)
class TensorMap:
    """Dimensions are innermost first; strides are bytes and leave out the innermost dimension."""
    address: int
    kind: str
    extents: tuple
    strides: tuple
    box: tuple
    swizzle: int = 0  # bytes
    fill: str = "zero"  # or "nan"
    element_strides: tuple = ()

    def __post_init__(self):
        rank, width = len(self.extents), self.box[0] * self.size
        problems = {
            "rank": not 1 <= rank <= 5 or len(self.strides) != rank - 1 or len(self.box) != rank,
            "address": self.address % 16, "extents": any(not 1 <= n <= 1 << 32 for n in self.extents),
            "strides": any(n % 16 or not 0 <= n < 1 << 40 for n in self.strides),
            "box": any(not 1 <= n <= 256 for n in self.box) or width % 16,
            "swizzle": self.swizzle not in (0, 32, 64, 128) or (self.swizzle and width > self.swizzle),
            "fill": self.fill not in ("zero", "nan") or (self.fill == "nan" and "f" not in self.kind),
            "element strides": any(not 1 <= n <= 8 for n in self.element_strides) or self.element_strides[:1] not in ((), (1,)),
        }
        if any(problems.values()):
            raise Fault("a tensor map's " + ", ".join(name for name, bad in problems.items() if bad))

    @property
    def size(self):
        return bits_of(self.kind) // 8

    @property
    def bytes(self):
        return int(np.prod(self.box)) * self.size

    def elements(self, coordinates, stored=False):
        """(addresses, whether inside) of the box at the coordinates; the shape is the box's, innermost last. `stored`: of a copy
        from shared memory."""
        if coordinates[0] * self.size % 16:
            raise Fault(f"an illegal instruction: a tensor copy at {coordinates}, which is no multiple of 16 bytes along the first dimension")
        if stored and min(coordinates) < 0:
            raise Fault(f"an illegal instruction: a tensor copy from shared memory at {coordinates}, of which one is negative")
        unit = CHUNK // self.size if stored else 1
        extents = (-(-self.extents[0] // unit) * unit, *self.extents[1:])
        addresses, inside = np.int64(self.address), np.True_
        for dimension, (first, count) in enumerate(zip(coordinates, self.box)):
            step = (self.element_strides or (1,) * len(self.box))[dimension]
            index = first + step * np.arange(count).reshape(-1, *[1] * dimension)
            addresses = addresses + index * (self.strides[dimension - 1] if dimension else self.size)
            inside = inside & (index >= 0) & (index < extents[dimension])
        return addresses, np.broadcast_to(inside, addresses.shape)

    def filling(self, shape):
        """NaNs have all bits set but the sign's."""
        raw = {16: 0x7FFF, 32: 0x7FFFFFFF, 64: 0x7FFFFFFFFFFFFFFF}[8 * self.size] if self.fill == "nan" else 0
        return np.full(shape, raw, UNSIGNED[8 * self.size])

    def places(self, address):
        """Where the box's bytes, in order, lie in shared memory."""
        period = 8 * self.swizzle or 128
        if address % period:
            raise Fault(f"a box in shared memory at {address}, which is no multiple of {period}")
        if self.swizzle and self.box[0] * self.size != self.swizzle:
            raise Fault("a box narrower than its swizzle is not modelled")
        where = address + np.arange(self.bytes)
        return where ^ ((where >> 7 & (self.swizzle // CHUNK - 1)) << 4) if self.swizzle else where


@dataclasses.dataclass
class Plain:
    """A range of bytes, as a map is a box of elements."""
    address: int
    bytes: int
    size: int = CHUNK

    def elements(self, _, stored=False):
        addresses = self.address + CHUNK * np.arange(self.bytes // CHUNK)
        return addresses, np.ones(len(addresses), bool)

    def places(self, address):
        if address % CHUNK or self.address % CHUNK or self.bytes % CHUNK:
            raise Fault("a bulk copy's address or size is no multiple of 16")
        return address + np.arange(self.bytes)


@dataclasses.dataclass(eq=False)
class Load:
    map: object
    coordinates: tuple
    where: np.ndarray  # bytes of shared memory
    barrier: object
    map_address: int


@dataclasses.dataclass(eq=False)
class Store:
    map: object
    coordinates: tuple
    where: np.ndarray
    thread: int
    commit: int  # how many commits of the thread came before
    update: str  # or None
    addresses: np.ndarray  # of the elements that it writes
    map_address: int
    data: np.ndarray = None  # if it was read early
    was_read: bool = False


class TensorCopies:
    def start_tensor_copies(self):
        self.loads, self.stores = [], []
        self.global_writes = {}  # 16 bytes -> thread, step, and whether its copy wrote them
        self.bulk_commits = np.zeros(self.threads, np.int64)

    def op_bulk(self, instruction, mask):
        modifiers = instruction.modifiers
        if "commit_group" in modifiers:
            self.bulk_commits[mask] += 1
        elif "wait_group" in modifiers:
            self.wait_for_stores(mask, int(instruction.operands[0]), "read" in modifiers)
        elif "prefetch" in modifiers:
            return
        else:
            for thread in np.flatnonzero(mask):
                begin = self.begin_store if "bulk_group" in modifiers else self.begin_load
                begin(instruction, int(thread))

    def map_address(self, operand, thread):
        """Of "[address, {x, y}]", or a plain address."""
        address = operand.strip("[] ").split(",", 1)[0].strip()
        return int(np.broadcast_to(self.address(f"[{address}]"), self.threads)[thread])

    def box(self, operand, size, thread):
        """(map, coordinates) of "[address, {x, y}]", or of an address and a number of bytes."""
        _, *coordinates = [text.strip() for text in operand.strip("[] ").split(",", 1)]
        number = self.map_address(operand, thread)
        if not coordinates:
            return Plain(number, int(self.get(size, "u32")[thread])), None
        found = self.memory.maps.get(number) or self.written_map(TensorMap, number, thread)
        return found, tuple(int(self.get(name, "s32")[thread]) for name in names_in(coordinates[0]))

    def shared_address(self, operand, thread):
        return int(self.shared.physical(np.broadcast_to(self.address(operand), self.threads)[[thread]], np.array([thread]))[0])

    def targets(self, instruction, tensor, thread):
        """Distances to the shared memories that a load writes: the own, or those of a multicast's blocks."""
        if not any(word.startswith("multicast") for word in instruction.modifiers):
            return [0]
        mask = int(self.get(instruction.operands[3 if tensor else 4], "u16")[thread])
        if mask == 0 or mask >> self.program.cluster_size:
            raise Fault(f"a multicast to blocks {mask:#b} of {self.program.cluster_size}")
        own = thread // self.program.threads
        return [(rank - own) * self.shared.window for rank in range(self.program.cluster_size) if mask >> rank & 1]

    # ---- to shared memory ---------------------------------------------------------------------------

    def begin_load(self, instruction, thread):
        tensor, operands = "tensor" in instruction.modifiers, instruction.operands
        source, coordinates = self.box(operands[1], None if tensor else operands[2], thread)
        addresses, inside = source.elements(coordinates)
        self.check_global_writes(addresses[inside], thread)
        self.check_global_access("copy", addresses[inside], source.size, thread)
        at, barrier_at = (self.shared_address(operands[i], thread) for i in (0, 2 if tensor else 3))
        if at // self.shared.window != barrier_at // self.shared.window:
            raise Fault("a copy's mbarrier is in another block than its destination")
        for distance in self.targets(instruction, tensor, thread):
            barrier = self.mbarrier(barrier_at + distance, np.array([thread]), by_copy=True)
            where = self.inside(source.places(at + distance))
            self.num_copies += 1
            self.shared.begin_copy(where[None], np.array([thread]), self.num_copies, asynchronous=True)
            self.loads.append(Load(source, coordinates, where, barrier, self.map_address(operands[1], thread)))

    def inside(self, where):
        if where[0] // self.shared.window != where.max() // self.shared.window:
            raise Fault(f"shared memory out of bounds: {int(where.max())} of {self.shared.block_bytes}")
        return where

    def end_load(self, load):
        self.loads.remove(load)
        agent = np.array([load.barrier.agent])
        self.shared.end_copy(load.where[None], self.read_box(load.map, load.coordinates)[None], agent)
        self.bytes_arrive(load.barrier, load.map.bytes)

    def read_box(self, tensor, coordinates):
        addresses, inside = tensor.elements(coordinates)
        if isinstance(tensor, Plain):
            return self.memory.load(addresses.astype(np.uint64), CHUNK).reshape(-1)
        data = tensor.filling(addresses.shape)
        data[inside] = self.memory.load(addresses[inside].astype(np.uint64), tensor.size).reshape(-1).view(data.dtype)
        return data.reshape(-1).view(np.uint8)

    # ---- what threads wrote to global memory --------------------------------------------------------

    def note_global_writes(self, addresses, size, threads, by_copy=False):
        """Threads' writes to global memory belong to the generic proxy, too."""
        if self.program.has_bulk_copies:
            for number, address in enumerate(addresses.tolist()):
                for chunk in range(address // CHUNK, (address + size - 1) // CHUNK + 1):
                    self.global_writes[chunk] = int(threads[number]), self.clocks.now, by_copy

    def check_global_writes(self, addresses, thread, only_of_threads=False):
        for chunk in self.global_writes.keys() & set((addresses // CHUNK).tolist()) if self.global_writes else ():
            writer, step, by_copy = self.global_writes[chunk]
            if by_copy and only_of_threads:
                continue
            if not self.clocks.fenced_before(np.array([thread]), np.array([writer]), step, of_global=True).all():
                raise Fault("no barrier and fence.proxy.async between a write to global memory and a bulk copy of it")

    # ---- from shared memory -------------------------------------------------------------------------

    def begin_store(self, instruction, thread):
        tensor, operands = "tensor" in instruction.modifiers, instruction.operands
        target, coordinates = self.box(operands[0], None if tensor else operands[2], thread)
        where = self.inside(target.places(self.shared_address(operands[1], thread)))
        update = instruction.one_of(*REDUCTIONS)
        if update and not tensor:
            raise Fault("no bulk reduction without a tensor map here")
        addresses, inside = target.elements(coordinates, stored=True)
        self.check_global_writes(addresses[inside], thread, only_of_threads=True)
        store = Store(target, coordinates, where, thread, int(self.bulk_commits[thread]), update, addresses[inside], self.map_address(operands[0], thread))
        self.begin_global_writes(store.addresses, target.size, thread, may_overlap=update is not None)
        self.shared.begin_bulk_read(np.unique(where // CHUNK), thread)
        if self.random.integers(2):
            store.data = self.shared.data[where]
        self.stores.append(store)

    def wait_for_stores(self, mask, left, only_read):
        """What a store writes to global memory is there after `wait_group`, not after `wait_group.read`."""
        kept = []
        for store in self.stores:
            over = mask[store.thread] and store.commit < self.bulk_commits[store.thread] - left
            if over and not store.was_read:
                store.data = self.shared.data[store.where] if store.data is None else store.data
                self.shared.end_bulk_read(np.unique(store.where // CHUNK), store.thread)
                store.was_read = True
            if over and not only_read:
                self.write_box(store, store.data)
                self.end_global_writes(store.addresses, store.map.size, store.thread)
                self.note_global_writes(store.addresses, store.map.size, np.full(len(store.addresses), store.thread), by_copy=True)
            else:
                kept.append(store)
        self.stores = kept

    def write_box(self, store, data):
        addresses, inside = store.map.elements(store.coordinates, stored=True)
        size = store.map.size
        addresses, data = addresses[inside].astype(np.uint64), data.reshape(-1, size)[inside.reshape(-1)]
        if store.update:
            dtype = self.as_type(np.zeros(1, np.uint32), store.map.kind).dtype
            before = self.memory.load(addresses, size).view(dtype)
            data = REDUCTIONS[store.update](before, np.ascontiguousarray(data).view(dtype)).view(np.uint8)
        self.memory.store(addresses, data)

    def check_tensor_copies(self):
        if self.loads or any(barrier.landed > barrier.awaited for barrier in self.mbarriers.values()):
            raise Fault("the kernel ends before its copies to shared memory were waited for")
        if not all(store.was_read for store in self.stores):
            raise Fault("the kernel ends before its copies from shared memory have read it (cp.async.bulk.wait_group.read)")
        for store in self.stores:
            self.write_box(store, store.data)
