"""Host time of first launches of variants of a small kernel on a GPU, beside the time of the driver calls that they make.

    python first_launches.py COUNT          what bench/python/cold_start runs, from a pack

Variants 0, 2, 4... are launched by Tessera for the first time. The code of variants 1, 3, 5... is loaded and launched by calls of the
driver alone, the same ones in the same order, in turns. The difference is Tessera's own time. Prints one line of JSON.
"""
import ctypes
import json
import statistics
import sys
import time

import torch
import triton
import triton.language as tl

ATTRIBUTES = (4, 3, 1, 0)  # registers, local bytes, static shared bytes, largest CTA: CUfunction_attribute


@triton.jit
def small(x_ptr, n, SEED: tl.constexpr):
    tl.store(x_ptr + n, SEED)


class Driver:
    """cuModuleLoadDataEx, cuModuleGetFunction, cuFuncGetAttribute and cuLaunchKernel, as they are called for a first launch."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        self.modules = []

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status:
            raise RuntimeError(f"{name} failed: {status}")

    def first_launch(self, cubin, symbol, address, stream):
        module, function, value = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
        pointer, n, scratch = ctypes.c_void_p(address), ctypes.c_int32(16), ctypes.c_void_p()
        parameters = (ctypes.c_void_p * 4)(*map(ctypes.addressof, (pointer, n, scratch, scratch)))
        began = time.perf_counter()
        self.call("cuModuleLoadDataEx", ctypes.byref(module), cubin, 0, None, None)
        self.call("cuModuleGetFunction", ctypes.byref(function), module, symbol)
        for attribute in ATTRIBUTES:
            self.call("cuFuncGetAttribute", ctypes.byref(value), attribute, function)
        self.call("cuLaunchKernel", function, 1, 1, 1, 128, 1, 1, 0, stream, parameters, None)
        passed = time.perf_counter() - began
        self.modules.append(module)
        return passed


def main():
    count = int(sys.argv[1])
    memory = torch.zeros(64, device="cuda")
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    driver, own, drivers = Driver(), [], []
    for seed in range(0, count, 2):
        kernel = small.warmup(memory, 16, SEED=seed + 1, grid=(1,))
        cubin, symbol = kernel.asm["cubin"], kernel.metadata.name.encode()
        torch.cuda.synchronize()
        drivers.append(driver.first_launch(cubin, symbol, memory.data_ptr(), stream))
        torch.cuda.synchronize()
        assert memory[16].item() == seed + 1
        began = time.perf_counter()
        small[(1,)](memory, 16, SEED=seed)
        own.append(time.perf_counter() - began)
        torch.cuda.synchronize()
        assert memory[16].item() == seed
    later = []
    for _ in range(1000):
        began = time.perf_counter()
        small[(1,)](memory, 16, SEED=0)
        later.append(time.perf_counter() - began)
    torch.cuda.synchronize()
    print(json.dumps({"launches": len(own), "very_first_us": own[0] * 1e6, "first_us": statistics.median(own[1:]) * 1e6,
                      "first_p95_us": sorted(own[1:])[len(own) * 95 // 100 - 1] * 1e6, "driver_us": statistics.median(drivers[1:]) * 1e6,
                      "later_us": statistics.median(later) * 1e6}))


if __name__ == "__main__":
    main()
