"""Bulk copies with tensor maps: boxes, swizzles, edges; stores."""
import itertools

import numpy as np
import pytest

import emulator
from emulator import TensorMap
from handwritten import Kernel, store_registers, wait, without

SEEDS = range(5)
BARRIER, TILE = 0, 1024  # addresses in shared memory

START = "mov.u32 %r1, %tid.x; mov.u32 %r2, global_smem; setp.eq.u32 %p1, %r1, 0;"
INIT = f"@%p1 mbarrier.init.shared::cta.b64 [%r2+{BARRIER}], 1;"
INIT_FENCE, SYNC = "@%p1 fence.mbarrier_init.release.cluster;", "bar.sync 0;"
WAIT = wait(f"%r2+{BARRIER}", 0)


def load(rank, coordinates, at="%r2+1024", barrier="%r2", guard="@%p1", source="%rd1"):
    return (f"{guard} cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
            f"[{at}], [{source}, {{{', '.join(map(str, coordinates))}}}], [{barrier}];")


def tile_to_registers(count, first=100):
    """32-bit word i * threads + t of the tile becomes register i of thread t."""
    return "shl.b32 %r3, %r1, 2; add.u32 %r3, %r3, %r2; " + " ".join(f"ld.shared.b32 %r{first + i}, [%r3+{TILE + 4 * 128 * i}];" for i in range(count))


