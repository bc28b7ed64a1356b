"""What each of libdevice's functions returns, computed in another way: long double, Python's integers and fractions, and
the long double half of libm, which the compiled kernels do not use.

    VALUES["tanh"](x)       the result for arrays, in long double (or integers), from arguments in long double
    ULPS["tanh"]            how far a kernel's result may be off, in its type's ulps, f32 and f64

Names are the symbols' without __nv_ and, where f32 and f64 differ by it only, without the f.
"""
import ctypes
import decimal
import fractions
import math

import numpy as np

LONG = np.longdouble
PI = LONG("3.14159265358979323846264338327950288")
SQRT2 = LONG("1.41421356237309504880168872420969808")
SQRTPI = LONG("1.77245385090551602729816748334114518")

libm = ctypes.CDLL("libm.so.6")


def numbers_of(array):
    """Python's; of long doubles that are doubles."""
    return array.astype(np.float64).tolist() if array.dtype.kind == "f" else array.tolist()


def elementwise(function):
    """On arrays of Python's numbers, one by one; the result in long double."""
    def apply(*arrays):
        return np.array([function(*numbers) for numbers in zip(*map(numbers_of, arrays))], dtype=LONG)
    return apply


def from_libm(name, parameters=1, order=False):
    """libm's long double function, whose results ctypes rounds to double: half an ulp of f64."""
    function = getattr(libm, name + "l")
    function.restype = ctypes.c_longdouble
    function.argtypes = [ctypes.c_int] * order + [ctypes.c_longdouble] * parameters
    return elementwise(lambda *numbers: function(*numbers))


erf, erfc = from_libm("erf"), from_libm("erfc")


def sinpi(x):
    x = np.fmod(x, LONG(2))  # exact
    x = np.where(np.abs(x) > LONG(1.5), x - np.copysign(LONG(2), x), x)
    x = np.where(np.abs(x) > LONG(0.5), np.copysign(LONG(1), x) - x, x)
    return np.sin(PI * x)


def cospi(x):
    x = np.abs(np.fmod(x, LONG(2)))
    return np.where(x > 1, -sinpi(LONG(1.5) - x), sinpi(LONG(0.5) - x))


def norm(*args):
    total = sum(arg * arg for arg in args)
    infinite = np.any([np.isinf(arg) for arg in args], axis=0)
    return np.where(infinite, LONG(np.inf), np.sqrt(total))


def erfcx(x, cut=20):
    with np.errstate(all="ignore"):
        series, term = np.ones_like(x), np.ones_like(x)
        for k in range(1, 20):
            term = -term * (2 * k - 1) / (2 * x * x)
            series = series + term
        return np.where(x > cut, series / (x * SQRTPI), np.exp(x * x) * erfc(np.minimum(x, cut + 1)))


def normcdf(x):
    # ctypes passes doubles: what an argument loses is put back with the derivative.
    exact = -x / SQRT2
    near = exact.astype(np.float64)
    rest = np.where(np.isfinite(near), exact - near, 0)
    return (erfc(near) - 2 / SQRTPI * np.exp(-exact * exact) * rest) / 2


def inverse_erf(x, complement):
    """erfinv, erfcinv: Newton's method in long double on erf or erfc, which are good to f64, and so is the result."""
    low, high = (0, 2) if complement else (-1, 1)
    result = np.full(x.shape, np.nan, LONG)
    for i, value in enumerate(numbers_of(x)):
        if low < value < high:
            result[i] = solve(fractions.Fraction(value), complement)
        elif value in (low, high):
            result[i] = np.inf if (value == high) != complement else -np.inf
    return result


def solve(value, complement):
    """As erf(r) = z in the middle, erfc(|r|) = y in the tails."""
    z = 1 - value if complement else value
    y = 1 - abs(z)
    if z == 0:
        return LONG(0)
    if abs(z) <= fractions.Fraction(1, 2):
        root = bisect(lambda r: math.erf(r) < float(abs(z)), 0.0, 1.0)
        excess = erf(np.array([root]))[0] - LONG(float(abs(z)))
        root = LONG(root) - excess / (2 / SQRTPI * np.exp(-LONG(root) ** 2))
    elif y > fractions.Fraction(1, 10**40):
        root = bisect(lambda r: math.erfc(r) > float(y), 0.0, 28.0)
        excess = LONG(float(y)) - erfc(np.array([root]))[0]
        root = LONG(root) - excess / (2 / SQRTPI * np.exp(-LONG(root) ** 2))
    else:
        # log erfc(r) = -r² - log(r√π) + log(1 - 1/(2r²) + 3/(2r²)² - ...)
        root = LONG(12)
        for _ in range(30):
            logarithm = np.log(erfcx(np.array([root]), 9)[0]) - root * root
            root += (logarithm - np.log(LONG(float(y)))) / (2 * root)
    return root if z > 0 else -root


