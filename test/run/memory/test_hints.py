"""Promises (tl.multiple_of) about values that have no operation of their own: they hold where they are made, and only there."""
import os

import numpy as np
import pytest

from launch import KERNELS

FILE = os.path.join(KERNELS, "hints.py")
BLOCK = 256


def integers(shape, seed, dtype):
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(dtype)


@pytest.mark.parametrize("K", [0, 32, 64, 160])
@pytest.mark.parametrize("stages", [1, 2, 3, 5])
def test_product(run, stages, K):
    M, N = 64, 32
    a, b = integers((M, max(K, 8)), 1, np.float16), integers((max(K, 8), N), 2, np.float16)
    after = run(FILE, "hinted_product", f"*fp16,*fp16,*fp32,i32,i32,i32,{M},{N},32", (1,),
                {"a_ptr": a, "b_ptr": b, "out_ptr": np.ones((M, N), np.float32), "K": K, "lda": a.shape[1], "ldb": N},
                options=f"num-stages={stages}")
    assert (after["out_ptr"] == a[:, :K].astype(np.float32) @ b[:K].astype(np.float32)).all()


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_what_follows_the_loop_may_begin_anywhere(run, n):
    step = 8
    x = integers(BLOCK + 64, n, np.int32)
    after = run(FILE, "hint_inside_and_load_after", f"*i32,*i32,i32,i32,{BLOCK}", (1,),
                {"x_ptr": x, "out_ptr": np.zeros(2 * BLOCK, np.int32), "n": n, "step": step})["out_ptr"]
    assert (after[:BLOCK] == sum((x[i * step:i * step + BLOCK] for i in range(n)), np.zeros(BLOCK, np.int32))).all()
    start = n * step + 1 - n % 2
    assert (after[BLOCK:] == x[start:start + BLOCK]).all()


@pytest.mark.parametrize("n", [0, 1, 5])
def test_while(run, n):
    step = 4
    x = integers(BLOCK + 64, n, np.int32)
    after = run(FILE, "hint_in_while", f"*i32,*i32,i32,i32,{BLOCK}", (1,),
                {"x_ptr": x, "out_ptr": np.zeros(BLOCK, np.int32), "n": n, "step": step})["out_ptr"]
    assert (after == sum((x[i * step:i * step + BLOCK] for i in range(n)), np.zeros(BLOCK, np.int32))).all()


@pytest.mark.parametrize("first, last", [(0, 1), (4, 3), (8, 7)])
def test_one_of_two_results(run, first, last):
    x = integers(BLOCK + 64, first, np.int32)
    after = run(FILE, "hint_on_one_of_two", f"*i32,*i32,i32,i32,{BLOCK}", (1,),
                {"x_ptr": x, "out_ptr": np.zeros(BLOCK, np.int32), "first": first, "last": last})["out_ptr"]
    assert (after == x[first:first + BLOCK] - x[last:last + BLOCK]).all()
