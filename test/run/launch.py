"""Runs a kernel through `tessera run`, and says what each type's values are.

    outputs = launch(tmp_path, "cpu", "kernels/add.py", "add_kernel", "*fp32,*fp32,*fp32,i32,64", grid=(2,),
                     arguments={"x_ptr": x, "y_ptr": y, "output_ptr": poison(fp32, 128), "n_elements": 100})
    outputs["output_ptr"]

Arrays go in and come back as .npy files of the type's storage; bf16, which NumPy has not, as its bits.
"""
import dataclasses
import os
import subprocess

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TESSERA = os.path.join(ROOT, os.environ.get("BUILD", "build"), "bin", "tessera")
KERNELS = os.path.join(ROOT, "test", "run", "kernels")
EXAMPLES = os.path.join(ROOT, "examples")


@dataclasses.dataclass(frozen=True)
class DType:
    """A type of the signature: how NumPy stores it, and in what precision the reference computes."""
    name: str
    storage: type
    wide: type

    @property
    def is_float(self):
        return self.name in ("fp16", "bf16", "fp32", "fp64")

    def widen(self, stored):
        """The values of stored elements, exactly, in the wide type."""
        if self.name == "bf16":
            return (stored.astype(np.uint32) << 16).view(np.float32).astype(self.wide)
        return stored.astype(self.wide)

    def narrow(self, values):
        """Rounds wide values to the type, once, to nearest even; integers wrap."""
        with np.errstate(over="ignore", invalid="ignore"):
            if self.name != "bf16":
                return np.asarray(values).astype(self.storage)
            values = np.asarray(values, dtype=np.float64)
            # Round to odd in float32 first: then the second rounding, to bf16's 8 bits, is the only one that counts.
            single = values.astype(np.float32)
            bits = single.view(np.uint32)
            inexact = single.astype(np.float64) != values
            away = np.abs(single.astype(np.float64)) > np.abs(values)
            bits = np.where(inexact & away, bits - 1, bits) | (inexact & np.isfinite(values))
            rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
            return np.where(np.isnan(values), np.uint16(0x7FC0), rounded)


FP16 = DType("fp16", np.float16, np.float64)
BF16 = DType("bf16", np.uint16, np.float64)
FP32 = DType("fp32", np.float32, np.float64)
FP64 = DType("fp64", np.float64, np.float64)  # one NumPy operation is one correct rounding
I8, I16, I32, I64 = (DType(f"i{n}", getattr(np, f"int{n}"), np.int64) for n in (8, 16, 32, 64))
U8, U16, U32, U64 = (DType(f"u{n}", getattr(np, f"uint{n}"), np.uint64) for n in (8, 16, 32, 64))
FLOATS = [FP16, BF16, FP32, FP64]
INTS = [I8, I16, I32, I64]
UNSIGNED = [U8, U16, U32, U64]


def random(dtype, count, seed):
    """Finite values over the type's useful range, with its special ones among them."""
    rng = np.random.default_rng([seed, count])
    if not dtype.is_float:
        info = np.iinfo(dtype.storage)
        values = rng.integers(info.min, info.max, count, dtype=dtype.storage, endpoint=True)
        special = [info.max, info.min, 0, 1]
    else:
        values = dtype.narrow(rng.standard_normal(count) * np.exp2(rng.integers(-6, 7, count)))
        special = list(dtype.narrow(np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0])))
    for index, value in enumerate(special):
        if count > 20 * (index + 1):
            values[(index * 7919 + seed) % count] = value
    return values


def poison(dtype, count):
    """What an output holds before: bits that no correct kernel leaves where it should have written."""
    bits = np.random.default_rng(count).integers(0, 256, count * np.dtype(dtype.storage).itemsize, dtype=np.uint8)
    return bits.view(dtype.storage)


def is_amd(device):
    """Whether a device, or what it emulates, is an AMD GPU."""
    return (os.environ.get("TESSERA_TEST_EMULATED", "") if device == "emulated" else device).startswith("hip")


