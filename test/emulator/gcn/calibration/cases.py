"""What the kernels of kernels.py are called with, and what NumPy says of the results.

    for case in cases("gfx942"):
        case.kernel, case.signature, case.constants, case.warps       what Triton compiles
        case.arguments                                                in the kernel's order
        case.expected                                                 {argument: array}, within case.tolerance
        case.complaint(results)                                       what is wrong with the arrays afterwards, or None
"""
import dataclasses
import math

import numpy as np

from emulator.numbers import bf16_to_f32, f32_to_bf16, f32_to_fp8, fp8_values

TYPES = {"float16": "fp16", "float32": "fp32", "float64": "fp64", **{f"{u}int{b}": f"{'u' if u else 'i'}{b}" for u in ("", "u") for b in (8, 16, 32, 64)}}
FP8 = {"gfx942": ("e4b8", "e5b16"), "gfx950": ("e4nv", "e5"), "gfx1201": ("e4nv", "e5")}
# Triton 3.6.0 is wrong here. gfx942: it swaps the operands but not the types in the instruction's name (triton-lang/triton#9567).
# gfx90a: the selectors of v_perm_b32 in a layout conversion pick k = 4 twice and k = 2 never (see triton-lang/triton#9713).
KNOWN_WRONG = {"gfx942": ("dot e4b8 by e5b16, 64x64x64", "dot e5b16 by e4b8, 64x64x64"), "gfx90a": ("dot i8, 32x32x32",)}
# Triton 3.6.0 does not compile these.
NOT_COMPILED = {"gfx1201": ("dot e4nv by e5, 64x64x64", "dot e5 by e4nv, 64x64x64")}
FP8_NAMES = {"e4b8": "e4m3fnuz", "e5b16": "e5m2fnuz", "e4nv": "e4m3", "e5": "e5m2"}


@dataclasses.dataclass
class Small:
    """An array of a type that NumPy lacks: its bits."""
    type: str
    bits: np.ndarray

    @property
    def values(self):
        return bf16_to_f32(self.bits) if self.type == "bf16" else fp8_values(FP8_NAMES[self.type[3:]])[self.bits]


@dataclasses.dataclass
class Case:
    name: str
    kernel: str
    grid: tuple
    arguments: dict  # name -> array, Small or number
    constants: dict
    expected: dict  # name -> array
    tolerance: float = 0
    warps: int = 4
    options: dict = dataclasses.field(default_factory=dict)

    @property
    def signature(self):
        types = {}
        for name, value in self.arguments.items():
            if isinstance(value, Small):
                types[name] = "*" + value.type
            else:
                types[name] = "*" + TYPES[value.dtype.name] if isinstance(value, np.ndarray) else "fp32" if isinstance(value, float) else "i32"
        return types | dict.fromkeys(self.constants, "constexpr")

    def complaint(self, results):
        """What is wrong with the arrays after the launch, or None."""
        for name, want in self.expected.items():
            got = results[name]
            got = Small(self.arguments[name].type, got).values if isinstance(self.arguments[name], Small) else got
            want = np.asarray(want)
            if self.tolerance == 0 and want.dtype == got.dtype:
                bad = (got != want) & ~((got != got) & (want != want))
            else:
                scale = self.tolerance * (1 + np.abs(want.astype(np.float64)))
                bad = ~(np.abs(got.astype(np.float64) - want) <= scale) & ~(np.isnan(got) & np.isnan(want)) & (got != want)
            if bad.any():
                first = tuple(np.argwhere(bad)[0])
                return f"{name}{list(first)} is {got[first]}, not {want[first]} ({bad.sum()} of {bad.size})"
        return None


def numbers(dtype, *shape, seed=0, low=-4, high=4):
    random = np.random.default_rng([seed, *shape])
    if np.dtype(dtype).kind == "f":
        return random.uniform(low, high, shape).astype(dtype)
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    return random.integers(least, most, shape, dtype, endpoint=True)


def small_numbers(dtype, *shape, seed=0, low=-5, high=6):
    return np.random.default_rng([seed, 1, *shape]).integers(low, high, shape).astype(dtype)


def bf16(values):
    return Small("bf16", f32_to_bf16(np.asarray(values, np.float32)))


