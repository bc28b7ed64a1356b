"""Reductions: every type, axis and shape, functions of the user's own, and what is done with the results.

Integers are compared exactly. Sums of floats may be formed in any order, so their error is held against a bound that
grows with log2 of the number of terms: a sum that was added up one by one does not pass.
"""
import itertools
import math
import os

import numpy as np
import pytest

from formats import FP8E4NV, FP8E5
from launch import (BF16, FLOATS, FP16, FP32, FP64, I8, I32, INTS, KERNELS, U8, UNSIGNED, assert_same_bits, poison, random)
from tiles import jit, kernel, offsets, store

REDUCE = os.path.join(KERNELS, "reduce.py")
DIGITS = {"fp16": 11, "bf16": 8, "fp32": 24, "fp64": 53}
ids = dict(ids=lambda t: t.name)

SHAPES = [(1,), (2,), (64,), (4096,), (1, 1), (8, 16), (32, 1), (1, 32), (64, 4), (2, 1, 4), (4, 8, 16), (16, 2, 2), (2, 4, 2, 8),
          (1, 8, 1, 4)]

PRODUCT = jit("product", "a, b", "return a * b")
CONJUNCTION = jit("conjunction", "a, b", "return a & b")
AFFINE = jit("affine", "a, b, c, d", "return a * c, b * c + d")
COMPLEX = jit("complex", "a, b, c, d", "return a * c - b * d, a * d + b * c")
LARGER = jit("larger", "a, b", """
    if a > b:
        return a
    else:
        return b
""")
DIVISOR = jit("divisor", "a, b", """
    while b != 0:
        rest = a % b
        a = b
        b = rest
    return a
""")
MEDLEY = jit("medley", "sum1, low1, high1, bits1, sum2, low2, high2, bits2", """
    return sum1 + sum2, min(low1, low2), max(high1, high2), bits1 ^ bits2
""")


def reduced(shape, axis, keep=False):
    if axis is None:
        return (1,) * len(shape) if keep else ()
    return tuple(1 if d == axis else n for d, n in enumerate(shape) if keep or d != axis)


def assert_sum(dtype, actual, terms, axis, what):
    """Within what runs of 16 terms and a tree above them may be off: a rounding for each level, and for each term of a run."""
    terms = np.asarray(terms, np.longdouble)
    exact, size = terms.sum(axis), np.abs(terms).sum(axis)
    count = terms.size if axis is None else terms.shape[axis]
    error = np.abs(dtype.widen(actual).reshape(exact.shape) - exact)
    bound = (math.log2(count) + 18) * 2.0**-DIGITS[dtype.name] * size
    assert (error <= bound).all(), f"{what}: off by {(error / np.maximum(bound, 1e-300)).max():.2f} of what a tree of {count} may be"


# ---- every shape and axis -------------------------------------------------------------------------

@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: "x".join(map(str, s)))
def test_every_axis(run, shape):
    """Sums, products of complex numbers, and compositions of affine maps, which do not commute, along each axis."""
    x, y = (np.random.default_rng([s, *shape]).integers(-2**31, 2**31, shape).astype(np.int32) for s in (1, 2))
    lines, expected, size = [f"x = tl.load(x_ptr + {offsets(shape)})", f"y = tl.load(y_ptr + {offsets(shape)})"], [], 0
    with np.errstate(over="ignore"):
        for axis in [*range(len(shape)), None]:
            keep = (axis or 0) % 2 == 1
            to = reduced(shape, axis, keep)
            lines.append(store("out_ptr", f"tl.sum(x, {axis if axis is None else axis - len(shape) * (axis % 2)}, keep_dims={keep})", to, size))
            expected.append(x.sum(axis, dtype=np.int32).reshape(-1))
            size += expected[-1].size
            if axis is None:
                continue
            for function in ("complex", "affine"):
                lines.append(f"a, b = tl.reduce((x, y), {axis}, {function}, keep_dims={keep})")
                first, second = np.ones(reduced(shape, axis), np.int32), np.zeros(reduced(shape, axis), np.int32)
                for a, b in zip(np.moveaxis(x, axis, 0), np.moveaxis(y, axis, 0)):
                    first, second = (first * a, second * a + b) if function == "affine" else \
                        (first * a - second * b, first * b + second * a)
                for name, values in (("a", first), ("b", second)):
                    lines.append(store("out_ptr", name, to, size))
                    expected.append(values.reshape(-1))
                    size += values.size
    text = kernel("x_ptr, y_ptr, out_ptr", "\n".join(lines), AFFINE + COMPLEX)
    after = run(text, "kernel", "*i32,*i32,*i32", (1,), {"x_ptr": x, "y_ptr": y, "out_ptr": poison(I32, size)})
    assert_same_bits(after["out_ptr"], np.concatenate(expected), "reductions")


