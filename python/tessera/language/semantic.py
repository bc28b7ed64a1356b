"""tl.semantic: names that tools import from Triton's module of this name.

In Triton it implements the translation of calls to IR. Here the compiler does that; this module only lets such imports and
`isinstance` checks succeed.
"""

from .core import tensor

__tessera_language__ = "triton.language.semantic"


class IncompatibleTypeErrorImpl(Exception):
    """Two types that cannot be combined."""

    def __init__(self, type_a, type_b):
        self.type_a = type_a
        self.type_b = type_b
        self.message = "%r and %r do not go together" % (type_a, type_b)
        super().__init__(self.message)


class TritonSemantic:
    """A placeholder for Triton's frontend; the type of `_semantic` in users' @builtin functions, which is not used here."""

    tensor = tensor

    def __init__(self, builder):
        self.builder = builder
