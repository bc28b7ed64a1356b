"""The language of kernels: `import tessera.language as tl`.

In Python these are only names: functions that kernels call, dtypes, constexpr. The compiler reads a kernel's source and implements
them. docs/language.md describes the language; the type stubs (.pyi) beside these modules hold the signatures and the
documentation that help() prints.
"""

from . import core, math, random, standard, target_info
from .core import (
    PropagateNan, TRITON_MAX_TENSOR_NUMEL, add, advance, arange, associative_scan, assume, atomic_add, atomic_and,
    atomic_cas, atomic_max, atomic_min, atomic_or, atomic_xchg, atomic_xor, bfloat16, block_type, broadcast,
    broadcast_to, cast, cat, clamp, condition, const, constexpr, constexpr_type, debug_barrier, device_assert,
    device_print, dot, dot_scaled, dtype, expand_dims, float16, float32, float64, float8e4b15, float8e4b8,
    float8e4nv, float8e5, float8e5b16, full, gather, histogram, inline_asm_elementwise, int1, int16, int32, int64,
    int8, join, load, load_tensor_descriptor, make_block_ptr, make_tensor_descriptor, map_elementwise,
    max_constancy, max_contiguous, maximum, minimum, mul, multiple_of, num_programs, permute, pi32_t, pointer_type,
    program_id, range, reduce, reshape, slice, split, static_assert, static_print, static_range, store,
    store_tensor_descriptor, sub, tensor, tensor_descriptor, tensor_descriptor_type, trans, tuple, tuple_type,
    uint16, uint32, uint64, uint8, view, void, where,
)
from .math import (
    abs, ceil, cos, div_rn, erf, exp, exp2, fdiv, floor, fma, log, log2, rsqrt, sin, sqrt, sqrt_rn, umulhi,
)
from .random import (
    pair_uniform_to_normal, philox, philox_impl, rand, rand4x, randint, randint4x, randn, randn4x,
    uint_to_uniform_float,
)
from .standard import (
    argmax, argmin, bitonic_merge, cdiv, cumprod, cumsum, flip, interleave, max, min, ravel, reduce_or, sigmoid,
    softmax, sort, squeeze, sum, swizzle2d, topk, unsqueeze, xor_sum, zeros, zeros_like,
)
from ._types import str_to_ty

__tessera_language__ = "triton.language"

_LAZY_MODULES = ("extra", "semantic")

__all__ = [
    "PropagateNan", "TRITON_MAX_TENSOR_NUMEL", "abs", "add", "advance", "arange", "argmax", "argmin",
    "associative_scan", "assume", "atomic_add", "atomic_and", "atomic_cas", "atomic_max", "atomic_min", "atomic_or",
    "atomic_xchg", "atomic_xor", "bfloat16", "bitonic_merge", "block_type", "broadcast", "broadcast_to", "cast",
    "cat", "cdiv", "ceil", "clamp", "condition", "const", "constexpr", "constexpr_type", "cos", "cumprod", "cumsum",
    "debug_barrier", "device_assert", "device_print", "div_rn", "dot", "dot_scaled", "dtype", "erf", "exp", "exp2",
    "expand_dims", "extra", "fdiv", "flip", "float16", "float32", "float64", "float8e4b15", "float8e4b8",
    "float8e4nv", "float8e5", "float8e5b16", "floor", "fma", "full", "gather", "histogram",
    "inline_asm_elementwise", "int1", "int16", "int32", "int64", "int8", "interleave", "join", "load",
    "load_tensor_descriptor", "log", "log2", "make_block_ptr", "make_tensor_descriptor", "map_elementwise", "math",
    "max", "max_constancy", "max_contiguous", "maximum", "min", "minimum", "mul", "multiple_of", "num_programs",
    "pair_uniform_to_normal", "permute", "philox", "philox_impl", "pi32_t", "pointer_type", "program_id", "rand",
    "rand4x", "randint", "randint4x", "randn", "randn4x", "range", "ravel", "reduce", "reduce_or", "reshape",
    "rsqrt", "sigmoid", "sin", "slice", "softmax", "sort", "split", "sqrt", "sqrt_rn", "squeeze", "static_assert",
    "static_print", "static_range", "store", "store_tensor_descriptor", "sub", "sum", "swizzle2d", "target_info",
    "tensor", "tensor_descriptor", "topk", "trans", "tuple", "uint16", "uint32", "uint64", "uint8",
    "uint_to_uniform_float", "umulhi", "unsqueeze", "view", "void", "where", "xor_sum", "zeros", "zeros_like",
]


def __getattr__(name):
    """Imports modules that few kernels use at first use."""
    if name in _LAZY_MODULES:
        import importlib

        return importlib.import_module("." + name, __name__)
    raise AttributeError("module %r has no attribute %r" % (__name__, name))


def __dir__():
    return sorted(list(globals()) + list(_LAZY_MODULES))
