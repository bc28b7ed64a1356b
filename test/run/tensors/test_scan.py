"""Scans: any combination, type, axis and direction, against NumPy; the order of operands; what must not leak."""
import os

import numpy as np
import pytest

from launch import BF16, FLOATS, FP16, FP32, FP64, I8, I16, I32, I64, INTS, KERNELS, U8, U32, U64, UNSIGNED, \
    assert_same_bits, is_amd, poison, random
from tiles import jit, kernel, offsets, store

SCAN = os.path.join(KERNELS, "scan.py")
ids = dict(ids=lambda t: t.name)
SHAPES = [((1,), 0), ((2,), 0), ((8,), 0), ((16,), 0), ((64,), 0), ((1024,), 0), ((4, 1), 0), ((4, 1), 1), ((1, 4), 1),
          ((64, 2), 1), ((64, 2), 0), ((8, 128), 1), ((8, 128), 0), ((128, 8), 0), ((4, 8, 2), 0), ((4, 8, 2), 1),
          ((4, 8, 2), 2), ((2, 4, 64), 1), ((2, 2, 2, 32), 3)]
shapes = dict(ids=lambda s: "x".join(map(str, s)) if isinstance(s, tuple) else str(s))

ADD = jit("add", "a, b", "return a + b")
LARGER = jit("larger", "a, b", "return tl.where(a < b, b, a)")
LAST = jit("last", "a, b", "return b")
COMPOSE = jit("compose", "a1, b1, a2, b2", "return a1 * a2, a2 * b1 + b2")
BEST = jit("best", "a, i, b, j", """
    if b > a:
        return b, j
    else:
        return a, i
""")
DIVISOR = jit("divisor", "a, b", """
    while b != 0:
        rest = a % b
        a = b
        b = rest
    return a
""")


def scanned(ufunc, x, axis, reverse):
    if reverse:
        return np.flip(ufunc.accumulate(np.flip(x, axis), axis), axis)
    return ufunc.accumulate(x, axis)


def scan(run, dtype, x, axis, reverse, function, functions, threads=(1,)):
    text = kernel("x_ptr, out_ptr", f"""
        x = tl.load(x_ptr + {offsets(x.shape)})
        {store("out_ptr", f"tl.associative_scan(x, {axis}, {function}, reverse={reverse})", x.shape)}
    """, functions)
    out = poison(dtype, x.size).reshape(x.shape)
    return run(text, "kernel", f"*{dtype.name},*{dtype.name}", (1,), {"x_ptr": x, "out_ptr": out}, threads)["out_ptr"]


def assert_running_sums(dtype, actual, x, axis, reverse, what):
    """Within what any order of additions may be off."""
    digits = {"fp16": 10, "bf16": 7, "fp32": 23, "fp64": 52}[dtype.name]
    wide = dtype.widen(x)
    expected = scanned(np.add, wide, axis, reverse)
    steps = np.log2(x.shape[axis]) + x.shape[axis] / 16 + 2
    slack = scanned(np.add, np.abs(wide), axis, reverse) * 2.0**-digits * steps
    error = np.abs(dtype.widen(actual) - expected)
    assert (error <= slack).all(), f"{what}: off by {(error / np.maximum(slack, 1e-300)).max():.2f} of what is allowed"


@pytest.mark.parametrize("reverse", [False, True], ids=["forward", "reverse"])
@pytest.mark.parametrize("shape,axis", SHAPES, **shapes)
@pytest.mark.parametrize("dtype", [I32, I64, U8, FP32, FP16], **ids)
def test_shapes(run, dtype, shape, axis, reverse):
    if dtype.is_float:
        x = dtype.narrow(np.random.default_rng(1).standard_normal(shape))
        assert_running_sums(dtype, scan(run, dtype, x, axis, reverse, "add", ADD), x, axis, reverse, "sums")
    else:
        x = random(dtype, int(np.prod(shape)), 1).reshape(shape)
        expected = scanned(np.add, x, axis, reverse).astype(dtype.storage)
        assert_same_bits(scan(run, dtype, x, axis, reverse, "add", ADD), expected, "sums")


