"""The parameters of a jit function: what their annotations mean, and which are specialized on.

    n                 any type, specialized       n: int, n: tl.int32, n: "i32"    always i32
    BLOCK: tl.constexpr   compile-time            p: "const float*", p: tl.const   a pointer that is only read through

An annotation is turned into text and the text into a signature's spelling; what means nothing here (torch.Tensor) is ignored.
"""
from __future__ import annotations

from .. import _native
from ..errors import plain
from . import values

_VARARGS, _VARKEYWORDS = 4, 8  # of code.co_flags
_nothing = object()  # no annotation, no default
_spellings: dict = {}

CONSTEXPR, DO_NOT_SPECIALIZE, DO_NOT_SPECIALIZE_ON_ALIGNMENT, CONST_POINTER = 1, 2, 4, 8


def spellings():
    """How annotations and dtypes spell types -> how signatures do. The library is asked at first use, not by the import."""
    if not _spellings:
        _spellings["void"] = "void"
        _spellings.update((each, name) for name, tl, _, _, (_, others), _ in _native.scalar_types() for each in (tl, *others.split()))
    return _spellings


def is_type_name(text):
    """Returns whether a signature may have this name of a scalar type."""
    return text in spellings().values()


def type_text(annotation):
    """An annotation in a signature's spelling where it is a type ("*kfp32"), as text where it is none ("torch.Tensor")."""
    if values.is_dtype(annotation):
        return values.dtype_text(annotation) or str(annotation)
    if not isinstance(annotation, str):
        return _canonical(annotation.__name__ if isinstance(annotation, type) else str(annotation))
    text = annotation.strip()
    if text.startswith("const "):
        pointer = type_text(text[len("const"):])
        return "*k" + pointer[1:] if pointer.startswith("*") else annotation
    if text.endswith("*"):
        return "*" + type_text(text[:-1])
    if text.startswith("*k") and is_type_name(text[2:]):
        return text
    if text.startswith("*"):
        return "*" + type_text(text[1:])
    return type_text(text[len("tl."):]) if text.startswith("tl.") else _canonical(text)


def _canonical(name):
    return spellings().get(name.replace("_t", ""), name)


class KernelParam:
    """One parameter of a jit function."""

    def __init__(self, num, name, annotation, default, do_not_specialize, do_not_specialize_on_alignment):
        self.num = num
        self.name = name
        self._default = default
        self.do_not_specialize = do_not_specialize
        self.do_not_specialize_on_alignment = do_not_specialize_on_alignment
        self.annotation = type_text(annotation) if annotation is not _nothing and annotation else ""
        self.is_constexpr = "constexpr" in self.annotation
        self.is_const = not self.is_constexpr and ("const" in self.annotation or self.annotation.startswith("*k"))

    @property
    def annotation_type(self):
        """The type that the annotation forces on the argument, "" if it forces none."""
        pointee = self.annotation[2:] if self.annotation.startswith("*k") else self.annotation.lstrip("*")
        return self.annotation if is_type_name(pointee) else ""

    @property
    def default(self):
        if self.has_default:
            return self._default
        import inspect
        return inspect.Parameter.empty

    @property
    def has_default(self):
        return self._default is not _nothing

    @property
    def flags(self):
        return (CONSTEXPR * self.is_constexpr | DO_NOT_SPECIALIZE * self.do_not_specialize |
                DO_NOT_SPECIALIZE_ON_ALIGNMENT * self.do_not_specialize_on_alignment | CONST_POINTER * self.is_const)

    def for_launches(self):
        """Returns the tuple that _native.Launchable takes for a parameter."""
        default = self._default if self.has_default else None
        return self.name, self.flags, self.annotation_type or None, self.has_default, default

    def __repr__(self):
        return f"KernelParam({self.name}{': ' + self.annotation if self.annotation else ''})"


def native_specialize_impl(backend, arg, is_const, specialize_value, align):
    """(type, key) of an argument, as launches classify it: ("*fp32", "D"). `backend` is not asked: only pointers on the machine's own AMD GPUs
    have another key, with "S" for small tensors."""
    flags = (CONST_POINTER * bool(is_const) | DO_NOT_SPECIALIZE * (not specialize_value) |
             DO_NOT_SPECIALIZE_ON_ALIGNMENT * (not align))
    probe = _native.Launchable()
    probe._set_parameters("native_specialize_impl", [("arg", flags, None, False, None)])
    return probe._classify((arg, ), {})[1][0]


def read_parameters(fn, do_not_specialize, do_not_specialize_on_alignment):
    """The KernelParams of a Python function; TypeError for the kinds of parameter that kernels cannot have."""
    return [
        KernelParam(index, name, annotation, default, index in do_not_specialize or name in do_not_specialize,
                    index in do_not_specialize_on_alignment or name in do_not_specialize_on_alignment)
        for index, (name, annotation, default) in enumerate(described_parameters(fn))
    ]


def described_parameters(fn):
    """[(name, annotation, default)] of a Python function, `_nothing` for what it does not have. A program that makes kernels out
    of texts (triton_kernels) gives them `__signature__`, as inspect takes it, and their own code is that of another function."""
    signature = fn.__dict__.get("__signature__")
    if signature is not None:
        return [_described(fn, each) for each in signature.parameters.values()]
    code = fn.__code__
    _check_kinds(fn, code)
    names = code.co_varnames[:code.co_argcount]
    defaults = fn.__defaults__ or ()
    default_of = dict(zip(names[len(names) - len(defaults):], defaults))
    return [(name, fn.__annotations__.get(name, _nothing), default_of.get(name, _nothing)) for name in names]


def _described(fn, parameter):
    if parameter.kind is not parameter.POSITIONAL_OR_KEYWORD:
        raise plain(TypeError(f"'{fn.__qualname__}' has the {parameter.kind.description} parameter '{parameter.name}'; each "
                              "parameter of a kernel can be given by its place and by its name"))
    annotation, default = [_nothing if each is parameter.empty else each for each in (parameter.annotation, parameter.default)]
    return parameter.name, annotation, default


def _check_kinds(fn, code):
    def reject(what, name, instead):
        raise plain(TypeError(f"{code.co_filename}:{code.co_firstlineno}: '{fn.__qualname__}' has the {what} parameter '{name}'; "
                              f"{instead}"))

    if code.co_posonlyargcount:
        reject("positional-only", code.co_varnames[code.co_posonlyargcount - 1], "take the '/' out: every argument has a name")
    position = code.co_argcount
    if code.co_kwonlyargcount:
        reject("keyword-only", code.co_varnames[position], "take the '*' out: any argument may be given by name")
    if code.co_flags & _VARARGS:
        reject("variable", "*" + code.co_varnames[position], "a kernel's parameters are fixed; pass a tuple as one instead")
    if code.co_flags & _VARKEYWORDS:
        reject("variable", "**" + code.co_varnames[position], "a kernel's parameters are fixed; name each of them")