# ---- every type and operation ---------------------------------------------------------------------

OPERATIONS = {  # expression, reference along one axis, result type
    "sum": "tl.sum({x}, {axis})", "max": "tl.max({x}, {axis})", "min": "tl.min({x}, {axis})",
    "argmax": "tl.argmax({x}, {axis})", "argmin": "tl.argmin({x}, {axis})",
    "max_index": "tl.max({x}, {axis}, return_indices=True)[0]", "min_last": "tl.min({x}, {axis}, True, False)[1]",
    "xor_sum": "tl.xor_sum({x}, {axis})", "reduce_or": "tl.reduce_or({x}, {axis})",
    "conjunction": "tl.reduce({x}, {axis}, conjunction)", "product": "tl.reduce({x}, {axis}, product)",
    "larger": "tl.reduce({x}, {axis}, larger)",
}
BITWISE = {"xor_sum": np.bitwise_xor, "reduce_or": np.bitwise_or, "conjunction": np.bitwise_and}


def result_type(name, dtype):
    """What the language says the reduction of the type is (the last word of `tl.X`)."""
    small = not dtype.is_float and np.dtype(dtype.storage).itemsize < 4
    if name in ("argmax", "argmin", "min_last"):
        return "int32"
    if name == "sum" and small:
        return "uint32" if dtype.name[0] == "u" else "int32"
    if name in ("max", "min") and (small or dtype in (FP16, BF16)):
        return "float32" if dtype.is_float else "int32"
    if name == "max_index" and dtype is BF16:
        return "float32"
    return {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64"}.get(
        dtype.name, dtype.name.replace("i", "int", 1).replace("u", "uint", 1) if dtype.name[0] == "i" else "uint" + dtype.name[1:])


LANGUAGE = {"float16": FP16, "bfloat16": BF16, "float32": FP32, "float64": FP64}


def output_type(word):
    if word in LANGUAGE:
        return LANGUAGE[word]
    return {t.name: t for t in INTS + UNSIGNED}[word.replace("uint", "u").replace("int", "i")]


@pytest.mark.parametrize("dtype", FLOATS + INTS + UNSIGNED, **ids)
@pytest.mark.parametrize("name", OPERATIONS)
def test_every_type(run, name, dtype):
    if dtype.is_float and name in BITWISE:
        pytest.skip("floats have no bitwise reductions")
    word = result_type(name, dtype)
    out, rng = output_type(word), np.random.default_rng([7, len(name)])
    x = dtype.narrow(rng.standard_normal(512)) if dtype.is_float else random(dtype, 512, 5)
    if name == "product" and dtype.is_float:
        x = dtype.narrow(np.exp2(rng.integers(-1, 2, 512)) * rng.choice([-1, 1], 512))  # exact in any order
    if name in ("argmax", "argmin", "min_last"):
        x = dtype.narrow(rng.integers(0, 9, 512)) if dtype.is_float else rng.integers(0, 9, 512).astype(dtype.storage)  # ties
    lines, size, cases = [], 0, []
    for shape, axis in [((512,), 0), ((32, 16), 0), ((32, 16), 1), ((4, 8, 16), 1)]:
        lines.append(f"v = {OPERATIONS[name].format(x=f'tl.load(x_ptr + {offsets(shape)})', axis=axis)}")
        lines.append(f"tl.static_assert(v.dtype == tl.{word})")
        lines.append(store("out_ptr", "v", reduced(shape, axis), size))
        count = 512 // shape[axis]
        cases.append((shape, axis, slice(size, size + count)))
        size += count
    text = kernel("x_ptr, out_ptr", "\n".join(lines), PRODUCT + CONJUNCTION + LARGER)
    after = run(text, "kernel", f"*{dtype.name},*{out.name}", (1,), {"x_ptr": x, "out_ptr": poison(out, size)})
    for shape, axis, part in cases:
        tile, got, what = dtype.widen(x).reshape(shape), after["out_ptr"][part], f"{name} of {shape} along {axis}"
        with np.errstate(over="ignore"):
            if name == "sum" and dtype.is_float:
                assert_sum(out, got, tile, axis, what)
            elif name in ("argmax", "argmin"):
                assert_same_bits(got, getattr(tile, name)(axis).reshape(-1).astype(np.int32), what)
            elif name == "min_last":  # any of the smallest
                chosen = np.take_along_axis(tile, np.expand_dims(got.reshape(reduced(shape, axis)), axis), axis)
                assert (chosen.squeeze(axis) == tile.min(axis)).all(), what
            elif name in BITWISE:
                assert_same_bits(got, BITWISE[name].reduce(x.reshape(shape), axis).reshape(-1), what)
            else:
                kind = {"sum": "sum", "product": "prod", "min": "min"}.get(name, "max")
                assert_same_bits(got, out.narrow(getattr(tile, kind)(axis)).reshape(-1), what)


