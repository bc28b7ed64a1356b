"""tl.extra.libdevice: the math library of whichever target the kernel is compiled for.

A text ends with the types: the arguments' must be those of one of the overloads, numbers have their own.
"""

from ..core import Value, tensor

def abs(arg0: Value) -> tensor:
    """Absolute value: i32 -> i32; i64 -> i64; f32 -> f32; f64 -> f64."""

def acos(arg0: Value) -> tensor:
    """Arc cosine: f32 -> f32; f64 -> f64."""

def acosh(arg0: Value) -> tensor:
    """Inverse hyperbolic cosine: f32 -> f32; f64 -> f64."""

def add_rd(arg0: Value, arg1: Value) -> tensor:
    """Sum, rounded down: f64,f64 -> f64; f32,f32 -> f32."""

def add_rn(arg0: Value, arg1: Value) -> tensor:
    """Sum, rounded to nearest: f64,f64 -> f64; f32,f32 -> f32."""

def add_ru(arg0: Value, arg1: Value) -> tensor:
    """Sum, rounded up: f64,f64 -> f64; f32,f32 -> f32."""

def add_rz(arg0: Value, arg1: Value) -> tensor:
    """Sum, rounded toward zero: f64,f64 -> f64; f32,f32 -> f32."""

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

def brev(arg0: Value) -> tensor:
    """Bit reversal: i32 -> i32; i64 -> i64."""

def byte_perm(arg0: Value, arg1: Value, arg2: Value) -> tensor:
    """Select 4 bytes out of 8 by nibble selector: i32,i32,i32 -> i32."""

def cbrt(arg0: Value) -> tensor:
    """Cube root: f32 -> f32; f64 -> f64."""

def ceil(arg0: Value) -> tensor:
    """Round up: f64 -> f64; f32 -> f32."""

def clz(arg0: Value) -> tensor:
    """Leading zero bits: i32 -> i32; i64 -> i32."""

def copysign(arg0: Value, arg1: Value) -> tensor:
    """Magnitude of a with sign of b: f32,f32 -> f32; f64,f64 -> f64."""

def cos(arg0: Value) -> tensor:
    """Cosine: f32 -> f32; f64 -> f64."""

def cosh(arg0: Value) -> tensor:
    """Hyperbolic cosine: f32 -> f32; f64 -> f64."""

def cospi(arg0: Value) -> tensor:
    """cos(πx): f32 -> f32; f64 -> f64."""

def cyl_bessel_i0(arg0: Value) -> tensor:
    """Modified Bessel I0: f32 -> f32; f64 -> f64."""

def cyl_bessel_i1(arg0: Value) -> tensor:
    """Modified Bessel I1: f32 -> f32; f64 -> f64."""

def div_rd(arg0: Value, arg1: Value) -> tensor:
    """Quotient, rounded down: f32,f32 -> f32; f64,f64 -> f64."""

def div_rn(arg0: Value, arg1: Value) -> tensor:
    """Quotient, rounded to nearest: f32,f32 -> f32; f64,f64 -> f64."""

def div_ru(arg0: Value, arg1: Value) -> tensor:
    """Quotient, rounded up: f32,f32 -> f32; f64,f64 -> f64."""

def div_rz(arg0: Value, arg1: Value) -> tensor:
    """Quotient, rounded toward zero: f32,f32 -> f32; f64,f64 -> f64."""

def double2float_rd(arg0: Value) -> tensor:
    """Convert double to float, rounded down: f64 -> f32."""

def double2float_rn(arg0: Value) -> tensor:
    """Convert double to float, rounded to nearest: f64 -> f32."""

def double2float_ru(arg0: Value) -> tensor:
    """Convert double to float, rounded up: f64 -> f32."""

def double2float_rz(arg0: Value) -> tensor:
    """Convert double to float, rounded toward zero: f64 -> f32."""

def double2hiint(arg0: Value) -> tensor:
    """High word of double: f64 -> i32."""

def double2int_rd(arg0: Value) -> tensor:
    """Convert double to int, rounded down: f64 -> i32."""

def double2int_rn(arg0: Value) -> tensor:
    """Convert double to int, rounded to nearest: f64 -> i32."""

def double2int_ru(arg0: Value) -> tensor:
    """Convert double to int, rounded up: f64 -> i32."""

