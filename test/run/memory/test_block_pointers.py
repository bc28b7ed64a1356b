"""Block pointers: bounds on both sides of every axis, padding, strides of any order, pointers that move."""
import os
import random as pyrandom

import numpy as np
import pytest

from launch import FP16, FP32, I8, I32, I64, KERNELS, assert_same_bits, poison, random
from memory_blocks import read, write
from tiles import kernel, offsets

FILE = os.path.join(KERNELS, "block_pointers.py")


def strides_of(shape, order, gap):
    """Strides of a tensor whose axes lie in memory in the order, the last the fastest, with room between."""
    strides, step = [0] * len(shape), 1
    for axis in reversed(order):
        strides[axis] = step
        step = step * shape[axis] + gap
    return strides, step + 8


@pytest.mark.parametrize("seed", range(36))
def test_random_blocks(run, seed):
    """Load at one place, move, load again; store through a pointer of another layout, partly outside."""
    rng = pyrandom.Random(seed)
    dtype = rng.choice([FP32, I32, FP16, I8, I64])
    rank = rng.randrange(1, 4)
    block = [rng.choice([1, 2, 4, 8, 16]) for _ in range(rank)]
    shape = [rng.randrange(1, 2 * b + 2) for b in block]
    layout, layout2 = (rng.sample(range(rank), rank) for _ in range(2))
    strides, room = strides_of(shape, layout, rng.randrange(3))
    strides2, room2 = strides_of(shape, layout2, rng.randrange(2))
    start, step, target = ([rng.randrange(-b - 1, n + 2) for b, n in zip(block, shape)] for _ in range(3))
    padding = rng.choice(["zero", "nan"]) if dtype.is_float else "zero"
    order, axes = rng.sample(range(rank), rank), tuple(rng.sample(range(rank), rank))
    numbers = [f"s{i}" for i in range(rank)], [f"t{i}" for i in range(rank)], [f"n{i}" for i in range(rank)]
    firsts, steps, sizes = (f"({', '.join(names)},)" for names in numbers)
    text = kernel(f"x_ptr, out_ptr, copy_ptr, {', '.join(sum(numbers, []))}", f"""
        p = tl.make_block_ptr(x_ptr, {sizes}, {tuple(strides)}, {firsts}, {tuple(block)}, {tuple(order)})
        a = tl.load(p, boundary_check={axes}, padding_option="{padding}")
        p = tl.advance(p, {steps})
        b = tl.load(p, boundary_check={axes}, padding_option="{padding}")
        at = {offsets(block)}
        tl.store(copy_ptr + at, a)
        tl.store(copy_ptr + {int(np.prod(block))} + at, b)
        q = tl.make_block_ptr(out_ptr, {sizes}, {tuple(strides2)}, {tuple(target)}, {tuple(block)}, {tuple(order)})
        tl.store(q, b, boundary_check={axes})
    """)
    x, out, copy = random(dtype, room, seed), poison(dtype, room2), poison(dtype, 2 * int(np.prod(block)))
    after = run(text, "kernel", f"*{dtype.name},*{dtype.name},*{dtype.name}" + ",i32" * (3 * rank), (1,),
                {"x_ptr": x, "out_ptr": out, "copy_ptr": copy, **dict(zip(sum(numbers, []), [*start, *step, *shape]))})
    fill = 0 if padding == "zero" else np.nan
    first = read(x, shape, strides, start, block, fill)
    second = read(x, shape, strides, [a + b for a, b in zip(start, step)], block, fill)
    assert_same_bits(after["copy_ptr"], np.concatenate([first.reshape(-1), second.reshape(-1)]), "loaded")
    write(out, shape, strides2, target, second)
    assert_same_bits(after["out_ptr"], out, "stored")


@pytest.mark.parametrize("axes", [(), (0,), (1,)], ids=str)
def test_unchecked_axes_are_not_masked(run, axes):
    """Only the axes of boundary_check are compared with the shape; beyond the others the memory itself is read."""
    x = np.arange(256, dtype=np.int32)
    start = (-1 if 0 in axes else 0, 3 if 1 in axes else 0)
    text = kernel("x_ptr, out_ptr", f"""
        p = tl.make_block_ptr(x_ptr, (3, 5), (16, 1), {start}, (8, 8), (1, 0))
        tl.store(out_ptr + {offsets((8, 8))}, tl.load(p, boundary_check={axes}, padding_option="zero"))
    """)
    after = run(text, "kernel", "*i32,*i32", (1,), {"x_ptr": x, "out_ptr": poison(I32, 64)})
    size = [3 if 0 in axes else 99, 5 if 1 in axes else 99]
    assert_same_bits(after["out_ptr"], read(x, size, (16, 1), start, (8, 8), 0).reshape(-1), "loaded")


@pytest.mark.parametrize("rows,columns", [(1, 1), (16, 32), (33, 70), (5, 200)])
def test_transpose(run, rows, columns):
    x = random(FP32, rows * columns, 1).reshape(rows, columns)
    after = run(FILE, "transpose", "*fp32,*fp32,i32,i32,16,32", (-(-rows // 16), -(-columns // 32)),
                {"x_ptr": x, "out_ptr": poison(FP32, x.size), "rows": rows, "columns": columns}, threads=(1, 2, 7))
    assert_same_bits(after["out_ptr"], x.T.reshape(-1), "transposed")


@pytest.mark.parametrize("rows,columns", [(1, 1), (8, 16), (19, 50)])
def test_row_sums(run, rows, columns):
    x = np.random.default_rng(1).integers(-99, 99, (rows, columns)).astype(np.float32)
    after = run(FILE, "row_sums", "*fp32,*fp32,i32,i32,8,16", (-(-rows // 8),),
                {"x_ptr": x, "out_ptr": poison(FP32, rows), "rows": rows, "columns": columns})
    assert_same_bits(after["out_ptr"], x.sum(1), "sums")


@pytest.mark.parametrize("n", [0, 1, 16, 50])
def test_back_and_forth(run, n):
    x, blocks = np.arange(1, n + 1, dtype=np.int32), -(-n // 16)
    after = run(FILE, "back_and_forth", "*i32,*i32,i32,16", (1,), {"x_ptr": x, "out_ptr": poison(I32, n), "n": n})
    expected = np.zeros(blocks * 16, np.int32)
    for block in range(blocks):
        low = read(x, [n], [1], [block * 16], [16], 0)
        expected[block * 16:][:16] = low - read(x, [n], [1], [n - 16 - block * 16], [16], 0)
    assert_same_bits(after["out_ptr"], expected[:n], "differences")


@pytest.mark.parametrize("which", [-1, 0, 1, 5])
def test_chosen_pointer(run, which):
    n = 10
    x = np.arange(n * n, dtype=np.float32)
    after = run(FILE, "chosen_pointer", "*fp32,*fp32,i32,i32,8,8", (1,),
                {"x_ptr": x, "out_ptr": poison(FP32, 64), "n": n, "which": which})
    start = (1, which) if which > 0 else (2, 0)
    assert_same_bits(after["out_ptr"], read(x, (n, n), (n, 1), start, (8, 8), np.nan).reshape(-1), "loaded")
