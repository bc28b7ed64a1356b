"""The standard library's elementwise functions against NumPy: Philox to the bit, the others within their rounding."""
import os

import numpy as np
import pytest

from launch import FP32, FP64, I8, I32, I64, INTS, FLOATS, KERNELS, U32, U64, UNSIGNED, assert_close, assert_same_bits, \
    blocks, poison, random

STDLIB = os.path.join(KERNELS, "stdlib.py")
N, BLOCK = 300, 128
ids = {"ids": lambda t: t.name}


def philox(counter, key, rounds, width):
    """Philox 4x32 or 4x64 as its authors define it, on arrays of Python's integers."""
    multipliers, steps = {
        32: ((0xD2511F53, 0xCD9E8D57), (0x9E3779B9, 0xBB67AE85)),
        64: ((0xD2E7470EE14C6C93, 0xCA5A826395121157), (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)),
    }[width]
    mask = (1 << width) - 1
    c0, c1, c2, c3 = (np.array(c, dtype=object) for c in counter)
    k0, k1 = key
    for _ in range(rounds):
        p0, p1 = multipliers[0] * c0, multipliers[1] * c2
        c0, c1, c2, c3 = (p1 >> width) ^ c1 ^ k0, p1 & mask, (p0 >> width) ^ c3 ^ k1, p0 & mask
        k0, k1 = (k0 + steps[0]) & mask, (k1 + steps[1]) & mask
    return np.stack([c0, c1, c2, c3], axis=-1)


def philox32(seed, offsets, rounds=10):
    """(n, 4) words of uint32 for a seed and offsets of any width."""
    seed %= 1 << 64
    low, high = [o % (1 << 32) for o in offsets], [(o >> 32) % (1 << 32) for o in offsets]
    zero = [0] * len(offsets)
    return philox((low, high, zero, zero), (seed % (1 << 32), seed >> 32), rounds, 32).astype(np.uint32)


def uniform(words):
    """As the language defines it, from the word's bits: 31 (or 63) of them, scaled to just below 1."""
    signed = words.view(words.dtype.name.replace("u", ""))
    folded = np.where(signed < 0, ~signed, signed)
    scale = np.uint32(0x2FFFFFFF if words.itemsize == 4 else 0x1FFFFFFE).view(np.float32)
    return folded.astype(np.float32) * scale


def test_the_reference_knows_the_published_answers():
    assert philox32(0, [0])[0].tolist() == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    assert philox32(42, [1])[0].tolist() == [0xFCDB2127, 0x53BA6CFD, 0x838F5A6E, 0x744E06FB]
    ones = [(1 << 64) - 1]  # Random123's known-answer file
    assert [hex(w) for w in philox((ones, ones, ones, ones), (ones[0], ones[0]), 10, 64)[0]] == [
        "0x87b092c3013fe90b", "0x438c3c67be8d0224", "0x9cc7d7c69cd777b6", "0xa09caebf594f0ba0"]


def words(run, kernel, dtype, scalars, signature):
    out = run(STDLIB, kernel, signature, (blocks(N, BLOCK),),
              {"out_ptr": poison(dtype, N * 4 + 16), **scalars, "n": N})["out_ptr"]
    assert_same_bits(out[N * 4:], poison(dtype, N * 4 + 16)[N * 4:], "beyond the mask")
    return out[:N * 4].reshape(N, 4)


@pytest.mark.parametrize("seed_type, seed", [("i32", 0), ("i32", 42), ("i32", -3), ("u32", 4000000000), ("i64", 1 << 40),
                                             ("u64", (1 << 64) - 7), ("i8", -100)])
def test_random_words(run, seed_type, seed):
    out = words(run, "random_words", U32, {"seed": seed, "first": 0}, f"*u32,{seed_type},i32,i32,10,{BLOCK}")
    assert_same_bits(out, philox32(seed, range(N)), f"seed {seed}")


@pytest.mark.parametrize("offset_type, first", [("i32", 1000), ("i32", -5), ("i64", (1 << 32) - 100), ("i64", -5),
                                                ("u64", (1 << 63) + 11)])
@pytest.mark.parametrize("rounds", [10, 7])
def test_random_words_of_offsets(run, offset_type, first, rounds):
    out = words(run, "random_words", U32, {"seed": 5, "first": first},
                f"*u32,i32,{offset_type},i32,{rounds},{BLOCK}")
    offsets = [first + i for i in range(N)]
    if offset_type == "i32":
        offsets = [o % (1 << 32) for o in offsets]  # the counter's second word is 0
    assert_same_bits(out, philox32(5, offsets, rounds), f"offsets from {first}")


@pytest.mark.parametrize("seed", [0, 12345678901234567])
def test_random_long_words(run, seed):
    out = words(run, "random_long_words", U64, {"seed": seed}, f"*u64,i64,i32,{BLOCK}")
    counter = [[i + k for i in range(N)] for k in range(4)]
    assert_same_bits(out, philox(counter, (seed, 0), 10, 64).astype(np.uint64), f"seed {seed}")


