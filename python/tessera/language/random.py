"""tl.random: Philox random numbers. Each number depends only on the seed and its offset."""

from . import math
from ._constexpr import constexpr as _constexpr
from ._functions import JitLikeFunction as _JitLikeFunction, define as _define

__tessera_language__ = "triton.language.random"

N_ROUNDS_DEFAULT = _constexpr(10)

_define(globals(), """
    pair_uniform_to_normal philox philox_impl rand rand4x randint randint4x randn randn4x uint_to_uniform_float
""", kind=_JitLikeFunction)


def __getattr__(name):
    """Names of Triton's module that come from the runtime; imported at first use, because the runtime imports this package."""
    if name == "jit":
        from ..runtime.jit import jit

        return jit
    raise AttributeError("module %r has no attribute %r" % (__name__, name))
