"""tl.standard: functions of the language that are written as kernels; they are embedded in the compiler and inlined.

Names with an underscore are helpers that some kernels import: combine functions for tl.reduce, the log2 of a block's size.
"""

from . import core, math
from ._functions import CompileTimeFunction as _CompileTimeFunction, JitLikeFunction as _JitLikeFunction, define as _define
from ._types import is_power_of_two as _power_of_two

__tessera_language__ = "triton.language.standard"

_define(globals(), """
    argmax argmin bitonic_merge cdiv cumprod cumsum flip interleave max min ravel reduce_or sigmoid softmax sort sort_impl squeeze
    sum swizzle2d topk unsqueeze xor_sum zeros zeros_like
""", kind=_JitLikeFunction)

_define(globals(), """
    _argmax_combine_tie_break_fast _argmax_combine_tie_break_left _argmin_combine_tie_break_fast
    _argmin_combine_tie_break_left _bitonic_merge _bitonic_merge_hypercube _compare_and_swap _elementwise_max
    _elementwise_min _indicator _or_combine _prod_combine _sum_combine _xor_combine
""", path=__tessera_language__, kind=_JitLikeFunction)

_log2 = _CompileTimeFunction("_log2", __tessera_language__ + "._log2", __name__, lambda i: int(i).bit_length() - 1)
_is_power_of_two = _CompileTimeFunction("_is_power_of_two", __tessera_language__ + "._is_power_of_two", __name__,
                                        _power_of_two)


def __getattr__(name):
    """Names of Triton's module that come from the runtime; imported at first use, because the runtime imports this package."""
    if name in ("jit", "constexpr_function"):
        from ..runtime import jit

        return getattr(jit, name)
    raise AttributeError("module %r has no attribute %r" % (__name__, name))
