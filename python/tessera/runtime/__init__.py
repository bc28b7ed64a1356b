"""jit functions, autotuning, devices. Modules that a launch does not need are imported at first use."""
from __future__ import annotations

import sys
import types

from .errors import InterpreterError, OutOfResources
from .jit import JITFunction, KernelInterface, MockTensor, TensorWrapper, reinterpret

# Name -> the module that has it, imported at first use.
_LATER = {
    "Autotuner": "autotuner", "Config": "autotuner", "Heuristics": "autotuner",
    "autotune": "autotuner", "heuristics": "autotuner",
    "RedisRemoteCacheBackend": "cache", "RemoteCacheBackend": "cache",
}

__all__ = [
    "Autotuner", "Config", "Heuristics", "InterpreterError", "JITFunction", "KernelInterface", "MockTensor", "OutOfResources",
    "RedisRemoteCacheBackend", "RemoteCacheBackend", "TensorWrapper", "autotune", "driver", "heuristics", "reinterpret",
]


class _Runtime(types.ModuleType):
    """Makes `runtime.driver` the object of that name, although there is a module of that name, too."""

    @property
    def driver(self):
        from .driver import driver
        return driver

    @driver.setter
    def driver(self, module):
        """Ignores the assignment of the module that importing runtime.driver makes."""


sys.modules[__name__].__class__ = _Runtime


def __getattr__(name):
    place = _LATER.get(name)
    if place is None:
        # Programs read submodules such as triton.runtime.jit as attributes, without importing them.
        from importlib import import_module
        try:
            return import_module(f"{__name__}.{name}")
        except ModuleNotFoundError:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'") from None
    from importlib import import_module
    found = getattr(import_module(f"{__name__}.{place}"), name)
    globals()[name] = found
    return found
