"""The functions of the language in Python: names that kernels call; calling one from host code raises.

    tl.load                     <function tl.load of the kernel language>
    tl.load(p)                  ValueError: tl.load works in kernels only; did you forget @triton.jit?
    help(tl.load)               signature and documentation, read from core.pyi at first use

A function here is a name and a path (`__tessera_language__`); the compiler implements it. Its signature and documentation are in the
type stubs beside these modules: `__signature__` and `__doc__` parse the stub at first use, so importing creates a few hundred small
objects and reads no stub. Without the stubs only help and signatures are missing.
"""

import functools
import os

from ._constexpr import unwrap
from ._marks import ROOT, Named, known_as

# Prefixes of function names in messages: tl.load, libdevice.sin, tl.extra.cuda.smid.
_SPELLINGS = (
    (ROOT + ".extra.libdevice.", "libdevice."),
    (ROOT + ".extra.cuda.libdevice.", "libdevice."),
    (ROOT + ".", "tl."),
)


def _spelling(path):
    for prefix, short in _SPELLINGS:
        if path.startswith(prefix):
            return short + path[len(prefix):]
    return path


class LanguageFunction(Named):
    """A function that kernels call. `home` is the module whose stub declares it, as `qualname` ("tensor.sum")."""

    __triton_builtin__ = True
    _host_error = ValueError

    def __init__(self, name, path, home, qualname=None):
        self.__name__ = name
        self.__qualname__ = qualname or name
        self.__module__ = known_as(home)
        self.__tessera_language__ = path

    def __call__(self, *args, **kwargs):
        on_host = self.__name__ in ("cdiv", "next_power_of_2")  # a jit function in the first module, a host function in the second
        hint = "outside of them there is triton.%s" % self.__name__ if on_host else "did you forget to add @triton.jit?"
        raise self._host_error("%s works in kernels only; %s" % (_spelling(self.__tessera_language__), hint))

    def __get__(self, instance, owner=None):
        """Binds it as a method of tensors; help() also needs this to treat it as a function."""
        return self if instance is None else functools.partial(self, instance)

    def __repr__(self):
        return "<function %s of the kernel language>" % _spelling(self.__tessera_language__)

    def __reduce__(self):
        return _find, (self.__module__, self.__qualname__)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    @property
    def __doc__(self):
        return _stub_of(self)[1]

    @property
    def __signature__(self):
        signature = _stub_of(self)[0]
        if signature is None:
            raise AttributeError("__signature__")
        return signature


# A function of the language that is itself written as a kernel (tl.sum, tl.cdiv), so Python code sees a jit function. These
# classes have comments instead of docstrings, because their objects would show the docstrings as their own.
class JitLikeFunction(LanguageFunction):
    __doc__ = LanguageFunction.__dict__["__doc__"]
    _host_error = RuntimeError
    __triton_builtin__ = False


# A function of the language that runs at compile time, and that host code can call too.
class CompileTimeFunction(LanguageFunction):
    __doc__ = LanguageFunction.__dict__["__doc__"]
    __triton_builtin__ = False

    def __init__(self, name, path, home, function):
        super().__init__(name, path, home)
        self._function = function

    def __call__(self, *args, **kwargs):
        kwargs.pop("_semantic", None)
        return self._function(*unwrap(args), **{name: unwrap(value) for name, value in kwargs.items()})


def _find(module, qualname):
    """Unpickles: the object of that name in that module."""
    import importlib

    found = importlib.import_module(module)
    for name in qualname.split("."):
        found = getattr(found, name)
    return found


def define(namespace, names, path=ROOT, kind=LanguageFunction):
    """Adds a function for each of the names to a module's namespace."""
    home = namespace["__name__"]
    for name in names.split():
        namespace[name] = kind(name, "%s.%s" % (path, name), home)


# ----------------------------------------------------------------------------------------------------------------------
# Decorators of users' own functions
# ----------------------------------------------------------------------------------------------------------------------


def builtin(fn):
    """Marks a function that kernels call and that the compiler runs; it passes `_semantic` on to other such functions."""

    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        if kwargs.get("_semantic") is None:
            raise ValueError("%s works in kernels only; did you forget to add @triton.jit?" % fn.__qualname__)
        return fn(*args, **kwargs)

    wrapper.__triton_builtin__ = True
    return wrapper


def extern(fn):
    """`builtin`, for functions that call tl.core.extern_elementwise."""
    return builtin(fn)


builtin.__tessera_language__ = ROOT + ".builtin"
extern.__tessera_language__ = ROOT + ".extern"


def is_builtin(fn):
    """Returns whether the compiler implements the function, or runs it (`builtin`)."""
    return bool(getattr(fn, "__triton_builtin__", False))


# ----------------------------------------------------------------------------------------------------------------------
# Stubs
# ----------------------------------------------------------------------------------------------------------------------


def _stub_of(function):
    """(signature, documentation) of a function in its stub; (None, None) without a stub."""
    try:
        definitions = _definitions(function.__module__).get(function.__qualname__, [])
    except (OSError, SyntaxError):
        definitions = []
    if not definitions:
        return None, None
    import ast

    texts = [text for text in map(ast.get_docstring, definitions) if text]
    # The last of several overloads is the most general one.
    return _signature(definitions[-1], function.__module__), texts[0] if texts else None


@functools.lru_cache(maxsize=None)
def _definitions(module):
    """{name: its definitions in a module's stub}; methods are called "tensor.sum"."""
    import ast

    folder = os.path.dirname(os.path.abspath(__file__))
    parts = module.split(".")[module.split(".").index("language") + 1:]
    base = os.path.join(folder, *parts)
    path = os.path.join(base, "__init__.pyi") if os.path.isdir(base) else base + ".pyi"
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read(), path)
    found = {}
    package = parts if os.path.isdir(base) else parts[:-1]
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*":
            home = package[:len(package) - statement.level + 1]
            found.update(_definitions(".".join(["language", *home, statement.module])))
        if isinstance(statement, ast.FunctionDef):
            found.setdefault(statement.name, []).append(statement)
        if isinstance(statement, ast.ClassDef):
            for member in statement.body:
                if isinstance(member, ast.FunctionDef):
                    found.setdefault("%s.%s" % (statement.name, member.name), []).append(member)
    return found


def _signature(definition, module):
    """An inspect.Signature of a definition in a module's stub. Annotations are strings."""
    import ast
    import inspect

    def annotation(node):
        return inspect.Parameter.empty if node is None else ast.unparse(node)

    def parameter(node, kind, default=None):
        value = inspect.Parameter.empty if default is None else _default(default, module)
        return inspect.Parameter(node.arg, kind, default=value, annotation=annotation(node.annotation))

    arguments = definition.args
    positional = arguments.posonlyargs + arguments.args
    defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    first = inspect.Parameter.POSITIONAL_ONLY
    second = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = []
    for index, (node, default) in enumerate(zip(positional, defaults)):
        parameters.append(parameter(node, first if index < len(arguments.posonlyargs) else second, default))
    if arguments.vararg:
        parameters.append(parameter(arguments.vararg, inspect.Parameter.VAR_POSITIONAL))
    for node, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        parameters.append(parameter(node, inspect.Parameter.KEYWORD_ONLY, default))
    return inspect.Signature(parameters, return_annotation=annotation(definition.returns))


def _default(node, module):
    """The value of a default in a stub: a literal, or a name of the module such as `float32`."""
    import ast

    try:
        return ast.literal_eval(node)
    except ValueError:
        return _find(module, ast.unparse(node))
