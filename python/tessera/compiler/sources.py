"""The sources of compilations: a jit function with the types of its parameters, a recorded program, or the file of a stage."""
from __future__ import annotations

import json
import os
from operator import itemgetter

from .. import knobs
from .._lazily import lazily
from ..backends.compiler import Language
from ..runtime.source import shown_path
from .session import compile_program


class ASTSource:
    """A jit function with the types of its parameters.

    `signature` maps every parameter to its type ("constexpr" for constants; a tuple of types for a tuple), `constexprs` maps names
    or paths of constants to their values, `attrs` maps paths to promises: {(0,): [["tt.divisibility", 16]]}. The signature may
    be in any order and leave constants out; a parameter with a value is a constant whatever its type. Paths, and the
    arguments of launches, are in the order of the parameters.
    """

    ext = "ttir"
    language = Language.TRITON
    is_file = False

    def __init__(self, fn, signature, constexprs=None, attrs=None) -> None:
        if not hasattr(signature, "items"):
            raise TypeError(f"a signature maps the parameters' names to their types, as {{'x_ptr': '*fp32', 'n': 'i32'}}, and this "
                            f"is {signature!r}")
        for name in signature:
            if not isinstance(name, str):
                raise TypeError(f"the keys of a signature are parameters' names, not {name!r}")
        self.fn = fn
        self.name = fn.__name__
        self.constants = {self._path_of(key): value for key, value in (constexprs or {}).items()}
        self.signature = signature if list(signature) == fn.arg_names else self._in_order(signature)
        self.attrs = attrs or {}
        self.program = None  # until compile_with

    @classmethod
    def of_program(cls, program):
        """The source of a launch, whose program has been collected."""
        made = cls.__new__(cls)
        made.fn, made.signature, made.constants, made.attrs = program.fn, program.signature, program.constants, program.attrs
        made.name, made.program = program.fn.__name__, program
        return made

    def _path_of(self, key) -> tuple:
        if isinstance(key, str):
            if key not in self.fn.arg_names:
                raise ValueError(f"the constant '{key}' is no parameter of '{self.fn.__name__}', which has "
                                 f"{', '.join(self.fn.arg_names)}")
            return (self.fn.arg_names.index(key), )
        if not isinstance(key, tuple):
            raise TypeError(f"a constant is named by its parameter or by a path like (0, 1), not {key!r}")
        return key

    def _in_order(self, signature) -> dict:
        """The signature with all parameters, in the function's order."""
        unknown = [name for name in signature if name not in self.fn.arg_names]
        if unknown:
            raise ValueError(f"'{unknown[0]}' of the signature is no parameter of '{self.name}', which has "
                             f"{', '.join(self.fn.arg_names)}")
        constants = {*self.fn.constexprs, *(path[0] for path in self.constants if len(path) == 1)}
        types = {name: signature.get(name) or ("constexpr" if index in constants else None)
                 for index, name in enumerate(self.fn.arg_names)}
        missing = [name for name, kind in types.items() if kind is None]
        if missing:
            raise ValueError(f"the signature of '{self.name}' lacks the type of '{missing[0]}'")
        return types

    def hash(self) -> str:
        """A hash that identifies the source, independent of target and options."""
        import hashlib
        constants = "-".join(str(getattr(v, "cache_key", None) or (type(v).__name__, v))
                             for _, v in sorted(self.constants.items()))
        types = [kind for _, kind in sorted(self.signature.items())]
        text = f"{self.fn.cache_key}-{sorted(self.attrs.items())}-{types}-{constants}"
        return hashlib.sha256(text.encode()).hexdigest()

    def parse_options(self) -> dict:
        return {}

    def __getstate__(self) -> dict:
        """Pickles only the JSON of the program, which holds live objects."""
        text = self.program.text if self.program is not None else None
        return {**self.__dict__, "program": text and FrozenProgram(text)}

    def make_ir(self, target, options, codegen_fns, module_map, context):
        """The frontend's TTIR, for inspection: a module of _C/libtriton/ir.py."""
        from .._C.libtriton.ir import module
        from .session import Job, plan_for
        usual = vars(plan_for(target, {}).options)
        given = {name: value for name, value in vars(options).items() if name not in usual or usual[name] != value}
        made = Job(self, plan_for(target, given)).run("source")
        return module(made.artifact("source").decode(), context, f"{self.name}.ttir")

    def compile_with(self, session, target: str, flags: str, outputs: str):
        if self.program is None:
            from ..runtime.program import Program
            self.program = Program(self.fn, self.signature, self.constants, self.attrs,
                                   plain_globals=knobs.compilation.allow_non_constexpr_globals)
        return compile_program(session, self.program, target, flags, outputs)

    def explain_with(self, session, target: str, flags: str):
        return session.explain("kernel.program", self.program.text, None, None, target, flags)

    # The next three are for messages.
    @property
    def text(self):
        return getattr(self.fn, "src", None)

    @property
    def path(self):
        return shown_path(self.fn._function_text().source.path)

    @property
    def first_line(self) -> int:
        """The line of the `def`."""
        return self.fn._function_text().source.line

    def passed(self, args: tuple) -> tuple:
        """The arguments that the kernel takes, out of those for all parameters."""
        kinds, indices, pick = self._passing
        if len(args) != len(self.signature):
            return args  # the constants are left out already
        if kinds is None:
            return pick(args)
        return tuple(self._passed_parts(args[i], kinds[i], (i, )) for i in indices)

    @lazily
    def _passing(self):
        """(the parameters' types, or None if there is no tuple among them; the indices of the passed parameters; a function that
        selects these from a tuple)"""
        kinds = tuple(self.signature.values())
        indices = [i for i, kind in enumerate(kinds) if not self._is_constant(kind, (i, ))]
        first, count = indices[0] if indices else 0, len(indices)
        is_run = indices == list(range(first, first + count))  # the usual case, because constants come last
        pick = itemgetter(slice(first, first + count)) if is_run else itemgetter(*indices)
        return kinds if any(isinstance(kind, tuple) for kind in kinds) else None, indices, pick

    def _is_constant(self, kind, path) -> bool:
        return kind == "constexpr" or path in self.constants

    def _passed_parts(self, arg, kind, path):
        if not isinstance(kind, tuple):
            return arg
        return tuple(self._passed_parts(part, each, (*path, i)) for i, (part, each) in enumerate(zip(arg, kind))
                     if not self._is_constant(each, (*path, i)))


