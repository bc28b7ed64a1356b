"""Kernels whose tensor maps the launcher builds from the recipe in the record: loads, stores and reductions of any rank, at odd
extents and negative coordinates; and values from which no map can be built."""
import ctypes
import functools

import numpy as np
import pytest

import emulator
from emulated_session import EmulatedSession
from emulator import recipes

TYPES = {"f16": np.float16, "f32": np.float32, "i32": np.int32, "f8E4M3FN": np.uint8}

# One tile goes from one tensor to another, or is added to it; from in front of the tensor to its start, since copies out of shared
# memory may not begin there. The arguments are the two addresses, the coordinates, the extents
# and the strides (in elements, without the last, which is 1).
KERNEL = """
#b = #ttg.blocked<{{sizePerThread = [{ones}{width}], threadsPerWarp = [{ones}32], warpsPerCTA = [{ones}4], order = [{order}]}}>
#tile = #ttg.nvmma_shared<{{swizzlingByteWidth = {swizzle}, transposed = false, elementBitWidth = {bits}{rank_text}}}>
#one = #ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}}>
#smem = #ttg.shared_memory
!barrier = !ttg.memdesc<1xi64, #one, #smem, mutable>
!desc = !tt.tensordesc<tensor<{shape}x{type}, #tile>>
!buffer = !ttg.memdesc<{shape}x{type}, #tile, #smem, mutable>
!tensor = tensor<{shape}x{type}, #b>
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32}} {{
tt.func public @copy(%in: !tt.ptr<{type}>, %out: !tt.ptr<{type}>{arguments},
    %source: !desc {{tt.tensor_map = {{base = "arg0", extents = [{extents}], strides = [{strides}], fill = "{fill}"}}}},
    %target: !desc {{tt.tensor_map = {{base = "arg1", offset = {offset}, extents = [{extents}], strides = [{strides}], fill = "zero"}}}}) {{
  %true = arith.constant true
  %zero = arith.constant 0 : i32
  %t = ttg.local_alloc : () -> !buffer
  %o = ttg.local_alloc : () -> !buffer
  %bar = ttg.local_alloc : () -> !barrier
  ttng.init_barrier %bar, 1 : !barrier
  ttng.barrier_expect %bar, {bytes}, %true : !barrier
  ttng.async_tma_copy_global_to_local %source[{place}] %t, %bar, %true : !desc, !barrier -> !buffer
  ttng.wait_barrier %bar, %zero : !barrier
  %x = ttg.local_load %t : !buffer -> !tensor
  ttg.local_store %x, %o : !tensor -> !buffer
  {clipped}
  {store} %target[{target}] %o : !desc, !buffer
  ttng.async_tma_store_wait {{pendings = 0 : i32}}
  tt.return
}}
}}
"""


