"""The same kernels under Triton 3.6.0 and under Tessera, in one process, on equal inputs: equal bits where both promise them.

both_kernels.py is imported twice, once with `triton` and once with `tessera` as what it calls triton. On "cuda" both run on the
GPU. On "cpu" Tessera's CPU target runs against Triton's interpreter, which shows that the tests are right, and that a kernel
means the same everywhere; what the interpreter does its own way is listed. NaN equals NaN, whatever its bits.
"""
import contextlib
import importlib.util
import math
import os
import re
import subprocess
import sys

import pytest
from conftest import ROOT, child_environment, module_or_skip, why_no_gpu
from places import HERE

EXAMPLES = os.path.join(ROOT, "examples")

# Where the interpreter computes something else than a GPU, by the names of tests.
INTERPRETER_DIFFERS = {
    r"test_float_extrema": "it takes NaN for the larger and for the smaller one",
    r"test_(float_\w+|products_of_small_integers)\[.*bfloat16.*": "it computes with the bits of a bfloat16",
    r"test_correctly_rounded\[.*fma": "it rounds the product of an fma",
    r"test_rounding_modes|test_conversions\[.*(bfloat16|float16).*": "it rounds subnormal numbers its own way",
    r"test_conversions_from_8_bits": "it knows no NaN and no infinity of 8 bits",
    r"test_high_products\[.*-int": "it takes the high half of the signed product",
    r"test_integer_functions\[.*(invert-uint|uint.*-invert)": "it inverts unsigned numbers by adding -1",
    r"test_lock": "it runs one program after another; nothing waits",
}