def one_block(run, kernel, signature, dtype, arguments):
    out = run(STDLIB, kernel, signature, (blocks(N, BLOCK),),
              {"out_ptr": poison(dtype, N + 8), **arguments, "n": N})["out_ptr"]
    assert_same_bits(out[N:], poison(dtype, N + 8)[N:], "beyond the mask")
    return out[:N]


def test_uniform(run):
    out = one_block(run, "random_uniform", f"*fp32,i32,i32,{BLOCK}", FP32, {"seed": 7})
    assert_same_bits(out, uniform(philox32(7, range(N))[:, 0]), "uniform numbers")
    assert out.min() >= 0 and out.max() < 1


@pytest.mark.parametrize("dtype", [U32, U64, I32, I64], **ids)
def test_uniform_of_extreme_words(run, dtype):
    x = random(dtype, N, 3)
    out = one_block(run, "uniform_of_words", f"*{dtype.name},*fp32,i32,{BLOCK}", FP32, {"x_ptr": x})
    assert_same_bits(out, uniform(x.view(f"u{x.itemsize}")), "uniform numbers")
    assert out.min() >= 0 and out.max() < 1


def test_normal(run):
    out = words(run, "random_normal", FP32, {"seed": 7}, f"*fp32,i32,i32,{BLOCK}")
    u = uniform(philox32(7, range(N)).ravel()).reshape(N, 4)
    for first in (0, 2):
        radius = np.sqrt(-2 * np.log(np.maximum(np.float32(1e-7), u[:, first]).astype(np.float64)))
        angle = (np.float32(6.283185307179586) * u[:, first + 1]).astype(np.float64)
        # Absolute: near a zero of the sine, the rounding of the angle is large beside the result.
        np.testing.assert_allclose(out[:, first], radius * np.cos(angle), atol=1e-5, rtol=0)
        np.testing.assert_allclose(out[:, first + 1], radius * np.sin(angle), atol=1e-5, rtol=0)


@pytest.mark.parametrize("dtype", INTS + UNSIGNED, **ids)
def test_ceiling_division(run, dtype):
    rng = np.random.default_rng(1)
    x = rng.integers(0, 100, N).astype(dtype.storage)
    y = rng.integers(1, 20, N).astype(dtype.storage)
    out = one_block(run, "ceiling_division", f"*{dtype.name},*{dtype.name},*{dtype.name},i32,{BLOCK}", dtype,
                    {"x_ptr": x, "y_ptr": y})
    assert_same_bits(out, -(-x.astype(np.int64) // y.astype(np.int64)).astype(dtype.storage), "quotients")


def test_ceiling_division_truncates(run):
    x, y = np.arange(-150, 150, dtype=np.int32), np.full(N, 7, np.int32)
    out = one_block(run, "ceiling_division", f"*i32,*i32,*i32,i32,{BLOCK}", I32, {"x_ptr": x, "y_ptr": y})
    assert_same_bits(out, np.trunc((x + 6) / 7).astype(np.int32), "quotients")


@pytest.mark.parametrize("dtype", [FP32, FP64], **ids)
def test_sigmoid(run, device, dtype):
    x = random(dtype, N, 2)
    out = one_block(run, "sigmoid", f"*{dtype.name},*{dtype.name},i32,{BLOCK}", dtype, {"x_ptr": x})
    # A GPU computes exp of an fp32 x as exp2(x * log2(e)): rounding the product costs up to |x| / 2 units.
    ulps = 8 + np.abs(dtype.widen(x)) if device != "cpu" and dtype == FP32 else 8
    with np.errstate(over="ignore"):
        assert_close(dtype, out, 1 / (1 + np.exp(-dtype.widen(x))), ulps, "sigmoid")


@pytest.mark.parametrize("rows, columns, group", [(4, 4, 2), (7, 5, 3), (3, 8, 8), (9, 1, 2)])
def test_swizzle(run, rows, columns, group):
    out = run(STDLIB, "swizzled_grid", f"*i32,i32,i32,{group}", (rows, columns),
              {"out_ptr": poison(I32, rows * columns), "rows": rows, "columns": columns})["out_ptr"]
    expected, visit = np.empty((rows, columns), np.int32), 0
    for first in range(0, rows, group):
        for column in range(columns):
            for row in range(first, min(first + group, rows)):
                expected[row, column] = visit
                visit += 1
    assert_same_bits(out, expected.ravel(), "order of the visits")


@pytest.mark.parametrize("dtype", FLOATS + [I8, I64, U32], **ids)
def test_zeros(run, dtype):
    out = one_block(run, "fill_with_zeros", f"*{dtype.name},*{dtype.name},i32,{BLOCK}", dtype,
                    {"x_ptr": random(dtype, N, 1)})
    assert_same_bits(out, np.zeros(N, dtype.storage), "zeros")
