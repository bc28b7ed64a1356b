"""Tiles whose rows are at any distance, so that they are read element by element."""
import os

import numpy as np
import pytest

from launch import KERNELS

ODD = os.path.join(KERNELS, "odd_strides.py")


def strided(shape, stride, seed, dtype=np.float16):
    """Rows of `stride` elements, of which the first shape[1] are random integers, and the rest are far too large."""
    rows = np.full((shape[0], stride), 99, dtype)
    rows[:, :shape[1]] = np.random.default_rng(seed).integers(-2, 3, shape).astype(dtype)
    return rows


@pytest.mark.parametrize("D", [64, 40])
@pytest.mark.parametrize("stages", [1, 3])
def test_attention(run, stages, D):
    queries, keys, stride = 50, 150, D + 3
    q, k, v = (strided((n, D), stride, seed) for n, seed in ((queries, 1), (keys, 2), (keys, 3)))
    q *= np.float16(0.125)
    out = np.full((queries, stride), 7, np.float32)
    after = run(ODD, "attention", f"*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32,i32,i32,i32,i32,i32,{D},64,64,64", (1,),
                {"q_ptr": q, "k_ptr": k, "v_ptr": v, "out_ptr": out, "stride_q": stride, "stride_k": stride,
                 "stride_v": stride, "stride_o": stride, "queries": queries, "keys": keys}, options=f"num-stages={stages}")
    weights = np.exp2(q[:, :D].astype(np.float64) @ k[:, :D].astype(np.float64).T)
    expected = (weights / weights.sum(1, keepdims=True)) @ v[:, :D].astype(np.float64)
    assert np.allclose(after["out_ptr"][:, :D], expected, atol=2e-2)
    assert (after["out_ptr"][:, D:] == 7).all()


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("stages", [1, 3])
@pytest.mark.parametrize("dtype", ["fp16", "int8", "fp32"])
def test_product(run, dtype, stages, transposed):
    T, K = 64, 75
    kind = {"fp16": np.float16, "int8": np.int8, "fp32": np.float32}[dtype]
    name = {"int8": "i8"}.get(dtype, dtype)
    a = strided((T, K), K + 6, 1, kind)
    b = strided((T, K), K + 4, 2, kind) if transposed else strided((K, T), T + 5, 2, kind)
    after = run(ODD, "product", f"*{name}:16,*{name}:16,*fp32:16,i32,i32,i32,{T},32,{transposed}", (1,),
                {"a_ptr": a, "b_ptr": b, "out_ptr": np.zeros((T, T), np.float32), "stride_a": a.shape[1],
                 "stride_b": b.shape[1], "K": K}, options=f"num-stages={stages}")
    right = b[:, :K].T if transposed else b[:, :T]
    assert (after["out_ptr"] == a[:, :K].astype(np.float32) @ right.astype(np.float32)).all()