@pytest.mark.parametrize("reverse", [False, True], ids=["forward", "reverse"])
@pytest.mark.parametrize("shape,axis", [((256,), 0), ((16, 32), 0), ((16, 32), 1)], **shapes)
@pytest.mark.parametrize("dtype", FLOATS + INTS + UNSIGNED, **ids)
def test_every_type(run, dtype, shape, axis, reverse):
    x = dtype.narrow(np.random.default_rng(2).standard_normal(shape)) if dtype.is_float \
        else random(dtype, int(np.prod(shape)), 2).reshape(shape)
    largest = scan(run, dtype, x, axis, reverse, "larger", LARGER)
    expected = dtype.narrow(scanned(np.maximum, dtype.widen(x), axis, reverse))
    assert_same_bits(largest, expected, "largest so far")
    total = scan(run, dtype, x, axis, reverse, "add", ADD)
    if dtype.is_float:
        assert_running_sums(dtype, total, x, axis, reverse, "sums")
    else:
        assert_same_bits(total, scanned(np.add, x, axis, reverse).astype(dtype.storage), "sums")


@pytest.mark.parametrize("reverse", [False, True], ids=["forward", "reverse"])
@pytest.mark.parametrize("shape,axis", SHAPES, **shapes)
def test_order_of_operands(run, shape, axis, reverse):
    """Functions x -> a x + b compose in the order that the scan visits them, in wrapping arithmetic exactly."""
    rng = np.random.default_rng(3)
    a, b = (rng.integers(0, 1 << 32, shape, dtype=np.uint32) for _ in range(2))
    text = kernel("a_ptr, b_ptr, a_out, b_out, last_out", f"""
        at = {offsets(shape)}
        a, b = tl.load(a_ptr + at), tl.load(b_ptr + at)
        c, d = tl.associative_scan((a, b), {axis}, compose, reverse={reverse})
        tl.store(a_out + at, c)
        tl.store(b_out + at, d)
        tl.store(last_out + at, tl.associative_scan(a, {axis}, last, reverse={reverse}))
    """, COMPOSE + LAST)
    empty = {name: poison(U32, a.size).reshape(shape) for name in ("a_out", "b_out", "last_out")}
    after = run(text, "kernel", "*u32,*u32,*u32,*u32,*u32", (1,), {"a_ptr": a, "b_ptr": b, **empty})
    scale, shift = (np.moveaxis(np.flip(x, axis) if reverse else x, axis, 0).copy() for x in (a, b))
    with np.errstate(over="ignore"):
        for i in range(1, shape[axis]):
            shift[i] += scale[i] * shift[i - 1]
            scale[i] *= scale[i - 1]
    for name, expected in (("a_out", scale), ("b_out", shift)):
        expected = np.moveaxis(expected, 0, axis)
        expected = np.ascontiguousarray(np.flip(expected, axis) if reverse else expected)
        assert_same_bits(after[name], expected, name)
    assert_same_bits(after["last_out"], a, "the later operand is on the right")


@pytest.mark.parametrize("shape,axis", [((64,), 0), ((16, 8), 0), ((16, 8), 1), ((4, 4, 8), 1)], **shapes)
@pytest.mark.parametrize("reverse", [False, True], ids=["forward", "reverse"])
def test_combine_with_a_loop(run, shape, axis, reverse):
    x = np.random.default_rng(1).integers(1, 5000, shape).astype(np.int32) * 12
    expected = scanned(np.gcd, x, axis, reverse)
    assert_same_bits(scan(run, I32, x, axis, reverse, "divisor", DIVISOR), expected, "greatest common divisors")


