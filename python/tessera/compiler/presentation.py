"""How messages look: in colour on a terminal, and with the cell's name in a notebook.

    colored(text)                the message of an error as `tessera compile` colours it
    color_uncaught_errors()      lets an error that nobody catches be printed like that
    with_cells(text, paths)      "Cell In[3], line 4:" instead of "/tmp/ipykernel_7/1234.py:4:30:"
"""
from __future__ import annotations

import os
import re
import sys

_KINDS = {"error": "1;31", "unsupported": "1;33", "internal error": "1;35", "warning": "1;35", "note": "1;36"}
_HEAD = re.compile(rf"^(?P<place>\S[^\n]*?:\d+(?::\d+)?: |Cell In\[\d+\], line \d+: )?(?P<kind>{'|'.join(_KINDS)}): (?P<text>.*)$")
_MARK = re.compile(r"^( *)(\^~*)$")


def wants_color(stream) -> bool:
    """Returns whether text for a stream is coloured: on a terminal, unless NO_COLOR or TERM=dumb is set."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    try:
        return stream is not None and stream.isatty()
    except (AttributeError, ValueError):
        return False


def colored(text: str) -> str:
    """The colours of the command line: the place bold, the kind in its colour, the sentence bold, the mark in the kind's colour."""
    lines, accent = [], _KINDS["error"]
    for line in text.split("\n"):
        head, mark = _HEAD.match(line), _MARK.match(line)
        if head:
            accent = _KINDS[head["kind"]]
            place = f"\x1b[1m{head['place']}\x1b[0m" if head["place"] else ""
            line = f"{place}\x1b[{accent}m{head['kind']}: \x1b[0m\x1b[1m{head['text']}\x1b[0m"
        elif mark:
            line = f"{mark[1]}\x1b[{accent}m{mark[2]}\x1b[0m"
        lines.append(line)
    return "\n".join(lines)


def color_uncaught_errors() -> None:
    """Replaces Python's own sys.excepthook if standard error is a terminal. A hook of the program's stays."""
    if sys.excepthook is not sys.__excepthook__ or not wants_color(sys.stderr):
        return

    def print_colored(kind, error, trace):
        from ..errors import TritonError
        if not isinstance(error, TritonError):
            return sys.__excepthook__(kind, error, trace)
        import traceback
        text, message = "".join(traceback.format_exception(kind, error, trace)), str(error)
        sys.stderr.write(text.replace(message, colored(message)) if message else text)

    sys.excepthook = print_colored


# ---- notebooks ----------------------------------------------------------------------------------------------------------------------

def cell_of(path: str):
    """The number of the notebook's cell that a file name of IPython's stands for; None for another file."""
    if "IPython" not in sys.modules:
        return None
    shell = getattr(sys.modules["IPython"], "get_ipython", lambda: None)()
    names = getattr(getattr(shell, "compile", None), "_filename_map", None)
    return names.get(path) if isinstance(names, dict) else None


def with_cells(text: str, paths) -> str:
    """`text` with the names of cells instead of the files that IPython invents for them."""
    for path in paths:
        number = cell_of(path)
        if number is not None:
            text = re.sub(rf"^{re.escape(path)}:(\d+):\d+:", rf"Cell In[{number}], line \1:", text, flags=re.M)
    return text


def html_table(head, rows, caption="") -> str:
    """An HTML table; `head` and the cells of `rows` are strings, numbers are aligned to the right."""
    from html import escape

    def cell(tag, value):
        text = str(value)
        side = "right" if re.fullmatch(r"[\d.,]*\d( ?(ns|us|ms|s))?", text) else "left"
        return f'<{tag} style="text-align:{side}">{escape(text)}</{tag}>'

    lines = ["<table>", *([f'<caption style="text-align:left">{escape(caption)}</caption>'] if caption else [])]
    lines += ["<tr>" + "".join(cell("th", each) for each in head) + "</tr>"]
    lines += ["<tr>" + "".join(cell("td", each) for each in row) + "</tr>" for row in rows]
    return "\n".join([*lines, "</table>"])
