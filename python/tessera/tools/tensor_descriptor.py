"""Tensor descriptors that the host creates: a tensor, and the shape of the blocks that a kernel loads and stores.

    from tessera.tools.tensor_descriptor import TensorDescriptor
    a = TensorDescriptor.from_tensor(x, [64, 32])
    kernel[grid](a, ...)          # in the kernel: a.load([row, column]), a.store(...), a.shape, a.strides

The base is any object that a kernel takes as a pointer: a torch tensor, a NumPy array (on the CPU), or an object with data_ptr() and
dtype. Nothing is copied. The attributes may be changed afterwards, for instance by a pre_hook of the autotuner, because each launch
reads them (docs/abi.md says how a descriptor is passed).
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List

from .. import _native

MAX_RANK = 5
MAX_BLOCK_ELEMENTS = 1 << 20
ALIGNMENT = 16  # bytes; allows accesses of 16 bytes, and the TMA engine


@dataclass
class TensorDescriptor:
    """Strides count elements. `padding` is the value of loads outside the shape: "zero", or "nan" for floating-point elements."""
    base: Any
    shape: List[int]
    strides: List[int]
    block_shape: List[int]
    padding: str = "zero"

    def __post_init__(self):
        base, shape, strides = self.base, self.shape, self.strides
        rank = len(shape)
        assert len(strides) == rank and len(self.block_shape) == rank, \
            f"shape, strides and block_shape differ in length: {rank}, {len(strides)}, {len(self.block_shape)}"
        assert 1 <= rank <= MAX_RANK, f"a descriptor has 1 to {MAX_RANK} dimensions, not {rank}"
        if type(base).__name__ == "Tensor" and hasattr(base, "element_size"):
            address, size = base.data_ptr(), base.element_size()
        else:
            address, size = _address(base), _element_bytes(base)
        assert address is None or address % ALIGNMENT == 0, f"the base is not aligned to {ALIGNMENT} bytes: {address:#x}"
        _check_block_shape(self.block_shape)
        for stride in strides[:-1]:
            assert stride * size % ALIGNMENT == 0, \
                f"stride {strides.index(stride)} is {stride} elements of {size} bytes, which is no multiple of {ALIGNMENT} bytes"
        for extent in shape:
            assert extent > 0, f"an extent of the shape {tuple(shape)} is {extent}, and must be positive"
        assert strides[-1] == 1, f"the last stride is {strides[-1]}, and must be 1"
        if self.padding != "zero":
            assert self.padding == "nan", f"padding is 'zero' or 'nan', not {self.padding!r}"
            assert _is_floating_point(base.dtype), f"padding with nan needs floating-point elements, not {base.dtype}"

    @staticmethod
    def from_tensor(tensor: Any, block_shape: List[int], padding: str = "zero") -> TensorDescriptor:
        """A descriptor of a whole tensor, with its shape and strides."""
        if callable(getattr(tensor, "stride", None)):
            return TensorDescriptor(tensor, tensor.shape, tensor.stride(), block_shape, padding)
        size = _element_bytes(tensor)  # the array interface counts bytes
        strides = getattr(tensor, "strides", None) or _interface(tensor).get("strides")
        if strides is None:
            return TensorDescriptor(tensor, tensor.shape, _row_major(tensor.shape), block_shape, padding)
        assert all(step % size == 0 for step in strides), f"strides of {tuple(strides)} bytes split elements of {size} bytes"
        return TensorDescriptor(tensor, tensor.shape, [step // size for step in strides], block_shape, padding)


def _interface(base) -> dict:
    """The shape and strides of an array that is not torch's, from its array interface."""
    for name in ("__cuda_array_interface__", "__array_interface__"):
        interface = getattr(base, name, None)
        if interface is not None:
            return interface
    return {}


def _address(base):
    """The address; None for a tensor without memory, as torch uses for tracing."""
    if type(base).__name__ in ("FakeTensor", "FunctionalTensor"):
        return None
    if hasattr(base, "data_ptr"):
        return base.data_ptr()
    data = _interface(base).get("data")
    assert data is not None, f"the base of a descriptor is a tensor or an array, not {type(base).__name__}"
    return data[0]


def _element_bytes(base) -> int:
    element_size = getattr(base, "element_size", None)
    if callable(element_size):
        return element_size()
    dtype = base.dtype
    itemsize = getattr(dtype, "itemsize", None)
    return itemsize if itemsize is not None else max(dtype.primitive_bitwidth // 8, 1)  # a dtype of the language


def _is_floating_point(dtype) -> bool:
    for name in ("is_floating_point", "is_floating"):  # torch's, and the language's
        answer = getattr(dtype, name, None)
        if answer is not None:
            return bool(answer() if callable(answer) else answer)
    return getattr(dtype, "kind", "") == "f" or "float" in str(dtype)


def _row_major(shape) -> List[int]:
    strides = [1] * len(shape)
    for axis in range(len(shape) - 1, 0, -1):
        strides[axis - 1] = strides[axis] * shape[axis]
    return strides


def _check_block_shape(block_shape) -> None:
    elements = 1
    for extent in block_shape:
        if type(extent) is not int and not isinstance(extent, int):
            raise TypeError(f"extent {block_shape.index(extent)} of the block is {extent!r}, and must be an int")
        if extent & (extent - 1) or extent <= 0:
            raise ValueError(f"extent {block_shape.index(extent)} of the block is {extent}, and must be a power of two")
        elements *= extent
    if elements > MAX_BLOCK_ELEMENTS:
        raise ValueError(f"the block has {elements} elements, and at most {MAX_BLOCK_ELEMENTS} are possible")


_native.register_type("descriptor", TensorDescriptor)
