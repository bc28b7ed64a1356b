"""Where the CUDA toolkit's programs and libraries are.

In order: PATH; CUDA_HOME, CUDA_PATH, CUDA_ROOT; /usr/local/cuda*; the packages that pip installs (nvidia-cuda-nvcc,
and those that bring a toolkit along). Only folders are looked at, nothing is run; each answer is kept.
"""
from __future__ import annotations

import functools
import itertools
import os
import re
import sys

# Below a folder of sys.path.
_PACKAGES = ("nvidia/cu13", "nvidia/cu12", "nvidia/cuda_nvcc", "triton/backends/nvidia")


def is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def find_tool(name: str) -> str:
    """The path of "ptxas", "nvdisasm" or "cuobjdump"; "" if there is none."""
    return _find_tool(name, *_surroundings())


def find_libdevice() -> str:
    """The path of libdevice.10.bc; "" if there is none."""
    return _find_libdevice(*_surroundings())


def tool_version(path: str) -> str | None:
    """What `--version` says, as "13.0"; None if it says nothing of the kind."""
    import subprocess
    try:
        text = subprocess.run([path, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(rb"release (\d+\.\d+)", text)
    return match.group(1).decode() if match else None


def _surroundings():
    homes = tuple(filter(None, map(os.environ.get, ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"))))
    return os.environ.get("PATH", ""), homes, tuple(sys.path)


def _version_key(name: str):
    numbers = tuple(int(part) for part in name.replace("-", ".").split(".") if part.isdecimal())
    return numbers or (1 << 30, )  # a plain "cuda" is the system's choice


def _toolkits(homes, packages):
    yield from homes
    system = [name for name in os.listdir("/usr/local") if name.startswith("cuda")] if os.path.isdir("/usr/local") else []
    yield from (os.path.join("/usr/local", name) for name in sorted(system, key=_version_key, reverse=True))
    for folder in packages:
        for package in _PACKAGES:
            yield os.path.join(folder, package)


@functools.lru_cache(maxsize=None)
def _find_tool(name: str, path: str, homes, packages) -> str:
    candidates = itertools.chain((os.path.join(folder, name) for folder in path.split(os.pathsep) if folder),
                                 (os.path.join(toolkit, "bin", name) for toolkit in _toolkits(homes, packages)))
    return next(filter(is_program, candidates), "")


@functools.lru_cache(maxsize=None)
def _find_libdevice(path: str, homes, packages) -> str:
    of_path = [os.path.dirname(folder) for folder in path.split(os.pathsep) if os.path.basename(folder) == "bin"]
    for toolkit in itertools.chain(homes, of_path, _toolkits((), packages)):
        for place in ("nvvm/libdevice/libdevice.10.bc", "lib/libdevice.10.bc"):
            if os.path.isfile(os.path.join(toolkit, place)):
                return os.path.join(toolkit, place)
    return ""
