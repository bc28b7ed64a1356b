"""tl.extra.libdevice: the math library of whichever target the kernel is compiled for.

A text ends with the types: the arguments' must be those of one of the overloads, numbers have their own.
"""

from ..core import Value, tensor
from .cuda.libdevice import *

def fast_tanhf(arg0: Value) -> tensor:
    """Approximate tanh; in AMD's library alone: f32 -> f32."""
