"""How an object of the language tells what it is.

A kernel's globals hold live objects: `tl`, `tl.load`, `tl.constexpr`. What reads them (runtime/program.py) asks each
for `__tessera_language__`, the path by which the compiler knows it:

    tl.load.__tessera_language__        "triton.language.load"
    tl.tensor.__tessera_language__      "triton.language.tensor"
    tl.float32.__tessera_language__     AttributeError: a dtype is a value, not a name of the language

A class gets the attribute from its metaclass, so that its objects do not inherit it, nor do classes derived from it.
"""

from enum import EnumMeta

ROOT = "triton.language"


class LanguageClass(type):
    """A class whose body has `_language_name`: the name under which tl offers it."""

    @property
    def __tessera_language__(cls):
        try:
            return ROOT + "." + cls.__dict__["_language_name"]
        except KeyError:
            raise AttributeError("__tessera_language__") from None


class LanguageEnum(EnumMeta):
    """The same for enumerations; the members have paths of their own."""

    @property
    def __tessera_language__(cls):
        return ROOT + "." + cls.__name__
