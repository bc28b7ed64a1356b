"""Lets launches notice that a program has put something of its own in the place of `run` or `[]`, or into `pre_run_hooks`.

    JITFunction.run = traced_run          every kernel[grid](...) calls it: profilers and packages that record launches do so
    kernel.run = traced_run               this one kernel's
    class Mine(JITFunction): def run...   as ever
    KernelInterface.__getitem__ = f       every kernel[grid], of jit functions and of autotuners too
    KernelInterface.warmup = f            every kernel.warmup(...), of jit functions too
    kernel.pre_run_hooks.append(hook)     as add_pre_run_hook

A launch runs in C and calls no method of Python's. Setting one of these sends launches through `run` (the slow path of
_native.Launchable), and setting `run` back ends that, so nothing is paid for as long as nobody does.
"""
from __future__ import annotations

import abc
import functools
import types
import weakref

from .. import knobs

_own_runs = {}  # class -> its Run
_classes = set()  # whose `run` has been replaced
_quick = []  # (class, its own __getitem__ or None): those whose kernel[grid] is not KernelInterface's
brackets_are_replaced = False  # in one of those


class WatchedClass(abc.ABCMeta):
    """The type of KernelInterface and of all its kinds. Programs may mix abstract classes into theirs."""

    def __setattr__(cls, name, value):
        if name == "run" and any(base in _own_runs for base in cls.__mro__):  # an Autotuner looks for itself
            own = _own_runs.get(cls)
            if own is not None and value is own.function:
                value = own  # what `original = JITFunction.run` has read is put back
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
    """Decorator: the class's kernel[grid] is another than KernelInterface's, and gives way to one that a program puts there."""
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
    """A jit function's warmup is C's, which would hide the one that a program has put into KernelInterface."""
    for cls, getitem in _quick:
        if getitem is None and not is_own:
            type.__setattr__(cls, "warmup", warmup)
        elif getitem is None and "warmup" in vars(cls):
            type.__delattr__(cls, "warmup")


class Run:
    """JITFunction's own `run`, a method that an object can have replaced."""

    def __init__(self, function):
        functools.update_wrapper(self, function)
        self.function = function

    def __call__(self, instance, *args, **kwargs):
        """For who takes it out of the class's dictionary, as mock does."""
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
    """The hooks of one function, which hears of every change."""

    def __init__(self, function, hooks=()):
        super().__init__(hooks)
        self._function = weakref.ref(function)  # which holds this list, and is to go when its last user does

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
