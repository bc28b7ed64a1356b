"""The JSON program (docs/program.md) of one variant of a kernel.

    program = Program(add, {"x": "*fp32", "n": "i32"}, {}, {(0,): [["tt.divisibility", 16]]})
    program.text                        the JSON, which is also the cache key, because it holds all that influences the code
    program.answer(questions)           adds answers to the compiler's questions, which changes the JSON

Requires: no other thread changes the collected objects meanwhile. Ensures: equal programs have equal JSON in every process.
"""
from __future__ import annotations

from .._lazily import lazily
from . import values
from .callables import hold
from .collect import collect_function, dump, float_value, identity, with_path


class Base:
    """What was collected of a function without its arguments. A function keeps the last one for its next variant, which is the
    same as long as its guards hold, and as long as no argument has added anything to the collector."""

    def __init__(self, fn):
        self.collector = collect_function(fn)
        self.guards, self.text = dict(self.collector.guards), self.collector.text()
        self._guards = tuple(self.guards.values())
        self.flags = self._flags()
        self.size = self._size()
        self._is_of_function = False  # others may read it at the same time

    @staticmethod
    def of(fn):
        """The function's own while it lasts, or a new one: to read only."""
        known = vars(fn).get("_collected_base")
        return known if known is not None and known.is_current else Base(fn)

    def taken(self, fn):
        """One to add to: the function's own, which is taken away, or a new one."""
        if not self._is_of_function:
            return self
        known = vars(fn).pop("_collected_base", None)
        known = known if known is self or known is not None and known.is_current else Base(fn)
        known._is_of_function = False
        return known

    def give_back(self, fn):
        """Lets the function keep it for the next variant, unless something was added to the collector."""
        if not self._is_of_function and self.size == self._size() and hasattr(fn, "_global_guards"):
            self._is_of_function = True
            fn._collected_base = self

    @property
    def is_current(self):
        return hold(self._guards) and self.flags == self._flags()

    def _flags(self):
        """Of jit functions, what no guard watches."""
        return [getattr(each, "debug", None) for each in self.collector.functions]

    def _size(self):
        collector = self.collector
        return len(collector.functions), len(collector.classes), len(collector.guards), len(collector.objects), collector.text()


