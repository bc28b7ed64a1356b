"""Atomics across programs and threads: every operation and type, old values, masks, duplicates, locks."""
import os

import numpy as np
import pytest

from launch import BF16, FLOATS, FP16, FP32, FP64, I32, I64, KERNELS, U32, U64, assert_same_bits, poison, random
from tiles import kernel, offsets

ATOMICS = os.path.join(KERNELS, "atomics.py")
ids = dict(ids=lambda t: t.name)
WIDE = [I32, I64, U32, U64]
THREADS = [1, 2, 7]
PROGRAMS, BLOCK, CELLS = 23, 64, 16


def update(run, operation, dtype, start, x, cells, threads=(1, 2, 7), mask=""):
    """x[i] goes to memory[cells[i]]: the memory afterwards."""
    text = kernel("x_ptr, cell_ptr, out_ptr", f"""
        i = tl.program_id(0) * {BLOCK} + tl.arange(0, {BLOCK})
        x = tl.load(x_ptr + i)
        tl.atomic_{operation}(out_ptr + tl.load(cell_ptr + i), x{mask}, sem="relaxed")
    """)
    return run(text, "kernel", f"*{dtype.name},*i32,*{dtype.name}", (x.size // BLOCK,),
               {"x_ptr": x, "cell_ptr": cells, "out_ptr": start}, threads)["out_ptr"]


def reference(ufunc, start, x, cells):
    out = start.copy()
    ufunc.at(out, cells, x)
    return out


def inputs(dtype, seed=0):
    rng = np.random.default_rng(seed)
    x = random(dtype, PROGRAMS * BLOCK, seed + 1)
    return x, rng.integers(0, CELLS, x.size).astype(np.int32), random(dtype, CELLS, seed + 2)


@pytest.mark.parametrize("dtype", WIDE, **ids)
@pytest.mark.parametrize("operation,ufunc", [("add", np.add), ("max", np.maximum), ("min", np.minimum), ("and", np.bitwise_and),
                                             ("or", np.bitwise_or), ("xor", np.bitwise_xor)])
def test_integers(run, operation, ufunc, dtype):
    x, cells, start = inputs(dtype)
    if operation in ("and", "or"):  # one bit at a time, or all bits are soon the same
        bits = np.uint64(1) << np.random.default_rng(1).integers(0, 8 * x.itemsize, x.size).astype(np.uint64)
        bits[np.arange(x.size) % 8 != 0] = 0
        x = (~bits if operation == "and" else bits).astype(dtype.storage)
    assert_same_bits(update(run, operation, dtype, start, x, cells), reference(ufunc, start, x, cells), operation)


@pytest.mark.parametrize("dtype", FLOATS, **ids)
def test_float_sums_are_exact_where_they_can_be(run, dtype):
    """Small whole numbers: every order gives the same."""
    rng = np.random.default_rng(3)
    count = PROGRAMS * BLOCK
    x = dtype.narrow(rng.integers(-1, 2, count))
    cells = (np.arange(count) % CELLS).astype(np.int32)
    start = dtype.narrow(np.arange(CELLS))
    expected = reference(np.add, dtype.widen(start), dtype.widen(x), cells)
    assert_same_bits(update(run, "add", dtype, start, x, cells), dtype.narrow(expected), "sums")


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("dtype", FLOATS, **ids)
def test_float_sums(run, dtype, threads):
    rng = np.random.default_rng(4)
    count = 4 * BLOCK
    x, start = dtype.narrow(rng.random(count)), dtype.narrow(np.zeros(CELLS))
    cells = rng.integers(0, CELLS, count).astype(np.int32)
    after = dtype.widen(update(run, "add", dtype, start, x, cells, (threads,)))
    expected = reference(np.add, dtype.widen(start), dtype.widen(x), cells)
    digits = {"fp16": 10, "bf16": 7, "fp32": 23, "fp64": 52}[dtype.name]
    np.testing.assert_allclose(after, expected, rtol=count / CELLS * 2.0**-digits)


@pytest.mark.parametrize("dtype", FLOATS, **ids)
def test_float_sums_of_special_values(run, dtype):
    special = np.array([np.inf, -np.inf, np.nan, -0.0, 1e-7, 60000.0, 1.0, 5e-324])
    pairs = [(a, b) for a in special for b in special]
    start, x = (dtype.narrow(np.array(column)) for column in zip(*pairs))
    with np.errstate(all="ignore"):
        expected = dtype.narrow(dtype.widen(start) + dtype.widen(x))
    after = update(run, "add", dtype, start, x, np.arange(64, dtype=np.int32))
    if dtype is BF16:
        after, expected = dtype.widen(after), dtype.widen(expected)
    assert_same_bits(after, expected, "sums")


@pytest.mark.parametrize("operation,ufunc", [("max", np.maximum), ("min", np.minimum)])
@pytest.mark.parametrize("dtype", [FP32, FP64], **ids)
def test_float_extrema(run, operation, ufunc, dtype):
    rng = np.random.default_rng(5)
    x = (rng.standard_normal(PROGRAMS * BLOCK) * np.exp2(rng.integers(-60, 60, PROGRAMS * BLOCK))).astype(dtype.storage)
    x[:8] = [0.0, -0.0, np.inf, -np.inf, 1e-45, -1e-45, 1.0, -1.0]
    cells = rng.integers(0, 200, x.size).astype(np.int32)
    start = (rng.standard_normal(200) * 1e-3).astype(dtype.storage)
    start[:4] = [-0.0, 0.0, -np.inf, np.inf]
    assert_same_bits(update(run, operation, dtype, start, x, cells), reference(ufunc, start, x, cells), operation)


# ---- old values -----------------------------------------------------------------------------------

@pytest.mark.parametrize("threads", THREADS)
def test_every_ticket_once(run, threads):
    after = run(ATOMICS, "take_tickets", "*i32,*i32", (5000,),
                {"counter_ptr": np.array([3], np.int32), "ticket_ptr": poison(I32, 5000)}, (threads,))
    assert after["counter_ptr"][0] == 5003
    assert sorted(after["ticket_ptr"].tolist()) == list(range(3, 5003))


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("dtype", WIDE + FLOATS, **ids)
def test_every_old_value_once(run, dtype, threads):
    """Additions of 1 return what was there: each number once, whatever the order."""
    programs = 2 if dtype is BF16 else 16  # bf16 counts to 256
    text = kernel("counter_ptr, old_ptr", f"""
        i = tl.program_id(0) * {BLOCK} + tl.arange(0, {BLOCK})
        tl.store(old_ptr + i, tl.atomic_add(counter_ptr + i * 0, 1))
    """)
    after = run(text, "kernel", f"*{dtype.name},*{dtype.name}", (programs,),
                {"counter_ptr": dtype.narrow(np.array([0])), "old_ptr": poison(dtype, programs * BLOCK)}, (threads,))
    assert sorted(dtype.widen(after["old_ptr"]).tolist()) == list(range(programs * BLOCK))
    assert dtype.widen(after["counter_ptr"])[0] == programs * BLOCK


@pytest.mark.parametrize("dtype", WIDE + [FP32, FP64], **ids)
def test_duplicates_in_order(run, device, dtype):
    """Elements with one address: each finds what the one before it left."""
    if device != "cpu":
        pytest.skip("in any order on a GPU")
    x, start = random(dtype, BLOCK, 1), random(dtype, 2, 2)
    text = kernel("x_ptr, out_ptr, old_ptr", f"""
        i = tl.arange(0, {BLOCK})
        tl.store(old_ptr + i, tl.atomic_xchg(out_ptr + i % 2, tl.load(x_ptr + i)))
    """)
    after = run(text, "kernel", ",".join([f"*{dtype.name}"] * 3), (1,),
                {"x_ptr": x, "out_ptr": start, "old_ptr": poison(dtype, BLOCK)})
    assert_same_bits(after["old_ptr"], np.concatenate([start, x[:-2]]), "old values")
    assert_same_bits(after["out_ptr"], x[-2:], "what is left")


@pytest.mark.parametrize("operation,ufunc", [("add", np.add), ("max", np.maximum), ("min", np.minimum), ("xor", np.bitwise_xor)])
@pytest.mark.parametrize("shape", [(1,), (8,), (4, 16), (2, 2, 4)], ids=str)
def test_old_values_and_masks(run, operation, ufunc, shape):
    start, x = random(I32, 64, 7)[:np.prod(shape)].reshape(shape), random(I32, 64, 8)[:np.prod(shape)].reshape(shape)
    text = kernel("x_ptr, out_ptr, old_ptr", f"""
        at = {offsets(shape)}
        x = tl.load(x_ptr + at)
        old = tl.atomic_{operation}(out_ptr + at, x, mask=x % 3 != 0)
        tl.store(old_ptr + at, tl.where(x % 3 != 0, old, 5))
    """)
    after = run(text, "kernel", "*i32,*i32,*i32", (1,), {"x_ptr": x, "out_ptr": start, "old_ptr": poison(I32, x.size).reshape(shape)})
    kept = np.fmod(x, 3) != 0
    assert_same_bits(after["out_ptr"], np.where(kept, ufunc(start, x), start), "memory")
    assert_same_bits(after["old_ptr"], np.where(kept, start, np.int32(5)), "old values")


def test_masked_off_is_zero(run):
    text = kernel("out_ptr, old_ptr, n", """
        i = tl.arange(0, 16)
        tl.store(old_ptr + i, tl.atomic_add(out_ptr + i, 1, mask=i < n))
        tl.store(old_ptr + 16, tl.atomic_add(out_ptr, 1, mask=n > 100))
        tl.store(old_ptr + 17, tl.atomic_add(out_ptr, 1, mask=n < 100))
    """)
    after = run(text, "kernel", "*i32,*i32,i32", (1,), {"out_ptr": np.full(16, 9, np.int32), "old_ptr": poison(I32, 18), "n": 5})
    assert after["old_ptr"].tolist() == [9] * 5 + [0] * 11 + [0, 10]
    assert after["out_ptr"].tolist() == [11] + [10] * 4 + [9] * 11


def test_masked_off_is_not_touched(run):
    """Addresses beyond the array are fine where the mask is false."""
    text = kernel("out_ptr, n", "i = tl.arange(0, 1024)\ntl.atomic_add(out_ptr + i * 4096, 1, mask=i < n)")
    after = run(text, "kernel", "*i32,i32", (3,), {"out_ptr": np.array([5], np.int32), "n": 1}, (1, 2))
    assert after["out_ptr"].tolist() == [8]


# ---- compare and swap -----------------------------------------------------------------------------

@pytest.mark.parametrize("dtype", WIDE + FLOATS, **ids)
def test_compare_and_swap(run, dtype):
    start, x = random(dtype, BLOCK, 1), random(dtype, BLOCK, 2)
    expected = np.where(np.arange(BLOCK) % 3 == 0, x, start).astype(dtype.storage)  # every third is not what is there
    text = kernel("out_ptr, expected_ptr, x_ptr, old_ptr", f"""
        i = tl.arange(0, {BLOCK})
        old = tl.atomic_cas(out_ptr + i, tl.load(expected_ptr + i), tl.load(x_ptr + i))
        tl.store(old_ptr + i, old)
    """)
    after = run(text, "kernel", ",".join([f"*{dtype.name}"] * 4), (1,),
                {"out_ptr": start, "expected_ptr": expected, "x_ptr": x, "old_ptr": poison(dtype, BLOCK)})
    words = f"u{start.itemsize}"
    same = start.view(words) == expected.view(words)  # bits: a NaN is what it is
    assert_same_bits(after["old_ptr"], start, "old values")
    assert_same_bits(after["out_ptr"].view(words), np.where(same, x.view(words), start.view(words)), "memory")


@pytest.mark.parametrize("sem", ["acquire", "release", "acq_rel", "relaxed"])
@pytest.mark.parametrize("scope", ["gpu", "cta", "sys"])
def test_orders(run, sem, scope):
    text = kernel("out_ptr", f"""
        tl.atomic_add(out_ptr, 1, sem="{sem}", scope="{scope}")
        tl.atomic_cas(out_ptr + 1, 0, 5, sem="{sem}", scope="{scope}")
        tl.atomic_xchg(out_ptr + 2, 3, sem="{sem}", scope="{scope}")
    """)
    after = run(text, "kernel", "*i32", (100,), {"out_ptr": np.zeros(3, np.int32)}, (1, 2))
    assert after["out_ptr"].tolist() == [100, 5, 3]


# ---- descriptors ----------------------------------------------------------------------------------

@pytest.mark.parametrize("operation,ufunc,dtypes", [
    ("add", np.add, [I32, U32, U64, FP32, FP16, BF16]), ("min", np.fmin, [I32, U32, I64, U64, FP16, BF16]),
    ("max", np.fmax, [I32, U32, I64, U64, FP16, BF16]), ("and", np.bitwise_and, WIDE), ("or", np.bitwise_or, WIDE),
    ("xor", np.bitwise_xor, WIDE)], ids=lambda p: p if isinstance(p, str) else "")
def test_descriptors(run, operation, ufunc, dtypes):
    """A block that ends beyond the tensor: only what is inside changes."""
    text = kernel("x_ptr, out_ptr", f"""
        block = tl.make_tensor_descriptor(out_ptr, [3, 24], [24, 1], [4, 16])
        x = tl.load(x_ptr + {offsets((4, 16))})
        block.atomic_{operation}([0, 16], x)
    """)
    for dtype in dtypes:
        x, start = random(dtype, 64, 1).reshape(4, 16), random(dtype, 72, 2).reshape(3, 24)
        if dtype.is_float:  # NaN may win or lose
            x, start = (dtype.narrow(np.random.default_rng(s).standard_normal(a.shape)) for s, a in ((1, x), (2, start)))
        after = run(text, "kernel", f"*{dtype.name}:16,*{dtype.name}:16", (1,), {"x_ptr": x, "out_ptr": start})["out_ptr"]
        expected = start.copy()
        with np.errstate(over="ignore"):
            if dtype.is_float:
                expected[:, 16:] = dtype.narrow(ufunc(dtype.widen(start[:, 16:]), dtype.widen(x[:3, :8])))
            else:
                expected[:, 16:] = ufunc(start[:, 16:], x[:3, :8])
        assert_same_bits(after, expected, f"{operation} of {dtype.name}")


# ---- programs that wait for each other ------------------------------------------------------------

def test_lock(run):
    programs = 3000
    after = run(ATOMICS, "locked", "*i32,*i32,*i32,16", (programs,),
                {"lock_ptr": np.zeros(1, np.int32), "sums_ptr": np.zeros(16, np.int32), "count_ptr": np.zeros(1, np.int32)}, (1, 2, 7))
    expected, i = np.zeros(16, np.int64), np.arange(16)
    for count in range(programs):
        expected = (expected * 3 + i + count) % (1 << 32)
    assert after["lock_ptr"][0] == 0 and after["count_ptr"][0] == programs
    assert_same_bits(after["sums_ptr"], expected.astype(np.uint32).view(np.int32), "every program was alone")


def test_waiting_for_the_program_before(run):
    programs = 500
    after = run(ATOMICS, "in_turn", "*i32,*i32", (programs,),
                {"turn_ptr": np.zeros(1, np.int32), "order_ptr": poison(I32, programs)}, (1, 2, 3))
    value, expected = 7, []
    for _ in range(programs):
        value = (value * 3 + 1) % (1 << 32)
        expected.append(value)
    assert_same_bits(after["order_ptr"], np.array(expected, np.uint32).view(np.int32), "in turn")


@pytest.mark.parametrize("threads", THREADS)
def test_last_one_sums(run, threads):
    n = 128 * 100 - 17
    x = np.random.default_rng(1).integers(-50, 50, n).astype(np.float32)
    after = run(ATOMICS, "last_one_sums", "*fp32,*fp32,*fp32,*i32,*i32,i32,128", (100,),
                {"x_ptr": x, "partial_ptr": poison(FP32, 100), "total_ptr": poison(FP32, 1),
                 "arrived_ptr": np.zeros(1, np.int32), "last_ptr": poison(I32, 1), "n": n}, (threads,))
    assert after["total_ptr"][0] == x.sum() and 0 <= after["last_ptr"][0] < 100


def test_counting(run):
    """The example of examples/histogram.py: programs share the counters."""
    x = np.random.default_rng(2).integers(-5, 260, 100000).astype(np.int32)
    path = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(KERNELS))), "examples", "histogram.py")
    expected = np.bincount(x[(x >= 0) & (x < 256)], minlength=256).astype(np.int32)
    for name in ("atomic_histogram_kernel", "block_histogram_kernel"):
        after = run(path, name, "*i32,*i32,i32,256,1024", (98,),
                    {"x_ptr": x, "counts_ptr": np.zeros(256, np.int32), "n_elements": x.size}, (1, 2, 7))
        assert_same_bits(after["counts_ptr"], expected, name)
