"""Every conversion between element types, over all 2^8 and 2^16 patterns of a source, against exact integer arithmetic.

8-bit floats that get a number beyond their largest keep the largest, whatever the rounding; infinity as well. All targets
give the same bits; NVIDIA's have no fp8e4b8 and fp8e5b16.
"""
import os

import numpy as np
import pytest

import formats
from formats import BF16, FP16, FP32, FP64, FP8E4B8, FP8E4NV, FP8E5, FP8E5B16
from launch import KERNELS, is_amd

CASTS = os.path.join(KERNELS, "casts.py")
BLOCK = 1024
FP8 = {FP8E5: 1, FP8E4NV: 2, FP8E4B8: 3, FP8E5B16: 4}
INTS = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]
by_name = {"ids": lambda value: value.name if isinstance(value, formats.Format) else str(value)}


def kinds(device):
    return 2 if device == "cpu" or is_amd(device) else 1


def exists(device, target):
    return kinds(device) == 2 or target not in (FP8E4B8, FP8E5B16)


def storage_of(name):
    return np.dtype({"i": "int", "u": "uint"}[name[0]] + name[1:])


def pointer(target):
    return "*u8" if target in FP8 else f"*{target.name}"


def as_numpy(bits, target):
    """The array a launch takes: NumPy's floats where it has them."""
    return bits.view({FP16: np.float16, FP32: np.float32, FP64: np.float64}.get(target, bits.dtype))


