"""Fused loops: all numbers of outer and inner iterations and of stages give what the nest gives."""
import os

import numpy as np
import pytest

from launch import KERNELS

FLATTEN = os.path.join(KERNELS, "flatten.py")
STAGES = [1, 2, 3, 4]
T = 16


def integers(shape, seed, dtype=np.float16):
    """Products and sums of these are exact."""
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(dtype)


def products(a, b):
    return a.astype(np.float32) @ b.astype(np.float32)


@pytest.mark.parametrize("K", [0, 16, 24, 72])
@pytest.mark.parametrize("tiles", [(0, 0, 1), (0, 1, 1), (1, 6, 2), (2, 5, 1)])
@pytest.mark.parametrize("stages", STAGES)
def test_tiles(run, stages, tiles, K):
    first, count, every = tiles
    a, b = integers((max(1, count) * T, 80), 1), integers((80, T), 2)
    out = np.full((max(1, count) * T, T), 9, np.float32)
    after = run(FLATTEN, "tiles", f"*fp16:16,*fp16:16,*fp32:16,i32,i32,i32,i32,i32:16,i32:16,{T},16", (1,),
                {"a_ptr": a, "b_ptr": b, "out_ptr": out, "first": first, "count": count, "every": every, "K": K,
                 "stride_a": 80, "stride_b": T}, options=f"num-stages={stages}")
    expected = out.copy()
    for t in range(first, count, every):
        rows = slice(t * T, (t + 1) * T)
        expected[rows] = products(a[rows, :K], b[:K]) + t
    assert (after["out_ptr"] == expected).all()


@pytest.mark.parametrize("bounds", [(0, 0, 1), (2, 1, 1), (0, 1, 1), (3, 5, 1), (-1, 6, 2)])
@pytest.mark.parametrize("count", [0, 1, 3])
@pytest.mark.parametrize("stages", STAGES)
def test_pointers(run, stages, count, bounds):
    a, b, bias = integers((4 * count + 4, T, T), 1), integers((4, T, T), 2), integers((count + 1) * T, 3, np.float32)
    out = np.full((count + 1, T, T), 9, np.float32)
    low, high, step = bounds
    after = run(FLATTEN, "pointers", f"*fp16:16,*fp16:16,*fp32:16,*fp32:16,i32,i32,i32,i32,{T}", (1,),
                {"a_ptr": a, "b_ptr": b, "bias_ptr": bias, "out_ptr": out, "count": count, "low": low, "high": high,
                 "step": step}, options=f"num-stages={stages}")
    expected = out.copy()
    for t in range(count):
        expected[t] = bias[t * T:(t + 1) * T, None]
        for i, k in enumerate(range(low, high, step)):
            expected[t] += products(a[4 * t + i], b[i]) + k
    assert (after["out_ptr"] == expected).all()


@pytest.mark.parametrize("n", [0, 1, 2, 5])
@pytest.mark.parametrize("count", [0, 1, 4])
@pytest.mark.parametrize("stages", STAGES)
def test_carried(run, stages, count, n):
    a = integers((max(1, count * n), T), 1, np.float32)
    out = np.full((count + 1, T), 9, np.float32)
    after = run(FLATTEN, "carried", f"*fp32:16,*fp32:16,*fp32:16,i32,i32,{T},{stages}", (1,),
                {"a_ptr": a, "out_ptr": out, "total_ptr": np.zeros(T, np.float32), "count": count, "n": n})
    expected, total = out.copy(), np.zeros(T, np.float32)
    for t in range(count):
        rows = a[t * n:(t + 1) * n]
        acc = (rows * (np.arange(n, dtype=np.float32)[:, None] + 1)).sum(0, dtype=np.float32)
        total += acc
        expected[t] = acc + np.float32(rows.max() if n else -1.0e9) + np.float32(t + 1)
    assert (after["out_ptr"] == expected).all()
    assert (after["total_ptr"] == total + count * n).all()


@pytest.mark.parametrize("n", [0, 1, 2, 5])
@pytest.mark.parametrize("count", [0, 1, 4])
@pytest.mark.parametrize("stages", STAGES)
def test_atomics(run, stages, count, n):
    a, b = integers((max(1, 3 * n), T, T), 1), integers((max(1, n), T, T), 2)
    tiles, sums = np.array([2, 0, 2, 1], np.int32), integers((3, T, T), 3, np.float32)
    after = run(FLATTEN, "atomics", f"*fp16:16,*fp16:16,*i32:16,*fp32:16,i32,i32,{T}", (1,),
                {"a_ptr": a, "b_ptr": b, "tiles_ptr": tiles, "sums_ptr": sums, "count": count, "n": n},
                options=f"num-stages={stages}")
    expected = sums.copy()
    for tile in tiles[:count]:
        for k in range(n):
            expected[tile] += products(a[tile * n + k], b[k])
    assert (after["sums_ptr"] == expected).all()


@pytest.mark.parametrize("n", [0, 1, 4])
@pytest.mark.parametrize("count", [2, 6])
@pytest.mark.parametrize("stages", STAGES)
def test_grouped(run, stages, count, n):
    wide, group = 2, 2
    a, b = integers((max(1, count // wide * n), T, T), 1), integers((max(1, wide * n), T, T), 2)
    after = run(FLATTEN, "grouped", f"*fp16:16,*fp16:16,*fp32:16,i32,i32,i32,i32,{T}", (1,),
                {"a_ptr": a, "b_ptr": b, "out_ptr": np.full((count, T, T), 9, np.float32), "count": count, "wide": wide,
                 "group": group, "n": n}, options=f"num-stages={stages}")
    expected = np.zeros((count, T, T), np.float32)
    for tile in range(count):
        i, j = divmod(tile, wide)
        for k in range(n):
            expected[tile] += products(a[i * n + k], b[j * n + k])
    assert (after["out_ptr"] == expected).all()


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize("kind", ["bounds", "prologue", "total", "two", "while", "overwrite"])
def test_left_alone(run, kind, n):
    count = 3
    a = np.random.default_rng(1).integers(0, 2, (max(1, n, count), T, T)).astype(np.float16)
    after = run(FLATTEN, "left_alone", f"*fp16:16,*fp32:16,i32,i32,'{kind}',{T}", (1,),
                {"a_ptr": a, "out_ptr": np.full((count, T, T), 9, np.float32), "count": count, "n": n})
    now, before = a.copy(), np.zeros((T, T), np.float32)
    expected = np.zeros((count, T, T), np.float32)
    for t in range(count):
        acc = before.copy() if kind == "total" else np.zeros((T, T), np.float32)
        for k in range(t if kind == "bounds" else n):
            acc += products(now[k], now[k]) * (2 if kind == "two" else 1)
        if kind == "while":
            acc += sum(range(t))
        if kind == "overwrite":
            now[0] = t + 1
        before = acc
        expected[t] = 7 if kind == "prologue" else acc
    assert (after["out_ptr"] == expected).all()
