"""Sorting, the k largest, merging and reversal: every type, sizes from 1 to 4096, several rows a tile."""
import numpy as np
import pytest

from launch import BF16, FLOATS, FP16, FP32, I8, I16, I32, I64, INTS, U8, U32, UNSIGNED, assert_same_bits, poison
from tiles import kernel, offsets, store

ids = dict(ids=lambda t: t.name)


def values(dtype, shape, seed=0):
    """With repetitions, both infinities and the type's limits; without NaN, whose place is not specified."""
    rng = np.random.default_rng([seed, *shape])
    if not dtype.is_float:
        info = np.iinfo(dtype.storage)
        x = rng.integers(info.min, info.max, shape, dtype=dtype.storage, endpoint=True)
        x[rng.random(shape) < 0.3] = 3
        special = [info.min, info.max, 0]
    else:
        x = dtype.narrow(rng.standard_normal(shape).round(1))
        special = dtype.narrow(np.array([np.inf, -np.inf, 1e-6, -1e-6]))
    flat = x.reshape(-1)
    for index, value in enumerate(special):
        flat[(index * 7919) % flat.size] = value
    return x


def sorted_rows(dtype, x, descending=False):
    order = np.argsort(dtype.widen(x), axis=-1, kind="stable")
    result = np.take_along_axis(x, order, -1)
    return result[..., ::-1] if descending else result


def same(dtype, actual, expected, what):
    """Bits, but for the sign of zeros, whose order among themselves is not specified."""
    actual, expected = (dtype.widen(np.ascontiguousarray(a)).reshape(-1) + 0 for a in (actual, expected))
    assert_same_bits(actual, expected, what)


@pytest.mark.parametrize("dtype", FLOATS + INTS + UNSIGNED, **ids)
@pytest.mark.parametrize("shape", [(16,), (4, 8), (2, 2, 4)], ids=lambda s: "x".join(map(str, s)))
def test_every_type(run, dtype, shape):
    x = values(dtype, shape)
    at = offsets(shape)
    text = kernel("x_ptr, up_ptr, down_ptr, flip_ptr", f"""
        x = tl.load(x_ptr + ({at}))
        tl.store(up_ptr + ({at}), tl.sort(x))
        tl.store(down_ptr + ({at}), tl.sort(x, {len(shape) - 1}, descending=True))
        tl.store(flip_ptr + ({at}), tl.flip(x, {len(shape) - 1}))
    """)
    names = ["up_ptr", "down_ptr", "flip_ptr"]
    after = run(text, "kernel", ",".join([f"*{dtype.name}"] * 4), (1,),
                {"x_ptr": x, **{name: poison(dtype, x.size).reshape(shape) for name in names}})
    same(dtype, after["up_ptr"], sorted_rows(dtype, x), "ascending")
    same(dtype, after["down_ptr"], sorted_rows(dtype, x, True), "descending")
    assert_same_bits(after["flip_ptr"], x[..., ::-1], "reversed")


@pytest.mark.parametrize("shape", [(1,), (2,), (4,), (64,), (512,), (4096,), (8, 1), (1, 8), (64, 16), (16, 64)],
                         ids=lambda s: "x".join(map(str, s)))
@pytest.mark.parametrize("descending", [False, True])
def test_sizes(run, shape, descending):
    x = values(I32, shape)
    at = offsets(shape)
    text = kernel("x_ptr, out_ptr", f"tl.store(out_ptr + ({at}), tl.sort(tl.load(x_ptr + ({at})), descending={descending}))")
    after = run(text, "kernel", "*i32,*i32", (1,), {"x_ptr": x, "out_ptr": poison(I32, x.size).reshape(shape)})
    assert_same_bits(after["out_ptr"], sorted_rows(I32, x, descending), "sorted")


@pytest.mark.parametrize("pattern", ["sorted", "reversed", "equal", "zeros and ones", "sawtooth"])
def test_patterns(run, pattern):
    n = 256
    x = {"sorted": np.arange(n), "reversed": -np.arange(n), "equal": np.full(n, 9), "zeros and ones": np.arange(n) * 7 % 3 % 2,
         "sawtooth": np.arange(n) % 17}[pattern].astype(np.float32)
    text = kernel("x_ptr, out_ptr", f"tl.store(out_ptr + tl.arange(0, {n}), tl.sort(tl.load(x_ptr + tl.arange(0, {n}))))")
    after = run(text, "kernel", "*fp32,*fp32", (1,), {"x_ptr": x, "out_ptr": poison(FP32, n)})
    assert_same_bits(after["out_ptr"], np.sort(x) + 0, "sorted")


PROMOTED = {"fp16": FP32, "bf16": FP32, "i8": I32, "u8": I32, "i16": I32, "u16": I32}


