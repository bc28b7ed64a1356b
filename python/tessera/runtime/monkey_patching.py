"""Detects that a program replaces `run` or `[]`, or changes `pre_run_hooks`, so that launches call its code.

    JITFunction.run = traced_run          every kernel[grid](...) calls it; profilers and packages that record launches do this
    kernel.run = traced_run               launches of this kernel call it
    class Mine(JITFunction): def run...   launches of such functions call it
    KernelInterface.__getitem__ = f       every kernel[grid] calls it, of jit functions and of autotuners
    KernelInterface.warmup = f            every kernel.warmup(...) calls it, also of jit functions
    kernel.pre_run_hooks.append(hook)     the same as add_pre_run_hook

A launch runs in C and calls no Python method. After one of these assignments launches go through `run` (the slow path of
_native.Launchable) until the program restores the original. Otherwise this module costs nothing at a launch.
"""
from __future__ import annotations

import abc
import types
import weakref

from .. import knobs

_own_runs = {}  # class -> its Run
_classes = set()  # the classes whose `run` has been replaced
_quick = []  # (class, its own __getitem__ or None) of classes whose kernel[grid] is not KernelInterface's
brackets_are_replaced = False  # whether __getitem__ of one of those is replaced


class WatchedClass(abc.ABCMeta):
    """The metaclass of KernelInterface and its subclasses. An ABCMeta, because programs combine them with abstract classes."""

    def __setattr__(cls, name, value):
        if name == "run" and any(base in _own_runs for base in cls.__mro__):  # an Autotuner checks by itself
            own = _own_runs.get(cls)
            if own is not None and value is own.function:
                value = own  # `original = JITFunction.run` reads the function; assigning it restores the descriptor
            _note(cls, value is not own)
        if name == "__getitem__" and "_own_getitem" in vars(cls):
            _lend(value, value is vars(cls)["_own_getitem"])
        if name == "warmup" and "_own_warmup" in vars(cls):
            _lend_warmup(value, value is vars(cls)["_own_warmup"])
        super().__setattr__(name, value)
        _look_at_brackets(name)

    def __delattr__(cls, name):
        super().__delattr__(name)
        if name == "run":
            _note(cls, False)
        _look_at_brackets(name)


def _note(cls, is_replaced):
    (_classes.add if is_replaced else _classes.discard)(cls)
    knobs.run_is_replaced(bool(_classes))


def has_quick_launches(cls):
    """Decorator of classes with a kernel[grid] of their own; a program that replaces KernelInterface's replaces theirs too."""
    _quick.append((cls, vars(cls).get("__getitem__")))
    return cls


def _look_at_brackets(name):
    global brackets_are_replaced
    if name == "__getitem__":
        brackets_are_replaced = any(vars(cls).get("__getitem__") is not own for cls, own in _quick)


def _lend(getitem, is_own):
    for cls, own in _quick:
        if not is_own or own is not None:
            type.__setattr__(cls, "__getitem__", own if is_own else getitem)
        elif "__getitem__" in vars(cls):
            type.__delattr__(cls, "__getitem__")


def _lend_warmup(warmup, is_own):
    """Sets `warmup` of JITFunction too: its own is implemented in C, and would hide the replacement in KernelInterface."""
    for cls, getitem in _quick:
        if getitem is None and not is_own:
            type.__setattr__(cls, "warmup", warmup)
        elif getitem is None and "warmup" in vars(cls):
            type.__delattr__(cls, "warmup")


class Run:
    """The descriptor of JITFunction.run, which also handles the assignment of `run` to one function."""

    def __init__(self, function):
        # This does what functools.update_wrapper does: importing this package shall not import functools.
        for name in ("__module__", "__name__", "__qualname__", "__doc__"):
            setattr(self, name, getattr(function, name))
        self.__dict__.update(function.__dict__)
        self.__wrapped__ = function
        self.function = function

    def __call__(self, instance, *args, **kwargs):
        """For callers that take the descriptor out of the class's dict, as mock does."""
        return self.function(instance, *args, **kwargs)

    def __set_name__(self, owner, name):
        _own_runs[owner] = self

    def __get__(self, instance, owner=None):
        if instance is None:
            return self.function
        replacement = vars(instance).get("run")
        return types.MethodType(self.function, instance) if replacement is None else replacement

    def __set__(self, instance, value):
        vars(instance)["run"] = value
        instance._choose_path()

    def __delete__(self, instance):
        if vars(instance).pop("run", None) is None:
            raise AttributeError("run")
        instance._choose_path()


class PreRunHooks(list):
    """The list of a function's hooks; it notifies the function of every change."""

    def __init__(self, function, hooks=()):
        super().__init__(hooks)
        self._function = weakref.ref(function)  # weak, because the function owns this list

    def __reduce__(self):
        return list, (list(self),)


def _noting(name):
    method = getattr(list, name)

    def changed(self, *args, **kwargs):
        result = method(self, *args, **kwargs)
        function = self._function()
        if function is not None:
            function._choose_path()
        return result

    changed.__name__, changed.__doc__ = name, method.__doc__
    return changed


for _name in ("append", "extend", "insert", "remove", "pop", "clear", "__setitem__", "__delitem__", "__iadd__", "__imul__"):
    setattr(PreRunHooks, _name, _noting(_name))
