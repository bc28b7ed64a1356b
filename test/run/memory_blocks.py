"""Blocks of tensors in flat memory, as block pointers and descriptors read and write them."""
import numpy as np


def indices(start, block):
    return np.meshgrid(*[np.arange(s, s + b) for s, b in zip(start, block)], indexing="ij")


def read(memory, shape, strides, start, block, padding):
    """Returns the block at `start` of a tensor of the shape in flat memory, with `padding` for elements outside of it."""
    index = indices(start, block)
    inside = np.logical_and.reduce([(0 <= i) & (i < n) for i, n in zip(index, shape)])
    address = sum(i * s for i, s in zip(index, strides))
    return np.where(inside, memory[np.where(inside, address, 0)], np.asarray(padding, memory.dtype))


def write(memory, shape, strides, start, values):
    """Stores the values at `start` of a tensor of the shape in flat memory; those outside of it are dropped."""
    index = indices(start, values.shape)
    inside = np.logical_and.reduce([(0 <= i) & (i < n) for i, n in zip(index, shape)])
    address = sum(i * s for i, s in zip(index, strides))
    memory[address[inside]] = values[inside]
