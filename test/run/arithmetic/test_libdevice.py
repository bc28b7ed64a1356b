"""Every function and overload of libdevice against another way to compute it (libdevice_reference.py).

The table that the frontend reads says which functions there are, so that a new one without a reference fails here. One
generated kernel calls several functions that take the same types, one function per program along the grid's second axis.
A GPU runs NVIDIA's own functions, whose bounds are in libdevice_nvidia.py.
"""
import functools
import os
import re

import numpy as np
import pytest

import libdevice_nvidia as nvidia
import libdevice_reference as reference
from launch import ROOT, assert_same_bits, bits, is_amd

TABLE = os.path.join(ROOT, "lib", "SourceToTTIR", "Builtins", "Libdevice.def")
STORAGE = {"I32": np.int32, "I64": np.int64, "U32": np.uint32, "U64": np.uint64, "F32": np.float32, "F64": np.float64}
POINTER = {"I32": "*i32", "I64": "*i64", "U32": "*u32", "U64": "*u64", "F32": "*fp32", "F64": "*fp64"}
N, BLOCK = 700, 256
TOGETHER = 16  # functions in one kernel
# The emulator of PTX rounds to nearest only, makes 0 of NaN, and knows neither jump tables nor calls nor a few instructions.
EMULATED_TOGETHER = 2
NOT_EMULATED = re.compile(r"\w+_r[zdu]|(float2|double2)u?ll_rn|double2u?int_rn|ll(rint|round)f?|rcp64h|fmodf|remainderf?|u?(mul24|sad)|"
                          r"(sin|cos|tan)(f|pi)?|[jy][01n]f?|normcdf|[lt]gamma|pow|round")


class Overload:
    def __init__(self, name, symbol, result, parameters):
        self.name, self.symbol, self.result, self.parameters = name, symbol, result, parameters

    @property
    def short(self):
        return self.symbol.removeprefix("__nv_")

    @property
    def base(self):
        """The name that f32 and f64 share."""
        short = self.short
        known = short in reference.VALUES or not short.endswith("f") or short.removesuffix("f") not in reference.VALUES
        return short if known else short.removesuffix("f")


def read_table():
    overloads = []
    with open(TABLE) as table:
        for line in table:
            if not line.startswith(("FUNCTION(", "TEST(")):
                continue
            name = re.match(r"\w+\((\w+)", line)[1]
            for symbol, result, parameters in re.findall(r'\{"(\w+)", (\w+), \{([^}]*)\}\}', line):
                overloads.append(Overload(name, symbol, result, tuple(parameters.split(", "))))
    return sorted(overloads, key=lambda overload: overload.parameters)  # neighbours share a kernel


OVERLOADS = read_table()