def double2int_rz(arg0: Value) -> tensor:
    """Convert double to int, rounded toward zero: f64 -> i32."""

def double2ll_rd(arg0: Value) -> tensor:
    """Convert double to ll, rounded down: f64 -> i64."""

def double2ll_rn(arg0: Value) -> tensor:
    """Convert double to ll, rounded to nearest: f64 -> i64."""

def double2ll_ru(arg0: Value) -> tensor:
    """Convert double to ll, rounded up: f64 -> i64."""

def double2ll_rz(arg0: Value) -> tensor:
    """Convert double to ll, rounded toward zero: f64 -> i64."""

def double2loint(arg0: Value) -> tensor:
    """Low word of double: f64 -> i32."""

def double2uint_rd(arg0: Value) -> tensor:
    """Convert double to uint, rounded down: f64 -> i32."""

def double2uint_rn(arg0: Value) -> tensor:
    """Convert double to uint, rounded to nearest: f64 -> i32."""

def double2uint_ru(arg0: Value) -> tensor:
    """Convert double to uint, rounded up: f64 -> i32."""

def double2uint_rz(arg0: Value) -> tensor:
    """Convert double to uint, rounded toward zero: f64 -> i32."""

def double2ull_rd(arg0: Value) -> tensor:
    """Convert double to ull, rounded down: f64 -> i64."""

def double2ull_rn(arg0: Value) -> tensor:
    """Convert double to ull, rounded to nearest: f64 -> i64."""

def double2ull_ru(arg0: Value) -> tensor:
    """Convert double to ull, rounded up: f64 -> i64."""

def double2ull_rz(arg0: Value) -> tensor:
    """Convert double to ull, rounded toward zero: f64 -> i64."""

def double_as_longlong(arg0: Value) -> tensor:
    """Bit reinterpretation: f64 -> i64."""

def erf(arg0: Value) -> tensor:
    """Error function: f32 -> f32; f64 -> f64."""

def erfc(arg0: Value) -> tensor:
    """1 − erf: f32 -> f32; f64 -> f64."""

def erfcinv(arg0: Value) -> tensor:
    """Inverse of erfc: f32 -> f32; f64 -> f64."""

def erfcx(arg0: Value) -> tensor:
    """Scaled erfc: f32 -> f32; f64 -> f64."""

def erfinv(arg0: Value) -> tensor:
    """Inverse of erf: f32 -> f32; f64 -> f64."""

def exp(arg0: Value) -> tensor:
    """e^x: f32 -> f32; f64 -> f64."""

def exp10(arg0: Value) -> tensor:
    """10^x: f32 -> f32; f64 -> f64."""

def exp2(arg0: Value) -> tensor:
    """2^x: f32 -> f32; f64 -> f64."""

def expm1(arg0: Value) -> tensor:
    """e^x − 1: f32 -> f32; f64 -> f64."""

def fast_cosf(arg0: Value) -> tensor:
    """Approximate cos: f32 -> f32."""

def fast_dividef(arg0: Value, arg1: Value) -> tensor:
    """Approximate a/b: f32,f32 -> f32."""

def fast_exp10f(arg0: Value) -> tensor:
    """Approximate 10^x: f32 -> f32."""

def fast_expf(arg0: Value) -> tensor:
    """Approximate e^x: f32 -> f32."""

def fast_log10f(arg0: Value) -> tensor:
    """Approximate log10: f32 -> f32."""

def fast_log2f(arg0: Value) -> tensor:
    """Approximate log2: f32 -> f32."""

def fast_logf(arg0: Value) -> tensor:
    """Approximate ln: f32 -> f32."""

def fast_powf(arg0: Value, arg1: Value) -> tensor:
    """Approximate a^b: f32,f32 -> f32."""

def fast_sinf(arg0: Value) -> tensor:
    """Approximate sin: f32 -> f32."""

def fast_tanf(arg0: Value) -> tensor:
    """Approximate tan: f32 -> f32."""

def fast_tanhf(arg0: Value) -> tensor:
    """Approximate tanh; in AMD's library alone: f32 -> f32."""

def fdim(arg0: Value, arg1: Value) -> tensor:
    """max(a−b, 0): f32,f32 -> f32; f64,f64 -> f64."""

def ffs(arg0: Value) -> tensor:
    """1-based index of lowest set bit, 0 if none: i32 -> i32; i64 -> i32."""

