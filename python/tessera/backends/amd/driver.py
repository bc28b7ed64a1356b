"""AMD's devices, through the library, which opens libamdhip64.so when a device is asked for. torch calls them "cuda"."""
from __future__ import annotations

import functools

from ... import _native
from ..compiler import GPUTarget
from ..driver import loaded_torch
from ..nvidia.driver import CudaDriver, CudaLauncher, CudaUtils

libraries = ["libamdhip64.so"]


class HIPUtils(CudaUtils):
    """Queries of a device, under the names of Triton's driver."""


HIPLauncher = CudaLauncher


@functools.lru_cache(maxsize=None)
def _target(device: int) -> GPUTarget:
    from ...runtime.driver import native_device
    return GPUTarget.parse(native_device(f"hip:{device}").target)


class HIPDriver(CudaDriver):

    def __init__(self) -> None:
        self.utils = HIPUtils()
        self.launcher_cls = HIPLauncher

    @classmethod
    def is_active(cls) -> bool:
        torch = loaded_torch()
        if torch is None:
            return _native.current_device().startswith("hip")
        return torch.cuda.is_available() and torch.version.hip is not None

    def get_device_capability(self, device: int | None = None) -> tuple:
        """Such as (9, 4) for gfx942."""
        digits = _target(self.get_current_device() if device is None else device).arch[3:]
        return int(digits[:-2]), int(digits[-2], 16)

    def get_current_target(self) -> GPUTarget:
        return _target(self.get_current_device())
