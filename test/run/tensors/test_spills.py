"""Kernels that spill when they are compiled the usual way: another attempt is kept, and its results are the same."""
import os

import numpy as np
import pytest

from launch import KERNELS

SPILLS = os.path.join(KERNELS, "spills.py")
rng = np.random.default_rng(14)


@pytest.fixture(autouse=True)
def assembled(monkeypatch):
    """The emulator runs the attempt that is kept, which only the assembler can tell."""
    monkeypatch.setenv("TESSERA_TEST_ASSEMBLED", "1")


def small(*shape):
    """Products of these are exact in tf32 and fp16."""
    return rng.integers(-2, 3, shape)


@pytest.mark.parametrize("rate", [-1.0])
def test_shared_operands(run, rate):
    T = 64
    q, k, v, d, h, g = (small(T, T).astype(np.float32) for _ in range(6))
    out = np.full((T, T), np.nan, np.float32)
    given = dict(q_ptr=q, k_ptr=k, v_ptr=v, d_ptr=d, h_ptr=h, g_ptr=g, x_ptr=out, y_ptr=out, z_ptr=out, rate=rate, scale=0.5)
    after = run(SPILLS, "shared_operands", "*fp32:16," * 9 + f"fp32,fp32,{T}", (1,), given)
    i = np.arange(T)
    weight = np.tril(np.exp2((i[:, None] - i[None, :]) * rate))
    backward = np.exp2((T - 1 - i) * rate)[:, None]
    s = d @ v.T * weight / 2
    t = k @ q.T * weight.T / 2
    expected = dict(x_ptr=d @ h.T * np.exp2((i + 1) * rate)[:, None] / 2 + s @ k, y_ptr=v @ g * backward + s.T @ q, z_ptr=k @ g.T * backward + t @ d)
    for name, value in expected.items():
        np.testing.assert_allclose(after[name], value, rtol=2**-9, atol=2**-6)


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("steps", [0, 2])
def test_unaligned(run, steps, transposed):
    BM, BN, BK, tiles, columns = 128, 128, 32, 1, 1
    lda, ldb, ldc = 3 * BK + 5, BN + 3, BN + 7
    a, b = small(tiles * BM, lda).astype(np.float16), small(max(1, steps) * BK, ldb).astype(np.float16)
    c = np.ones((tiles * BM, ldc), np.float16)
    plain = 0 if transposed else tiles * BM
    given = dict(a_ptr=a, b_ptr=b, c_ptr=c, sizes_ptr=np.array([columns, steps, lda, ldb, ldc, plain], np.int32), tiles=tiles)
    after = run(SPILLS, "unaligned", f"*fp16,*fp16,*fp16,*i32:16,i32,{BM},{BN},{BK}", (1,), given)
    expected = c.copy()
    product = a[:, :steps * BK].astype(np.float32) @ b[:steps * BK, :BN].astype(np.float32)
    expected[:, :BN] = product.T if transposed else product
    assert (after["c_ptr"] == expected).all()
