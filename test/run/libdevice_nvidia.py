"""How far NVIDIA's own functions may be off: the bounds of a GPU in test_libdevice.py.

    bound("tanhf", "tanh", False, inputs, expected)    (ulps, absolute error): a result may be off by either

The ulps are those of the appendix on mathematical functions in CUDA's programming guide, for f32 and f64, as Intel's
comparison of CUDA's and OpenCL's precision quotes them (an older edition), and 1 more: the guide counts from the
rounded result and calls its numbers measured. The bounds of the fast_ functions and of sin.approx and cos.approx are
recalled from that guide and PTX's manual and were not compared with their text: where a GPU disagrees, read it first. Where
there is an absolute error, or no bound, `bound` says what is taken.

In f32 subnormal arguments and results count as zero (`flushes`), and `/` and sqrt inside of the functions are
approximate. expm1 in f32 gets 1 more than the guide's 1, which it exceeds even if ex2.approx were exact.
"""
import re

import numpy as np

import libdevice_reference as reference

LONG = np.longdouble
MARGIN = 1

ULPS = {
    "exp": (2, 1), "exp2": (2, 1), "exp10": (2, 1), "expm1": (2, 1), "log": (1, 1), "log2": (1, 1), "log10": (2, 1), "log1p": (1, 1),
    "sin": (2, 1), "cos": (2, 1), "tan": (4, 2), "sinpi": (2, 1), "cospi": (2, 1), "asin": (4, 2), "acos": (3, 1), "atan": (2, 2),
    "atan2": (3, 2), "sinh": (3, 1), "cosh": (2, 1), "tanh": (2, 1), "asinh": (3, 2), "acosh": (4, 2), "atanh": (3, 2),
    "sqrt": (1, 0), "rsqrt": (2, 1), "cbrt": (1, 1), "rcbrt": (1, 1), "hypot": (3, 2), "rhypot": (2, 1),
    "norm3d": (3, 2), "norm4d": (3, 2), "rnorm3d": (2, 1), "rnorm4d": (2, 1), "pow": (8, 2),
    "erf": (2, 2), "erfc": (4, 4), "erfinv": (2, 5), "erfcinv": (2, 6), "erfcx": (4, 3), "normcdf": (5, 5), "normcdfinv": (5, 7),
    "tgamma": (11, 8), "lgamma": (6, 4), "cyl_bessel_i0": (6, 6), "cyl_bessel_i1": (6, 6),
    "j0": (9, 7), "j1": (9, 7), "y0": (9, 7), "y1": (9, 7),
    # Not in the guide: repeated multiplication, a half for each of up to 31 factors, and a division.
    "powi": (32, 32),
    # The quotient of numbers whose divisor is not above 2^126; fast_powf and the other fast ones are in `bound`.
    "fast_fdividef": (2, 0),
}
# sin.approx and cos.approx, by |x|; PTX's manual states the wider ranges. Beyond the last one there is no bound.
SINE = ((np.pi, 2.0**-21.41), (2 * np.pi, 2.0**-20.5), (100 * np.pi, 2.0**-14.7))
COSINE = ((np.pi, 2.0**-21.19), (2 * np.pi, 2.0**-20.5), (100 * np.pi, 2.0**-14.7))
# Between 0.5 and 2 an absolute error, else ulps. log10's is said to be 2^-24, of which 2^-22 times log10(2) falls short.
LOGARITHMS = {"fast_logf": (2.0**-21.41, 3), "fast_log2f": (2.0**-22, 2), "fast_log10f": (2.0**-23.5, 3)}


def keeps_subnormals(short):
    """Instructions that Tessera emits itself, and what looks at bits."""
    return short in reference.INTEGERS or short in reference.TESTS or short in reference.REINTERPRETATIONS or \
        re.fullmatch(r"\w+2\w+_r[nzdu]|(f(add|sub|mul|div|sqrt|rcp)|fmaf)_r[nzdu]|fmaf|llrintf|fabsf|copysignf", short) is not None


def flushes(short, parameters):
    return "F32" in parameters and not keeps_subnormals(short)


def flush(array):
    if array.dtype != np.float32:
        return array
    return np.where(np.abs(array) < np.finfo(np.float32).tiny, np.copysign(np.float32(0), array), array)


def next_after(x, y):
    """nextafterf where subnormal numbers count as zero: zero's neighbours are the smallest normal numbers."""
    x, y = flush(x), flush(y)
    return np.where((x == 0) & (y != 0) & ~np.isnan(y), np.copysign(np.finfo(np.float32).tiny, y), np.nextafter(x, y))


def value(base, *inputs):
    """The reference's value, but where NVIDIA defines another: Bessel functions of a negative order are NaN."""
    result = reference.VALUES[base](*inputs)
    return np.where(inputs[0] < 0, LONG(np.nan), result) if base in ("jn", "yn") else result


