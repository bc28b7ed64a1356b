"""TRITON_INTERPRET=1: runs kernels on the CPU and checks every memory access.

A function that is decorated while the variable is set is compiled for the CPU with the options debug and sanitize: device
assertions and integer overflow are checked, and each access is compared with the memory of the argument that its pointer came
from (docs/sanitizer.md). GPU tensors are copied to the host before a launch and back afterwards. The results are those of the
CPU target.

    InterpreterError: add.py:9:9: error: load outside 'x_ptr': element 1000, 1 element past the end
        x = tl.load(x_ptr + offsets, mask=inside)
            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~

An out-of-bounds access is not executed; the kernel runs to its end, and the error lists all such accesses. A data race between
programs is a RuntimeWarning.
"""
from __future__ import annotations

import sys

from .. import _native
from .breakpoints import debugger_for
from .errors import InterpreterError
from .jit import JITFunction

# For memory of unknown size: no access is out of bounds.
_ANYWHERE = (0, 1 << 62)
_NO_MEMORY = (0, 0)


class InterpretedFunction(JITFunction):
    """A jit function that always runs on the CPU, sanitized."""

    _fixed_options = {"debug": True, "sanitize": True}
    _fixed_device = "cpu"

    def run(self, *args, grid, warmup, **kwargs):
        copies = _HostCopies()
        args = tuple(copies.of(arg) for arg in args)
        kwargs = {name: copies.of(arg) for name, arg in kwargs.items()}
        try:
            return super().run(*args, grid=grid, warmup=warmup, **kwargs)
        finally:
            if not warmup:
                copies.write_back()

    def _launch(self, grid, args, kwargs):
        """Replaces the fast path, which does not sanitize."""
        bound = self._classify(args, kwargs)[0]
        variant = self._find_variant(args, kwargs)
        if variant is None:
            return None
        grid = grid(bound) if callable(grid) else grid
        if not hasattr(grid, "__len__") or not 1 <= len(grid) <= 3:
            raise TypeError(f"the grid of kernel '{self.__name__}' is {grid!r}; it must be a tuple of 1 to 3 integers")
        grid = tuple([grid[i] for i in range(len(grid))])
        values = variant.result.src.passed(tuple(bound.values()))
        extents: list = []
        _add_extents(values, extents)
        try:
            with debugger_for(variant.result):
                variant.loaded.launch(*(grid + (1, 1))[:3], 0, values, extents=extents)
        except _native.DeviceFailure as failure:
            raise InterpreterError(str(failure).rstrip("\n")) from None
        return variant.result


# ---- the memory of arguments --------------------------------------------------------------------------

def _add_extents(value, extents: list) -> None:
    """(address, bytes) for each value that is passed for `value` (docs/abi.md)."""
    if isinstance(value, tuple):
        for part in value:
            _add_extents(part, extents)
    elif hasattr(value, "block_shape") and hasattr(value, "base"):  # a tensor descriptor
        extents.append(_memory_of(value.base))
        extents.extend([_NO_MEMORY] * (2 * len(value.block_shape)))
    else:
        extents.append(_NO_MEMORY if isinstance(value, (bool, float)) else _memory_of(value))


def _memory_of(array):
    """The memory that a kernel may access through an array: all memory that the array is a view of."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(array, numpy.ndarray):
        return _memory_of_numpy(array, numpy.ndarray)
    if hasattr(array, "untyped_storage") or hasattr(array, "storage"):  # torch before 2.0 has only the latter
        storage = array.untyped_storage() if hasattr(array, "untyped_storage") else array.storage()
        return storage.data_ptr(), storage.nbytes()
    return _ANYWHERE


def _memory_of_numpy(array, ndarray):
    """The memory of the array that owns it; as_strided puts another object in between. For an array that owns none (of a file, or
    of another library), the memory that its strides reach."""
    while True:
        base = array.base if isinstance(array.base, ndarray) else getattr(array.base, "base", None)
        if not isinstance(base, ndarray):
            break
        array = base
    steps = [(extent - 1) * stride for extent, stride in zip(array.shape, array.strides)]
    begin = array.ctypes.data + sum(step for step in steps if step < 0)
    size = sum(map(abs, steps)) + array.itemsize if array.size else 0
    return (begin, size) if 0 <= begin and begin + size < 1 << 64 else _ANYWHERE


class _HostCopies:
    """Copies of GPU tensors on the host, for one launch. Views of one storage stay views of one storage."""

    def __init__(self) -> None:
        self._torch = sys.modules.get("torch")
        self._storages: dict = {}  # address on the device -> (storage on the device, copy on the host)

    def of(self, arg):
        """`arg`, with every GPU tensor in it replaced by its copy."""
        if isinstance(arg, tuple):
            parts = [self.of(part) for part in arg]
            return type(arg)(*parts) if hasattr(arg, "_fields") else tuple(parts)
        if self._torch is not None and isinstance(arg, self._torch.Tensor) and arg.device.type != "cpu":
            return self._copy(arg)
        if hasattr(arg, "block_shape") and hasattr(arg, "base"):
            base = self.of(arg.base)
            if base is not arg.base:
                return type(arg)(base, arg.shape, arg.strides, arg.block_shape, arg.padding)
        return arg

    def _copy(self, tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in self._storages:
            self._storages[storage.data_ptr()] = (storage, storage.cpu())
        host = self._torch.empty(0, dtype=tensor.dtype, device="cpu")
        return host.set_(self._storages[storage.data_ptr()][1], tensor.storage_offset(), tensor.size(), tensor.stride())

    def write_back(self) -> None:
        for device, host in self._storages.values():
            device.copy_(host)
