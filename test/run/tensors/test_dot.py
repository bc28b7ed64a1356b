"""tl.dot and tl.dot_scaled: every type, shape and precision against NumPy in float64; integers to the last bit."""
import mmap
import multiprocessing
import os

import numpy as np
import pytest

from launch import BF16, EXAMPLES, KERNELS, assert_same_bits, is_amd
from session import Library, launch_once

DOT = os.path.join(KERNELS, "dot.py")
SIZES = [1, 2, 4, 8, 16, 32, 64, 128]
FP8 = {"fp8e5": (2, 15), "fp8e4nv": (3, 7), "fp8e4b8": (3, 8), "fp8e5b16": (2, 16)}  # bits of mantissa, bias
E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])


def fp8_values(name):
    """The value of each of the 256 patterns."""
    mantissa, bias = FP8[name]
    pattern = np.arange(256)
    magnitude = pattern & 127
    exponent, fraction = magnitude >> mantissa, (magnitude & ((1 << mantissa) - 1)) / (1 << mantissa)
    values = np.where(exponent == 0, fraction * 2.0 ** (1 - bias), (1 + fraction) * np.exp2(exponent - bias))
    if name == "fp8e5":
        values = np.where(magnitude == 0x7C, np.inf, np.where(magnitude > 0x7C, np.nan, values))
    elif name == "fp8e4nv":
        values = np.where(magnitude == 0x7F, np.nan, values)
    else:
        values = np.where(pattern == 0x80, np.nan, values)
    return np.where(pattern & 128, -values, values)


def values_of(name, stored):
    """Stored elements in float64 (integers in int64), exactly."""
    if name in FP8:
        return fp8_values(name)[stored]
    if name == "bf16":
        return BF16.widen(stored)
    return stored.astype(np.int64 if stored.dtype.kind == "i" else np.float64)


STORAGE = {"fp32": np.float32, "fp64": np.float64, "fp16": np.float16, "bf16": np.uint16, "i8": np.int8, "i32": np.int32}


def elements(name, shape, seed):
    """Finite ones that sums of products do not carry out of range."""
    rng = np.random.default_rng([seed, *shape])
    if name in FP8:
        table = np.abs(fp8_values(name))
        fine = np.flatnonzero(table <= 4.0)  # false for NaN
        return fine[rng.integers(0, fine.size, shape)].astype(np.uint8)
    if name == "bf16":
        return BF16.narrow(rng.standard_normal(shape))
    if name == "i8":
        return rng.integers(-128, 127, shape, dtype=np.int8, endpoint=True)
    if name == "i32":
        return rng.integers(-2**31, 2**31 - 1, shape, dtype=np.int32, endpoint=True)
    return rng.standard_normal(shape).astype(STORAGE[name])


class GPU:
    """What differs on GPUs: fp32 is read as tf32 unless a kernel says otherwise, sums in fp16 are rounded after
    every instruction, products of fp8 are truncated to 13 bits of the largest one, and not all fp8 types are known."""
    IN_USE = False
    UNKNOWN = ("fp8e4b8", "fp8e5b16")
    READ = {"ieee": 0, "tf32": 2.0**-9, "tf32x3": 2.0**-20, "bf16x3": 2.0**-14, "bf16x6": 2.0**-21}  # relative, of products


@pytest.fixture(autouse=True)
def notice_gpu(device):
    GPU.IN_USE = device != "cpu"


def read_error(dtype, precision="tf32"):
    """The relative error of products that comes from reading their factors, or from adding fp8 ones with fewer bits."""
    if not GPU.IN_USE:
        return 0
    return GPU.READ[precision] if dtype == "fp32" else 2.0**-10 if dtype in FP8 else 0


def skip_unless_supported(device, dtypes, K):
    if device != "cpu" and not is_amd(device) and any(name in GPU.UNKNOWN for name in dtypes):
        pytest.skip("this device does not have the type")
    if K < smallest_inner(device, dtypes[0]):
        pytest.skip("the inner size is too small for this device")


