"""Collects everything that a function's source reaches in the live process: functions, classes, globals, modules' members.

    BLOCK = tl.constexpr(64)            collector.function(add); collector.finish()
    @tessera.jit                          entries: add (with its text), helper (with its text)
    def add(x, n):                        names of add: tl -> language, BLOCK -> constexpr 64, helper -> function 1
        helper(x, n, BLOCK)

1. `_native.references` lists the dotted names that a source reads. Their first parts are looked up in the closure, then in the
   globals. Builtins and unknown names are left out.
2. Of modules and objects only the attributes that are read are collected. Functions and classes are collected with their own
   sources. So only values that are read influence a program.
3. Functions and classes are numbered in the order in which they are found, and names are sorted, so that equal programs give
   equal JSON in every process.
4. Every look-up adds a guard (namespace, name, value). Launches compare guards by identity, in C; after a change everything is
   collected again.

Cost: about 2 us per name, and parsing each function once. Python code may run during a look-up (a module's __getattr__).
"""
from __future__ import annotations

import builtins
import types
import weakref

from .. import _native
from . import source, values
from .parameters import type_text

# Replaced by a new object whenever a jit function is changed in place (_unsafe_update_src, noinline). Every kernel has a guard for
# it, so one comparison covers all functions that a kernel calls.
EPOCH = {"functions": object()}

_LARGEST_CONTAINER = 1 << 16
_DEEPEST_NESTING = 40
_plain_functions = weakref.WeakKeyDictionary()  # function -> FunctionText
_classes = weakref.WeakKeyDictionary()  # class -> _ClassText


def functions_have_changed():
    EPOCH["functions"] = object()


class FunctionText:
    """The source of a function, and the dotted names that it reads. Neither changes during a function's life."""
    __slots__ = ("source", "references")

    def __init__(self, fn, path, lines):
        self.source = source.cut(fn, path, lines)
        try:
            self.references = _read_names(self.source)
        except ValueError as error:
            # The cut by indentation was too short, or the source is wrong; the tokenizer decides.
            text = source.cut_by_tokens(fn, path, lines)
            if text.text == self.source.text:
                raise ValueError(f"the text of '{fn.__qualname__}' does not parse:\n{error}") from None
            self.source, self.references = text, _read_names(text)

    @classmethod
    def of(cls, text):
        """The FunctionText of a SourceText that a program has assigned to a function."""
        made = cls.__new__(cls)
        made.source, made.references = text, _read_names(text)
        return made


def _read_names(text):
    """The names that a source reads as a trie: {"cfg": {"tile": {}}, "tl": {"load": {}}}."""
    tree = {}
    for dotted in _native.references(text.text, text.path, text.line):
        node = tree
        for part in dotted.split("."):
            node = node.setdefault(part, {})
    return tree


def function_text(value, fn):
    """The FunctionText of a jit, constexpr or plain function `value` whose Python function is `fn`; cached."""
    own = getattr(value, "_function_text", None)
    if own is not None:
        return own()
    known = _plain_functions.get(fn)
    if known is None:
        known = _plain_functions[fn] = FunctionText(fn, *source.locate(fn))
    return known


class _ClassText:
    __slots__ = ("source", "references")

    def __init__(self, text):
        self.source, self.references = text, _read_names(text)


def class_text(cls):
    """The _ClassText of a class, cached; None if its source is not known."""
    known = _classes.get(cls, False)
    if known is False:
        text = source.class_source(cls)
        try:
            known = _classes[cls] = text and _ClassText(text)
        except ValueError:
            known = _classes[cls] = None
    return known


class Snapshot:
    """A guard for the contents of a list, dict or set that is called `name`: `same` tells whether they are unchanged."""
    __slots__ = ("container", "copy", "name")

    def __init__(self, container, name):
        self.container, self.copy, self.name = container, container.copy(), name

    @property
    def same(self):
        try:
            return bool(self.container == self.copy)
        except Exception:
            return False


class Recomputed:
    """A guard for an attribute that is a new object at each access, such as a property: `same` tells whether it is still equal."""
    __slots__ = ("where", "name", "value")

    def __init__(self, where, name, value):
        self.where, self.name, self.value = where, name, value

    @property
    def same(self):
        try:
            now = getattr(self.where, self.name)
            return type(now) is type(self.value) and bool(now == self.value)
        except Exception:
            return False


