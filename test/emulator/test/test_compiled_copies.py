"""Tensor copies and mbarriers as Tessera lowers them from TTGIR: tiles go in and out by tensor maps, with every swizzle, at odd
bounds; and with a barrier, wait or fence taken out the emulator reports it."""
import copy
import ctypes
import dataclasses
import functools

import numpy as np
import pytest

import emulator
from emulated_session import EmulatedSession
from emulator import TensorMap

SEEDS = range(4)
TYPES = {np.float16: ("f16", "arith.addf"), np.float32: ("f32", "arith.addf"), np.int8: ("i8", "arith.addi")}
KINDS = {np.float16: "f16", np.float32: "f32", np.int8: "u8"}  # a map's

HEAD = """
#b = #ttg.blocked<{{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [{warps}, 1], order = [1, 0]}}>
#tile = #ttg.nvmma_shared<{{swizzlingByteWidth = {swizzle}, transposed = false, elementBitWidth = {bits}}}>
#one = #ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}}>
#smem = #ttg.shared_memory
!barrier = !ttg.memdesc<1xi64, #one, #smem, mutable>
!barriers = !ttg.memdesc<2x1xi64, #one, #smem, mutable>
!desc = !tt.tensordesc<tensor<{shape}x{type}, #tile>>
!buffer = !ttg.memdesc<{shape}x{type}, #tile, #smem, mutable>
!buffers = !ttg.memdesc<2x{shape}x{type}, #tile, #smem, mutable>
!tensor = tensor<{shape}x{type}, #b>
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = {warps} : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32}} {{
tt.func public @copy(%in: !desc, %out: !desc, %i: i32, %j: i32, %n: i32, %u: i32, %v: i32) {{
  %true = arith.constant true
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %rows = arith.constant {rows} : i32
"""

# Adds up `n` tiles, one below the other, and writes the sum where the first was. The only barriers in the loop are those that an
# arrival needs.
SUM = """
    %x = ttg.local_load %t : !buffer -> !tensor
    ttng.arrive_barrier %e, 1 : !barrier
    %y = {add} %acc, %x : !tensor
    scf.yield %y : !tensor
  }}
  ttg.local_store %total, %o : !tensor -> !buffer
  ttng.async_tma_copy_local_to_global %out[%u, %v] %o : !desc, !buffer
  ttng.async_tma_store_wait {{pendings = 0 : i32}}
  tt.return
}}
}}
"""
SUM_LOOP = "%init = arith.constant dense<{nothing}> : !tensor\n  %total = scf.for %k = %zero to %n step %one iter_args(%acc = %init) -> (!tensor) : i32"

# Doubles the tiles instead.
LOOP = "scf.for %k = %zero to %n step %one : i32"
DOUBLE = """
    %x = ttg.local_load %t : !buffer -> !tensor
    {released}
    %y = {add} %x, %x : !tensor
    ttng.async_tma_store_wait {{pendings = 0 : i32}}
    ttg.local_store %y, %o : !tensor -> !buffer
    %to = arith.addi %u, %offset : i32
    ttng.async_tma_copy_local_to_global %out[%to, %v] %o : !desc, !buffer
  }}
  ttng.async_tma_store_wait {{pendings = 0 : i32}}
  tt.return
}}
}}
"""

ONE_TILE = """
  %t = ttg.local_alloc : () -> !buffer
  %o = ttg.local_alloc : () -> !buffer
  %bar = ttg.local_alloc : () -> !barrier
  ttng.init_barrier %bar, 1 : !barrier
  {loop} {{
    %offset = arith.muli %k, %rows : i32
    %row = arith.addi %i, %offset : i32
    %phase = arith.andi %k, %one : i32
    ttng.barrier_expect %bar, {bytes}, %true : !barrier
    ttng.async_tma_copy_global_to_local %in[%row, %j] %t, %bar, %true : !desc, !barrier -> !buffer
    ttng.wait_barrier %bar, %phase deps %t : !barrier, !buffer
"""

