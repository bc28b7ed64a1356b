"""Attributes that are computed when they are first read.

    class Kernel:
        @lazily
        def record(self): ...        # then kernel.record is the same object for ever

functools.cached_property without the lock that it has up to Python 3.11: one for all objects of a class, held while a value is
computed. So two threads cannot read the stages of two kernels at once, and the child of a fork never can if another thread was
computing then. Here two threads may compute the same value; the first that is done decides.
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