def finitef(arg0: Value) -> tensor:
    """Finite test (i32 result turned into int1): f32 -> i32."""

def float2int_rd(arg0: Value) -> tensor:
    """Convert float to int, rounded down: f32 -> i32."""

def float2int_rn(arg0: Value) -> tensor:
    """Convert float to int, rounded to nearest: f32 -> i32."""

def float2int_ru(arg0: Value) -> tensor:
    """Convert float to int, rounded up: f32 -> i32."""

def float2int_rz(arg0: Value) -> tensor:
    """Convert float to int, rounded toward zero: f32 -> i32."""

def float2ll_rd(arg0: Value) -> tensor:
    """Convert float to ll, rounded down: f32 -> i64."""

def float2ll_rn(arg0: Value) -> tensor:
    """Convert float to ll, rounded to nearest: f32 -> i64."""

def float2ll_ru(arg0: Value) -> tensor:
    """Convert float to ll, rounded up: f32 -> i64."""

def float2ll_rz(arg0: Value) -> tensor:
    """Convert float to ll, rounded toward zero: f32 -> i64."""

def float2uint_rd(arg0: Value) -> tensor:
    """Convert float to uint, rounded down: f32 -> i32."""

def float2uint_rn(arg0: Value) -> tensor:
    """Convert float to uint, rounded to nearest: f32 -> i32."""

def float2uint_ru(arg0: Value) -> tensor:
    """Convert float to uint, rounded up: f32 -> i32."""

def float2uint_rz(arg0: Value) -> tensor:
    """Convert float to uint, rounded toward zero: f32 -> i32."""

def float2ull_rd(arg0: Value) -> tensor:
    """Convert float to ull, rounded down: f32 -> i64."""

def float2ull_rn(arg0: Value) -> tensor:
    """Convert float to ull, rounded to nearest: f32 -> i64."""

def float2ull_ru(arg0: Value) -> tensor:
    """Convert float to ull, rounded up: f32 -> i64."""

def float2ull_rz(arg0: Value) -> tensor:
    """Convert float to ull, rounded toward zero: f32 -> i64."""

def float_as_int(arg0: Value) -> tensor:
    """Bit reinterpretation: f32 -> i32."""

def float_as_uint(arg0: Value) -> tensor:
    """Bit reinterpretation (result typed i32): f32 -> i32."""

def floor(arg0: Value) -> tensor:
    """Round down: f32 -> f32; f64 -> f64."""

def fma(arg0: Value, arg1: Value, arg2: Value) -> tensor:
    """a·b+c, one rounding: f32,f32,f32 -> f32; f64,f64,f64 -> f64."""

def fma_rd(arg0: Value, arg1: Value, arg2: Value) -> tensor:
    """Fused multiply-add, rounded down: f32,f32,f32 -> f32; f64,f64,f64 -> f64."""

def fma_rn(arg0: Value, arg1: Value, arg2: Value) -> tensor:
    """Fused multiply-add, rounded to nearest: f32,f32,f32 -> f32; f64,f64,f64 -> f64."""

def fma_ru(arg0: Value, arg1: Value, arg2: Value) -> tensor:
    """Fused multiply-add, rounded up: f32,f32,f32 -> f32; f64,f64,f64 -> f64."""

def fma_rz(arg0: Value, arg1: Value, arg2: Value) -> tensor:
    """Fused multiply-add, rounded toward zero: f32,f32,f32 -> f32; f64,f64,f64 -> f64."""

def fmod(arg0: Value, arg1: Value) -> tensor:
    """Remainder, sign of a: f32,f32 -> f32; f64,f64 -> f64."""

def hadd(arg0: Value, arg1: Value) -> tensor:
    """(a+b)>>1 without overflow: i32,i32 -> i32; u32,u32 -> u32."""

def hiloint2double(arg0: Value, arg1: Value) -> tensor:
    """Assemble double from hi, lo words: i32,i32 -> f64."""

def hypot(arg0: Value, arg1: Value) -> tensor:
    """√(a²+b²): f32,f32 -> f32; f64,f64 -> f64."""

def ilogb(arg0: Value) -> tensor:
    """Unbiased exponent as int: f32 -> i32; f64 -> i32."""

