"""Functions whose source the compiler reads: the base class of jit and constexpr functions, and constexpr functions.

    @tessera.constexpr_function           runs at compile time when kernels call it; Python code can call it too
    def bits(n):
        return n.bit_length()

    helper.src, helper.cache_key          the source from `def` on; a hash of it and of all that it reads now

The source file is located when the function is decorated; the source is cut and parsed at first use (source.py, collect.py).
"""
from __future__ import annotations

import types

from .. import _native
from ..errors import plain
from . import collect, source, values


def get_full_name(fn):
    return f"{fn.__module__}.{fn.__qualname__}"


class JITCallable:
    """A function whose source the compiler reads: the base class of JITFunction and ConstexprFunction."""

    _must_use_result = None
    _told = {}  # attributes of the source that a program has assigned

    def __init__(self, fn):
        if not isinstance(fn, types.FunctionType):
            fn = _python_function(fn)
        self.fn = fn
        # Located now, so that a later edit of the file has no effect. Cut and parsed at first use.
        self._location = self._locate(source.innermost(fn))
        self._text = None
        self._new_text = None
        self._digest = None
        self.__name__, self.__qualname__, self.__module__ = fn.__name__, fn.__qualname__, fn.__module__
        self.__doc__ = fn.__doc__
        self.__globals__ = fn.__globals__
        self.__wrapped__ = fn

    # ---- the source ---------------------------------------------------------------------------------

    @staticmethod
    def _locate(fn):
        return source.locate(fn)

    def _function_text(self):
        """The FunctionText: the source and the names that it reads."""
        if self._text is None:
            if not self._location[1]:
                self._location = source.locate(source.innermost(self.fn))
            if self._new_text is None:
                self._text = collect.FunctionText(source.innermost(self.fn), *self._location)
            else:
                self._text = collect.FunctionText.of(source.SourceText(*self._new_place(), self._new_text))
        return self._text

    def _new_place(self):
        """(path, line) of a source that a program has assigned: as assigned, or else those of the original function."""
        fn = source.innermost(self.fn)
        path, first = source.shown_path(fn.__code__.co_filename), self.starting_line_number
        if "starting_line_number" in self._told:
            lines = self._told.get("raw_src", ())
            return path, first + next((i for i, line in enumerate(lines) if line.lstrip().startswith("def ")), 0)
        try:
            old = source.cut(fn, *self._location)
            return old.path, old.line
        except ValueError:  # the function has the code object of another one
            return path, first

    @property
    def src(self):
        """The source from `def` on, without indentation and decorators. Read-only; see _unsafe_update_src."""
        if self._new_text is not None:
            return self._new_text
        import textwrap
        return textwrap.dedent(self._function_text().source.text)

    @src.setter
    def src(self, text):
        raise AttributeError("src is read-only; _unsafe_update_src(text) replaces the text of a jit function")

    def _unsafe_update_src(self, new_src):
        """Replaces the source; kernels that call the function are compiled again at their next launch."""
        self._new_text, self._text = new_src, None
        self.hash = None

    # Programs that generate kernels from other sources assign these two, so that messages and tools show the original place.

    @property
    def raw_src(self):
        """The lines of the file from the first decorator to the end."""
        if "raw_src" in self._told:
            return self._told["raw_src"]
        text = self._function_text().source
        first = self.starting_line_number
        return self._location[1][first - 1:text.line - 1] + text.text.splitlines(keepends=True)

    @raw_src.setter
    def raw_src(self, lines):
        self._told = {**self._told, "raw_src": lines}
        self._text = None if self._new_text is not None else self._text

    @property
    def starting_line_number(self):
        """The line of the first decorator."""
        told = self._told.get("starting_line_number")
        return source.innermost(self.fn).__code__.co_firstlineno if told is None else told

    @starting_line_number.setter
    def starting_line_number(self, line):
        self._told = {**self._told, "starting_line_number": line}
        self._text = None if self._new_text is not None else self._text

    def parse(self):
        import ast
        return ast.parse(self.src)

    @property
    def signature(self):
        import inspect
        return inspect.signature(self.fn)

    # ---- what the function reads -----------------------------------------------------------------

    def _collect(self):
        return collect.collect_function(self)

    @property
    def cache_key(self):
        """A hash of the source and of all values that it reads now. The same in every process and every folder."""
        epoch, known = collect.EPOCH["functions"], self._digest  # another thread may set it to None meanwhile
        if known is None or known[0] is not epoch or not hold(known[1]):
            collected = self._collect()
            known = self._digest = (epoch, tuple(collected.guards.values()), collected.digest())
        return known[2]

    @property
    def hash(self):
        known = self._digest
        return known and known[2]

    @hash.setter
    def hash(self, value):
        """Clients set it to None after they have changed a function."""
        self._digest = None
        collect.functions_have_changed()

    @property
    def used_global_vals(self):
        """{(name, id of its dictionary): (value, dictionary)} of the globals that the function and its callees read, without
        modules, functions and objects of the language."""
        collected, used = self._collect(), {}
        for where, name, value in collected.guards.values():
            if id(where) in collected.scopes and value is not _native.absent and value is not None \
                    and not isinstance(value, (types.ModuleType, JITCallable)) and values.language_path(value) is None:
                used[name, id(where)] = (value, where)
        return dict(sorted(used.items()))

    @used_global_vals.setter
    def used_global_vals(self, value):
        """Ignored: clients clear it before they pickle a function (detached.py), and restore it. It is computed when it is read."""

    def get_capture_scope(self):
        """The names that the function can read: its globals and its closure."""
        fn = source.innermost(self.fn)
        cells = zip(fn.__code__.co_freevars, fn.__closure__ or ())
        held = {name: collect.cell_contents(cell) for name, cell in cells}
        return {**fn.__globals__, **{name: value for name, value in held.items() if value is not _native.absent}}

    @property
    def type(self):
        from ..language.core import constexpr_type
        return constexpr_type(self)

    # ---- pickling and copying -----------------------------------------------------------------------------

    def __reduce__(self):
        if self.fn is None:
            from .detached import reduce_detached
            return reduce_detached(self)
        if "<locals>" in self.__qualname__:
            import pickle
            raise pickle.PicklingError(f"'{self.__qualname__}' is defined inside a function, where unpickling cannot find it; "
                                       "define it at the top of a module")
        return _find_by_name, (self.__module__, self.__qualname__, type(self).__name__)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        if self.fn is None:  # torch copies a detached function (detached.py), and pickles the copy later
            make, arguments = self.__reduce__()
            return make(*arguments)
        return self


