"""tl.extra.libdevice: the math library of the target that the kernel is compiled for."""

from .._functions import define as _define
from .cuda.libdevice import NAMES as _NAMES

__tessera_language__ = "triton.language.extra.libdevice"

# fast_tanhf exists in AMD's library, and not in NVIDIA's.
_define(globals(), _NAMES + " fast_tanhf", path=__tessera_language__)
