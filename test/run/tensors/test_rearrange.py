"""tl.gather, tl.histogram and tl.cat against NumPy: every type, axis and size; indices that are out of range."""
import numpy as np
import pytest

from launch import FLOATS, FP16, FP32, FP64, I8, I16, I32, I64, INTS, U8, U16, U32, UNSIGNED, assert_same_bits, poison, random
from tiles import kernel, offsets, store

ids = dict(ids=lambda t: t.name)
shapes = dict(ids=lambda s: "x".join(map(str, s)) if isinstance(s, tuple) else str(s))
GATHERS = [((1,), (1,), 0), ((64,), (64,), 0), ((64,), (8,), 0), ((4,), (256,), 0), ((16, 32), (16, 32), 0),
           ((16, 32), (16, 32), 1), ((16, 32), (4, 32), 0), ((16, 32), (16, 128), 1), ((8, 1), (8, 16), 1),
           ((4, 8, 16), (4, 2, 16), 1), ((4, 8, 16), (8, 8, 16), 0), ((2, 4, 2), (2, 4, 64), 2), ((512, 2), (512, 2), 0)]


def gather(run, dtype, index_type, x, index, axis):
    text = kernel("x_ptr, index_ptr, out_ptr", f"""
        x = tl.load(x_ptr + {offsets(x.shape)})
        index = tl.load(index_ptr + {offsets(index.shape)})
        {store("out_ptr", f"tl.gather(x, index, {axis})", index.shape)}
    """)
    out = poison(dtype, index.size).reshape(index.shape)
    return run(text, "kernel", f"*{dtype.name},*{index_type.name},*{dtype.name}", (1,),
               {"x_ptr": x, "index_ptr": index, "out_ptr": out})["out_ptr"]


@pytest.mark.parametrize("dtype", [I8, FP16, FP32, I64], **ids)
@pytest.mark.parametrize("source,to,axis", GATHERS, **shapes)
def test_gather_shapes(run, dtype, source, to, axis):
    x = random(dtype, int(np.prod(source)), 1).reshape(source)
    index = np.random.default_rng(2).integers(0, source[axis], to).astype(np.int32)
    assert_same_bits(gather(run, dtype, I32, x, index, axis), np.take_along_axis(x, index, axis), "gathered")


@pytest.mark.parametrize("dtype", FLOATS + INTS + UNSIGNED, **ids)
@pytest.mark.parametrize("axis", [0, 1])
def test_gather_every_type(run, dtype, axis):
    x = random(dtype, 512, 3).reshape(16, 32)
    index = np.random.default_rng(4).integers(0, x.shape[axis], (16, 32)).astype(np.int64)
    assert_same_bits(gather(run, dtype, I64, x, index, axis), np.take_along_axis(x, index, axis), "gathered")


@pytest.mark.parametrize("index_type", [I8, I16, I32, I64, U8, U16, U32], **ids)
def test_gather_index_types(run, index_type):
    x = random(FP32, 512, 3)
    index = np.random.default_rng(4).integers(0, min(512, np.iinfo(index_type.storage).max), 256).astype(index_type.storage)
    assert_same_bits(gather(run, FP32, index_type, x, index, 0), x[index], "gathered")


@pytest.mark.parametrize("dtype", [I8, FP32, FP64], **ids)
def test_gather_out_of_range_wraps(run, device, dtype):
    if device != "cpu":
        pytest.skip("undefined on a GPU")
    x = random(dtype, 64, 3)
    index = np.array([-1, 64, -64, 1 << 30, -(1 << 31), (1 << 31) - 1, 0, 63] * 4, np.int32)
    assert_same_bits(gather(run, dtype, I32, x, index, 0), x[index % 64], "gathered")


def test_gather_conditions_and_pointers(run):
    x = random(I32, 64, 5)
    index = np.random.default_rng(1).permutation(64).astype(np.int32)
    text = kernel("x_ptr, index_ptr, sign_ptr, out_ptr", """
        i = tl.arange(0, 64)
        index = tl.load(index_ptr + i)
        tl.store(sign_ptr + i, tl.gather(tl.load(x_ptr + i) > 0, index, 0).to(tl.int8))
        tl.store(out_ptr + i, tl.load(x_ptr + tl.gather(tl.gather(i, index, 0), index, 0)))
    """)
    after = run(text, "kernel", "*i32,*i32,*i8,*i32", (1,),
                {"x_ptr": x, "index_ptr": index, "sign_ptr": poison(I8, 64), "out_ptr": poison(I32, 64)})
    assert_same_bits(after["sign_ptr"], (x > 0)[index].astype(np.int8), "conditions")
    assert_same_bits(after["out_ptr"], x[index[index]], "twice")


