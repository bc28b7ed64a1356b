"""The edges: nothing to do, one element too many, the largest grids, tiles and offsets, the strangest numbers.

Arrays lie at the edge of what may be touched (session.py): one element read beyond them ends the process.
"""
import os

import numpy as np
import pytest

from launch import FP32, I32, KERNELS, assert_same_bits, poison, random
from session import Sparse
from tiles import kernel

FILE = os.path.join(KERNELS, "edge_cases.py")
SIZES = [0, 1, 2, 15, 16, 17, 31, 33, 63, 64, 65, 100, 127, 128]


@pytest.mark.parametrize("low", [0, 1, 17, 64, 100])
def test_ranges(run, low):
    """Every range of two programs' elements, empty ones and empty arrays among them."""
    for high in SIZES:
        x = np.random.default_rng(high).integers(-9, 9, high).astype(np.float32)
        index = np.random.default_rng(high).integers(0, max(high, 1), high).astype(np.int32)
        out = poison(FP32, high)
        after = run(FILE, "everything_masked", "*fp32,*fp32,*i32,i32,i32,64", (2,),
                    {"x_ptr": x, "out_ptr": out, "index_ptr": index, "low": low, "high": high})["out_ptr"]
        expected = out.copy()
        for first in (0, 64):
            i = np.arange(max(first, low), min(first + 64, high))
            expected[i] = x[i] + x[index[i]] + x[i].sum()
        assert_same_bits(after, expected, f"from {low} to {high}")


def test_empty_arrays(run):
    """Masks that are false everywhere touch nothing, be the pointer as it may."""
    text = kernel("x_ptr, out_ptr, n", """
        i = tl.arange(0, 32)
        j = i[:, None] * 32 + i[None, :]
        never = i < n
        tl.store(out_ptr + i, tl.load(x_ptr + i, mask=never, other=1) + tl.sum(tl.load(x_ptr + j, mask=j < n, other=2), 1), mask=never)
        tl.store(out_ptr + j * 1000000, j, mask=(i[:, None] < n) & (i[None, :] < n))
        tl.atomic_add(out_ptr + i, i, mask=never)
        p = tl.make_block_ptr(x_ptr, (n, n), (n, 1), (0, 0), (8, 8), (1, 0))
        tl.store(p, tl.load(p, boundary_check=(0, 1), padding_option="zero"), boundary_check=(0, 1))
        tl.store(out_ptr, tl.load(x_ptr, mask=n > 0, other=3), mask=n > 0)
        tl.store(out_ptr + tl.load(x_ptr + i, mask=never, other=77777777), i, mask=never)
    """)
    empty = np.zeros(0, np.int32)
    for n in (0, -1, -2**31):
        after = run(text, "kernel", "*i32,*i32,i32", (3,), {"x_ptr": empty, "out_ptr": empty, "n": n})
        assert after["out_ptr"].size == 0