class Side:
    """One compiler: its package, and the kernels as it sees them."""

    def __init__(self, package, folder):
        self.name = package
        self.package = importlib.import_module(package)
        self.tl = importlib.import_module(package + ".language")
        self.TensorDescriptor = importlib.import_module(package + ".tools.tensor_descriptor").TensorDescriptor
        with open(os.path.join(HERE, "both_kernels.py"), encoding="utf-8") as file:
            text = file.read()
        for old, new in (("import triton\n", f"import {package} as triton\n"),
                         ("import triton.language as tl\n", f"import {package}.language as tl\n")):
            assert text.count(old) == 1
            text = text.replace(old, new)
        path = folder / f"both_kernels_{package}.py"
        path.write_text(text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        self.kernels = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = self.kernels
        spec.loader.exec_module(self.kernels)


class Both:
    """Runs a kernel on both sides. Arguments are tensors, numbers, and functions of the side where the two need their own."""

    def __init__(self, sides, device, torch):
        self.sides, self.device, self.torch = sides, device, torch

    def _place(self, side, value, tensors):
        torch = self.torch
        if isinstance(value, torch.Tensor):
            copy = torch.empty_like(value, device=self.device)
            copy.copy_(value)
            tensors.append(copy)
            return copy
        if isinstance(value, tuple):
            placed = [self._place(side, each, tensors) for each in value]
            return type(value)(*placed) if hasattr(value, "_fields") else tuple(placed)
        if callable(value):
            made = value(side)
            return self._place(side, made, tensors) if isinstance(made, (torch.Tensor, tuple)) else made
        return value

    def outputs(self, kernel, grid, *arguments, descriptors=(), **options):
        """For each side the tensors among the arguments, on the host, after the launch. `descriptors` are positions of tensors
        that are passed as host descriptors: {position: block shape}."""
        found = []
        for side in self.sides:
            tensors = []
            placed = [self._place(side, value, tensors) for value in arguments]
            for position, shape in dict(descriptors).items():
                placed[position] = side.TensorDescriptor.from_tensor(placed[position], shape)
            named = {name: self._place(side, value, tensors) for name, value in options.items()}
            getattr(side.kernels, kernel)[grid](*placed, **named)
            found.append([tensor.cpu() for tensor in tensors])
        return found

    def same(self, kernel, grid, *arguments, zeros_equal=False, ulps=0, descriptors=(), **options):
        """Fails unless both leave the same in every tensor."""
        outputs = self.outputs(kernel, grid, *arguments, descriptors=descriptors, **options)
        for position, (theirs, mine) in enumerate(zip(*outputs)):
            assert_same(self.torch, theirs, mine, f"{kernel}, tensor {position}", zeros_equal, ulps)


def bits(torch, tensor):
    width = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[tensor.element_size()]
    return tensor.contiguous().view(width)


def assert_same(torch, theirs, mine, what, zeros_equal, ulps):
    left, right = bits(torch, theirs), bits(torch, mine)
    wrong = left != right
    if theirs.dtype.is_floating_point:
        a, b = theirs.to(torch.float64), mine.to(torch.float64)
        wrong &= ~(a.isnan() & b.isnan())
        if zeros_equal:
            wrong &= ~((a == 0) & (b == 0))
        if ulps:
            wrong &= ~((a - b).abs() <= ulps * 2.0 ** -23 * torch.maximum(a.abs(), torch.full_like(a, 2.0 ** -20)))
    if wrong.any():
        where = wrong.nonzero()[0].tolist()
        index = tuple(where)
        pytest.fail(f"{what}: {int(wrong.sum())} of {wrong.numel()} differ, first at {where}: Triton has {theirs[index].item()} "
                    f"({int(left[index]):#x}), Tessera {mine[index].item()} ({int(right[index]):#x})", pytrace=False)


@contextlib.contextmanager
def interpreting(is_wanted):
    """TRITON_INTERPRET decides when a function is decorated; Tessera, which knows the variable too, shall not see it."""
    if is_wanted:
        os.environ["TRITON_INTERPRET"] = "1"
    try:
        yield
    finally:
        os.environ.pop("TRITON_INTERPRET", None)


def import_interpreter():
    """Imports Triton so that the functions of its language, too, are interpreted: they are decorated on import."""
    if why_no_gpu() is None:
        pytest.skip("there is a GPU to compare on")
    if tuple(map(int, module_or_skip("numpy").__version__.split(".")[:2])) >= (2, 4):
        pytest.skip("Triton's interpreter does not work with this NumPy")
    if importlib.util.find_spec("triton") is None:
        pytest.skip("no triton in this Python")
    if "triton" not in sys.modules:
        with interpreting(True):
            importlib.import_module("triton.language")
            importlib.import_module("triton.experimental.gluon")  # which the first launch imports
    elif not type(sys.modules["triton"].language.sum).__name__.startswith("Interpreted"):
        pytest.skip("Triton was imported before, and not for its interpreter")


@pytest.fixture(scope="module")
def sides_of(tmp_path_factory):
    made = {}

    def get(device):
        if device not in made:
            if device == "cpu":
                import_interpreter()
            triton = module_or_skip("triton")
            if not triton.__version__.startswith("3.6."):
                pytest.skip(f"Triton {triton.__version__} is not 3.6")
            folder = tmp_path_factory.mktemp(device)
            with interpreting(device == "cpu"):
                theirs = Side("triton", folder)
            made[device] = [theirs, Side("tessera", folder)]
        return made[device]

    return get


LOST = []  # the test that ended the GPU's context, which nothing in this process can use any more


@pytest.fixture
def both(request, device, torch, sides_of):
    if LOST:
        pytest.skip(f"the GPU's context ended in {LOST[0]}")
    if device == "cpu":
        for pattern, why in INTERPRETER_DIFFERS.items():
            if re.match(pattern, request.node.name):
                pytest.skip(f"Triton's interpreter: {why}")
    yield Both(sides_of(device), device, torch)
    if device == "cuda":
        try:
            torch.cuda.synchronize()
        except RuntimeError:
            LOST.append(request.node.name)
            raise


# ---- values ---------------------------------------------------------------------------------------

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
WIDTH = {"int8": 8, "uint8": 8, "int16": 16, "uint16": 16, "int32": 32, "uint32": 32, "int64": 64, "uint64": 64, "float16": 16,
         "bfloat16": 16, "float32": 32, "float64": 64, "float8_e5m2": 8, "float8_e4m3fn": 8}
BLOCK = 128


def random_bits(torch, dtype, n, seed):
    """Any bits, so any value of the type."""
    generator = torch.Generator().manual_seed(seed)
    raw = torch.randint(0, 256, (n * WIDTH[dtype] // 8,), dtype=torch.uint8, generator=generator)
    return raw.view(getattr(torch, dtype))


def integers(torch, dtype, n, seed):
    """The edges of the type, small numbers, and any others."""
    values = random_bits(torch, dtype, n, seed)
    width, is_signed = WIDTH[dtype], dtype.startswith("int")
    edges = [0, 1, 2, 3, 2 ** (width - 1) - 1]
    edges += [-1, -2, -2 ** (width - 1)] if is_signed else [2 ** width - 1, 2 ** width - 2, 2 ** (width - 1)]
    pairs = [edge for edge in edges for _ in range(len(edges))]  # so that every edge meets every other in `rolled`
    signed = [value - 2 ** 64 if value >= 2 ** 63 else value for value in pairs]
    values[:len(pairs)] = torch.tensor(signed, dtype=torch.int64).to(getattr(torch, "int%d" % width)).view(values.dtype)
    return values


def rolled(torch, values, edges=8):
    """The same values in another order: the first edges * edges so that all pairs of edges occur."""
    raw = bits(torch, values)  # torch does not turn unsigned integers round
    head = raw[:edges * edges].reshape(edges, edges).T.reshape(-1)
    return torch.cat([head, raw[edges * edges:].flip(0)]).view(values.dtype)


def floats(torch, dtype, n, seed, scale=4.0):
    """Ordinary numbers, zeros of both signs, infinities, subnormal numbers, any bits."""
    generator = torch.Generator().manual_seed(seed)
    values = (torch.randn(n, generator=generator, dtype=torch.float64) * scale).to(getattr(torch, dtype))
    special = torch.tensor([0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 1e-40], dtype=torch.float64)
    values[:64] = special.repeat_interleave(8).to(values.dtype)
    values[n // 2:] = random_bits(torch, dtype, n - n // 2, seed + 1)
    return values


def grid_for(tensor):
    return (-(-tensor.numel() // BLOCK),)


# ---- integers -------------------------------------------------------------------------------------

@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("op", ["add", "sub", "mul", "and", "or", "xor", "minimum", "maximum", "where"])
def test_integer_arithmetic(both, torch, dtype, op):
    x = integers(torch, dtype, 1000, 1)
    both.same("binary", grid_for(x), x, rolled(torch, x), torch.zeros_like(x), 1000, OP=op, BLOCK=BLOCK)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("op", ["floordiv", "mod", "cdiv"])
def test_integer_division(both, torch, dtype, op):
    x = integers(torch, dtype, 1000, 2)
    y = rolled(torch, x)
    signed = y.view(getattr(torch, "int%d" % WIDTH[dtype])).clone()
    signed[signed == 0] = 3  # undefined
    if dtype.startswith("int"):
        signed[signed == -1] = 5  # of the smallest number: undefined
    both.same("binary", grid_for(x), x, signed.view(y.dtype), torch.zeros_like(x), 1000, OP=op, BLOCK=BLOCK)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("op", ["shl", "shr"])
def test_shifts(both, torch, dtype, op):
    x = integers(torch, dtype, 1000, 3)
    amounts = (torch.arange(1000) % WIDTH[dtype]).to(x.dtype)
    both.same("binary", grid_for(x), x, amounts, torch.zeros_like(x), 1000, OP=op, BLOCK=BLOCK)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("op", ["lt", "le", "gt", "ge", "eq", "ne"])
def test_integer_comparisons(both, torch, dtype, op):
    x = integers(torch, dtype, 1000, 4)
    both.same("binary", grid_for(x), x, rolled(torch, x), torch.zeros(1000, dtype=torch.int8), 1000, OP=op, BLOCK=BLOCK)


@pytest.mark.parametrize("left", INTEGERS)
@pytest.mark.parametrize("right", INTEGERS)
def test_integer_promotion(both, torch, left, right):
    x, y = integers(torch, left, 1000, 5), integers(torch, right, 1000, 6)
    for op in ("add", "mul", "lt", "and"):
        both.same("binary", grid_for(x), x, y, torch.zeros(1000, dtype=torch.int64), 1000, OP=op, BLOCK=BLOCK)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "uint64"])
def test_high_products(both, torch, dtype):
    x = integers(torch, dtype, 1000, 7)
    both.same("binary", grid_for(x), x, rolled(torch, x), torch.zeros_like(x), 1000, OP="umulhi", BLOCK=BLOCK)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("op", ["neg", "invert", "abs"])
def test_integer_functions(both, torch, dtype, op):
    x = integers(torch, dtype, 1000, 8)
    both.same("unary", grid_for(x), x, torch.zeros_like(x), 1000, OP=op, BLOCK=BLOCK)


# ---- floats ---------------------------------------------------------------------------------------

@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", ["add", "sub", "mul"])
def test_float_arithmetic(both, torch, dtype, op):
    x = floats(torch, dtype, 1000, 11)
    both.same("binary", grid_for(x), x, rolled(torch, x), torch.zeros_like(x), 1000, OP=op, BLOCK=BLOCK)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", ["lt", "le", "gt", "ge", "eq", "ne"])
def test_float_comparisons(both, torch, dtype, op):
    x = floats(torch, dtype, 1000, 12)
    both.same("binary", grid_for(x), x, rolled(torch, x), torch.zeros(1000, dtype=torch.int8), 1000, OP=op, BLOCK=BLOCK)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", ["minimum", "maximum", "minimum_nan", "maximum_nan"])
def test_float_extrema(both, torch, dtype, op):
    x = floats(torch, dtype, 1000, 13)
    both.same("binary", grid_for(x), x, rolled(torch, x), torch.zeros_like(x), 1000, OP=op, BLOCK=BLOCK, zeros_equal=True)


@pytest.mark.parametrize("op", ["div_rn", "fma"])
def test_correctly_rounded(both, torch, op):
    x = floats(torch, "float32", 4000, 14)
    both.same("binary", grid_for(x), x, rolled(torch, x), torch.zeros_like(x), 4000, OP=op, BLOCK=BLOCK)


@pytest.mark.parametrize("dtype, op", [("float32", "sqrt_rn"), ("float32", "floor"), ("float64", "floor"), ("float32", "ceil"),
                                       ("float64", "ceil"), *[(dtype, op) for dtype in FLOATS for op in ("neg", "abs")]])
def test_float_functions(both, torch, dtype, op):
    x = floats(torch, dtype, 1000, 15)
    if op in ("floor", "ceil"):  # Triton's are libdevice's, which take subnormal numbers for zeros
        x[(x != 0) & (x.abs() < torch.finfo(x.dtype).tiny)] = 0.5
    both.same("unary", grid_for(x), x, torch.zeros_like(x), 1000, OP=op, BLOCK=BLOCK, zeros_equal=op == "neg")


# ---- conversions ----------------------------------------------------------------------------------

TYPES = INTEGERS + FLOATS
SMALL_FLOATS = ["float8_e5m2", "float8_e4m3fn"]


def convertible(torch, source, target):
    """Values of the source that the target has a meaning for: integers from floats in range, and no NaN."""
    if source not in FLOATS:
        return integers(torch, source, 2048, 21)
    if target in FLOATS + SMALL_FLOATS:
        return floats(torch, source, 2048, 22)
    low = -2.0 ** (WIDTH[target] - 1) if target.startswith("int") else 0.0
    high = 2.0 ** (WIDTH[target] - (1 if target.startswith("int") else 0))
    if source == "float16":
        low, high = max(low, -65000.0), min(high, 65000.0)
    values = torch.linspace(low, high, 2050, dtype=torch.float64)[1:-1] * 0.99
    values[:64] = torch.linspace(0, 3.5, 64, dtype=torch.float64)
    return values.to(getattr(torch, source))


@pytest.mark.parametrize("source", TYPES)
@pytest.mark.parametrize("target", TYPES)
def test_conversions(both, torch, source, target):
    if source == target:
        pytest.skip("nothing to convert")
    x = convertible(torch, source, target)
    out = torch.zeros(x.numel(), dtype=getattr(torch, target))
    both.same("convert", grid_for(x), x, out, x.numel(), ROUNDING=None, BLOCK=BLOCK)


@pytest.mark.parametrize("small", SMALL_FLOATS)
@pytest.mark.parametrize("wide", ["float16", "bfloat16", "float32"])
def test_conversions_from_8_bits(both, torch, small, wide):
    codes = torch.arange(256, dtype=torch.uint8)
    if (small, wide) == ("float8_e5m2", "bfloat16"):  # Triton makes 65536 and more of infinity and NaN
        codes = codes[codes & 0x7F < 0x7C]
    x = codes.view(getattr(torch, small))
    out = torch.zeros(x.numel(), dtype=getattr(torch, wide))
    both.same("convert", grid_for(x), x, out, x.numel(), ROUNDING=None, BLOCK=BLOCK)


@pytest.mark.parametrize("small", SMALL_FLOATS)
@pytest.mark.parametrize("wide", ["float16", "bfloat16", "float32"])
def test_conversions_to_8_bits(both, torch, device, small, wide):
    if device == "cpu":
        pytest.skip("Triton's interpreter: it converts to 8 bits its own way")
    x = floats(torch, wide, 4096, 23, scale=100.0)
    x = x[~x.isnan()]
    out = torch.zeros(x.numel(), dtype=getattr(torch, small))
    both.same("convert", grid_for(x), x, out, x.numel(), ROUNDING=None, BLOCK=BLOCK)


@pytest.mark.parametrize("rounding", ["rtne", "rtz"])
@pytest.mark.parametrize("target", ["float16", "bfloat16"])
def test_rounding_modes(both, torch, target, rounding):
    x = floats(torch, "float32", 4096, 24)
    x = x[~x.isnan()]
    out = torch.zeros(x.numel(), dtype=getattr(torch, target))
    both.same("convert", grid_for(x), x, out, x.numel(), ROUNDING=rounding, BLOCK=BLOCK)


# ---- memory ---------------------------------------------------------------------------------------

@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "float16", "float32"])
@pytest.mark.parametrize("stride", [1, 3])
@pytest.mark.parametrize("num_warps", [1, 4, 8])
def test_masks(both, torch, dtype, stride, num_warps):
    x = torch.arange(3000).to(getattr(torch, dtype))
    both.same("masked", (8,), x, torch.full((1024,), 7, dtype=x.dtype), 999, -1, STRIDE=stride, BLOCK=BLOCK, num_warps=num_warps)


@pytest.mark.parametrize("op", ["add", "max", "min", "and", "or", "xor"])
@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "uint64"])
def test_integer_atomics(both, torch, dtype, op):
    x = integers(torch, dtype, 5000, 31)
    index = (torch.arange(5000) * 7919 % 13).to(torch.int32)
    start = integers(torch, dtype, 64, 32)
    both.same("atomics", (40,), start, x, index, 5000, OP=op, BLOCK=BLOCK)