def check(actual, a, b, c, what, read=0):
    """`actual`, stored, is c + a b: within the rounding of sums of K products, or exactly for integers. `read` is what
    read_error allows."""
    if actual.dtype == np.int32:
        expected = (a @ b + c).astype(np.int32)  # wraps
        assert_same_bits(actual, expected, what)
        return
    with np.errstate(all="ignore"):
        expected = a @ b + c
        size = np.abs(a) @ np.abs(b) + np.abs(c)
    inner = a.shape[-1]
    sums = 2.0**-52 if actual.dtype == np.float64 else 2.0**-23
    allowed = (inner / 2 + 2) * sums * size + read * size
    if actual.dtype == np.float16:  # and once more, to the result
        allowed += np.maximum(np.abs(expected) * 2.0**-11, 2.0**-25)
        if GPU.IN_USE:
            allowed += inner / 16 * 2.0**-11 * size
    wrong = ~(np.abs(actual.astype(np.float64) - expected) <= allowed)
    assert not wrong.any(), f"{what}: {wrong.sum()} of {wrong.size} differ, first at {np.argwhere(wrong)[0]}"


def dot(run, dtypes, M, N, K, precision="ieee", programs=1, threads=(1,)):
    left, right, out = dtypes
    a, b = elements(left, (programs, M, K), 1), elements(right, (programs, K, N), 2)
    c = elements(out, (programs, M, N), 3)
    after = run(DOT, "dot", f'*{left},*{right},*{out},*{out},{M},{N},{K},"{precision}"', (programs,),
                {"a_ptr": a, "b_ptr": b, "c_ptr": c, "out_ptr": np.zeros_like(c)}, threads)["out_ptr"]
    check(after, values_of(left, a), values_of(right, b), values_of(out, c), f"{M} x {N} x {K}", read_error(left, precision))
    return after


def smallest_inner(device, dtype):
    """What the language asks for on NVIDIA's GPUs."""
    return 1 if device == "cpu" or is_amd(device) else 32 if dtype == "i8" or dtype in FP8 else 16


COMBINATIONS = [("fp32", "fp32", "fp32"), ("fp64", "fp64", "fp64"), ("fp16", "fp16", "fp32"), ("fp16", "fp16", "fp16"),
                ("bf16", "bf16", "fp32"), ("i8", "i8", "i32")]
COMBINATIONS += [(name, name, "fp32") for name in FP8] + [("fp8e5", "fp8e4nv", "fp16"), ("fp8e4b8", "fp8e5b16", "fp32")]
ids = dict(ids=lambda value: "-".join(map(str, value)) if isinstance(value, tuple) else str(value))


@pytest.mark.parametrize("M", SIZES)
def test_all_shapes(run, device, M):
    for N in SIZES:
        for K in SIZES:
            if K >= smallest_inner(device, "fp32"):
                dot(run, ("fp32", "fp32", "fp32"), M, N, K)


@pytest.mark.parametrize("M", [1, 2, 32])
def test_all_shapes_of_bytes(run, device, M):
    for N in SIZES[:6]:
        for K in SIZES[:6]:
            if K >= smallest_inner(device, "i8"):
                dot(run, ("i8", "i8", "i32"), M, N, K)


@pytest.mark.parametrize("M, N, K", [(1, 1, 1), (2, 4, 2), (1, 64, 32), (64, 1, 32), (16, 16, 16), (4, 8, 64), (32, 64, 128),
                                     (128, 128, 32), (64, 256, 64), (8, 512, 4), (512, 16, 16), (16, 32, 1024)])
@pytest.mark.parametrize("dtypes", COMBINATIONS, **ids)
def test_types(run, device, dtypes, M, N, K):
    skip_unless_supported(device, dtypes, K)
    dot(run, dtypes, M, N, K)


@pytest.mark.parametrize("precision", ["ieee", "tf32", "tf32x3", "bf16x3", "bf16x6"])
def test_precisions(run, precision):
    """On the CPU all of them are computed as ieee."""
    dot(run, ("fp32", "fp32", "fp32"), 32, 32, 64, precision)
    dot(run, ("fp32", "fp32", "fp32"), 64, 128, 32, precision)