@functools.cache
def arguments(parameters):
    """N values for each parameter: specials, every size there is, and mostly sizes that functions are used with."""
    rng = np.random.default_rng(len(parameters))
    arrays = []
    for place, kind in enumerate(parameters):
        storage = STORAGE[kind]
        if kind[0] == "F":
            tiny, huge = np.finfo(storage).smallest_subnormal, np.finfo(storage).max
            normal = np.finfo(storage).tiny
            specials = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, -0.5, 1.5, 2.0, 2.5, -2.5, 3.0, 1e3, tiny, -tiny,
                        normal, -normal, huge, -huge, 0.25, 0.75, 1.25, 8.0, 9.0, 10.0, -10.0, 88.0, -88.0, 700.0, 2**31]
            usual = rng.normal(0, 1, N) * 2.0 ** rng.integers(-4, 5, N)
            every = rng.integers(0, 1 << 8 * np.dtype(storage).itemsize, N, f"u{np.dtype(storage).itemsize}").view(storage)
            values = np.where(rng.random(N) < 0.25, every, usual.astype(storage))
            unit = rng.random(N) < 0.3  # probabilities
            values = np.where(unit, rng.random(N).astype(storage) ** rng.integers(1, 9, N).astype(storage), values)
        else:
            info = np.iinfo(storage)
            specials = [0, 1, 2, 3, 5, info.max, info.min, info.max - 1, info.min + 1, 255, 256, info.max // 2]
            values = rng.integers(info.min, info.max, N, storage, endpoint=True)
            values = values >> rng.integers(0, info.bits - 1, N).astype(storage)
            if any(kind[0] == "F" for kind in parameters):  # orders and exponents: libm counts up to an order
                specials, values = [0, 1, 2, 3, -1, -2, 31], values % 40 - 8
        specials = np.array(specials, dtype=storage)
        # Pairs of specials meet one another.
        values[:specials.size] = np.roll(specials, place * 5)
        if len(parameters) > 1:
            values[specials.size:4 * specials.size] = np.tile(np.roll(specials, place * 7 + 3), 3)
        arrays.append(values.astype(storage))
    return arrays


def is_emulated(device, overload):
    return device != "emulated" or is_amd(device) or not NOT_EMULATED.fullmatch(overload.short)


@pytest.fixture(scope="module")
def known():
    """(device, symbol) -> (arguments, results)."""
    return {}


@pytest.fixture
def results(run, device, known):
    """overload -> (arguments, results); a kernel is launched when one of its functions is first asked for."""
    def of(overload):
        if (device, overload.symbol) not in known:
            group = [other for other in OVERLOADS if other.parameters == overload.parameters
                     and is_emulated(device, other)]
            together = 1 if is_amd(device) else EMULATED_TOGETHER if device == "emulated" else TOGETHER
            first = group.index(overload) // together * together
            for symbol, result in launch_group(run, group[first:first + together]).items():
                known[device, symbol] = result
        return known[device, overload.symbol]
    return of


def launch_group(run, group):
    parameters = group[0].parameters
    names = [f"{chr(ord('a') + i)}_ptr" for i in range(len(parameters))]
    kinds = sorted({overload.result for overload in group})
    lines = ["import triton", "import triton.language as tl", "from triton.language.extra import libdevice", "", "@triton.jit",
             f"def kernel({', '.join(names)}, {', '.join(f'{kind}_ptr' for kind in kinds)}, n, BLOCK: tl.constexpr):",
             "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)", "    at = tl.program_id(1) * n + i",
             *(f"    {name[0]} = tl.load({name} + i, mask=i < n)" for name in names)]
    for index, overload in enumerate(group):
        call = f"libdevice.{overload.name}({', '.join(name[0] for name in names)})"
        lines += [f"    if tl.program_id(1) == {index}:",
                  f"        tl.store({overload.result}_ptr + at, {call}, mask=i < n)"]
    values = arguments(parameters)
    signature = ",".join([*(POINTER[kind] for kind in parameters), *(POINTER[kind] for kind in kinds), "i32", str(BLOCK)])
    outputs = {f"{kind}_ptr": np.zeros(N * len(group), STORAGE[kind]) for kind in kinds}
    after = run("\n".join(lines) + "\n", "kernel", signature, (-(-N // BLOCK), len(group)),
                {**dict(zip(names, values)), **outputs, "n": N}, (1, 2))
    return {overload.symbol: (values, after[f"{overload.result}_ptr"][index * N:(index + 1) * N])
            for index, overload in enumerate(group)}


def compare(overload, actual, expected, ulps, absolute=0, scale=0):
    """(which are right, errors in ulps). `expected` is long double: infinite where the type has no number."""
    storage = STORAGE[overload.result]
    info = np.finfo(storage)
    with np.errstate(all="ignore"):
        limit = np.longdouble(info.max) * (1 + np.longdouble(info.eps) / 4)
        expected = np.where(np.abs(expected) >= limit, np.copysign(np.longdouble(np.inf), expected), expected)
        exponent = np.frexp(np.where(np.isfinite(expected), expected, np.longdouble(1)))[1] - 1
        spacing = np.ldexp(np.longdouble(1), np.maximum(exponent, info.minexp) - info.nmant)
        spacing = np.maximum(spacing, scale * np.longdouble(info.eps))
        difference = np.abs(actual.astype(np.longdouble) - expected)
        error = difference / spacing
        fine = (error <= ulps) | (difference <= absolute) | np.isinf(absolute) | (actual == expected) | (np.isnan(actual) & np.isnan(expected))
        # The largest numbers may be rounded over the edge.
        edge = np.abs(expected) >= np.longdouble(info.max) * (1 - 4 * ulps * np.longdouble(info.eps))
        fine |= edge & (np.abs(actual) >= info.max * (1 - 4 * ulps * info.eps)) & (np.sign(actual) == np.sign(expected))
    # A zero's sign is part of an exact result.
    fine &= ~((np.asarray(ulps) <= 0.5) & (expected == 0) & (actual == 0) & (np.signbit(actual) != np.signbit(expected)))
    return fine, error


def assert_all(fine, overload, inputs, actual, expected, error, ulps):
    at = np.flatnonzero(~fine)
    allowed = np.broadcast_to(ulps, fine.shape)
    lines = [f"  {overload.name}({', '.join(repr(array[i]) for array in inputs)}) gave {actual[i]!r}, expected {expected[i]!r}: "
             f"{error[i]:.1f} ulp, not {allowed[i]:.4g}" for i in at[:8]]
    assert at.size == 0, f"{overload.symbol}: {at.size} of {N} are too far off\n" + "\n".join(lines)


def expected_integers(overload, inputs):
    function = reference.INTEGERS[overload.short]
    bits = np.iinfo(STORAGE[overload.result]).bits
    rows = [function(*row) & (1 << bits) - 1 for row in zip(*(array.tolist() for array in inputs))]
    return np.array(rows, f"u{bits // 8}").view(STORAGE[overload.result])


def expected_conversion(overload, inputs):
    """float2uint_rz, ll2double_ru, double2float_rd; None for other names."""
    match = re.fullmatch(r"(float|double|int|uint|ll|ull)2(float|double|int|uint|ll|ull)_(r.)", overload.short)
    if not match:
        return None
    types = {"float": np.float32, "double": np.float64, "int": np.int32, "uint": np.uint32, "ll": np.int64, "ull": np.uint64}
    source, target = types[match[1]], types[match[2]]
    if match[1] == "double" and match[2] == "float":
        return reference.rounded("narrow", np.float32, match[3], inputs[0])
    if np.dtype(source).kind == "f":
        wide = source is np.float64 or np.iinfo(target).bits == 64
        return reference.float_to_int(inputs[0], target, match[3], wide).view(STORAGE[overload.result])
    return reference.int_to_float(inputs[0], target, match[3])


def expected_rounding(overload, inputs):
    """fadd_rz, ddiv_ru, fmaf_rd; None for other names."""
    match = re.fullmatch(r"(?:([fd])(add|sub|mul|div|sqrt|rcp)|(fma)(f?))_(r.)", overload.short)
    if not match:
        return None
    storage = np.float32 if match[1] == "f" or match[4] else np.float64
    return reference.rounded(match[2] or match[3], storage, match[5], *inputs)


def expected_bits(overload, inputs):
    """Results that are right to the last bit; None where an error is allowed."""
    short = overload.short
    if short in reference.INTEGERS:
        return expected_integers(overload, inputs)
    if short in reference.TESTS:
        return reference.TESTS[short](inputs[0]).astype(np.int32)
    if short in reference.REINTERPRETATIONS:
        return inputs[0].view(reference.REINTERPRETATIONS[short])
    if short == "hiloint2double":
        return (inputs[0].astype(np.int64) << 32 | inputs[1].astype(np.int64) & 0xFFFFFFFF).view(np.float64)
    if short in ("double2hiint", "double2loint"):
        return (inputs[0].view(np.int64) >> (32 if short == "double2hiint" else 0)).astype(np.int32)
    if short in ("llrint", "llrintf", "llround", "llroundf"):
        return reference.float_to_int(inputs[0], np.int64, "rn" if "rint" in short else "away", True)
    if short in ("nextafter", "nextafterf"):
        return np.nextafter(*inputs)
    if short in ("fma", "fmaf"):
        return reference.rounded("fma", STORAGE[overload.result], "rn", *inputs)
    if short in ("ilogb", "ilogbf"):
        return reference.ilogb(inputs[0])
    conversion = expected_conversion(overload, inputs)
    return conversion if conversion is not None else expected_rounding(overload, inputs)


def check_reciprocal(inputs, actual):
    """rcp64h: the high half of an approximation."""
    assert not np.any(actual.view(np.int64) & 0xFFFFFFFF)
    with np.errstate(all="ignore"):
        usual = np.isfinite(1 / inputs[0]) & (np.abs(1 / inputs[0]) > 1e-300)
        assert np.all(np.abs(actual * inputs[0] - 1)[usual] < 2.0**-19)


def widened(inputs):
    return [array.astype(np.longdouble) if array.dtype.kind == "f" else array for array in inputs]


def check_on_cpu(overload, inputs, actual):
    exact = expected_bits(overload, inputs)
    if exact is not None:
        return assert_same_bits(actual, exact, overload.symbol)
    with np.errstate(all="ignore"):
        wide = widened(inputs)
        expected = reference.VALUES[overload.base](*wide)
        ulps = reference.ULPS.get(overload.base, (4, 4))[overload.result == "F64"]
        if overload.short == "fast_powf":  # log2's rounding, magnified by the exponent
            ulps = 2 + 2 * np.nan_to_num(np.abs(wide[1] * np.log2(wide[0])), nan=0, posinf=0)
            ulps = float(np.max(np.minimum(ulps, 400)))
    fine, error = compare(overload, actual, expected, ulps, scale=reference.SCALES.get(overload.base, 0))
    return assert_all(fine, overload, inputs, actual, expected, error, ulps)


def check_bits_on_gpu(overload, inputs, actual, expected):
    """As on the CPU, but for numbers that may count as zero."""
    assert actual.dtype == expected.dtype
    right = [expected]
    if nvidia.flushes(overload.short, overload.parameters):
        zeros = [nvidia.flush(array) for array in inputs]
        flushed = nvidia.next_after(*zeros) if overload.short == "nextafterf" else expected_bits(overload, zeros)
        right += [flushed, nvidia.flush(expected), nvidia.flush(flushed)]
    fine = np.any([bits(actual) == bits(array) for array in right], axis=0)
    if actual.dtype.kind == "f":
        fine |= np.isnan(actual) & np.isnan(expected)
    error = np.full(fine.shape, np.nan)
    if actual.dtype.kind == "f":
        error = compare(overload, actual, expected.astype(np.longdouble), 0)[1]
    return assert_all(fine, overload, inputs, actual, expected, error, 0)


def check_on_gpu(overload, inputs, actual, bound=nvidia.bound):
    exact = expected_bits(overload, inputs)
    if exact is not None:
        return check_bits_on_gpu(overload, inputs, actual, exact)
    flushes, double = nvidia.flushes(overload.short, overload.parameters), overload.result == "F64"
    rounds = []
    for arguments_here in [inputs] + [[nvidia.flush(array) for array in inputs]] * flushes:
        with np.errstate(all="ignore"):
            wide = widened(arguments_here)
            expected = nvidia.value(overload.base, *wide)
            ulps, absolute = bound(overload.short, overload.base, double, wide, expected)
            fine, error = compare(overload, actual, expected, ulps, absolute)
            fine |= np.isinf(absolute) & ~np.isnan(expected)  # nothing is promised
            if flushes or overload.base == "powi":  # of a reciprocal that overflowed
                info = np.finfo(STORAGE[overload.result])
                fine |= (actual == 0) & (np.abs(expected) < info.tiny * (1 + ulps * info.eps))
        rounds.append((fine, expected, error, ulps))
    _, expected, error, ulps = rounds[0]
    return assert_all(np.any([fine for fine, *_ in rounds], axis=0), overload, inputs, actual, expected, error, ulps)


@pytest.mark.parametrize("overload", OVERLOADS, ids=lambda overload: overload.short)
def test_function(results, overload, device):
    if not is_emulated(device, overload):
        pytest.skip("the emulator does not know all of it")
    inputs, actual = results(overload)
    if overload.short == "rcp64h":
        return check_reciprocal(inputs, actual)
    if device == "cpu":
        return check_on_cpu(overload, inputs, actual)
    return check_on_gpu(overload, inputs, actual, nvidia.bound_on_amd if is_amd(device) else nvidia.bound)


# On AMD's chips these are computed inline. With exact exponentials and reciprocals the largest errors are 1.27 and 1.5 ulps.
@pytest.mark.parametrize("function, bound", [("erf", 1.3), ("tanh", 1.6)])
def test_inline_functions_over_the_whole_range(run, device, function, bound):
    """Patterns of all of fp32, NaN and infinities among them; densely where the two parts of the function meet."""
    if not is_amd(device):
        pytest.skip("other devices have functions of their own")
    dense = np.concatenate([np.linspace(0.6, 1.0, 16384, dtype=np.float32), np.linspace(1.0, 10.0, 16384, dtype=np.float32)])
    x = np.concatenate([np.arange(0, 2**32, 65521, dtype=np.uint32).view(np.float32), dense, -dense,
                        np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1.1754944e-38], np.float32)])
    source = f"""import triton
import triton.language as tl
from triton.language.extra import libdevice

@triton.jit
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, libdevice.{function}(tl.load(x_ptr + i, mask=i < n)), mask=i < n)
"""
    block = 8192
    out = run(source, "kernel", f"*fp32,*fp32,i32,{block}", (-(-x.size // block),), {"x_ptr": x, "out_ptr": np.zeros_like(x), "n": x.size})["out_ptr"]
    with np.errstate(all="ignore"):
        exact = reference.VALUES[function](x.astype(np.longdouble))
    assert np.array_equal(np.isnan(out), np.isnan(x))
    assert np.all((np.signbit(out) == np.signbit(x)) | np.isnan(x))
    exponent = np.frexp(np.where(np.isnan(x), 1, exact))[1] - 1
    error = np.where(np.isnan(x), 0, np.abs(out - exact) / np.ldexp(np.longdouble(1), np.maximum(exponent, -126) - 23))
    assert np.max(error) <= bound, x[np.argmax(error)]


ODD = "sin tan asin atan sinh tanh asinh atanh erf erfinv cbrt expm1 log1p".split()


@pytest.mark.parametrize("dtype", ["fp32", "fp64"])
def test_signs_of_zeros(run, device, dtype):
    """An odd function of -0 is -0."""
    lines = "\n".join(f"    tl.store(out_ptr + {2 * n} + i, libdevice.{name}(x))" for n, name in enumerate(ODD))
    source = f"""import triton
import triton.language as tl
from triton.language.extra import libdevice

@triton.jit
def kernel(x_ptr, out_ptr):
    i = tl.arange(0, 2)
    x = tl.load(x_ptr + i)
{lines}
"""
    x = np.array([-0.0, 0.0], np.float32 if dtype == "fp32" else np.float64)
    out = run(source, "kernel", f"*{dtype},*{dtype}", (1,), {"x_ptr": x, "out_ptr": np.ones(2 * len(ODD), x.dtype)})["out_ptr"]
    wrong = {name: pair for name, pair in zip(ODD, out.reshape(-1, 2)) if pair.any() or list(np.signbit(pair)) != [True, False]}
    assert not wrong


def test_all_functions_are_here():
    assert len({overload.name for overload in OVERLOADS}) == 197
