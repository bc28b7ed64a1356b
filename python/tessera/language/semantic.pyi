"""tl.semantic: names that tools import; the compiler has the rules."""

from typing import Any

from .core import tensor as tensor

class IncompatibleTypeErrorImpl(Exception):
    """Two types that do not go together."""

    type_a: Any
    type_b: Any
    message: str
    def __init__(self, type_a: Any, type_b: Any) -> None: ...

class TritonSemantic:
    """Triton's frontend as an object; never used here."""

    tensor: Any
    builder: Any
    def __init__(self, builder: Any) -> None: ...
