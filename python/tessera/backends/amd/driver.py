"""AMD's devices: none can be opened yet."""
from __future__ import annotations

from ..compiler import GPUTarget
from ..driver import GPUDriver


class HIPDriver(GPUDriver):

    @classmethod
    def is_active(cls) -> bool:
        return False

    def get_current_target(self) -> GPUTarget:
        raise RuntimeError("Tessera does not launch on AMD GPUs yet")

    def get_active_torch_device(self):
        raise RuntimeError("Tessera does not launch on AMD GPUs yet")
