"""tl.constexpr in Python: a value that kernels may read, and arithmetic with it.

    BLOCK = tl.constexpr(128)       # a global that kernels may read
    BLOCK * 2, 2 ** BLOCK           # constexpr[256], ...: results are constexpr again
    range(BLOCK), BLOCK.value       # the number itself

Operators unwrap both operands, apply Python's operator and wrap the result; the table below lists them.
"""

import operator
import sys

from ._marks import LanguageClass


class base_value(metaclass=LanguageClass):
    """The base class of all values that kernels compute with."""

    __module__ = "tessera.language.core"
    _language_name = "base_value"

    def _unwrapped(self):
        """The value that host code computes with."""
        return self


def unwrap(value):
    """The value inside a constexpr; lists and tuples are unwrapped element by element; other values are returned unchanged."""
    if isinstance(value, list):
        return [unwrap(each) for each in value]
    if type(value) is tuple:
        return tuple([unwrap(each) for each in value])
    return value._unwrapped() if isinstance(value, base_value) else value


unwrap.__tessera_language__ = "triton.language._unwrap_if_constexpr"  # its name in kernels


_PLAIN = frozenset((int, bool, float, str, type(None)))


class constexpr(base_value):
    """A value that is known at compile time; wraps any Python object except another constexpr."""

    __module__ = "tessera.language.core"
    _language_name = "constexpr"

    def __init__(self, value):
        if type(value) not in _PLAIN:  # isinstance would call the metaclass, which is slow
            while isinstance(value, constexpr):
                value = value.value
        self.__dict__["value"] = value

    def __setattr__(self, name, value):
        """Sets the value, and makes all kernels check their guards again: guards compare objects, not their contents."""
        super().__setattr__(name, value)
        collect = sys.modules.get("tessera.runtime.collect")
        if name == "value" and collect is not None:
            collect.functions_have_changed()

    @property
    def type(self):
        from ._types import constexpr_type

        return constexpr_type(self.value)

    def _unwrapped(self):
        return self.value

    def __repr__(self):
        return "constexpr[%s]" % (self.value,)

    def __hash__(self):
        return hash(self.value)

    def __bool__(self):
        return bool(self.value)

    def __index__(self):
        return operator.index(self.value)

    def __int__(self):
        return int(self.value)

    def __float__(self):
        return float(self.value)

    def __iter__(self):
        return iter(self.value)

    def __len__(self):
        return len(self.value)

    def __call__(self, *args, **kwds):
        return self.value(*args, **kwds)

    def __getitem__(self, index):
        return self.value[unwrap(index)]

    def __not__(self):
        return constexpr(not self.value)

    def logical_and(self, other):
        """Implements `and` in kernels, which a Python class cannot define."""
        return constexpr(self.value and unwrap(other))

    def logical_or(self, other):
        """Implements `or` in kernels."""
        return constexpr(self.value or unwrap(other))


def _forward(operation):
    def method(self, other):
        return constexpr(operation(self.value, unwrap(other)))

    return method


def _reflected(operation):
    def method(self, other):
        return constexpr(operation(unwrap(other), self.value))

    return method


def _unary(operation):
    def method(self):
        return constexpr(operation(self.value))

    return method


def _add_operators():
    arithmetic = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and", "or", "xor")
    methods = {}
    for name in arithmetic + ("lt", "le", "gt", "ge", "eq", "ne"):
        operation = getattr(operator, "__%s__" % name)
        methods["__%s__" % name] = _forward(operation)
        if name in arithmetic:
            methods["__r%s__" % name] = _reflected(operation)
    for name in ("neg", "pos", "invert"):
        methods["__%s__" % name] = _unary(getattr(operator, "__%s__" % name))
    for name, method in methods.items():
        method.__name__ = name
        method.__qualname__ = "constexpr." + name
        method.__module__ = constexpr.__module__
        setattr(constexpr, name, method)


_add_operators()