def int2double_rn(arg0: Value) -> tensor:
    """Convert int to double (nearest): i32 -> f64."""

def int2float_rd(arg0: Value) -> tensor:
    """Convert int to float, rounded down: i32 -> f32."""

def int2float_rn(arg0: Value) -> tensor:
    """Convert int to float, rounded to nearest: i32 -> f32."""

def int2float_ru(arg0: Value) -> tensor:
    """Convert int to float, rounded up: i32 -> f32."""

def int2float_rz(arg0: Value) -> tensor:
    """Convert int to float, rounded toward zero: i32 -> f32."""

def int_as_float(arg0: Value) -> tensor:
    """Bit reinterpretation: i32 -> f32."""

def isfinited(arg0: Value) -> tensor:
    """Finite test (i32 result turned into int1): f64 -> i32."""

def isinf(arg0: Value) -> tensor:
    """Infinity test (i32 result turned into int1): f32 -> i32; f64 -> i32."""

def isnan(arg0: Value) -> tensor:
    """NaN test (i32 result turned into int1): f32 -> i32; f64 -> i32."""

def j0(arg0: Value) -> tensor:
    """Bessel J0: f32 -> f32; f64 -> f64."""

def j1(arg0: Value) -> tensor:
    """Bessel J1: f32 -> f32; f64 -> f64."""

def jn(arg0: Value, arg1: Value) -> tensor:
    """Bessel J of order a: i32,f32 -> f32; i32,f64 -> f64."""

def ldexp(arg0: Value, arg1: Value) -> tensor:
    """a·2^b: f32,i32 -> f32; f64,i32 -> f64."""

def lgamma(arg0: Value) -> tensor:
    """ln abs(Γ): f32 -> f32; f64 -> f64."""

def ll2double_rd(arg0: Value) -> tensor:
    """Convert ll to double, rounded down: i64 -> f64."""

def ll2double_rn(arg0: Value) -> tensor:
    """Convert ll to double, rounded to nearest: i64 -> f64."""

def ll2double_ru(arg0: Value) -> tensor:
    """Convert ll to double, rounded up: i64 -> f64."""

def ll2double_rz(arg0: Value) -> tensor:
    """Convert ll to double, rounded toward zero: i64 -> f64."""

def ll2float_rd(arg0: Value) -> tensor:
    """Convert ll to float, rounded down: i64 -> f32."""

def ll2float_rn(arg0: Value) -> tensor:
    """Convert ll to float, rounded to nearest: i64 -> f32."""

def ll2float_ru(arg0: Value) -> tensor:
    """Convert ll to float, rounded up: i64 -> f32."""

def ll2float_rz(arg0: Value) -> tensor:
    """Convert ll to float, rounded toward zero: i64 -> f32."""

def llrint(arg0: Value) -> tensor:
    """Round to nearest even, to integer: f32 -> i64; f64 -> i64."""

def llround(arg0: Value) -> tensor:
    """Round half away from 0, to integer: f32 -> i64; f64 -> i64."""

def log(arg0: Value) -> tensor:
    """Natural log: f32 -> f32; f64 -> f64."""

def log10(arg0: Value) -> tensor:
    """Log base 10: f32 -> f32; f64 -> f64."""

def log1p(arg0: Value) -> tensor:
    """ln(1+x): f32 -> f32; f64 -> f64."""

def log2(arg0: Value) -> tensor:
    """Log base 2: f32 -> f32; f64 -> f64."""

def logb(arg0: Value) -> tensor:
    """Unbiased exponent as float: f32 -> f32; f64 -> f64."""

def longlong_as_double(arg0: Value) -> tensor:
    """Bit reinterpretation: i64 -> f64."""

def mul24(arg0: Value, arg1: Value) -> tensor:
    """Low 32 bits of 24-bit product: i32,i32 -> i32; u32,u32 -> u32."""

def mul_rd(arg0: Value, arg1: Value) -> tensor:
    """Product, rounded down: f64,f64 -> f64; f32,f32 -> f32."""

def mul_rn(arg0: Value, arg1: Value) -> tensor:
    """Product, rounded to nearest: f64,f64 -> f64; f32,f32 -> f32."""

def mul_ru(arg0: Value, arg1: Value) -> tensor:
    """Product, rounded up: f64,f64 -> f64; f32,f32 -> f32."""

