"""Kernels whose parameters are tuples and tensor descriptors: what docs/abi.md says is passed for them, and in which order."""
import random as pyrandom

import numpy as np
import pytest

from launch import BF16, FP16, FP32, FP64, I8, I16, I32, I64, U8, assert_same_bits, poison, random
from memory_blocks import read, write
from session import Sparse
from tiles import kernel, offsets


def descriptor(name, array, shape, strides):
    """The arguments that stand for a descriptor."""
    parts = {f"{name}.base": array}
    parts.update({f"{name}.shape.{axis}": extent for axis, extent in enumerate(shape)})
    parts.update({f"{name}.strides.{axis}": stride for axis, stride in enumerate(strides)})
    return parts


def row_major(shape, size, slack=0):
    """Strides in elements, rows a multiple of 16 bytes apart; `slack` adds that many multiples."""
    strides = [1]
    for axis in range(len(shape) - 1, 0, -1):
        step = strides[0] * shape[axis]
        strides.insert(0, (-(-step * size // 16) + slack) * 16 // size)
    return strides


@pytest.mark.parametrize("seed", range(40))
def test_random_tiles(run, seed):
    rng = pyrandom.Random(seed)
    dtype = rng.choice([FP32, FP16, BF16, FP64, I8, U8, I16, I32, I64])
    rank, size = 1 + seed % 5, np.dtype(dtype.storage).itemsize
    block = [rng.choice([1, 2, 4]) for _ in range(rank - 1)] + [max(16 // size, rng.choice([1, 16]))]
    shape = [rng.randrange(1, 2 * b + 3) for b in block]
    if promised := rng.random() < 0.5:
        shape[-1] = -(-shape[-1] * size // 16) * 16 // size
    strides = row_major(shape, size, rng.randrange(2))
    room = sum((extent - 1) * stride for extent, stride in zip(shape, strides)) + 1
    start, target = ([rng.randrange(-b - 1, n + 2) for b, n in zip(block, shape)] for _ in range(2))
    for place in (start, target):
        place[-1] = place[-1] * size // 16 * 16 // size  # tiles begin at multiples of 16 bytes
    padding = rng.choice(["zero", "nan"]) if dtype.is_float else "zero"
    names = [f"s{i}" for i in range(rank)], [f"t{i}" for i in range(rank)]
    starts, targets = (f"[{', '.join(n)}]" for n in names)
    text = kernel(f"x, out, copy_ptr, {', '.join(sum(names, []))}", f"""
        tile = x.load({starts})
        tl.store(copy_ptr + {offsets(block)}, tile)
        out.store({targets}, tile)
    """)
    entry, outside = (f"tensordesc<{dtype.name}[{','.join(map(str, block))}]{nan}>" + (":16" if promised else "")
                      for nan in ("", ",nan" if padding == "nan" else ""))
    x, out = random(dtype, room, seed), poison(dtype, room)
    after = run(text, "kernel", ",".join([outside, entry, f"*{dtype.name}:16"] + ["i32"] * (2 * rank)), (1,),
                {**descriptor("x", x, shape, strides), **descriptor("out", out, shape, strides),
                 "copy_ptr": poison(dtype, int(np.prod(block))), **dict(zip(sum(names, []), [*start, *target]))})
    fill = np.zeros(1, x.dtype)[0] if padding == "zero" else dtype.narrow(np.array([np.nan]))[0]
    tile = read(x, shape, strides, start, block, fill)
    assert_same_bits(after["copy_ptr"], tile.reshape(-1), "loaded")
    write(out, shape, strides, target, tile)
    assert_same_bits(after["out.base"], out, "stored")


@pytest.mark.parametrize("begin,count", [(0, 3), (5, 8), (7, 1), (2, 0)])
def test_strides_that_wrap_around(run, begin, count):
    """Two dimensions in front whose distances add up to 2**64 elements, as tools.ragged_tma has them: rows begin to begin + count."""
    text = kernel("x, out_ptr, begin, count", f"""
        tile = x.load([0x40000000, begin + count, 0x40000000 - count, 0])
        tl.store(out_ptr + {offsets((1, 1, 8, 16))}, tile)
    """)
    x, row = random(FP32, 16 * 32, 5), 32
    after = run(text, "kernel", "tensordesc<fp32[1,1,8,16]>,*fp32,i32,i32", (1,),
                {**descriptor("x", x, (0x7fff0000, 0x7fff0000, 2**30, 32), (2**34 - row, row, row, 1)), "begin": begin, "count": count,
                 "out_ptr": poison(FP32, 128)})
    expected = np.zeros((8, 16), np.float32)
    expected[:count] = x.reshape(16, 32)[begin:begin + count, :16]
    assert_same_bits(after["out_ptr"], expected.reshape(-1), "rows")


def test_sizes_beyond_32_bits(run):
    """Rows four gigabytes apart: products of index and stride need 64 bits."""
    text = kernel("x, out_ptr, i", f"tl.store(out_ptr + {offsets((2, 16))}, x.load([i, 0]))")
    row = 2**30 + 4
    places = {row * r + c: r * 100 + c for r in (1, 2) for c in range(16)}
    after = run(text, "kernel", "tensordesc<fp32[2,16]>:16,*fp32,i32", (1,),
                {**descriptor("x", Sparse(np.float32, 3 * row, places), (3, 16), (row, 1)), "i": 1, "out_ptr": poison(FP32, 32)})
    assert list(after["out_ptr"]) == list(places.values())


def test_what_a_descriptor_says(run):
    text = kernel("d, out_ptr", """
        tl.static_assert(d.dtype == tl.float16)
        tl.static_assert(d.block_shape[0] == 4 and d.block_shape[1] == 8)
        tl.store(out_ptr, d.shape[0])
        tl.store(out_ptr + 1, d.shape[1])
        tl.store(out_ptr + 2, d.strides[0])
        tl.store(out_ptr + 3, d.strides[1])
    """)
    after = run(text, "kernel", "tensordesc<fp16[4,8]>,*i64", (1,),
                {**descriptor("d", np.zeros(80, np.float16), (5, 11), (16, 1)), "out_ptr": poison(I64, 4)})
    assert list(after["out_ptr"]) == [5, 11, 16, 1]


@pytest.mark.parametrize("columns", [16, 24, 4])
def test_gather_and_scatter(run, columns):
    rows, wanted = 11, np.array([3, 0, 10, 10, -1, 11, 5, 7], np.int32)
    text = kernel("x, out, rows_ptr", """
        i = tl.arange(0, 8)
        out.scatter(x.gather(tl.load(rows_ptr + i), 0), 7 - i, 0)
    """)
    x, out = random(FP32, rows * columns, 2), poison(FP32, rows * columns)
    after = run(text, "kernel", "tensordesc<fp32[1,16]>,tensordesc<fp32[1,16]>,*i32", (1,),
                {**descriptor("x", x, (rows, columns), (columns, 1)), **descriptor("out", out, (rows, columns), (columns, 1)),
                 "rows_ptr": wanted})
    expected = out.reshape(rows, columns).copy()
    for i, row in enumerate(wanted):
        expected[7 - i, :16] = x.reshape(rows, columns)[row, :16] if 0 <= row < rows else 0
    assert_same_bits(after["out.base"], expected.reshape(-1), "rows")


def test_reductions(run):
    text = kernel("out, x", "out.atomic_add([0, 0], x.load([tl.program_id(0) * 4, 0]))")
    x, out = np.arange(18 * 8, dtype=np.int32), np.ones(4 * 8, np.int32)
    after = run(text, "kernel", "tensordesc<i32[4,8]>,tensordesc<i32[4,8]>:16", (5,),
                {**descriptor("x", x, (18, 8), (8, 1)), **descriptor("out", out, (3, 7), (8, 1))})
    full = np.zeros((20, 8), np.int32)
    full[:18] = x.reshape(18, 8)
    expected = out.reshape(4, 8).copy()
    expected[:3, :7] += full.reshape(5, 4, 8).sum(0)[:3, :7]
    assert_same_bits(after["out.base"], expected.reshape(-1), "sums")


def test_passed_on_and_chosen(run):
    """Through calls, branches and loops: parts travel together."""
    text = """
import triton
import triton.language as tl

@triton.jit
def tile(d, i):
    return d.load([i, 0])

@triton.jit(noinline=True)
def total(d, i):
    return tl.sum(tl.sum(d.load([i, 0]), axis=1), axis=0)

@triton.jit
def kernel(a, b, out_ptr, flag, n):
    if flag > 0:
        d = a
    else:
        d = b
    acc = tl.zeros((4, 8), tl.float32)
    for i in range(n):
        acc += tile(d, i)
    tl.store(out_ptr, tl.sum(tl.sum(acc, axis=1), axis=0) + total(b, 1))
"""
    a, b = np.arange(48, dtype=np.float32), np.arange(48, dtype=np.float32) * 100
    rows = [np.vstack([x.reshape(6, 8), np.zeros((4, 8))]) for x in (a, b)]
    for flag in (0, 1):
        after = run(text, "kernel", "tensordesc<fp32[4,8]>,tensordesc<fp32[4,8]>,*fp32,i32,i32", (1,),
                    {**descriptor("a", a, (6, 8), (8, 1)), **descriptor("b", b, (6, 8), (8, 1)), "flag": flag, "n": 5,
                     "out_ptr": poison(FP32, 1)})
        chosen = rows[1 - flag]
        assert after["out_ptr"][0] == sum(chosen[i:i + 4].sum() for i in range(5)) + rows[1][1:5].sum()


NAMED = """
import triton
import triton.language as tl
from typing import NamedTuple

class Inner(NamedTuple):
    scale: float
    nothing: None

class Outer(NamedTuple):
    ptr: tl.tensor
    inner: Inner
    n: int

@triton.jit
def plain(t, out_ptr):
    tl.static_assert(t[1] is None)
    tl.static_assert(t[2][1] == 4)
    i = tl.arange(0, 16)
    tl.store(out_ptr + i, tl.load(t[0] + i) * t[2][0] + t[2][1] + t[3])

@triton.jit
def named(t: Outer, out_ptr):
    i = tl.arange(0, 16)
    tl.static_assert(len(t) == 3)
    tl.store(out_ptr + i, tl.load(t.ptr + i) * t.inner[0] + t.n)

@triton.jit
def with_descriptor(t, out_ptr):
    n, (d, scale) = t
    i = tl.arange(0, 8)
    tl.store(out_ptr + i, d.load([n]) * scale)
"""


def test_tuples(run):
    x = np.arange(16, dtype=np.float32)
    after = run(NAMED, "plain", "(*fp32:16, None, (fp32, 4), i32:1), *fp32", (1,),
                {"t.0": x, "t.2.0": 0.5, "out_ptr": poison(FP32, 16)})
    assert_same_bits(after["out_ptr"], x * 0.5 + 5, "plain")
    after = run(NAMED, "named", "(*fp32:16, (fp32, None), i32:16), *fp32", (1,),
                {"t.ptr": x, "t.inner.0": 3.0, "t.n": 32, "out_ptr": poison(FP32, 16)})
    assert_same_bits(after["out_ptr"], x * 3 + 32, "named")


def test_descriptor_in_a_tuple(run):
    x = np.arange(12, dtype=np.float32)
    after = run(NAMED, "with_descriptor", "(i32, (tensordesc<fp32[8],nan>, fp32)), *fp32", (1,),
                {"t.0": 4, **descriptor("t.1.0", x, (10,), (1,)), "t.1.1": 2.0, "out_ptr": poison(FP32, 8)})
    expected = np.full(8, np.nan, np.float32)
    expected[:6] = x[4:10] * 2
    assert_same_bits(after["out_ptr"], expected, "tile")
