"""Attributes that are computed when they are first read.

    class Kernel:
        @lazily
        def record(self): ...        # then kernel.record is the same object for ever

Like functools.cached_property, but without its lock: up to Python 3.11 all objects of a class share one lock, which is held while a
value is computed. Two threads could not read the stages of two kernels at once, and the child of a fork would wait for ever if
another thread held the lock. Here two threads may compute the same value; the first result is kept.
"""
from __future__ import annotations


class lazily:

    def __init__(self, compute):
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner, name):
        self._name = name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        return instance.__dict__.setdefault(self._name, self._compute(instance))
