"""NVIDIA's devices, through the library, which opens libcuda.so.1 when a device is asked for."""
from __future__ import annotations

from ... import _native
from ..compiler import GPUTarget
from ..driver import GPUDriver, loaded_torch, require_torch

_PROPERTIES = ("max_shared_mem", "max_num_regs", "multiprocessor_count", "warpSize", "sm_clock_rate", "mem_clock_rate",
               "mem_bus_width")


class CudaUtils:
    """What programs ask of a device, under the names that Triton's driver gives them."""

    def get_device_properties(self, device: int) -> dict:
        from ...runtime.driver import native_device
        opened = native_device(f"cuda:{device}")
        return {name: opened.property(name) for name in _PROPERTIES}

    def load_binary(self, name: str, binary: bytes, shared: int, device: int):
        """(module, function, registers, spilled words, threads at most) of a kernel of this process: its binary is
        found again among those that were compiled here."""
        from ...compiler.compiler import find_compiled
        kernel = find_compiled(binary)
        if kernel is None:
            raise RuntimeError(f"'{name}': load_binary takes the binary of a kernel that tessera.compile returned")
        kernel.load(f"cuda:{device}")
        return kernel.module, kernel.function, kernel.n_regs, kernel.n_spills, kernel.n_max_threads


class CudaDriver(GPUDriver):

    def __init__(self) -> None:
        self.utils = CudaUtils()

    @classmethod
    def is_active(cls) -> bool:
        torch = loaded_torch()
        if torch is not None and not torch.cuda.is_available():
            return False
        return _native.current_device().startswith("cuda")

    def get_current_device(self) -> int:
        return int((_native.current_device().partition(":")[2] or 0)) if loaded_torch() is None else super().get_current_device()

    def get_current_stream(self, device: int | None = None) -> int:
        return _native.current_stream(self.get_current_device() if device is None else device)

    def get_device_capability(self, device: int | None = None) -> tuple:
        from ...runtime.driver import native_device
        number = self.get_current_device() if device is None else device
        return divmod(native_device(f"cuda:{number}").property("capability"), 10)

    def get_current_target(self) -> GPUTarget:
        major, minor = self.get_device_capability()
        return GPUTarget("cuda", major * 10 + minor, 32)

    def get_active_torch_device(self):
        return require_torch("get_active_torch_device").device("cuda", self.get_current_device())

    def get_device_interface(self):
        return require_torch("get_device_interface").cuda

    def get_empty_cache_for_benchmark(self):
        torch = require_torch("a benchmark on a GPU")
        return torch.empty((256 << 20) // 4, dtype=torch.int, device="cuda")
