"""Classifies live objects for JSON programs: objects of the language, dtypes, constexprs, functions, classes.

Triton may be installed beside Tessera, and a kernel's file may have imported either. Objects of both are recognized, by their
attribute `__tessera_language__` or by their type's module and name. Nothing here imports Triton, torch or NumPy.
"""
from __future__ import annotations

import sys
import types
import weakref


def is_enum_member(value):
    """Returns whether the value is a member of an enum. Without the module enum there are none, so it is not imported."""
    enum_class = getattr(sys.modules.get("enum"), "Enum", None)
    return enum_class is not None and isinstance(value, enum_class)


def language_path(value):
    """"triton.language.load" for an object of the language, ours or Triton's own; None for anything else."""
    if isinstance(value, types.ModuleType):
        return _module_path(value)
    try:
        path = getattr(value, "__tessera_language__", None)
    except Exception:  # __getattr__ of an object may raise anything
        return None
    if isinstance(path, str):
        return path
    module = getattr(value, "__module__", None)
    package = module.partition(".")[0] if isinstance(module, str) else ""
    if package == "triton":
        return _path_in_triton(value, module)
    return _path_of_top_level(value) if package == "tessera" else None


def _module_path(module):
    marked = getattr(module, "__dict__", {}).get("__tessera_language__")
    if isinstance(marked, str):  # the compiler knows tl.extra.cuda.utils as part of tl.extra.cuda
        return marked
    name = getattr(module, "__name__", "")
    if name == "tessera" or name.startswith("tessera."):
        return "triton" + name[len("tessera"):]
    return name if name == "triton" or name.startswith(("triton.language", "triton.experimental.gluon.language")) else None


def _path_of_top_level(value):
    """The path of a function of the package itself, such as tessera.cdiv: kernels call it triton.cdiv."""
    name = getattr(value, "__name__", None)
    package = sys.modules.get("tessera")
    if isinstance(name, str) and package is not None and package.__dict__.get(name) is value:
        return "triton." + name
    return None


def _path_in_triton(value, module):
    """The path of an object of Triton's: in `triton.language`, in its own module or in `triton`."""
    name = getattr(value, "__name__", None) or getattr(value, "name", None)
    if not isinstance(name, str) or is_dtype(value):
        return None
    if is_enum_member(value):
        name = f"{type(value).__name__}.{name}"
    for place in ("triton.language", module, "triton"):
        found = sys.modules.get(place)
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is value and place.startswith("triton.language"):
            return f"{place}.{name}".replace("triton.language.core.", "triton.language.")
        if found is value and place == "triton":
            return f"triton.{name}"
    return None


_LASTING = ("builtins", "tessera", "triton")
_CORES = ("tessera.language.core", "triton.language.core")
_JITS = ("tessera.runtime.jit", "tessera.runtime.callables", "triton.runtime.jit")
# (name of a class, its module) -> the role of its instances in programs, called by the class's name.
_ROLES = {(name, module): name
          for names, modules in ((("constexpr", "dtype", "tuple"), _CORES),
                                 (("JITFunction", "ConstexprFunction", "KernelInterface"), _JITS))
          for name in names for module in modules}
_known_types = {}  # type -> role, of types that live as long as the process
_known_weakly = weakref.WeakKeyDictionary()  # type -> role, of others


def _role(value):
    """The role of an object: the class above that its type is or derives from; None for other objects."""
    cls = type(value)
    try:
        return _known_types[cls] if cls in _known_types else _known_weakly[cls]
    except KeyError:
        role = _role_of_type(cls)
        (_known_types if cls.__module__.partition(".")[0] in _LASTING else _known_weakly)[cls] = role
        return role
    except TypeError:  # a metaclass whose classes have no hash
        return _role_of_type(cls)


def _role_of_type(cls):
    found = (_ROLES.get((base.__name__, base.__module__)) for base in cls.__mro__)
    return next((each for each in found if each is not None), None)


def is_constexpr(value):
    return _role(value) == "constexpr"


def is_dtype(value):
    return _role(value) == "dtype"


def is_language_tuple(value):
    return _role(value) == "tuple"


