"""TRITON_INTERPRET=1: kernels on the CPU, with checks.

A function that is decorated while the variable is set runs on the CPU target in debug form: device assertions and
overflow checks are on, and tensors of a GPU are copied to the host before and back after a launch. It is compiled like
any other kernel, so that the results are those of the CPU target, at its speed.
"""
from __future__ import annotations

import sys

from .jit import JITFunction


class InterpretedFunction(JITFunction):
    """A jit function that always runs on the CPU."""

    _fixed_options = {"debug": True}
    _fixed_device = "cpu"

    def __init__(self, fn, **kwargs) -> None:
        super().__init__(fn, **kwargs)
        self._uses_slow_path = True

    def run(self, *args, grid, warmup, **kwargs):
        copies = _HostCopies()
        args = tuple(copies.of(arg) for arg in args)
        kwargs = {name: copies.of(arg) for name, arg in kwargs.items()}
        if copies.is_empty():
            return super().run(*args, grid=grid, warmup=warmup, **kwargs)
        try:
            return super().run(*args, grid=grid, warmup=warmup, **kwargs)
        finally:
            if not warmup:
                copies.write_back()


class _HostCopies:
    """Tensors of a GPU on the host, for one launch. Views of one storage stay views of one storage."""

    def __init__(self) -> None:
        self._torch = sys.modules.get("torch")
        self._storages: dict = {}  # address on the device -> (the device's, the host's)

    def is_empty(self) -> bool:
        return not self._storages

    def of(self, arg):
        """`arg`, with every tensor of a GPU in it replaced."""
        if isinstance(arg, tuple):
            parts = [self.of(part) for part in arg]
            return type(arg)(*parts) if hasattr(arg, "_fields") else tuple(parts)
        if self._torch is not None and isinstance(arg, self._torch.Tensor) and arg.device.type != "cpu":
            return self._copy(arg)
        if hasattr(arg, "block_shape") and hasattr(arg, "base"):  # a tensor descriptor
            base = self.of(arg.base)
            if base is not arg.base:
                return type(arg)(base, arg.shape, arg.strides, arg.block_shape, arg.padding)
        return arg

    def _copy(self, tensor):
        storage = tensor.untyped_storage()
        pair = self._storages.setdefault(storage.data_ptr(), None) or (storage, storage.cpu())
        self._storages[storage.data_ptr()] = pair
        host = self._torch.empty(0, dtype=tensor.dtype, device="cpu")
        return host.set_(pair[1], tensor.storage_offset(), tensor.size(), tensor.stride())

    def write_back(self) -> None:
        for device, host in self._storages.values():
            device.copy_(host)
