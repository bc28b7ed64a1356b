"""tl.core: types, values and the functions that the compiler itself implements.

The names are those of Triton's module of this name that user code imports, without the internals of Triton's frontend.
"""

from ._constexpr import base_value, constexpr, unwrap as _unwrap_if_constexpr
from ._functions import CompileTimeFunction as _CompileTimeFunction, builtin, define as _define, extern, is_builtin
from ._types import (
    TRITON_MAX_TENSOR_NUMEL,
    base_type,
    bfloat16,
    block_type,
    constexpr_type,
    dtype,
    float8e4b15,
    float8e4b8,
    float8e4nv,
    float8e5,
    float8e5b16,
    float16,
    float32,
    float64,
    get_int_dtype as _get_int_dtype,
    int1,
    int8,
    int16,
    int32,
    int64,
    pi32_t,
    pointer_type,
    slice_type,
    tensor_descriptor_base_type,
    tensor_descriptor_type,
    tuple_type,
    uint8,
    uint16,
    uint32,
    uint64,
    void,
)
from ._values import (
    PropagateNan,
    aggregate as _aggregate,
    condition,
    const,
    range,
    slice,
    static_range,
    tensor,
    tensor_descriptor,
    tensor_descriptor_base,
    tuple,
)

__tessera_language__ = "triton.language.core"

TRITON_BUILTIN = "__triton_builtin__"
CONSTEXPR_0 = constexpr(0)

_define(globals(), """
    add advance arange associative_scan assume atomic_add atomic_and atomic_cas atomic_max atomic_min atomic_or atomic_xchg
    atomic_xor broadcast broadcast_to cast cat clamp debug_barrier device_assert device_print dot dot_scaled expand_dims
    extern_elementwise full gather histogram inline_asm_elementwise item join load load_tensor_descriptor make_block_ptr
    make_tensor_descriptor map_elementwise max_constancy max_contiguous maximum minimum mul multiple_of num_programs permute
    program_id reduce reshape split static_assert static_print store store_tensor_descriptor sub to_tensor trans view where
""")


get_int_dtype = _CompileTimeFunction("get_int_dtype", "triton.language.get_int_dtype", __name__, _get_int_dtype)

_FROM_RUNTIME = ("JITCallable", "constexpr_function", "must_use_result")


def __getattr__(name):
    """Names of Triton's module that come from the runtime; imported at first use, because the runtime imports this package."""
    if name in _FROM_RUNTIME:
        from ..runtime import jit

        return getattr(jit, name)
    raise AttributeError("module %r has no attribute %r" % (__name__, name))