@pytest.mark.parametrize("dtype", [I8, U8, FP16, BF16], **ids)
def test_sum_in_a_wider_type(run, dtype):
    x = dtype.narrow(np.random.default_rng(1).standard_normal(1024)) if dtype.is_float else random(dtype, 1024, 3)
    wide, word = (FP32, "float32") if dtype.is_float else (output_type("int64"), "int64")
    text = kernel("x_ptr, out_ptr", f"tl.store(out_ptr, tl.sum(tl.load(x_ptr + tl.arange(0, 1024)), 0, dtype=tl.{word}))")
    after = run(text, "kernel", f"*{dtype.name},*{wide.name}", (1,), {"x_ptr": x, "out_ptr": poison(wide, 1)})["out_ptr"]
    if dtype.is_float:
        assert_sum(FP32, after, dtype.widen(x), None, "sum")
    else:
        assert after[0] == x.astype(np.int64).sum()


@pytest.mark.parametrize("format", [FP8E4NV, FP8E5], **ids)
def test_extrema_of_fp8(run, format):
    """Compared in fp32, where every number of 8 bits is exact; NaN loses."""
    bits = np.random.default_rng(1).permutation(np.tile(np.arange(256, dtype=np.uint8), 4)).reshape(32, 32)
    text = kernel("x_ptr, out_ptr", f"""
        x = tl.load(x_ptr + {offsets((32, 32))})
        {store("out_ptr", "tl.max(x, 1)", (32,))}
        {store("out_ptr", "tl.min(x, 0)", (32,), 32)}
        {store("out_ptr", "tl.max(x)", (), 64)}
    """)
    after = run(text, "kernel", f"*{format.name},*fp32", (1,), {"x_ptr": bits, "out_ptr": poison(FP32, 65)})["out_ptr"]
    negative, magnitude, exponent = format.decode(bits)
    x = np.where(negative, -1.0, 1.0) * magnitude * np.exp2(exponent)
    x = np.where(format.is_infinite(bits), np.where(negative, -np.inf, np.inf), np.where(format.is_nan(bits), np.nan, x))
    expected = [*np.fmax.reduce(x, 1), *np.fmin.reduce(x, 0), np.nanmax(x)]
    np.testing.assert_array_equal(after, np.array(expected, np.float32))


def test_reductions_of_conditions(run):
    x = random(I32, 256, 3).reshape(8, 32)
    x[2], x[5] = 5, -5
    text = kernel("x_ptr, out_ptr", f"""
        x = tl.load(x_ptr + {offsets((8, 32))})
        i = tl.arange(0, 8)
        tl.store(out_ptr + i, tl.sum(x > 0, 1))
        tl.store(out_ptr + 8 + i, tl.max((x > 0).to(tl.int32), 1))
        tl.store(out_ptr + 16 + i, tl.xor_sum(x > 0, 1))
        tl.store(out_ptr + 24 + i, tl.reduce_or(x > 0, 1))
        tl.store(out_ptr + 32 + i, tl.reduce(x > 0, 1, conjunction).to(tl.int32))
    """, CONJUNCTION)
    after = run(text, "kernel", "*i32,*i32", (1,), {"x_ptr": x, "out_ptr": poison(I32, 40)})["out_ptr"].reshape(5, 8)
    positive = x > 0
    expected = [positive.sum(1), positive.any(1), positive.sum(1) % 2, positive.any(1), positive.all(1)]
    np.testing.assert_array_equal(after, np.array(expected, np.int32))