def mul_rz(arg0: Value, arg1: Value) -> tensor:
    """Product, rounded toward zero: f64,f64 -> f64; f32,f32 -> f32."""

def mulhi(arg0: Value, arg1: Value) -> tensor:
    """High half of product: i32,i32 -> i32; u32,u32 -> u32; i64,i64 -> i64; u64,u64 -> u64."""

def nearbyint(arg0: Value) -> tensor:
    """Round to nearest even: f32 -> f32; f64 -> f64."""

def nextafter(arg0: Value, arg1: Value) -> tensor:
    """Next representable toward b: f32,f32 -> f32; f64,f64 -> f64."""

def norm3d(arg0: Value, arg1: Value, arg2: Value) -> tensor:
    """3-vector length: f32,f32,f32 -> f32; f64,f64,f64 -> f64."""

def norm4d(arg0: Value, arg1: Value, arg2: Value, arg3: Value) -> tensor:
    """4-vector length: f32,f32,f32,f32 -> f32; f64,f64,f64,f64 -> f64."""

def normcdf(arg0: Value) -> tensor:
    """Normal CDF: f32 -> f32; f64 -> f64."""

def normcdfinv(arg0: Value) -> tensor:
    """Inverse normal CDF: f32 -> f32; f64 -> f64."""

def popc(arg0: Value) -> tensor:
    """Set-bit count: i32 -> i32; i64 -> i32."""

def pow(arg0: Value, arg1: Value) -> tensor:
    """a^b (integer or float exponent): f32,i32 -> f32; f64,i32 -> f64; f32,f32 -> f32; f64,f64 -> f64."""

def rcbrt(arg0: Value) -> tensor:
    """Reciprocal cube root: f32 -> f32; f64 -> f64."""

def rcp64h(arg0: Value) -> tensor:
    """Fast reciprocal using high word: f64 -> f64."""

def rcp_rd(arg0: Value) -> tensor:
    """Reciprocal, rounded down: f32 -> f32; f64 -> f64."""

def rcp_rn(arg0: Value) -> tensor:
    """Reciprocal, rounded to nearest: f32 -> f32; f64 -> f64."""

def rcp_ru(arg0: Value) -> tensor:
    """Reciprocal, rounded up: f32 -> f32; f64 -> f64."""

def rcp_rz(arg0: Value) -> tensor:
    """Reciprocal, rounded toward zero: f32 -> f32; f64 -> f64."""

def remainder(arg0: Value, arg1: Value) -> tensor:
    """IEEE remainder: f32,f32 -> f32; f64,f64 -> f64."""

def rhadd(arg0: Value, arg1: Value) -> tensor:
    """(a+b+1)>>1 without overflow: i32,i32 -> i32; u32,u32 -> u32."""

def rhypot(arg0: Value, arg1: Value) -> tensor:
    """1/√(a²+b²): f32,f32 -> f32; f64,f64 -> f64."""

def rint(arg0: Value) -> tensor:
    """Round to nearest even: f32 -> f32; f64 -> f64."""

def rnorm3d(arg0: Value, arg1: Value, arg2: Value) -> tensor:
    """Reciprocal 3-vector length: f32,f32,f32 -> f32; f64,f64,f64 -> f64."""

def rnorm4d(arg0: Value, arg1: Value, arg2: Value, arg3: Value) -> tensor:
    """Reciprocal 4-vector length: f32,f32,f32,f32 -> f32; f64,f64,f64,f64 -> f64."""

def round(arg0: Value) -> tensor:
    """Round half away from 0: f32 -> f32; f64 -> f64."""

def rsqrt(arg0: Value) -> tensor:
    """1/√x: f32 -> f32; f64 -> f64."""

def rsqrt_rn(arg0: Value) -> tensor:
    """1/√x rounded to nearest: f32 -> f32."""

def sad(arg0: Value, arg1: Value, arg2: Value) -> tensor:
    """Third + abs(a − b): i32,i32,u32 -> i32; u32,u32,u32 -> u32."""

def saturatef(arg0: Value) -> tensor:
    """Clamp to [0,1], NaN→0: f32 -> f32."""

def scalbn(arg0: Value, arg1: Value) -> tensor:
    """a·2^b: f32,i32 -> f32; f64,i32 -> f64."""