def test_lock(both, torch):
    both.same("lock_and_count", (64,), torch.zeros(1, dtype=torch.int32), torch.zeros(1, dtype=torch.int32))


# ---- reductions, scans, order ---------------------------------------------------------------------

@pytest.mark.parametrize("num_warps", [1, 4, 8])
@pytest.mark.parametrize("op", ["sum", "max", "min", "xor"])
@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint16", "uint32"])
def test_integer_reductions(both, torch, dtype, op, num_warps):
    x = integers(torch, dtype, 16 * 64, 41)
    out = torch.zeros(16, dtype=torch.int64)
    both.same("reduce_rows", (1,), x, out, out.to(torch.int32), OP=op, ROWS=16, COLUMNS=64, num_warps=num_warps)


@pytest.mark.parametrize("num_warps", [1, 4, 8])
@pytest.mark.parametrize("op", ["max", "min", "max_with_index", "min_with_index", "argmax"])
@pytest.mark.parametrize("dtype", ["float32", "float16", "int32"])
def test_extrema_with_ties(both, torch, dtype, op, num_warps):
    x = (torch.arange(16 * 64) * 7919 % 11 - 5).to(getattr(torch, dtype))
    out = torch.zeros(16, dtype=torch.float32)
    both.same("reduce_rows", (1,), x, out, out.to(torch.int32), OP=op, ROWS=16, COLUMNS=64, num_warps=num_warps)


