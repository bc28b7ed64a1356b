"""Shares kernels through a cache manager of the program: TRITON_CACHE_MANAGER, knobs.cache.manager_class.

    class Manager(CacheManager):                    get_file, put, get_group, put_group (runtime/cache.py)
    TRITON_CACHE_MANAGER=mine:Manager

For each kernel a manager is created with the kernel's key, and asked for the group "NAME.json". If it has none, or a damaged one,
the kernel is compiled (or read from the cache folder, which stays in use) and put there: NAME.json is its ABI record (docs/abi.md),
NAME.tessera the kernel itself, with a checksum. A damaged kernel, or a manager that raises, is a warning.

For torch.compile such a manager is always used: torch bundles the folder TRITON_CACHE_DIR/KEY of every kernel with its graph, for
other machines, and launches NAME.cubin of that folder by itself. If the folder cannot be written, nothing is put there.
"""
from __future__ import annotations

import json
import os
import stat

from .. import _native, knobs
from ..errors import level_of_program
from ..runtime.cache import FileCacheManager
from .dump import base32
from .session import manager_for_torch


def compile_through(manager_class, session, text: str, target: str, flags: str, outputs: str):
    """session.compile_program, with a cache manager."""
    key = session.program_key(text, target, flags)
    program = json.loads(text)
    name = program["functions"][program["kernel"]]["name"][:150]
    manager = _ask(manager_class, base32(key))
    found = None if manager is None or knobs.compilation.always_compile else _ask(_fetch, manager, name, key)
    if found is not None and all(found.artifact(each) is not None for each in outputs.split(",")):
        return found
    kernel = session.compile_program(text, target, flags, outputs)
    if manager is not None and found is None:
        _ask(_keep, manager, name, kernel)
    return kernel


def _fetch(manager, name: str, key: str):
    path = (manager.get_group(f"{name}.json") or {}).get(f"{name}.tessera")
    if path is None:
        return None
    return _native.Kernel.unpack(key, _read(path, of_anybody=type(manager) is not FileCacheManager))


def _read(path: str, of_anybody: bool) -> bytes:
    """Reads a plain file; a pipe would block. The kernel will be run, so in the cache folder the file must belong to this user or to
    root, unless TESSERA_CACHE_TRUST=all. A manager of the program's own is trusted."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(handle, "rb") as file:
        facts = os.fstat(handle)
        if not stat.S_ISREG(facts.st_mode):
            raise OSError(f"{path} is not a plain file")
        if not of_anybody and knobs.cache.trust != "all" and facts.st_uid not in (0, os.geteuid()):
            raise PermissionError(f"{path} belongs to another user (TESSERA_CACHE_TRUST=all trusts all)")
        return file.read()


def _keep(manager, name: str, kernel) -> None:
    files = {f"{name}.tessera": kernel.pack(), f"{name}.json": kernel.metadata}
    image = kernel.artifact("cubin") if manager_for_torch() is not None else None
    if image is not None:
        files[f"{name}.cubin"] = image
    group = {filename: manager.put(data, filename, binary=isinstance(data, bytes)) for filename, data in files.items()}
    manager.put_group(f"{name}.json", group)


def _ask(call, *args):
    """Calls a function of the manager; None if it raises, since the kernel can always be compiled."""
    try:
        return call(*args)
    except Exception as problem:
        if knobs.cache.manager_class is None and isinstance(problem, OSError):
            return None  # torch's manager, with a folder that cannot be written
        import warnings
        warnings.warn(f"the cache manager failed, and the kernel is compiled: {type(problem).__name__}: {problem}",
                      RuntimeWarning, stacklevel=level_of_program())
        return None
