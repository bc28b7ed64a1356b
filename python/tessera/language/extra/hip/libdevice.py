"""tl.extra.hip.libdevice: the functions of AMD's math library.

The names are here so that modules that import them load; kernels that use them compile for AMD targets only.
"""

from ... import core
from ..._functions import define as _define

__tessera_language__ = "triton.language.extra.hip.libdevice"

_define(globals(), """
    abs acos acosh asin asinh atan atan2 atanh ceil copysign cos cosh cyl_bessel_i0 cyl_bessel_i1 erf erfc erfcx
    erfinv exp exp2 expm1 fast_dividef fast_expf fast_tanhf floor fma fmod hypot ilogb isinf isnan j0 j1 ldexp
    lgamma llrint log log10 log1p log2 nearbyint nextafter pow round rsqrt signbit sin sinh sqrt tan tanh trunc y0
    y1
""", path=__tessera_language__)