@pytest.mark.parametrize("num_warps", [1, 4, 8])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("op", ["cumsum", "cumprod"])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_integer_scans(both, torch, dtype, op, reverse, num_warps):
    x = integers(torch, dtype, 8 * 128, 42)
    both.same("scan_rows", (1,), x, torch.zeros_like(x), OP=op, REVERSE=reverse, ROWS=8, COLUMNS=128, num_warps=num_warps)


@pytest.mark.parametrize("num_warps", [1, 4])
@pytest.mark.parametrize("op, reverse", [("sort", False), ("sort", True), ("flip", False)])
@pytest.mark.parametrize("dtype", ["int32", "int16", "float32", "float16"])
def test_order(both, torch, dtype, op, reverse, num_warps):
    x = (torch.arange(4 * 64) * 7919 % 251 - 125).to(getattr(torch, dtype))
    both.same("scan_rows", (1,), x, torch.zeros_like(x), OP=op, REVERSE=reverse, ROWS=4, COLUMNS=64, num_warps=num_warps)


def test_topk(both, torch):
    x = (torch.arange(256) * 7919 % 1021).to(torch.float32)
    both.same("top", (1,), x, torch.zeros(8), K=8, COLUMNS=256)


@pytest.mark.parametrize("num_warps", [1, 4])
def test_histogram(both, torch, num_warps):
    x = (torch.arange(512) * 7919 % 64).to(torch.int32)
    both.same("count", (1,), x, torch.zeros(64, dtype=torch.int32), 500, BINS=64, BLOCK=512, num_warps=num_warps)


