"""What each vector instruction computes: functions of arrays, by name.

    FUNCTIONS["v_add_f32"]      (function, kinds of the sources, kind of the result)

Approximate instructions (v_exp_f32, v_rcp_f32, ...) are exact here; those of f32 do flush denormal numbers, as on the chip.
The scaling of v_div_scale is left out, and v_div_fixup gives the exact quotient.
"""
import functools

import numpy as np

from ..numbers import f32_to_bf16, fused
from .scalar import count_leading, count_ones, count_trailing, reverse_bits

U16, U32, U64, F64 = np.uint16, np.uint32, np.uint64, np.float64
np.seterr(all="ignore")


def extreme(number, sign_of_zero):
    """-0 is less than 0; a NaN is no number."""
    def function(x, y):
        result = number(x, y)
        zero = (x == 0) & (y == 0)
        if zero.any():
            sign = np.where(sign_of_zero(np.signbit(x), np.signbit(y)), x.dtype.type(-0.0), x.dtype.type(0))
            result = np.where(zero, sign, result)
        return result
    return function


least, most = extreme(np.fmin, np.logical_or), extreme(np.fmax, np.logical_and)
least_or_nan, most_or_nan = extreme(np.minimum, np.logical_or), extreme(np.maximum, np.logical_and)


def middle(smaller, larger):
    return lambda x, y, z: larger(smaller(x, y), smaller(larger(x, y), z))


def shift(function, bits):
    return lambda by, x: function(x, (by & by.dtype.type(bits - 1)).astype(x.dtype))


def low24(x):
    return x & U32(0xFFFFFF)


def signed24(x):
    return x << np.int32(8) >> np.int32(8)


def high_product(x, y):
    wide = np.int64 if x.dtype.kind == "i" else U64
    return (x.astype(wide) * y.astype(wide) >> wide(32)).astype(x.dtype)


def select_bytes(high, low, picks):
    both = high.astype(U64) << U64(32) | low
    result = np.zeros(np.broadcast(high, low, picks).shape, U32)
    for place in range(4):
        pick = picks >> U32(8 * place) & U32(255)
        octet = (both >> (pick & U32(7)).astype(U64) * U64(8)).astype(U32) & U32(255)
        # 8 to 11 give the sign of the bytes 1, 3, 5 and 7; 12 gives 0, and higher ones 0xFF.
        sign = (both >> ((pick & U32(3)) * U32(16) + U32(15)).astype(U64)).astype(U32) & U32(1)
        octet = np.where(pick >= 13, U32(255), np.where(pick == 12, U32(0), np.where(pick >= 8, sign * U32(255), octet)))
        result |= octet << U32(8 * place)
    return result


def field(x, offset, width):
    offset, width = offset & U32(31), width & U32(31)
    if x.dtype.kind == "u":
        return x >> offset & ((U32(1) << width) - U32(1))
    top = np.clip(32 - offset.astype(np.int64) - width, 0, 31).astype(np.int32)
    result = x << top >> np.minimum(top + offset.astype(np.int32), 31)
    return np.where(width == 0, np.int32(0), np.where(offset + width >= 32, x >> offset.astype(np.int32), result))


def to_integer(dtype):
    """Toward zero, saturating; a NaN becomes 0."""
    limits = np.iinfo(dtype)

    def function(x):
        whole = np.trunc(x.astype(F64))
        return np.where(np.isnan(whole), 0, np.clip(whole, limits.min, limits.max)).astype(np.int64).astype(dtype)
    return function


def toward_zero(x):
    """f32 to f16."""
    result = x.astype(np.float16)
    beyond = np.abs(result.astype(np.float32)) > np.abs(x)
    return np.where(beyond, (result.view(U16) - U16(1)).view(np.float16), result)


def pack(low, high):
    return low.view(U16).astype(U32) | high.view(U16).astype(U32) << U32(16)


def flushed(function):
    """For f32: denormal operands and results are 0."""
    tiny = np.finfo(np.float32).tiny

    def clean(x):
        return np.where(np.abs(x) < tiny, np.copysign(np.float32(0), x), x)
    return lambda x: clean(function(clean(x)).astype(np.float32))