def differ(one, other):
    """Returns whether two guards of the same name hold different values. Some values are new, but equal, objects at each access."""
    a, b = [guard[0].copy if isinstance(guard[0], Snapshot) else guard[2] for guard in (one, other)]
    try:
        return a is not b and not (type(a) is type(b) and a == b)
    except Exception:
        return True


class Collector:
    """Collects functions, classes and guards, starting from a kernel and its arguments.

    `extra` are the members that the compiler's questions asked for: {function: [path, ...]}."""

    def __init__(self, extra=None):
        self.functions = []  # live objects, by their number in the program
        self.classes = []
        self.entries = []  # the FUNCTION of each, as docs/program.md describes it
        self.class_entries = []
        self.objects = {}  # JSON of an {"object": ...} -> the live object; None if several objects have the same JSON
        self.guards = {}
        self.scopes = {}  # id -> the globals of a function that was read
        self._numbers = {}  # identity -> number; `functions` and `classes` keep the objects alive
        self._class_numbers = {}
        self._class_members = 0  # the number of members added after their class was described
        self._text = None
        self._waiting = []
        self._extra = extra or {}
        self._reading = ""  # the name that is being read, for messages
        self._guard(EPOCH, "functions", EPOCH["functions"])

    def text(self):
        """Everything that was collected, as members of a program's JSON object. Cached until more is collected."""
        extent = (len(self.entries), len(self.class_entries), self._class_members)
        if self._text is None or self._text[0] != extent:
            classes = f'"classes":{dump(self.class_entries)},' if self.class_entries else ""
            self._text = extent, f'{classes}"functions":{dump(self.entries)}'
        return self._text[1]

    def digest(self):
        """A hash of everything that was collected, independent of the files' folders."""
        import hashlib
        everything = [{**entry, "path": ""} for entry in self.entries + self.class_entries]
        return hashlib.sha256(dump(everything).encode()).hexdigest()

    # ---- values -----------------------------------------------------------------------------------

    def value(self, value, read=None, depth=0, package=""):
        """The VALUE of an object; `read` is the trie of its attributes that are read."""
        read = read or {}
        if value is None or value is True or value is False or type(value) is str:
            return value
        if type(value) is int:
            return {"int": str(value)}
        if depth > _DEEPEST_NESTING:
            return self._opaque(value, {})
        simple = _scalar(value)
        if simple is not None:
            return simple
        if values.is_constexpr(value):
            if isinstance(value.value, types.FunctionType):  # @tl.constexpr above a def: kernels call it while compiling
                return {"function": self.function(value, package)}
            return {"constexpr": self.value(value.value, None, depth + 1, package)}
        path = values.language_path(value)
        if path is not None:
            return {"language": path}
        if values.is_dtype(value):
            text = values.dtype_text(value)
            return {"dtype": text} if text else self._opaque(value, {})
        if isinstance(value, types.ModuleType):
            return {"module": value.__name__, "members": self._members(value, read, depth, package)}
        if values.is_enum_member(value):
            return self._enum_member(value, depth)
        if isinstance(value, type):
            return self._class_value(value, read, package)
        if isinstance(value, (tuple, list, set, frozenset, dict)) or values.is_language_tuple(value):
            return self._container(value, depth, package)
        value = values.without_tuner(value)
        if callable(value):
            return {"function": self.function(value, package)}
        return self._object(value, read, depth, package)

    def _enum_member(self, value, depth):
        members = {name: self.value(getattr(value, name), None, depth + 1) for name in ("name", "value")}
        kind = type(value)
        return self._opaque(value, members, same=f"{kind.__module__}.{kind.__qualname__}.{value.name}")

    def _container(self, value, depth, package):
        if values.is_language_tuple(value):
            return {"tuple": [self.value(each, None, depth + 1, package) for each in value.values]}
        if len(value) > _LARGEST_CONTAINER:
            return {"object": f"{values.describe(value)} of {len(value)} elements", "members": {}}
        if not isinstance(value, (tuple, frozenset)):
            snapshot = Snapshot(value, self._reading)
            self._guard(snapshot, "same", True, id(value))
            value = snapshot.copy
        if isinstance(value, dict):
            return {"dict": [[self.value(k, None, depth + 1, package), self.value(v, None, depth + 1, package)]
                             for k, v in value.items()]}
        elements = [self.value(each, None, depth + 1, package) for each in value]
        if isinstance(value, (set, frozenset)):
            return {"set": sorted(elements, key=dump)}
        if isinstance(value, list):
            return {"list": elements}
        if values.is_named_tuple_class(type(value)):
            return {"tuple": elements, "class": self.class_number(type(value), package)}
        return {"tuple": elements}

    def _object(self, value, read, depth, package):
        members = self._members(value, read, depth, package)
        for name in getattr(type(value), "__dataclass_fields__", ()):
            if name not in members:
                member = getattr(value, name, None)
                self._guard(value, name, member)
                members[name] = self.value(member, None, depth + 1, package)
        return self._opaque(value, members)

    def _opaque(self, value, members, **more):
        result = {"object": values.describe(value), "members": members, **more}
        text = dump(result)
        known = self.objects.setdefault(text, value)
        if known is not value:
            self.objects[text] = None
        return result

    def result(self, value):
        """The VALUE of a call's result. An object gets all its simple public attributes: the compiler cannot ask for more."""
        if isinstance(value, (bool, str, int, float, tuple, list, dict, set, frozenset, types.ModuleType, type)) \
                or value is None or callable(value) or values.is_constexpr(value) or values.is_dtype(value) \
                or values.language_path(value) is not None:
            return self.value(value)
        scalar = _scalar(value)
        if scalar is not None:
            return scalar
        import warnings
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # attributes may be deprecated, and no code reads them yet
            found = {name: getattr(value, name, None) for name in dir(value) if not name.startswith("_")}
        return self._opaque(value, {name: self.value(member) for name, member in found.items()
                                    if isinstance(member, (bool, int, float, str)) or member is None})

    # ---- members ----------------------------------------------------------------------------------

    def _members(self, holder, read, depth, package):
        return {name: self._member(holder, name, inner, depth, package) for name, inner in sorted(read.items())}

    def _member(self, holder, name, read, depth, package):
        try:
            member = getattr(holder, name)
        except AttributeError:
            self._guard(holder, name, _native.absent)
            return {"absent": True}
        self._guard(holder, name, member)
        self._reading = name
        return self.value(member, read, depth + 1, package)

    def _guard(self, where, name, value, identity=None):
        """Adds a guard. A module's attribute is guarded in the module's dict, unless the module computes it on demand."""
        if isinstance(where, types.ModuleType) and where.__dict__.get(name, _native.absent) is value:
            where = where.__dict__
        elif isinstance(value, (types.MethodType, types.MethodWrapperType)):
            return  # a new object at each access, so its identity means nothing
        self.guards.setdefault((identity or id(where), name), (where, name, value))

    # ---- functions --------------------------------------------------------------------------------

    def function(self, value, package=""):
        """The number of a function, jit function or other callable."""
        if isinstance(value, (staticmethod, classmethod)):
            value = value.__func__
        known = self._numbers.get(identity(value))
        if known is not None:
            return known
        number = self._numbers[identity(value)] = len(self.functions)
        self.functions.append(value)
        self.entries.append(None)
        self._waiting.append((self._describe_function, number, value, package))
        return number

    def finish(self):
        """Describes every function and class that was found, and those that these reach in turn."""
        while self._waiting:
            describe, number, value, package = self._waiting.pop(0)
            describe(number, value, package)

    def _describe_function(self, number, value, package):
        self.entries[number] = self._function_entry(value, package)

    def _function_entry(self, value, package):
        kind, fn = _kind_of(value)
        if fn is None or (kind == "plain" and values.is_foreign(fn, package)):
            return _opaque_function(value)
        try:
            text = function_text(value, fn)
        except ValueError:
            if kind == "jit":
                raise
            return _opaque_function(value)
        package = (fn.__module__ or "").partition(".")[0]
        entry = {"name": fn.__name__, "module": fn.__module__ or "", "qualname": fn.__qualname__, "kind": kind,
                 "path": text.source.path, "line": text.source.line, "text": text.source.text,
                 "names": self._names(value, fn, text, package)}
        self._describe_parameters(entry, value, fn, package)
        for flag in ("noinline", "debug"):
            if kind == "jit" and getattr(value, flag, None):
                entry[flag] = True
        if getattr(value, "__triton_builtin__", False):
            entry["builtin"] = True
        message = getattr(value, "_must_use_result", None)
        if message:
            entry["must_use_result"] = message if isinstance(message, str) else ""
        return entry

    def _names(self, value, fn, text, package):
        """The values of the free names of a function's source, without builtins and unknown names."""
        read = text.references
        for path in self._extra.get(value, ()):
            read = with_path(read, path)
        cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or ()))
        names = {}
        self.scopes[id(fn.__globals__)] = fn.__globals__
        for name, inner in sorted(read.items()):
            if name in cells:
                found, held = cells[name], cell_contents(cells[name])
                self._guard(found, "cell_contents", held)
            else:
                held = fn.__globals__.get(name, _native.absent)
                self._guard(fn.__globals__, name, held)
            if held is not _native.absent and held is not getattr(builtins, name, _native.absent):
                self._reading = name
                names[name] = self.value(held, inner, 0, package)
        return names

    def _describe_parameters(self, entry, value, fn, package):
        if entry["kind"] == "jit":
            compile_time = [param.name for param in value.params if param.is_constexpr]
            defaults = {param.name: param.default for param in value.params if param.has_default}
        else:
            names = fn.__code__.co_varnames[:fn.__code__.co_argcount]
            compile_time = [name for name, kind in fn.__annotations__.items() if name in names and "constexpr" in type_text(kind)]
            given = fn.__defaults__ or ()
            defaults = dict(zip(names[len(names) - len(given):], given))
        if compile_time:
            entry["constexprs"] = compile_time
        if defaults:
            entry["defaults"] = {name: self.value(default, None, 0, package) for name, default in defaults.items()}

    # ---- classes ----------------------------------------------------------------------------------

    def _class_value(self, cls, read, package):
        if values.is_foreign_class(cls, package):
            # Python creates objects of such classes, for example torch.finfo.
            return {"function": self.function(cls, package)} if not read else self._opaque(
                cls, self._members(cls, read, 0, package))
        number = self.class_number(cls, package)
        members = self.class_entries[number]["members"]
        for name, inner in sorted(read.items()):
            if name not in members:
                members[name] = None  # a method may lead back to its class
                members[name] = self._member(cls, name, inner, 0, package)
                self._class_members += 1
        return {"class": number}

    def class_number(self, cls, package):
        known = self._class_numbers.get(id(cls))
        if known is not None:
            return known
        number = self._class_numbers[id(cls)] = len(self.classes)
        self.classes.append(cls)
        self.class_entries.append({"name": cls.__name__, "module": cls.__module__, "members": {}})
        self._waiting.append((self._describe_class, number, cls, package))
        return number

    def _describe_class(self, number, cls, _):
        entry = self.class_entries[number]
        package = cls.__module__.partition(".")[0]
        aggregate, named = values.is_aggregate_class(cls), values.is_named_tuple_class(cls)
        entry["kind"] = "aggregate" if aggregate else "namedtuple" if named else "plain"
        if named:
            entry["fields"] = list(cls._fields)
            entry["defaults"] = {name: self.value(each, None, 0, package)
                                 for name, each in sorted(cls._field_defaults.items())}
        elif aggregate or hasattr(cls, "__dataclass_fields__"):
            entry["fields"] = list(cls.__dict__.get("__annotations__", {}))
        if aggregate or named:
            self._add_class_members(entry, cls, package)
        text = class_text(cls)
        if text is not None:
            entry.update(path=text.source.path, line=text.source.line, text=text.source.text)
            entry["names"] = self._class_names(cls, text.references, package)

    def _add_class_members(self, entry, cls, package):
        """Adds all methods and simple attributes of an aggregate or a named tuple, since code may use any of them."""
        static = []
        for name, member in sorted(cls.__dict__.items()):
            inner = member.__func__ if isinstance(member, (staticmethod, classmethod)) else member
            own = isinstance(inner, types.FunctionType) and inner.__module__ == cls.__module__
            if values.is_jit(inner) or values.is_constexpr_function(inner) or (own and not _is_generated(inner)):
                self._guard(cls, name, getattr(cls, name))
                entry["members"][name] = {"function": self.function(inner, package)}
                if isinstance(member, staticmethod):
                    static.append(name)
            elif not name.startswith("_") and (isinstance(inner, (bool, int, float, str)) or values.is_constexpr(inner)):
                self._guard(cls, name, inner)
                entry["members"][name] = self.value(inner, None, 0, package)
        if static:
            entry["static"] = static

    def _class_names(self, cls, read, package):
        scope = values.scope_of_class(cls)
        names = {}
        for name, inner in sorted(read.items()):
            held = scope.get(name, _native.absent)
            self._guard(scope, name, held)
            if held is not _native.absent and held is not getattr(builtins, name, _native.absent) and held is not cls:
                names[name] = self.value(held, inner, 0, package)
        return names