class Program:
    """One variant of a kernel: the kernel, everything that it reaches, and its arguments. Programs with equal `key`s are equal.

    `signature` is {name: type text or tuple of them}, `constants` {path: value}, `attrs` {path: [["tt.divisibility", 16]]}; a
    path is a tuple of indices, the first of a parameter. `plain_globals` lets kernels read globals that are not constexpr."""

    def __init__(self, fn, signature, constants, attrs, plain_globals=False):
        self.fn, self.signature, self.constants, self.attrs = fn, signature, constants, attrs
        self.plain_globals = plain_globals
        base = Base.of(fn)
        if self._collect_plainly(base):
            base.give_back(fn)
        else:
            self._collect(base)
        remembered = getattr(fn, "_question_memory", None)
        while remembered and self.key in remembered:
            self._add_answers(remembered[self.key])

    @property
    def text(self):
        """The JSON. Put together when it is read, because most of it is the same in all variants, which live long."""
        return f"{self.key[0]},{self.key[1]}}}"

    # What questions asked for; most programs have none.

    @lazily
    def _asked(self):
        return set()

    @lazily
    def _members(self):
        """The members of functions' globals: {function: [path, ...]}."""
        return {}

    @lazily
    def _argument_members(self):
        """The members of arguments: paths that start with a parameter."""
        return []

    @lazily
    def _calls(self):
        """(function, argument VALUEs, keyword VALUEs, the collector that numbered them)"""
        return []

    @property
    def functions(self):
        """The live functions, by their number in the program."""
        return self._collector.functions

    @property
    def own_guards(self):
        """The guards of values that this variant reads in addition to those of the function."""
        base, all_guards = self.base_guards, self.base_guards if self._is_plain else self._collector.guards
        return {key: guard for key, guard in all_guards.items() if key not in base} if len(all_guards) > len(base) else {}

    def answer(self, questions):
        """Answers the questions of a report (docs/program.md). The same JSON always leads to the same questions, so they are
        cached for later programs of the function."""
        self._memory("_question_memory")[self.key] = questions
        self._add_answers(questions)

    def _memory(self, name):
        """A cache that the function keeps for all its programs."""
        return getattr(self.fn, name, {})

    def _add_answers(self, questions):
        for question in questions:
            self._check_new(question)
            if "member" in question:
                asked = question["member"]
                self._remember_member(self.functions[asked["function"]], tuple(asked["path"]))
            else:
                asked = question["call"]
                self._calls.append((self.functions[asked["function"]], asked.get("arguments", []), asked.get("keywords", {}),
                                    self._collector))
        self._collect(Base.of(self.fn))

    def _check_new(self, question):
        """Raises if a question is asked again, which would go on for ever."""
        (kind, asked), = question.items()
        function = self.functions[asked["function"]]
        key = (kind, identity(function), dump({**asked, "function": 0}))
        if key in self._asked:
            raise RuntimeError(f"the compiler asks again about '{getattr(function, '__name__', function)}' what was answered; "
                               f"this is a bug of Tessera: {dump(question)}")
        self._asked.add(key)

    def _remember_member(self, function, path):
        if function is self.fn and path[0] in self.signature:
            self._argument_members.append(path)
        else:
            self._members.setdefault(function, []).append(path)

    def _collect_plainly(self, base):
        """Collects a program whose constants are numbers, strings, truth values and None, which add nothing to the function's
        collector. Returns whether it is one. The text is that which _collect writes."""
        if getattr(self.fn, "_repr", None) is not None:
            return False
        arguments = []
        for index, kind in enumerate(self.signature.values()):
            path = (index, )
            if type(kind) is not str:
                return False
            if kind == "constexpr" or path in self.constants:
                value = _plain_value(self.constants.get(path))
                if value is None:
                    return False
                arguments.append(f'{{"constant":{value}}}')
            else:
                arguments.append(_text_of_type(kind, _hint(kind, self.attrs.get(path))))
        self.base_guards, self.base_text, self._collector = base.guards, base.text, base.collector
        self._is_plain = True
        globals_ = ',"plain_globals":true' if self.plain_globals else ""
        self.key = f'{{"arguments":[{",".join(arguments)}],"kernel":0{globals_},"version":1', base.text
        return True

    def _collect(self, base):
        base = base.taken(self.fn)
        self._is_plain = False
        # The guards and the collected text of the function, independent of its arguments.
        self.base_guards, self.base_text = base.guards, base.text
        self._collector = collector = collect_function(self.fn, self._members) if self._members else base.collector
        package = (getattr(self.fn, "__module__", None) or "").partition(".")[0]
        arguments = [self._argument(index, name, kind, package) for index, (name, kind) in enumerate(self.signature.items())]
        collector.finish()
        calls = [self._answer_call(*call) for call in self._calls]
        collector.finish()
        program = {"version": 1, "kernel": 0, "arguments": arguments}
        if calls:
            program["calls"] = calls
        if self.plain_globals:
            program["plain_globals"] = True
        symbol = symbol_of(self.fn, self.signature, self.constants)
        if symbol is not None:
            program["symbol"] = symbol
        self.key = dump(program)[:-1], collector.text()
        base.give_back(self.fn)

    # ---- arguments --------------------------------------------------------------------------------

    def _argument(self, index, name, kind, package):
        read = None
        for path in self._argument_members:
            if path[0] == name:
                read = with_path(read or {}, path[1:])
        return self._argument_at((index,), kind, read, package)

    def _argument_at(self, path, kind, read, package):
        if isinstance(kind, (tuple, list)):
            result = {"tuple": [self._argument_at(path + (i,), each, None, package) for i, each in enumerate(kind)]}
            if values.is_named_tuple_class(type(kind)):
                result["class"] = self._collector.class_number(type(kind), package)
            return result
        if kind == "constexpr" or path in self.constants:
            return {"constant": self._collector.value(_unwrap(self.constants.get(path)), read, 0, package)}
        return _with_hint(kind, _hint(kind, self.attrs.get(path)))

    # ---- calls ------------------------------------------------------------------------------------

    def _answer_call(self, function, arguments, keywords, asked_in):
        """An entry of `calls`. The result is cached: the function runs once for equal arguments."""
        mentioned = []
        entry = {"function": self._collector.function(function),
                 "arguments": [self._renumber(each, asked_in, mentioned) for each in arguments],
                 "keywords": {name: self._renumber(each, asked_in, mentioned) for name, each in keywords.items()}}
        memory = self._memory("_call_memory")
        key = (identity(function), dump([arguments, keywords]), tuple(map(identity, mentioned)))
        known = memory.get(key)
        if known is None:
            # The entry keeps the objects alive, so that their ids stay unique. Another thread may clear the cache meanwhile.
            known = memory[key] = (_run(function, arguments, keywords, asked_in), function, mentioned)
        kind, result = known[0]
        entry[kind] = result if kind == "raises" else self._collector.result(result)
        return entry

    def _renumber(self, value, asked_in, mentioned):
        """A VALUE of another collector with the numbers of this one; `mentioned` gets its functions and classes."""
        if isinstance(value, list):
            return [self._renumber(each, asked_in, mentioned) for each in value]
        if not isinstance(value, dict):
            return value
        result = {}
        for key, inner in value.items():
            if key == "function":
                mentioned.append(asked_in.functions[inner])
                result[key] = self._collector.function(mentioned[-1])
            elif key == "class":
                mentioned.append(asked_in.classes[inner])
                result[key] = self._collector.class_number(mentioned[-1], "")
            else:
                result[key] = self._renumber(inner, asked_in, mentioned)
        return result