# The copy of the next tile is under way while one is read; a second pair of barriers says that a slot may be filled again.
TWO_SLOTS = """
  %ts = ttg.local_alloc : () -> !buffers
  %o = ttg.local_alloc : () -> !buffer
  %fulls = ttg.local_alloc : () -> !barriers
  %empties = ttg.local_alloc : () -> !barriers
  %f0 = ttg.memdesc_index %fulls[%zero] : !barriers -> !barrier
  %f1 = ttg.memdesc_index %fulls[%one] : !barriers -> !barrier
  %e0 = ttg.memdesc_index %empties[%zero] : !barriers -> !barrier
  %e1 = ttg.memdesc_index %empties[%one] : !barriers -> !barrier
  ttng.init_barrier %f0, 1 : !barrier
  ttng.init_barrier %f1, 1 : !barrier
  ttng.init_barrier %e0, 1 : !barrier
  ttng.init_barrier %e1, 1 : !barrier
  %t0 = ttg.memdesc_index %ts[%zero] : !buffers -> !buffer
  %any = arith.cmpi sgt, %n, %zero : i32
  ttng.barrier_expect %f0, {bytes}, %any : !barrier
  ttng.async_tma_copy_global_to_local %in[%i, %j] %t0, %f0, %any : !desc, !barrier -> !buffer
  {loop} {{
    %next = arith.addi %k, %one : i32
    %slot = arith.remsi %k, %two : i32
    %ahead = arith.remsi %next, %two : i32
    %round = arith.divsi %k, %two : i32
    %nextround = arith.divsi %next, %two : i32
    %parity = arith.andi %round, %one : i32
    %nextparity = arith.andi %nextround, %one : i32
    %emptyparity = arith.xori %nextparity, %one : i32
    %more = arith.cmpi slt, %next, %n : i32
    %nextoffset = arith.muli %next, %rows : i32
    %nextrow = arith.addi %i, %nextoffset : i32
    %tn = ttg.memdesc_index %ts[%ahead] : !buffers -> !buffer
    %fn = ttg.memdesc_index %fulls[%ahead] : !barriers -> !barrier
    %en = ttg.memdesc_index %empties[%ahead] : !barriers -> !barrier
    ttng.wait_barrier %en, %emptyparity, %more : !barrier
    ttng.barrier_expect %fn, {bytes}, %more : !barrier
    ttng.async_tma_copy_global_to_local %in[%nextrow, %j] %tn, %fn, %more : !desc, !barrier -> !buffer
    %t = ttg.memdesc_index %ts[%slot] : !buffers -> !buffer
    %f = ttg.memdesc_index %fulls[%slot] : !barriers -> !barrier
    %e = ttg.memdesc_index %empties[%slot] : !barriers -> !barrier
    %offset = arith.muli %k, %rows : i32
    ttng.wait_barrier %f, %parity deps %t : !barrier, !buffer
"""
FORMS = {"one tile": ONE_TILE + DOUBLE, "two slots": TWO_SLOTS + DOUBLE, "sum": TWO_SLOTS + SUM}


@functools.lru_cache(maxsize=None)
def compiled(form, shape, dtype, swizzle, warps=4):
    """(program, bytes of shared memory)"""
    name, add = TYPES[dtype]
    loop = SUM_LOOP.format(nothing="0" if dtype is np.int8 else "0.0") if form == "sum" else LOOP
    released = "ttng.arrive_barrier %e, 1 : !barrier" if form == "two slots" else ""
    size = np.dtype(dtype).itemsize
    text = (HEAD + FORMS[form]).format(warps=warps, loop=loop, swizzle=swizzle, bits=8 * size, shape=f"{shape[0]}x{shape[1]}", type=name, add=add,
                                          rows=shape[0], bytes=shape[0] * shape[1] * size, released=released)
    library, count = EmulatedSession().library, ctypes.c_size_t()
    kernel, record = library.compiled("copy.ttgir", text, "copy", "", "", "cuda:90", "ptx")
    assert [argument["type"] for argument in record["arguments"]] == ["tensormap", "tensormap", *["i32"] * 5]
    ptx = ctypes.string_at(library.kernel_artifact(kernel, b"ptx", ctypes.byref(count)), count.value).decode().rstrip("\0")
    return emulator.Program(ptx), record["shared"]