def gpu_options(options=""):
    """A test's own options and, behind them, those of $TESSERA_TEST_OPTIONS that it leaves open: "num-warps=8,num-stages=2"."""
    parts = [part for text in (options, os.environ.get("TESSERA_TEST_OPTIONS", "")) for part in text.split(",") if part]
    chosen = {}
    for part in parts:
        chosen.setdefault(part.split("=")[0], part)
    return ",".join(chosen.values())


def launch(folder, device, file, kernel, signature, grid, arguments, num_warps=None, expect_status=0):
    """Runs the kernel; returns every array argument as it is afterwards. Scalars are passed as text."""
    command = [TESSERA, "run", file, "--kernel-name", kernel, "--signature", signature,
               "--grid", ",".join(map(str, grid)), "--device", device, "--no-cache"]
    own = "" if num_warps is None else f"num-warps={num_warps}"
    for option in (own if device == "cpu" else gpu_options(own)).split(","):
        command += ["--" + option] if option else []
    saved = {}
    for name, value in arguments.items():
        if isinstance(value, np.ndarray):
            np.save(os.path.join(folder, f"{name}.npy"), value)
            saved[name] = os.path.join(folder, f"{name}.out.npy")
            command += ["--arg", f"{name}=@{folder}/{name}.npy", "--save", f"{name}={saved[name]}"]
        else:
            command += ["--arg", f"{name}={value}"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    assert done.returncode == expect_status, f"status {done.returncode} from\n{' '.join(command)}\n{done.stderr}"
    return {name: np.load(path) for name, path in saved.items()}


def bits(array):
    return np.ascontiguousarray(array).view(np.dtype(f"u{array.itemsize}"))


def assert_same_bits(actual, expected, what):
    """Equal to the last bit, except that one NaN is as good as another."""
    assert actual.shape == expected.shape and actual.dtype == expected.dtype, what
    same = bits(actual) == bits(expected)
    if actual.dtype.kind == "f":
        same |= np.isnan(actual) & np.isnan(expected)
    if not same.all():
        at = np.flatnonzero(~same)
        lines = [f"  [{i}] {actual.flat[i]!r}, expected {expected.flat[i]!r}" for i in at[:8]]
        raise AssertionError(f"{what}: {at.size} of {actual.size} differ\n" + "\n".join(lines))


def assert_same(dtype, actual, expected_wide, what):
    """`actual` (stored) equals the wide reference rounded once to the type."""
    expected = dtype.narrow(expected_wide)
    if dtype is BF16:  # NaNs have many encodings; compare as floats
        actual, expected = BF16.widen(actual), BF16.widen(expected)
    assert_same_bits(actual, expected, what)


def assert_close(dtype, actual, expected_wide, ulps, what):
    """Within `ulps` of the type's spacing at the reference; infinities and NaNs where it has them."""
    actual = dtype.widen(actual)
    digits = {"fp16": 10, "bf16": 7, "fp32": 23, "fp64": 52}[dtype.name]
    with np.errstate(all="ignore"):
        smallest = {"fp16": -14, "bf16": -126, "fp32": -126, "fp64": -1022}[dtype.name]
        exponent = np.maximum(np.floor(np.log2(np.abs(expected_wide))), smallest)
        error = np.abs(actual - expected_wide) / np.exp2(exponent - digits)
        fine = (error <= ulps) | (actual == expected_wide) | (np.isnan(actual) & np.isnan(expected_wide))
    if not fine.all():
        at = np.flatnonzero(~fine)
        lines = [f"  [{i}] {actual.flat[i]!r}, expected {expected_wide.flat[i]!r}: {error.flat[i]:.1f} ulp" for i in at[:8]]
        raise AssertionError(f"{what}: {at.size} of {actual.size} are over {np.max(ulps)} ulp off\n" + "\n".join(lines))


def blocks(count, block):
    return max(1, -(-count // block))