# ---- functions of the user's own ------------------------------------------------------------------

@pytest.mark.parametrize("shape,axis", [((128,), 0), ((16, 8), 0), ((16, 8), 1), ((4, 4, 8), 1)], ids=str)
def test_combine_with_control_flow(run, shape, axis):
    x = np.random.default_rng(1).integers(1, 5000, shape).astype(np.int32) * 12
    to = reduced(shape, axis)
    text = kernel("x_ptr, out_ptr", f"""
        x = tl.load(x_ptr + {offsets(shape)})
        {store("out_ptr", f"tl.reduce(x, {axis}, divisor)", to)}
        {store("out_ptr", f"tl.reduce(x, {axis}, larger)", to, 128)}
    """, DIVISOR + LARGER)
    after = run(text, "kernel", "*i32,*i32", (1,), {"x_ptr": x, "out_ptr": poison(I32, 256)})["out_ptr"]
    count = x.size // shape[axis]
    assert_same_bits(after[:count], np.gcd.reduce(x, axis).reshape(-1), "greatest common divisors")
    assert_same_bits(after[128:128 + count], x.max(axis).reshape(-1), "largest")


@pytest.mark.parametrize("shape,axis", [((256,), 0), ((8, 32), 0), ((8, 32), 1)], ids=str)
def test_operands_of_many_types(run, shape, axis):
    rng = np.random.default_rng(4)
    a, b, c, d = (rng.integers(0, 100, shape).astype(t) for t in (np.int64, np.float32, np.float16, np.uint8))
    to, count = reduced(shape, axis), 256 // shape[axis]
    stores = "\n        ".join(store(f"o{i}_ptr", f"r{i}", to) for i in range(4))
    text = kernel(", ".join(f"{n}{i}_ptr" for n in "xo" for i in range(4)), f"""
        at = {offsets(shape)}
        r0, r1, r2, r3 = tl.reduce((tl.load(x0_ptr + at), tl.load(x1_ptr + at), tl.load(x2_ptr + at), tl.load(x3_ptr + at)),
                                   {axis}, medley)
        {stores}
    """, MEDLEY)
    arguments = {f"x{i}_ptr": x for i, x in enumerate((a, b, c, d))}
    arguments |= {f"o{i}_ptr": np.full(count, 77, x.dtype) for i, x in enumerate((a, b, c, d))}
    after = run(text, "kernel", "*i64,*fp32,*fp16,*u8,*i64,*fp32,*fp16,*u8", (1,), arguments)
    for i, expected in enumerate([a.sum(axis), b.min(axis), c.max(axis), np.bitwise_xor.reduce(d, axis)]):
        assert_same_bits(after[f"o{i}_ptr"], expected.reshape(-1), f"operand {i}")


@pytest.mark.parametrize("n", [1, 2, 37, 64])
def test_welford(run, n):
    x = (np.random.default_rng(n).standard_normal((8, n)) * 3 + 100).astype(np.float32)
    after = run(REDUCE, "mean_and_variance", "*fp32,*fp32,*fp32,i32,8,64", (1,),
                {"x_ptr": x, "mean_ptr": poison(FP32, 8), "variance_ptr": poison(FP32, 8), "n": n})
    wide = x.astype(np.float64)
    np.testing.assert_allclose(after["mean_ptr"], wide.mean(1), rtol=2e-6)
    np.testing.assert_allclose(after["variance_ptr"], wide.var(1), rtol=1e-4, atol=1e-5)


LAST = jit("last", "a, b", "return b")
FIRST = jit("first", "a, b", "return a")
DIGITS_OF = jit("digits", "value, power, more, more_power", "return value * more_power + more, power * more_power")
SUBSTITUTE = jit("substitute", "a, b", """
    # Permutations of four things, two bits each: first a, then b.
    result = 0
    for k in tl.static_range(4):
        result |= ((b >> (2 * ((a >> (2 * k)) & 3))) & 3) << (2 * k)
    return result
""")