def turns(function):
    return lambda x: function(np.mod(x.astype(F64), 1) * 2 * np.pi).astype(x.dtype)


def mantissa(x):
    return np.where(np.isfinite(x), np.frexp(x)[0], x).astype(x.dtype)


def exponent(x):
    return np.where(np.isfinite(x), np.frexp(x)[1], 0).astype(np.int32)


def fraction(x):
    below_one = np.nextafter(x.dtype.type(1), x.dtype.type(0))
    return np.minimum(x - np.floor(x), below_one)


def trigonometric_bits(x, segment):
    """v_trig_preop_f64: 53 bits of 2/pi, chosen by the exponent of x, for the reduction of large arguments."""
    shape, values = np.broadcast(x, segment).shape, []
    x, segment = (np.broadcast_to(v, shape).ravel() for v in (x, segment))
    for bits, number in zip(np.ascontiguousarray(x).view(U64).tolist(), segment.tolist()):
        power = bits >> 52 & 0x7FF
        begin = (number & 31) * 53 + (power - 1077 if power > 1077 else 0)
        mantissa_bits = (TWO_OVER_PI << begin >> (1201 - 53)) & ((1 << 53) - 1)
        values.append(np.ldexp(float(mantissa_bits), -53 - begin + (128 if power >= 1968 else 0)))
    return np.array(values, F64).reshape(shape)


