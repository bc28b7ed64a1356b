"""tl.math: element-wise functions of numbers; the same objects as tl's."""

from . import core
from ._functions import define as _define

__tessera_language__ = "triton.language.math"

_define(globals(), """
    abs ceil cos div_rn erf exp exp2 fdiv floor fma log log2 rsqrt sin sqrt sqrt_rn umulhi
""")
