"""Handlers of forks and of the interpreter's exit. They wait for imports (below) and for compilations (ForkGate.h).

The child of a fork has one thread. A module that another thread of the parent was importing is incomplete in the child, and its
import lock is never released: using the module fails, and importing it waits for ever. Much of this package is imported at first
use, on any thread. Therefore

  1. a fork waits until no other thread imports such a module. It holds no lock while it waits, nor afterwards: handlers that run
     later may wait for a thread that imports, as logging's handler waits for a thread in logging.config.
  2. the child removes the modules that another thread was still importing after the wait, and imports them again.

This concerns modules of this package and of Python's library only. Other packages must decide for themselves.
"""
import _frozen_importlib
import atexit
import os
import sys
import time
from _thread import get_ident

from .. import _native

_WAIT = 5.0  # seconds; a thread that imports for longer may be waiting for the thread that forks


def _names_of_packages():
    names = getattr(sys, "stdlib_module_names", None)  # since 3.10
    if names is None:
        folder = os.path.dirname(os.__file__)
        names = {entry.partition(".")[0] for entry in os.listdir(folder)} if os.path.isdir(folder) else ()
    return {"tessera", "triton"}.union(names, sys.builtin_module_names)


_packages = _names_of_packages()


def _is_anothers(lock):
    """Returns whether another thread holds this module's import lock, or is about to take it."""
    if getattr(lock, "owner", None) not in (None, get_ident()):
        return True
    inner = getattr(lock, "lock", None)  # held for a moment whenever the owner changes
    if inner is None:
        return False
    is_free = inner.acquire(False)
    if is_free:
        inner.release()
    return not is_free


def _others_imports():
    """The names of modules that another thread is importing."""
    locks = getattr(_frozen_importlib, "_module_locks", {})  # {module: weak reference to its lock}
    # The dict is copied in one step, because other threads import meanwhile.
    return [name for name, lock in locks.copy().items() if name.partition(".")[0] in _packages and _is_anothers(lock())]


def _wait_for_imports():
    end = time.monotonic() + _WAIT
    while _others_imports() and time.monotonic() < end:
        time.sleep(0.0005)


def _forget_imports():
    """Called in the child: removes modules that other threads of the parent were importing."""
    for name in _others_imports():
        del _frozen_importlib._module_locks[name]
        module = sys.modules.get(name)
        if getattr(getattr(module, "__spec__", None), "_initializing", False):
            del sys.modules[name]
        elif module is not None:  # complete, except for the last step of the import
            package, _, last = name.rpartition(".")
            if package in sys.modules:
                setattr(sys.modules[package], last, module)


os.register_at_fork(before=_wait_for_imports, after_in_child=_forget_imports)

# A fork and the exit of the interpreter wait for compilations (python/native/ForkGate.h). The handlers are registered here, because
# each interpreter has its own, while the extension is initialized once for all interpreters of a process.
os.register_at_fork(before=_native._before_fork, after_in_parent=_native._after_fork, after_in_child=_native._after_fork_in_child)
atexit.register(_native._close)