def signbit(arg0: Value) -> tensor:
    """Non-zero if sign bit set: f32 -> i32; f64 -> i32."""

def sin(arg0: Value) -> tensor:
    """Sine: f32 -> f32; f64 -> f64."""

def sinh(arg0: Value) -> tensor:
    """Hyperbolic sine: f32 -> f32; f64 -> f64."""

def sinpi(arg0: Value) -> tensor:
    """sin(πx): f32 -> f32; f64 -> f64."""

def sqrt(arg0: Value) -> tensor:
    """Square root: f32 -> f32; f64 -> f64."""

def sqrt_rd(arg0: Value) -> tensor:
    """Square root, rounded down: f32 -> f32; f64 -> f64."""

def sqrt_rn(arg0: Value) -> tensor:
    """Square root, rounded to nearest: f32 -> f32; f64 -> f64."""

def sqrt_ru(arg0: Value) -> tensor:
    """Square root, rounded up: f32 -> f32; f64 -> f64."""

def sqrt_rz(arg0: Value) -> tensor:
    """Square root, rounded toward zero: f32 -> f32; f64 -> f64."""

def sub_rd(arg0: Value, arg1: Value) -> tensor:
    """Difference, rounded down: f32,f32 -> f32; f64,f64 -> f64."""

def sub_rn(arg0: Value, arg1: Value) -> tensor:
    """Difference, rounded to nearest: f32,f32 -> f32; f64,f64 -> f64."""

def sub_ru(arg0: Value, arg1: Value) -> tensor:
    """Difference, rounded up: f32,f32 -> f32; f64,f64 -> f64."""

def sub_rz(arg0: Value, arg1: Value) -> tensor:
    """Difference, rounded toward zero: f32,f32 -> f32; f64,f64 -> f64."""

def tan(arg0: Value) -> tensor:
    """Tangent: f32 -> f32; f64 -> f64."""

def tanh(arg0: Value) -> tensor:
    """Hyperbolic tangent: f32 -> f32; f64 -> f64."""

def tgamma(arg0: Value) -> tensor:
    """Γ: f32 -> f32; f64 -> f64."""

def trunc(arg0: Value) -> tensor:
    """Round toward 0: f64 -> f64; f32 -> f32."""

def uint2double_rn(arg0: Value) -> tensor:
    """Convert uint to double (nearest): u32 -> f64."""

def uint2float_rd(arg0: Value) -> tensor:
    """Convert uint to float, rounded down: u32 -> f32."""

def uint2float_rn(arg0: Value) -> tensor:
    """Convert uint to float, rounded to nearest: u32 -> f32."""

def uint2float_ru(arg0: Value) -> tensor:
    """Convert uint to float, rounded up: u32 -> f32."""

def uint2float_rz(arg0: Value) -> tensor:
    """Convert uint to float, rounded toward zero: u32 -> f32."""

def uint_as_float(arg0: Value) -> tensor:
    """Bit reinterpretation: u32 -> f32."""

def ull2double_rd(arg0: Value) -> tensor:
    """Convert ull to double, rounded down: u64 -> f64."""

def ull2double_rn(arg0: Value) -> tensor:
    """Convert ull to double, rounded to nearest: u64 -> f64."""

def ull2double_ru(arg0: Value) -> tensor:
    """Convert ull to double, rounded up: u64 -> f64."""

def ull2double_rz(arg0: Value) -> tensor:
    """Convert ull to double, rounded toward zero: u64 -> f64."""

def ull2float_rd(arg0: Value) -> tensor:
    """Convert ull to float, rounded down: u64 -> f32."""

def ull2float_rn(arg0: Value) -> tensor:
    """Convert ull to float, rounded to nearest: u64 -> f32."""

def ull2float_ru(arg0: Value) -> tensor:
    """Convert ull to float, rounded up: u64 -> f32."""

def ull2float_rz(arg0: Value) -> tensor:
    """Convert ull to float, rounded toward zero: u64 -> f32."""

def y0(arg0: Value) -> tensor:
    """Bessel Y0: f32 -> f32; f64 -> f64."""

def y1(arg0: Value) -> tensor:
    """Bessel Y1: f32 -> f32; f64 -> f64."""

def yn(arg0: Value, arg1: Value) -> tensor:
    """Bessel Y of order a: i32,f32 -> f32; i32,f64 -> f64."""
