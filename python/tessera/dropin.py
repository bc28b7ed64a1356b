"""`import triton` means Tessera: install_as_triton() in code, `python -m tessera script.py` (__main__.py) for whole programs.

    import tessera
    tessera.install_as_triton()
    import triton.language as tl            # tessera.language, the same module object
    from triton.runtime.jit import JITFunction
    isinstance(kernel, JITFunction)         # for kernels made under either name

How: a finder in front of sys.meta_path answers for `triton` and everything below. `triton.a.b` is the module object of
`tessera.a.b`, so classes, registries and monkey patches are shared. Only `triton` itself is a second object, which passes every
attribute on to `tessera`: programs ask triton.__version__ whether a feature is there, and must hear Triton's number.

Child processes: those that fork inherit it. For those that do not, the folder _as_triton goes on sys.path, which
multiprocessing hands to the children that it spawns. The folder has a package `triton` that calls install_as_triton() when it is
imported, and metadata, so that importlib.metadata.version("triton") has an answer. `python -m tessera` also puts it on
PYTHONPATH, where every Python started from there finds it: torchrun's, pytest-xdist's.
"""
from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import os
import sys
import types

from . import knobs

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_as_triton")
TRITON_VERSION = "3.6.0"  # whose public interface this package has
_PACKAGE = __name__.rpartition(".")[0]


def _is_triton(name):
    return name == "triton" or name.startswith("triton.")


class _Triton(types.ModuleType):
    """The module `triton`: what the import system notes about a module is its own, all else is tessera's."""
    _OWN = frozenset(["__name__", "__spec__", "__loader__", "__package__", "__path__", "__file__", "__cached__", "__version__",
                      "__class__", "__dict__"])

    def __getattr__(self, name):
        if name in _Triton._OWN:
            raise AttributeError(f"module 'triton' has no attribute '{name}'")
        return getattr(sys.modules[_PACKAGE], name)

    def __setattr__(self, name, value):
        if name in _Triton._OWN:
            super().__setattr__(name, value)
        else:
            setattr(sys.modules[_PACKAGE], name, value)

    def __delattr__(self, name):
        if name in _Triton._OWN:
            super().__delattr__(name)
        else:
            delattr(sys.modules[_PACKAGE], name)

    def __dir__(self):
        return sorted(set(dir(sys.modules[_PACKAGE])) | set(self.__dict__))

    def __repr__(self):
        return f"<module 'triton' (Tessera, from '{self.__file__}')>"


class _Finder:
    """The entry of sys.meta_path. A module that Tessera does not have is not found: no other triton's is mixed in."""

    def find_spec(self, name, path=None, target=None):
        if not _is_triton(name):
            return None
        ours = _PACKAGE + name[len("triton"):]
        found = importlib.util.find_spec(ours)
        if found is None:
            return None
        spec = importlib.machinery.ModuleSpec(name, _Loader(ours), origin=found.origin,
                                              is_package=found.submodule_search_locations is not None)
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations[:] = found.submodule_search_locations
        return spec


class _Loader:
    def __init__(self, ours):
        self.ours = ours
        self.spec = None

    def create_module(self, spec):
        module = importlib.import_module(self.ours)
        if self.ours == _PACKAGE:
            facade = _Triton("triton", module.__doc__)
            facade.__file__, facade.__version__ = module.__file__, TRITON_VERSION
            return facade
        self.spec = module.__spec__
        return module

    def exec_module(self, module):
        """Nothing is run twice. The import system has just written the spec of the new name into the module."""
        if self.spec is not None:
            module.__spec__ = self.spec

    # For runpy (python -m triton.tools.compile), inspect and linecache, which ask by the name that they know.
    def get_code(self, name):
        return self._own_loader().get_code(self.ours)

    def get_source(self, name):
        return self._own_loader().get_source(self.ours)

    def get_filename(self, name):
        return self._own_loader().get_filename(self.ours)

    def is_package(self, name):
        return self._own_loader().is_package(self.ours)

    # For importlib.resources.files("triton") and pkgutil.get_data("triton", path).
    def get_resource_reader(self, name):
        return self._own_loader().get_resource_reader(self.ours)

    def get_data(self, path):
        return self._own_loader().get_data(path)

    def _own_loader(self):
        return importlib.util.find_spec(self.ours).loader


class DropIn:
    """What install_as_triton() returns: undo() ends it, and so does leaving a `with` block."""

    def __init__(self):
        self._finder = _Finder()
        self._set_aside = {}

    def _install(self):
        sys.meta_path.insert(0, self._finder)
        there = {name: module for name, module in list(sys.modules.items()) if _is_triton(name)}
        for name in there:
            del sys.modules[name]
        self._set_aside = {} if _is_shim(there.get("triton")) else there
        if FOLDER not in sys.path:
            # Behind the script's own folder: programs read sys.path[0].
            sys.path.insert(1, FOLDER)
        importlib.invalidate_caches()
        importlib.import_module("triton")
        _rename_language(_PACKAGE, "triton")

    def undo(self):
        """`import triton` means again what it meant before. Modules that already hold Tessera's objects keep them."""
        global _installed
        if _installed is not self:
            return
        _installed = None
        _rename_language("triton", _PACKAGE)
        sys.meta_path.remove(self._finder)
        if FOLDER in sys.path:
            sys.path.remove(FOLDER)
        for name in [name for name in list(sys.modules) if _is_triton(name)]:
            del sys.modules[name]
        sys.modules.update(self._set_aside)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.undo()


_installed = None


def is_installed():
    return _installed is not None


def _rename_language(old, new):
    """What is loaded of the language says where it comes from (language/_marks.py)."""
    marks = sys.modules.get(_PACKAGE + ".language._marks")
    if marks is not None:
        marks.rename(old, new)


def install_as_triton(replace=False):
    """From now on `import triton`, and any module below it, gives Tessera's. Returns a DropIn, whose undo() ends that; calling
    again returns the same one.

    If Triton itself is already imported, modules may hold its objects, and kernels made by one meet functions of the other: that
    is a RuntimeError. With replace=True it is set aside until undo(); what holds its objects keeps them.
    """
    global _installed
    if _installed is not None:
        return _installed
    there = sys.modules.get("triton")
    if there is not None and not replace and not _is_shim(there):
        version, file = getattr(there, "__version__", "(unknown version)"), getattr(there, "__file__", None)
        raise RuntimeError(f"Triton {version} is already imported, from {file}. Call tessera.install_as_triton() before anything imports "
                           "triton (torch may), or run the program with `python -m tessera`; install_as_triton(replace=True) sets the "
                           "imported one aside.")
    _installed = DropIn()
    try:
        _installed._install()
    except BaseException:
        _installed.undo()
        raise
    return _installed


def _is_shim(module):
    """Whether it is _as_triton/triton, which a child process imports and which calls install_as_triton."""
    file = getattr(module, "__file__", None)
    return file is not None and os.path.dirname(os.path.dirname(os.path.abspath(file))) == FOLDER


def offer_to_children():
    """Puts the folder on PYTHONPATH, for processes that this one starts."""
    there = (knobs.variable("PYTHONPATH") or "").split(os.pathsep)
    path = os.pathsep.join([FOLDER] + [entry for entry in there if entry and entry != FOLDER])
    knobs.set_variables({"PYTHONPATH": path})