@pytest.mark.parametrize("types", [("i64", "fp16"), ("u8", "i64"), ("fp64", "i8"), ("fp32", "i32")], ids="-".join)
@pytest.mark.parametrize("shape,axis", [((128,), 0), ((8, 32), 0), ((8, 32), 1), ((16, 4), 1)], **shapes)
def test_operands_of_two_types(run, types, shape, axis):
    """The best so far, and where it was: the first of equals."""
    dtypes = {t.name: t for t in FLOATS + INTS + UNSIGNED}
    value, index = (dtypes[name] for name in types)
    x = np.random.default_rng(5).integers(0, 50, shape).astype(value.storage)
    at = np.broadcast_to(np.arange(shape[axis]).reshape([-1 if d == axis else 1 for d in range(len(shape))]), shape)
    text = kernel("x_ptr, i_ptr, x_out, i_out", f"""
        at = {offsets(shape)}
        x, i = tl.associative_scan((tl.load(x_ptr + at), tl.load(i_ptr + at)), {axis}, best)
        tl.store(x_out + at, x)
        tl.store(i_out + at, i)
    """, BEST)
    after = run(text, "kernel", ",".join(f"*{t}" for t in types * 2), (1,),
                {"x_ptr": x, "i_ptr": np.ascontiguousarray(at.astype(index.storage)),
                 "x_out": poison(value, x.size).reshape(shape), "i_out": poison(index, x.size).reshape(shape)})
    best = np.maximum.accumulate(x, axis)
    first = np.maximum.accumulate(np.where(x > np.insert(best, 0, -1 if value.name != "u8" else 0, axis).take(
        np.arange(shape[axis]), axis), at, 0), axis)
    assert_same_bits(after["x_out"], best, "best")
    assert_same_bits(after["i_out"], first.astype(index.storage), "where")


@pytest.mark.parametrize("reverse", [False, True], ids=["forward", "reverse"])
@pytest.mark.parametrize("dtype", FLOATS, **ids)
@pytest.mark.parametrize("place", [0, 1, 15, 16, 37, 63])
def test_special_values_do_not_leak(run, dtype, place, reverse):
    """NaN and infinity reach what comes after them, and nothing else."""
    x = dtype.narrow(np.ones((4, 64)))
    x[1, place] = dtype.narrow(np.array([np.nan]))[0]
    x[2, place] = dtype.narrow(np.array([np.inf]))[0]
    x[3, place], x[3, (place + 9) % 64] = dtype.narrow(np.array([np.inf, -np.inf]))
    after = dtype.widen(scan(run, dtype, x, 1, reverse, "add", ADD))
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(after, scanned(np.add, dtype.widen(x), 1, reverse))


def test_scan_of_conditions(run):
    x = random(I32, 512, 3).reshape(8, 64)
    text = kernel("x_ptr, any_ptr, rank_ptr", f"""
        at = {offsets(x.shape)}
        positive = tl.load(x_ptr + at) > 0
        tl.store(any_ptr + at, tl.associative_scan(positive, 1, either).to(tl.int8))
        tl.store(rank_ptr + at, tl.cumsum(positive.to(tl.int32), 0))
    """, jit("either", "a, b", "return a | b"))
    after = run(text, "kernel", "*i32,*i8,*i32", (1,), {"x_ptr": x, "any_ptr": poison(I8, 512), "rank_ptr": poison(I32, 512)})
    assert_same_bits(after["any_ptr"], np.logical_or.accumulate(x > 0, 1).astype(np.int8).reshape(-1), "any so far")
    assert_same_bits(after["rank_ptr"], np.cumsum(x > 0, 0).astype(np.int32).reshape(-1), "how many so far")


@pytest.mark.parametrize("n", [1, 63, 64, 1000, 4096, 5001])
def test_rows_of_any_length(run, n):
    x = np.random.default_rng(n).integers(-100, 100, (7, n)).astype(np.float32)  # sums are exact
    after = run(SCAN, "row_cumsum", "*fp32,*fp32,i32,1024", (7,), {"x_ptr": x, "out_ptr": poison(FP32, x.size), "n": n}, (1, 2, 5))
    assert_same_bits(after["out_ptr"], np.cumsum(x, 1).astype(np.float32).reshape(-1), "running sums")


