"""Ops that take whole tiles, one after the other, in loops and under conditions: each sees what the one before it left."""
import numpy as np
import pytest

from launch import FP32, I32, assert_same_bits, poison, random
from tiles import jit, kernel, offsets

N = 128


def test_one_after_the_other(run):
    """Scan, gather, histogram, concatenation, and arithmetic between them, of tiles that are needed again later."""
    x = np.random.default_rng(1).integers(0, 16, (3, N)).astype(np.int32)
    text = kernel("x_ptr, out_ptr", f"""
        program = tl.program_id(0)
        i = tl.arange(0, {N})
        x = tl.load(x_ptr + program * {N} + i)
        total = tl.cumsum(x, 0)
        picked = tl.gather(total * 2 + x, x * 8, 0)
        counts = tl.histogram(picked % 32, {N}) + tl.gather(x, {N - 1} - i, 0)
        both = tl.cat(counts, picked, can_reorder=True)
        tl.store(out_ptr + program * 1024 + tl.arange(0, {2 * N}), tl.sort(both))
        tl.store(out_ptr + program * 1024 + {2 * N} + i, total)
        tl.store(out_ptr + program * 1024 + {3 * N} + i, tl.cumsum(x + counts, 0, reverse=True))
        tl.store(out_ptr + program * 1024 + {4 * N} + i, picked - x)
    """)
    out = poison(I32, 3 * 1024)
    after = run(text, "kernel", "*i32,*i32", (3,), {"x_ptr": x, "out_ptr": out}, (1, 2))["out_ptr"].reshape(3, 1024)
    expected = out.reshape(3, 1024).copy()
    for row, cells in zip(x, expected):
        total = np.cumsum(row)
        picked = (total * 2 + row)[row * 8]
        counts = np.bincount(picked % 32, minlength=N) + row[::-1]
        cells[:2 * N] = np.sort(np.concatenate([counts, picked]))
        cells[2 * N:3 * N] = total
        cells[3 * N:4 * N] = np.cumsum((row + counts)[::-1])[::-1]
        cells[4 * N:5 * N] = picked - row
    assert_same_bits(after, expected, "all of them")


@pytest.mark.parametrize("steps", [0, 1, 2, 7])
def test_carried_by_a_loop(run, steps):
    """Each iteration scans and gathers what the one before it left; a conditional changes which."""
    x, order = random(I32, N, 2), np.random.default_rng(1).permutation(N).astype(np.int32)
    text = kernel("x_ptr, order_ptr, out_ptr, steps", f"""
        i = tl.arange(0, {N})
        x = tl.load(x_ptr + i)
        order = tl.load(order_ptr + i)
        y = x
        for step in range(steps):
            if step % 3 == 1:
                y = tl.cumsum(y, 0) + x
            else:
                x, y = tl.gather(y, order, 0), tl.gather(x, order, 0) ^ step
        tl.store(out_ptr + i, x)
        tl.store(out_ptr + {N} + i, y)
    """)
    after = run(text, "kernel", "*i32,*i32,*i32,i32", (1,),
                {"x_ptr": x, "order_ptr": order, "out_ptr": poison(I32, 2 * N), "steps": steps})["out_ptr"]
    y = x
    for step in range(steps):
        if step % 3 == 1:
            y = np.cumsum(y, dtype=np.int32) + x
        else:
            x, y = y[order], x[order] ^ step
    assert_same_bits(after, np.concatenate([x, y]).astype(np.int32), "what the loop left")


def test_atomics_under_conditions(run):
    """Old values flow on into arithmetic, scans and other atomics."""
    x = np.random.default_rng(4).integers(-50, 50, (20, 32)).astype(np.int32)
    text = kernel("x_ptr, out_ptr, even_ptr, odd_ptr", """
        program = tl.program_id(0)
        i = tl.arange(0, 32)
        x = tl.load(x_ptr + program * 32 + i)
        if tl.sum(x, 0) % 2 == 0:
            old = tl.atomic_add(even_ptr + program * 32 + i, x)
            tl.atomic_max(out_ptr + program * 32 + i, tl.cumsum(old + x, 0), mask=x > -20)
        else:
            for k in range(3):
                tl.atomic_add(odd_ptr + (i + k) % 8, x * k)
        tl.store(x_ptr + program * 32 + i, x + 1)
    """)
    out, even = random(I32, 640, 3) // 1000000, random(I32, 640, 4) // 1000
    after = run(text, "kernel", "*i32,*i32,*i32,*i32", (20,),
                {"x_ptr": x, "out_ptr": out, "even_ptr": even, "odd_ptr": np.zeros(8, np.int32)}, (1, 2, 5))
    odd, out, even = np.zeros(8, np.int32), out.reshape(20, 32).copy(), even.reshape(20, 32).copy()
    for program, row in enumerate(x):
        if np.fmod(row.sum(), 2) == 0:
            even[program] += row
            kept = row > -20
            out[program, kept] = np.maximum(out[program], np.cumsum(even[program], dtype=np.int32))[kept]
        else:
            for k in range(3):
                np.add.at(odd, (np.arange(32) + k) % 8, row * k)
    for name, expected in (("out_ptr", out), ("even_ptr", even), ("odd_ptr", odd), ("x_ptr", x + 1)):
        assert_same_bits(after[name].reshape(-1), expected.reshape(-1), name)


