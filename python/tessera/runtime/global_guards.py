"""The guards of one jit function: checks that the values which its variants were compiled with are still current.

A guard is (namespace, name, value). The base guards are those of everything that the function's text reads, whatever its
arguments are; a variant may add guards of its own, for what only it has read (`Program.own_guards`). A launch compares all of
them in C (python/native/Guards.h), and calls `update` if one has changed.

The function's `_state` stands for the guards' values, and is part of the key of each variant: the collected text of the base
guards, and a generation number that goes up when another guard changes. So a launch finds an old variant again when an old value
comes back, and never a variant that was compiled with other values.
"""
from __future__ import annotations

import weakref
from _thread import RLock

from . import collect
from .callables import hold


class GlobalGuards:
    """Keeps the guards and the state of a jit function current. `lock` protects both, and the collecting of programs."""

    def __init__(self, fn):
        self._function = weakref.ref(fn)  # which owns this object
        self.lock = RLock()
        self.changed_names = ()  # what changed last, for messages
        self._recomputed = set()  # (id, name) of attributes whose values are equal and never the same object
        self._text = None  # Collector.text() of the base guards
        self._base = None  # the base guards of the program that was adopted last; None if others were set since
        self._extra = {}  # the guards of single variants
        self._generation = 0
        fn._set_guards((), None)

    def update(self):
        """Collects anew what the function reads, because a guard does not hold."""
        fn = self._function()
        with self.lock:
            changed = {(id(guard[0]), guard[1]): guard for guard in fn._guards if not hold((guard, ))}
            collected = fn._collect()
            text = collected.text()
            if text == self._text:
                # New objects that mean the same, and will be new at the next launch too if an attribute makes them.
                self._recomputed.update(key for key, guard in changed.items() if not isinstance(guard[0], dict))
            if any(not hold((guard, )) for guard in self._extra.values()):
                self._extra, self._generation = {}, self._generation + 1
            self.changed_names = tuple(collect.name_of(guard) for guard in changed.values() if guard[0] is not collect.EPOCH)
            fn._call_memory.clear()
            self._set(fn, text, collected.guards)

    def refresh(self):
        """Updates if a guard does not hold, as a launch does first."""
        if not hold(self._function()._guards):
            self.update()

    def adopt(self, program):
        """Adds the guards of a variant's program to those that launches check; returns the state that the variant belongs to."""
        fn = self._function()
        with self.lock:
            own, known = program.own_guards, self._extra
            if not own and program.base_guards is self._base:
                return fn._state
            if any(key in known and collect.differ(known[key], guard) for key, guard in own.items()):
                # Another thread's variant was compiled with another value at the same time. Each belongs to a state of its own.
                self._extra, self._generation = {}, self._generation + 1
            self._extra.update(own)
            self._set(fn, program.base_text, program.base_guards)
            self._base = program.base_guards
            return fn._state

    def _set(self, fn, text, base_guards):
        guards = (*base_guards.values(), *self._extra.values())
        if self._recomputed:
            guards = tuple((collect.Recomputed(*guard), "same", True) if (id(guard[0]), guard[1]) in self._recomputed else guard
                           for guard in guards)
        self._text, self._base = text, None
        fn._set_guards(guards, (text, self._generation))

    def start_in_child(self):
        """After a fork: a thread that is not there may hold the lock."""
        self.lock = RLock()
