"""Masks that may end inside a vector, at every element of it."""
import os

import numpy as np
import pytest

from launch import KERNELS

VECTORS = os.path.join(KERNELS, "partial_vectors.py")
TYPES = {"i8": np.int8, "fp16": np.float16, "fp32": np.float32, "i64": np.int64}


@pytest.mark.parametrize("dtype", TYPES)
def test_row(run, dtype):
    """Each end of the mask in the first vectors, and ends of the load and of the store that differ."""
    length = 300
    x = np.random.default_rng(1).integers(-50, 50, length).astype(TYPES[dtype])
    lengths = [(n, n) for n in range(0, 18)] + [(253, 256), (256, 255), (265, 300), (7, 12), (290, 3)]
    for n, stored in lengths:
        out = np.full(length, 99, TYPES[dtype])
        after = run(VECTORS, "copy_row", f"*{dtype}:16,*{dtype}:16,i32,i32,256", (2,),
                    {"x_ptr": x, "out_ptr": out, "n": n, "n_stored": stored})["out_ptr"]
        loaded = np.where(np.arange(length) < n, x, TYPES[dtype](5))
        assert (after == np.where(np.arange(length) < stored, loaded, 99)).all(), (n, stored)


@pytest.mark.parametrize("M, N", [(1, 1), (32, 63), (33, 65), (50, 71), (64, 128), (40, 127)])
def test_tile(run, M, N):
    x = np.random.default_rng(2).integers(-9, 9, (64, 128)).astype(np.float16)
    after = run(VECTORS, "copy_tile", "*fp16:16,*fp16:16,i32:16,i32,i32,32,64", (2, 2),
                {"x_ptr": x, "out_ptr": np.full((64, 128), 77, np.float16), "stride": 128, "M": M, "N": N})["out_ptr"]
    expected = np.full((64, 128), 77, np.float16)
    expected[:M, :N] = x[:M, :N] * 2
    assert (after == expected).all()


@pytest.mark.parametrize("n", [0, 1, 255, 256, 257, 1000, 1023])
def test_loop(run, n):
    x = np.random.default_rng(3).integers(-9, 9, 1024).astype(np.float32)
    after = run(VECTORS, "sum_in_loop", "*fp32:16,*fp32:16,i32,256", (1,),
                {"x_ptr": x, "out_ptr": np.zeros(1, np.float32), "n": n})["out_ptr"]
    assert after[0] == x[:n].sum()
