"""Largest and smallest elements, and where they are."""
import triton
import triton.language as tl


@triton.jit
def _elementwise_max(a, b):
    return tl.maximum(a, b)


@triton.jit
def _elementwise_min(a, b):
    return tl.minimum(a, b)


@triton.jit
def _argmax_combine_tie_break_left(value1, index1, value2, index2):
    is_earlier = (value1 == value2) & (index1 < index2)
    takes_first = (value1 > value2) | is_earlier
    return tl.where(takes_first, value1, value2), tl.where(takes_first, index1, index2)


@triton.jit
def _argmax_combine_tie_break_fast(value1, index1, value2, index2):
    takes_first = value1 > value2
    return tl.where(takes_first, value1, value2), tl.where(takes_first, index1, index2)


@triton.jit
def _argmin_combine_tie_break_left(value1, index1, value2, index2):
    is_earlier = (value1 == value2) & (index1 < index2)
    takes_first = (value1 < value2) | is_earlier
    return tl.where(takes_first, value1, value2), tl.where(takes_first, index1, index2)


@triton.jit
def _argmin_combine_tie_break_fast(value1, index1, value2, index2):
    takes_first = value1 < value2
    return tl.where(takes_first, value1, value2), tl.where(takes_first, index1, index2)


@triton.constexpr_function
def _index_dtype(element):
    """The type that values are compared in beside their indices."""
    if element.is_bf16():
        return tl.float32
    return element


@triton.constexpr_function
def _extremum_dtype(element):
    """The type that values alone are compared in, and returned in: at least 32 bits."""
    if element.primitive_bitwidth >= 32:
        return element
    if element.is_floating():
        return tl.float32
    return tl.int32  # of unsigned elements too: their values fit


@triton.jit
def _indices_along(input, axis):
    """Each element's index along `axis`."""
    rank: tl.constexpr = len(input.shape)
    tl.static_assert(axis is not None, "indices are along one axis: pass axis=")
    tl.static_assert(-rank <= axis and axis < rank, f"axis {axis} is not one of a block of rank {rank}")
    along: tl.constexpr = axis + rank if axis < 0 else axis
    index = tl.arange(0, input.shape[along])
    for d in tl.static_range(rank):
        if d != along:
            index = tl.expand_dims(index, d)
    return tl.broadcast_to(index, input.shape)


# Tensor method.
@triton.jit
def max(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False):
    """The largest element along `axis` or of all; with `return_indices` also its index along the axis.

    Of equal elements the first is found, or any of them without return_indices_tie_break_left.
    """
    if return_indices:
        pairs = (input.to(_index_dtype(input.dtype)), _indices_along(input, axis))
        if return_indices_tie_break_left:
            return tl.reduce(pairs, axis, _argmax_combine_tie_break_left, keep_dims=keep_dims)
        else:
            return tl.reduce(pairs, axis, _argmax_combine_tie_break_fast, keep_dims=keep_dims)
    else:
        return tl.reduce(input.to(_extremum_dtype(input.dtype)), axis, _elementwise_max, keep_dims=keep_dims)


# Tensor method.
@triton.jit
def min(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False):
    """The smallest element along `axis` or of all; otherwise as max."""
    if return_indices:
        pairs = (input.to(_index_dtype(input.dtype)), _indices_along(input, axis))
        if return_indices_tie_break_left:
            return tl.reduce(pairs, axis, _argmin_combine_tie_break_left, keep_dims=keep_dims)
        else:
            return tl.reduce(pairs, axis, _argmin_combine_tie_break_fast, keep_dims=keep_dims)
    else:
        return tl.reduce(input.to(_extremum_dtype(input.dtype)), axis, _elementwise_min, keep_dims=keep_dims)


# Tensor method.
@triton.jit
def argmax(input, axis, tie_break_left=True, keep_dims=False):
    """The index of the largest element along `axis`."""
    _, index = max(input, axis, True, tie_break_left, keep_dims)
    return index


# Tensor method.
@triton.jit
def argmin(input, axis, tie_break_left=True, keep_dims=False):
    """The index of the smallest element along `axis`."""
    _, index = min(input, axis, True, tie_break_left, keep_dims)
    return index