@pytest.mark.parametrize("rows,columns", [(0, 5), (5, 0), (1, 1), (7, 15), (8, 16), (9, 17), (20, 33), (1, 100), (30, 1)])
def test_rectangles(run, rows, columns):
    x = random(I32, rows * columns * 2, 1)[:max(0, rows * columns * 2 - 1)]
    out = poison(I32, rows * columns)
    after = run(FILE, "rectangle", "*i32,*i32,i32,i32,8,16", (-(-rows // 8), -(-columns // 16)),
                {"x_ptr": x, "out_ptr": out, "rows": rows, "columns": columns}, threads=(1, 2, 7))["out_ptr"]
    i, j = np.arange(rows)[:, None], np.arange(columns)[None, :]
    with np.errstate(over="ignore"):
        expected = x[(rows - 1 - i) * columns * 2 + j * 2] * np.int32(3) + (i - j).astype(np.int32) if x.size else out
    assert_same_bits(after, expected.reshape(-1), "rectangle")


KINDS = [lambda i, x, n: i < n, lambda i, x, n: i >= n, lambda i, x, n: (i < n) & (i % 3 == 1), lambda i, x, n: x > 0,
         lambda i, x, n: (i < n) | (i >= 61), lambda i, x, n: n > i, lambda i, x, n: i < n,
         lambda i, x, n: i < n % 2**32, lambda i, x, n: i == n, lambda i, x, n: ~(i < n), lambda i, x, n: i * 2 + 1 <= n,
         lambda i, x, n: 64 - i > n, lambda i, x, n: (i + n + 2**31) % 2**32 - 2**31 < 64, lambda i, x, n: (i // 8 < n) & (i % 8 < n)]


@pytest.mark.parametrize("kind", range(len(KINDS)))
def test_masks_of_all_kinds(run, kind):
    x, i = random(I32, 64, 2), np.arange(64)
    for n in (-2**31, -5, 0, 1, 3, 8, 31, 32, 33, 63, 64, 65, 2**31 - 1):
        out = poison(I32, 64)
        after = run(FILE, "masks_of_all_kinds", f"*i32,*i32,i32,64,{kind}", (1,), {"x_ptr": x, "out_ptr": out, "n": n})["out_ptr"]
        mask = KINDS[kind](i.astype(np.int64), x, n)
        expected = np.where(mask, x, np.where(i % 7 == 0, -1, out)).astype(np.int32)
        assert_same_bits(after, expected, f"n = {n}")


# ---- grids ----------------------------------------------------------------------------------------

@pytest.mark.parametrize("grid", [(2**31 - 1,), (3, 2**26, 2), (1, 1, 2**27)], ids=lambda g: "x".join(map(str, g)))
def test_huge_grids(run, device, grid):
    if device != "cpu" and max(grid[1:], default=0) > 65535:
        pytest.skip("a GPU's grid has at most 65535 programs in y and z")
    after = run(FILE, "last_program", "*i64", grid, {"out_ptr": np.full(3, -1, np.int64)}, threads=(2,))
    assert after["out_ptr"].tolist() == [n - 1 for n in (*grid, 1, 1)[:3]]


@pytest.mark.parametrize("grid", [(0,), (0, 5, 5), (5, 0), (3, 3, 0), (2**31 - 1, 2**31 - 1, 0)], ids=lambda g: "x".join(map(str, g)))
def test_empty_grids(run, device, grid):
    if device != "cpu" and max(grid[1:], default=0) > 65535:
        pytest.skip("a GPU's grid has at most 65535 programs in y and z")
    out = poison(I32, 4)
    after = run(FILE, "masks_of_all_kinds", "*i32,*i32,i32,64,0", grid, {"x_ptr": np.zeros(0, np.int32), "out_ptr": out, "n": 1},
                threads=(1, 2, 7))
    assert_same_bits(after["out_ptr"], out, "nothing runs")


def test_kernel_without_arguments(run):
    assert run(FILE, "nothing", "", (5, 2), {}, threads=(1, 2, 7)) == {}


# ---- offsets --------------------------------------------------------------------------------------

@pytest.mark.parametrize("stride", [2**31, 2**31 + 5, 2**32 - 16, 3 * 2**32 + 1])
def test_far_rows(run, device, stride):
    if device != "cpu":
        pytest.skip("needs address space, not memory")
    size = 3 * stride + 64
    where = [16 + row * stride + column for row in range(4) for column in range(16)]
    x = Sparse(np.int8, size, {index: index * 7 % 100 for index in where})
    after = run(FILE, "far_rows", "*i8,*i8,i64,i64,4,16", (1,),
                {"x_ptr": x, "out_ptr": Sparse(np.int8, size, {index: 0 for index in where}), "first": 16, "stride": stride})
    assert after["out_ptr"].tolist() == [index * 7 % 100 + 1 for index in where]


def test_far_by_program(run, device):
    if device != "cpu":
        pytest.skip("needs address space, not memory")
    stride, programs = 2**30 + 3, 9
    where = [program * stride + column for program in range(programs) for column in range(16)]
    x = Sparse(np.int8, programs * stride, {index: index % 50 for index in where})
    after = run(FILE, "far_by_program", "*i8,*i8,i32,16", (programs,),
                {"x_ptr": x, "out_ptr": Sparse(np.int8, programs * stride, {index: 0 for index in where}), "stride": stride},
                threads=(1, 2, 7))
    assert after["out_ptr"].tolist() == [index % 50 * 2 for index in where]


def test_offsets_wrap(run):
    """(i + 2^31 - 1) - back + 2^31 - 1 + 2 is i - back, though every sum on the way overflows."""
    x = np.arange(64, dtype=np.int32)
    text = open(FILE).read().replace("tl.load(x_ptr + at)", "tl.load(x_ptr + 40 + at)")
    after = run(text, "negative_offsets", "*i32,*i32,i32,16", (1,), {"x_ptr": x, "out_ptr": poison(I32, 16), "back": 30})
    assert_same_bits(after["out_ptr"], x[10:26], "elements")


# ---- arguments ------------------------------------------------------------------------------------

def test_scalar_types(run):
    values = dict(a=1, b=-100, c=200, d=-30000, e=60000, f=-2**31, g=2**32 - 2, h=-(2**40), k=2**64 - 1)
    after = run(FILE, "scalar_types", "*i32,i1,i8,u8,i16,u16,i32,u32,i64,u64", (1,), {"out_ptr": poison(I32, 9), **values})
    assert after["out_ptr"].tolist() == [1, -100, 200, -30000, 60000, -2**31, 2**31 - 1, -2**8, 2**31 - 1]


def test_float_scalars(run):
    after = run(FILE, "float_scalars", "*fp32,fp16,bf16,fp32,fp64", (1,),
                {"out_ptr": poison(FP32, 4), "a": 0.5, "b": -3.0, "c": 1e-40, "d": 0.1})
    assert_same_bits(after["out_ptr"], np.array([0.5, -3.0, 1e-40, 0.1], np.float32), "scalars")


# ---- numbers --------------------------------------------------------------------------------------

def test_undefined_arithmetic(run):
    """Division by zero, -2^31 // -1 and shifts too far: any value will do; the others are right."""
    special = np.array([0, 1, -1, 2, 31, 32, 33, -2**31, 2**31 - 1, -32, 7, -7, 5, 100, -100, 3], np.int32)
    pairs = np.array([(x, y) for x in special for y in special], np.int32)
    for part in pairs.reshape(4, 64, 2):
        x, y = (np.ascontiguousarray(part[:, k]) for k in (0, 1))
        after = run(FILE, "undefined_arithmetic", "*i32,*i32,*i32,64", (1,), {"x_ptr": x, "y_ptr": y, "out_ptr": poison(I32, 256)})
        quotient, rest, left, right = after["out_ptr"].reshape(4, 64)
        defined = (y != 0) & ~((x == -2**31) & (y == -1))
        wide = x[defined].astype(np.int64), y[defined].astype(np.int64)
        assert (quotient[defined] == np.trunc(wide[0] / wide[1])).all()
        assert (rest[defined] == np.fmod(*wide)).all()
        near = (y >= 0) & (y < 32)
        assert (left[near] == (x[near].astype(np.int64) << y[near]).astype(np.int32)).all()
        assert (right[near] == x[near] >> y[near]).all()


def test_small_numbers(run):
    """Denormal results are kept, and zeros keep their sign, but for the negation, which is 0 - x."""
    x = np.zeros(256, np.float32)
    x[:12] = [0.0, -0.0, 1e-45, -1e-45, 1e-40, -1e-40, 1.17549435e-38, 1.1e-38, 2e-38, np.inf, -np.inf, np.nan]
    x[12:] = np.random.default_rng(1).integers(0, 1 << 24, 244).astype(np.uint32).view(np.float32)
    after = run(FILE, "small_numbers", "*fp32,*fp32,256", (1,), {"x_ptr": x, "out_ptr": poison(FP32, 6 * 256)})["out_ptr"].reshape(6, 256)
    with np.errstate(invalid="ignore"):
        finite = np.isfinite(x)
        assert_same_bits(after[0], x * np.float32(0.5), "halves")
        assert_same_bits(after[1][finite], (0 + x + x)[finite], "doubles")
        assert_same_bits(after[2], np.float32(0) - x, "negated")
        assert_same_bits(after[3], np.abs(x), "absolute")
        assert_same_bits(after[4], x - x, "differences")
        assert_same_bits(after[5], np.where(x == 0, x, 0 - x), "chosen")


def test_bits_survive(run):
    """A copy changes no bit, not those of signalling NaNs either."""
    bits = np.random.default_rng(2).integers(0, 2**32, 4096, dtype=np.uint32)
    bits[:4] = [0x7F800001, 0xFF800001, 0x7FC12345, 0x80000000]
    text = kernel("x_ptr, out_ptr", "i = tl.arange(0, 4096)\ntl.store(out_ptr + i, tl.where(i < 5000, tl.load(x_ptr + i), 0.0))")
    after = run(text, "kernel", "*fp32,*fp32", (1,), {"x_ptr": bits.view(np.float32), "out_ptr": poison(FP32, 4096)})
    assert after["out_ptr"].tobytes() == bits.tobytes()


def test_largest_block(run, device):
    if device != "cpu":
        pytest.skip("a thread of a GPU would hold a thousand elements; ptxas takes minutes")
    block = 1 << 20
    x = np.random.default_rng(5).integers(-1000, 1000, block).astype(np.int32)
    after = run(FILE, "largest_block", f"*i32,*i32,{block}", (1,), {"x_ptr": x, "out_ptr": poison(I32, block + 1024)})["out_ptr"]
    assert_same_bits(after[:block], (x ^ x.sum(dtype=np.int32))[::-1], "reversed")
    assert_same_bits(after[block:], x.reshape(1024, 1024).sum(1, dtype=np.int32), "sums")


@pytest.mark.parametrize("c", [0, 5])
def test_load_before_a_masked_store(run, c):
    """The value is used in a branch only, after its memory was overwritten."""
    text = kernel("x_ptr, out_ptr, n, c", """
        i = tl.arange(0, 128)
        value = tl.load(x_ptr + i)
        tl.store(x_ptr + i, 1, mask=i < n)
        if c > 3:
            tl.store(out_ptr + i, value)
    """)
    x = np.arange(128, dtype=np.int32) * 3
    after = run(text, "kernel", "*i32,*i32,i32,i32", (1,), {"x_ptr": x, "out_ptr": np.full(128, -1, np.int32), "n": 100, "c": c})
    assert (after["x_ptr"] == np.where(np.arange(128) < 100, 1, x)).all()
    assert (after["out_ptr"] == (x if c > 3 else -1)).all()