_ALIGNED = [["tt.divisibility", 16]]  # the promises of most arguments


def _hint(kind, promises):
    """What a signature adds to a type."""
    if not promises:
        return ""
    if promises == _ALIGNED:
        return "16"
    promises = [list(promise) for promise in promises]
    hint = "16" if ["tt.divisibility", 16] in promises else ""
    return hint + "S" if kind[0] == "*" and ["tt.pointer_range", 32] in promises else hint


def _with_hint(kind, hint):
    return f"{kind}:{hint}" if hint else kind


_type_texts: dict = {}  # (a type, its hint) -> the JSON of the argument
_MOST_TYPE_TEXTS = 1000


def _text_of_type(kind, hint):
    text = _type_texts.get((kind, hint))
    if text is None:
        if len(_type_texts) >= _MOST_TYPE_TEXTS:
            _type_texts.clear()
        text = _type_texts[kind, hint] = dump(_with_hint(kind, hint))
    return text


_WORDS = {None: "null", True: "true", False: "false"}


def _plain_value(value):
    """The JSON of the VALUE of a number, a string, a truth value or None, which may be in a constexpr: that of Collector.value. None
    for others."""
    kind = type(value)
    if kind is int:
        return f'{{"int":"{value}"}}'
    if kind is bool or value is None:
        return _WORDS[value]
    if kind is str:
        return dump(value)
    if kind is float:
        return dump(float_value(value))
    inner = _unwrap(value)
    return None if inner is value or values.is_constexpr(inner) else _plain_value(inner)


def _run(function, arguments, keywords, collector):
    try:
        positional = [restore(each, collector) for each in arguments]
        named = {name: restore(each, collector) for name, each in keywords.items()}
        if getattr(function, "__triton_builtin__", False):  # it is called like tl's own functions
            from ..language.core import constexpr
            positional = list(map(constexpr, positional))
            named = {name: constexpr(each) for name, each in named.items()}
        return "result", function(*positional, **named)
    except Exception as error:
        return "raises", f"{type(error).__name__}: {error}"


def restore(value, collector):
    """The live object that a VALUE stands for."""
    if not isinstance(value, dict):
        return value
    # A tuple may also have a class, and an object a description, so the order of these tests matters.
    kind = next((key for key in value if key not in ("class", "members", "same")), "class")
    inner = value[kind]
    if kind == "int":
        return int(inner)
    if kind == "float":
        return float.fromhex(inner)
    if kind == "constexpr":
        return restore(inner, collector)
    if kind == "tuple":
        elements = [restore(each, collector) for each in inner]
        return collector.classes[value["class"]](*elements) if "class" in value else tuple(elements)
    if kind == "list":
        return [restore(each, collector) for each in inner]
    if kind == "set":
        return {restore(each, collector) for each in inner}
    if kind == "dict":
        return {restore(key, collector): restore(each, collector) for key, each in inner}
    if kind == "function":
        return collector.functions[inner]
    if kind == "class":
        return collector.classes[inner]
    if kind in ("dtype", "language", "module"):
        return values.find(kind, inner)
    found = collector.objects.get(dump(value))
    if found is None:
        raise ValueError(f"{inner} cannot be handed to a Python function from a kernel")
    return found


class _Proxy:
    """The argument of f in @jit(repr=f): the constants and the signature of one variant."""

    def __init__(self, constants, signature):
        self.constants, self.signature = constants, signature


def symbol_of(fn, signature, constants):
    """The kernel's name in the binary, if @jit(repr=...) gives one."""
    if getattr(fn, "_repr", None) is None:
        return None
    names = list(signature)
    top_level = {names[path[0]]: _unwrap(value) for path, value in constants.items() if len(path) == 1}
    symbol = fn.repr(_Proxy(top_level, dict(signature)))
    if not isinstance(symbol, str) or not symbol.isidentifier() or not symbol.isascii():
        raise ValueError(f"the repr= of '{fn.__name__}' gave {symbol!r}; a kernel's name has letters, digits and _ only")
    return symbol


def _unwrap(value):
    return value.value if values.is_constexpr(value) else value
