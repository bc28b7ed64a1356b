"""Pipelined loops with what few programs have in them: scans, sorts, atomics, odd types, tiles of one element, masks that are never true,
offsets beyond 2^31; with no iteration, fewer than stages, and more."""
import os

import numpy as np
import pytest

from launch import KERNELS

LOOPS = os.path.join(KERNELS, "odd_loops.py")
ITERATIONS = [0, 1, 5]
rng = np.random.default_rng(14)


def integers(low, high, shape, dtype):
    return rng.integers(low, high, shape).astype(dtype)


def sum_of(products, shape):
    return sum(products, np.zeros(shape, np.float32))


@pytest.mark.parametrize("n", ITERATIONS)
@pytest.mark.parametrize("stages", [1, 3, 7])
@pytest.mark.parametrize("kind", ["i32", "i64"])
def test_gathered(run, kind, stages, n):
    T = 64
    index = integers(-1, 64, 4097, {"i32": np.int32, "i64": np.int64}[kind])
    index[:max(1, n) * T] = rng.integers(0, 4096, max(1, n) * T)
    index[4096] = 2
    x, w = integers(-2, 3, (4096, T), np.float16), integers(-2, 3, (max(1, n), T, T), np.float16)
    after = run(LOOPS, "gathered", f"*fp16:16,*{kind}:16,*fp16:16,*fp32:16,i32,{T},{stages}", (1,),
                {"x_ptr": x, "idx_ptr": index, "w_ptr": w, "out_ptr": np.ones((T, T), np.float32), "n": n})
    rows = [index[index[k * T:(k + 1) * T]] for k in range(n)]
    parts = [np.where((j >= 0)[:, None], x[np.maximum(j, 0)], 0).astype(np.float32) @ w[k].astype(np.float32) for k, j in enumerate(rows)]
    assert (after["out_ptr"] == sum_of(parts, (T, T)) * 2).all()


STORED = {"u8": lambda v: v.astype(np.uint8), "i8": lambda v: v.astype(np.int8), "i1": lambda v: v.astype(np.uint8),
          "fp16": lambda v: v.astype(np.float16), "fp64": lambda v: v.astype(np.float64),
          "bf16": lambda v: (v.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16),
          "fp8e5": lambda v: (v.astype(np.float16).view(np.uint16) >> 8).astype(np.uint8)}


@pytest.mark.parametrize("n", ITERATIONS)
@pytest.mark.parametrize("stages", [1, 3])
@pytest.mark.parametrize("kind", list(STORED))
def test_odd_types(run, kind, stages, n):
    N = 256
    mask = integers(0, 2, (max(n, 1), N), np.uint8)
    values = rng.integers(0, 2 if kind == "i1" else 4, (max(n, 1), N))
    after = run(LOOPS, "odd_types", f"*{kind},*u8,*fp64,i32,{N},{stages}", (1,),
                {"x_ptr": STORED[kind](values), "m_ptr": mask, "out_ptr": np.ones(N), "n": n})
    assert (after["out_ptr"] == (values * mask)[:n].sum(0)).all()


@pytest.mark.parametrize("n", ITERATIONS)
@pytest.mark.parametrize("stages", [1, 4])
@pytest.mark.parametrize("shape", [(4, 16, 8), (1, 32, 1), (2, 1, 64)])
def test_three_dimensions(run, shape, stages, n):
    A, B, C = shape
    x = integers(-2, 3, (max(n, 1), A, B, C), np.float32)
    after = run(LOOPS, "three_d", f"*fp32,*fp32,i32,{A},{B},{C},{stages}", (1,),
                {"x_ptr": x, "out_ptr": np.ones((A, C), np.float32), "n": n})
    parts = [(np.cumsum(part, 1).sum(1, keepdims=True) * part.sum(0, keepdims=True)).sum(1) for part in x[:n]]
    assert (after["out_ptr"] == sum_of(parts, (A, C))).all()


@pytest.mark.parametrize("n", ITERATIONS)
@pytest.mark.parametrize("stages", [1, 4])
@pytest.mark.parametrize("N", [1, 2, 128])
def test_sorted_sums(run, N, stages, n):
    x = integers(-200, 300, (max(n, 1), N), np.int32)
    after = run(LOOPS, "sorted_sums", f"*i32,*i32,i32,{N},{stages}", (1,), {"x_ptr": x, "out_ptr": np.ones(N, np.int32), "n": n})
    expected = np.zeros(N, np.int32)
    for part in x[:n]:
        expected = np.cumsum(np.sort(expected + part)[::-1])[::-1].astype(np.int32) & 0xFFFF
    assert (after["out_ptr"] == expected).all()


