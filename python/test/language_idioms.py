"""The ways in which user code reaches the language; test_language_idioms in test_interop_corpus.py compiles and runs them.

Each kernel stores x through y = f(x), for f = `expected[name]` of NumPy.
"""
from typing import NamedTuple

import triton
import triton.language as tl
import triton.language.extra.cuda.libdevice as cuda_libdevice
from triton.language import core, float32, math as tl_math
from triton.language.core import constexpr
from triton.language.extra import libdevice
from triton.language.extra.cuda import utils
from triton.language.extra.hip import libdevice as hip_libdevice
from triton.language.math import exp2
from triton.language.standard import _log2, _sum_combine
from triton.language.target_info import is_cuda, is_hip

WIDTH = constexpr(4)
HALF = tl.float16
IS_AMD = tl.constexpr(False)


@core.extern
def cube_root(x, _semantic=None):
    return core.extern_elementwise("", "", [x], {(core.dtype("fp32"),): ("__nv_cbrtf", core.dtype("fp32"))}, is_pure=True,
                                   _semantic=_semantic)


@tl.core._aggregate
class Pair:
    low: tl.tensor
    high: tl.tensor

    @triton.constexpr_function
    def __init__(self, low, high):
        self.low = low
        self.high = high

    @triton.jit
    def total(self):
        return self.low + self.high


class Window(NamedTuple):
    scale: tl.constexpr
    offset: tl.constexpr


@triton.constexpr_function
def twice(n):
    return 2 * n


@tl.constexpr
def wider(dtype):
    return tl.float64 if dtype == tl.float32 else tl.int64


@triton.jit
def by_modules(x_ptr, y_ptr, N: tl.constexpr):
    i = core.arange(0, N)
    x = tl.load(x_ptr + i)
    core.store(y_ptr + i, tl_math.exp(tl_math.log(x)) + exp2(tl.math.log2(x)))


@triton.jit
def by_libraries(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    tangents = libdevice.tanh(x) + cuda_libdevice.tanh(x)
    tl.store(y_ptr + i, tangents + tl.extra.cuda.libdevice.floor(x) + tl.extra.libdevice.ceil(x))


@triton.jit
def by_globals(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i).to(HALF).to(float32)
    tl.store(y_ptr + i, x * WIDTH + _log2(N) + twice(WIDTH))


@triton.jit
def by_target(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    if IS_AMD:
        x = hip_libdevice.fast_tanhf(x)
    if is_hip():
        x = hip_libdevice.sin(x)
    if is_cuda() and tl.target_info.cuda_capability_geq(9, 0):
        x += (utils.smid() >= 0).to(tl.float32) - 1
    tl.store(y_ptr + i, x)


@triton.jit
def by_combine_function(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    total = tl.reduce(x, 0, _sum_combine) - x.reduce(0, tl.standard._sum_combine)
    tl.store(y_ptr + i, tl.maximum(x, total, propagate_nan=tl.PropagateNan.ALL))


@triton.jit
def by_argument(x_ptr, y_ptr, N: tl.constexpr, F: tl.constexpr, T: tl.constexpr, W: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i).to(T)
    tl.store(y_ptr + i, F(x) * W.scale + W.offset)


@triton.jit
def by_aggregate(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    pair = Pair(tl.load(x_ptr + i), tl.full((N,), 1, tl.float32))
    tl.store(y_ptr + i, pair.total())


@triton.jit
def by_constexpr_function(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    wide: tl.constexpr = wider(x_ptr.dtype.element_ty)
    tl.store(y_ptr + i, (tl.load(x_ptr + i).to(wide) * 3).to(tl.float32))


@triton.jit
def by_extern(x_ptr, y_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y_ptr + i, cube_root(tl.load(x_ptr + i)))
