"""Compiles kernels for a GPU and runs their assembly on the emulator (test/emulator): gpu_session.py without a GPU.

    TESSERA_TEST_DEVICE=emulated     tests that launch through `run` go here, and no others
    TESSERA_TEST_EMULATED=cuda:80    the chip to compile for, or hip:gfx942; cuda:90 if it is not said
    TESSERA_TEST_SMALL=0             on AMD GPUs: no promise that tensors have less than 2 GiB, so no buffer instructions
    TESSERA_TEST_ASSEMBLED=1         where there is a ptxas: run the code of the attempt that is kept, if a kernel spills
    TESSERA_TEST_SEED=0,1,2          schedules of warps and asynchronous instructions, which must give equal bits; one if it is not said
"""
import ctypes
import functools
import math
import os
import re

import numpy as np

import emulator
import features
import session
from emulator import recipes
from session import Refused, Unsupported, without_maps

SEEDS = [int(seed) for seed in os.environ.get("TESSERA_TEST_SEED", "0").split(",")]
SMALL = os.environ.get("TESSERA_TEST_SMALL", "1") == "1"
SCRATCH = 1 << 16  # bytes of global memory for kernels that ask for some
MOST_PROGRAMS = 1 << 20


def promise_small(signature):
    """The signature with the promise that tensors have less than 2 GiB, as launches on AMD GPUs make it."""
    return re.sub(r"(?<![\w'\"])\*(\w+)(:16)?(?=\s*[,)]|\s*$)", lambda found: f"*{found[1]}{found[2] or ':'}S", signature)


class Placed:
    """A copy of an array in the emulator's memory."""

    def __init__(self, memory, array, alignment):
        self.dtype, self.shape = array.dtype, array.shape
        self.address = memory.place(np.ascontiguousarray(array).tobytes(), alignment)
        self.data = memory.arrays[-1][1]

    def result(self):
        return self.data.view(self.dtype).reshape(self.shape).copy()


def decline(_):
    raise Unsupported("unsupported: arrays of many gigabytes, on the emulator")


class EmulatedSession:
    target = os.environ.get("TESSERA_TEST_EMULATED", "cuda:90")

    @functools.cached_property
    def library(self):
        return session.Library()

    @functools.lru_cache(maxsize=64)
    def program(self, *request):
        """(program, record)."""
        assembly = "amdgcn" if self.target.startswith("hip:") else "ptx"
        is_assembled = assembly == "ptx" and os.environ.get("TESSERA_TEST_ASSEMBLED") == "1" and features.ptxas()
        kernel, record = self.library.compiled(*request, self.target, assembly + (",cubin" if is_assembled else ""))
        size = ctypes.c_size_t()
        text = ctypes.string_at(self.library.kernel_artifact(kernel, assembly.encode(), ctypes.byref(size)), size.value)
        self.library.kernel_free(kernel)
        return emulator.parse(text.decode().rstrip("\0")), record

    def launch(self, source, kernel, signature, grid, arguments, options=""):
        """Every array argument as it is after the launch."""
        if SMALL and self.target.startswith("hip:"):
            signature = promise_small(signature)
        path, text = ("kernel.py", source) if "\n" in source else (os.path.abspath(source), None)
        if math.prod(grid) > MOST_PROGRAMS:
            raise Unsupported(f"unsupported: a grid of {math.prod(grid)} programs, on the emulator")
        try:
            results = self.run_all(self.program(path, text, kernel, signature, options), grid, arguments)
        except emulator.NoTensorMap:  # the variant without tensor maps, as every launcher does
            results = self.run_all(self.program(path, text, kernel, signature, without_maps(options)), grid, arguments)
        for seed, other in zip(SEEDS, results):
            differing = [name for name, value in other.items() if np.asarray(value).tobytes() != np.asarray(results[0][name]).tobytes()]
            assert not differing, f"results of seeds {SEEDS[0]} and {seed} differ: {', '.join(differing)}"
        return results[0]

    def run_all(self, compiled, grid, arguments):
        program, record = compiled
        return [self.run(program, record, grid, arguments, seed) for seed in (SEEDS if program.is_asynchronous else SEEDS[:1])]

    @staticmethod
    def run(program, record, grid, arguments, seed):
        memory = emulator.GlobalMemory()
        placed, values = session.place_arguments(session.passed_arguments(record), arguments, functools.partial(Placed, memory), decline)
        passed = [int.from_bytes(value.raw[:8], "little") for value in values]
        numbers = {argument["name"]: recipes.number(argument["type"], value.raw) for argument, value in zip(session.passed_arguments(record), values)}
        passed += emulator.build_maps(record, numbers)
        try:
            problems = emulator.run(program, (*grid, 1, 1)[:3], [*passed, memory.place(bytes(SCRATCH)), 0], record["shared"], memory, seed)
        except emulator.Fault as fault:
            raise Refused(f"on the emulator: {fault}") from fault
        assert not problems, "races in shared memory:\n" + "\n".join(problems)
        return session.results(session.passed_arguments(record), placed, arguments)
