"""Rows of 64 bits times strides: the addresses of a tile's elements are computed from each other."""
import random as pyrandom

import numpy as np
import pytest

from launch import FP16, FP32, I8, I32, I64, assert_same_bits, poison, random
from tiles import kernel


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("seed", range(24))
def test_rows_of_a_tile(run, seed, known):
    """Tiles of two programs, read at two places that differ by some rows, with strides of any sign, of run time or constant."""
    rng = pyrandom.Random(seed)
    dtype = rng.choice([FP32, I32, FP16, I8, I64])
    rows, columns = rng.choice([1, 2, 8, 16, 32, 64]), rng.choice([1, 4, 16, 64])
    first, apart = rng.randrange(40), rng.choice([0, 1, 3, 7, 8, 100, -5])
    down, right = rng.choice([1, -1]) * rng.choice([columns, columns + 3, 128]), rng.choice([1, 1, 2])
    down *= right
    wide = rng.choice(["tl.program_id(0).to(tl.int64)", "tl.program_id(0)"])
    text = kernel("x_ptr, out_ptr, base, first, down, right, n", f"""
        {f"down = {down}; right = {right}" if known else ""}
        r = {wide} * {rows} + tl.arange(0, {rows}) + first
        r = r.to(tl.int64)
        c = tl.arange(0, {columns})
        inside = (r[:, None] < n) & (c[None, :] < {columns})
        a = tl.load(x_ptr + base + r[:, None] * down + c[None, :] * right, inside, other=0)
        at = (r[:, None] + {apart}) * down + c[None, :] * right
        b = tl.load(x_ptr + (base + at), inside, other=0)
        place = (r[:, None] - first) * {2 * columns} + c[None, :]
        tl.store(out_ptr + place, a, inside)
        tl.store(out_ptr + place + {columns}, b, inside)
    """)
    numbers = np.arange(first, first + 2 * rows)
    n = first + 2 * rows - rng.randrange(rows)
    address = lambda shift: (numbers + shift)[:, None] * down + np.arange(columns)[None, :] * right  # noqa: E731
    lowest = min(0, address(0).min(), address(apart).min())
    x = random(dtype, int(max(address(0).max(), address(apart).max()) - lowest) + 1, seed)
    out = poison(dtype, 4 * rows * columns)
    after = run(text, "kernel", f"*{dtype.name},*{dtype.name},i32,i32,i32,i32,i32", (2,),
                {"x_ptr": x, "out_ptr": out, "base": int(-lowest), "first": first, "down": down, "right": right, "n": n})
    expected = out.reshape(2 * rows, 2, columns).copy()
    for side, shift in enumerate((0, apart)):
        expected[numbers < n, side] = x[address(shift)[numbers < n] - lowest]
    assert_same_bits(after["out_ptr"], expected.reshape(-1), f"rows {down} apart")


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_rows_of_several_blocks(run, seed, known):
    """The rows' products are computed before a loop; addresses in it, in a branch and after it use them."""
    rng = pyrandom.Random(seed)
    dtype = rng.choice([FP32, FP16, I32])
    rows, columns, steps = rng.choice([8, 32, 64]), rng.choice([4, 16, 64]), rng.choice([1, 3])
    down = rng.choice([columns, columns + 3, 128])
    text = kernel("x_ptr, out_ptr, down, steps", f"""
        {f"down = {down}" if known else ""}
        r = (tl.program_id(0) * {rows} + tl.arange(0, {rows})).to(tl.int64)
        row, c = (r * down)[:, None], tl.arange(0, {columns})[None, :]
        total = tl.zeros(({rows}, {columns}), dtype=tl.int32)
        for i in range(steps):
            at = row + c + i * {2 * rows} * down
            total += tl.load(x_ptr + at).to(tl.int32)
            if i % 2 == 1:
                total += tl.load(x_ptr + (at + down)).to(tl.int32)
        tl.store(out_ptr + row + c, total + tl.load(x_ptr + row + c).to(tl.int32), row >= 0)
    """)
    tall = 2 * rows * steps + 1
    x = (np.random.default_rng(seed).integers(-50, 50, tall * down)).astype(random(dtype, 1, 0).dtype)
    out = poison(I32, 2 * rows * down)
    after = run(text, "kernel", f"*{dtype.name},*i32,i32,i32", (2,), {"x_ptr": x, "out_ptr": out, "down": down, "steps": steps})
    grid = np.zeros((tall, columns), np.int32)
    for row in range(tall):
        part = x[row * down:row * down + columns].astype(np.int32)
        grid[row, :len(part)] = part
    expected = out.reshape(2 * rows, down).copy()
    total = grid[:2 * rows].copy()
    for i in range(steps):
        total += grid[i * 2 * rows:][:2 * rows]
        if i % 2 == 1:
            total += grid[i * 2 * rows + 1:][:2 * rows]
    expected[:, :columns] = total
    assert_same_bits(after["out_ptr"], expected.reshape(-1), f"rows {down} apart")


@pytest.mark.parametrize("seed", range(12))
def test_pointers_that_a_loop_moves(run, seed):
    """Tiles of single elements: their pointers move on together, by a constant or by rows; one is also used after the loop."""
    rng = pyrandom.Random(seed)
    dtype = rng.choice([FP16, FP32, I8, I64])
    rows, columns, steps = rng.choice([16, 64, 128]), rng.choice([16, 32, 128]), rng.choice([0, 1, 3])
    down, down_step = columns * 4 + rng.randrange(1, 4), rng.choice([True, False])
    text = kernel("x_ptr, out_ptr, down, steps", f"""
        r = tl.arange(0, {rows})
        c = tl.arange(0, {columns})
        p = x_ptr + r[:, None] * down + c[None, :]
        place = out_ptr + r[:, None] * {columns} + c[None, :]
        for _ in range(steps):
            tl.store(place, tl.load(p))
            p += {f"{rows} * down" if down_step else columns}
            place += {rows * columns}
        tl.store(place, tl.load(p))
    """)
    x = random(dtype, rows * down * (steps + 1 if down_step else 1) + columns * (steps + 1), seed)
    out = poison(dtype, rows * columns * (steps + 1))
    after = run(text, "kernel", f"*{dtype.name},*{dtype.name},i32,i32", (1,), {"x_ptr": x, "out_ptr": out, "down": down, "steps": steps})
    first = np.arange(rows)[:, None] * down + np.arange(columns)[None, :]
    expected = [x[first + step * (rows * down if down_step else columns)] for step in range(steps + 1)]
    assert_same_bits(after["out_ptr"], np.stack(expected).reshape(-1), f"{steps} steps")