def _python_function(fn):
    """The Python function inside the argument of jit."""
    if isinstance(fn, (staticmethod, classmethod)):
        return fn.__func__
    if isinstance(fn, JITCallable):
        return fn.fn
    inner = getattr(fn, "__wrapped__", None) or getattr(fn, "fn", None) or getattr(fn, "__func__", None)
    if isinstance(inner, types.FunctionType):
        return inner
    hint = ": put @jit below @autotune and @heuristics" if hasattr(fn, "arg_names") else ""
    what = f"the class {fn.__name__}" if isinstance(fn, type) else f"an object of type {type(fn).__name__}"
    raise plain(TypeError(f"jit needs a function made with def, not {what}{hint}"))


def _find_by_name(module, qualname, kind):
    """Unpickles: the function of that name, without the autotune and heuristics around it."""
    import importlib
    import inspect
    found = importlib.import_module(module)
    for part in qualname.split("."):
        found = inspect.getattr_static(found, part) if isinstance(found, type) else getattr(found, part)
    while type(found).__name__ != kind:
        found = found.__func__ if isinstance(found, (staticmethod, classmethod)) else found.fn
    return found


hold = _native.hold  # returns whether all guards of a tuple hold

_PLAIN_TYPES = (int, float, str, type(None))


class BoundConstexprFunction(JITCallable):
    """A constexpr function that is bound to an object, as a method."""

    def __init__(self, instance, fn):
        self.__self__, self.__func__ = instance, fn

    @property
    def cache_key(self):
        return self.__func__.cache_key

    def __call__(self, *args, **kwargs):
        return self.__func__(self.__self__, *args, **kwargs)


class ConstexprFunction(JITCallable):
    """A function that kernels call at compile time, and that Python code can call too."""

    @staticmethod
    def _locate(fn):
        if fn.__module__ == "tessera":
            return fn.__code__.co_filename, []  # the compiler knows it by its name; the source is read only if it is needed
        # A function without source is run by Python, also for kernels.
        try:
            return source.locate(fn)
        except ValueError:
            return fn.__code__.co_filename, []

    def __get__(self, instance, owner=None):
        return self if instance is None else BoundConstexprFunction(instance, self)

    def __call__(self, *args, _semantic=None, **kwargs):
        # The fast path for grids, which call cdiv at every launch with plain numbers. isinstance, because torch.compile traces
        # this code, and its dynamic sizes are ints only to isinstance.
        if not kwargs:
            for value in args:
                if not isinstance(value, _PLAIN_TYPES):
                    break
            else:
                return self.fn(*args)
        unwrapped = [value.value if values.is_constexpr(value) else value for value in args]
        named = {name: value.value if values.is_constexpr(value) else value for name, value in kwargs.items()}
        return self.fn(*unwrapped, **named)

    def __repr__(self):
        return f"ConstexprFunction({self.__module__}:{self.__qualname__})"


def constexpr_function(fn):
    """Makes a Python function callable in kernels: its arguments and its result are compile-time values."""
    return ConstexprFunction(fn)


def must_use_result(value, message=True):
    """Marks a jit function whose result must not be ignored: @must_use_result, or @must_use_result("reason")."""
    if isinstance(value, str):
        return lambda fn: must_use_result(fn, value)
    value._must_use_result = message
    return value


_native.register_type("function", JITCallable)
