"""The library's description of itself (tessera_describe in include/tessera.h): options, stages, chips, tools, the cache folder.

    describe("cuda:90")["features"]       # ["AsyncCopy", "CachePolicy", ...]
    describe()["cache_folder"]            # "~/.cache/tessera", expanded
    find_tool("ptxas")                    # "/usr/local/cuda/bin/ptxas"

It is asked when somebody needs it. What it says of a target stays; the rest is kept while no environment variable, no knob and not
sys.path changes.
"""
from __future__ import annotations

import os
import sys

from .. import _native, knobs

# The keyword arguments of Triton that have another name than the library's option; the others differ in '-' and '_' alone.
_KEYWORDS = {"ptxas-options": "ptx_options", "default-dot-precision": "default_dot_input_precision"}
# Options that Python programs choose in other ways: arch=, and on the command line.
_NO_KEYWORDS = ("mcpu", "symbol", "debug-dir")

_answers: dict = {}
_MOST_ANSWERS = 64


def describe(target: str | None = None) -> dict:
    """Describes a target, or without one what all targets have in common. Do not change the result. Raises ValueError for a target
    that the library does not know."""
    key = target or knobs.state()
    answer = _answers.get(key)
    if answer is None:
        if len(_answers) >= _MOST_ANSWERS:
            _answers.clear()
        folders = "" if target else os.pathsep.join(folder for folder in sys.path if isinstance(folder, str))
        answer = _answers[key] = _native.describe(target, os.fsencode(folders))
    return answer


def describe_or_kin(target: str) -> dict:
    """Describes a target. For a chip that the library does not know, returns the description of another chip of the same vendor;
    compiling reports the error."""
    try:
        return describe(target)
    except ValueError:
        vendor = target.partition(":")[0]
        return describe(next(each["name"] for each in describe()["targets"] if each["name"].partition(":")[0] == vendor))


def find_tool(name: str) -> str:
    """The path of "ptxas", "nvdisasm", "cuobjdump" or "libdevice"; "" if there is none."""
    return describe()["tools"].get(name, "")


def keyword_options() -> dict:
    """The options that launches take: keyword argument -> (the library's name, default). What is 0 or empty in the library is None
    in Triton: nobody has chosen."""
    options = {}
    for each in describe()["options"]:
        flag, default = each["name"], each["default"]
        if each["hashed"] and flag not in _NO_KEYWORDS:
            is_chosen = isinstance(default, bool) or default not in (0, "")
            options[_KEYWORDS.get(flag, flag.replace("-", "_"))] = flag, default if is_chosen else None
    return options