def bisect(is_below, low, high):
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if is_below(middle) else (low, middle)
    return low


def bessel_i(order):
    """The power series, all of whose terms are positive, in 40 digits."""
    def one(x):
        if math.isnan(x):
            return math.nan
        if math.isinf(x) or abs(x) > 720:
            return math.inf if order == 0 or x > 0 else -math.inf
        with decimal.localcontext() as context:
            context.prec = 40
            quarter = decimal.Decimal(x) ** 2 / 4
            term = total = decimal.Decimal(1) if order == 0 else abs(decimal.Decimal(x)) / 2
            k = 1
            while term > total * decimal.Decimal("1e-36"):
                term = term * quarter / (k * (k + order))
                total += term
                k += 1
            return math.copysign(float(total), x) if order else float(total)
    return elementwise(one)


def integer_power(x, n):
    return np.power(x, n.astype(LONG))


def ilogb(x):
    def one(value):
        if value == 0 or math.isnan(value):
            return -(1 << 31)
        return (1 << 31) - 1 if math.isinf(value) else math.frexp(value)[1] - 1
    return np.array([one(value) for value in numbers_of(x)], np.int32)


def logb(x):
    with np.errstate(all="ignore"):
        exponent = np.frexp(np.where(np.isfinite(x), x, LONG(1)))[1] - LONG(1)
    return np.where(x == 0, -LONG(np.inf), np.where(np.isfinite(x), exponent, x * x))


def fdim(x, y):
    with np.errstate(all="ignore"):
        return np.where(np.isnan(x) | np.isnan(y), LONG(np.nan), np.where(x > y, x - y, LONG(0)))


def remainder(x, y):
    def one(a, b):
        return math.nan if math.isnan(a) or math.isnan(b) or math.isinf(a) or b == 0 else math.remainder(a, b)
    return elementwise(one)(x, y)


def half_away(x):
    return np.copysign(np.floor(np.abs(x) + LONG(0.5)), x)


VALUES = {
    # One argument
    **{name: getattr(np, name) for name in (
        "exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh cbrt sqrt floor ceil trunc rint fabs").split()},
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
    "nearbyint": np.rint, "round": half_away,
    "exp10": lambda x: np.power(LONG(10), x),
    "rsqrt": lambda x: 1 / np.sqrt(x), "rcbrt": lambda x: 1 / np.cbrt(x), "frsqrt_rn": lambda x: 1 / np.sqrt(x),
    "sinpi": sinpi, "cospi": cospi, "erf": erf, "erfc": erfc, "erfcx": erfcx,
    "erfinv": lambda x: inverse_erf(x, False), "erfcinv": lambda x: inverse_erf(x, True),
    "normcdf": normcdf, "normcdfinv": lambda x: -SQRT2 * inverse_erf(2 * x, True),
    "lgamma": from_libm("lgamma"), "tgamma": from_libm("tgamma"),
    "j0": from_libm("j0"), "j1": from_libm("j1"), "y0": from_libm("y0"), "y1": from_libm("y1"),
    "cyl_bessel_i0": bessel_i(0), "cyl_bessel_i1": bessel_i(1),
    "saturatef": lambda x: np.where(x > 0, np.minimum(x, LONG(1)), LONG(0)),
    "ilogb": ilogb, "logb": logb,
    # More arguments
    "pow": np.power, "atan2": np.arctan2, "hypot": np.hypot, "fmod": np.fmod, "remainder": remainder,
    "copysign": np.copysign, "fdim": fdim, "powi": integer_power,
    "ldexp": lambda x, n: np.ldexp(x, np.clip(n, -5000, 5000)), "scalbn": lambda x, n: np.ldexp(x, np.clip(n, -5000, 5000)),
    "jn": from_libm("jn", 1, order=True), "yn": from_libm("yn", 1, order=True),
    "rhypot": lambda x, y: 1 / norm(x, y), "norm3d": norm, "norm4d": norm,
    "rnorm3d": lambda *args: 1 / norm(*args), "rnorm4d": lambda *args: 1 / norm(*args),
    # The fast ones
    "fast_fdividef": np.divide, "fast_powf": lambda x, y: np.exp2(y * np.log2(x)),
    **{f"fast_{name}f": getattr(np, name) for name in "sin cos tan log log2 log10 exp".split()},
    "fast_exp10f": lambda x: np.power(LONG(10), x),
}