def identity(value):
    """Identifies a callable. A bound method is a new object at each access, so it is identified by its object and function."""
    owner = getattr(value, "__self__", None)
    if isinstance(value, types.MethodType):
        return id(owner), id(value.__func__)
    if isinstance(value, (types.BuiltinMethodType, types.MethodWrapperType)) and owner is not None:
        return id(owner), value.__name__
    return id(value)


def name_of(guard):
    """The name that a guard checks, for messages."""
    where, name, _ = guard
    return where.name if isinstance(where, (Snapshot, Recomputed)) else name


def collect_function(fn, extra=None):
    """A finished Collector of one function, with the members that the compiler's questions asked for."""
    collected = Collector(extra)
    collected.function(fn)
    collected.finish()
    return collected


# ---- small things -----------------------------------------------------------------------------------

_encoders: list = []  # one, once it was needed


def _encoder():
    if not _encoders:
        import json
        _encoders.append(json.JSONEncoder(sort_keys=True, separators=(",", ":"), check_circular=False))
    return _encoders[0]


def dump(value):
    return _encoder().encode(value)


def float_value(value):
    """The VALUE of a float."""
    import math
    if math.isnan(value):
        return {"float": "nan"}
    return {"float": value.hex() if math.isfinite(value) else ("inf" if value > 0 else "-inf")}


