"""Tuned files of vLLM and SGLang: a configuration for each size.

    {"1": {"BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 64, "GROUP_SIZE_M": 1, "num_warps": 4, "num_stages": 4}, "64": {...}}

The names are sizes of one argument, such as the number of tokens; a size that is not there takes the configuration of the nearest
one, as in vLLM. `kernel.load_tuned(path, parameter="M")` and `save_tuned(path, parameter="M")` read and write such files.
"""
from __future__ import annotations

import json
import os

from .config import Config
from .tables import read_json

_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")


def read(path, configs):
    """{size: Config}; a Config that is among `configs` is that one, with its hook. Entries whose names are no sizes, such as
    "triton_version", are passed over."""
    content = read_json(path)
    if not isinstance(content, dict):
        raise ValueError(f"{os.fspath(path)} is no file of configurations by size")
    known = {tuple(sorted(config.all_kwargs().items())): config for config in configs}
    found = {}
    for size, entry in content.items():
        if not str(size).lstrip("-").isdecimal() or not isinstance(entry, dict):
            continue
        options = {name: entry[name] for name in _OPTIONS if name in entry}
        for name, value in options.items():
            if value is not None and type(value) is not int:
                raise ValueError(f"{os.fspath(path)}: {name} of the size {size} is {value!r}; it must be an int, such as 4")
        config = Config({name: value for name, value in entry.items() if name not in _OPTIONS}, **options)
        found[int(size)] = known.get(tuple(sorted(config.all_kwargs().items())), config)
    if not found:
        raise ValueError(f"{os.fspath(path)} has no configuration for a size, as in {{\"64\": {{\"BLOCK\": 128, \"num_warps\": 4}}}}")
    return found


def nearest(table, size):
    """The configuration of the size that is nearest; of two that are as near, of the smaller one."""
    return table[min(table, key=lambda known: (abs(known - size), known))]


def write(path, choices):
    """`choices` is {size: Config}."""
    content = {str(size): {**config.kwargs, **{name: getattr(config, name) for name in _OPTIONS if getattr(config, name) is not None
                                               and (name != "num_ctas" or config.num_ctas != 1)}}
               for size, config in sorted(choices.items())}
    temporary = f"{os.fspath(path)}.{os.getpid()}.tmp"
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump(content, file, indent=4)
        file.write("\n")
    os.replace(temporary, path)
