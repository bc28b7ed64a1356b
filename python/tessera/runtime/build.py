"""Builds C extension modules for programs that need them. Tessera itself never builds one: launches need no C compiler.

    module = compile_module_from_src(text_of_a_c_extension, "helper", libraries=["m"])

The compiler is `knobs.build.impl` if a program has set it, else CC, gcc, clang or cc. The cache manager keeps the modules, by a
key of the source, the machine and the flags.
"""
from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sysconfig
import tempfile

from .. import knobs
from .cache import get_cache_manager


def _library_flag(library: str) -> str:
    """The linker flag of a library: libcuda.so.1 is a file name, cuda is a library name."""
    is_file = library.endswith((".so", ".a")) or ".so." in library
    return f"-l:{library}" if is_file else f"-l{library}"


def _build(name, src, srcdir, library_dirs, include_dirs, libraries, ccflags=()) -> str:
    """Compiles the file `src` into a module in `srcdir`; returns its path."""
    if knobs.build.impl is not None:
        return knobs.build.impl(name, src, srcdir, library_dirs, include_dirs, libraries)
    compiler = knobs.build.cc or next(filter(None, map(shutil.which, ("gcc", "clang", "cc"))), None)
    if compiler is None:
        raise RuntimeError(f"'{name}' is C and there is no C compiler: set CC, or triton.knobs.build.impl to a function that "
                           "builds. Tessera's kernels need none")
    path = os.path.join(srcdir, name + sysconfig.get_config_var("EXT_SUFFIX"))
    includes = [*include_dirs, srcdir, sysconfig.get_paths(scheme="posix_prefix")["include"], *knobs.build.backend_dirs]
    command = [*compiler.split(), src, "-O3", "-shared", "-fPIC", "-o", path, *map(_library_flag, libraries),
               *(f"-L{folder}" for folder in library_dirs), *(f"-I{folder}" for folder in includes), *ccflags]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    if done.returncode != 0:
        raise RuntimeError(f"'{name}' does not compile: {' '.join(command)}\n{done.stdout}")
    return path


@functools.lru_cache(maxsize=None)
def platform_key() -> str:
    import platform
    return ",".join((platform.machine(), platform.system(), *platform.architecture()))


def _load_module_from_path(name: str, path: str):
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise RuntimeError(f"{path} is no module of Python")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compile_module_from_src(src: str, name: str, library_dirs=None, include_dirs=None, libraries=None, ccflags=None):
    """The module of a C source; built once, then taken from the cache."""
    parts = (src, platform_key(), library_dirs, include_dirs, libraries, ccflags)
    manager = get_cache_manager(hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest())
    filename = name + sysconfig.get_config_var("EXT_SUFFIX")
    path = manager.get_file(filename)
    if path is not None:
        try:
            return _load_module_from_path(name, path)
        except (ImportError, RuntimeError):
            pass  # damaged, or built on another machine: build it again
    with tempfile.TemporaryDirectory() as folder:
        text = os.path.join(folder, f"{name}.c")
        with open(text, "w", encoding="utf-8") as file:
            file.write(src)
        built = _build(name, text, folder, library_dirs or [], include_dirs or [], libraries or [], ccflags or [])
        with open(built, "rb") as file:
            path = manager.put(file.read(), filename, binary=True)
    return _load_module_from_path(name, path)
