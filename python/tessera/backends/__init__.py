"""The targets as Python sees them: which there are, what options they take, how their devices are found.

`backends` maps a name to its `compiler` (a BaseBackend class) and its `driver` (a DriverBase class), loaded when they
are read. All code generation is in the library; a backend here only turns keyword arguments into options.
"""
from __future__ import annotations

from .._lazily import lazily
from .compiler import BaseBackend


class Backend:
    """One target. The classes are imported when somebody asks."""

    def __init__(self, package: str, compiler: str, driver: str) -> None:
        self._package = package
        self._compiler = compiler
        self._driver = driver

    def _load(self, module: str, name: str):
        import importlib
        return getattr(importlib.import_module(f"{__name__}.{self._package}.{module}"), name)

    @lazily
    def compiler(self) -> type[BaseBackend]:
        return self._load("compiler", self._compiler)

    @lazily
    def driver(self) -> type:
        """A DriverBase class."""
        return self._load("driver", self._driver)

    def __repr__(self) -> str:
        return f"Backend({self._package!r})"


backends: dict[str, Backend] = {
    "nvidia": Backend("nvidia", "CUDABackend", "CudaDriver"),
    "amd": Backend("amd", "HIPBackend", "HIPDriver"),
    "cpu": Backend("cpu", "CPUBackend", "CPUDriver"),
}

__all__ = ["Backend", "BaseBackend", "DriverBase", "backends"]


def __getattr__(name):
    """Imports DriverBase when it is first used; compiling does not need it."""
    if name != "DriverBase":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from .driver import DriverBase
    return DriverBase
