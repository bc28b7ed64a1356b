"""Substitutes for tensors: MockTensor has no memory, TensorWrapper has another dtype.

    kernel.warmup(MockTensor(torch.float32), 1024, grid=(1,))     compiles without a tensor
    kernel[grid](tessera.reinterpret(bytes_tensor, tl.float8e5))  the same memory, read as another type
"""
from __future__ import annotations

from .. import _native


class MockTensor:
    """An argument for warm-ups: a dtype and an aligned address, but no memory."""

    is_cuda = None  # on no device

    @staticmethod
    def wrap_dtype(arg):
        """A MockTensor for a torch dtype; any other object unchanged."""
        kind = type(arg)
        return MockTensor(arg) if kind.__name__ == "dtype" and kind.__module__ == "torch" else arg

    def __init__(self, dtype, shape=None):
        self.dtype = dtype
        self.shape = [1] if shape is None else shape

    def stride(self):
        strides = [1]
        for size in self.shape[1:]:
            strides.append(strides[-1] * size)
        return tuple(reversed(strides))

    @staticmethod
    def data_ptr():
        return 0

    @staticmethod
    def ptr_range():
        return 0

    def __repr__(self):
        return f"MockTensor({self.dtype})"


class TensorWrapper:
    """A tensor's memory under another dtype."""

    def __init__(self, base, dtype):
        self.base = base
        self.dtype = dtype
        self.data = base.data
        self.device = base.device
        self.shape = base.shape
        if hasattr(base, "is_cuda"):
            self.is_cuda = base.is_cuda

    def data_ptr(self):
        return self.base.data_ptr()

    def untyped_storage(self):
        return self.base.untyped_storage()

    def stride(self, *args):
        return self.base.stride(*args)

    def element_size(self):
        return self.base.element_size()

    def cpu(self):
        return TensorWrapper(self.base.cpu(), self.dtype)

    def clone(self):
        return TensorWrapper(self.base.clone(), self.dtype)

    def to(self, device):
        return TensorWrapper(self.base.to(device), self.dtype)

    def new_empty(self, sizes):
        return TensorWrapper(self.base.new_empty(sizes), self.dtype)

    def copy_(self, other):
        self.base.copy_(other.base)

    def __str__(self):
        return f"TensorWrapper[{self.dtype}]({self.base})"


for _class in (MockTensor, TensorWrapper):
    _native.register_type("pointer", _class)  # launches cannot recognize the class: `dtype` is an instance attribute


def reinterpret(tensor, dtype):
    """The tensor with another dtype; with its own dtype, the tensor itself."""
    if isinstance(tensor, TensorWrapper):
        return tensor.base if dtype == tensor.base.dtype else TensorWrapper(tensor.base, dtype)
    if hasattr(tensor, "data_ptr"):
        return TensorWrapper(tensor, dtype)
    raise TypeError(f"cannot reinterpret an object of type {type(tensor).__name__}; it has no data_ptr()")
