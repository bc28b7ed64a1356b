"""tl.math: element-wise functions of numbers; the same objects as tl's."""

from . import core as core
from .core import Value, tensor

def umulhi(x: Value, y: Value) -> tensor:
    """The high half of the unsigned product; 32- and 64-bit integers."""

def exp(x: Value) -> tensor:
    """e to the power of x; float32 and float64."""

def exp2(x: Value) -> tensor:
    """2 to the power of x; float32 and float64."""

def log(x: Value) -> tensor:
    """The natural logarithm; float32 and float64."""

def log2(x: Value) -> tensor:
    """The logarithm to base 2; float32 and float64."""

def cos(x: Value) -> tensor:
    """The cosine of radians; float32 and float64."""

def sin(x: Value) -> tensor:
    """The sine of radians; float32 and float64."""

def sqrt(x: Value) -> tensor:
    """The square root, approximately in float32; sqrt_rn is exact."""

def sqrt_rn(x: Value) -> tensor:
    """The square root, correctly rounded; float32."""

def rsqrt(x: Value) -> tensor:
    """1 / sqrt(x), approximately in float32."""

def abs(x: Value) -> tensor:
    """The absolute value."""

def fdiv(x: Value, y: Value, ieee_rounding: bool = False) -> tensor:
    """The quotient of floats of one type, approximately in float32; div_rn is exact."""

def div_rn(x: Value, y: Value) -> tensor:
    """The quotient, correctly rounded; float32."""

def erf(x: Value) -> tensor:
    """The error function; float32 and float64."""

def floor(x: Value) -> tensor:
    """Rounds down to an integral float."""

def ceil(x: Value) -> tensor:
    """Rounds up to an integral float."""

def fma(x: Value, y: Value, z: Value) -> tensor:
    """x * y + z, rounded once."""
