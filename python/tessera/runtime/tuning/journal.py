"""What a search is doing, on disk while it lasts: so that a configuration that takes the process with it does not do so for ever.

A kernel that writes where it must not may end the process, on the CPU, or hang until somebody ends it. Nothing can be told
afterwards, so it is told before:

    journal = Journal.open(store)           # None where there is nothing to keep, or no locks
    journal.begin("BLOCK: 64")
    ... run it for the first time ...
    journal.end({"BLOCK: 64": {"ms": [...]}})
    journal.close()                         # the search is over, and its results are the store's

    recover(store)                          # in another process: a journal without a process becomes results

The file is the store's with another ending, a line of JSON an event. Its owner holds a lock on it, which ends with the process,
however that ends: who gets the lock knows that the owner is gone. It does not know why: somebody may have killed it. So what was
being tried is suspect at first, and the next search tries it again, after all others; if that process ends over it as well, it is
a fault. A second process that searches for the same at the same time has no journal; what ends one of them will end the other.

Cost: two system calls a configuration, one a search that measures nothing.
"""
from __future__ import annotations

import atexit
import json
import os
import time

from .store import is_result

try:
    import fcntl
except ImportError:  # no locks, no journals
    fcntl = None


class Journal:
    def __init__(self, handle, path):
        self.handle, self.path, self.process = handle, path, os.getpid()
        atexit.register(self._leave)  # a search on a daemon thread is not waited for

    @staticmethod
    def open(store):
        """An empty journal; what a process that is gone left in it goes to the store first."""
        if store is None or fcntl is None:
            return None
        path = _path_of(store)
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            handle = _lock(store, os.O_CREAT)
            return Journal(handle, path) if handle is not None else None
        except OSError:
            return None

    def begin(self, text):
        self._write({"begin": text})

    def end(self, results):
        self._write({"end": results})

    def _write(self, event):
        try:
            os.write(self.handle, (json.dumps(event) + "\n").encode())
        except (OSError, TypeError, ValueError):  # no space left, or what JSON cannot hold: the store does not keep it either
            pass

    def close(self):
        atexit.unregister(self._leave)
        _remove(self.path)
        os.close(self.handle)

    def _leave(self):
        if self.process == os.getpid():  # not in a child
            _remove(self.path)


def recover(store):
    """Adds to the store what a search found whose process is gone, and what ended it."""
    if fcntl is None or not os.path.exists(_path_of(store)):
        return
    try:
        handle = _lock(store)
        if handle is not None:
            _remove(_path_of(store))
            os.close(handle)
    except OSError:
        pass


def _path_of(store):
    return os.path.splitext(store.path)[0] + ".trying"


def _lock(store, flags=0):
    """The store's journal, open and empty, or None if another process has it; what a process that is gone left in it is the
    store's now. A file that its owner removes meanwhile is opened again."""
    path = _path_of(store)
    while True:
        handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | flags, 0o666)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_at(handle, path):
                _settle(store, handle)
                return handle
        except BlockingIOError:
            os.close(handle)
            return None
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _is_at(handle, path):
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except FileNotFoundError:
        return False


def _settle(store, handle):
    """Empties the journal of a process that is gone into the store."""
    facts = os.fstat(handle)
    if facts.st_size == 0:
        return
    store.add(_results(os.pread(handle, facts.st_size, 0).decode("utf-8", "replace"), facts.st_mtime, store.read()))
    os.ftruncate(handle, 0)


def _results(text, when, known):
    """{configuration's text: result} of a journal that nobody writes any more; `known` is what the store has."""
    found, running = {}, None
    for line in text.splitlines():
        try:
            event = json.loads(line)
            if "begin" in event:
                running = event["begin"]
            else:
                running = None
                found.update((text, result) for text, result in event["end"].items() if is_result(result))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            continue  # half a line is the last one
    if isinstance(running, str):
        date = time.strftime("%Y-%m-%d %H:%M", time.localtime(when))
        if "suspect" in known.get(running, {}):
            reason = f"{known[running]['suspect']}, and another on {date}"
            found[running] = {"failure": reason, "fault": True}
        else:
            found[running] = {"suspect": f"a process that was measuring it ended on {date}"}
    return found


def _remove(path):
    try:
        os.unlink(path)
    except OSError:
        pass