def fp8(kind, values):
    return Small("fp8" + kind, f32_to_fp8(np.asarray(values, np.float32), FP8_NAMES[kind]).astype(np.uint8))


# ---- the groups of cases --------------------------------------------------------------------------

def arithmetic_of(x, y):
    return x * y - (x - y) * x + np.where(x > y, x, -y)


def element_cases():
    x, y = numbers(np.float32, 1000), numbers(np.float32, 1000, seed=1)
    yield Case("add", "add", (4,), {"x": x, "y": y, "out": np.zeros(1000, np.float32), "n": 1000}, {"BLOCK": 256}, {"out": x + y})
    yield Case("add, 1 warp", "add", (1,), {"x": x, "y": y, "out": np.zeros(1000, np.float32), "n": 999}, {"BLOCK": 1024},
               {"out": np.where(np.arange(1000) < 999, x + y, 0).astype(np.float32)}, warps=1)
    for dtype in (np.int8, np.int16, np.int32, np.int64, np.float16, np.float64):
        x, y = (numbers(dtype, 500, seed=s) for s in (0, 1))
        with np.errstate(over="ignore"):
            want = arithmetic_of(*((x, y) if dtype != np.float16 else (v.astype(np.float32) for v in (x, y)))).astype(dtype)
        tolerance = 2e-2 if dtype == np.float16 else 1e-14 if dtype == np.float64 else 0
        yield Case(f"arithmetic of {x.dtype}", "arithmetic", (2,), {"x": x, "y": y, "out": np.zeros(500, dtype), "n": 500}, {"BLOCK": 256},
                   {"out": want}, tolerance)
    x, y = numbers(np.float32, 256), numbers(np.float32, 256, seed=1)
    p, q = bf16(x), bf16(y)
    yield Case("packed bf16", "packed", (1,), {"x": p, "y": q, "out": bf16(x)}, {"BLOCK": 256},
               {"out": np.maximum(p.values * q.values + p.values, q.values)}, 2e-2)
    x, y = x.astype(np.float16), y.astype(np.float16)
    yield Case("packed f16", "packed", (1,), {"x": x, "y": y, "out": x * 0}, {"BLOCK": 256}, {"out": np.maximum(x * y + x, y)}, 5e-3)
    yield from integer_cases()
    for dtype in (np.int32, np.uint32, np.int64, np.float32, np.float64, np.float16):
        x, y = small_numbers(dtype, 256, low=0), small_numbers(dtype, 256, seed=1, low=0)
        if np.dtype(dtype).kind == "f":
            x[::7] = np.nan
        want = (x < y) + 2 * (x <= y) + 4 * (x == y) + 8 * (x != y) + 16 * (x > y) + 32 * (x >= y)
        yield Case(f"comparisons of {x.dtype}", "comparisons", (1,), {"x": x, "y": y, "out": np.zeros(256, np.int32)}, {"BLOCK": 256},
                   {"out": want.astype(np.int32)})
        if x.dtype.kind != "f":
            yield Case(f"extremes of {x.dtype}", "extremes", (1,), {"x": x, "y": y, "out": x * 0}, {"BLOCK": 256},
                       {"out": np.minimum(x, y) * 2 + np.maximum(x, y)})
    x = numbers(np.float32, 256)
    yield Case("clamp", "clamped", (1,), {"x": x, "out": x * 0, "low": -1.5, "high": 2.0}, {"BLOCK": 256}, {"out": np.clip(x, np.float32(-1.5), np.float32(2))})


