"""Files by key: for programs that keep things of their own beside the kernels, and for managers of kernels.

The library keeps kernels itself, each in one file that is checked when it is read. They pass through a manager only if a
program has set one (TRITON_CACHE_MANAGER; compiler/shared.py). What is here has Triton's names.
"""
from __future__ import annotations

import functools
import hashlib
import json
import os
from abc import ABC, abstractmethod

from .. import _native, knobs
from ..compiler.dump import base32 as _base32, write_file


class CacheManager(ABC):
    """A folder of files for one key; `override` and `dump` choose the folders of those knobs."""

    def __init__(self, key: str, override: bool = False, dump: bool = False) -> None:
        pass

    @abstractmethod
    def get_file(self, filename: str) -> str | None:
        """The path of a file, if it is there."""

    @abstractmethod
    def put(self, data, filename: str, binary: bool = True) -> str:
        """Keeps text or bytes; returns the path."""

    @abstractmethod
    def get_group(self, filename: str) -> dict | None:
        """The paths of the files that were put together as a group, by name."""

    @abstractmethod
    def put_group(self, filename: str, group: dict) -> str:
        """Says which files belong together; done last, so that a group is complete or not there."""


class FileCacheManager(CacheManager):

    def __init__(self, key: str, override: bool = False, dump: bool = False) -> None:
        self.key = key
        root = knobs.cache.dump_dir if dump else knobs.cache.override_dir if override else knobs.cache.dir
        self.cache_dir = os.path.join(root, key)
        if not override:
            os.makedirs(self.cache_dir, exist_ok=True)

    def _make_path(self, filename: str) -> str:
        return os.path.join(self.cache_dir, filename)

    def has_file(self, filename: str) -> bool:
        return os.path.exists(self._make_path(filename))

    def get_file(self, filename: str) -> str | None:
        return self._make_path(filename) if self.has_file(filename) else None

    def put(self, data, filename: str, binary: bool = True) -> str:
        return write_file(self._make_path(filename), data if isinstance(data, bytes) else str(data))

    def get_group(self, filename: str) -> dict | None:
        path = self.get_file(f"__grp__{filename}")
        if path is None:
            return None
        with open(path, encoding="utf-8") as file:
            members = json.load(file).get("child_paths")
        return None if members is None else {name: each for name, each in members.items() if os.path.exists(each)}

    def put_group(self, filename: str, group: dict) -> str:
        return self.put(json.dumps({"child_paths": group}), f"__grp__{filename}", binary=False)


class RemoteCacheBackend:
    """Where a RemoteCacheManager keeps files: get(names) -> {name: bytes} and put(name, bytes)."""

    def __init__(self, key: str) -> None:
        pass

    def get(self, filenames: list) -> dict:
        raise NotImplementedError

    def put(self, filename: str, data: bytes) -> None:
        raise NotImplementedError


class RedisRemoteCacheBackend(RemoteCacheBackend):

    def __init__(self, key: str) -> None:
        import redis
        self._key = key
        self._redis = redis.Redis(host=knobs.redis.host, port=knobs.redis.port)

    def _name_of(self, filename: str) -> str:
        return knobs.redis.key_format.format(key=self._key, filename=filename)

    def get(self, filenames: list) -> dict:
        values = self._redis.mget([self._name_of(name) for name in filenames])
        return {name: value for name, value in zip(filenames, values) if value is not None}

    def put(self, filename: str, data: bytes) -> None:
        self._redis.set(self._name_of(filename), data)


class RemoteCacheManager(FileCacheManager):
    """Files of TRITON_REMOTE_CACHE_BACKEND, with copies in the folder; dumps and overrides stay in theirs."""

    def __init__(self, key: str, override: bool = False, dump: bool = False) -> None:
        super().__init__(key, override, dump)
        backend = knobs.cache.remote_manager_class
        if backend is None:
            raise RuntimeError("TRITON_REMOTE_CACHE_BACKEND names no class")
        self._backend = None if override or dump else backend(key)

    def get_file(self, filename: str) -> str | None:
        if self._backend is None:
            return super().get_file(filename)
        found = self._backend.get([filename])
        return super().put(found[filename], filename) if filename in found else None

    def put(self, data, filename: str, binary: bool = True) -> str:
        if self._backend is not None:
            self._backend.put(filename, data if isinstance(data, bytes) else str(data).encode())
        return super().put(data, filename, binary)

    def get_group(self, filename: str) -> dict | None:
        path = self.get_file(f"__grp__{filename}")
        if path is None:
            return None
        with open(path, encoding="utf-8") as file:
            names = list(json.load(file).get("child_paths") or ())
        paths = {name: self.get_file(name) for name in names}
        return {name: each for name, each in paths.items() if each is not None}


def _manager_class() -> type:
    return knobs.cache.manager_class or FileCacheManager


def get_cache_manager(key: str) -> CacheManager:
    return _manager_class()(_base32(key))


def get_override_manager(key: str) -> CacheManager:
    return _manager_class()(_base32(key), override=True)


def get_dump_manager(key: str) -> CacheManager:
    return _manager_class()(_base32(key), dump=True)


def make_so_cache_key(version_hash, signature, constants, ids, **kwargs) -> str:
    types = "".join("ptr" if kind[0] == "*" else kind for kind in signature.values())
    text = "-".join(map(str, (version_hash, types, constants, ids, *kwargs.values())))
    return _base32(hashlib.sha256(text.encode()).hexdigest())


@functools.lru_cache(maxsize=None)
def triton_key() -> str:
    """Changes with the compiler, and with nothing else: torch.compile's caches, which machines share, have it in their keys. The
    library's own keys hold the identity of its build, so the key of any program tells builds apart."""
    nothing = {"name": "k", "module": "", "qualname": "k", "path": "", "line": 1, "text": "def k(): pass\n", "kind": "jit",
               "names": {}}
    program = json.dumps({"kernel": 0, "arguments": [], "functions": [nothing]})
    return f"tessera-{_native.version()}-{_native.Session({}).program_key(program, 'cuda:90')}"


# Variables that change what is compiled. The library's own keys hold the options that they become.
_CODE_VARIABLES = ("DISABLE_PTXAS_OPT", "PTXAS_OPTIONS", "TRITON_DEBUG", "TRITON_DEFAULT_FP_FUSION", "TRITON_DISABLE_LINE_INFO",
                   "TRITON_F32_DEFAULT", "TRITON_INTERPRET", "TRITON_LIBDEVICE_PATH", "TRITON_OVERRIDE_ARCH", "TRITON_PTXAS_PATH")


def get_cache_invalidating_env_vars() -> dict[str, str]:
    """Those of them that are set, for programs that keep results per setting."""
    return {name: text for name, text in ((name, knobs.variable(name)) for name in _CODE_VARIABLES) if text is not None}


def get_cache_key(src, backend, backend_options, env_vars=None) -> str:
    from ..compiler.compiler import get_cache_key as key_of
    return key_of(src, backend, backend_options, env_vars)
