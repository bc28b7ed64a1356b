"""tl.extra.hip.libdevice: the functions of AMD's math library; for AMD targets only."""

from ... import core as core
from ...core import Value, tensor

def abs(arg0: Value) -> tensor:
    """Absolute value: i32 -> i32; i64 -> i64; f32 -> f32; f64 -> f64."""

def acos(arg0: Value) -> tensor:
    """Arc cosine: f32 -> f32; f64 -> f64."""

def acosh(arg0: Value) -> tensor:
    """Inverse hyperbolic cosine: f32 -> f32; f64 -> f64."""

def asin(arg0: Value) -> tensor:
    """Arc sine: f32 -> f32; f64 -> f64."""

def asinh(arg0: Value) -> tensor:
    """Inverse hyperbolic sine: f32 -> f32; f64 -> f64."""

def atan(arg0: Value) -> tensor:
    """Arc tangent: f32 -> f32; f64 -> f64."""

def atan2(arg0: Value, arg1: Value) -> tensor:
    """Angle of (b, a): f32,f32 -> f32; f64,f64 -> f64."""

def atanh(arg0: Value) -> tensor:
    """Inverse hyperbolic tangent: f32 -> f32; f64 -> f64."""

def ceil(arg0: Value) -> tensor:
    """Round up: f64 -> f64; f32 -> f32."""

def copysign(arg0: Value, arg1: Value) -> tensor:
    """Magnitude of a with sign of b: f32,f32 -> f32; f64,f64 -> f64."""

def cos(arg0: Value) -> tensor:
    """Cosine: f32 -> f32; f64 -> f64."""

def cosh(arg0: Value) -> tensor:
    """Hyperbolic cosine: f32 -> f32; f64 -> f64."""

def cyl_bessel_i0(arg0: Value) -> tensor:
    """Modified Bessel I0: f32 -> f32; f64 -> f64."""

def cyl_bessel_i1(arg0: Value) -> tensor:
    """Modified Bessel I1: f32 -> f32; f64 -> f64."""

def erf(arg0: Value) -> tensor:
    """Error function: f32 -> f32; f64 -> f64."""

def erfc(arg0: Value) -> tensor:
    """1 − erf: f32 -> f32; f64 -> f64."""

def erfcx(arg0: Value) -> tensor:
    """Scaled erfc: f32 -> f32; f64 -> f64."""

def erfinv(arg0: Value) -> tensor:
    """Inverse of erf: f32 -> f32; f64 -> f64."""

def exp(arg0: Value) -> tensor:
    """e^x: f32 -> f32; f64 -> f64."""

def exp2(arg0: Value) -> tensor:
    """2^x: f32 -> f32; f64 -> f64."""

def expm1(arg0: Value) -> tensor:
    """e^x − 1: f32 -> f32; f64 -> f64."""

def fast_dividef(arg0: Value, arg1: Value) -> tensor:
    """Approximate a/b: f32,f32 -> f32."""

def fast_expf(arg0: Value) -> tensor:
    """Approximate e^x: f32 -> f32."""

def fast_tanhf(arg0: Value) -> tensor:
    """Approximate tanh; in AMD's library alone: f32 -> f32."""

def floor(arg0: Value) -> tensor:
    """Round down: f32 -> f32; f64 -> f64."""

def fma(arg0: Value, arg1: Value, arg2: Value) -> tensor:
    """a·b+c, one rounding: f32,f32,f32 -> f32; f64,f64,f64 -> f64."""

def fmod(arg0: Value, arg1: Value) -> tensor:
    """Remainder, sign of a: f32,f32 -> f32; f64,f64 -> f64."""

def hypot(arg0: Value, arg1: Value) -> tensor:
    """√(a²+b²): f32,f32 -> f32; f64,f64 -> f64."""

def ilogb(arg0: Value) -> tensor:
    """Unbiased exponent as int: f32 -> i32; f64 -> i32."""

def isinf(arg0: Value) -> tensor:
    """Infinity test (i32 result turned into int1): f32 -> i32; f64 -> i32."""

def isnan(arg0: Value) -> tensor:
    """NaN test (i32 result turned into int1): f32 -> i32; f64 -> i32."""

def j0(arg0: Value) -> tensor:
    """Bessel J0: f32 -> f32; f64 -> f64."""

def j1(arg0: Value) -> tensor:
    """Bessel J1: f32 -> f32; f64 -> f64."""

def ldexp(arg0: Value, arg1: Value) -> tensor:
    """a·2^b: f32,i32 -> f32; f64,i32 -> f64."""

def lgamma(arg0: Value) -> tensor:
    """ln abs(Γ): f32 -> f32; f64 -> f64."""

def llrint(arg0: Value) -> tensor:
    """Round to nearest even, to integer: f32 -> i64; f64 -> i64."""

def log(arg0: Value) -> tensor:
    """Natural log: f32 -> f32; f64 -> f64."""

def log10(arg0: Value) -> tensor:
    """Log base 10: f32 -> f32; f64 -> f64."""

def log1p(arg0: Value) -> tensor:
    """ln(1+x): f32 -> f32; f64 -> f64."""

def log2(arg0: Value) -> tensor:
    """Log base 2: f32 -> f32; f64 -> f64."""

def nearbyint(arg0: Value) -> tensor:
    """Round to nearest even: f32 -> f32; f64 -> f64."""

def nextafter(arg0: Value, arg1: Value) -> tensor:
    """Next representable toward b: f32,f32 -> f32; f64,f64 -> f64."""

def pow(arg0: Value, arg1: Value) -> tensor:
    """a^b (integer or float exponent): f32,i32 -> f32; f64,i32 -> f64; f32,f32 -> f32; f64,f64 -> f64."""

def round(arg0: Value) -> tensor:
    """Round half away from 0: f32 -> f32; f64 -> f64."""

def rsqrt(arg0: Value) -> tensor:
    """1/√x: f32 -> f32; f64 -> f64."""

def signbit(arg0: Value) -> tensor:
    """Non-zero if sign bit set: f32 -> i32; f64 -> i32."""

def sin(arg0: Value) -> tensor:
    """Sine: f32 -> f32; f64 -> f64."""

def sinh(arg0: Value) -> tensor:
    """Hyperbolic sine: f32 -> f32; f64 -> f64."""

def sqrt(arg0: Value) -> tensor:
    """Square root: f32 -> f32; f64 -> f64."""

def tan(arg0: Value) -> tensor:
    """Tangent: f32 -> f32; f64 -> f64."""

def tanh(arg0: Value) -> tensor:
    """Hyperbolic tangent: f32 -> f32; f64 -> f64."""

def trunc(arg0: Value) -> tensor:
    """Round toward 0: f64 -> f64; f32 -> f32."""

def y0(arg0: Value) -> tensor:
    """Bessel Y0: f32 -> f32; f64 -> f64."""

def y1(arg0: Value) -> tensor:
    """Bessel Y1: f32 -> f32; f64 -> f64."""
