"""Makes the arguments of a recorded kernel: memory with made-up contents, and numbers as they were recorded.

    inputs = Inputs(problem, "cuda:0")
    inputs.fill()                           before each trial: every trial finds the same contents
    inputs.arguments(row)                   the arguments for all parameters of a configuration

Floats are normally distributed, 8-bit integers are small, booleans are random. Tensors of wider integers have the values that were
recorded; larger ones, whose contents were not recorded, are zero, since they may be indices. Where that does not do, a function
fills the memory: `--inputs KERNEL=MODULE:FUNCTION` calls FUNCTION(memories, problem), `memories` being writable memoryviews, or
torch tensors of bytes on a GPU, and `problem` the recorded JSON.
"""
from __future__ import annotations

import array
import base64
import ctypes
import importlib
import random
import struct
import sys
import zlib

_ALIGN = 256
_COUNT = 1 << 14  # elements of a pattern, which is repeated


def pattern_of(kind):
    """The bytes that memory of an element type is filled with."""
    numbers = random.Random(kind)
    if kind in ("fp32", "fp64", "fp16", "bf16"):
        values = [numbers.gauss(0.0, 1.0) for _ in range(_COUNT)]
        if kind == "fp16":
            return struct.pack(f"<{_COUNT}e", *values)
        if kind == "bf16":
            return b"".join(struct.pack("<f", value)[2:] for value in values)
        return array.array("f" if kind == "fp32" else "d", values).tobytes()
    if kind.startswith("fp8"):  # magnitudes between about a quarter and two in each of the formats
        return bytes(numbers.randrange(0x34, 0x3d) | numbers.choice((0, 0x80)) for _ in range(_COUNT))
    if kind in ("i1", "u1"):
        return bytes(numbers.randrange(2) for _ in range(_COUNT))
    if kind in ("i8", "u8"):
        return bytes(numbers.randrange(8) for _ in range(_COUNT))
    return bytes(8)


class Inputs:
    def __init__(self, problem, device):
        self.problem = problem
        make = _HostMemory if device == "cpu" else _GpuMemory
        self.memories = [make(each, device) for each in problem.data["memory"]]
        self.filler = _function(problem.inputs) if problem.inputs else None
        self.fill()

    def fill(self):
        for memory in self.memories:
            memory.fill()
        if self.filler is not None:
            self.filler([memory.view for memory in self.memories], self.problem.data)

    # The interface of runtime/tuning/guard.py, for searches.

    def protect(self, trial):
        pass

    def restore(self):
        self.fill()

    def arguments(self, row):
        return tuple(self._argument(argument, value) for argument, value in zip(row["arguments"], self.problem.data["values"]))

    def _argument(self, argument, value):
        if value is None:
            return None
        if "tuple" in value:
            return tuple(map(self._argument, argument["tuple"], value["tuple"]))
        if "memory" in value:
            return self.memories[value["memory"]].address + value["offset"]
        if "descriptor" in value:
            return self._descriptor(argument, value)
        return float.fromhex(value["float"]) if "float" in value else value["int"]

    def _descriptor(self, argument, value):
        from ..tools.tensor_descriptor import TensorDescriptor
        kind, _, extents = argument[len("tensordesc<"):].partition("[")
        block = [int(each) for each in extents.partition("]")[0].split(",")]
        found = TensorDescriptor.__new__(TensorDescriptor)  # its checks ask a tensor, and it was recorded from one
        found.base = self._argument("", value["descriptor"])
        found.shape, found.strides, found.block_shape, found.padding = value["shape"], value["strides"], block, "zero"
        return found


class _HostMemory:
    def __init__(self, described, device):
        self.size = described["bytes"]
        self.buffer = ctypes.create_string_buffer(self.size + 2 * _ALIGN)
        start = ctypes.addressof(self.buffer)
        self.address = start + (described["align"] - start) % _ALIGN
        self.contents = contents_of(described)
        self.view = (ctypes.c_char * self.size).from_buffer(self.buffer, self.address - start) if self.size else b""
        self.view = memoryview(self.view).cast("B") if self.size else memoryview(b"")

    def fill(self):
        done = min(len(self.contents), self.size)
        ctypes.memmove(self.address, self.contents, done)
        while done and done < self.size:  # doubles what is there
            count = min(done, self.size - done)
            ctypes.memmove(self.address + done, self.address, count)
            done += count


class _GpuMemory:
    def __init__(self, described, device):
        import torch
        size = described["bytes"]
        whole = torch.empty(size + 2 * _ALIGN, dtype=torch.uint8, device=device)
        skipped = (described["align"] - whole.data_ptr()) % _ALIGN
        self.view = whole[skipped:skipped + size]
        self.address = self.view.data_ptr()
        self.contents = torch.frombuffer(bytearray(contents_of(described)), dtype=torch.uint8).to(device)

    def fill(self):
        size, step = self.view.numel(), self.contents.numel()
        whole = size // step
        if whole:
            self.view[:whole * step].view(whole, step).copy_(self.contents.expand(whole, step))
        if size % step:
            self.view[whole * step:].copy_(self.contents[:size % step])


def contents_of(described):
    """The bytes that are repeated over a memory: those that were recorded, or a pattern."""
    if "data" in described:
        return zlib.decompress(base64.b64decode(described["data"])) or bytes(1)
    return pattern_of(described["type"])


def _function(name):
    """The function of "module:function" or "file.py:function"."""
    module, _, function = name.rpartition(":")
    if module.endswith(".py"):
        import importlib.util
        spec = importlib.util.spec_from_file_location("tessera_tune_inputs", module)
        loaded = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded)
    else:
        sys.path.insert(0, "")
        loaded = importlib.import_module(module)
    return getattr(loaded, function)