@pytest.mark.parametrize("n", [1, 33, 64])
def test_recurrence(run, n):
    rng = np.random.default_rng(n)
    a, b = rng.uniform(-1.2, 1.2, (5, n)).astype(np.float32), rng.standard_normal((5, n)).astype(np.float32)
    after = run(SCAN, "recurrence", "*fp32,*fp32,*fp32,i32,64", (5,),
                {"a_ptr": a, "b_ptr": b, "out_ptr": poison(FP32, 5 * n), "n": n}, (1, 3))["out_ptr"].reshape(5, n)
    h, size = np.zeros((5, n)), np.zeros((5, n))
    for i in range(n):
        h[:, i] = a[:, i] * (h[:, i - 1] if i else 0) + b[:, i].astype(np.float64)
        size[:, i] = np.abs(a[:, i]) * (size[:, i - 1] if i else 0) + np.abs(b[:, i])
    assert (np.abs(after - h) <= size * 2e-6).all()


@pytest.mark.parametrize("n", [1, 255, 256, 1000])
def test_compaction(run, n):
    x = random(I32, n, 11)
    blocks = -(-n // 256)
    out = poison(I32, blocks * 256)
    after = run(SCAN, "compact", "*i32,*i32,*i32,i32,256", (blocks,),
                {"x_ptr": x, "out_ptr": out, "count_ptr": poison(I32, blocks), "n": n}, (1, 2))
    expected, counts = out.copy(), []
    for block in range(blocks):
        kept = x[block * 256:(block + 1) * 256]
        kept = kept[kept > 0]
        expected[block * 256:block * 256 + kept.size] = kept
        counts.append(kept.size)
    assert_same_bits(after["out_ptr"], expected, "kept")
    assert after["count_ptr"].tolist() == counts


@pytest.mark.parametrize("block", [16, 4096, 131072, 1048576])
def test_large_blocks(run, device, block):
    if device != "cpu" and block > 131072:
        pytest.skip("a thread of a GPU would hold a thousand elements; ptxas takes minutes")
    x = np.random.default_rng(block).random((2, block), np.float32)
    warps = 16 if is_amd(device) else 32  # the most that every chip has
    after = run(SCAN, "block_cumsum", f"*fp32,*fp32,{block}", (2,), {"x_ptr": x, "out_ptr": poison(FP32, x.size)}, (1, 2),
                options=f"num-warps={warps}" if block > 4096 else "")
    expected = np.cumsum(x.astype(np.float64), 1)
    np.testing.assert_allclose(after["out_ptr"].reshape(x.shape), expected, rtol=3e-7 * (4 + np.sqrt(block / 16)))


@pytest.mark.parametrize("dtype,wide", [(BF16, FP32), (I8, I32), (I16, I32), (U8, U32), (U64, U64), (FP64, FP64)],
                         ids=lambda t: t.name)
def test_cumsum_and_cumprod(run, dtype, wide):
    """The library's own scans widen what would overflow or lose too much."""
    x = dtype.narrow(np.random.default_rng(1).integers(1, 4, (4, 32)))
    text = kernel("x_ptr, sum_ptr, product_ptr", f"""
        at = {offsets(x.shape)}
        x = tl.load(x_ptr + at)
        tl.store(sum_ptr + at, tl.cumsum(x, 1))
        tl.store(product_ptr + at, tl.cumprod(x, 0, reverse=True))
    """)
    product = FP32 if dtype is BF16 else dtype
    after = run(text, "kernel", f"*{dtype.name},*{wide.name},*{product.name}", (1,),
                {"x_ptr": x, "sum_ptr": poison(wide, 128), "product_ptr": poison(product, 128)})
    exact = dtype.widen(x)
    assert_same_bits(after["sum_ptr"], np.cumsum(exact, 1).astype(wide.storage).reshape(-1), "sums")
    assert_same_bits(after["product_ptr"], np.flip(np.cumprod(np.flip(exact, 0), 0), 0).astype(product.storage).reshape(-1), "products")
