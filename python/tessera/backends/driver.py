"""The interface of devices: current device and stream, properties, benchmarks."""
from __future__ import annotations

import functools
import sys
from abc import ABCMeta, abstractmethod

from .compiler import GPUTarget


def loaded_torch():
    """torch, if the program has imported it. Tessera never imports it itself."""
    return sys.modules.get("torch")


def require_torch(purpose: str):
    torch = loaded_torch()
    if torch is None:
        raise RuntimeError(f"{purpose} needs torch: import it first")
    return torch


class Benchmarker:
    """The type of what get_benchmarker returns: f(kernel_call, *, quantiles, **kwargs) -> list of milliseconds."""


class DriverBase(metaclass=ABCMeta):
    """One kind of device. Programs may pass one of their own to `driver.set_active`."""

    @classmethod
    @abstractmethod
    def is_active(cls) -> bool:
        """Returns whether this machine has such a device."""

    @abstractmethod
    def get_current_target(self) -> GPUTarget:
        """The target that kernels are compiled for by default."""

    @abstractmethod
    def get_active_torch_device(self):
        """The current device as torch names it."""

    def map_python_to_cpp_type(self, ty: str) -> str:
        """How C declares an argument of a signature's type."""
        return _c_type(ty)

    def get_benchmarker(self):
        from ..testing import do_bench
        return do_bench

    def get_empty_cache_for_benchmark(self):
        """A buffer as large as any cache; clear_cache writes all of it between two timed runs."""
        return _Bytes(256 << 20)

    def clear_cache(self, cache) -> None:
        cache.zero_()

    def assemble_tensormap_to_arg(self, tensormaps_info, args):
        return args


def _c_type(ty: str) -> str:
    """Scalars are passed in their storage type (docs/abi.md)."""
    if ty.startswith("*"):
        return "CUdeviceptr"
    if ty.startswith("tensordesc") or ty == "nvTmaDesc":
        return "CUtensorMap"
    return _c_types()[ty]


@functools.lru_cache(maxsize=None)
def _c_types() -> dict:
    from .. import _native
    types = {spelling: c for name, _, _, c, (aliases, _), _ in _native.scalar_types() for spelling in (name, *aliases.split())}
    return {**types, "f32": types["fp32"]}


class _Bytes:
    """Memory of the host that can be overwritten."""

    def __init__(self, size: int) -> None:
        self._memory = bytearray(size)

    def zero_(self) -> None:
        import ctypes
        ctypes.memset((ctypes.c_char * len(self._memory)).from_buffer(self._memory), 0, len(self._memory))


class GPUDriver(DriverBase):
    """A device that torch may be using too: then torch says which is current, and on which stream."""

    def get_current_device(self) -> int:
        torch = loaded_torch()
        return torch.cuda.current_device() if torch is not None and torch.cuda.is_available() else 0

    def set_current_device(self, device: int) -> None:
        torch = loaded_torch()
        if torch is not None and torch.cuda.is_available():
            torch.cuda.set_device(device)
        else:
            from .. import _native
            _native.set_default_device(f"cuda:{device}")
