"""tl.semantic: names that tools import from Triton's module of this name."""

from typing import Any

from .core import tensor as tensor

class IncompatibleTypeErrorImpl(Exception):
    """Two types that cannot be combined."""

    type_a: Any
    type_b: Any
    message: str
    def __init__(self, type_a: Any, type_b: Any) -> None: ...

class TritonSemantic:
    """A placeholder for Triton's frontend."""

    tensor: Any
    builder: Any
    def __init__(self, builder: Any) -> None: ...
