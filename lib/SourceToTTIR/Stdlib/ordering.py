"""Sorting by bitonic networks, and reversal.

A network sees a block of 2^n elements as an n-dimensional cube with two elements along each axis:
axis n-1-b of the cube is bit b of an element's row-major position. Exchanging partners whose
positions differ in bit b is then an operation along one axis, whatever thread holds them.
"""
import triton
import triton.language as tl


@triton.constexpr_function
def _log2(i):
    """Returns the base-2 logarithm of a positive integer, rounded down."""
    exponent = 0
    while i > 1:
        i >>= 1
        exponent += 1
    return exponent


@triton.constexpr_function
def _is_power_of_two(i):
    return i > 0 and (i & (i - 1)) == 0


@triton.constexpr_function
def _last_axis(dim, rank):
    """Returns whether `dim` is the last of `rank` axes."""
    return dim is None or dim == rank - 1 or dim == -1


@triton.constexpr_function
def _bits_dtype(element):
    """The integer as wide as an element."""
    width = element.primitive_bitwidth
    if width == 1:
        return tl.int1
    if width == 8:
        return tl.int8
    if width == 16:
        return tl.int16
    if width == 32:
        return tl.int32
    return tl.int64


@triton.jit
def _indicator(n_dims: tl.constexpr, j: tl.constexpr):
    """Bit j of every position, as a cube that is 1 wide along all other axes."""
    return tl.reshape(tl.arange(0, 2), [1] * (n_dims - j - 1) + [2] + [1] * j)


@triton.jit
def _compare_and_swap(x, flip, i: tl.constexpr):
    """Orders partners across bit i: ascending where `flip` is 0, descending where it is 1."""
    n_dims: tl.constexpr = _log2(x.numel)
    # The partner of a is a ^ (a ^ partner), and the sum in brackets is the same for both.
    bits = x.to(_bits_dtype(x.dtype), bitcast=True)
    partner = (bits ^ tl.xor_sum(bits, n_dims - 1 - i, True)).to(x.dtype, bitcast=True)
    is_upper = _indicator(n_dims, i)
    return tl.where((x > partner) != (flip ^ is_upper), partner, x)


@triton.jit
def _bitonic_merge_hypercube(x, stage: tl.constexpr, order: tl.constexpr):
    """Sorts runs of 2^stage elements, each bitonic before.

    order 0 sorts up, 1 down, and 2 alternates so that neighbouring runs form a bitonic one.
    """
    if order == 2:
        flip = _indicator(_log2(x.numel), stage)
    else:
        flip = order
    for i in tl.static_range(stage):
        x = _compare_and_swap(x, flip, stage - 1 - i)
    return x


@triton.jit
def _bitonic_merge(x, stage: tl.constexpr, order: tl.constexpr, n_dims: tl.constexpr):
    cube = tl.reshape(x, [2] * _log2(x.numel))
    return tl.reshape(_bitonic_merge_hypercube(cube, stage, order), x.shape)


@triton.jit
def _best_along(x, axis: tl.constexpr, largest: tl.constexpr):
    """The larger (or smaller) of each two along an axis of the cube, which loses it."""
    # A cube's last axis stays, so that the result is not a scalar.
    keep: tl.constexpr = len(x.shape) == 1
    if largest:
        return tl.max(x, axis, keep_dims=keep)
    else:
        return tl.min(x, axis, keep_dims=keep)


@triton.jit
def sort_impl(x, k: tl.constexpr = None, dim: tl.constexpr = None, descending: tl.constexpr = False):
    """The k first elements of each row in order; all of them by default."""
    rank: tl.constexpr = len(x.shape)
    tl.static_assert(rank > 0, "a scalar has no elements to be sorted")
    tl.static_assert(_last_axis(dim, rank), f"only the last axis, {rank - 1}, can be sorted, not {dim}")
    n: tl.constexpr = x.shape[rank - 1]
    count: tl.constexpr = n if k is None else k
    tl.static_assert(_is_power_of_two(count) and count <= n, f"k is a power of two up to {n}, not {count}")
    log_n: tl.constexpr = _log2(n)
    log_k: tl.constexpr = _log2(count)
    log_all: tl.constexpr = _log2(x.numel)
    cube = tl.reshape(x, [2] * log_all if log_all else [1])

    # Sorted runs of k elements, up and down in turns.
    for stage in tl.static_range(1, log_k + 1):
        cube = _bitonic_merge_hypercube(cube, stage, 2 if stage < log_n else descending)
    # The elementwise best of an ascending and a descending run are the k best of both runs, and
    # they are bitonic again.
    for stage in tl.static_range(log_k + 1, log_n + 1):
        cube = _best_along(cube, _log2(cube.numel) - 1 - log_k, descending)
        cube = _bitonic_merge_hypercube(cube, log_k, 2 if stage < log_n else descending)
    return tl.reshape(cube, x.shape[:-1] + [2**log_k])


# Tensor method.
@triton.jit
def sort(x, dim: tl.constexpr = None, descending: tl.constexpr = False):
    """Each row in order."""
    return sort_impl(x, None, dim, descending)


@triton.jit
def topk(x, k: tl.constexpr, dim: tl.constexpr = None):
    """The k largest elements of each row, the largest first."""
    return sort_impl(x, k, dim, True)


@triton.jit
def bitonic_merge(x, dim: tl.constexpr = None, descending: tl.constexpr = False):
    """Sorts rows that rise and then fall, or fall and then rise."""
    rank: tl.constexpr = len(x.shape)
    tl.static_assert(rank > 0, "a scalar has no elements to be merged")
    tl.static_assert(_last_axis(dim, rank), f"only the last axis, {rank - 1}, can be merged, not {dim}")
    stages: tl.constexpr = _log2(x.shape[rank - 1])
    return _bitonic_merge(x, stages, descending, stages)


# Tensor method.
@triton.jit
def flip(x, dim=None):
    """The elements in reverse along `dim`, the last axis by default."""
    rank: tl.constexpr = len(x.shape)
    asked: tl.constexpr = -1 if dim is None else dim
    tl.static_assert(-rank <= asked and asked < rank, f"dim {asked} is not an axis of a block of rank {rank}")
    axis: tl.constexpr = asked + rank if asked < 0 else asked
    tl.static_assert(_is_power_of_two(x.shape[axis]), f"the size of axis {axis} is not a power of two")
    steps: tl.constexpr = _log2(x.shape[axis])
    if steps == 0:
        return x
    else:
        # Reversing inverts every bit of the position, one after the other.
        bits = x.to(_bits_dtype(x.dtype), bitcast=True)
        cube = tl.reshape(bits, x.shape[:axis] + [2] * steps + x.shape[axis + 1:])
        for i in tl.static_range(steps):
            cube = cube ^ tl.xor_sum(cube, axis + i, True)
        return tl.reshape(cube, x.shape).to(x.dtype, bitcast=True)
