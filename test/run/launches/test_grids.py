"""Grids of one to three axes: every program runs exactly once and knows where it stands."""
import os

import numpy as np
import pytest

from launch import FP32, KERNELS, assert_same, assert_same_bits, poison, random

GRIDS = os.path.join(KERNELS, "grids.py")


@pytest.mark.parametrize("grid", [(1,), (7,), (5, 3), (1, 1, 1), (4, 3, 2), (1, 1, 9), (1, 50, 1), (99, 99, 3)],
                         ids=lambda g: "x".join(map(str, g)))
def test_each_program_once(run, grid):
    x, y, z = (*grid, 1, 1)[:3]
    after = run(GRIDS, "visit", "*i32,i32", grid, {"out_ptr": np.zeros(x * y * z, np.int32), "n": x * y * z})
    where = np.arange(x)[None, None, :] + 100 * np.arange(y)[None, :, None] + 10000 * np.arange(z)[:, None, None]
    assert_same_bits(after["out_ptr"], (1000000 + where).astype(np.int32).reshape(-1), "visits")


def test_empty_grid_runs_nothing(run):
    before = np.zeros(4, np.int32)
    after = run(GRIDS, "visit", "*i32,i32", (0,), {"out_ptr": before, "n": 4})
    assert_same_bits(after["out_ptr"], before, "output")


@pytest.mark.parametrize("shape", [(1, 1), (33, 65), (128, 100), (7, 1000)], ids=lambda s: f"{s[0]}x{s[1]}")
@pytest.mark.parametrize("tile", [(1, 64), (16, 32), (64, 1)], ids=lambda t: f"{t[0]}x{t[1]}")
def test_tiles_of_a_matrix(run, shape, tile):
    rows, columns = shape
    x, y = (random(FP32, rows * columns, seed).reshape(shape) for seed in (1, 2))
    out = poison(FP32, rows * columns + 64)
    grid = (-(-rows // tile[0]), -(-columns // tile[1]))
    after = run(GRIDS, "add_matrix", f"*fp32,*fp32,*fp32,i32,i32,{tile[0]},{tile[1]}", grid,
                {"x_ptr": x, "y_ptr": y, "out_ptr": out, "rows": rows, "columns": columns})
    with np.errstate(all="ignore"):
        assert_same(FP32, after["out_ptr"][:x.size], (FP32.widen(x) + FP32.widen(y)).reshape(-1), "sum")
    assert_same_bits(after["out_ptr"][x.size:], out[x.size:], "beyond the matrix")


@pytest.mark.parametrize("grid", [(30,), (5, 6), (2, 3, 5)], ids=lambda g: "x".join(map(str, g)))
def test_add_on_any_grid(run, grid):
    n = 30 * 128 - 5
    x, y, out = random(FP32, n, 1), random(FP32, n, 2), poison(FP32, n + 64)
    after = run(GRIDS, "add_rows", "*fp32,*fp32,*fp32,i32,128", grid,
                {"x_ptr": x, "y_ptr": y, "out_ptr": out, "n": n})
    with np.errstate(all="ignore"):
        assert_same(FP32, after["out_ptr"][:n], FP32.widen(x) + FP32.widen(y), "sum")
    assert_same_bits(after["out_ptr"][n:], out[n:], "beyond the mask")