EXACT = set("floor ceil trunc rint nearbyint round fabs sqrt copysign fdim fmod remainder logb ldexp scalbn saturatef".split())
# Functions of libmvec are good to 4 ulps, libm's own to less; the second number is f64's.
ULPS = {
    "exp": (1.2, 4), "exp2": (1, 4), "log": (1, 4), "log2": (1.2, 4), "tanh": (1.2, 4), "erf": (1.3, 4),
    "rsqrt": (1.6, 1.6), "frsqrt_rn": (0.51, 0), "rcbrt": (0.6, 6), "sinpi": (0.6, 3), "cospi": (0.6, 3),
    "rhypot": (0.6, 3), "norm3d": (0.6, 3), "norm4d": (0.6, 3), "rnorm3d": (0.6, 3), "rnorm4d": (0.6, 3),
    "erfinv": (0.6, 8), "erfcinv": (0.6, 8), "normcdfinv": (0.6, 8), "normcdf": (0.6, 8), "erfcx": (0.6, 10),
    "cyl_bessel_i0": (0.6, 10), "cyl_bessel_i1": (0.6, 10), "pow": (1.1, 4), "powi": (1.1, 4),
    "lgamma": (0.6, 8), "tgamma": (0.6, 10), "fast_fdividef": (0.5, 0),
    "j0": (0.6, 8), "j1": (0.6, 8), "y0": (0.6, 8), "y1": (0.6, 8), "jn": (0.6, 32), "yn": (0.6, 32),
    **{name: (0.5, 0.5) for name in EXACT},
}
# Near their zeros these are as good as their size elsewhere: an error relative to this number counts.
SCALES = {"j0": 1, "j1": 1, "y0": 1, "y1": 1, "jn": 1, "yn": 1, "lgamma": 1}


#===- Chosen rounding -----------------------------------------------------------------------------------------------===#

DIGITS = {np.float32: (24, -149, 128), np.float64: (53, -1074, 1024)}


def round_fraction(value, storage, mode):
    """An exact fraction as a float: _rn to nearest even, _rz toward zero, _rd down, _ru up."""
    digits, least, top = DIGITS[storage]
    if value == 0:
        return storage(0)
    negative, size = value < 0, abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent += size >= fractions.Fraction(2) ** exponent
    last = max(exponent - digits, least)
    scaled = size / fractions.Fraction(2) ** last
    whole = scaled.numerator // scaled.denominator
    rest = scaled - whole
    up = {"rn": rest > fractions.Fraction(1, 2) or (rest == fractions.Fraction(1, 2) and whole % 2 == 1),
          "rz": False, "rd": negative and rest > 0, "ru": not negative and rest > 0}[mode]
    whole += up
    if whole.bit_length() + last > top:
        away = {"rn": True, "rz": False, "rd": negative, "ru": not negative}[mode]
        size = storage(np.inf) if away else np.finfo(storage).max
    else:
        size = storage(math.ldexp(whole, last))
    return -size if negative else size


def floor_root(value):
    """√value as a fraction, cut so far out that only an exact root looks exact."""
    digits = 100 + max(value.denominator.bit_length(), 1)
    shift = 2 * digits
    scaled = (value.numerator << shift) // value.denominator
    root = math.isqrt(scaled)
    exact = root * root == scaled and (value.numerator << shift) % value.denominator == 0
    return fractions.Fraction(2 * root + (not exact), 1 << digits + 1)


OPERATIONS = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y, "fma": lambda x, y, z: x * y + z, "rcp": lambda x: 1 / x, "sqrt": floor_root,
    "narrow": lambda x: x,
}


def rounded(operation, storage, mode, *arrays):
    """One operation on floats, exactly, then rounded; infinities, NaN and zeros as NumPy has them."""
    with np.errstate(all="ignore"):
        plain = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "sqrt": np.sqrt,
                 "fma": lambda x, y, z: x * y + z, "rcp": lambda x: 1 / x, "narrow": lambda x: x.astype(storage)}[operation](*arrays)
    result = np.array(plain, storage)
    for i, numbers in enumerate(zip(*arrays)):
        finite = all(np.isfinite(number) for number in numbers)
        undefined = (operation == "div" and numbers[1:] == (0,)) or (operation == "rcp" and numbers[0] == 0) or \
            (operation == "sqrt" and numbers[0] < 0)
        if not finite or undefined:
            if operation == "fma" and not np.isnan(numbers[0] * numbers[1]) and np.isfinite(numbers[0]) and np.isfinite(numbers[1]):
                result[i] = numbers[2]  # the product may overflow in NumPy, not in a fused operation
            continue
        value = OPERATIONS[operation](*(fractions.Fraction(float(number)) for number in numbers))
        if value != 0:
            result[i] = round_fraction(value, storage, mode)
        elif mode == "rd" and operation in ("add", "sub", "fma") and not is_signed_zero_kept(operation, numbers):
            result[i] = storage(-0.0)  # x - x rounded down
    return result