def _scalar(value):
    """The VALUE of an int, float or str, of an instance of their subclasses, or of a NumPy scalar; None for anything else."""
    if isinstance(value, (int, float, str)):
        number = value.value if values.is_enum_member(value) else value
    elif type(value).__module__ == "numpy" and getattr(value, "shape", None) == () and hasattr(value, "item"):
        number = value.item()
    else:
        return None
    if isinstance(number, bool):
        return number
    if isinstance(number, int):
        return {"int": str(int(number))}
    if isinstance(number, float):
        return float_value(float(number))
    return str(number) if isinstance(number, str) else None


def cell_contents(cell):
    try:
        return cell.cell_contents
    except ValueError:  # the enclosing function has not assigned it yet
        return _native.absent


def with_path(read, path):
    """A copy of the trie with one more path; unchanged parts are shared."""
    if not path:
        return read
    result = dict(read)
    result[path[0]] = with_path(result.get(path[0], {}), path[1:])
    return result


def _kind_of(value):
    """("jit" | "constexpr" | "plain", the Python function or None) of a callable."""
    if values.is_jit(value):
        return "jit", value.fn
    if values.is_constexpr_function(value):
        return "constexpr", value.fn
    if values.is_constexpr(value):
        return "constexpr", value.value
    if getattr(value, "__triton_builtin__", False):
        for fn in (getattr(value, "__wrapped__", None), value):
            if isinstance(fn, types.FunctionType):
                return "constexpr", fn
    return "plain", value if isinstance(value, types.FunctionType) and value.__name__ != "<lambda>" else None


def _opaque_function(value):
    """A callable that only Python can run."""
    named = value if hasattr(value, "__name__") else type(value)
    return {"name": named.__name__, "module": getattr(named, "__module__", None) or "",
            "qualname": getattr(named, "__qualname__", named.__name__), "kind": "plain"}


def _is_generated(fn):
    """Returns whether a method has no source, like those that NamedTuple and dataclass generate."""
    return fn.__code__.co_filename == "<string>"