def convert(run, kernel, source, x, targets, constants=()):
    """Converts x to each target in one launch; returns the results' bits by name."""
    n = x.size
    outputs = {f"{name}_ptr": np.zeros(n, storage) for name, (_, storage) in targets.items()}
    signature = ",".join([source, *(kind for kind, _ in targets.values()), "i32", *map(str, constants), str(BLOCK)])
    after = run(CASTS, kernel, signature, (-(-n // BLOCK),), {"x_ptr": x, **outputs, "n": n})
    return {name: after[f"{name}_ptr"] for name in targets}


def float_targets(targets):
    return {t.name: (pointer(t), as_numpy(np.zeros(0, t.storage), t).dtype) for t in targets}


def check(what, target, actual, expected, source_bits):
    actual = actual.view(target.storage)
    wrong = np.flatnonzero(~target.same(actual, expected))
    lines = [f"  {int(source_bits[i]):#x}: {int(actual[i]):#x}, expected {int(expected[i]):#x}" for i in wrong[:8]]
    assert wrong.size == 0, f"{what}: {wrong.size} of {actual.size} differ\n" + "\n".join(lines)


def every_pattern(source):
    return np.arange(1 << source.width, dtype=np.uint32).astype(source.storage)


def around_halfway(source):
    """Patterns of fp32 or fp64 where rounding is decided: numbers of the small formats, the points halfway between two,
    and their neighbours; then specials and random bits."""
    rng = np.random.default_rng(source.width)
    chosen = []
    for target in (FP16, BF16, FP8E5, FP8E4NV, FP8E4B8, FP8E5B16):
        bits = every_pattern(target)
        bits = bits[~target.is_nan(bits) & ~target.is_infinite(bits)]
        if target.width == 16:
            bits = rng.permutation(bits)[:12000]
        negative, magnitude, exponent = target.decode(bits)
        for twice in (2 * magnitude.astype(np.int64), 2 * magnitude.astype(np.int64) + 1):
            chosen.append(source.encode(negative, twice, exponent - 1))
    if source is FP64:
        halfway = FP32.decode(rng.integers(0, 0x7F800000, 20000, np.uint32))
        chosen.append(source.encode(halfway[0], 2 * halfway[1].astype(np.int64) + 1, halfway[2] - 1))
    exact = np.concatenate(chosen)
    top = source.largest + 1
    special = np.array([0, 1, 2, source.largest, top, top + 1, source.nan], source.storage)
    special = np.concatenate([special, special | source.storage.type(1 << source.width - 1)])
    bits = [exact, exact + source.storage.type(1), exact - source.storage.type(1), special]
    return np.concatenate([*bits, rng.integers(0, 1 << source.width, 50000, source.storage)])


def patterns(source):
    return every_pattern(source) if source.width <= 16 else around_halfway(source)


def test_the_reference_agrees_with_numpy(device):
    for source, target in [(FP64, FP32), (FP64, FP16), (FP32, FP16), (FP16, FP64), (FP32, FP64)]:
        bits = patterns(source)
        with np.errstate(all="ignore"):
            theirs = as_numpy(bits, source).astype(as_numpy(np.zeros(0, target.storage), target).dtype)
        check(f"{source.name} to {target.name}", target, theirs, formats.convert(bits, source, target), bits)


@pytest.mark.parametrize("source", formats.ALL, **by_name)
def test_floats_to_floats(run, device, source):
    if not exists(device, source):
        pytest.skip(f"no {source.name} on NVIDIA's chips")
    bits = patterns(source)
    results = convert(run, "to_floats", pointer(source), as_numpy(bits, source), float_targets(formats.ALL),
                      [FP8.get(source, 0), kinds(device)])
    for target in formats.ALL:
        if not exists(device, target):
            continue
        expected = bits if target is source else formats.convert(bits, source, target)
        check(f"{source.name} to {target.name}", target, results[target.name], expected, bits)


@pytest.mark.parametrize("source", [FP16, BF16, FP32, FP64], **by_name)
def test_floats_to_floats_toward_zero(run, device, source):
    bits = patterns(source)
    targets = [FP8E5, FP8E4NV, FP8E4B8, FP8E5B16, FP16, BF16, FP32]
    results = convert(run, "to_floats_toward_zero", pointer(source), as_numpy(bits, source), float_targets(targets),
                      [kinds(device)])
    for target in targets:
        if target.width < source.width and exists(device, target):
            expected = formats.convert(bits, source, target, toward_zero=True)
            check(f"{source.name} to {target.name}", target, results[target.name], expected, bits)


@pytest.mark.parametrize("source", [FP16, BF16, FP32, FP64], **by_name)
def test_floats_to_ints(run, source):
    bits = patterns(source)
    if source.width > 16:  # the reference is slow; most patterns are far out of range
        near = np.random.default_rng(3).normal(0, 1, 20000) * 2.0 ** np.random.default_rng(4).integers(0, 66, 20000)
        near = formats.convert(near.view(np.uint64), FP64, source)
        bits = np.concatenate([bits[::16], near, formats.from_ints(np.array([2**k for k in range(64)], np.uint64), source)])
    targets = {name: (f"*{name}", storage_of(name)) for name in INTS}
    results = convert(run, "to_ints", pointer(source), as_numpy(bits, source), {**targets, "bool": ("*u8", np.uint8)})
    for name in INTS:
        expected = formats.to_ints(bits, source, storage_of(name))
        wrong = np.flatnonzero(results[name] != expected)
        assert wrong.size == 0, f"to {name}: {int(bits[wrong[0]]):#x} gave {results[name][wrong[0]]}, not {expected[wrong[0]]}"
    _, magnitude, _ = source.decode(bits)
    np.testing.assert_array_equal(results["bool"], magnitude != 0)  # NaN is true


def int_values(name):
    info = np.iinfo(storage_of(name))
    rng = np.random.default_rng(info.bits)
    if info.bits <= 16:
        return np.arange(info.min, info.max + 1).astype(storage_of(name))
    values = rng.integers(info.min, info.max, 20000, storage_of(name), endpoint=True)
    values = values >> rng.integers(0, info.bits, values.size).astype(values.dtype)
    # Halfway between two numbers of each format, and next to that.
    edges = []
    for digits in (7, 10, 23, 52):
        for power in range(digits + 1, info.bits - 1):
            tie = 1 << power - digits - 1
            for odd in (0, 1, (1 << digits) - 1):
                middle = (1 << power) + 2 * odd * tie + tie
                edges += [middle - 1, middle, middle + 1]
    edges = [value for value in edges if value <= info.max]
    edges += [-value for value in edges if -value >= info.min]
    return np.concatenate([values, np.array([info.min, info.max, 0, 1, *edges], storage_of(name))])


@pytest.mark.parametrize("source", INTS)
def test_ints_to_floats(run, source):
    values = int_values(source)
    targets = [FP16, BF16, FP32, FP64]
    results = convert(run, "ints_to_floats", f"*{source}", values, float_targets(targets))
    for target in targets:
        check(f"{source} to {target.name}", target, results[target.name], formats.from_ints(values, target), values)


@pytest.mark.parametrize("source", INTS)
def test_ints_to_ints(run, source):
    values = int_values(source)
    targets = {name: (f"*{name}", storage_of(name)) for name in INTS}
    results = convert(run, "to_ints", f"*{source}", values, {**targets, "bool": ("*u8", np.uint8)})
    for name in INTS:
        np.testing.assert_array_equal(results[name], values.astype(storage_of(name)), err_msg=f"to {name}")
    np.testing.assert_array_equal(results["bool"], values != 0)


def test_bools(run):
    x = np.arange(256, dtype=np.uint8)
    ints = {name: (f"*{name}", storage_of(name)) for name in ("i8", "i64", "u64")}
    targets = [FP16, BF16, FP32, FP64]
    results = convert(run, "bools", "*u8", x, {**ints, **float_targets(targets)})
    for name in ints:
        np.testing.assert_array_equal(results[name], x > 100, err_msg=f"to {name}")
    for target in targets:
        check(f"bool to {target.name}", target, results[target.name], formats.from_ints((x > 100).astype(np.int8), target), x)


def test_bitcasts_keep_every_bit(run):
    bits = around_halfway(FP32)
    results = convert(run, "bitcasts", "*fp32", bits.view(np.float32),
                  {"out": ("*fp32", np.float32), "i32": ("*i32", np.int32), "u32": ("*u32", np.uint32), "u64": ("*u64", np.uint64)})
    for name in ("out", "i32", "u32"):
        np.testing.assert_array_equal(results[name].view(np.uint32), bits, err_msg=name)
    np.testing.assert_array_equal(results["u64"], 4 * np.arange(bits.size, dtype=np.uint64))