# ---- histograms -----------------------------------------------------------------------------------

def histogram(run, dtype, x, bins, mask="", grid=1):
    text = kernel("x_ptr, out_ptr", f"""
        program = tl.program_id(0)
        i = tl.arange(0, {x.size // grid})
        x = tl.load(x_ptr + program * {x.size // grid} + i)
        tl.store(out_ptr + program * {bins} + tl.arange(0, {bins}), tl.histogram(x, {bins}{mask}))
    """)
    out = poison(I32, bins * grid)
    return run(text, "kernel", f"*{dtype.name},*i32", (grid,), {"x_ptr": x, "out_ptr": out}, (1, 2, 5))["out_ptr"]


@pytest.mark.parametrize("bins", [1, 2, 16, 256, 4096])
@pytest.mark.parametrize("n", [1, 2, 32, 1024, 16384])
def test_histogram_sizes(run, n, bins):
    x = np.random.default_rng([n, bins]).integers(0, bins, n).astype(np.int32)
    assert_same_bits(histogram(run, I32, x, bins), np.bincount(x, minlength=bins).astype(np.int32), "counts")


@pytest.mark.parametrize("dtype", [I8, U8, I16, U16, I32, U32, I64], **ids)
def test_histogram_types(run, dtype):
    x = np.random.default_rng(3).integers(0, 64, 2048).astype(dtype.storage)
    assert_same_bits(histogram(run, dtype, x, 64, grid=4),
                     np.concatenate([np.bincount(part, minlength=64) for part in x.reshape(4, -1)]).astype(np.int32), "counts")


def test_histogram_of_bytes(run):
    x = np.random.default_rng(3).integers(0, 256, 4096).astype(np.uint8)
    assert_same_bits(histogram(run, U8, x, 256), np.bincount(x, minlength=256).astype(np.int32), "counts")


@pytest.mark.parametrize("n", [16, 4096])
def test_histogram_all_the_same(run, n):
    counts = histogram(run, I32, np.full(n, 5, np.int32), 8)
    assert counts.tolist() == [0, 0, 0, 0, 0, n, 0, 0]


@pytest.mark.parametrize("n", [16, 4096])
def test_histogram_mask(run, n):
    x = np.random.default_rng(n).integers(0, 32, n).astype(np.int32)
    kept = x[x % 3 != 1]
    assert_same_bits(histogram(run, I32, x, 32, ", mask=x % 3 != 1"), np.bincount(kept, minlength=32).astype(np.int32), "counts")
    assert not histogram(run, I32, x, 32, ", mask=x < 0").any()


@pytest.mark.parametrize("dtype", [I32, I64], **ids)
@pytest.mark.parametrize("n", [16, 4096])
def test_histogram_does_not_count_what_is_no_bin(run, device, dtype, n):
    if device != "cpu":
        pytest.skip("a GPU counts the low bits")
    x = random(dtype, n, 4)
    x[::3] = np.random.default_rng(1).integers(-40, 40, x[::3].size)
    x[1:4] = [32, -1, 31]
    inside = x[(x >= 0) & (x < 32)].astype(np.int64)
    assert_same_bits(histogram(run, dtype, x, 32), np.bincount(inside, minlength=32).astype(np.int32), "counts")


# ---- concatenation --------------------------------------------------------------------------------

@pytest.mark.parametrize("dtype", FLOATS + INTS + UNSIGNED, **ids)
@pytest.mark.parametrize("n", [1, 16, 512])
def test_cat(run, dtype, n):
    """The order is not specified; on the CPU it is the obvious one, which is not tested."""
    x, y = random(dtype, n, 1), random(dtype, n, 2)
    text = kernel("x_ptr, y_ptr, out_ptr", f"""
        i = tl.arange(0, {n})
        both = tl.cat(tl.load(x_ptr + i), tl.load(y_ptr + i), can_reorder=True)
        tl.store(out_ptr + tl.arange(0, {2 * n}), both)
    """)
    after = run(text, "kernel", ",".join([f"*{dtype.name}"] * 3), (1,), {"x_ptr": x, "y_ptr": y, "out_ptr": poison(dtype, 2 * n)})
    both = np.concatenate([x, y])
    words = f"u{both.itemsize}"
    np.testing.assert_array_equal(np.sort(after["out_ptr"].view(words)), np.sort(both.view(words)))