@pytest.mark.parametrize("shape,axis", [((1,), 0), ((2,), 0), ((64,), 0), ((1024,), 0), ((16, 32), 0), ((16, 32), 1), ((64, 1), 0), ((4, 8, 16), 0),
                                        ((4, 8, 16), 1), ((4, 8, 16), 2), ((2, 4, 2, 8), 1), ((2, 4, 2, 8), 3)], ids=str)
def test_functions_that_do_not_commute(run, shape, axis):
    """The order of the elements is kept: the first, the last, numbers from digits, products of permutations."""
    rng, to = np.random.default_rng(3), reduced(shape, axis)
    x = rng.integers(0, 10, shape).astype(np.int32)
    permutations = np.array([sum(int(v) << (2 * k) for k, v in enumerate(rng.permutation(4))) for _ in range(x.size)], np.int32)
    permutations = permutations.reshape(shape)
    text = kernel("x_ptr, p_ptr, out_ptr", f"""
        x = tl.load(x_ptr + {offsets(shape)})
        p = tl.load(p_ptr + {offsets(shape)})
        {store("out_ptr", f"tl.reduce(x, {axis}, first)", to)}
        {store("out_ptr", f"tl.reduce(x, {axis}, last)", to, 1024)}
        {store("out_ptr", f"tl.reduce((x, x * 0 + 10), {axis}, digits)[0]", to, 2048)}
        {store("out_ptr", f"tl.reduce(p, {axis}, substitute)", to, 3072)}
    """, FIRST + LAST + DIGITS_OF + SUBSTITUTE)
    after = run(text, "kernel", "*i32,*i32,*i32", (1,), {"x_ptr": x, "p_ptr": permutations, "out_ptr": poison(I32, 4096)})["out_ptr"].reshape(4, 1024)
    count, along = x.size // shape[axis], np.moveaxis(x, axis, 0)
    number, total = np.zeros(to, np.int32), np.full(to, 228, np.int32)
    with np.errstate(over="ignore"):
        for digit in along:
            number = number * np.int32(10) + digit
    for p in np.moveaxis(permutations, axis, 0):
        total = sum(((p >> (2 * ((total >> (2 * k)) & 3))) & 3) << (2 * k) for k in range(4))
    for row, expected in zip(after, [along[0], along[-1], number, total]):
        assert_same_bits(row[:count], np.asarray(expected, np.int32).reshape(-1), f"along {axis}")


@pytest.mark.parametrize("dtype", [FP16, FP32, FP64], **ids)
def test_indices_beside_nan(run, dtype):
    """Where NaN counts is not specified; the index is one of the row's, of the best number if there is no NaN."""
    x = np.random.default_rng(4).integers(-3, 3, (64, 32)).astype(dtype.storage)
    x[::2][np.random.default_rng(5).random((32, 32)) < 0.2] = np.nan
    x[6] = np.nan
    text = kernel("x_ptr, out_ptr", f"""
        x = tl.load(x_ptr + {offsets((64, 32))})
        {store("out_ptr", "tl.argmax(x, 1)", (64,))}
        {store("out_ptr", "tl.argmin(x, 1)", (64,), 64)}
        {store("out_ptr", "tl.argmax(x.T, 0)", (64,), 128)}
    """)
    after = run(text, "kernel", f"*{dtype.name},*i32", (1,), {"x_ptr": x, "out_ptr": poison(I32, 192)})["out_ptr"].reshape(3, 64)
    assert (after >= 0).all() and (after < 32).all()
    assert_same_bits(after[0, 1::2], x[1::2].argmax(1).astype(np.int32), "argmax")
    assert_same_bits(after[1, 1::2], x[1::2].argmin(1).astype(np.int32), "argmin")
    assert_same_bits(after[2, 1::2], x[1::2].argmax(1).astype(np.int32), "argmax of columns")


# ---- special values -------------------------------------------------------------------------------

SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 5e-324, -1e-310, 1e-40, -1e-40, 65504.0]


