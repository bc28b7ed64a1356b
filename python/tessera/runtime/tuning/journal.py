"""A journal on disk of the configuration that is being measured, to find configurations that end the process.

A kernel that writes out of bounds may end the process, on the CPU, or hang until somebody kills it. The process cannot report
that afterwards, so it writes down what it is about to do:

    journal = Journal.open(store)           # None without a store, or without file locks
    journal.begin("BLOCK: 64")
    ... run it for the first time ...
    journal.end({"BLOCK: 64": {"ms": [...]}})
    journal.close()                         # the search is over, and its results are in the store

    recover(store)                          # in another process: moves the journal of a process that has ended to the store

The journal lies beside the store's file, and has a line of JSON for each event. Its process holds a lock on it, which the system
releases when the process ends. A process that gets the lock knows that the owner has ended, but not why: it may have been killed.
So the configuration that was being measured is first marked as suspect, and the next search tries it last. If that process ends
too, the configuration is a fault and is not tried again. A second process that measures the same kernel at the same time has no
journal.

Cost: two system calls per configuration, and one for a search that measures nothing.
"""
from __future__ import annotations

import atexit
import json
import os
import time

from .store import is_result

try:
    import fcntl
except ImportError:  # without file locks there are no journals
    fcntl = None


class Journal:
    def __init__(self, handle, path):
        self.handle, self.path, self.process = handle, path, os.getpid()
        atexit.register(self._leave)  # the interpreter does not wait for a search on a daemon thread

    @staticmethod
    def open(store):
        """An empty journal. If a process that has ended left events in the file, they are moved to the store first."""
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
        except (OSError, TypeError, ValueError):  # the disk is full, or JSON cannot hold it: then the store does not keep it either
            pass

    def close(self):
        atexit.unregister(self._leave)
        _remove(self.path)
        os.close(self.handle)

    def _leave(self):
        if self.process == os.getpid():  # not in a child
            _remove(self.path)


def recover(store):
    """Moves the results of a process that has ended to the store, with the configuration that it was measuring."""
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
    """Opens the store's journal, moves its events to the store and empties it; None if another process has it. If its owner removes
    the file meanwhile, it is opened again."""
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
    """Moves the events of a process that has ended to the store."""
    facts = os.fstat(handle)
    if facts.st_size == 0:
        return
    store.add(_results(os.pread(handle, facts.st_size, 0).decode("utf-8", "replace"), facts.st_mtime, store.read()))
    os.ftruncate(handle, 0)


def _results(text, when, known):
    """{configuration's text: result} of the journal of a process that has ended; `known` are the results in the store."""
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
            continue  # the last line may be incomplete
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