@pytest.mark.parametrize("dtypes", COMBINATIONS[:6], **ids)
def test_any_number_of_threads(run, dtypes):
    dot(run, dtypes, 32, 64, 32, programs=37, threads=(1, 2, 7))


@pytest.mark.parametrize("M, N, K", [(1, 1, 16), (16, 16, 16), (4, 64, 32), (128, 64, 256)])
@pytest.mark.parametrize("dtypes", COMBINATIONS[:6], **ids)
def test_from_zero(run, device, dtypes, M, N, K):
    left, right, out = dtypes
    if K < smallest_inner(device, left):
        pytest.skip("the inner size is too small for this device")
    a, b = elements(left, (M, K), 1), elements(right, (K, N), 2)
    after = run(DOT, "dot_from_zero", f"*{left},*{right},*{out},{M},{N},{K}", (1,),
                {"a_ptr": a, "b_ptr": b, "out_ptr": np.ones((M, N), STORAGE[out])})["out_ptr"]
    check(after, values_of(left, a), values_of(right, b), np.zeros((M, N), values_of(left, a).dtype), "product", read_error(left))


@pytest.mark.parametrize("M, N, K", [(16, 16, 16), (2, 2, 2), (64, 8, 128), (8, 64, 32), (128, 128, 64), (1, 32, 4),
                                     (32, 1, 16), (64, 64, 1), (4, 2, 256), (32, 128, 512)])
@pytest.mark.parametrize("transposed", [(True, False), (False, True), (True, True)], **ids)
@pytest.mark.parametrize("dtypes", COMBINATIONS[:6], **ids)
def test_transposed_operands(run, device, dtypes, transposed, M, N, K):
    left, right, out = dtypes
    if K < smallest_inner(device, left):
        pytest.skip("the inner size is too small for this device")
    a, b = elements(left, (M, K), 1), elements(right, (K, N), 2)
    stored = [np.ascontiguousarray(matrix.T) if turned else matrix for matrix, turned in zip((a, b), transposed)]
    after = run(DOT, "dot_transposed", f"*{left},*{right},*{out},{M},{N},{K},{transposed[0]},{transposed[1]}", (1,),
                {"a_ptr": stored[0], "b_ptr": stored[1], "out_ptr": np.ones((M, N), STORAGE[out])})["out_ptr"]
    check(after, values_of(left, a), values_of(right, b), np.zeros((M, N), values_of(left, a).dtype), "product", read_error(left))


@pytest.mark.parametrize("B, M, N, K", [(1, 4, 4, 32), (2, 16, 16, 32), (4, 1, 8, 32), (8, 32, 32, 64)])
@pytest.mark.parametrize("dtypes", COMBINATIONS[:7], **ids)
def test_batches(run, dtypes, B, M, N, K):
    left, right, out = dtypes
    a, b = elements(left, (B, M, K), 1), elements(right, (B, K, N), 2)
    after = run(DOT, "dot_batched", f"*{left},*{right},*{out},{B},{M},{N},{K}", (1,),
                {"a_ptr": a, "b_ptr": b, "out_ptr": np.ones((B, M, N), STORAGE[out])})["out_ptr"]
    check(after, values_of(left, a), values_of(right, b), np.zeros((B, M, N), values_of(left, a).dtype), "product", read_error(left))