def test_gather(both, torch):
    x = torch.arange(16 * 64).to(torch.float32)
    index = (torch.arange(16 * 64) * 7919 % 64).to(torch.int32)
    both.same("pick", (1,), x, index, torch.zeros_like(x), ROWS=16, COLUMNS=64)


# ---- random numbers, products ---------------------------------------------------------------------

@pytest.mark.parametrize("seed, offset", [(0, 0), (42, 1), (2 ** 40 + 7, 12345), (-5, 2 ** 20)])
@pytest.mark.parametrize("kind", ["randint", "randint4x", "rand", "randn"])
def test_random(both, torch, kind, seed, offset):
    out = torch.zeros(1024, dtype=torch.int32 if kind.startswith("randint") else torch.float32)
    both.same("random_words", (1,), out, seed, offset, KIND=kind, BLOCK=1024, ulps=64 if kind == "randn" else 0)


@pytest.mark.parametrize("num_warps", [1, 4, 8])
@pytest.mark.parametrize("shape", [(16, 16, 32), (64, 32, 64), (128, 128, 32)], ids=lambda shape: "x".join(map(str, shape)))
@pytest.mark.parametrize("dtype", ["int8", "float16", "bfloat16", "float32"])
def test_products_of_small_integers(both, torch, dtype, shape, num_warps):
    """Every partial sum is an integer that the accumulator holds, so the order of the additions does not matter."""
    M, N, K = shape
    a = (torch.arange(M * K) * 7919 % 15 - 7).to(getattr(torch, dtype))
    b = (torch.arange(K * N) * 104729 % 13 - 6).to(a.dtype)
    c = torch.zeros(M * N, dtype=torch.int32 if dtype == "int8" else torch.float32)
    out = "int32" if dtype == "int8" else "float32"
    both.same("product", (1,), a, b, c, M=M, N=N, K=K, OUT=lambda side: getattr(side.tl, out), num_warps=num_warps)