@pytest.mark.parametrize("dtype", FLOATS, **ids)
def test_special_values(run, dtype):
    """All pairs, spread over rows: NaN loses in max and min, wins in sums; infinities meet; denormals are kept."""
    pairs = dtype.narrow(np.array(list(itertools.product(SPECIAL, SPECIAL))))
    rows = 256
    x = np.zeros((rows, 16), pairs.dtype)
    x[:] = dtype.narrow(np.array([np.nan]))
    with_nan, zeros = x.copy(), np.zeros_like(x)
    for row, pair in enumerate(pairs):
        for tile in (with_nan, zeros):
            tile[row, [(row * 3) % 16, (row * 3 + 7) % 16]] = pair
    wide = "float64" if dtype is FP64 else "float32"
    out = FP64 if dtype is FP64 else FP32
    text = kernel("x_ptr, z_ptr, out_ptr", f"""
        x = tl.load(x_ptr + {offsets((rows, 16))})
        z = tl.load(z_ptr + {offsets((rows, 16))})
        {store("out_ptr", "tl.max(x, 1)", (rows,))}
        {store("out_ptr", "tl.min(x, 1)", (rows,), rows)}
        {store("out_ptr", f"tl.sum(z, 1, dtype=tl.{wide})", (rows,), 2 * rows)}
    """)
    after = run(text, "kernel", f"*{dtype.name},*{dtype.name},*{out.name}", (1,),
                {"x_ptr": with_nan, "z_ptr": zeros, "out_ptr": poison(out, 3 * rows)})["out_ptr"].reshape(3, rows).astype(np.float64)
    with np.errstate(invalid="ignore"):
        tile = dtype.widen(with_nan)
        np.testing.assert_array_equal(after[0], np.fmax.reduce(tile, 1))
        np.testing.assert_array_equal(after[1], np.fmin.reduce(tile, 1))
        np.testing.assert_allclose(after[2], dtype.widen(zeros).sum(1), rtol=1e-6, atol=0)


def test_negative_zeros_sum_to_negative_zero(run):
    x = np.full((4, 64), -0.0, np.float32)
    x[1, 5], x[3, 0] = 0.0, 2.0
    text = kernel("x_ptr, out_ptr", store("out_ptr", f"tl.sum(tl.load(x_ptr + {offsets((4, 64))}), 1)", (4,)))
    after = run(text, "kernel", "*fp32,*fp32", (1,), {"x_ptr": x, "out_ptr": poison(FP32, 4)})["out_ptr"]
    assert_same_bits(after, np.array([-0.0, 0.0, -0.0, 2.0], np.float32), "a sum has no other terms than its own")


@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 100, 128])
def test_masks_with_other(run, n):
    x = random(I32, 128, n + 1)[:n]
    text = kernel("x_ptr, out_ptr, n", """
        i = tl.arange(0, 128)
        x = tl.load(x_ptr + i, mask=i < n, other=7)
        tl.store(out_ptr + 0, tl.sum(x, 0))
        tl.store(out_ptr + 1, tl.max(tl.load(x_ptr + i, mask=i < n, other=-2147483648), 0))
        tl.store(out_ptr + 2, tl.sum(tl.where(i < n, x, 0), 0))
        tl.store(out_ptr + 3, tl.argmax(tl.load(x_ptr + i, mask=i < n, other=-2147483648), 0))
    """)
    after = run(text, "kernel", "*i32,*i32,i32", (1,), {"x_ptr": x, "out_ptr": poison(I32, 4), "n": n})["out_ptr"]
    full = np.append(x, np.full(128 - n, 7)).astype(np.int32)
    low = np.append(x, np.full(128 - n, -2**31)).astype(np.int32)
    with np.errstate(over="ignore"):
        expected = [full.sum(dtype=np.int32), low.max(), x.sum(dtype=np.int32), low.argmax()]
    assert_same_bits(after, np.array(expected, np.int32), "masked reductions")


# ---- accuracy -------------------------------------------------------------------------------------

@pytest.mark.parametrize("block", [1, 2, 16, 64, 1024, 16384, 65536])
@pytest.mark.parametrize("fill", ["same", "random", "mixed"])
def test_accuracy_of_sums(run, block, fill):
    rng = np.random.default_rng(block)
    x = {"same": np.full((3, block), 0.1, np.float32), "random": rng.random((3, block), np.float32) + 1,
         "mixed": rng.standard_normal((3, block)).astype(np.float32)}[fill]
    after = run(REDUCE, "sum_block", f"*fp32,*fp32,{block}", (3,), {"x_ptr": x, "out_ptr": poison(FP32, 3)})["out_ptr"]
    assert_sum(FP32, after, x, 1, f"sums of {block}")


