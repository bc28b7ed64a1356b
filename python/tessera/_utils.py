"""Small functions over types, shapes and nested tuples, for programs that import them from triton._utils."""
from __future__ import annotations

from .language import _types
from .language._types import TRITON_MAX_TENSOR_NUMEL, is_power_of_two  # noqa: F401
from .runtime.parameters import spellings

# Every spelling of a type -> its spelling in signatures.
type_canonicalisation_dict = {**spellings(), **{name: name for name in spellings().values()}}

_BITS = {short or name: bits for name, (_, short, bits) in _types._SCALARS.items()}
BITWIDTH_DICT = {name: _BITS[short] for name, short in type_canonicalisation_dict.items()}


def get_primitive_bitwidth(dtype: str) -> int:
    return BITWIDTH_DICT[dtype]


def canonicalize_dtype(dtype) -> str:
    """A dtype's name, such as "torch.float32", as signatures spell it."""
    return type_canonicalisation_dict[str(dtype).rpartition(".")[2]]


def canonicalize_ptr_dtype(dtype, is_const: bool) -> str:
    return ("*k" if is_const else "*") + canonicalize_dtype(dtype)


def validate_block_shape(shape) -> int:
    """The number of elements of a block; raises if a block cannot have this shape."""
    return _types.checked_shape(shape)[1] if len(shape) else 1


def get_iterable_path(iterable, path: tuple):
    """The element at (1, 0) of a nested tuple: iterable[1][0]."""
    for index in path:
        iterable = iterable[index]
    return iterable


def set_iterable_path(iterable, path: tuple, val) -> None:
    """Assigns an element of a nested list or tuple of the language."""
    *outer, last = path
    inner = get_iterable_path(iterable, outer)
    (inner if isinstance(inner, list) else inner.values)[last] = val


def find_paths_if(iterable, pred) -> list:
    """The paths of the leaves of nested tuples and lists for which pred(path, leaf) holds, in order."""
    from .language import core
    found = []

    def visit(path, item):
        if isinstance(item, (list, tuple, core.tuple, core.tuple_type)):
            for i, element in enumerate(item):
                visit((*path, i), element)
        elif pred(path, item):
            found.append(path)

    visit((), iterable)
    return found


def is_namedtuple(val) -> bool:
    """Returns whether a value is the class of a named tuple."""
    return isinstance(val, type) and issubclass(val, tuple) and hasattr(val, "_fields")
