"""What a GPU can reach at most: bandwidth, arithmetic, and clocks that are held by nvidia-smi."""
from __future__ import annotations

from contextlib import contextmanager


def nvsmi(attrs):
    """The numbers that nvidia-smi reports for the first GPU, as `clocks.current.sm`."""
    import subprocess
    query = ["nvidia-smi", "-i", "0", "--query-gpu=" + ",".join(attrs), "--format=csv,noheader,nounits"]
    return [int(word) for word in subprocess.check_output(query, text=True).split(",")]


def _device_properties(device):
    from ..runtime.driver import driver
    return driver.active.utils.get_device_properties(device)


def get_dram_gbps(device=None):
    """The memory's bandwidth in GB/s, from its clock and width."""
    if device is None:
        from ..runtime.driver import driver
        device = driver.active.get_current_device()
    facts = _device_properties(device)
    return facts["mem_clock_rate"] * facts["mem_bus_width"] * 2 / 1e6 / 8  # kHz and bits, two transfers a clock


def _subcores(device):
    """(how many, whether they are of Ampere or later)"""
    import torch
    device = torch.cuda.current_device() if device is None else device
    return _device_properties(device)["multiprocessor_count"] * 4, torch.cuda.get_device_capability(device)[0] >= 8


def _operations(table, dtype):
    """Per clock and quarter of a multiprocessor, from {operations: names of types}."""
    name = str(dtype).split(".")[-1]
    for operations, names in table.items():
        if name in names:
            return operations
    raise RuntimeError(f"dtype not supported: {dtype}")


def get_max_tensorcore_tflops(dtype, clock_rate, device=None):
    """What tensor cores reach at most, in TFLOP/s, at a clock in kHz."""
    count, is_recent = _subcores(device)
    table = {256: ("float32", "int32"), 512: ("float16", "bfloat16", "int16"),
             1024: ("int8", "float8_e4m3fn", "float8_e5m2", "fp8e4nv", "fp8e4b15", "fp8e5")} if is_recent else {256: ("float16",)}
    return count * clock_rate * _operations(table, dtype) * 1e-9


def get_max_simd_tflops(dtype, clock_rate, device=None):
    """The same without tensor cores."""
    count, is_recent = _subcores(device)
    table = {32: ("float32",), 64: ("float16", "bfloat16") if is_recent else ("float16",)}
    return count * clock_rate * _operations(table, dtype) * 1e-9


@contextmanager
def set_gpu_clock(ref_sm_clock=1350, ref_mem_clock=1215):
    """Holds the first GPU's clocks, in MHz; gives (TFLOP/s, GB/s) that an A100 would reach with them. Needs the rights to."""
    import subprocess

    def smi(*arguments):
        subprocess.check_output(["nvidia-smi", "-i", "0", *arguments])
    try:
        smi("-pm", "1")
        smi(f"--lock-gpu-clocks={ref_sm_clock},{ref_sm_clock}")
        smi(f"--lock-memory-clocks={ref_mem_clock},{ref_mem_clock}")
        sm_clock, mem_clock = nvsmi(["clocks.current.sm"])[0], nvsmi(["clocks.current.memory"])[0]
        assert abs(sm_clock - ref_sm_clock) < 10, f"GPU SMs must run at {ref_sm_clock} MHz"
        assert abs(mem_clock - ref_mem_clock) < 10, f"GPU memory must run at {ref_mem_clock} MHz"
        yield 1e-6 * 2 * 108 * 4 * 256 * ref_sm_clock, 640 * 2 * ref_mem_clock * 1e-3
    finally:
        smi("-pm", "0")
        smi("-rgc")
        smi("-rmc")
