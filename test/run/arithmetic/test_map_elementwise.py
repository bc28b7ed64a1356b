"""tl.map_elementwise: control flow for each element, groups, several results, every type."""
import os

import numpy as np
import pytest

from launch import FLOATS, FP32, I32, I64, INTS, KERNELS, UNSIGNED, assert_same_bits, poison, random
from tiles import jit, kernel, offsets, store

MAPS = os.path.join(KERNELS, "map_elementwise.py")
ids = dict(ids=lambda t: t.name)


def steps(n):
    count = 0
    while n > 1:
        n, count = n // 2 if n % 2 == 0 else 3 * n + 1, count + 1
    return count


@pytest.mark.parametrize("n", [1, 64, 100])
def test_a_loop_for_each_element(run, n):
    x = np.arange(1, n + 1, dtype=np.int32)
    out = poison(I32, n + 3)
    after = run(MAPS, "collatz_kernel", "*i32,*i32,i32,64", (-(-n // 64),), {"x_ptr": x, "out_ptr": out, "n": n}, (1, 2))
    assert_same_bits(after["out_ptr"], np.append(np.array([steps(i) for i in x], np.int32), out[n:]), "steps")


def test_returns_from_several_places(run):
    x = random(FP32, 128, 1)
    x[:5] = [0.0, -0.0, np.nan, np.inf, -np.inf]
    after = run(MAPS, "sign_kernel", "*fp32,*i32,64", (2,), {"x_ptr": x, "out_ptr": poison(I32, 128)}, (1, 2))
    assert_same_bits(after["out_ptr"], np.where(x > 0, 1, np.where(x < 0, -1, 0)).astype(np.int32), "signs")


def test_several_results_of_broadcast_operands(run):
    a, b = random(FP32, 16, 1)[:16], random(FP32, 8, 2)
    after = run(MAPS, "order_kernel", "*fp32,*fp32,*fp32,*fp32,16,8", (1,),
                {"a_ptr": a, "b_ptr": b, "low_ptr": poison(FP32, 128), "high_ptr": poison(FP32, 128)})
    assert_same_bits(after["low_ptr"], np.minimum(a[:, None], b).reshape(-1), "low")
    assert_same_bits(after["high_ptr"], np.maximum(a[:, None], b).reshape(-1), "high")


def test_a_counted_loop(run):
    rng = np.random.default_rng(1)
    x, n = rng.integers(-9, 10, 64).astype(np.int32), rng.integers(-2, 30, 64).astype(np.int32)
    after = run(MAPS, "power_kernel", "*i32,*i32,*i32,64", (1,), {"x_ptr": x, "n_ptr": n, "out_ptr": poison(I32, 64)})
    expected = [pow(int(a), max(0, int(b))) % (1 << 32) for a, b in zip(x, n)]
    assert_same_bits(after["out_ptr"], np.array(expected, np.uint32).view(np.int32), "powers")


@pytest.mark.parametrize("block", [2, 64])
def test_groups_of_two(run, block):
    x = np.random.default_rng(block).standard_normal((3, block // 2, 2)).astype(np.float32)
    after = run(MAPS, "sort_pairs_kernel", f"*fp32,*fp32,{block}", (3,), {"x_ptr": x, "out_ptr": poison(FP32, x.size)}, (1, 2))
    assert_same_bits(after["out_ptr"], np.sort(x, -1).reshape(-1), "pairs")


def test_groups_of_four(run):
    rng = np.random.default_rng(3)
    a, b = rng.integers(-99, 99, (4, 16)).astype(np.int32), rng.integers(-99, 99, (4, 16)).astype(np.int64)
    after = run(MAPS, "four_sums_kernel", "*i32,*i64,*i32,*i64,4,16", (1,),
                {"a_ptr": a, "b_ptr": b, "a_out": poison(I32, 64), "b_out": poison(I64, 64)})
    assert_same_bits(after["a_out"], np.cumsum(a.reshape(-1, 4), 1).astype(np.int32).reshape(-1), "sums in groups")
    assert_same_bits(after["b_out"], 2 * b.reshape(-1), "doubled")


@pytest.mark.parametrize("dtype", FLOATS + INTS + UNSIGNED, **ids)
@pytest.mark.parametrize("shape", [(1,), (32,), (4, 8)], ids=str)
def test_every_type(run, dtype, shape):
    count = int(np.prod(shape))
    x, y = random(dtype, count, 1).reshape(shape), random(dtype, count, 2).reshape(shape)
    text = kernel("x_ptr, y_ptr, out_ptr", f"""
        at = {offsets(shape)}
        {store("out_ptr", "tl.map_elementwise(pick, tl.load(x_ptr + at), tl.load(y_ptr + at))", shape)}
    """, jit("pick", "x, y", """
        if x > y:
            return x
        else:
            return y
    """))
    after = run(text, "kernel", ",".join([f"*{dtype.name}"] * 3), (1,),
                {"x_ptr": x, "y_ptr": y, "out_ptr": poison(dtype, count).reshape(shape)})["out_ptr"]
    assert_same_bits(after, np.where(dtype.widen(x) > dtype.widen(y), x, y), "picked")


def test_conditions(run):
    x = random(I32, 64, 1)
    text = kernel("x_ptr, out_ptr", """
        i = tl.arange(0, 64)
        x = tl.load(x_ptr + i)
        kept = tl.map_elementwise(both, x > 0, x % 2 == 0)
        tl.store(out_ptr + i, tl.where(kept, x, 0))
    """, jit("both", "a, b", """
        if a:
            return b
        else:
            return a
    """))
    after = run(text, "kernel", "*i32,*i32", (1,), {"x_ptr": x, "out_ptr": poison(I32, 64)})
    assert_same_bits(after["out_ptr"], np.where((x > 0) & (x % 2 == 0), x, 0).astype(np.int32), "both")
