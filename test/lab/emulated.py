"""Lets launches compile for cuda:90 and run on the GPU in NumPy (test/emulator), on tensors of the CPU: for operators.py --emulated.

A launch takes from milliseconds to minutes. Shared memory that no barrier separates, addresses outside of every array and misaligned
accesses are errors, as in the emulator's own tests.
"""
import ctypes
import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "run")]
import emulator  # noqa: E402

SCRATCH = 1 << 16  # bytes of global memory for kernels that ask for some
TARGET = os.environ.get("TESSERA_TEST_EMULATED", "cuda:90")


class Placed:
    """The memory of the tensors of a launch, copied to the emulator and back."""

    def __init__(self):
        self.memory, self.storages = emulator.GlobalMemory(), {}

    def address(self, tensor):
        storage = tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage()
        begin, size = storage.data_ptr(), storage.nbytes()
        if begin not in self.storages:
            address = self.memory.place(ctypes.string_at(begin, size) if size else b"\0", 256)
            self.storages[begin] = (address, self.memory.arrays[-1][1], size)
        return self.storages[begin][0] + tensor.data_ptr() - begin

    def copy_back(self):
        for begin, (_, data, size) in self.storages.items():
            ctypes.memmove(begin, data.tobytes(), size)


def bits(kind, value):
    if kind in ("fp64", "fp32"):
        return int.from_bytes(struct.pack("<d" if kind == "fp64" else "<f", value), "little")
    return int(value) & (1 << 64) - 1


def launch(fn, grid, args, kwargs):
    grid = grid(dict(zip(fn.arg_names, args), **kwargs)) if callable(grid) else grid
    try:
        run(fn, grid, args, kwargs)
    except emulator.NoTensorMap:  # the variant without tensor maps, as every launcher does
        run(fn, grid, args, dict(kwargs, tma="off"))


def run(fn, grid, args, kwargs):
    (record,) = fn.precompile(*args, all_variants=False, target=TARGET, **kwargs)
    facts = record.kernel.record
    values = dict(zip(fn.arg_names, args), **kwargs)
    placed, passed, numbers = Placed(), [], {}
    for argument in facts["arguments"]:
        if "constant" not in argument:
            name, value = argument["name"], values[argument["name"]]
            numbers[name] = placed.address(value) if hasattr(value, "data_ptr") else value
            passed.append(numbers[name] if hasattr(value, "data_ptr") else bits(argument["type"], value))
    passed += emulator.build_maps(facts, numbers)
    problems = emulator.run(emulator.Program(record.kernel.asm["ptx"]), (*grid, 1, 1)[:3], [*passed, placed.memory.place(bytes(SCRATCH)), 0],
                            facts["shared"], placed.memory)
    assert not problems, "races in shared memory:\n" + "\n".join(problems)
    placed.copy_back()


def install():
    """Replaces launching. Autotuned kernels take their first configuration."""
    from triton.runtime.jit import JITFunction
    JITFunction.run = lambda self, *args, grid=None, warmup=False, **kwargs: launch(self, grid, args, kwargs)