def by_range(table, x):
    """The error of the first range with |x| in it; infinite behind the last."""
    error = np.full(x.shape, np.inf)
    for limit, bound_here in reversed(table):
        error = np.where(np.abs(x) <= limit, bound_here, error)
    return error


def fast_power(x, y):
    """The relative error of 2^(y·log2 x): log2's is absolute near 1 and relative elsewhere, and the product rounds."""
    logarithm = np.abs(np.log2(np.abs(x)))
    error = np.where((x >= 0.5) & (x <= 2), 2.0**-22, logarithm * 2.0**-22)
    return 2 * np.abs(y) * (error + logarithm * 2.0**-24) + 2.0**-21


def bessel(base, double, inputs):
    """(ulps, absolute error). By the guide the ulps hold below 8, or for yn below n, and an absolute error elsewhere.
    Taken besides: some absolute error near the functions' zeros below 8, and for yn in f64, where the guide is silent, 40
    times the ulps of f32. Near 0 the recurrence of jn overflows to NaN, and yn's infinity may have either sign."""
    absolute = 5e-12 if double else 2.2e-6
    if base in ("jn", "yn"):
        order, x = np.abs(inputs[0].astype(LONG)), np.abs(inputs[1])
        ulps = np.ceil(2 + LONG(2.5) * order) * (40 if double else 1) if base == "yn" else np.zeros(x.shape)
        open_here = x == 0 if base == "yn" else (x < 2.0**-30) & (order > 1)
        return ulps + MARGIN, np.where(open_here, np.inf, absolute)
    small = (7 if double else 9) * np.finfo(np.float64 if double else np.float32).eps
    x = np.abs(inputs[0])
    return np.full(x.shape, ULPS[base][double] + MARGIN), np.where(x < 8, small, absolute)


def bound_on_amd(short, base, double, inputs, expected):
    """The same bounds, which libclc's functions keep too; but tgamma in f64 is e to the power of lgamma there."""
    ulps, absolute = bound(short, base, double, inputs, expected)
    return (ulps + 3 * np.abs(np.nan_to_num(np.log(np.abs(expected)))), absolute) if short == "tgamma" else (ulps, absolute)


def bound(short, base, double, inputs, expected):
    """(ulps, absolute error), arrays; infinite where nothing is promised. `inputs` and `expected` are long doubles."""
    none, x = np.zeros(expected.shape), inputs[0]
    with np.errstate(all="ignore"):
        if base in ("j0", "j1", "y0", "y1", "jn", "yn"):
            return bessel(base, double, inputs)
        if base == "lgamma":  # inside -11 ... -2.26, where its zeros are, the guide says "larger": 16 ulps of the numbers there
            inside = (x > -11.001) & (x < -2.26)
            return none + ULPS[base][double] + MARGIN, np.where(inside, 64 * np.finfo(np.float64 if double else np.float32).eps, 0)
        if short in ("fast_sinf", "fast_cosf"):
            return none + MARGIN, by_range(SINE if short == "fast_sinf" else COSINE, x)
        if short == "fast_tanf":  # a quotient of these
            cosine, error = np.abs(np.cos(x)), by_range(COSINE, x)
            return none + 2 + MARGIN, np.where(cosine > 2 * error, 2 * (error + np.abs(expected) * error) / cosine, np.inf)
        if short in LOGARITHMS:
            absolute, ulps = LOGARITHMS[short]
            return none + ulps + MARGIN, np.where((x >= 0.5) & (x <= 2), absolute, 0)
        if short in ("fast_expf", "fast_exp10f"):
            size = np.minimum(np.abs(x), 104)  # results are 0 or infinite behind it
            return 2 + np.floor(size * (1.173 if short == "fast_expf" else 2.97)) + MARGIN, none
        if short == "fast_powf":
            relative = fast_power(x, inputs[1])
            return none + MARGIN, np.where(relative < 0.5, relative * np.abs(expected), np.inf)
        if short == "fast_fdividef":  # 0, or NaN for an infinite dividend, if the divisor is over 2^126
            return none + 2 + MARGIN, np.where(np.abs(inputs[1]) > 2.0**126, np.inf, 0)
        if short == "powf":  # a subnormal base counts as a number of its size or as zero, or as anything between
            return none + ULPS[base][0] + MARGIN, np.where((x != 0) & (np.abs(x) < np.finfo(np.float32).tiny), np.inf, 0)
        if short in ("cbrtf", "rcbrtf", "logbf"):  # they take subnormal arguments apart by a product that is flushed: NaN, or -150
            subnormal = (x != 0) & (np.abs(x) < np.finfo(np.float32).tiny)
            return none + (0.5 if short == "logbf" else ULPS[base][0] + MARGIN), np.where(subnormal, np.inf, 0)
        if base in reference.EXACT and short != "sqrtf":  # the sign of zero counts; .sat may keep that of -0.0
            return none + (0.51 if short == "saturatef" else 0.5), none
        return none + (0.51 if short == "frsqrt_rn" else ULPS[base][double] + MARGIN), none
