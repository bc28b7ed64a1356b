"""Tensors through loops, branches and early returns, with reductions and products on the way."""
import os
import textwrap

import numpy as np
import pytest

from launch import FP32, I32, KERNELS, assert_same_bits, poison
from tiles import jit, kernel, offsets

FILE = os.path.join(KERNELS, "control_flow_tensors.py")


def integers(*shape, low=-100, high=100, dtype=np.int32, seed=1):
    return np.random.default_rng([seed, *shape]).integers(low, high, shape).astype(dtype)


@pytest.mark.parametrize("steps", [-1, 0, 1, 2, 7, 50])
def test_fibonacci_blocks(run, steps):
    x = integers(2, 32)
    after = run(FILE, "fibonacci_blocks", "*i32,*i32,i32,32", (1,), {"x_ptr": x, "out_ptr": poison(I32, 64), "steps": steps})
    a, b = x
    with np.errstate(over="ignore"):
        for _ in range(steps):
            a, b = b, a + b
    assert_same_bits(after["out_ptr"], np.concatenate([a, b]), "blocks")


def test_collatz_blocks(run):
    x = np.arange(96, dtype=np.int32)
    x[32:64] = 1  # a program whose loop does not run
    after = run(FILE, "collatz_blocks", "*i32,*i32,32", (3,), {"x_ptr": x, "out_ptr": poison(I32, 96)}, threads=(1, 2, 7))

    def steps(n):
        count = 0
        while n > 1:
            n, count = (n // 2 if n % 2 == 0 else 3 * n + 1), count + 1
        return count
    assert_same_bits(after["out_ptr"], np.array([steps(int(n)) for n in x], np.int32), "steps")


@pytest.mark.parametrize("which", [-3, -1, 0, 1, 2])
def test_branches(run, which):
    x, i = integers(2, 16), np.arange(16, dtype=np.int32)
    after = run(FILE, "branches", "*i32,*i32,i32,16", (1,), {"x_ptr": x, "out_ptr": poison(I32, 32), "which": which})
    expected = {-3: (x[0], x[0] + x[0].sum()), -1: (x[0], 0 * i), 0: (x[0], 0 * i), 1: (x[0], x[0] * 2 + i),
                2: (x[1], x[0] * 2)}[which]
    assert_same_bits(after["out_ptr"], np.concatenate(expected).astype(np.int32), "what the branches gave")


def test_early_exit(run):
    rows, n = 60, 55
    x = integers(rows, 16, low=-20, high=95)
    x[::4] -= 40
    x[1::4] = np.clip(x[1::4] + 20, 0, 90)
    out = poison(I32, rows * 16)
    after = run(FILE, "early_exit", "*i32,*i32,i32,16", (rows,), {"x_ptr": x, "out_ptr": out, "n": n}, threads=(1, 2, 7))
    expected = out.reshape(rows, 16).copy()
    ways = set()
    for cells, row in zip(expected[:n], x):
        total = int(row.sum())
        if total < 0:
            cells[:] = row - total
        elif row.max() > 90:
            cells[:] = -row
            if total % 2:
                cells[0] = total
            ways.add(total % 2)
        else:
            for _ in range(total % 5):
                row = row + row.min()
            cells[:] = row
            ways.add("loop")
    assert ways == {0, 1, "loop"}
    assert_same_bits(after["out_ptr"], expected.reshape(-1), "rows")


@pytest.mark.parametrize("power", [0, 1, 2, 13, 100])
def test_power_of_matrix(run, power):
    x = integers(16, 16, low=0, high=97, dtype=np.float32)
    after = run(FILE, "power_of_matrix", "*fp32,*fp32,i32,i32,16", (1,),
                {"x_ptr": x, "out_ptr": poison(FP32, 256), "power": power, "modulus": 97})
    expected = np.eye(16, dtype=np.int64)
    for _ in range(power):
        expected = expected @ x.astype(np.int64) % 97
    assert_same_bits(after["out_ptr"], expected.astype(np.float32).reshape(-1), "power")


@pytest.mark.parametrize("layers", [0, 1, 4])
def test_chained_products(run, layers):
    x, w = integers(16, 16, low=-2, high=3, dtype=np.float32), integers(4, 16, 16, low=-1, high=2, dtype=np.float32)
    after = run(FILE, "chained_products", "*fp32,*fp32,*fp32,i32,16,16", (1,),
                {"x_ptr": x, "w_ptr": w, "out_ptr": poison(FP32, 256), "layers": layers})
    h = x.astype(np.float64)
    for layer in range(layers):
        h = h @ w[layer]
        h = np.maximum(h - np.floor(h.max(1, keepdims=True) / 2), 0)
    assert_same_bits(after["out_ptr"], h.astype(np.float32).reshape(-1), "activations")


@pytest.mark.parametrize("outer,inner", [(0, 3), (1, 0), (3, 2), (4, 6)])
def test_nested_loops(run, outer, inner):
    x = integers(8, 16)
    after = run(FILE, "nested_loops", "*i32,*i32,i32,i32,8,16", (1,),
                {"x_ptr": x, "out_ptr": poison(I32, 144), "outer": outer, "inner": inner})
    column = np.zeros((1, 16), np.int32)
    with np.errstate(over="ignore"):
        for a in range(outer):
            for b in range(a, inner):
                x = x * np.int32(3) + column + np.int32(b)
                column = column + np.int32(1)
            column = x.sum(0, keepdims=True, dtype=np.int32) ^ np.int32(a)
    assert_same_bits(after["out_ptr"], np.concatenate([x.reshape(-1), column.reshape(-1)]), "tiles")


@pytest.mark.parametrize("bounds", [(0, 0, 1), (0, 5, 1), (9, 1, -3), (-4, 20, 7), (5, 1, 1)], ids=str)
def test_moving_pointers(run, bounds):
    x = integers(16 * 3 + 12)
    after = run(FILE, "moving_pointers", f"*i32,*i32,i32,i32,{bounds[2]},16", (1,),
                {"x_ptr": x, "out_ptr": poison(I32, 32), "first": bounds[0], "last": bounds[1]})
    at, mask, i, total = np.arange(16) * 3, np.arange(16) < 5, np.arange(16, dtype=np.int32), np.zeros(16, np.int32)
    for k in range(*bounds):
        total = (total * 2 + np.where(mask, x[at], k)).astype(np.int32)
        at = at + 2
        mask = np.fmod(total + i, 3) != 0
        i = np.where(mask, i + 1, i).astype(np.int32)
    assert_same_bits(after["out_ptr"], np.concatenate([total, i]), "carried tensors")


@pytest.mark.parametrize("steps", [0, 1, 6])
def test_stores_in_loops(run, steps):
    x = integers(16)
    after = run(FILE, "stores_in_loops", "*i32,*i32,i32,16", (1,), {"x_ptr": x, "out_ptr": poison(I32, 16), "steps": steps})
    with np.errstate(over="ignore"):
        for step in range(steps):
            x = x + x.sum(dtype=np.int32) + np.int32(step)
    assert_same_bits(after["out_ptr"], x, "after the rounds")


@pytest.mark.parametrize("steps", [0, 1, 2, 9])
def test_carried_types(run, steps):
    h, b, n = integers(16, dtype=np.float16), integers(16, dtype=np.int8), integers(16, dtype=np.int64)
    after = run(FILE, "carried_types", "*fp16,*i8,*i64,*fp32,i32,16", (1,),
                {"half_ptr": h, "byte_ptr": b, "long_ptr": n, "out_ptr": poison(FP32, 16), "steps": steps})
    seen = np.zeros(16, bool)
    with np.errstate(over="ignore"):
        for step in range(steps):
            if step % 2 == 0:
                h, seen = h + np.float16(1), seen | (b > 50)
            else:
                b = b + np.int8(100)
                n = n * 1000003 + b
    assert_same_bits(after["out_ptr"], np.where(seen, h, 0 - h).astype(np.float32), "halves")
    assert_same_bits(after["byte_ptr"], b, "bytes")
    assert_same_bits(after["long_ptr"], n, "longs")


# ---- accumulators ---------------------------------------------------------------------------------

# Each is a kernel's code and, with other meanings of its functions, NumPy's. What the loops carry may share memory
# with what they read only where nobody can tell.
SHAPE = (32, 32)
ACCUMULATORS = {
    "plain": """
        for k in range(n):
            x = dot(a(k), b(k), x)
    """,
    "exchanged": """
        for k in range(n):
            x, y = dot(a(k), b(k), y), x
    """,
    "old value kept": """
        for k in range(n):
            y = x
            x = dot(a(k), b(k), x)
    """,
    "old value used after": """
        for k in range(n):
            z = dot(a(k), b(k), x)
            y = y + x
            x = z
    """,
    "one accumulator for two products": """
        for k in range(n):
            z = dot(a(k), b(k), x)
            x = z - dot(b(k), a(k), x) * 0.5
    """,
    "two products in a row": """
        for k in range(n):
            x = dot(b(k), a(k), dot(a(k), b(k), x * 0.5))
    """,
    "its own left operand": """
        for k in range(n):
            x = dot(x, b(k), x) * 0.0625
    """,
    "its own right operand": """
        for k in range(n):
            x = dot(b(k), x, x)
    """,
    "its own transposed operand": """
        for k in range(n):
            x = dot(b(k), x.T, x)
    """,
    "start used after": """
        z = x + 1
        x = z
        for k in range(n):
            x = dot(a(k), b(k), x)
        y = z
    """,
    "start used inside": """
        z = x + 1
        for k in range(n):
            y = dot(a(k), b(k) + z, y)
        x = z + y
    """,
    "in a branch": """
        for k in range(n):
            if k & 1 == 0:
                x = dot(a(k), b(k), x)
            else:
                x = x - 1
                y = x
    """,
    "in a loop in a loop": """
        for j in range(2):
            y = x
            for k in range(n):
                y = dot(a(k), b(k), y)
            x = y - x
    """,
    "in a while loop": """
        k = 0
        while k < n:
            x = dot(a(k), b(k), x)
            k += 1
    """,
    "reduced between": """
        for k in range(n):
            y = y + rows(x)
            x = dot(a(k), b(k), x)
            y = y - rows(x.T)
    """,
    "loaded from where it is stored": """
        for k in range(n):
            x = dot(a(k), b(k), again(x))
    """,
}


@pytest.mark.parametrize("name", ACCUMULATORS)
def test_accumulators(run, name):
    code, size = textwrap.dedent(ACCUMULATORS[name]).strip(), SHAPE[0] * SHAPE[1]
    at = offsets(SHAPE)
    text = code
    for function in ("a", "b"):
        text = text.replace(f" {function}(", f" {function}({function}_ptr, ").replace(f"({function}(", f"({function}({function}_ptr, ")
    text = text.replace("again(", "again(out_ptr, ")
    text = kernel("a_ptr, b_ptr, out_ptr, n", f"x = a(a_ptr, 0)\ny = b(b_ptr, 0)\n{text}\n"
                  f"tl.store(out_ptr + ({at}), x)\ntl.store(out_ptr + {size} + ({at}), y)",
                  jit("a", "p, k", f"return tl.load(p + k * {size} + ({at}))") + jit("b", "p, k", f"return tl.load(p + k * {size} + ({at}))")
                  + jit("dot", "x, y, z", 'return tl.dot(x, y, z, input_precision="ieee")')
                  + jit("rows", "x", "return x * 0 + tl.max(x, 1)[:, None]")
                  + jit("again", "p, x", f"tl.store(p + ({at}), x + 1)\ntl.debug_barrier()\nreturn tl.load(p + ({at}))"))
    left, right = (integers(4, *SHAPE, low=-3, high=4, dtype=np.float32, seed=seed) for seed in (1, 2))
    for n in range(4):
        after = run(text, "kernel", "*fp32,*fp32,*fp32,i32", (1,), {"a_ptr": left, "b_ptr": right, "out_ptr": poison(FP32, 2 * size), "n": n})
        names = {"n": n, "x": left[0], "y": right[0], "a": lambda k: left[k], "b": lambda k: right[k], "dot": lambda x, y, z: x @ y + z,
                 "rows": lambda x: x * 0 + x.max(1)[:, None], "again": lambda x: x + 1}
        exec(code, names)
        expected = np.concatenate([names["x"].reshape(-1), names["y"].reshape(-1)]).astype(np.float32)
        assert_same_bits(after["out_ptr"] + 0, expected + 0, f"{name}, {n} times")


@pytest.mark.parametrize("rows, columns", [(16, 64), (1, 512), (64, 4), (32, 256)])
@pytest.mark.parametrize("steps", [0, 1, 5])
def test_totals(run, steps, rows, columns):
    x = integers(5, rows, columns)
    after = run(FILE, "totals", f"*i32,*i32,i32,{rows},{columns}", (1,),
                {"x_ptr": x, "out_ptr": poison(I32, 2 * rows + columns + 1), "steps": steps})
    x = x[:steps]
    expected = [np.arange(rows) * 100 + x.sum((0, 2)), np.bitwise_xor.reduce(x, (0, 2)) if steps else np.zeros(rows),
                x.max((0, 1), initial=-1000), [7 + x.sum()]]
    assert_same_bits(after["out_ptr"], np.concatenate(expected).astype(np.int32), "totals")


@pytest.mark.parametrize("flag", [0, 1, 2])
def test_adjusted(run, flag):
    """Adding nothing keeps the sign of zeros, infinities and what is not a number."""
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1.5, 3.0] * 16, np.float32)
    after = run(FILE, "adjusted", f"*fp32,*fp32,fp32,i32,{len(x)}", (1,),
                {"x_ptr": x, "out_ptr": np.full(4 * len(x), 7, np.float32), "number": 2.5, "flag": flag})
    two = np.float32(2.5)
    expected = [x + two if flag else x, x if flag else x - two, x * two if flag > 1 else x, 1 - x if flag else x]
    assert_same_bits(after["out_ptr"], np.concatenate(expected).astype(np.float32), "adjusted")