class FrozenProgram:
    """The JSON of a program whose questions have been answered."""

    def __init__(self, text: str) -> None:
        self.text = text

    def answer(self, questions) -> None:
        raise RuntimeError(f"a program from another process cannot answer {questions}")


class ProgramSource:
    """A recorded program (docs/program.md), whose Python function is not here. `arguments` are the program's."""

    ext = "ttir"
    language = Language.TRITON
    is_file = False

    def __init__(self, name: str, text: str, arguments: list) -> None:
        self.name, self.program, self._arguments = name, FrozenProgram(text), arguments
        self.signature = dict(enumerate(arguments))

    def hash(self) -> str:
        import hashlib
        return hashlib.sha256(self.program.text.encode()).hexdigest()

    def parse_options(self) -> dict:
        return {}

    def compile_with(self, session, target: str, flags: str, outputs: str):
        return compile_program(session, self.program, target, flags, outputs)

    def explain_with(self, session, target: str, flags: str):
        return session.explain("kernel.program", self.program.text, None, None, target, flags)

    @property
    def _function(self) -> dict:
        program = json.loads(self.program.text)
        return program["functions"][program["kernel"]]

    @property
    def text(self):
        return self._function.get("text")

    @property
    def path(self):
        return shown_path(self._function.get("path", self.name))

    @property
    def first_line(self) -> int:
        return self._function.get("line", 1)

    def passed(self, args: tuple) -> tuple:
        """The arguments that the kernel takes, out of those for all parameters."""
        return tuple(_without_constants(argument, value) for argument, value in zip(self._arguments, args) if _is_passed(argument))


def _is_passed(argument) -> bool:
    return isinstance(argument, str) or "tuple" in argument


def _without_constants(argument, value):
    if isinstance(argument, str):
        return value
    return tuple(_without_constants(each, part) for each, part in zip(argument["tuple"], value) if _is_passed(each))


class IRSource:
    """A file of any stage: .ttir, .ttgir, .llir, .ptx. Compilation starts after the stage that writes such a file."""

    language = Language.TRITON
    is_file = True
    first_line = 1

    def __init__(self, path, context=None, backend=None) -> None:
        self.path = os.fspath(path)
        self.ext = os.path.splitext(self.path)[1][1:]
        with open(self.path, encoding="utf-8") as file:
            self.src = file.read()
        self.name = os.path.splitext(os.path.basename(self.path))[0]  # until the kernel's name is known
        self.signature: dict = {}

    @property
    def text(self) -> str:
        return self.src

    def hash(self) -> str:
        import hashlib
        return hashlib.sha256(self.src.encode()).hexdigest()

    def parse_options(self) -> dict:
        """The options that a TTGIR module fixes."""
        import re
        if self.ext != "ttgir":
            return {}
        found = {name: re.search(rf'"ttg\.{name}"\s*=\s*(\d+)', self.src) for name in ("num-warps", "num-ctas")}
        return {name.replace("-", "_"): int(match.group(1)) for name, match in found.items() if match}

    def explain_with(self, session, target: str, flags: str):
        return session.explain(self.path, self.src, None, None, target, flags)

    def compile_with(self, session, target: str, flags: str, outputs: str):
        kernel = session.compile_file(self.path, self.src, None, None, target, flags, outputs)
        record = json.loads(kernel.metadata)
        self.name = record["name"]
        self.signature = {i: argument["type"] for i, argument in enumerate(record["arguments"])}
        return kernel

    def passed(self, args: tuple) -> tuple:
        return args
