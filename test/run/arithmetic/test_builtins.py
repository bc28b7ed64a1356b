"""The built-in functions' values, over all inputs where there are few."""
import os

import numpy as np
import pytest

from launch import KERNELS

BUILTINS = os.path.join(KERNELS, "builtins.py")


def decode_fp8e4b15(byte):
    """The value of a byte: a sign, four exponent bits with bias 15, three mantissa bits; subnormals at exponent 0."""
    byte = byte.astype(np.int64)
    exponent, mantissa = (byte >> 3) & 15, byte & 7
    magnitude = np.where(exponent == 0, mantissa * 2.0**-17, (8 + mantissa) * 2.0**(exponent - 18))
    return np.where(byte & 128, -magnitude, magnitude)


def test_every_half_becomes_fp8e4b15(run):
    x = np.arange(65536, dtype=np.uint16).view(np.float16)
    out = run(BUILTINS, "to_fp8e4b15", "*fp16,*i8,1024", (64,),
              {"x_ptr": x, "out_ptr": np.zeros(65536, np.int8)})["out_ptr"].view(np.uint8)
    values = decode_fp8e4b15(np.arange(127))  # 0x7f is 1.875 by the pattern, and stands for 1.75 as 0x7e does
    magnitude = np.where(np.isnan(x), 1.75, np.minimum(np.abs(x.astype(np.float64)), 1.75))
    # The nearest value; of two equally near the larger.
    middles = (values[1:] + values[:-1]) / 2
    expected = np.searchsorted(middles, magnitude, side="right") | np.where(np.signbit(x), 128, 0)
    np.testing.assert_array_equal(out, expected)


def test_every_fp8e4b15_becomes_a_half(run):
    x = np.arange(256, dtype=np.uint8).view(np.int8)
    out = run(BUILTINS, "from_fp8e4b15", "*i8,*fp16,256", (1,),
              {"x_ptr": x, "out_ptr": np.zeros(256, np.float16)})["out_ptr"]
    np.testing.assert_array_equal(out.astype(np.float64), decode_fp8e4b15(np.arange(256)))
    np.testing.assert_array_equal(np.signbit(out), np.arange(256) >= 128)


def test_extrema_and_nan(run):
    special = np.array([0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, np.nan, 3.5], np.float32)
    x, y = (grid.ravel() for grid in np.meshgrid(special, special))
    zero = np.zeros(64, np.float32)
    names = ["low_ptr", "high_ptr", "low_nan_ptr", "high_nan_ptr", "clamped_ptr"]
    out = run(BUILTINS, "extrema", ",".join(["*fp32"] * 7) + ",64", (1,),
              {"x_ptr": x, "y_ptr": y, **{name: zero for name in names}})
    np.testing.assert_array_equal(out["low_ptr"], np.fmin(x, y))
    np.testing.assert_array_equal(out["high_ptr"], np.fmax(x, y))
    np.testing.assert_array_equal(out["low_nan_ptr"], np.minimum(x, y))
    np.testing.assert_array_equal(out["high_nan_ptr"], np.maximum(x, y))
    numbers = ~np.isnan(x)
    np.testing.assert_array_equal(out["clamped_ptr"][numbers], np.clip(x, -1, 1)[numbers])


@pytest.mark.parametrize("bits", [32, 64])
def test_high_product(run, bits):
    rng = np.random.default_rng(bits)
    storage = np.dtype(f"uint{bits}")
    x = np.concatenate([rng.integers(0, 2**bits, 252, storage, endpoint=False), np.array([0, 1, 2**bits - 1, 2**(bits - 1)], storage)])
    y = x[::-1].copy()
    out = run(BUILTINS, "high_product", f"*u{bits},*u{bits},*u{bits},256", (1,),
              {"x_ptr": x, "y_ptr": y, "out_ptr": np.zeros(256, storage)})["out_ptr"]
    assert [int(v) for v in out] == [int(a) * int(b) >> bits for a, b in zip(x, y)]


def test_rearrange(run):
    x = np.arange(32, dtype=np.int32)
    out = run(BUILTINS, "rearrange", "*i32,*i32,4,8", (1,),
              {"x_ptr": x, "out_ptr": np.zeros(160, np.int32)})["out_ptr"]
    matrix = x.reshape(4, 8)
    np.testing.assert_array_equal(out[:32], matrix.T.ravel())
    np.testing.assert_array_equal(out[32:64], matrix.reshape(4, 4, 2).transpose(2, 0, 1).ravel())
    np.testing.assert_array_equal(out[64:96], matrix.reshape(4, 4, 2)[..., ::-1].ravel())
    np.testing.assert_array_equal(out[96:], np.repeat(matrix, 2, axis=0).ravel())


def test_reduce_and_scan_tuples(run):
    rng = np.random.default_rng(0)
    rows, columns = 4, 16
    x, y = rng.integers(-3, 4, (2, rows, columns)).astype(np.int32)
    shaped = np.zeros((rows, columns), np.int32)
    out = run(BUILTINS, "combine", ",".join(["*i32"] * 7) + f",{rows},{columns}", (1,),
              {"x_ptr": x.ravel(), "y_ptr": y.ravel(), "values_ptr": np.zeros(rows, np.int32),
               "indices_ptr": np.zeros(rows, np.int32), "slopes_ptr": shaped.ravel(), "offsets_ptr": shaped.ravel(),
               "back_ptr": shaped.ravel()})
    np.testing.assert_array_equal(out["values_ptr"], x.max(axis=1))
    assert all(x.ravel()[index] == best for index, best in zip(out["indices_ptr"], x.max(axis=1)))

    def scan(order):
        slope, offset, slopes, offsets = np.int32(1), np.int32(0), [], []
        for a, b in order:
            slope, offset = slope * a, offset * a + b
            slopes.append(slope)
            offsets.append(offset)
        return slopes, offsets

    with np.errstate(over="ignore"):
        expected = [scan(zip(x[row], y[row])) for row in range(rows)]
        backwards = [scan(zip(x[::-1, column], y[::-1, column]))[1][::-1] for column in range(columns)]
    np.testing.assert_array_equal(out["slopes_ptr"].reshape(rows, columns), [row[0] for row in expected])
    np.testing.assert_array_equal(out["offsets_ptr"].reshape(rows, columns), [row[1] for row in expected])
    np.testing.assert_array_equal(out["back_ptr"].reshape(rows, columns), np.array(backwards).T)


def test_count_gather_and_map(run):
    size, bins = 64, 64
    x = np.random.default_rng(1).integers(0, bins, size).astype(np.int32)
    zero = np.zeros(size, np.int32)
    out = run(BUILTINS, "count", f"*i32,*i32,*i32,*i32,*i32,{size},{bins}", (1,),
              {"x_ptr": x, "counts_ptr": zero, "masked_ptr": zero, "taken_ptr": zero, "steps_ptr": zero})

    def collatz(n):
        steps = 0
        while n > 1:
            n, steps = (n // 2 if n % 2 == 0 else 3 * n + 1), steps + 1
        return steps

    np.testing.assert_array_equal(out["counts_ptr"], np.bincount(x, minlength=bins))
    np.testing.assert_array_equal(out["masked_ptr"], np.bincount(x[x % 2 == 0], minlength=bins))
    np.testing.assert_array_equal(out["taken_ptr"], x[x])
    np.testing.assert_array_equal(out["steps_ptr"], [collatz(n) for n in x])
