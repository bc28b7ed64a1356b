"""What the compiler has to say about a kernel, as exceptions.

    try:
        kernel[grid](x, y)
    except tessera.CompilationError as error:
        print(error)                  # the text that `tessera compile` prints: file:line:column, the line, a caret
        error.node.lineno             # from 1 at the kernel's `def`
        error.path, error.line        # in the file

`diagnostics` holds the records of docs/program.md, notes included.
"""
from __future__ import annotations

import os

from ..errors import TritonError

ENDING_KINDS = ("error", "unsupported", "internal")  # of diagnostics: those that end a compilation


class SourcePlace:
    """Where in a function: the part of a syntax tree's node that messages need."""

    def __init__(self, lineno: int, col_offset: int) -> None:
        self.lineno = lineno
        self.col_offset = col_offset

    def __repr__(self) -> str:
        return f"SourcePlace(lineno={self.lineno}, col_offset={self.col_offset})"


class CompilationError(TritonError):
    """The kernel cannot be compiled.

    `src` is the function's text, `node` has `lineno` and `col_offset` within it, or is None.
    """

    source_line_count_max_in_message = 12

    def __init__(self, src, node, error_message=None, *, text=None, diagnostics=()) -> None:
        super().__init__(error_message)
        self.src = src
        self.node = node
        self.error_message = error_message
        self.diagnostics = list(diagnostics)
        self.message = text if text is not None else self._excerpt()

    def _excerpt(self) -> str:
        """For who raises one without the compiler: the lines up to the place, and a caret."""
        parts = []
        line = getattr(self.node, "lineno", None)
        if self.src is None:
            parts.append("the source is not available")
        elif line is None:
            parts.append(self.src)
        else:
            parts.append(f"at {line}:{self.node.col_offset}:")
            parts += self.src.split("\n")[:line][-self.source_line_count_max_in_message:]
            parts.append(" " * self.node.col_offset + "^")
        if self.error_message:
            parts.append(self.error_message)
        return "\n".join(parts)

    def _first(self, field: str):
        return next((d[field] for d in self.diagnostics if d.get("path") and d.get(field)), None)

    @property
    def path(self):
        """The file that the first message names."""
        return self._first("path")

    @property
    def line(self):
        """The line of that file, from 1."""
        return self._first("line")

    @property
    def one_line(self):
        """"add.py:7:5: error: ...": the diagnostic that ended the compilation, without the folder; None without one."""
        first = next((d for d in self.diagnostics if d["kind"] in ENDING_KINDS), None)
        if first is None:
            return None
        place = [os.path.basename(first["path"])] if first.get("path") else []
        place += [str(first[name]) for name in ("line", "column") if first.get(name)]
        kind = "internal error" if first["kind"] == "internal" else first["kind"]
        return ": ".join([*([":".join(place)] if place else []), kind, first["message"]])

    def __str__(self) -> str:
        return self.message

    def __reduce__(self):
        return _restore, (type(self), self.src, self.node, self.error_message, self.message, self.diagnostics)


def _restore(cls, src, node, error_message, text, diagnostics):
    return cls(src, node, error_message, text=text, diagnostics=diagnostics)


class CompileTimeAssertionFailure(CompilationError):
    """A `tl.static_assert` does not hold; to the autotuner, a configuration that does not apply."""


class UnsupportedLanguageConstruct(CompilationError):
    """Right, perhaps, but nothing that this compiler or this target can do; the text says what can be done."""


class InternalError(CompilationError, RuntimeError):
    """A bug in Tessera. The text ends with the command that makes it happen again."""

    _says_all = False