def load_kernel(rank, coordinates, size, expected=None):
    words = -(-size // 512)
    return [START, INIT, INIT_FENCE, SYNC, "mov.b64 %rd1, a_map;",
            f"@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2+{BARRIER}], {expected or size};", load(rank, coordinates), WAIT,
            tile_to_registers(words), store_registers("out", [f"%r{100 + i}" for i in range(words)], 128)]


def run_load(tensor, rank, box, coordinates, seed=0, swizzle=0, fill="zero", lines=None, expected=None, **changes):
    kind = {np.float16: "f16", np.float32: "f32", np.uint8: "u8"}[tensor.dtype.type]
    size = int(np.prod(box)) * tensor.itemsize
    lines = lines or load_kernel(rank, coordinates, size, expected)
    kernel = Kernel(without(lines, **changes), 128, ["a_map", "out"])
    memory_map = lambda address: TensorMap(address, kind, tensor.shape[::-1], tensor.strides[::-1][1:], box, swizzle, fill)  # noqa: E731
    out = np.zeros(-(-size // 512) * 128, np.uint32)
    return kernel.run([(memory_map, tensor), out], 1024 + -(-size // 512) * 512, seed)[1].view(np.uint8)[:size]


def expected_box(tensor, box, coordinates, fill, swizzle):
    """Element by element."""
    values = np.zeros(box[::-1], tensor.dtype)
    for index in itertools.product(*map(range, box[::-1])):
        place = tuple(c + i for c, i in zip(coordinates[::-1], index))
        inside = all(0 <= p < n for p, n in zip(place, tensor.shape))
        values[index] = tensor[place] if inside else np.nan if fill == "nan" else 0
    flat, image = values.reshape(-1).view(np.uint8), np.zeros(values.nbytes, np.uint8)
    for byte, value in enumerate(flat):
        for bit in range({0: 0, 32: 1, 64: 2, 128: 3}[swizzle]):
            byte ^= (byte >> (7 + bit) & 1) << (4 + bit)
        image[byte] = value
    return image


@pytest.mark.parametrize("shape,box,coordinates", [
    ((512,), (256,), (64,)), ((512,), (256,), (400,)), ((512,), (256,), (-32,)),
    ((40, 64), (64, 32), (0, 16)), ((40, 72), (32, 32), (48, -8)), ((40, 64), (32, 16), (-104, 3)), ((40, 64), (32, 16), (2000, 3)),
    ((3, 20, 64), (32, 8, 2), (40, 15, 2)), ((2, 3, 4, 16), (16, 4, 2, 2), (0, 1, 2, 1)), ((2, 2, 3, 4, 16), (16, 2, 2, 2, 2), (8, 1, 2, 1, -1)),
])
@pytest.mark.parametrize("fill", ["zero", "nan"])
def test_loads(shape, box, coordinates, fill):
    tensor = np.random.default_rng(1).standard_normal(shape).astype(np.float16)
    got = run_load(tensor, len(shape), box, coordinates, fill=fill)
    assert np.array_equal(got.view(np.float16), expected_box(tensor, box, coordinates, fill, 0).view(np.float16), equal_nan=True)


@pytest.mark.parametrize("swizzle", [32, 64, 128])
@pytest.mark.parametrize("dtype", [np.uint8, np.float16, np.float32])
def test_swizzled_loads(swizzle, dtype):
    tensor = np.random.default_rng(1).integers(0, 200, (32, 256)).astype(dtype)
    box, coordinates = (swizzle // tensor.itemsize, 16), (swizzle // tensor.itemsize, 10)
    for seed in SEEDS:
        assert (run_load(tensor, 2, box, coordinates, seed, swizzle) == expected_box(tensor, box, coordinates, "zero", swizzle)).all()


LOAD = load_kernel(2, (0, 0), 2048)


@pytest.mark.parametrize("changes,complaint", [
    ({"dropped": WAIT}, "read of bytes that a copy under way writes|read without waiting for the copy's mbarrier|ends before its copies"),
    ({"dropped": INIT_FENCE}, "no fence.mbarrier_init"),
    ({"dropped": SYNC}, "no barrier after the mbarrier"),
    ({"dropped": INIT}, "there is no mbarrier"),
    ({"lines": load_kernel(2, (0, 0), 2048, 4096)}, r"(?s)deadlock.*lacks 0 of 1 arrivals and 2048 bytes"),
    ({"lines": load_kernel(2, (0, 0), 2048, 1024)}, "more bytes than expected"),
    ({"dropped": LOAD[5]}, "deadlock"),
    ({"added": {SYNC: "st.shared.b32 [%r2+1024], %r1;"}}, "two writes without a barrier|without a fence.proxy.async|no fence.proxy.async"),
    ({"added": {SYNC: "ld.shared.b32 %r9, [%r2+1024];"}}, "no fence.proxy.async|write without a barrier"),
    ({"dropped": LOAD[6], "added": {LOAD[5]: load(2, (0, 0), "%r2+1088")}}, "no multiple of 128"),
    ({"added": {WAIT: LOAD[5] + LOAD[6]}}, "ends before its copies|a copy under way"),
])
def test_load_faults(changes, complaint):
    tensor = np.ones((32, 32), np.float16)
    for seed in SEEDS:
        with pytest.raises(emulator.Fault, match=complaint):
            run_load(tensor, 2, (32, 32), (0, 0), seed, **{"lines": LOAD, **changes})


# ---- stores -----------------------------------------------------------------------------------------

FENCE, READ_WAIT = "fence.proxy.async.shared::cta;", "@%p1 cp.async.bulk.wait_group.read 0;"
STORE, COMMIT = "@%p1 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {4, 30}], [%r2+1024];", "@%p1 cp.async.bulk.commit_group;"
WRITE, REUSE = "st.shared.b32 [%r3+1024], %r1;", "st.shared.b32 [%r3+1024], %r2;"
STORES = [START, "mov.b64 %rd1, a_map; shl.b32 %r3, %r1, 2; add.u32 %r3, %r3, %r2;", WRITE, FENCE, SYNC, STORE, COMMIT, READ_WAIT, "bar.sync 0; ", REUSE]


def run_stores(seed=0, lines=None, **changes):
    tensor = np.zeros((32, 32), np.int32)
    kernel = Kernel(without(lines or STORES, **changes), 128, ["a_map"])
    return kernel.run([(lambda address: TensorMap(address, "s32", (32, 32), (128,), (32, 4)), tensor)], 2048, seed)[0]


def test_stores():
    expected = np.zeros((32, 32), np.int32)
    expected[30:, 4:] = np.arange(128).reshape(4, 32)[:2, :28]
    for seed in SEEDS:
        assert (run_stores(seed) == expected).all()
        added = run_stores(seed, [line.replace("cp.async.bulk.tensor", "cp.reduce.async.bulk.tensor").replace(".tile.", ".add.tile.") if line == STORE else line
                                  for line in STORES])
        assert (added == expected).all()


@pytest.mark.parametrize("changes,complaint", [
    ({"dropped": FENCE}, "a copy reads without a fence.proxy.async"),
    ({"dropped": SYNC}, "a copy reads without a barrier"),
    ({"dropped": READ_WAIT}, "write to bytes that a copy under way reads"),
    ({"dropped": [READ_WAIT, REUSE]}, "before its copies from shared memory have read it"),
    ({"dropped": [COMMIT, REUSE]}, "before its copies from shared memory have read it"),
    ({"dropped": "bar.sync 0; "}, "write without a barrier after a copy read"),
])
def test_store_faults(changes, complaint):
    for seed in SEEDS:
        with pytest.raises(emulator.Fault, match=complaint):
            run_stores(seed, **changes)


def stored_box(extents, coordinates):
    """What a box of 32x4 halves writes into a tensor of the extents, whose rows lie 64 apart."""
    begin = [START, "mov.b64 %rd1, a_map; shl.b32 %r3, %r1, 1; add.u32 %r3, %r3, %r2; add.u32 %r4, %r1, 1; cvt.u16.u32 %rs1, %r4;",
             "st.shared.b16 [%r3+1024], %rs1;", FENCE, SYNC]
    store = STORE.replace("{4, 30}", "{%d, %d}" % coordinates)
    lines = [*begin, store, COMMIT, READ_WAIT]
    kernel, tensor = Kernel(without(lines), 128, ["a_map"]), np.zeros((8, 64), np.uint16)
    return kernel.run([(lambda address: TensorMap(address, "f16", extents, (128,), (32, 4)), tensor)], 2048)[0]


@pytest.mark.parametrize("columns,end", [(1, 8), (7, 8), (8, 8), (9, 16), (16, 16), (31, 32), (32, 32), (33, 32)])
@pytest.mark.parametrize("rows", [1, 3, 4, 5])
def test_stores_end_at_16_bytes(rows, columns, end):
    """As an H200 stores: rows in whole steps of 16 bytes, behind the tensor's end, too."""
    expected = np.zeros((8, 64), np.uint16)
    expected[:min(rows, 4), :end] = np.arange(1, 129).reshape(4, 32)[:rows, :end]
    assert (stored_box((columns, rows), (0, 0)) == expected).all()


def test_stores_behind_the_end():
    for coordinates in ((40, 0), (0, 6), (0, 2000000000)):
        assert not stored_box((33, 6), coordinates).any()


@pytest.mark.parametrize("coordinates", [(-8, 0), (-16, 0), (-32, 0), (0, -1), (0, -4), (8, -300), (-8, 8)])
def test_no_store_has_a_negative_coordinate(coordinates):
    """As on an H200, whether the box reaches the tensor or not. Loads have no such limit (test_loads)."""
    with pytest.raises(emulator.Fault, match="illegal instruction: a tensor copy from shared memory at"):
        stored_box((32, 8), coordinates)


def test_global_writes_before_a_store():
    """What a thread wrote to global memory is fenced before a bulk copy writes it."""
    write = READS[0] + " st.global.b32 [%rd3], %r1;"
    plain = [*VISIBLE[:3], write, "fence.proxy.async;", SYNC, *VISIBLE[5:]]
    for seed in SEEDS:
        assert (run_visible(seed, plain) == np.arange(128)).all()
        for less in ([line for line in plain if line != "fence.proxy.async;"], [line.replace("async;", "async.shared::cta;") for line in plain]):
            with pytest.raises(emulator.Fault, match="no barrier and fence.proxy.async"):
                run_visible(seed, [*less[:3], FENCE, *less[3:]])


def test_global_writes_before_a_load():
    """What a thread wrote to global memory is fenced before a bulk copy reads it."""
    write = "ld.param.u64 %rd2, [again]; @%p1 st.global.b32 [%rd2], %r1;"
    plain = [START, INIT, INIT_FENCE, SYNC, write, "fence.proxy.async;", "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 512;",
             "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2+1024], [%rd2], 512, [%r2];", WAIT,
             tile_to_registers(1), store_registers("out", ["%r100"], 128)]
    for seed in SEEDS:
        arguments = [np.arange(128, dtype=np.uint32), np.zeros(128, np.uint32)]
        assert (Kernel(without(plain), 128, ["again", "out"]).run(arguments, 2048, seed)[1] == np.arange(128)).all()
        with pytest.raises(emulator.Fault, match="no barrier and fence.proxy.async"):
            Kernel(without(plain, "fence.proxy.async;"), 128, ["again", "out"]).run(arguments, 2048, seed)


@pytest.mark.parametrize("changes,complaint", [
    ({"address": 8}, "address"), ({"strides": (72,)}, "strides"), ({"box": (4, 4)}, "box"), ({"box": (512, 1)}, "box"), ({"extents": (0, 4)}, "extents"),
    ({"swizzle": 32}, "swizzle"), ({"kind": "s32", "fill": "nan"}, "fill"),
])
def test_maps(changes, complaint):
    sound = {"address": 256, "kind": "f16", "extents": (64, 64), "strides": (128,), "box": (64, 4)}
    TensorMap(**sound)
    with pytest.raises(emulator.Fault, match=complaint):
        TensorMap(**{**sound, **changes})


def test_a_copy_begins_at_a_multiple_of_16_bytes():
    """The chip takes others for illegal instructions, whether they begin inside or in front of the tensor."""
    tensor = np.zeros((40, 64), np.float16)
    for column in (3, -4):
        with pytest.raises(emulator.Fault, match="illegal instruction: a tensor copy at"):
            run_load(tensor, 2, (32, 16), (column, 3))


# ---- global memory that stores write ----------------------------------------------------------------

WRITTEN_WAIT = "@%p1 cp.async.bulk.wait_group 0;"
INSIDE = STORE.replace("{4, 30}", "{0, 0}")
# Each thread reads a word that a copy wrote.
READS = ["mov.b64 %rd2, a_map; ld.param.u64 %rd3, [again]; shl.b32 %r4, %r1, 2; cvt.u64.u32 %rd4, %r4; add.u64 %rd3, %rd3, %rd4;",
         "ld.global.b32 %r5, [%rd3];", store_registers("out", ["%r5"], 128)]
VISIBLE = [START, "mov.b64 %rd1, a_map; shl.b32 %r3, %r1, 2; add.u32 %r3, %r3, %r2;", WRITE, FENCE, SYNC, INSIDE, COMMIT, WRITTEN_WAIT, "bar.sync 0; ", *READS]


def run_visible(seed=0, lines=VISIBLE, **changes):
    """The map's tensor is also passed as a pointer."""
    kernel = Kernel(without(lines, **changes), 128, ["a_map", "again", "out"])
    memory = emulator.GlobalMemory()
    address, out = memory.place(bytes(4096)), memory.place(bytes(512))
    result = memory.arrays[-1][1]
    problems = emulator.run(kernel.program, (1, 1, 1), [TensorMap(address, "s32", (32, 32), (128,), (32, 4)), address, out], 2048, memory, seed)
    if problems:
        raise emulator.Fault("; ".join(problems))
    return result.view(np.int32)


def test_what_a_store_wrote_is_read():
    for seed in SEEDS:
        assert (run_visible(seed) == np.arange(128)).all()


@pytest.mark.parametrize("changes,complaint", [
    ({"dropped": WRITTEN_WAIT}, "read of global bytes that a copy under way writes"),
    ({"lines": [READ_WAIT if line == WRITTEN_WAIT else line for line in VISIBLE]}, "read of global bytes that a copy under way writes"),
    ({"dropped": "bar.sync 0; "}, "read of global bytes without a barrier after the wait"),
    ({"lines": [line.replace("ld.global.b32 %r5, [%rd3]", "st.global.b32 [%rd3], %r1") if line.startswith("ld.global") else line for line in VISIBLE[:7]]
      + [READ_WAIT, *VISIBLE[8:9], READS[0], "st.global.b32 [%rd3], %r1;"]}, "write of global bytes that a copy under way writes"),
    ({"lines": [*VISIBLE[:7], READ_WAIT, INSIDE, COMMIT, WRITTEN_WAIT]}, "two copies under way write the same bytes"),
    ({"added": {COMMIT: READS[0] + " red.global.add.u32 [%rd3], 1;"}}, "update of global bytes that a copy under way writes"),
])
def test_faults_of_global_memory(changes, complaint):
    for seed in SEEDS:
        with pytest.raises(emulator.Fault, match=complaint):
            run_visible(seed, **changes)