@pytest.mark.parametrize("rows,columns", [(1, 16), (16, 1), (256, 16), (4096, 1), (2048, 32)])
def test_accuracy_of_column_sums(run, rows, columns):
    x = np.full((rows, columns), 0.1, np.float32) + np.arange(columns, dtype=np.float32)
    after = run(REDUCE, "sum_columns", f"*fp32,*fp32,{rows},{columns}", (1,), {"x_ptr": x, "out_ptr": poison(FP32, columns)})
    assert_sum(FP32, after["out_ptr"], x, 0, f"sums of {rows}")


# ---- algorithms -----------------------------------------------------------------------------------

@pytest.mark.parametrize("n", [1, 33, 64])
def test_many_of_one_load(run, n):
    rows = 5
    x = np.random.default_rng(n).standard_normal((rows, n)).astype(np.float32)
    names = ["sum_ptr", "max_ptr", "norm_ptr", "first_ptr", "positive_ptr"]
    after = run(REDUCE, "many_of_one_load", "*fp32,*fp32,*fp32,*fp32,*i32,*i32,i32,64", (rows,),
                {"x_ptr": x, **{name: poison(FP32 if i < 3 else I32, rows) for i, name in enumerate(names)}, "n": n})
    wide = x.astype(np.float64)
    assert_sum(FP32, after["sum_ptr"], wide, 1, "sum")
    assert_same_bits(after["max_ptr"], x.max(1), "max")
    np.testing.assert_allclose(after["norm_ptr"], np.sqrt((wide**2).sum(1)), rtol=1e-6)
    assert_same_bits(after["first_ptr"], x.argmax(1).astype(np.int32), "argmax")
    assert_same_bits(after["positive_ptr"], (x > 0).sum(1).astype(np.int32), "positive")