# ---- descriptors, tuples, specialization ----------------------------------------------------------

@pytest.fixture
def scratch(both, torch):
    """Memory for descriptors that kernels make."""
    def allocate(size, alignment, stream):
        return torch.empty(size, dtype=torch.int8, device=both.device)

    for side in both.sides:
        side.package.set_allocator(allocate)
    yield
    for side in both.sides:
        side.package.set_allocator(None) if side.name == "tessera" else None


# No negative offsets: Triton's kernel, which uses the GPU's tensor memory accelerator, ends in an illegal instruction there.
@pytest.mark.parametrize("offsets", [(0, 0), (8, 16), (40, 24), (44, 48)], ids=str)
def test_host_descriptors(both, torch, offsets):
    x = torch.arange(48 * 64, dtype=torch.float32).reshape(48, 64)
    both.same("copy_blocks", (1,), x, torch.full((64, 48), -1.0), *offsets, descriptors={0: [16, 32], 1: [32, 16]})


@pytest.mark.parametrize("shape", [(32, 64), (37, 100)], ids=str)
def test_device_descriptors(both, torch, scratch, shape):
    x = torch.arange(shape[0] * shape[1], dtype=torch.float32)
    both.same("copy_by_device_descriptor", (1,), x, torch.full_like(x, -1), *shape, M=16, N=32)


