"""TRITON_INTERPRET=1: kernels on the CPU, with every access checked.

A function that is decorated while the variable is set runs on the CPU target in debug form: device assertions and
overflow checks are on, each access is compared with the memory of the argument that its pointer came from
(docs/sanitizer.md), and tensors of a GPU are copied to the host before and back after a launch. It is compiled like any
other kernel, so that the results are those of the CPU target.

    InterpreterError: add.py:9:9: error: load outside 'x_ptr': element 1000, 1 element past the end
        x = tl.load(x_ptr + offsets, mask=inside)
            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~

A wrong access is not performed; the kernel ends all the same, and the error tells all of them. Programs of a grid that
meet in an element, in an order that nothing decides, are a RuntimeWarning.
"""
from __future__ import annotations

import sys

from .. import _native
from .errors import InterpreterError
from .jit import JITFunction

# For memory of which nobody knows the size: everything is inside.
_ANYWHERE = (0, 1 << 62)
_NO_MEMORY = (0, 0)


class InterpretedFunction(JITFunction):
    """A jit function that always runs on the CPU, watched."""

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
        """Instead of the fast path, which watches nothing."""
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
    """All that a kernel may touch through an array: the memory that it is a view of, not the view alone."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(array, numpy.ndarray):
        return _memory_of_numpy(array, numpy.ndarray)
    if hasattr(array, "untyped_storage"):
        storage = array.untyped_storage()
        return storage.data_ptr(), storage.nbytes()
    return _ANYWHERE


def _memory_of_numpy(array, ndarray):
    """Up to the array that owns the memory; as_strided puts an object of its own in between. One that owns none (of a file,
    of another library) has what its strides reach."""
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
    """Tensors of a GPU on the host, for one launch. Views of one storage stay views of one storage."""

    def __init__(self) -> None:
        self._torch = sys.modules.get("torch")
        self._storages: dict = {}  # address on the device -> (the device's, the host's)

    def of(self, arg):
        """`arg`, with every tensor of a GPU in it replaced."""
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