def is_signed_zero_kept(operation, numbers):
    """Whether a zero result is the sum of zeros of one sign, which every rounding keeps."""
    if operation == "fma":
        product = math.copysign(1, numbers[0]) * math.copysign(1, numbers[1])
        first, second = (product, float(numbers[0]) * float(numbers[1]) == 0), numbers[2]
    else:
        first, second = (math.copysign(1, numbers[0]), numbers[0] == 0), -numbers[1] if operation == "sub" else numbers[1]
    return first[1] and second == 0 and first[0] == math.copysign(1, second)


def int_to_float(values, storage, mode):
    return np.array([round_fraction(fractions.Fraction(value), storage, mode) for value in values.tolist()], storage)


def float_to_int(values, storage, mode, wide):
    """Saturating; NaN is 0, or the highest bit alone where either side has 64 bits (`wide`)."""
    info = np.iinfo(storage)
    nan = (1 << info.bits - 1 if info.min == 0 else info.min) if wide else 0
    functions = {"rz": math.trunc, "rd": math.floor, "ru": math.ceil, "rn": round,
                 "away": lambda x: math.trunc(math.copysign(math.floor(fractions.Fraction(abs(x)) + fractions.Fraction(1, 2)), x))}
    def one(value):
        if math.isnan(value):
            return nan
        if math.isinf(value):
            return info.max if value > 0 else info.min
        return min(max(functions[mode](value), info.min), info.max)
    return np.array([one(value) for value in values.tolist()], storage)


#===- Integers ------------------------------------------------------------------------------------------------------===#

def signed(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


def byte_perm(x, y, s):
    source = (x & 0xFFFFFFFF) | (y & 0xFFFFFFFF) << 32
    return sum((source >> 8 * (s >> 4 * i & 7) & 0xFF) << 8 * i for i in range(4))


# Of Python's integers, signed as the symbol's arguments are; the result's low bits count.
INTEGERS = {
    "clz": lambda x: 32 - (x & 0xFFFFFFFF).bit_length(), "clzll": lambda x: 64 - (x & (1 << 64) - 1).bit_length(),
    "popc": lambda x: bin(x & 0xFFFFFFFF).count("1"), "popcll": lambda x: bin(x & (1 << 64) - 1).count("1"),
    "ffs": lambda x: (x & -x).bit_length(), "ffsll": lambda x: (x & -x).bit_length(),
    "brev": lambda x: int(f"{x & 0xFFFFFFFF:032b}"[::-1], 2), "brevll": lambda x: int(f"{x & (1 << 64) - 1:064b}"[::-1], 2),
    "abs": abs, "llabs": abs, "byte_perm": byte_perm,
    "mulhi": lambda x, y: x * y >> 32, "umulhi": lambda x, y: x * y >> 32,
    "mul64hi": lambda x, y: x * y >> 64, "umul64hi": lambda x, y: x * y >> 64,
    "mul24": lambda x, y: signed(x, 24) * signed(y, 24), "umul24": lambda x, y: (x & 0xFFFFFF) * (y & 0xFFFFFF),
    "sad": lambda x, y, z: abs(x - y) + z, "usad": lambda x, y, z: abs(x - y) + z,
    "hadd": lambda x, y: x + y >> 1, "uhadd": lambda x, y: x + y >> 1,
    "rhadd": lambda x, y: x + y + 1 >> 1, "urhadd": lambda x, y: x + y + 1 >> 1,
}

TESTS = {
    "isnanf": np.isnan, "isnand": np.isnan, "isinff": np.isinf, "isinfd": np.isinf, "finitef": np.isfinite,
    "isfinited": np.isfinite, "signbitf": np.signbit, "signbitd": np.signbit,
}

REINTERPRETATIONS = {
    "int_as_float": np.float32, "uint_as_float": np.float32, "float_as_int": np.int32, "float_as_uint": np.int32,
    "longlong_as_double": np.float64, "double_as_longlong": np.int64,
}
