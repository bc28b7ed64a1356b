"""tl.extra.libdevice: the math library of whichever target the kernel is compiled for."""

from .._functions import define as _define
from .cuda.libdevice import NAMES as _NAMES

__tessera_language__ = "triton.language.extra.libdevice"

# fast_tanhf is in AMD's library alone.
_define(globals(), _NAMES + " fast_tanhf", path=__tessera_language__)
