"""The devices of this process.

    driver.active.get_current_target()       # GPUTarget("cuda", 90, 32), or the CPU without a GPU
    native_device("cuda:1")                  # the library's device, opened once

Devices are opened at first use. A forked child opens its own, because threads and CUDA contexts do not survive a fork.
"""
from __future__ import annotations

import functools
import os
import sys

from .. import _native
from ..backends.compiler import GPUTarget


def _create_driver():
    from ..backends import backends
    from ..backends.driver import loaded_torch
    if _native.current_device() == "cpu":
        return backends["cpu"].driver()
    # A torch that was built without CUDA cannot name a device or a stream.
    candidates = ("nvidia", "amd", "cpu") if loaded_torch() is None or loaded_torch().cuda.is_available() else ("cpu", )
    return next(backends[name].driver for name in candidates if backends[name].driver.is_active())()


class DriverConfig:
    """`active` is the driver in use, created when it is first read."""

    def __init__(self) -> None:
        self._default = None
        self._active = None

    @property
    def default(self):
        if self._default is None:
            self._default = _create_driver()
        return self._default

    @property
    def active(self):
        if self._active is None:
            self._active = self.default
        return self._active

    def set_active(self, driver) -> None:
        self._active = driver
        _native.set_program_target(self._is_of_program())  # so that warm-ups ask it for the target

    def reset_active(self) -> None:
        self.set_active(self.default)

    def _is_of_program(self) -> bool:
        return self._active is not None and not type(self._active).__module__.startswith("tessera.")

    def target_of_program(self):
        """The target of a driver that the program has installed, or None. Warm-ups compile for it, whatever devices there are."""
        if not self._is_of_program():
            return None
        target = self._active.get_current_target()
        return GPUTarget(target.backend, target.arch, target.warp_size)


driver = DriverConfig()

_devices: dict = {}
_before_fork: list = []


def native_device(name: str):
    """The library's device of a name: "cpu", "cuda:0", "hip:0"."""
    opened = _devices.get(name)
    if opened is None:
        opened = _devices.setdefault(name, _native.Device(_library_name(name)))
    return opened


def _library_name(name: str) -> str:
    """torch for ROCm calls its devices "cuda"; the library calls them "hip"."""
    torch = sys.modules.get("torch")
    is_rocm = torch is not None and getattr(getattr(torch, "version", None), "hip", None)
    return "hip" + name[4:] if is_rocm and name.startswith("cuda") else name


_parse_target = functools.lru_cache(maxsize=None)(GPUTarget.parse)


def target_of_device(name: str) -> GPUTarget:
    """The target to compile for, to run on "cpu" or "cuda:1"."""
    return _parse_target("cpu" if name == "cpu" else native_device(name).target)


def _leave_devices_to_parent() -> None:
    # The parent's devices are not closed: that would wait for threads that the child does not have.
    _before_fork.append(dict(_devices))
    _devices.clear()


os.register_at_fork(after_in_child=_leave_devices_to_parent)
