"""Restores a kernel's arguments after trials of its configurations.

A kernel that adds to its output, or sorts in place, would return the combined result of all trials. Unless the caller says how to
undo a trial (reset_to_zero, restore_value, hooks), the memory of each tensor that a kernel may write to is copied before the
kernel is first tried, and restored after each trial:

    guard = ArgumentGuard(arguments)        # {name: value}; copies nothing yet
    guard.protect(trial)                    # before its first run: copies the tensors that its kernel may write to
    ... run it ...
    guard.restore()

The ABI record (docs/abi.md) says which arguments a kernel may write to, so large weights that are only read are not copied. For a
kernel without a record, or that may write anywhere, and for a configuration with a hook of its own, all tensors are copied. The
whole memory of a tensor is copied, not only the elements of a view, because kernels get addresses.

Copies take at most a quarter of the free memory. Tensors that do not fit, or whose allocation fails, are not copied: the search goes
on, and `guard.missed` names them.

The functions below zero, copy and restore one argument: a NumPy array, or an object with torch's methods.
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
    """The tensor itself, or the tensor of a descriptor or of a reinterpreted tensor."""
    while not hasattr(value, "zero_") and not hasattr(value, "__array_interface__") and hasattr(value, "base"):
        value = value.base
    return value


def written_parameters(kernel):
    """The names of the parameters that a compiled kernel may write to; None if it may write anywhere."""
    record = getattr(kernel, "record", None)
    if not isinstance(record, dict) or not record.get("writes_only_arguments"):
        return None
    pointers = [argument for argument in record["arguments"] if argument["type"].startswith("*") and "constant" not in argument]
    return {argument["name"].partition(".")[0] for argument in pointers if not argument.get("read_only")}


class ArgumentGuard:
    """Owns the copies. `missed` are the names of arguments that a kernel may have changed and that are not restored."""

    def __init__(self, arguments):
        self.arguments, self.missed = arguments, []
        self.kept = {}  # {address: buffer, or None if it was not copied}
        self.budget = {}  # {device: bytes that copies may still take}

    def protect(self, trial):
        written = written_parameters(trial.kernel) if trial.config.pre_hook is None else None
        for name, value in self.arguments.items():
            if written is not None and name not in written:
                continue
            for buffer in _buffers_of(value):
                if buffer.address not in self.kept:
                    self.kept[buffer.address] = buffer if self._copy(buffer) else None
                if self.kept[buffer.address] is None and name not in self.missed:
                    self.missed.append(name)

    def _copy(self, buffer):
        if buffer.place not in self.budget:
            self.budget[buffer.place] = buffer.free_memory() // 4
        if buffer.size > self.budget[buffer.place]:
            return False
        try:
            buffer.copy()
        except (MemoryError, RuntimeError):  # torch's out-of-memory error is a RuntimeError
            return False
        self.budget[buffer.place] -= buffer.size
        return True

    def restore(self):
        for buffer in self.kept.values():
            if buffer is not None:
                buffer.restore()


def _buffers_of(value):
    """The buffers of a value: none, one, or several for a tuple. Views of the same memory have the same address."""
    if isinstance(value, (tuple, list)):
        return [buffer for item in value for buffer in _buffers_of(item)]
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    value = _tensor_of(value)
    try:
        if torch is not None and isinstance(value, torch.Tensor):
            buffer = _TorchBuffer(torch, value)
        elif numpy is not None and isinstance(value, numpy.ndarray):
            buffer = _NumpyBuffer(numpy, value)
        else:
            return []
    except (AttributeError, NotImplementedError, RuntimeError):  # a tensor without memory: fake, meta, sparse
        return []
    return [buffer] if buffer.size else []


class _TorchBuffer:
    """The bytes of a tensor's storage, as a uint8 tensor without gradients."""

    def __init__(self, torch, tensor):
        storage = tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage().untyped()  # torch before 2.0
        self.bytes = torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(storage)
        self.size, self.address = self.bytes.numel(), self.bytes.data_ptr()
        self.place = str(self.bytes.device)
        self.torch, self.kept = torch, None

    def free_memory(self):
        if not self.bytes.is_cuda:
            return _free_host_memory()
        cuda, device = self.torch.cuda, self.bytes.device
        free, _ = cuda.mem_get_info(device)
        # Memory that torch has reserved and not allocated is free as well.
        return free + cuda.memory_reserved(device) - cuda.memory_allocated(device)

    def copy(self):
        self.kept = self.bytes.clone()

    def restore(self):
        self.bytes.copy_(self.kept)


class _NumpyBuffer:
    """The array that owns the memory."""

    place = "cpu"

    def __init__(self, numpy, array):
        while isinstance(array.base, numpy.ndarray):
            array = array.base
        self.array, self.kept = array, None
        # A read-only array needs no copy.
        self.size, self.address = array.nbytes if array.flags.writeable else 0, array.ctypes.data

    def free_memory(self):
        return _free_host_memory()

    def copy(self):
        self.kept = self.array.copy()

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