@functools.cache
def two_over_pi_bits(count=1201):
    """The fraction's first bits: pi by Machin's formula, in integers."""
    scale = 1 << (count + 64)

    def arctan(inverse):
        total = term = scale // inverse
        n, sign = 3, -1
        while term:
            term //= inverse * inverse
            total += sign * (term // n)
            n, sign = n + 2, -sign
        return total
    pi = 4 * (4 * arctan(5) - arctan(239))
    return (2 * scale * scale // pi) >> 64


TWO_OVER_PI = two_over_pi_bits()


def table():
    entries = {}

    def add(name, function, sources, result=None):
        entries["v_" + name] = (function, tuple(sources.split()), result or sources.split()[0])
    for kind in ("f16", "f32", "f64"):
        add_floats(add, kind)
    for kind in ("u16", "i16", "u32", "i32"):
        for name, function in (("add", np.add), ("sub", np.subtract), ("subrev", lambda x, y: y - x), ("min", np.minimum), ("max", np.maximum),
                               ("mul_lo", np.multiply)):
            add(f"{name}_{kind}", function, f"{kind} {kind}")
        for name, function in (("min", np.minimum), ("max", np.maximum)):
            add(f"{name}3_{kind}", lambda x, y, z, f=function: f(f(x, y), z), f"{kind} {kind} {kind}")
        add(f"med3_{kind}", middle(np.minimum, np.maximum), f"{kind} {kind} {kind}")
        add(f"mad_{kind}", lambda x, y, z: x * y + z, f"{kind} {kind} {kind}")
        for first, second in (("min", "max"), ("max", "min")):
            add(f"{first}{second}_{kind}", lambda x, y, z, f=getattr(np, first + "imum"), g=getattr(np, second + "imum"): g(f(x, y), z), f"{kind} {kind} {kind}")
    add_bits(add)
    add_wide(add)
    add_conversions(add)
    return entries


def add_floats(add, kind):
    two, three = f"{kind} {kind}", f"{kind} {kind} {kind}"
    for name, function in (("add", np.add), ("sub", np.subtract), ("subrev", lambda x, y: y - x), ("mul", np.multiply), ("min", least), ("max", most),
                           ("minnan", least_or_nan), ("maxnan", most_or_nan)):
        add(f"{name}_{kind}", function, two)
    for name, function in (("min3", lambda x, y, z: least(least(x, y), z)), ("max3", lambda x, y, z: most(most(x, y), z)),
                           ("minmax", lambda x, y, z: most(least(x, y), z)), ("maxmin", lambda x, y, z: least(most(x, y), z)), ("med3", middle(least, most)),
                           ("minnan3", lambda x, y, z: least_or_nan(least_or_nan(x, y), z)), ("maxnan3", lambda x, y, z: most_or_nan(most_or_nan(x, y), z)),
                           ("fma", fused), ("mad", fused), ("fmamk", fused), ("fmaak", fused), ("madmk", fused), ("madak", fused),
                           ("div_fmas", fused), ("div_fixup", lambda q, d, n: n / d)):
        add(f"{name}_{kind}", function, three)
    clean = flushed if kind == "f32" else lambda function: function
    for name, function in (("exp", np.exp2), ("log", np.log2), ("rcp", np.reciprocal), ("rcp_iflag", np.reciprocal), ("sqrt", np.sqrt),
                           ("rsq", lambda x: (1 / np.sqrt(x.astype(np.longdouble))).astype(x.dtype)), ("sin", turns(np.sin)), ("cos", turns(np.cos))):
        add(f"{name}_{kind}", clean(function), kind)
    for name, function in (("floor", np.floor), ("ceil", np.ceil), ("trunc", np.trunc), ("rndne", np.rint), ("fract", fraction), ("frexp_mant", mantissa)):
        add(f"{name}_{kind}", function, kind)
    add(f"frexp_exp_i32_{kind}", exponent, kind, "i32")
    add(f"ldexp_{kind}", lambda x, y: np.ldexp(x, y.astype(np.int32)), f"{kind} i32" if kind != "f16" else "f16 i16")


def add_bits(add):
    for kind, bits in (("b16", 16), ("b32", 32), ("b64", 64)):
        for name, function in (("and", np.bitwise_and), ("or", np.bitwise_or), ("xor", np.bitwise_xor)):
            add(f"{name}_{kind}", function, f"{kind} {kind}")
        count = "u16" if bits == 16 else "u32"
        add(f"lshlrev_{kind}", shift(np.left_shift, bits), f"{count} {kind}", kind)
        add(f"lshrrev_{kind}", shift(np.right_shift, bits), f"{count} {kind}", kind)
        add(f"ashrrev_i{bits}", shift(np.right_shift, bits), f"{count} i{bits}", f"i{bits}")
        add(f"not_{kind}", np.invert, kind)
        add(f"mov_{kind}", lambda x: x, kind)
    three = "u32 u32 u32"
    for name, function in (
            ("lshl_or_b32", lambda x, by, y: x << (by & U32(31)) | y), ("lshl_add_u32", lambda x, by, y: (x << (by & U32(31))) + y),
            ("add_lshl_u32", lambda x, y, by: x + y << (by & U32(31))), ("and_or_b32", lambda x, y, z: x & y | z), ("or3_b32", lambda x, y, z: x | y | z),
            ("xor3_b32", lambda x, y, z: x ^ y ^ z), ("add3_u32", lambda x, y, z: x + y + z), ("xad_u32", lambda x, y, z: (x ^ y) + z),
            ("bfi_b32", lambda m, x, y: m & x | ~m & y), ("perm_b32", select_bytes), ("bfe_u32", field),
            ("alignbit_b32", lambda x, y, by: ((x.astype(U64) << U64(32) | y) >> (by & U32(31)).astype(U64)).astype(U32)),
            ("alignbyte_b32", lambda x, y, by: ((x.astype(U64) << U64(32) | y) >> (by & U32(3)).astype(U64) * U64(8)).astype(U32)),
            ("mad_u32_u24", lambda x, y, z: low24(x) * low24(y) + z)):
        add(name, function, three)
    add("bfe_i32", field, "i32 u32 u32")
    add("mad_i32_i24", lambda x, y, z: signed24(x) * signed24(y) + z, "i32 i32 i32")
    add("mul_u32_u24", lambda x, y: low24(x) * low24(y), "u32 u32")
    add("mul_i32_i24", lambda x, y: signed24(x) * signed24(y), "i32 i32")
    add("mul_hi_u32_u24", lambda x, y: high_product(low24(x), low24(y)), "u32 u32")
    add("mul_hi_i32_i24", lambda x, y: high_product(signed24(x), signed24(y)), "i32 i32")
    add("mul_hi_u32", high_product, "u32 u32")
    add("mul_hi_i32", high_product, "i32 i32")
    add("bfm_b32", lambda width, at: ((U32(1) << (width & U32(31))) - U32(1)) << (at & U32(31)), "u32 u32")
    add("xnor_b32", lambda x, y: ~(x ^ y), "u32 u32")
    add("bfrev_b32", reverse_bits, "u32")
    add("bcnt_u32_b32", lambda x, y: count_ones(x) + y, "u32 u32")
    add("ffbh_u32", lambda x: count_leading(x, False), "u32")
    add("ffbh_i32", lambda x: count_leading(x, True), "u32")
    add("ffbl_b32", count_trailing, "u32")
    add("accvgpr_read_b32", lambda x: x, "u32")
    add("accvgpr_write_b32", lambda x: x, "u32")
    add("accvgpr_mov_b32", lambda x: x, "u32")
    add("sad_u32", lambda x, y, z: np.maximum(x, y) - np.minimum(x, y) + z, three)
    add("pack_b32_f16", pack, "f16 f16", "u32")
    add("mad_u32_u16", lambda x, y, z: x.astype(U32) * y + z, "u16 u16 u32", "u32")
    add("mad_i32_i16", lambda x, y, z: x.astype(np.int32) * y + z, "i16 i16 i32", "i32")
    add("cvt_pk_u16_u32", lambda x, y: np.minimum(x, 0xFFFF) | np.minimum(y, U32(0xFFFF)) << U32(16), "u32 u32")
    add("cvt_pk_i16_i32", lambda x, y: pack(*(np.clip(v, -32768, 32767).astype(np.int16) for v in (x, y))), "i32 i32", "u32")


def add_wide(add):
    add("lshl_add_u64", lambda x, by, y: (x << (by & U32(7)).astype(U64)) + y, "u64 u32 u64")
    add("add_u64", np.add, "u64 u64")
    add("sub_u64", np.subtract, "u64 u64")
    add("mul_u64", np.multiply, "u64 u64")
    add("trig_preop_f64", trigonometric_bits, "f64 u32")


def add_conversions(add):
    for kind in ("f16", "f32", "f64"):
        for other in ("f16", "f32", "f64"):
            if kind != other:
                add(f"cvt_{kind}_{other}", lambda x, d=np.dtype("f" + str(int(kind[1:]) // 8)): x.astype(d), other, kind)
        for whole in ("u32", "i32", "u16", "i16"):
            dtype = np.dtype(whole[0] + str(int(whole[1:]) // 8))
            add(f"cvt_{whole}_{kind}", to_integer(dtype), kind, whole)
            add(f"cvt_{kind}_{whole}", lambda x, d=np.dtype("f" + str(int(kind[1:]) // 8)): x.astype(d), whole, kind)
    for octet in range(4):
        add(f"cvt_f32_ubyte{octet}", lambda x, by=U32(8 * octet): (x >> by & U32(255)).astype(np.float32), "u32", "f32")
    add("cvt_pkrtz_f16_f32", lambda x, y: pack(toward_zero(x), toward_zero(y)), "f32 f32", "u32")
    add("cvt_pk_rtz_f16_f32", lambda x, y: pack(toward_zero(x), toward_zero(y)), "f32 f32", "u32")
    add("cvt_pk_f16_f32", lambda x, y: pack(x.astype(np.float16), y.astype(np.float16)), "f32 f32", "u32")
    add("cvt_pk_bf16_f32", lambda x, y: pack(f32_to_bf16(x), f32_to_bf16(y)), "f32 f32", "u32")
    add("cvt_f32_bf16", lambda x: x, "bf16", "f32")
    add("cvt_flr_i32_f32", lambda x: to_integer(np.int32)(np.floor(x)), "f32", "i32")
    add("cvt_floor_i32_f32", lambda x: to_integer(np.int32)(np.floor(x)), "f32", "i32")
    add("cvt_nearest_i32_f32", lambda x: to_integer(np.int32)(np.floor(x + np.float32(0.5))), "f32", "i32")
    add("cvt_rpi_i32_f32", lambda x: to_integer(np.int32)(np.floor(x + np.float32(0.5))), "f32", "i32")
    add("cvt_i32_i16", lambda x: x.astype(np.int32), "i16", "i32")
    add("cvt_u32_u16", lambda x: x.astype(U32), "u16", "u32")


FUNCTIONS = table()
