"""tl.range's options, tl.static_range, tl.condition and tl.assume: results are those of the plain loop."""
import os

import numpy as np
import pytest

from launch import KERNELS

HINTS = os.path.join(KERNELS, "loop_hints.py")
T = 16


def integers(shape, seed, dtype):
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(dtype)


@pytest.mark.parametrize("n", [0, 2, 3, 8, 9])
@pytest.mark.parametrize("others", [False, True])
@pytest.mark.parametrize("licm", [False, True])
@pytest.mark.parametrize("unroll", [1, 3])
@pytest.mark.parametrize("stages", [1, 4])
def test_range(run, stages, unroll, licm, others, n):
    x, w = integers((max(1, n), T, T), 1, np.float16), integers((T, T), 2, np.float16)
    after = run(HINTS, "hinted", f"*fp16:16,*fp16:16,*fp32:16,i32,{stages},{unroll},{licm},{others},{T}", (1,),
                {"x_ptr": x, "w_ptr": w, "out_ptr": np.ones((T, T), np.float32), "n": n})
    expected = np.zeros((T, T), np.float32)
    for k in range(1, n, 2):
        expected += x[k].astype(np.float32) @ w.astype(np.float32) * (n + 1)
    assert (after["out_ptr"] == expected).all()


@pytest.mark.parametrize("n", [1, 7, 16])
def test_static_range_and_assume(run, n):
    N, stride = 3, 32
    x = integers((N + 1, stride), 1, np.float32)
    after = run(HINTS, "promised", f"*fp32:16,*fp32:16,i32,i32,{N},{T}", (1,),
                {"x_ptr": x, "out_ptr": np.ones(T, np.float32), "n": n, "stride": stride})
    expected = np.zeros(T, np.float32)
    for i in range(N):
        for j in range(i, N + 1, 2):
            expected[:n] += x[j, :n] * (i + 1)
    assert (after["out_ptr"] == expected).all()


@pytest.mark.parametrize("n", [0, 1, 5])
@pytest.mark.parametrize("licm", [False, True])
def test_condition(run, licm, n):
    x = integers((max(1, n), T), 1, np.float32)
    after = run(HINTS, "condition", f"*fp32:16,*fp32:16,i32,{licm},{T}", (1,),
                {"x_ptr": x, "out_ptr": np.ones(T, np.float32), "n": n})
    assert (after["out_ptr"] == x[:n].sum(0, dtype=np.float32) * (n * 2)).all()