@pytest.mark.parametrize("n", ITERATIONS)
@pytest.mark.parametrize("stages", [1, 2, 5])
def test_atomics(run, stages, n):
    N = 128
    at, x = integers(-20, N, (max(n, 1), N), np.int32), np.zeros(N, np.int32)
    after = run(LOOPS, "atomics", f"*i32,*i32,*i32,i32,{N},{stages}", (1,),
                {"x_ptr": x.copy(), "at_ptr": at, "out_ptr": np.ones(N, np.int32), "n": n})
    total = np.zeros(N, np.int32)
    for part in at[:n]:
        np.add.at(x, part[part >= 0], 1)
        total += x
    assert (after["x_ptr"] == x).all() and (after["out_ptr"] == total).all()


@pytest.mark.parametrize("counts", [(0, 0, 0), (1, 0, 3), (3, 3, 3), ()])
@pytest.mark.parametrize("stages", [1, 3, 6])
@pytest.mark.parametrize("flatten", [False, True])
def test_flattened(run, flatten, stages, counts):
    T, outer = 32, len(counts)
    x, w = integers(-2, 3, (3 * max(outer, 1), T, T), np.float16), integers(-2, 3, (3, T, T), np.float16)
    after = run(LOOPS, "flattened", f"*fp16:16,*fp16:16,*i32,*fp32:16,i32,{T},{stages},{flatten}", (1,),
                {"x_ptr": x, "w_ptr": w, "count_ptr": np.array([*counts, 7], np.int32), "outer": outer,
                 "out_ptr": np.ones((max(outer, 1), T, T), np.float32)})
    for i, n in enumerate(counts):
        expected = sum_of((x[i * 3 + k].astype(np.float32) @ w[k].astype(np.float32) for k in range(n)), (T, T))
        assert (after["out_ptr"][i] == expected).all()


@pytest.mark.parametrize("n", ITERATIONS)
@pytest.mark.parametrize("stages", [1, 3, 7])
@pytest.mark.parametrize("kind", ["fp16", "bf16", "fp32"])
def test_masks_that_are_never_true(run, kind, stages, n):
    N = 32
    values = integers(-2, 3, (N, N), np.float32)
    x = values.astype(np.float16) if kind == "fp16" else STORED["bf16"](values) if kind == "bf16" else values
    after = run(LOOPS, "nothing", f"*{kind}:16,*fp32:16,i32,{N},{stages}", (1,),
                {"x_ptr": x, "out_ptr": np.ones((N, N), np.float32), "n": n})
    assert (after["out_ptr"] == np.ones((N, N), np.float32) @ values * n).all()


@pytest.mark.parametrize("n", ITERATIONS)
@pytest.mark.parametrize("stages", [1, 3])
@pytest.mark.parametrize("kind", ["fp16", "fp32"])
def test_far_offsets(run, kind, stages, n):
    T = 32
    x = integers(-1, 2, (max(n, 1), T, T), {"fp16": np.float16, "fp32": np.float32}[kind])
    after = run(LOOPS, "far", f"*{kind},*fp32,i64,i64,i32,{T},{stages}", (1,),
                {"x_ptr": x, "out_ptr": np.ones((T, T), np.float32), "big": 2**31 + 12345, "stride": T, "n": n})
    assert (after["out_ptr"] == sum_of((part.astype(np.float32) @ part.astype(np.float32) for part in x[:n]), (T, T))).all()


@pytest.mark.parametrize("n", ITERATIONS)
@pytest.mark.parametrize("stages", [1, 3])
@pytest.mark.parametrize("N", [1, 64])
def test_axes_of_one_element(run, N, stages, n):
    x, y = integers(-2, 3, max(n, 1) * N, np.float32), integers(-2, 3, 200, np.float32)
    after = run(LOOPS, "one_wide", f"*fp32,*fp32,*fp32,i32,{N},{stages}", (1,),
                {"x_ptr": x, "y_ptr": y, "out_ptr": np.ones((N, N), np.float32), "n": n})
    expected = np.zeros((N, N), np.float32)
    for k in range(n):
        part = x[k * N:(k + 1) * N]
        expected += part[:, None] * y[k] + y[k:k + N][None, :] + (0 if part.max() > 1 else 1)
    assert (after["out_ptr"] == expected).all()
