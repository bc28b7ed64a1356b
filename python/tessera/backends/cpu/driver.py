"""The host's processor: the device when there is no other."""
from __future__ import annotations

import functools

from ..compiler import GPUTarget
from ..driver import DriverBase, require_torch

_PROPERTIES = ("max_shared_mem", "max_num_regs", "multiprocessor_count", "warpSize", "sm_clock_rate", "mem_clock_rate",
               "mem_bus_width")


@functools.lru_cache(maxsize=None)
def _properties() -> dict:
    from ...runtime.driver import native_device
    opened = native_device("cpu")
    return {name: opened.property(name) for name in _PROPERTIES}


class CPUUtils:

    def get_device_properties(self, device: int = 0) -> dict:
        """-1 where a processor has no such thing."""
        return dict(_properties())

    def __getattr__(self, name: str):
        raise AttributeError(f"driver.utils of the CPU has no {name!r}; with a GPU, driver.active is CUDA's, which has more")


class DeviceInterface:
    """The part of torch.cuda that benchmarks use. Launches on the CPU have ended when they return."""

    class Event:

        def __init__(self, enable_timing: bool = False) -> None:
            self._time = 0

        def record(self, stream=None) -> None:
            import time
            self._time = time.perf_counter_ns()

        def synchronize(self) -> None:
            pass

        def elapsed_time(self, end) -> float:
            return (end._time - self._time) / 1e6

    @staticmethod
    def synchronize(device=None) -> None:
        pass

    @staticmethod
    def current_device() -> int:
        return 0


_TARGET = GPUTarget("cpu", "native", 1)


class CPUDriver(DriverBase):

    def __init__(self) -> None:
        self.utils = CPUUtils()

    @classmethod
    def is_active(cls) -> bool:
        return True

    def get_current_device(self) -> int:
        return 0

    def set_current_device(self, device: int) -> None:
        pass

    def get_current_stream(self, device: int | None = None) -> int:
        return 0

    def get_current_target(self) -> GPUTarget:
        return _TARGET

    def get_active_torch_device(self):
        return require_torch("get_active_torch_device").device("cpu")

    def get_device_interface(self):
        """Not torch.cpu: its events have no time."""
        return DeviceInterface
