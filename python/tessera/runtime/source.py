"""Finds the source of a function: the lines from its `def` to its end, with the indentation of the file.

    @tessera.jit                      locate() at decoration: keeps the lines of the file, so that a later edit of
    def add(x_ptr, n): ...            the file has no effect on this process
        tl.store(...)                 cut() at first use: (line of the `def`, source with the indentation of the file)

linecache provides the sources of files, zip archives, notebooks, doctests and others that register there. The end of a function is
found from the indentation. If the parser rejects the result (because a bracket or a string continues to the left of the `def`),
Python's tokenizer finds the end, which is slow.

Cost: locate() takes one stat and a dictionary look-up, cut() 0.1 us per line.
"""
from __future__ import annotations


from ..errors import plain

_ASYNC = 0x80 | 0x200  # inspect.CO_COROUTINE, CO_ASYNC_GENERATOR


class SourceText:
    """The source of one function or class. `line` counts from 1; `text` keeps the indentation of the file."""
    __slots__ = ("path", "line", "text")

    def __init__(self, path, line, text):
        self.path, self.line, self.text = path, line, text


def locate(fn):
    """(path, lines of the file) of a function; ValueError if its source is not available."""
    import linecache
    code = fn.__code__
    path = code.co_filename
    linecache.checkcache(path)
    lines = linecache.getlines(path, fn.__globals__) or _lines_from_inspect(fn)
    if code.co_firstlineno > len(lines):
        raise plain(ValueError(
            f"the source of '{fn.__qualname__}' is not available: jit functions are read from their text, so define them in a "
            f"file or a notebook; text given to exec() needs an entry in linecache.cache under the name {path!r}"))
    return path, lines


def _lines_from_inspect(fn):
    """The lines that inspect finds if linecache has none: sources that only the code object leads to, as in newer REPLs."""
    import inspect
    try:
        return inspect.findsource(fn)[0]
    except (OSError, TypeError):
        return []


def innermost(fn):
    """The function inside of functools.wraps and similar wrappers."""
    seen = set()
    while hasattr(fn, "__wrapped__") and id(fn) not in seen:
        seen.add(id(fn))
        fn = fn.__wrapped__
    return fn


def shown_path(path):
    """The path as JSON programs have it. The folder of a notebook's cells is named after the process; it is left out, so that equal
    programs have equal JSON. Bytes that are not UTF-8 are escaped."""
    if not path.isascii():
        path = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    if "ipykernel_" not in path:
        return path
    import re
    return re.sub(r".*[/\\]ipykernel_\d+[/\\]", "ipykernel/", path)


def cut(fn, path, lines):
    """The SourceText of a function whose file has `lines`; ValueError if no `def` statement defines it."""
    first = fn.__code__.co_firstlineno - 1
    if fn.__code__.co_flags & _ASYNC:
        raise plain(TypeError(f"{path}:{first + 1}: '{fn.__qualname__}' is made by 'async def', and a kernel by 'def': launches do not wait "
                              "for kernels anyway"))
    start = _find_definition(lines, first, "def", fn.__code__.co_name)
    if start is None:
        raise plain(ValueError(f"{path}:{first + 1}: '{fn.__qualname__}' is not made by a def statement, so it has no text to "
                               "compile"))
    stop = _find_end(fn.__code__, lines, start)
    return SourceText(shown_path(path), start + 1, "".join(lines[start:stop]))


def cut_by_tokens(fn, path, lines):
    """cut() with Python's tokenizer, which handles every source, but is slow."""
    import inspect
    start = _find_definition(lines, fn.__code__.co_firstlineno - 1, "def", fn.__code__.co_name)
    return SourceText(shown_path(path), start + 1, "".join(inspect.getblock(lines[start:])))


def class_source(cls):
    """The SourceText of a class, or None if it is not available (collections.namedtuple, most notebooks)."""
    import inspect
    try:
        lines, first = inspect.getsourcelines(cls)
        path = inspect.getsourcefile(cls) or inspect.getfile(cls)
    except (OSError, TypeError, IndexError):
        return None
    start = _find_definition(lines, 0, "class", cls.__name__)
    if start is None:
        return None
    return SourceText(shown_path(path), max(first, 1) + start, "".join(lines[start:]))


def _find_definition(lines, first, keyword, name):
    """The index of the line `keyword name` at or after line index `first`; decorators stand before it."""
    import re
    definition = re.compile(r"\s*(def|class)\s+(\w+)")
    for index in range(first, len(lines)):
        found = definition.match(lines[index])
        if found and found.group(1) == keyword and found.group(2) == name:
            return index
    return None


def _find_end(code, lines, start):
    """One past the last line of the function: everything from its body's first line on that is indented deeper than its def."""
    definition = lines[start]
    margin = definition[:len(definition) - len(definition.lstrip())]
    deeper, width = (margin + " ", margin + "\t"), _width(margin)
    last = max(_first_line_after(code, start + 1), start + 1)
    for index in range(last, len(lines)):
        line = lines[index]
        if line.isspace():
            continue
        if line.startswith(deeper) or _width(line[:len(line) - len(line.lstrip())]) > width:
            last = index + 1
        elif not line.lstrip().startswith("#"):  # a comment may stand anywhere
            break
    return min(last, len(lines))


def _width(margin):
    """The width of an indentation as Python counts it; a form feed starts from 0."""
    return len(margin.rpartition("\f")[2].expandtabs(8))


def _first_line_after(code, definition):
    """The first line (from 1) of the bytecode that comes after that of the `def`, whose parameters may take many; 0: none."""
    if hasattr(code, "co_lines"):
        return next((line for _, _, line in code.co_lines() if line and line > definition), 0)
    line = code.co_firstlineno
    for step in code.co_lnotab[1::2]:
        line += step - 256 if step >= 128 else step
        if line > definition:
            return line
    return 0