@functools.lru_cache(maxsize=None)
def compiled(shape, kind, swizzle, fill="zero", adds=False, offset="0"):
    """(program, record)"""
    rank, size = len(shape), np.dtype(TYPES[kind]).itemsize
    extents = [f'"arg{2 + rank + dim}"' for dim in reversed(range(rank))]
    strides = [f'["*", "arg{2 + 2 * rank + dim}", {size}]' for dim in reversed(range(rank - 1))]
    arguments = "".join([*(f", %i{dim}: i32" for dim in range(rank)), *(f", %n{dim}: i32" for dim in range(rank)),
                         *(f", %s{dim}: i64" for dim in range(rank - 1))])
    text = KERNEL.format(ones="1, " * (rank - 1), width=max(1, 16 // size), order=", ".join(str(dim) for dim in reversed(range(rank))), swizzle=swizzle,
                         bits=8 * size, shape="x".join(map(str, shape)), type=kind, arguments=arguments, extents=", ".join(extents),
                         strides=", ".join(strides), fill=fill, offset=f"{offset} : i64" if offset.isdigit() else offset,
                         bytes=int(np.prod(shape)) * size, place=", ".join(f"%i{dim}" for dim in range(rank)),
                         clipped="\n  ".join(f"%u{dim} = arith.maxsi %i{dim}, %zero : i32" for dim in range(rank)),
                         target=", ".join(f"%u{dim}" for dim in range(rank)),
                         rank_text=f", rank = {rank}" if rank != 2 else "",
                         store="ttng.async_tma_reduce add," if adds else "ttng.async_tma_copy_local_to_global")
    library, count = EmulatedSession().library, ctypes.c_size_t()
    kernel, record = library.compiled("copy.ttgir", text, "copy", "", "", "cuda:90", "ptx")
    assert record["abi_version"] == 2 and record["hidden_arguments"] == ["tensor_map:0", "tensor_map:1", "global_scratch", "profile_scratch"]
    ptx = ctypes.string_at(library.kernel_artifact(kernel, b"ptx", ctypes.byref(count)), count.value).decode().rstrip("\0")
    return emulator.Program(ptx), record


def run(program, record, tensor, target, place, extents, seed=0):
    """The target after the launch."""
    memory = emulator.GlobalMemory()
    addresses = [memory.place(array.tobytes()) for array in (tensor, target)]
    result = memory.arrays[-1][1]
    strides = [stride // tensor.itemsize for stride in tensor.strides[:-1]]
    numbers = [*addresses, *place, *extents, *strides]
    names = {argument["name"]: number for argument, number in zip(record["arguments"], numbers)}
    passed = [number & 0xFFFFFFFFFFFFFFFF if argument["type"] != "i32" else number & 0xFFFFFFFF
              for argument, number in zip(record["arguments"], numbers)]
    problems = emulator.run(program, (1, 1, 1), [*passed, *emulator.build_maps(record, names), 0, 0], record["shared"], memory, seed)
    assert not problems
    return result.view(tensor.dtype).reshape(tensor.shape)


def numbers_of(shape, dtype):
    return np.random.default_rng(3).integers(0, 9, shape).astype(dtype)


def expected(tensor, target, place, shape, extents, adds=False):
    """The elements inside both the tile and the tensor's extents are copied, or added; rows of the target end in steps of 16 bytes."""
    unit, result, margin = 16 // tensor.itemsize, target.copy(), 200 if tensor.ndim < 3 else 30
    ends = (*extents[:-1], -(-extents[-1] // unit) * unit)
    around = np.pad(tensor[tuple(map(slice, extents))], margin)
    tile = around[tuple(slice(margin + first, margin + first + count) for first, count in zip(place, shape))]
    there = tuple(slice(max(first, 0), max(min(max(first, 0) + count, end), 0)) for first, count, end in zip(place, shape, ends))
    tile = tile[tuple(map(slice, result[there].shape))]
    result[there] = result[there] + tile if adds else tile
    return result


CASES = [((64, ), "f16", 0), ((32, 64), "f16", 128), ((64, 32), "f16", 64), ((16, 32), "f32", 128), ((16, 128), "f8E4M3FN", 128),
         ((32, 32), "i32", 128), ((4, 8, 64), "f16", 128)]


@pytest.mark.parametrize("adds", [False, True], ids=["store", "reduce"])
@pytest.mark.parametrize("shape,kind,swizzle", CASES, ids=lambda case: str(case).replace(" ", ""))
def test_tiles(shape, kind, swizzle, adds):
    if adds and kind == "f8E4M3FN":
        pytest.skip("no reductions of bytes")
    program, record = compiled(shape, kind, swizzle, adds=adds)
    size = np.dtype(TYPES[kind]).itemsize
    # Rows have slack behind them, and the extents are odd.
    whole = (*(2 * n + 3 for n in shape[:-1]), 2 * shape[-1] + 16 // size)
    extents = (*(n - 1 for n in whole[:-1]), whole[-1] - 3)
    tensor, target = numbers_of(whole, TYPES[kind]), np.full(whole, 7, TYPES[kind])
    inner = 16 // size  # copies begin at multiples of 16 bytes
    for seed, place in enumerate([(0, ) * len(shape), (-3, ) * (len(shape) - 1) + (-inner, ), (*(n + 1 for n in shape[:-1]), shape[-1] + inner), whole]):
        got = run(program, record, tensor, target, place, extents, seed)
        assert np.array_equal(got, expected(tensor, target, place, shape, extents, adds)), place


@pytest.mark.parametrize("rank", [4, 5])
def test_many_dimensions(rank):
    """No swizzle: the whole tile is one box."""
    shape = (*(2, ) * (rank - 2), 4, 16)
    program, record = compiled(shape, "f16", 32)
    whole = (*(3, ) * (rank - 2), 9, 24)
    tensor, target = numbers_of(whole, np.float16), np.full(whole, 7, np.float16)
    for place in [(0, ) * rank, (1, ) * (rank - 1) + (8, ), (-1, ) * (rank - 1) + (-8, )]:
        extents = (*(2, ) * (rank - 2), 7, 21)
        got = run(program, record, tensor, target, place, extents)
        assert np.array_equal(got, expected(tensor, target, place, shape, extents)), place


def test_nan_and_offset():
    """What is outside of the source reads as NaN; the target begins 32 bytes behind its address."""
    program, record = compiled((32, 64), "f16", 128, fill="nan", offset='["*", 16, 2]')
    tensor, target = numbers_of((40, 64), np.float16), np.full((41, 64), 7, np.float16)
    flat = run(program, record, np.vstack([tensor, tensor[:1]]), target, (30, 0), (40, 48)).reshape(-1)
    got = flat[16:16 + 40 * 64].reshape(40, 64)
    assert np.array_equal(got[30:40, :48], tensor[30:40, :48]) and (got[:30] == 7).all()


@pytest.mark.parametrize("change,value", [("n0", 0), ("n1", -1), ("s0", 0), ("s0", -64), ("s0", 1 << 40), ("s0", 65), ("s0", 1 << 62),
                                          ("in", 0), ("in", 8)])
def test_values_without_a_map(change, value):
    """No tensor map takes them: the launch needs the other variant."""
    _, record = compiled((32, 64), "f16", 128)
    names = dict(zip([argument["name"] for argument in record["arguments"]], [4096, 8192, 0, 0, 64, 64, 64]))
    assert len(emulator.build_maps(record, names)) == 2
    order = ["in", "out", "i0", "i1", "n0", "n1", "s0"]
    names[record["arguments"][order.index(change)]["name"]] = value
    with pytest.raises(emulator.NoTensorMap):
        emulator.build_maps(record, names)


def test_expressions():
    arguments = {"n": 100, "m": -7}
    for expression, value in [(5, 5), ("n", 100), (["cdiv", "n", 64], 2), (["floordiv", "m", 2], -4), (["/", "m", 2], -3), (["%", "m", 2], -1),
                              (["min", "n", "m"], -7), (["max", "n", ["-", "n", "m"]], 107), (["u32", "m"], 2**32 - 7), (["i32", "m"], -7)]:
        assert recipes.evaluate(expression, arguments) == value
    for expression in (["/", "n", 0], ["*", "n", 1 << 62], ["i32", ["*", "n", 1 << 30]]):
        with pytest.raises(emulator.NoTensorMap):
            recipes.evaluate(expression, arguments)