def integer_cases():
    for dtype in (np.int32, np.uint32, np.int64, np.int8):
        x, y = numbers(dtype, 256), numbers(dtype, 256, seed=1)
        y[:128] = small_numbers(dtype, 128, low=1, high=20)
        y[y == 0] = 3
        quotient = np.array([abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) for a, b in zip(x.tolist(), y.tolist())], object)
        rest = np.array(x.tolist(), object) - quotient * np.array(y.tolist(), object)
        yield Case(f"division of {x.dtype}", "divisions", (1,), {"x": x, "y": y, "out": x * 0, "rest": x * 0}, {"BLOCK": 256},
                   {"out": quotient.astype(dtype), "rest": rest.astype(dtype)})
    for dtype in (np.uint32, np.int32, np.int64, np.uint16):
        x, y = numbers(dtype, 256), numbers(dtype, 256, seed=1)
        s = y & dtype(7)
        yield Case(f"bits of {x.dtype}", "bits", (1,), {"x": x, "y": y, "out": x * 0}, {"BLOCK": 256},
                   {"out": (((x << s) ^ (x >> s)) | (x & y)) + ~x})
    for dtype in (np.uint32, np.uint64):
        x, y = numbers(dtype, 256), numbers(dtype, 256, seed=1)
        want = np.array([a * b >> 8 * x.itemsize for a, b in zip(x.tolist(), y.tolist())], dtype)
        yield Case(f"high product of {x.dtype}", "high_products", (1,), {"x": x, "y": y, "out": x * 0}, {"BLOCK": 256}, {"out": want})
    yield Case("random numbers", "random_numbers", (1,), {"out": np.zeros(256, np.int32), "seed": 1234}, {"BLOCK": 256},
               {"out": philox(1234, np.arange(256))})


