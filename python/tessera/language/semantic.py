"""tl.semantic: names that tools import from Triton's module of this name.

There it holds the rules that turn calls into IR; here the compiler has them, and this module only lets such imports
and `isinstance` checks succeed.
"""

from .core import tensor

__tessera_language__ = "triton.language.semantic"


class IncompatibleTypeErrorImpl(Exception):
    """Two types that do not go together."""

    def __init__(self, type_a, type_b):
        self.type_a = type_a
        self.type_b = type_b
        self.message = "%r and %r do not go together" % (type_a, type_b)
        super().__init__(self.message)


class TritonSemantic:
    """Triton's frontend as an object; `_semantic` in users' @builtin functions stands for one and is never used here."""

    tensor = tensor

    def __init__(self, builder):
        self.builder = builder