def run(program, shared, shape, swizzle, tensor, place, tiles, seed=0):
    """The output tensor, which is as large as the input."""
    memory, size = emulator.GlobalMemory(), tensor.itemsize
    box = (swizzle // size if swizzle else min(shape[1], 256), shape[0])

    def map_of(array):
        address = memory.place(array.tobytes())
        return TensorMap(address, KINDS[tensor.dtype.type], array.shape[::-1], array.strides[::-1][1:], box, swizzle)
    maps = [map_of(tensor), map_of(np.full_like(tensor, 77))]
    result = memory.arrays[-1][1]
    numbers = [number & 0xFFFFFFFF for number in place]
    problems = emulator.run(program, (1, 1, 1), [*maps, *numbers, tiles, *stored_at(place), 0, 0], shared, memory, seed)
    if problems:
        raise emulator.Fault("; ".join(problems))
    return result.view(tensor.dtype).reshape(tensor.shape)


def stored_at(place):
    """Tiles from in front of the tensor are stored at its start: no copy out of shared memory may begin there."""
    return [max(number, 0) for number in place]


def numbers(shape, dtype):
    return np.random.default_rng(5).integers(-9, 10, shape).astype(dtype)


def expected(form, tensor, shape, place, tiles):
    """Tiles, one below the other, are read, with zeros outside of the tensor; they are doubled, or added up, and stored."""
    around, result, (row, column) = np.pad(tensor, 1000), np.full_like(tensor, 77), stored_at(place)
    parts = [around[1000 + place[0] + k * shape[0]:, 1000 + place[1]:][:shape[0], :shape[1]] for k in range(tiles)]
    stored = [sum(parts, np.zeros(shape, tensor.dtype))] if form == "sum" else [part + part for part in parts]
    for k, tile in enumerate(stored):
        there = result[row + k * shape[0]:, column:][:shape[0], :shape[1]]
        there[:] = tile[:there.shape[0], :there.shape[1]]
    return result


SHAPES = [((64, 64), np.float16, 128), ((64, 128), np.float16, 128), ((32, 64), np.float16, 64), ((16, 16), np.float16, 32),
          ((32, 32), np.float16, 0), ((16, 32), np.float32, 128), ((32, 128), np.int8, 64), ((8, 16), np.int8, 0)]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape,dtype,swizzle", SHAPES)
def test_tiles(form, shape, dtype, swizzle):
    """Inside, over each edge, and outside: what is outside reads as zero and is not written. Columns begin and end at multiples of 16
    bytes."""
    program, shared = compiled(form, shape, dtype, swizzle)
    tensor = numbers((2 * shape[0] + 5, 2 * shape[1]), dtype)
    for number, place in enumerate([(0, 0), (3, 16), (-7, -16), (shape[0] + 9, shape[1] + 16), (500, 0)]):
        for tiles in (0, 1, 2, 3):
            got = run(program, shared, shape, swizzle, tensor, place, tiles, seed=number)
            assert np.array_equal(got, expected(form, tensor, shape, place, tiles)), (place, tiles)


@pytest.mark.parametrize("form", FORMS)
def test_eight_warps_and_seeds(form):
    program, shared = compiled(form, (64, 64), np.float16, 128, warps=8)
    tensor = numbers((200, 64), np.float16)
    for seed in SEEDS:
        assert np.array_equal(run(program, shared, (64, 64), 128, tensor, (1, 0), 3, seed), expected(form, tensor, (64, 64), (1, 0), 3))


# ---- maps that the kernel makes -------------------------------------------------------------------

OWN_MAPS = """
#b = #ttg.blocked<{{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}}>
#tile = #ttg.nvmma_shared<{{swizzlingByteWidth = {swizzle}, transposed = false, elementBitWidth = 16}}>
#one = #ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}}>
#smem = #ttg.shared_memory
!barrier = !ttg.memdesc<1xi64, #one, #smem, mutable>
!desc = !tt.tensordesc<tensor<32x64xf16, #tile>>
!buffer = !ttg.memdesc<32x64xf16, #tile, #smem, mutable>
!tensor = tensor<32x64xf16, #b>
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32}} {{
tt.func public @copy(%in: !tt.ptr<f16>, %out: !tt.ptr<f16>, %i: i32, %j: i32, %height: i32, %width: i32, %stride: i64) {{
  %true = arith.constant true
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %rows = arith.constant 32 : i32
  %columns = arith.constant {columns} : i32
  %from = ttg.global_scratch_alloc {{alignment = 128 : i32, nbytes = 128 : i32}} : !tt.ptr<i8>
  %to = ttg.global_scratch_alloc {{alignment = 128 : i32, nbytes = 128 : i32}} : !tt.ptr<i8>
  ttng.tensormap_create %from, %in, [%columns, %rows], [%width, %height], [%stride], [%one, %one] {{elem_type = 6 : i32, fill_mode = {fill} : i32, interleave_layout = 0 : i32, swizzle_mode = {mode} : i32}} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32, i32, i64, i32, i32) -> ()
  ttng.tensormap_create %to, %out, [%columns, %rows], [%width, %height], [%stride], [%one, %one] {{elem_type = 6 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = {mode} : i32}} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32, i32, i64, i32, i32) -> ()
  ttng.tensormap_fenceproxy_acquire %from : !tt.ptr<i8>
  ttng.tensormap_fenceproxy_acquire %to : !tt.ptr<i8>
  %source = ttng.reinterpret_tensor_descriptor %from : !tt.ptr<i8> to !desc
  %target = ttng.reinterpret_tensor_descriptor %to : !tt.ptr<i8> to !desc
  %t = ttg.local_alloc : () -> !buffer
  %o = ttg.local_alloc : () -> !buffer
  %bar = ttg.local_alloc : () -> !barrier
  ttng.init_barrier %bar, 1 : !barrier
  ttng.barrier_expect %bar, 4096, %true : !barrier
  ttng.async_tma_copy_global_to_local %source[%i, %j] %t, %bar, %true : !desc, !barrier -> !buffer
  ttng.wait_barrier %bar, %zero : !barrier
  %x = ttg.local_load %t : !buffer -> !tensor
  %y = arith.addf %x, %x : !tensor
  ttg.local_store %y, %o : !tensor -> !buffer
  %u = arith.maxsi %i, %zero : i32
  %v = arith.maxsi %j, %zero : i32
  ttng.async_tma_copy_local_to_global %target[%u, %v] %o : !desc, !buffer
  ttng.async_tma_store_wait {{pendings = 0 : i32}}
  tt.return
}}
}}
"""


@functools.lru_cache(maxsize=None)
def with_own_maps(swizzle, fill, again=False):
    """`again`: the map of the load is made anew before its copy is awaited."""
    columns = swizzle // 2 if swizzle else 64
    text = OWN_MAPS.format(swizzle=swizzle, columns=columns, fill=fill, mode={0: 0, 32: 1, 64: 2, 128: 3}[swizzle])
    if again:
        create = next(line for line in text.split("\n") if "tensormap_create %from" in line)
        text = text.replace("  ttng.wait_barrier", create + "\n  ttng.wait_barrier")
    library, count = EmulatedSession().library, ctypes.c_size_t()
    kernel, record = library.compiled("copy.ttgir", text, "copy", "", "", "cuda:90", "ptx")
    assert record["global_scratch"]["bytes"] == 256
    return emulator.Program(ctypes.string_at(library.kernel_artifact(kernel, b"ptx", ctypes.byref(count)), count.value).decode().rstrip("\0")), record["shared"]


def run_own_maps(program, shared, place, seed=0):
    """A tensor whose rows have slack behind them."""
    tensor, memory = numbers((50, 104), np.float16), emulator.GlobalMemory()
    arrays = [memory.place(array.tobytes()) for array in (tensor, np.full_like(tensor, 77))]
    result = memory.arrays[-1][1]
    scratch = memory.place(b"\xff" * 256)
    arguments = [*arrays, *(number & 0xFFFFFFFF for number in place), 50, 100, 208, scratch, 0]
    problems = emulator.run(program, (1, 1, 1), arguments, shared, memory, seed)
    if problems:
        raise emulator.Fault("; ".join(problems))
    return tensor, result.view(np.float16).reshape(tensor.shape)


@pytest.mark.parametrize("fill", [0, 1], ids=["zero", "nan"])
@pytest.mark.parametrize("swizzle", [0, 32, 64, 128])
def test_maps_of_the_kernel(swizzle, fill):
    program, shared = with_own_maps(swizzle, fill)
    assert program.version == 86
    for seed, place in enumerate([(0, 0), (30, 56), (-5, -16)]):
        tensor, got = run_own_maps(program, shared, place, seed)
        # The copy in ends at column 100, the one out at the next multiple of 16 bytes.
        around, right, (row, column) = np.full((300, 300), np.nan if fill else 0, np.float16), np.full_like(tensor, 77), stored_at(place)
        around[100:150, 100:200] = tensor[:, :100]
        tile = 2 * around[100 + place[0]:, 100 + place[1]:][:32, :64]
        there = right[row:, column:][:32, :64]
        there[:] = tile[:there.shape[0], :there.shape[1]]
        assert np.array_equal(got, right, equal_nan=True)


@pytest.mark.parametrize("text,complaint", [
    ("tensormap::generic.release", "no tensor map at"), ("tensormap::generic.acquire", "no fence.proxy.tensormap"),
    ("st.shared.b32", "bytes that are not zero"), ("global_stride", "no global_stride 0"), ("swizzle_mode", "no swizzle_mode 0"),
    ("tensormap.replace", "a copy of a tensor map that nobody wrote"),
])
def test_maps_of_the_kernel_lack_something(text, complaint):
    program, shared = with_own_maps(128, 0)
    places = [place for place, instruction in enumerate(program.code) if text in instruction.text]
    assert places
    with pytest.raises(emulator.Fault, match=complaint):
        run_own_maps(without(program, places), shared, (0, 0))


def test_a_map_that_a_copy_uses_is_changed():
    program, shared = with_own_maps(128, 0, again=True)
    with pytest.raises(emulator.Fault, match="is changed while a copy uses it"):
        for seed in range(8):  # a copy may also arrive at once
            run_own_maps(program, shared, (0, 0), seed)


# ---- with one of its orders removed ---------------------------------------------------------------

def orders(instruction):
    text = instruction.text
    return (instruction.name == "bar" or "wait_group" in text or "commit_group" in text
            or text.split(" ")[-1].startswith(("fence.", "mbarrier.")) or "fence." in text or "mbarrier." in text and "bulk.tensor" not in text)


def without(program, places):
    changed = copy.copy(program)
    changed.code = list(program.code)
    for place in places:
        changed.code[place] = dataclasses.replace(program.code[place], name="membar", modifiers=["cta"], operands=[], text="membar.cta")
    return changed


def is_reported(form, program, shared):
    tensor = numbers((200, 64), np.float16)
    for seed in SEEDS:
        try:
            got = run(program, shared, (64, 64), 128, tensor, (1, 0), 3, seed)
        except emulator.Fault:
            return True
        if not np.array_equal(got, expected(form, tensor, (64, 64), (1, 0), 3)):
            return True
    return False


# What is there twice. A thread's fence also speaks for what it accessed before an earlier one. The thread that fills a slot is the
# one that arrived where it waits. The barriers around the output tile order the reads of a slot, too.
TWICE = {"one tile": ("fence.proxy.async",), "two slots": ("fence.proxy.async", "mbarrier.try_wait", "bar.sync"),
         "sum": ("mbarrier.try_wait",)}


@pytest.mark.parametrize("form", FORMS)
def test_removed_orders_are_reported(form):
    program, shared = compiled(form, (64, 64), np.float16, 128)
    ordering = [place for place, instruction in enumerate(program.code) if orders(instruction)]
    assert not is_reported(form, program, shared) and len(ordering) >= 10
    missed = [program.code[place].text for place in ordering if not is_reported(form, without(program, [place]), shared)]
    missed = [text for text in missed if "fence.mbarrier_init" not in text]  # the last one speaks for all barriers
    assert all(text.startswith(TWICE[form]) for text in missed) and len(missed) <= len(TWICE[form]), missed
    for name in ("fence.proxy.async", "fence.mbarrier_init", "bar.sync", "mbarrier.try_wait"):
        places = [place for place in ordering if name in program.code[place].text]
        assert places and is_reported(form, without(program, places), shared), name


# ---- stores that the compiler turns into copies -----------------------------------------------------

STORES = """
import triton
import triton.language as tl

@triton.jit
def squares(a, c, sizes, M, sc, MADE: tl.constexpr):
    r, k = tl.arange(0, 64), tl.arange(0, 32)
    for part in range(2):
        rows = tl.load(sizes + part) if MADE else M
        out = tl.make_tensor_descriptor(c, [rows, 64], [sc, 1], [64, 64])
        for row in range(0, M, 64):
            x = tl.load(a + (row + r)[:, None] * 32 + k[None, :])
            y = tl.load(a + r[None, :] * 32 + k[:, None])
            out.store([row, 0], (tl.dot(x, y) + part).to(tl.float16))
"""


@functools.lru_cache(maxsize=None)
def compiled_stores(made):
    library, count = EmulatedSession().library, ctypes.c_size_t()
    kernel, record = library.compiled("stores.py", STORES, "squares", f"*fp16,*fp16:16,*i32,i32,i32:16,{made}", "num-stages=1", "cuda:90", "ptx")
    text = ctypes.string_at(library.kernel_artifact(kernel, b"ptx", ctypes.byref(count)), count.value).decode().rstrip("\0")
    return emulator.Program(text), record


def run_stores(program, record, made, seed):
    memory, M, sc = emulator.GlobalMemory(), 128, 80
    a, c = numbers((M, 32), np.float16), np.full((M, sc), 7, np.float16)
    addresses = [memory.place(array.tobytes()) for array in (a, c, np.array([M, M - 7], np.int32))]
    result = memory.arrays[1][1]
    arguments = dict(zip(("a", "c", "sizes", "M", "sc"), [*addresses, M, sc]))
    passed = [*arguments.values(), *emulator.build_maps(record, arguments), memory.place(bytes(4096)), 0]
    problems = emulator.run(program, (1, 1, 1), passed, record["shared"], memory, seed)
    if problems:
        raise emulator.Fault("\n".join(problems))
    right = c.copy()
    square = a.astype(np.float32) @ a[:64].astype(np.float32).T
    right[:, :64] = square
    right[:M - 7 if made else M, :64] += 1
    return np.array_equal(result.view(np.float16).reshape(c.shape), right)


# Tiles of one place, whole or cut, so that the kernel copies some and its threads store others: after a copy, and before one.
TURNS = """
import triton
import triton.language as tl

@triton.jit
def turns(a, c, starts, M, N, sc, n):
    r, k = tl.arange(0, 64), tl.arange(0, 32)
    out = tl.make_tensor_descriptor(c, [M, N], [sc, 1], [64, 64])
    x = tl.load(a + r[:, None] * 32 + k[None, :])
    y = tl.load(a + r[None, :] * 32 + k[:, None])
    for i in range(n):
        out.store([tl.load(starts + i), 0], (tl.dot(x, y) + i).to(tl.float16))
"""
TURN_STARTS = {"a copy first": (0, -8, 24, 16, 0), "a store first": (-8, 8, 0, -8), "stores alone": (-8, -16, -8), "copies alone": (8, 0)}


@functools.lru_cache(maxsize=None)
def compiled_turns():
    library, count = EmulatedSession().library, ctypes.c_size_t()
    kernel, record = library.compiled("turns.py", TURNS, "turns", "*fp16:16,*fp16:16,*i32,i32,i32:16,i32:16,i32", "", "cuda:90", "ptx")
    text = ctypes.string_at(library.kernel_artifact(kernel, b"ptx", ctypes.byref(count)), count.value).decode().rstrip("\0")
    return emulator.Program(text), record


def run_turns(program, record, starts, seed):
    memory, M, N, sc = emulator.GlobalMemory(), 80, 64, 80
    a, c = numbers((64, 32), np.float16), np.full((M, sc), 7, np.float16)
    addresses = [memory.place(array.tobytes()) for array in (a, c, np.array(starts, np.int32))]
    result = memory.arrays[1][1]
    arguments = dict(zip(("a", "c", "starts", "M", "N", "sc", "n"), [*addresses, M, N, sc, len(starts)]))
    passed = [*arguments.values(), *emulator.build_maps(record, arguments), memory.place(bytes(4096)), 0]
    problems = emulator.run(program, (1, 1, 1), passed, record["shared"], memory, seed)
    if problems:
        raise emulator.Fault("\n".join(problems))
    square, right = a.astype(np.float32) @ a.astype(np.float32).T, c.copy()
    for i, start in enumerate(starts):
        right[max(start, 0):start + 64, :64] = (square + i)[max(-start, 0):M - start]
    return np.array_equal(result.view(np.float16).reshape(c.shape), right)


def test_removed_orders_of_copies_and_stores_are_reported():
    """Some order the copies with the stores, others those of the same kind; each is needed for one of the sequences."""
    program, record = compiled_turns()

    def is_wrong(changed):
        try:
            return not all(run_turns(changed, record, starts, seed) for starts in TURN_STARTS.values() for seed in SEEDS)
        except emulator.Fault:
            return True
    assert not is_wrong(program)
    ordering = [place for place, instruction in enumerate(program.code) if orders_stores(instruction)]
    missed = [program.code[place].text for place in ordering if is_wrong(without(program, [place])) is False]
    assert not missed, missed
    assert any("fence.proxy.async.global" in program.code[place].text for place in ordering)


def orders_stores(instruction):
    """The barriers, fences and waits from the first copy out of shared memory on, or in front of a map that is made."""
    text = instruction.text
    return instruction.name == "bar" or any(part in text for part in ("bulk.wait_group", "bulk.commit_group", "fence.proxy"))


@pytest.mark.parametrize("made", [0, 1])
def test_removed_orders_of_stores_are_reported(made):
    program, record = compiled_stores(made)

    def is_wrong(changed):
        try:
            return not all(run_stores(changed, record, made, seed) for seed in SEEDS)
        except emulator.Fault:
            return True
    assert not is_wrong(program)
    ordering = [place for place, instruction in enumerate(program.code) if orders_stores(instruction)]
    texts = [program.code[place].text for place in ordering]
    assert any("wait_group.read" in text for text in texts) and any("wait_group 0" in text for text in texts)
    missed = [program.code[place].text for place in ordering if not is_wrong(without(program, [place]))]
    # Barriers of the CTA come between two maps that are made in the same shared memory, too.
    assert all(text.startswith("bar.warp.sync") for text in missed) and len(missed) <= made, missed
    for kind in ("wait_group", "commit_group", "fence.proxy.async", "bar.sync"):
        places = [place for place in ordering if kind in program.code[place].text]
        assert places and is_wrong(without(program, places)), kind