def philox(seed, offsets):
    """Salmon et al. 2011: Philox 4x32, 10 rounds."""
    counter = [np.array(offsets, np.uint64), *(np.zeros(len(offsets), np.uint64) for _ in range(3))]
    keys, low = [seed & 0xFFFFFFFF, seed >> 32], np.uint64(0xFFFFFFFF)
    for _ in range(10):
        p, q = counter[0] * np.uint64(0xD2511F53), counter[2] * np.uint64(0xCD9E8D57)
        counter = [(q >> np.uint64(32)) ^ counter[1] ^ np.uint64(keys[0]), q & low, (p >> np.uint64(32)) ^ counter[3] ^ np.uint64(keys[1]), p & low]
        keys = [(keys[0] + 0x9E3779B9) & 0xFFFFFFFF, (keys[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return counter[0].astype(np.uint32).view(np.int32)


def cast_cases(chip):
    x = numbers(np.float32, 256, low=-100, high=100)
    x[:4] = [np.inf, -0.0, 3e-6, 65519]
    for name, out, want in (("f16", x.astype(np.float16) * 0, x.astype(np.float16)), ("bf16", bf16(x * 0), bf16(x).values),
                            ("f64", np.zeros(256), x.astype(np.float64))):
        yield Case(f"f32 to {name}", "cast", (1,), {"x": x, "out": out}, {"BLOCK": 256}, {"out": want})
    y = numbers(np.float32, 256, low=-100, high=100)
    for dtype in (np.int8, np.int16, np.int32, np.int64):
        yield Case(f"f32 to {np.dtype(dtype)}", "cast", (1,), {"x": y, "out": np.zeros(256, dtype)}, {"BLOCK": 256}, {"out": y.astype(dtype)})
    yield Case("f64 to i64", "cast", (1,), {"x": y.astype(np.float64) * 1e12, "out": np.zeros(256, np.int64)}, {"BLOCK": 256},
               {"out": (y.astype(np.float64) * 1e12).astype(np.int64)})
    for dtype in (np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64):
        z = numbers(dtype, 256)
        yield Case(f"{z.dtype} to f32", "cast", (1,), {"x": z, "out": x * 0}, {"BLOCK": 256}, {"out": z.astype(np.float32)})
    z = numbers(np.int64, 256)
    yield Case("i64 to f64", "cast", (1,), {"x": z, "out": np.zeros(256)}, {"BLOCK": 256}, {"out": z.astype(np.float64)})
    yield Case("i64 to i16", "cast", (1,), {"x": z, "out": np.zeros(256, np.int16)}, {"BLOCK": 256}, {"out": z.astype(np.int16)})
    yield Case("f16 to f32", "cast", (1,), {"x": y.astype(np.float16), "out": y * 0}, {"BLOCK": 256}, {"out": y.astype(np.float16).astype(np.float32)})
    yield Case("bf16 to f32", "cast", (1,), {"x": bf16(y), "out": y * 0}, {"BLOCK": 256}, {"out": bf16(y).values})
    for kind in FP8.get(chip, ("e5",)):
        codes = Small("fp8" + kind, np.arange(256, dtype=np.uint8))
        yield Case(f"{kind} to f32", "cast", (1,), {"x": codes, "out": x * 0}, {"BLOCK": 256}, {"out": codes.values.astype(np.float32)})
        yield Case(f"f32 to {kind}", "cast", (1,), {"x": y, "out": fp8(kind, y * 0)}, {"BLOCK": 256}, {"out": fp8(kind, y).values})


def function_cases():
    x, y = numbers(np.float32, 256), numbers(np.float32, 256, seed=1)
    x64, y64 = x.astype(np.float64), y.astype(np.float64)
    yield Case("quotient", "quotients", (1,), {"x": x, "y": y, "out": x * 0}, {"BLOCK": 256}, {"out": x / y}, 1e-6)
    yield Case("quotient of f64", "quotients", (1,), {"x": x64, "y": y64, "out": x64 * 0}, {"BLOCK": 256}, {"out": x64 / y64}, 1e-15)
    want = np.sqrt(np.abs(x)) + x / y + np.floor(x) * 2 + np.ceil(y) + (x64 * y64 + x64)
    yield Case("exact functions", "exact_functions", (1,), {"x": x, "y": y, "out": x * 0}, {"BLOCK": 256}, {"out": want}, 1e-6)
    want = [np.exp(x64), np.log(np.abs(x64) + 0.5), np.sin(x64), np.cos(x64), 1 / np.sqrt(np.abs(x64) + 1), np.exp2(x64), np.log2(np.abs(x64) + 0.5)]
    yield Case("functions of f32", "functions", (1,), {"x": x, "out": np.zeros((7, 256), np.float32)}, {"BLOCK": 256}, {"out": np.stack(want)}, 2e-6)
    yield Case("functions of f64", "functions", (1,), {"x": x64, "out": np.zeros((7, 256))}, {"BLOCK": 256}, {"out": np.stack(want)}, 1e-13)
    erf = np.vectorize(math.erf)
    want = np.stack([np.tanh(x64), erf(x64), np.abs(x64)**x64, np.arctan(x64), np.rint(x64), np.expm1(x64)])
    yield Case("library functions of f32", "library", (1,), {"x": x, "out": np.zeros((6, 256), np.float32)}, {"BLOCK": 256}, {"out": want}, 4e-6)
    yield Case("library functions of f64", "library", (1,), {"x": x64, "out": np.zeros((6, 256))}, {"BLOCK": 256}, {"out": want}, 1e-13)


def memory_cases():
    yield Case("grid", "grid_places", (3, 2, 2), {"out": np.zeros((12, 64), np.int32)}, {"BLOCK": 64},
               {"out": np.repeat(np.arange(12, dtype=np.int32) * 100 + 2, 64).reshape(12, 64)})
    x = numbers(np.float32, 30, 40)
    yield Case("strides", "strided", (1,), {"x": x, "out": np.zeros((36, 27), np.float32), "rows": 27, "columns": 36, "stride": 40},
               {"M": 32, "N": 64}, {"out": x[:27, :36].T.copy()})
    starts = np.arange(1, 21, dtype=np.int32)
    steps = []
    for n in starts.tolist():
        steps.append(0)
        while n > 1:
            n, steps[-1] = (n // 2 if n % 2 == 0 else 3 * n + 1), steps[-1] + 1
    yield Case("loop of scalars", "collatz", (20,), {"x": starts, "out": starts * 0}, {"BLOCK": 1}, {"out": np.array(steps, np.int32)})
    x = numbers(np.float16, 5, 333)
    yield Case("rows in a loop", "summed_rows", (5,), {"x": x, "out": np.zeros(5, np.float32), "rows": 5, "columns": 333}, {"BLOCK": 64},
               {"out": x.astype(np.float64).sum(1)}, 1e-5)
    yield Case("tickets", "counted", (12,), {"out": np.zeros(1, np.int32), "tickets": np.full(12, -1, np.int32)}, {}, {"out": np.array([12], np.int32)})
    have = np.arange(128, dtype=np.int32)
    expect = np.where(have % 2 == 0, have, -1).astype(np.int32)
    yield Case("compare and swap", "swapped", (1,), {"out": have, "x": expect, "old": have * 0}, {"BLOCK": 128},
               {"out": np.where(have % 2 == 0, have + 1000, have).astype(np.int32), "old": have})
    index = np.random.default_rng(5).integers(0, 32, (32, 64)).astype(np.int32)
    x = numbers(np.float32, 32, 64)
    yield Case("gather", "gathered", (1,), {"x": x, "index": index, "out": x * 0}, {"M": 32, "N": 64}, {"out": np.take_along_axis(x, index, 0)})
    x = np.random.default_rng(6).integers(0, 32, 512).astype(np.int32)
    yield Case("histogram", "counts", (1,), {"x": x, "out": np.zeros(32, np.int32)}, {"BLOCK": 512, "BINS": 32},
               {"out": np.bincount(x, minlength=32).astype(np.int32)})


def atomic_cases(chip):
    where = np.random.default_rng(7).integers(0, 16, 512).astype(np.int32)
    for op, dtype in (("add", np.int32), ("add", np.int64), ("add", np.float32), ("add", np.float64), ("add", np.float16), ("max", np.int32), ("min", np.uint32),
                      ("max", np.float32), ("and", np.int32), ("or", np.int64), ("xor", np.int32), ("max", np.int64)):
        x, out = small_numbers(dtype, 512, low=0), small_numbers(dtype, 16, seed=2, low=0)
        want = out.copy()
        ufunc = {"add": np.add, "max": np.maximum, "min": np.minimum, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}[op]
        used = np.arange(512) % 3 != 0 if op == "add" else np.full(512, True)
        ufunc.at(want, where[used], x[used])
        yield Case(f"atomic {op} of {x.dtype}", "atomic", (2,), {"x": x, "where": where, "out": out, "old": out * 0}, {"OP": op, "BLOCK": 256}, {"out": want})
    x, out = small_numbers(np.float32, 512, low=0), np.zeros(16, np.float32)
    np.add.at(out, where[np.arange(512) % 3 != 0], x[np.arange(512) % 3 != 0])
    yield Case("atomic add of bf16", "atomic", (2,), {"x": bf16(x), "where": where, "out": bf16(out * 0), "old": bf16(out * 0)},
               {"OP": "add", "BLOCK": 256}, {"out": out}, 2e-2)
    if chip not in ("gfx942", "gfx950"):  # Triton 3.6.0 has no atomic_xchg there
        yield Case("lock", "locked", (6,), {"lock": np.zeros(1, np.int32), "out": np.zeros(1, np.int32)}, {}, {"out": np.array([364], np.int32)})


def tensor_cases():
    x = numbers(np.float32, 5, 777)
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    for warps in (1, 4, 8):
        yield Case(f"softmax, {warps} warps", "softmax", (5,), {"x": x, "out": x * 0, "columns": 777}, {"BLOCK": 1024}, {"out": e / e.sum(1, keepdims=True)}, 1e-6, warps)
    h, w, b = numbers(np.float16, 4, 500), numbers(np.float16, 500, seed=1), numbers(np.float16, 500, seed=2)
    d = h.astype(np.float64)
    want = (d - d.mean(1, keepdims=True)) / np.sqrt(d.var(1, keepdims=True) + 1e-5) * w + b
    yield Case("layer norm", "layer_norm", (4,), {"x": h, "w": w, "b": b, "out": h * 0, "columns": 500}, {"BLOCK": 512}, {"out": want}, 2e-3)
    for op, axis, dtype in (("sum", 0, np.float32), ("sum", 1, np.float32), ("max", 0, np.int32), ("min", 1, np.int64), ("argmax", 1, np.float32),
                            ("argmin", 0, np.float32), ("xor", 1, np.int32), ("sum", 1, np.float16), ("sum", 0, np.float64), ("max", 1, np.int8)):
        x = numbers(dtype, 32, 64)
        want = {"sum": np.sum, "max": np.max, "min": np.min, "argmax": np.argmax, "argmin": np.argmin, "xor": np.bitwise_xor.reduce}[op](x, axis=axis)
        out = np.zeros(want.shape, np.int32 if op.startswith("arg") else dtype)
        tolerance = {"float32": 1e-5, "float16": 2e-2, "float64": 1e-13}.get(x.dtype.name, 0) if op == "sum" else 0
        yield Case(f"{op} of {x.dtype}, axis {axis}", "reduced", (1,), {"x": x, "out": out}, {"AXIS": axis, "OP": op, "M": 32, "N": 64},
                   {"out": want.astype(out.dtype)}, tolerance)
    for op, axis, dtype in (("sum", 0, np.int32), ("sum", 1, np.float32), ("product", 1, np.float32), ("sum", 1, np.int64)):
        x = numbers(dtype, 16, 64) if op == "sum" else numbers(dtype, 16, 64, low=0.5, high=1.5)
        want = np.cumsum(x, axis, dtype=np.float64 if x.dtype.kind == "f" else dtype) if op == "sum" else np.cumprod(x[:, ::-1].astype(np.float64), 1)[:, ::-1]
        yield Case(f"scan {op} of {x.dtype}, axis {axis}", "scanned", (1,), {"x": x, "out": x * 0}, {"AXIS": axis, "OP": op, "M": 16, "N": 64}, {"out": want},
                   1e-5 if x.dtype.kind == "f" else 0)
    for dtype, down in ((np.float32, False), (np.int32, True), (np.int64, False), (np.float16, True)):
        x = numbers(dtype, 8, 64)
        yield Case(f"sort of {x.dtype}", "sorted_rows", (1,), {"x": x, "out": x * 0}, {"M": 8, "N": 64, "DOWN": down},
                   {"out": np.sort(x, 1)[:, ::-1] if down else np.sort(x, 1)})
    for dtype in (np.float32, np.int8, np.float16, np.float64):
        x = numbers(dtype, 64, 32)
        yield Case(f"transposition of {x.dtype}", "transposed", (1,), {"x": x, "out": np.zeros((32, 64), dtype)}, {"M": 64, "N": 32}, {"out": x.T.copy()})
    x = numbers(np.int32, 16, 64)
    c = np.stack([x[:, 1::2], x[:, ::2]], 2).reshape(16, 64)
    want = c.reshape(16, 16, 4).transpose(2, 0, 1).reshape(64, 16)[:, ::-1].copy()
    yield Case("rearrangement", "rearranged", (1,), {"x": x, "out": want * 0}, {"M": 16, "N": 64}, {"out": want})


# ---- products of matrices -------------------------------------------------------------------------

def values_of(array):
    return (array.values if isinstance(array, Small) else array).astype(np.float64)


def dot_case(name, a, b, out, precision="ieee", tolerance=1e-5, warps=4, **options):
    (m, k), n = values_of(a).shape, values_of(b).shape[1]
    return Case(f"dot {name}, {m}x{n}x{k}", "dot", (1,), {"a": a, "b": b, "out": out}, {"M": m, "N": n, "K": k, "PRECISION": precision},
                {"out": values_of(a) @ values_of(b)}, tolerance, warps, options)


def dot_cases(chip):
    sizes = ((16, 16, 32, 1), (32, 32, 32, 1), (64, 64, 64, 4), (128, 64, 32, 8), (16, 64, 64, 4))
    for m, n, k, warps in sizes:
        a, b, out = small_numbers(np.float16, m, k), small_numbers(np.float16, k, n, seed=1), np.zeros((m, n), np.float32)
        yield dot_case("f16", a, b, out, warps=warps)
        yield dot_case("bf16", bf16(a), bf16(b), out, warps=warps)
        yield dot_case("i8", a.astype(np.int8), b.astype(np.int8), out.astype(np.int32), warps=warps, tolerance=0)
        yield dot_case("f32", a.astype(np.float32), b.astype(np.float32), out, warps=warps)
    a, b, out = small_numbers(np.float16, 64, 32), small_numbers(np.float16, 32, 64, seed=1), np.zeros((64, 64), np.float32)
    if chip != "gfx942":  # Triton 3.6.0 has no dot of f64 there
        yield dot_case("f64", a.astype(np.float64), b.astype(np.float64), out.astype(np.float64), tolerance=1e-12)
    if chip == "gfx942":
        yield dot_case("xf32", a.astype(np.float32), b.astype(np.float32), out, "tf32")
    if chip.startswith("gfx9"):
        yield dot_case("f16, 16x16 instructions", a, b, out, matrix_instr_nonkdim=16)
        yield dot_case("f16, 32x32 instructions, kpack 2", a, b, out, matrix_instr_nonkdim=32, kpack=1 if chip == "gfx950" else 2)
        yield dot_case("i8, 16x16 instructions", a.astype(np.int8), b.astype(np.int8), out.astype(np.int32), matrix_instr_nonkdim=16, tolerance=0)
        yield dot_case("f32, 16x16 instructions", a.astype(np.float32), b.astype(np.float32), out, matrix_instr_nonkdim=16)
    a, b = (small_numbers(np.float32, 64, 64, seed=s) for s in (0, 1))
    for p in FP8.get(chip, ()):
        for q in FP8[chip]:
            yield dot_case(f"{p} by {q}", fp8(p, a), fp8(q, b), np.zeros((64, 64), np.float32))
    if chip.startswith("gfx9") and chip in FP8:
        p = FP8[chip][0]
        yield dot_case(f"{p}, 16x16 instructions", fp8(p, a), fp8(p, b), np.zeros((64, 64), np.float32), matrix_instr_nonkdim=16)


def matmul_cases(chip):
    m, n, k = 100, 90, 130
    a, b = small_numbers(np.float16, m, k), small_numbers(np.float16, k, n, seed=1)
    want = a.astype(np.float64) @ b.astype(np.float64)
    for name, left, right, stages, warps in (("row, row", a, b, 2, 4), ("row, column", a, b.T.copy().T, 2, 4), ("column, row", a.T.copy().T, b, 3, 8)):
        strides = [s // 2 for s in (*left.strides, *right.strides)]
        arguments = {"a": left.ravel("K"), "b": right.ravel("K"), "out": np.zeros((m, n), np.float16), "M": m, "N": n, "K": k,
                     **dict(zip(("sam", "sak", "sbk", "sbn"), strides))}
        yield Case(f"matmul, {name}, {stages} stages", "matmul", (2, 2), arguments, {"BM": 64, "BN": 64, "BK": 32}, {"out": want}, 2e-3, warps, {"num_stages": stages})
    q, k, v = (numbers(np.float16, 100, 64, seed=s, low=-1, high=1) for s in (0, 1, 2))
    s = q.astype(np.float64) @ k.astype(np.float64).T * 0.125
    s = np.where(np.tril(np.ones((100, 100), bool)), s, -np.inf)
    p = np.exp2(s - s.max(1, keepdims=True))
    want = p / p.sum(1, keepdims=True) @ v.astype(np.float64)
    yield Case("attention", "attention", (2,), {"q": q, "k": k, "v": v, "out": np.zeros((100, 64), np.float32), "length": 100, "scale": 0.125},
               {"BM": 64, "BN": 32, "D": 64}, {"out": want}, 3e-3)
    yield from scaled_cases(chip)


FP4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])


def scaled_cases(chip):
    if chip != "gfx950":  # the others multiply in bf16 or not at all
        return
    m, n, k, random = 64, 64, 128, np.random.default_rng(9)
    scales = [random.integers(125, 130, (size, k // 32)).astype(np.uint8) for size in (m, n)]
    grown = [np.repeat(np.exp2(s.astype(np.float64) - 127), 32, 1) for s in scales]
    for kinds in (("e4m3", "e4m3"), ("e5m2", "e4m3"), ("e2m1", "e2m1"), ("e2m1", "e4m3")):
        raw, values = [], []
        for kind, shape in zip(kinds, ((m, k), (k, n))):
            along = len(raw) ^ 1
            if kind == "e2m1":
                codes = random.integers(0, 16, shape).astype(np.uint8)
                low, high = (codes[:, ::2], codes[:, 1::2]) if along else (codes[::2], codes[1::2])
                raw.append(low | high << 4)
                values.append(FP4[codes])
            else:
                code = fp8({"e4m3": "e4nv", "e5m2": "e5"}[kind], random.integers(-4, 5, shape))
                raw.append(code.bits)
                values.append(code.values)
        want = (values[0] * grown[0]) @ (values[1] * grown[1].T)
        yield Case(f"scaled dot {kinds[0]} by {kinds[1]}", "scaled_dot", (1,), {"a": raw[0], "sa": scales[0], "b": raw[1], "sb": scales[1],
                   "out": np.zeros((m, n), np.float32)}, {"M": m, "N": n, "K": k, "FA": kinds[0], "FB": kinds[1]}, {"out": want}, 1e-3)


def cases(chip):
    return [*element_cases(), *cast_cases(chip), *function_cases(), *memory_cases(), *atomic_cases(chip), *tensor_cases(), *dot_cases(chip), *matmul_cases(chip)]
