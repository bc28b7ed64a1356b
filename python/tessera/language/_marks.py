"""`__tessera_language__`: the attribute by which objects of the language are recognized.

A kernel's globals hold live objects: `tl`, `tl.load`, `tl.constexpr`. runtime/values.py reads their attribute
`__tessera_language__`, the path by which the compiler knows the object:

    tl.load.__tessera_language__        "triton.language.load"
    tl.tensor.__tessera_language__      "triton.language.tensor"
    tl.float32.__tessera_language__     AttributeError: a dtype is a value, not a name of the language

A class gets the attribute from its metaclass, so that neither its objects nor its subclasses inherit it.
"""

import sys
from enum import EnumMeta

ROOT = "triton.language"
_PACKAGE = __name__.partition(".")[0]


def known_as(home):
    """The name of a module of the language as the program sees it: triton.language.core while the drop-in is installed. Code
    generators such as torch.compile import functions by their `__module__`."""
    dropin = sys.modules.get(_PACKAGE + ".dropin")
    is_triton = dropin is not None and dropin.is_installed()
    return "triton" + home[len(_PACKAGE):] if is_triton and home.startswith(_PACKAGE + ".") else home


def rename(old, new):
    """Renames the modules of all loaded objects of the language from one package to another."""
    for name, module in list(sys.modules.items()):
        if name.startswith(_PACKAGE + ".language") and module is not None:
            for value in list(vars(module).values()):
                home = value.__module__ if isinstance(value, (type, Named)) else ""
                if home.startswith(old + ".language"):
                    value.__module__ = new + home[len(old):]


class Named:
    """An object with the name of its module in `__module__`."""


class LanguageClass(type):
    """The metaclass of classes of the language; `_language_name` in the class's body is its name in tl."""

    def __init__(cls, name, bases, namespace, **options):
        super().__init__(name, bases, namespace, **options)
        cls.__module__ = known_as(cls.__module__)

    @property
    def __tessera_language__(cls):
        try:
            return ROOT + "." + cls.__dict__["_language_name"]
        except KeyError:
            raise AttributeError("__tessera_language__") from None


class LanguageEnum(EnumMeta):
    """The metaclass of enumerations; their members have paths of their own."""

    def __init__(cls, name, bases, namespace, **options):
        super().__init__(name, bases, namespace, **options)
        cls.__module__ = known_as(cls.__module__)

    @property
    def __tessera_language__(cls):
        return ROOT + "." + cls.__name__
