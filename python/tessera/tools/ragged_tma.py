"""Descriptors of batches of unequal size (ragged tensors), whose accesses end at the end of a batch.

    descriptor = create_ragged_descriptor(tensor, [64, 32])         # on the host
    rows = load_ragged(descriptor, begin, count, [row, column])     # in a kernel: rows from `count` on are zero
    store_ragged(descriptor, begin, count, [row, column], rows)     # does not write those rows

A descriptor checks accesses against the end of the tensor, not of a batch. So the ragged dimension gets 2**30 rows, and a batch of
`count` rows is addressed as the last `count` of them, which makes the check correct. Two additional leading dimensions move the
address back to the batch: index times stride adds up to the distance, modulo 2**64:

    2**30 * (2**34 - stride) + (begin + count) * stride + (2**30 - count + row) * stride
        = 2**64 + (begin + row) * stride
"""
from __future__ import annotations

from .. import jit
from .. import language as tl
from .tensor_descriptor import TensorDescriptor


def create_ragged_descriptor(T, block_shape, ragged_dim=0):
    """For a tensor of two or three dimensions; all but the last may be the ragged one."""
    shape, rank = list(T.shape), len(T.shape)
    ragged_dim += rank if ragged_dim < 0 else 0
    assert 0 <= ragged_dim < rank - 1, "the last dimension cannot be ragged"
    assert rank <= 3, f"a ragged tensor has at most 3 dimensions, this has {rank}"
    assert len(block_shape) == rank, f"the block has {len(block_shape)} dimensions, the tensor {rank}"
    assert shape[ragged_dim] <= 2**30, "more than 2**30 rows"
    shape[ragged_dim] = 2**30
    strides = [T.stride(dim) for dim in range(rank)]
    unlimited = 0x7fff0000
    return TensorDescriptor(T, [unlimited, unlimited] + shape, [2**34 - strides[ragged_dim], strides[ragged_dim]] + strides,
                            [1, 1] + list(block_shape))


@jit
def to_ragged_indices(batch_offset, batch_size, row):
    """The indices into the two dimensions in front, and into the ragged one."""
    rows = 0x40000000
    return rows, batch_offset + batch_size, rows - batch_size + row


@jit
def load_ragged(TMA, batch_offset, batch_size, coords, ragged_dim: tl.constexpr = 0):
    tl.static_assert(len(TMA.shape) == len(coords) + 2, "the descriptor is not from create_ragged_descriptor")
    c0, c1, row = to_ragged_indices(batch_offset, batch_size, coords[ragged_dim])
    data = TMA.load([c0, c1] + coords[:ragged_dim] + [row] + coords[ragged_dim + 1:])
    return tl.reshape(data, data.shape[2:])


@jit
def store_ragged(TMA, batch_offset, batch_size, coords, data, ragged_dim: tl.constexpr = 0):
    c0, c1, row = to_ragged_indices(batch_offset, batch_size, coords[ragged_dim])
    TMA.store([c0, c1] + coords[:ragged_dim] + [row] + coords[ragged_dim + 1:], tl.reshape(data, [1, 1] + data.shape))


@jit
def atomic_add_ragged(TMA, batch_offset, batch_size, coords, data, ragged_dim: tl.constexpr = 0):
    c0, c1, row = to_ragged_indices(batch_offset, batch_size, coords[ragged_dim])
    TMA.atomic_add([c0, c1] + coords[:ragged_dim] + [row] + coords[ragged_dim + 1:], tl.reshape(data, [1, 1] + data.shape))
