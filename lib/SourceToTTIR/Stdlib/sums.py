"""Sums, products and bitwise combinations along an axis: reductions and scans."""
import triton
import triton.language as tl


@triton.jit
def _sum_combine(a, b):
    return a + b


@triton.jit
def _prod_combine(a, b):
    return a * b


@triton.jit
def _xor_combine(a, b):
    return a ^ b


@triton.jit
def _or_combine(x, y):
    return x | y


@triton.constexpr_function
def _sum_dtype(element, asked):
    """The type that elements are added in: the one asked for, or 32 bits for smaller integers."""
    if asked is not None:
        return asked
    if element.is_int_signed() and element.int_bitwidth < 32:
        return tl.int32
    if element.is_int_unsigned() and element.int_bitwidth < 32:
        return tl.uint32
    return element


@triton.constexpr_function
def _scan_dtype(element):
    """The type that elements are scanned in: bfloat16 loses too much in a running total."""
    if element.is_bf16():
        return tl.float32
    return element


# Tensor method.
@triton.jit
def sum(input, axis=None, keep_dims=False, dtype: tl.constexpr = None):
    """The sum along `axis`, or of all elements."""
    wide: tl.constexpr = _sum_dtype(input.dtype, dtype)
    return tl.reduce(input.to(wide), axis, _sum_combine, keep_dims=keep_dims)


# Tensor method.
@triton.jit
def xor_sum(input, axis=None, keep_dims=False):
    """The exclusive or along `axis`, or of all elements."""
    tl.static_assert(input.dtype.is_int(), "only integers have bits to combine")
    return tl.reduce(input, axis, _xor_combine, keep_dims=keep_dims)


# Tensor method.
@triton.jit
def reduce_or(input, axis, keep_dims=False):
    """The bitwise or along `axis`."""
    tl.static_assert(input.dtype.is_int(), "only integers have bits to combine")
    return tl.reduce(input, axis, _or_combine, keep_dims=keep_dims)


# Tensor method.
@triton.jit
def cumsum(input, axis=0, reverse=False, dtype: tl.constexpr = None):
    """Running sums along `axis`, each including its own element."""
    element: tl.constexpr = _scan_dtype(input.dtype)
    wide: tl.constexpr = _sum_dtype(element, dtype)
    return tl.associative_scan(input.to(element).to(wide), axis, _sum_combine, reverse)


# Tensor method.
@triton.jit
def cumprod(input, axis=0, reverse=False):
    """Running products along `axis`, each including its own element."""
    return tl.associative_scan(input.to(_scan_dtype(input.dtype)), axis, _prod_combine, reverse)