@pytest.mark.parametrize("shape", [(16, 64), (13, 100)], ids=str)
def test_block_pointers(both, torch, shape):
    x = torch.arange(shape[0] * shape[1], dtype=torch.float32)
    both.same("copy_by_block_pointer", (1,), x, torch.full_like(x, -1), *shape, M=16, N=32)


def test_tuples(both, torch):
    x = torch.arange(64, dtype=torch.float32)
    both.same("through_tuples", (1,), (x, torch.zeros_like(x)), lambda side: side.kernels.Scales(3, 1), 60, BLOCK=64)
    both.same("through_tuples", (1,), (x, torch.zeros_like(x)), lambda side: side.kernels.Scales(2, 0.5), 64, BLOCK=64)


@pytest.mark.parametrize("n", [0, 1, 2, 15, 16, 32, -16, 2 ** 31 - 1])
@pytest.mark.parametrize("m", [0, 1, 16, 17])
def test_specialization(both, torch, n, m):
    both.same("specialized", (1,), torch.zeros(16, dtype=torch.int32), n, m)


@pytest.mark.parametrize("n", [1, 16, 100, 1000])
@pytest.mark.parametrize("num_stages", [1, 3])
def test_loops(both, torch, n, num_stages):
    x = torch.arange(1024, dtype=torch.int32)
    both.same("long_loop", (1,), x, torch.zeros(1, dtype=torch.int32), n, BLOCK=64, num_stages=num_stages)


# ---- examples -------------------------------------------------------------------------------------

NAMES = sorted(name[:-3] for name in os.listdir(EXAMPLES) if name.endswith(".py")) if os.path.isdir(EXAMPLES) else []


@pytest.mark.parametrize("name", NAMES)
def test_examples(torch, name):
    """Each example compares itself with torch. What passes under the drop-in (test_dropin.py) passes with Triton itself."""
    if why_no_gpu():
        pytest.skip(f"Triton runs on GPUs: {why_no_gpu()}")
    module_or_skip("triton")
    done = subprocess.run([sys.executable, os.path.join(EXAMPLES, name + ".py")], env=child_environment(), capture_output=True, text=True,
                          timeout=600)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