@pytest.mark.parametrize("rows,columns", [(1, 1), (7, 5), (4, 64), (9, 50)])
@pytest.mark.parametrize("dtype", [FP32, FP16, BF16], **ids)
def test_softmax_rows(run, dtype, rows, columns):
    x = dtype.narrow(np.random.default_rng(rows).standard_normal((rows, columns)) * 4)
    after = run(REDUCE, "softmax_rows", f"*{dtype.name},*fp32,i32,i32,4,64", (-(-rows // 4),),
                {"x_ptr": x, "out_ptr": poison(FP32, x.size), "rows": rows, "columns": columns})["out_ptr"].reshape(x.shape)
    e = np.exp(dtype.widen(x) - dtype.widen(x).max(1, keepdims=True))
    np.testing.assert_allclose(after, e / e.sum(1, keepdims=True), rtol=4e-6)


@pytest.mark.parametrize("n", [1, 50, 64])
def test_layer_norm_row(run, n):
    rng = np.random.default_rng(n)
    x, weight, bias = (rng.standard_normal(s).astype(np.float32) for s in ((3, n), n, n))
    after = run(REDUCE, "layer_norm_row", "*fp32,*fp32,*fp32,*fp32,fp32,i32,64", (3,),
                {"x_ptr": x, "weight_ptr": weight, "bias_ptr": bias, "out_ptr": poison(FP32, 3 * n), "eps": 1e-5, "n": n})
    wide = x.astype(np.float64)
    expected = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5) * weight + bias
    np.testing.assert_allclose(after["out_ptr"].reshape(3, n), expected, rtol=1e-4, atol=1e-5)


def test_steered(run):
    rows, block = 40, 64
    rng = np.random.default_rng(8)
    x = rng.integers(-20, 100, (rows, block)).astype(np.int32)
    x[::3] = np.abs(x[::3])
    x[7] = 0
    table = rng.integers(-1000, 1000, 2 * block).astype(np.int32)
    out = poison(I32, rows * 8)
    after = run(REDUCE, "steered", f"*i32,*i32,*i32,{block}", (rows,), {"x_ptr": x, "table_ptr": table, "out_ptr": out})
    expected = out.reshape(rows, 8).copy()
    for row, cells in zip(x, expected):
        where, steps, low = int(row.argmax()), int((row > 50).sum()), row.min()
        cells[0] = table[where]
        cells[1] = steps * (steps - 1) // 2 * where
        cells[2] = -low if low < 0 else low + 1000
        cells[3] = table[:where].sum()
        cells[4] = table[where:where + block].sum()
        left, rounds = steps, 0
        while left > 0:
            left -= 1 + int(np.where(np.arange(block) < left, row, 0).max()) // 64
            rounds += 1
        cells[5] = rounds
        if np.bitwise_xor.reduce(row) % 2 != 0:
            cells[6] = row.sum()
    assert_same_bits(after["out_ptr"], expected.reshape(-1), "what the reductions steered")


@pytest.mark.parametrize("rows,columns", [(1, 1), (3, 100), (9, 64)])
def test_online_max_and_sum(run, rows, columns):
    x = (np.random.default_rng(rows).standard_normal((rows, columns)) * 10).astype(np.float32)
    x[0, :40] = -np.inf
    after = run(REDUCE, "online_max_and_sum", "*fp32,*fp32,*fp32,i32,i32,4,32", (-(-rows // 4),),
                {"x_ptr": x, "max_ptr": poison(FP32, rows), "sum_ptr": poison(FP32, rows), "rows": rows, "columns": columns})
    top = x.max(1)
    shift = np.where(np.isinf(top), 0, top)[:, None].astype(np.float64)
    assert_same_bits(after["max_ptr"], top, "max")
    np.testing.assert_allclose(after["sum_ptr"], np.exp(x - shift).sum(1), rtol=1e-5)


@pytest.mark.parametrize("n", [0, 1, 511, 512, 5000])
def test_sum_after_loop(run, n):
    x = np.full(n, 0.1, np.float32)
    after = run(REDUCE, "sum_after_loop", "*fp32,*fp32,i32,8,64", (1,), {"x_ptr": x, "out_ptr": poison(FP32, 1), "n": n})
    np.testing.assert_allclose(after["out_ptr"], x.astype(np.float64).sum(), rtol=2e-6)


def test_sum_of_broadcast_operands(run):
    x, y = (np.random.default_rng(s).integers(-50, 50, (16, 16)).astype(np.float32) for s in (1, 2))
    out = poison(FP32, 256)
    after = run(REDUCE, "distances", "*fp32,*fp32,*fp32,i32,16", (1,), {"x_ptr": x, "y_ptr": y, "out_ptr": out, "n": 11})
    expected = out.reshape(16, 16).copy()
    expected[:11] = ((x[:, None] - y[None])**2).sum(2)[:11]
    assert_same_bits(after["out_ptr"], expected.reshape(-1), "distances")


@pytest.mark.parametrize("scale", [1.5, 0.1, -2.0, 0.0, -0.0, 1e-42, 3e38, float("inf"), -float("inf"), float("nan")])
def test_scaled_maximum(run, scale):
    """A positive factor may be applied after the maximum; zero, infinity, NaN and negative ones may not."""
    tiles, rows, columns = 3, 32, 64
    x = np.random.default_rng(5).standard_normal((tiles, rows, columns)).astype(np.float32)
    x[0, 1, ::3], x[0, 2, 5], x[0, 3, 7], x[0, 4] = np.nan, np.inf, -np.inf, np.nan
    x[1, 0], x[1, 1], x[1, 2] = -0.0, 1e-44, -1e-44
    x[1, 3, ::2], x[1, 4] = 0.0, -np.abs(x[1, 4])
    after = run(REDUCE, "scaled_extremes", f"*fp32,*fp32,*fp32,fp32,i32,{rows},{columns}", (1,),
                {"x_ptr": x, "out_ptr": poison(FP32, tiles * rows), "difference_ptr": poison(FP32, x.size), "scale": scale,
                 "count": tiles})
    with np.errstate(all="ignore"):
        scaled = x * np.float32(scale)
        largest = np.fmax.reduce(scaled, 2)
        exact = x.astype(np.float64) * np.float32(scale) - largest[:, :, None]
    np.testing.assert_array_equal(after["out_ptr"].reshape(tiles, rows), largest)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(after["difference_ptr"].reshape(x.shape), exact.astype(np.float32), rtol=1e-6,
                                   atol=float(np.nanmax(np.where(np.isfinite(scaled), np.abs(scaled), 0))) * 2.0**-23)