def test_stores_and_atomics_keep_their_order(run, device):
    """What a store wrote an atomic finds, and the other way round, also through other addresses of the same memory."""
    if device != "cpu":
        pytest.skip("a GPU's threads would need barriers")
    text = kernel("x_ptr, out_ptr", """
        i = tl.arange(0, 64)
        tl.store(x_ptr + i, i)
        old = tl.atomic_add(x_ptr + 63 - i, i * 2)
        tl.store(out_ptr + i, tl.load(x_ptr + i) + old)
        tl.store(x_ptr + i, tl.atomic_xchg(x_ptr + (i + 1) % 64, i * 5) + 1)
    """)
    after = run(text, "kernel", "*i32,*i32", (1,), {"x_ptr": poison(I32, 64), "out_ptr": poison(I32, 64)})
    i = np.arange(64, dtype=np.int32)
    x = i + (63 - i) * 2
    assert_same_bits(after["out_ptr"], x + (63 - i), "sums")
    old = x[(i + 1) % 64]
    assert_same_bits(after["x_ptr"], (old + 1).astype(np.int32), "what was exchanged")


@pytest.mark.parametrize("n", [1, 100, 4096, 5000])
def test_scan_between_programs(run, n):
    """A scan of an array of any length in one launch: each program waits for the total of those before it."""
    text = kernel("x_ptr, out_ptr, total_ptr, ready_ptr, n", """
        program = tl.program_id(0)
        i = program * 64 + tl.arange(0, 64)
        local = tl.cumsum(tl.load(x_ptr + i, mask=i < n, other=0), 0)
        before = 0
        if program > 0:
            while tl.atomic_add(ready_ptr + program - 1, 0, sem="acquire") == 0:
                pass
            before = tl.load(total_ptr + program - 1)
        tl.store(total_ptr + program, before + tl.max(tl.where(tl.arange(0, 64) == 63, local, -2147483648), 0))
        tl.atomic_xchg(ready_ptr + program, 1, sem="release")
        tl.store(out_ptr + i, local + before, mask=i < n)
    """)
    x = np.random.default_rng(n).integers(-1000, 1000, n).astype(np.int32)
    programs = -(-n // 64)
    after = run(text, "kernel", "*i32,*i32,*i32,*i32,i32", (programs,),
                {"x_ptr": x, "out_ptr": poison(I32, n), "total_ptr": poison(I32, programs),
                 "ready_ptr": np.zeros(programs, np.int32), "n": n}, (1, 2, 6))
    assert_same_bits(after["out_ptr"], np.cumsum(x, dtype=np.int32), "running sums")


def test_mapped_scanned_mapped(run):
    shape = (8, 16)
    x = np.random.default_rng(1).integers(1, 100, shape).astype(np.int32)
    at = offsets(shape)
    text = kernel("x_ptr, out_ptr", f"""
        at = {at}
        small, rest = tl.map_elementwise(divide, tl.load(x_ptr + at), tl.load(x_ptr + at) % 7)
        y = tl.associative_scan(small, 1, larger) * 10 + rest
        tl.store(out_ptr + at, tl.map_elementwise(halve, tl.cumsum(y, 0)))
    """, jit("divide", "a, b", """
        if b == 0:
            return a, b
        return a // b, a % b
    """) + jit("larger", "a, b", "return tl.maximum(a, b)") + jit("halve", "a", """
        while a > 50:
            a = a // 2
        return a
    """))
    after = run(text, "kernel", "*i32,*i32", (1,), {"x_ptr": x, "out_ptr": poison(I32, x.size).reshape(shape)})["out_ptr"]
    b = x % 7
    small, rest = np.where(b == 0, x, x // np.maximum(b, 1)), np.where(b == 0, b, x % np.maximum(b, 1))
    y = np.cumsum(np.maximum.accumulate(small, 1) * 10 + rest, 0)
    while (y > 50).any():
        y = np.where(y > 50, y // 2, y)
    assert_same_bits(after, y.astype(np.int32), "mapped")


def test_large_tiles_of_many_programs(run):
    """Tiles beyond the stack, on several threads: each has its own."""
    rows, n = 12, 32768
    x = np.random.default_rng(5).integers(0, 100, (rows, n)).astype(np.float32)
    order = np.random.default_rng(6).permutation(n).astype(np.int32)
    text = kernel("x_ptr, order_ptr, out_ptr", f"""
        i = tl.arange(0, {n})
        row = tl.program_id(0) * {n}
        x = tl.load(x_ptr + row + i)
        tl.store(out_ptr + row + i, tl.cumsum(tl.gather(x, tl.load(order_ptr + i), 0), 0) - x)
    """)
    after = run(text, "kernel", "*fp32,*i32,*fp32", (rows,), {"x_ptr": x, "order_ptr": order, "out_ptr": poison(FP32, rows * n)}, (1, 2, 5))
    assert_same_bits(after["out_ptr"].reshape(rows, n), np.cumsum(x[:, order], 1, dtype=np.float32) - x, "sums")
