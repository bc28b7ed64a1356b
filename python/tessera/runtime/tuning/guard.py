"""Keeps a kernel's arguments as they were while configurations are tried on them.

A kernel that adds to its output, or sorts in place, would hand its caller the sum of all trials. Unless the caller said how
to undo that (reset_to_zero, restore_value, hooks), the memory behind every tensor argument is copied before the search and
put back after each trial:

    guard = ArgumentGuard.of(arguments)     # {name: value}
    ... run trials ...
    guard.restore()

The memory, not the view: kernels get addresses and may write beside the elements that a view shows. Copies are made only if
they fit into a quarter of the memory that is free; else `guard.reason` says so and nothing is restored.

Also here: zeroing, copying and putting back of one argument, for NumPy arrays and for anything with torch's methods.
"""
from __future__ import annotations

import os
import sys


def zero(value):
    """Sets all elements to zero, in place."""
    value = _tensor_of(value)
    if hasattr(value, "zero_"):
        value.zero_()
    else:
        value.fill(0)


def copy_of(value):
    value = _tensor_of(value)
    return value.clone() if hasattr(value, "clone") else value.copy()


def put_back(value, copy):
    value = _tensor_of(value)
    if hasattr(value, "copy_"):
        value.copy_(copy)
    else:
        value[...] = copy


def _tensor_of(value):
    """The tensor itself, or that behind a tensor descriptor or a reinterpreted tensor."""
    while not hasattr(value, "zero_") and not hasattr(value, "__array_interface__") and hasattr(value, "base"):
        value = value.base
    return value


class ArgumentGuard:
    """Holds the copies. `size` is what they take, `reason` why there are none."""

    def __init__(self, buffers=(), reason=None):
        self.buffers, self.reason = list(buffers), reason

    @staticmethod
    def of(arguments):
        found = {}
        for value in arguments.values():
            _collect(value, found)
        size = sum(buffer.size for buffer in found.values())
        if not all(buffer.fits(size) for buffer in found.values()):
            return ArgumentGuard(reason=f"the arguments ({size / 2**30:.1f} GiB) are too large to be kept")
        try:
            return ArgumentGuard([buffer.copy() for buffer in found.values()])
        except (MemoryError, RuntimeError) as problem:  # torch's out-of-memory error is a RuntimeError
            return ArgumentGuard(reason=f"the arguments could not be copied: {problem}")

    def restore(self):
        for buffer in self.buffers:
            buffer.restore()


def _collect(value, found):
    """Adds the memory behind a value to {address: buffer}; views of one memory are one buffer."""
    if isinstance(value, (tuple, list)):
        for item in value:
            _collect(item, found)
        return
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    value = _tensor_of(value)
    try:
        if torch is not None and isinstance(value, torch.Tensor):
            buffer = _TorchBuffer(torch, value)
        elif numpy is not None and isinstance(value, numpy.ndarray):
            buffer = _NumpyBuffer(numpy, value)
        else:
            return
    except (AttributeError, NotImplementedError, RuntimeError):  # a tensor without memory of its own: fake, meta, sparse
        return
    if buffer.size:
        found.setdefault(buffer.address, buffer)


class _TorchBuffer:
    """All bytes of a tensor's storage, seen as a tensor that no gradient is recorded for."""

    def __init__(self, torch, tensor):
        storage = tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage().untyped()  # before 2.0
        self.bytes = torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(storage)
        self.size, self.address = self.bytes.numel(), self.bytes.data_ptr()
        self.torch, self.kept = torch, None

    def fits(self, size):
        if self.bytes.is_cuda:
            free, _ = self.torch.cuda.mem_get_info(self.bytes.device)
            # What torch's allocator holds in reserve is free as well.
            free += self.torch.cuda.memory_reserved(self.bytes.device) - self.torch.cuda.memory_allocated(self.bytes.device)
            return size <= free // 4
        return size <= _free_host_memory() // 4

    def copy(self):
        self.kept = self.bytes.clone()
        return self

    def restore(self):
        self.bytes.copy_(self.kept)


class _NumpyBuffer:
    """The array that owns the memory."""

    def __init__(self, numpy, array):
        while isinstance(array.base, numpy.ndarray):
            array = array.base
        self.array, self.kept = array, None
        # What cannot be written to needs no copy.
        self.size, self.address = array.nbytes if array.flags.writeable else 0, array.ctypes.data

    def fits(self, size):
        return size <= _free_host_memory() // 4

    def copy(self):
        self.kept = self.array.copy()
        return self

    def restore(self):
        self.array[...] = self.kept


def _free_host_memory():
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