@pytest.mark.parametrize("dtype", [FP32, FP16, BF16, I8, I16, I32, I64, U8, U32], **ids)
@pytest.mark.parametrize("shape,k", [((64,), 1), ((64,), 8), ((64,), 64), ((8, 32), 4), ((2, 4, 16), 2), ((16, 16), 1)], ids=str)
def test_topk(run, dtype, shape, k):
    if dtype not in (FP32, I32) and shape not in ((64,), (8, 32)):
        pytest.skip("other types at two shapes only")
    out = dtype if k == shape[-1] else PROMOTED.get(dtype.name, dtype)
    x, to = values(dtype, shape, k), (*shape[:-1], k)
    text = kernel("x_ptr, out_ptr", store("out_ptr", f"tl.topk(tl.load(x_ptr + ({offsets(shape)})), {k})", to))
    after = run(text, "kernel", f"*{dtype.name},*{out.name}", (1,), {"x_ptr": x, "out_ptr": poison(out, x.size)})["out_ptr"]
    count = x.size // shape[-1] * k
    same(out, after[:count], out.narrow(dtype.widen(sorted_rows(dtype, x, True)[..., :k])), "largest")
    assert_same_bits(after[count:], poison(out, x.size)[count:], "beyond the result")


@pytest.mark.parametrize("shape", [(2,), (64,), (4, 16)], ids=str)
@pytest.mark.parametrize("descending", [False, True])
def test_bitonic_merge(run, shape, descending):
    """Rows that rise and then fall, turned round by some places: bitonic wherever they begin."""
    rng, half = np.random.default_rng(3), shape[-1] // 2
    rows = np.sort(rng.integers(-99, 99, (int(np.prod(shape[:-1])), 2, half)), -1)
    x = np.concatenate([rows[:, 0], rows[:, 1, ::-1]], -1)
    x = np.stack([np.roll(row, turn) for turn, row in enumerate(x)]).astype(np.int32).reshape(shape)
    at = offsets(shape)
    text = kernel("x_ptr, out_ptr",
                  f"tl.store(out_ptr + ({at}), tl.bitonic_merge(tl.load(x_ptr + ({at})), descending={descending}))")
    after = run(text, "kernel", "*i32,*i32", (1,), {"x_ptr": x, "out_ptr": poison(I32, x.size).reshape(shape)})
    assert_same_bits(after["out_ptr"], sorted_rows(I32, x, descending), "merged")


@pytest.mark.parametrize("shape,axis", [((2,), 0), ((1024,), 0), ((8, 4), 0), ((8, 4), 1), ((2, 8, 4), 1), ((4, 1, 2), 1)], ids=str)
def test_flip(run, shape, axis):
    x = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    at = offsets(shape)
    text = kernel("x_ptr, out_ptr", f"tl.store(out_ptr + ({at}), tl.flip(tl.load(x_ptr + ({at})), {axis}))")
    after = run(text, "kernel", "*i32,*i32", (1,), {"x_ptr": x, "out_ptr": poison(I32, x.size).reshape(shape)})
    assert_same_bits(after["out_ptr"], np.flip(x, axis), "reversed")


def test_sorted_values_are_used(run):
    """Medians, the largest of the rest, ranks: sorts between loads, reductions and tiles of other shapes."""
    rows, n = 6, 32
    x = np.random.default_rng(2).integers(0, 20, (rows, n)).astype(np.int32)
    text = kernel("x_ptr, median_ptr, rest_ptr, rank_ptr", f"""
        row = tl.program_id(0)
        i = tl.arange(0, {n})
        x = tl.load(x_ptr + row * {n} + i)
        s = tl.sort(x)
        tl.store(median_ptr + row, tl.sum(tl.where((i == {n // 2 - 1}) | (i == {n // 2}), s, 0), 0))
        rest = tl.flip(tl.sort(tl.where(i == 0, -1, x)), 0)
        tl.store(rest_ptr + row, tl.sum(tl.where(i == 0, rest, 0), 0))
        below = (x[:, None] > s[None, :]).to(tl.int32)
        tl.store(rank_ptr + row * {n} + i, tl.sum(below, 1))
    """)
    after = run(text, "kernel", "*i32,*i32,*i32,*i32", (rows,),
                {"x_ptr": x, "median_ptr": poison(I32, rows), "rest_ptr": poison(I32, rows), "rank_ptr": poison(I32, x.size)})
    s = np.sort(x, 1)
    assert_same_bits(after["median_ptr"], s[:, n // 2 - 1] + s[:, n // 2], "medians")
    assert_same_bits(after["rest_ptr"], x[:, 1:].max(1), "largest of the rest")
    ranks = (x[:, :, None] > x[:, None, :]).sum(2).astype(np.int32)
    assert_same_bits(after["rank_ptr"], ranks.reshape(-1), "ranks")
