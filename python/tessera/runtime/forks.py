"""Forks, and the interpreter's end: what they wait for. First, a fork while another thread imports a module.

The child of a fork has one thread. A module that another thread of the parent was importing is half there in the child, and
its lock is held by nobody who could release it: using it fails, importing it waits for ever. Much here is imported at first
use, on whichever thread that is. So

  1. a fork waits until no such import is under way. It holds nothing while it waits, nor afterwards: handlers that run after
     this one may wait for a thread that imports, as logging's do for one that is in logging.config.
  2. what another thread began to import after that, or still did when the wait was over, the child forgets, and imports anew.

Only modules of ours and Python's own: to import another package anew is not for us to decide.
"""
import _frozen_importlib
import atexit
import os
import sys
import time
from _thread import get_ident

from .. import _native

_WAIT = 5.0  # seconds; who imports for longer may be waiting for the thread that forks


def _names_of_packages():
    names = getattr(sys, "stdlib_module_names", None)  # since 3.10
    if names is None:
        folder = os.path.dirname(os.__file__)
        names = {entry.partition(".")[0] for entry in os.listdir(folder)} if os.path.isdir(folder) else ()
    return {"tessera", "triton"}.union(names, sys.builtin_module_names)


_packages = _names_of_packages()


def _is_anothers(lock):
    """Whether another thread has this module's lock, or is about to."""
    if getattr(lock, "owner", None) not in (None, get_ident()):
        return True
    inner = getattr(lock, "lock", None)  # taken for a moment whenever the owner changes
    if inner is None:
        return False
    is_free = inner.acquire(False)
    if is_free:
        inner.release()
    return not is_free


def _others_imports():
    """The names of modules that another thread is importing."""
    locks = getattr(_frozen_importlib, "_module_locks", {})  # {module: weak reference to its lock}
    # Of a copy, made in one step: other threads import meanwhile.
    return [name for name, lock in locks.copy().items() if name.partition(".")[0] in _packages and _is_anothers(lock())]


def _wait_for_imports():
    end = time.monotonic() + _WAIT
    while _others_imports() and time.monotonic() < end:
        time.sleep(0.0005)


def _forget_imports():
    """In a child, where nobody will finish what other threads were importing."""
    for name in _others_imports():
        del _frozen_importlib._module_locks[name]
        module = sys.modules.get(name)
        if getattr(getattr(module, "__spec__", None), "_initializing", False):
            del sys.modules[name]
        elif module is not None:  # complete, but for the last step
            package, _, last = name.rpartition(".")
            if package in sys.modules:
                setattr(sys.modules[package], last, module)


os.register_at_fork(before=_wait_for_imports, after_in_child=_forget_imports)

# Both wait for who is inside the compiler (python/native/ForkGate.h); a fork does so first. Here rather than in the extension, which
# is initialized once for all interpreters of a process, while each has its own handlers.
os.register_at_fork(before=_native._before_fork, after_in_parent=_native._after_fork, after_in_child=_native._after_fork_in_child)
atexit.register(_native._close)
