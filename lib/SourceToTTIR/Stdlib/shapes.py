"""Blocks of zeros, and blocks in another shape."""
import triton
import triton.language as tl


@triton.jit
def zeros(shape, dtype):
    """A block of zeros."""
    return tl.full(shape, 0, dtype)


@triton.jit
def zeros_like(input):
    """Zeros in the shape and type of `input`."""
    return tl.full(input.shape, 0, input.dtype)


# Tensor method.
@triton.jit
def ravel(x, can_reorder=False):
    """All elements of x along one axis."""
    return tl.reshape(x, [x.numel], can_reorder=can_reorder)


@triton.jit
def interleave(a, b):
    """a and b taken in turns along the last axis: a0 b0 a1 b1 ..."""
    pairs = tl.join(a, b)
    if len(pairs.shape) == 1:  # of two scalars
        return pairs
    else:
        return tl.reshape(pairs, pairs.shape[:-2] + [2 * pairs.shape[-2]])


# Tensor method.
@triton.jit
def squeeze(x, dim: tl.constexpr):
    """x without an axis of size 1."""
    rank: tl.constexpr = len(x.shape)
    tl.static_assert(-rank <= dim and dim < rank, f"dim {dim} is not an axis of a block of rank {rank}")
    axis: tl.constexpr = dim + rank if dim < 0 else dim
    tl.static_assert(x.shape[axis] == 1, f"only an axis of size 1 can be dropped, not one of {x.shape[axis]}")
    return tl.reshape(x, x.shape[:axis] + x.shape[axis + 1:])


# Tensor method.
@triton.jit
def unsqueeze(x, dim: tl.constexpr):
    """x with a new axis of size 1."""
    return tl.expand_dims(x, dim)
