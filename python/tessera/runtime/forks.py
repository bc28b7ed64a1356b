"""A fork waits for other threads' imports.

The child of a fork has one thread. A module that another thread of the parent was importing is half there in the child, and
its import lock is held by nobody who could release it: using it fails, importing it waits for ever. Much here is imported at
first use, on whichever thread that is, so a fork waits until no such import is under way.
"""
import _imp
import os
import sys
import time
from _frozen_importlib import _module_locks  # {module: weak reference to its lock}, while it is being imported
from _thread import get_ident

_WAIT = 5.0  # seconds; who imports for longer may be waiting for the thread that forks
_PACKAGES = {"tessera", "triton"}.union(getattr(sys, "stdlib_module_names", ()))


def _others_import():
    """Whether another thread is importing a module of ours, or one of Python's own. Other packages' are not our business."""
    me = get_ident()
    for name, reference in list(_module_locks.items()):
        if name.partition(".")[0] in _PACKAGES:
            lock = reference()
            if lock is not None and lock.owner not in (None, me):
                return True
    return False


def _hold_imports():
    """Returns with the lock that the beginning of an import needs."""
    end = time.monotonic() + _WAIT
    while True:
        _imp.acquire_lock()
        if not _others_import() or time.monotonic() > end:
            return
        _imp.release_lock()
        time.sleep(0.0005)


os.register_at_fork(before=_hold_imports, after_in_parent=_imp.release_lock, after_in_child=_imp.release_lock)
