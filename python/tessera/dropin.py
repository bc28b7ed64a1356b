"""Lets `import triton` import Tessera: install_as_triton() in code, `python -m tessera script.py` for whole programs.

    import tessera
    tessera.install_as_triton()
    import triton.language as tl            # tessera.language, the same module object
    from triton.runtime.jit import JITFunction
    isinstance(kernel, JITFunction)         # for kernels made under either name

A finder at the front of sys.meta_path finds `triton` and all modules below it. `triton.a.b` is the module object of `tessera.a.b`,
so classes, registries and monkey patches are shared. Only `triton` itself is a second object, which forwards every attribute to
`tessera`: programs test triton.__version__ for features, so it must be Triton's version.

Forked child processes inherit the finder. For others the folder _as_triton is added to sys.path, which multiprocessing passes to
the children that it spawns. The folder has a package `triton` that calls install_as_triton() when it is imported, and metadata for
importlib.metadata.version("triton"). `python -m tessera` also adds it to PYTHONPATH, for every Python that the program starts, such
as torchrun's and pytest-xdist's.
"""
from __future__ import annotations

import importlib
import importlib.machinery
import os
import sys
import types

from . import knobs

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_as_triton")
TRITON_VERSION = "3.6.0"  # the version whose public interface this package has
_PACKAGE = __name__.rpartition(".")[0]


def _is_triton(name):
    return name == "triton" or name.startswith("triton.")


class _Triton(types.ModuleType):
    """The module `triton`: attributes of the import system are its own, all others are forwarded to tessera."""
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


def _spec_of(name):
    """Returns the spec of a module of this package; None if there is no such module."""
    spec = getattr(sys.modules.get(name), "__spec__", None)
    if spec is not None:
        return spec
    import importlib.util  # which imports much that `import triton` alone does not need
    return importlib.util.find_spec(name)


class _Finder:
    """The entry of sys.meta_path. A module that Tessera lacks is not found, even if Triton is installed."""

    def find_spec(self, name, path=None, target=None):
        if not _is_triton(name):
            return None
        ours = _PACKAGE + name[len("triton"):]
        found = _spec_of(ours)
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
        """Does not execute the module again, but restores its spec: the import system has replaced it by that of the new name."""
        if self.spec is not None:
            module.__spec__ = self.spec

    # For runpy (python -m triton.tools.compile), inspect and linecache, which ask by the name under triton.
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
        return _spec_of(self.ours).loader


class DropIn:
    """The result of install_as_triton(). undo(), or leaving a `with` block, removes the drop-in."""

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
            # After the script's own folder, because programs read sys.path[0].
            sys.path.insert(1, FOLDER)
        importlib.invalidate_caches()
        importlib.import_module("triton")
        _rename_language(_PACKAGE, "triton")

    def undo(self):
        """Removes the drop-in. Modules that already hold Tessera's objects keep them."""
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
    """Renames the modules of the language's objects (language/_marks.py)."""
    marks = sys.modules.get(_PACKAGE + ".language._marks")
    if marks is not None:
        marks.rename(old, new)


def install_as_triton(replace=False):
    """Lets `import triton`, and imports of its submodules, import Tessera. Returns a DropIn, whose undo() ends that; calling again
    returns the same one.

    If Triton itself is already imported, modules may hold its objects, and kernels of one would call functions of the other:
    that is a RuntimeError. With replace=True Triton is hidden until undo(); modules that hold its objects keep them.
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
    """Returns whether a module is _as_triton/triton, which calls install_as_triton when a child process imports it."""
    file = getattr(module, "__file__", None)
    return file is not None and os.path.dirname(os.path.dirname(os.path.abspath(file))) == FOLDER


def offer_to_children():
    """Adds the folder to PYTHONPATH, for processes that this one starts."""
    there = (knobs.variable("PYTHONPATH") or "").split(os.pathsep)
    path = os.pathsep.join([FOLDER] + [entry for entry in there if entry and entry != FOLDER])
    knobs.set_variables({"PYTHONPATH": path})
