"""Measures the functions of fp32 against those of fp64, in the kernel itself: 2^32 arguments take seconds."""
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def both(x, FUNCTION: tl.constexpr):
    # The function at x, and at x in fp64. (A signature has no strings, so that functions have numbers.)
    wide = x.to(tl.float64)
    if FUNCTION == 0:
        return tl.exp(x), tl.exp(wide)
    elif FUNCTION == 1:
        return tl.exp2(x), tl.exp2(wide)
    elif FUNCTION == 2:
        return tl.log(x), tl.log(wide)
    elif FUNCTION == 3:
        return tl.log2(x), tl.log2(wide)
    elif FUNCTION == 4:
        return libdevice.tanh(x), libdevice.tanh(wide)
    elif FUNCTION == 5:
        return tl.erf(x), tl.erf(wide)
    elif FUNCTION == 6:
        return tl.sin(x), tl.sin(wide)
    elif FUNCTION == 7:
        return tl.cos(x), tl.cos(wide)
    elif FUNCTION == 8:
        return tl.rsqrt(x), 1.0 / tl.sqrt(wide)
    else:
        tl.static_assert(FUNCTION == 9)
        return tl.sqrt(x), tl.sqrt(wide)


# signature: *fp64,i64,0,1024
@triton.jit
def worst_error(out_ptr, stride, FUNCTION: tl.constexpr, BLOCK: tl.constexpr):
    # The largest error, in ulps, among BLOCK arguments whose bits are `stride` apart.
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    x = (i * stride).to(tl.int32).to(tl.float32, bitcast=True)
    single, exact = both(x, FUNCTION)
    actual = single.to(tl.float64)
    # The spacing of fp32 at the exact value, as fp64's bits.
    exponent = (exact.to(tl.int64, bitcast=True) >> 52) & 2047
    spacing = ((tl.maximum(exponent, 1023 - 126) - 23) << 52).to(tl.float64, bitcast=True)
    error = tl.abs(actual - exact) / spacing
    # fp32 has no numbers from here on.
    limit = 3.4028235677973366e38
    overflows = (tl.abs(exact) >= limit) & (actual == tl.where(exact > 0, float("inf"), float("-inf")))
    same = (actual == exact) | overflows | ((actual != actual) & (exact != exact))
    error = tl.where(same, 0.0, error)
    error = tl.where(error == error, error, 1e300)  # NaN on one side only
    tl.store(out_ptr + tl.program_id(0), tl.max(error, axis=0))