@pytest.mark.parametrize("K", [1, 31, 32, 33, 100, 257])
@pytest.mark.parametrize("dtypes", [COMBINATIONS[0], COMBINATIONS[2], COMBINATIONS[5], ("fp16", "fp16", "fp16")], **ids)
def test_loop_over_a_masked_inner_size(run, dtypes, K):
    left, right, out = dtypes
    M, N = 16, 32
    a, b = elements(left, (M, K), 1), elements(right, (K, N), 2)
    after = run(DOT, "dot_loop", f"*{left},*{right},*{out},i32,{M},{N},32", (1,),
                {"a_ptr": a, "b_ptr": b, "out_ptr": np.ones((M, N), STORAGE[out]), "K": K})["out_ptr"]
    left_values, right_values = values_of(left, a), values_of(right, b)
    if out != "fp16":
        check(after, left_values, right_values, np.zeros((M, N), left_values.dtype), "product", read_error(left))
        return
    expected = np.zeros((M, N), np.float16)  # rounds after every block
    for k in range(0, K, 32):
        expected = (expected + left_values[:, k:k + 32] @ right_values[k:k + 32]).astype(np.float16)
    steps = 2 + (K // 8 if GPU.IN_USE else 0)
    assert (np.abs(after.astype(np.float64) - expected) <= steps * np.spacing(np.abs(expected) + np.float16(1))).all()


@pytest.mark.parametrize("dtype", ["fp32", "fp16", "bf16"])
def test_products_of_products(run, dtype):
    M, N, K = 16, 32, 64
    a, b, c = elements(dtype, (M, K), 1), elements(dtype, (K, N), 2), elements(dtype, (N, K), 3)
    after = run(DOT, "dot_chain", f"*{dtype},*{dtype},*{dtype},*fp32,{M},{N},{K}", (1,),
                {"a_ptr": a, "b_ptr": b, "c_ptr": c, "out_ptr": np.zeros((M, K), np.float32)})["out_ptr"]
    a, b, c = (values_of(dtype, stored) for stored in (a, b, c))
    acc, total = np.zeros((M, K)), np.zeros((M, K))
    for _ in range(3):
        acc = 0.5 * (a @ b) @ c + acc * 0.25
        total += acc
    relative = {"fp32": 2.0**-20, "fp16": 2.0**-10, "bf16": 2.0**-7}[dtype] + 2 * read_error(dtype)
    allowed = relative * (np.abs(a) @ np.abs(b) @ np.abs(c))
    assert (np.abs(after - total) <= allowed).all()


@pytest.mark.parametrize("N", [4, 16, 64])
def test_extremes_of_bytes(run, N):
    """128 products of -128 and -128, of -128 and 127, and sums that wrap around."""
    for left in (-128, 127, -1, 0):
        for right in (-128, 127, -1):
            a, b = np.full((4, 128), left, np.int8), np.full((128, N), right, np.int8)
            c = np.full((4, N), 2**31 - 1, np.int32)
            after = run(DOT, "dot", f'*i8,*i8,*i32,*i32,4,{N},128,"ieee"', (1,),
                        {"a_ptr": a, "b_ptr": b, "c_ptr": c, "out_ptr": np.zeros_like(c)})["out_ptr"]
            check(after, a.astype(np.int64), b.astype(np.int64), c.astype(np.int64), f"{left} * {right}")


@pytest.mark.parametrize("dtype", ["fp32", "fp16", "bf16", "fp8e5"])
def test_not_numbers_and_infinities(run, dtype):
    """They reach the rows and columns that they belong to, and no others."""
    M = N = K = 32
    special = {"fp32": np.array([np.inf, -np.inf, np.nan], np.float32), "fp16": np.array([np.inf, -np.inf, np.nan], np.float16),
               "bf16": np.array([0x7F80, 0xFF80, 0x7FC1], np.uint16), "fp8e5": np.array([0x7C, 0xFC, 0x7F], np.uint8)}[dtype]
    a, b = elements(dtype, (M, K), 1), elements(dtype, (K, N), 2)
    a[3, 5], a[7, 9], a[11, 31] = special
    b[0, 2], b[9, 4], b[31, 31] = special
    b[5, 6] = 0  # inf * 0
    c = np.zeros((M, N), np.float32)
    after = run(DOT, "dot", f'*{dtype},*{dtype},*fp32,*fp32,{M},{N},{K},"ieee"', (1,),
                {"a_ptr": a, "b_ptr": b, "c_ptr": c, "out_ptr": c})["out_ptr"]
    with np.errstate(all="ignore"):
        # One by one: matmul of libraries may add in ways that lose infinities.
        expected = (values_of(dtype, a)[:, :, None] * values_of(dtype, b)[None, :, :]).sum(1)
    assert (np.isnan(after) == np.isnan(expected)).all()
    endless = np.isinf(expected)
    assert endless.any() and (after[endless] == expected[endless]).all() and (np.isinf(after) == endless).all()


def test_fp16_results_round_once(run, device):
    """65519.996 rounds to the largest number, 65520 to infinity; a sum of 2^-25s is not lost."""
    if device != "cpu":
        pytest.skip("this device rounds after every instruction")
    a = np.zeros((16, 32), np.float16)
    b = np.zeros((32, 16), np.float16)
    a[0, :2], b[:2, 0] = (65504, 15.5), (1, 1)
    a[1, :2] = (65504, 16)
    a[2, :], b[:, 1] = 2.0**-14, 2.0**-10  # 32 * 2^-24
    c = np.zeros((16, 16), np.float16)
    after = run(DOT, "dot", '*fp16,*fp16,*fp16,*fp16,16,16,32,"ieee"', (1,),
                {"a_ptr": a, "b_ptr": b, "c_ptr": c, "out_ptr": c})["out_ptr"]
    assert after[0, 0] == 65504 and after[1, 0] == np.inf and after[2, 1] == np.float16(2.0**-19)


# ---- scaled -----------------------------------------------------------------------------------------

FORMATS = {"e2m1": "u8", "e4m3": "fp8e4nv", "e5m2": "fp8e5", "bf16": "bf16", "fp16": "fp16"}


def unpack(stored, axis):
    """Pairs of e2m1 in bytes, the first in the low half."""
    halves = np.stack([stored & 15, stored >> 4], axis + 1)
    shape = list(stored.shape)
    shape[axis] *= 2
    nibbles = halves.reshape(shape)
    return np.where(nibbles & 8, -1.0, 1.0) * E2M1[nibbles & 7]


def scaled_operand(format, shape, axis, k_pack, seed):
    """Stored elements of a [.., K ..] operand, and their values. `axis` is K's."""
    if format != "e2m1":
        stored = elements(FORMATS[format], shape, seed)
        return stored, values_of(FORMATS[format], stored)
    packed = list(shape)
    packed_axis = axis if k_pack else 1 - axis
    packed[packed_axis] //= 2
    stored = np.random.default_rng([seed, *shape]).integers(0, 256, packed, dtype=np.uint8)
    return stored, unpack(stored, packed_axis)


def scales(group, outer, inner, seed):
    """Stored scales and the factors of each of the inner elements."""
    if group == 0:
        return None, np.ones((outer, inner))
    rng = np.random.default_rng([seed, outer, inner])
    if group == 16:
        stored = rng.integers(0x20, 0x50, (outer, inner // 16), dtype=np.uint8)
        factors = fp8_values("fp8e4nv")[stored]
    else:
        stored = rng.integers(100, 150, (outer, inner // 32), dtype=np.uint8)
        factors = np.exp2(stored.astype(np.float64) - 127)
    return stored, np.repeat(factors, group, axis=1)


def dot_scaled(run, M, N, K, formats, k_packs=(True, True), groups=(32, 32)):
    a, a_values = scaled_operand(formats[0], (M, K), 1, k_packs[0], 1)
    b, b_values = scaled_operand(formats[1], (K, N), 0, k_packs[1], 2)
    (a_scale, a_factors), (b_scale, b_factors) = scales(groups[0], M, K, 3), scales(groups[1], N, K, 4)
    kinds = ["fp8e4nv" if group == 16 else "u8" for group in groups]
    signature = (f"*{FORMATS[formats[0]]},*{kinds[0]},*{FORMATS[formats[1]]},*{kinds[1]},*fp32,{M},{N},{K},"
                 f'"{formats[0]}","{formats[1]}",{k_packs[0]},{k_packs[1]},{groups[0]},{groups[1]}')
    nothing = np.zeros(1, np.uint8)
    after = run(DOT, "dot_scaled", signature, (1,),
                {"a_ptr": a, "a_scale_ptr": nothing if a_scale is None else a_scale, "b_ptr": b,
                 "b_scale_ptr": nothing if b_scale is None else b_scale, "out_ptr": np.ones((M, N), np.float32)})["out_ptr"]
    check(after, a_values * a_factors, b_values * b_factors.T, np.zeros((M, N)), f"{formats} {M} x {N} x {K}")


@pytest.mark.parametrize("left", FORMATS)
@pytest.mark.parametrize("right", FORMATS)
def test_scaled_formats(run, left, right):
    dot_scaled(run, 32, 64, 128, (left, right))
    dot_scaled(run, 4, 8, 32, (left, right))


@pytest.mark.parametrize("groups", [(32, 0), (0, 32), (0, 0), (16, 16), (16, 32)], **ids)
@pytest.mark.parametrize("formats", [("e2m1", "e2m1"), ("e4m3", "e5m2"), ("bf16", "e2m1")], **ids)
def test_scaled_groups(run, formats, groups):
    dot_scaled(run, 16, 32, 64, formats, groups=groups)


@pytest.mark.parametrize("k_packs", [(True, False), (False, True), (False, False)], **ids)
@pytest.mark.parametrize("M, N, K", [(32, 32, 64), (2, 2, 32), (128, 16, 256)])
def test_pairs_along_the_outer_axis(run, k_packs, M, N, K):
    dot_scaled(run, M, N, K, ("e2m1", "e2m1"), k_packs)


@pytest.mark.parametrize("formats", [("e4m3", "e4m3"), ("e2m1", "e2m1"), ("e5m2", "e2m1"), ("e2m1", "e4m3")], **ids)
@pytest.mark.parametrize("M, N, K, warps", [(16, 16, 128, 4), (64, 128, 64, 8), (128, 32, 256, 4), (2, 4, 64, 1), (64, 1, 128, 2)])
def test_scaled_loop(run, formats, M, N, K, warps):
    """Tiles of 0, 1, 2 and 5 iterations, each group with a scale of its own."""
    for count, is_transposed in ((0, False), (1, True), (2, False), (5, True)):
        depth = count * K
        a, a_values = scaled_operand(formats[0], (M, depth), 1, True, 1)
        b, b_values = scaled_operand(formats[1], (N, depth), 1, True, 2)
        (a_scale, a_factors), (b_scale, b_factors) = scales(32, M, depth, 3), scales(32, N, depth, 4)
        signature = (f"*{FORMATS[formats[0]]}:16,*u8:16,*{FORMATS[formats[1]]}:16,*u8:16,*fp32:16,i32:16,{M},{N},{K},"
                     f'"{formats[0]}","{formats[1]}",{is_transposed}')
        out = np.ones((N, M) if is_transposed else (M, N), np.float32)
        after = run(DOT, "scaled_loop", signature, (1,),
                    {"a_ptr": a, "a_scale_ptr": a_scale, "b_ptr": b, "b_scale_ptr": b_scale, "out_ptr": out, "depth": depth},
                    options=f"num-warps={warps}")["out_ptr"]
        product = after.T if is_transposed else after
        check(product, a_values * a_factors, (b_values * b_factors).T, np.zeros((M, N)), f"{formats} {count} tiles")


def test_extreme_scales_of_bytes(run):
    """Formats of 8 bits, which some chips multiply with their scales."""
    M, N, K = 16, 16, 128
    a, b = np.full((M, K), 0x38, np.uint8), np.full((K, N), 0x38, np.uint8)  # ones
    a_scale, b_scale = np.full((M, 4), 127, np.uint8), np.full((N, 4), 127, np.uint8)
    a_scale[0], a_scale[1, 0], a_scale[2, 3] = 7, 247, 255
    after = run(DOT, "dot_scaled", f'*fp8e4nv,*u8,*fp8e4nv,*u8,*fp32,{M},{N},{K},"e4m3","e4m3",True,True,32,32', (1,),
                {"a_ptr": a, "a_scale_ptr": a_scale, "b_ptr": b, "b_scale_ptr": b_scale,
                 "out_ptr": np.ones((M, N), np.float32)})["out_ptr"]
    expected = np.full(M, 128.0)
    expected[:3] = 128 * 2.0**-120, 32 * 2.0**120 + 96, np.nan
    assert_same_bits(after, np.repeat(expected.astype(np.float32)[:, None], N, 1), "sums")


@pytest.mark.parametrize("scale", [0, 100, 127, 150])
def test_constant_scales(run, scale):
    """0 is 2^-127: products of ones are then less than the smallest number."""
    M, N, K = 16, 16, 128
    after = run(DOT, "constant_scales", f"*u8,*u8,*fp32,{M},{N},{K},{scale}", (1,),
                {"a_ptr": np.full((M, K), 0x38, np.uint8), "b_ptr": np.full((K, N), 0x38, np.uint8),
                 "out_ptr": np.ones((M, N), np.float32)})["out_ptr"]
    assert_same_bits(after, np.full((M, N), K * 4.0**(scale - 127), np.float32), "sums")


def test_extreme_scales(run):
    """0 is 2^-127, 254 is 2^127 and 255 is not a number, for all of its group."""
    M, N, K = 4, 4, 64
    a = np.full((M, K), 0x3C00, np.uint16).view(np.float16)  # ones
    b = np.ones((K, N), np.float16)
    a_scale = np.array([[0, 0], [254, 127], [127, 255], [127, 127]], np.uint8)
    b_scale = np.full((N, 2), 127, np.uint8)
    after = run(DOT, "dot_scaled", f'*fp16,*u8,*fp16,*u8,*fp32,{M},{N},{K},"fp16","fp16",True,True,32,32', (1,),
                {"a_ptr": a, "a_scale_ptr": a_scale, "b_ptr": b, "b_scale_ptr": b_scale,
                 "out_ptr": np.ones((M, N), np.float32)})["out_ptr"]
    expected = np.array([64 * 2.0**-127, np.inf, np.nan, 64])
    with np.errstate(all="ignore"):
        assert_same_bits(after, np.repeat(expected.astype(np.float32)[:, None], N, 1), "sums")


# ---- whole kernels ----------------------------------------------------------------------------------

def shared(array):
    """A copy in memory that a child process shares."""
    memory = np.frombuffer(mmap.mmap(-1, max(array.nbytes, 1)), array.dtype, array.size).reshape(array.shape)
    memory[...] = array
    return memory


def test_grouped_gemm(device):
    """examples/grouped_gemm.py takes addresses of matrices in memory, some of them without a row."""
    if device != "cpu":
        pytest.skip("passes addresses of the host's memory")
    sizes = [(1, 1, 1), (200, 130, 97), (0, 64, 32), (65, 300, 40), (128, 64, 256)]
    matrices = [[shared(elements("fp16", shape, 1)) for shape in ((M, K), (K, N), (M, N))] for M, N, K in sizes]
    addresses = np.array([[matrix.ctypes.data for matrix in product] for product in matrices], np.int64)
    strides = np.array([[M, N, K, K, N, N] for M, N, K in sizes], np.int32)
    request = (os.path.join(EXAMPLES, "grouped_gemm.py"), None, "grouped_gemm_kernel", "*i64,*i32,i32,32,64,16", "")
    arguments = {"addresses_ptr": addresses, "sizes_ptr": strides, "n_products": len(sizes)}
    child = multiprocessing.get_context("fork").Process(target=lambda: launch_once(Library(), 2, request, (5,), arguments))
    child.start()
    child.join(300)
    assert child.exitcode == 0
    for a, b, c in matrices:
        a, b = a.astype(np.float64), b.astype(np.float64)
        check(c, a, b, np.zeros(c.shape), f"{a.shape} x {b.shape}")