def dtype_text(value):
    """A dtype or pointer type as signatures spell it; None for block types."""
    if hasattr(value, "__tessera_dtype__"):
        return value.__tessera_dtype__
    element = getattr(value, "element_ty", None)
    if element is not None and not hasattr(value, "shape"):
        inner = dtype_text(element)
        return inner and ("*k" if getattr(value, "const", False) else "*") + inner
    if getattr(value, "shape", None):
        return None
    name = getattr(value, "name", "")
    return {"int1": "u1", "uint1": "u1"}.get(name) or _short_name(name)


def _short_name(name):
    """int32 -> i32, uint8 -> u8; other names are returned unchanged."""
    for long, short in (("uint", "u"), ("int", "i")):
        if name.startswith(long) and name[len(long):].isdigit():
            return short + name[len(long):]
    return name


def is_jit(value):
    """A jit function, ours or Triton's own."""
    return _role(value) == "JITFunction"


def is_constexpr_function(value):
    return _role(value) == "ConstexprFunction"


def without_tuner(value):
    """The jit function inside autotune and heuristics; any other object unchanged."""
    while _role(value) == "KernelInterface":
        inner = getattr(value, "fn", None)
        if inner is None:
            break
        value = inner
    return value


def is_named_tuple_class(value):
    return isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields")


def is_aggregate_class(value):
    return isinstance(value, type) and bool(getattr(value, "__triton_aggregate__", False))


def describe(value):
    """A description of an object for messages; not its repr(), which may hold an address or a whole tensor."""
    if is_enum_member(value):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, type):
        return f"class {value.__module__}.{value.__qualname__}"
    if type(value).__module__ == "torch" and type(value).__name__ == "dtype":
        return str(value)
    kind = type(value)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    return ("an " if name[0].lower() in "aeiou" else "a ") + name


_LIBRARY_FOLDERS = None


def is_foreign(fn, package):
    """Returns whether a plain function belongs to Python's library or to an installed package other than `package`. Python itself
    runs such functions, since compiling their source would pull in much of that library."""
    if (fn.__module__ or "").partition(".")[0] == package:
        return False
    return _is_in_library(fn.__code__.co_filename)


def _is_in_library(path):
    global _LIBRARY_FOLDERS
    if _LIBRARY_FOLDERS is None:
        import sysconfig
        names = ("stdlib", "platstdlib", "purelib", "platlib")
        _LIBRARY_FOLDERS = tuple({sysconfig.get_paths()[name] for name in names}) + ("<frozen ",)
    return path.startswith(_LIBRARY_FOLDERS) or "site-packages" in path or "dist-packages" in path


def is_foreign_class(cls, package):
    """Returns whether Python creates objects of this class, rather than the compiler from the class's source."""
    module = cls.__module__ or ""
    if is_named_tuple_class(cls) or is_aggregate_class(cls) or module.partition(".")[0] == package:
        return False
    path = getattr(sys.modules.get(module), "__file__", None)
    return path is None and module != "__main__" or path is not None and _is_in_library(path)


def scope_of_class(cls):
    """The globals of the module in which a class was defined."""
    for member in cls.__dict__.values():
        fn = getattr(member, "__func__", member)
        fn = getattr(fn, "fn", fn)
        if isinstance(fn, types.FunctionType) and fn.__module__ == cls.__module__:
            return fn.__globals__
    module = sys.modules.get(cls.__module__)
    return module.__dict__ if module is not None else {}


def find(kind, text):
    """The live object of a {"dtype"}, {"language"} or {"module"} VALUE."""
    if kind == "module":
        return sys.modules[text]
    if kind == "dtype":
        return _dtype_of(text)
    found = sys.modules["tessera"]
    for part in text.split(".")[1:]:
        found = getattr(found, part)
    return found


def _dtype_of(text):
    from ..language import core
    if text.startswith("*"):
        constant = text.startswith("*k")
        return core.pointer_type(_dtype_of(text[2 if constant else 1:]), const=constant)
    for value in vars(core).values():
        if is_dtype(value) and dtype_text(value) == text:
            return value
    raise ValueError(f"there is no dtype '{text}'")
