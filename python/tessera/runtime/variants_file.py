"""The variants of a whole process in a file, and back: record where traffic is real, replay before the first request.

    tessera.save_variants("variants.json")       after a day of serving, or a test run: every variant of every jit function
    tessera.load_variants("variants.json")       in another process, when its modules are imported: builds all of them in
                                                 parallel, loads them; the launches that follow compile nothing

The file holds types, constants and options, no code: a kernel that was edited since is compiled as it is now. Saving adds to what
the file has, so that several processes can fill one; it is replaced in one step, never half written.
"""
from __future__ import annotations

import os
import time

from .specialize import Specializations, _duration

_VERSION = 1


class LoadedVariants(Specializations):
    """What load_variants built. `failed` has (kernel, reason) of what could not be built, `unknown` the names of kernels that
    this process does not have: import their modules first."""

    def __init__(self, records, seconds, failed, unknown):
        super().__init__("variants", records)
        self.seconds, self.failed, self.unknown = seconds, failed, unknown

    def __str__(self):
        names = {record._request.fn.__name__ for record in self}
        lines = [f"{len(self)} variants of {len(names)} kernels in {_duration(self.seconds)}, "
                 f"{sum(record.from_cache for record in self)} from the disk"]
        lines += [f"  {name} failed: {str(reason).splitlines()[0]}" for name, reason in self.failed]
        lines += [f"  {name} is not here; is its module imported?" for name in self.unknown]
        return "\n".join(lines)

    __repr__ = __str__


def save_variants(path):
    """Adds every variant that this process has compiled to the file; returns how many the file has now. Variants with constants
    that text cannot hold (functions inside functions, other objects) are left out."""
    import json
    kernels = _read_file(path) if os.path.exists(path) else {}
    for fn in _functions():
        texts = kernels.setdefault(fn._fn_name, [])
        for record in fn.specializations():
            if record.device and '{"lost": ' not in record.data and record.data not in texts:
                texts.append(record.data)
    kernels = {name: sorted(texts) for name, texts in sorted(kernels.items()) if texts}
    temporary = f"{path}.{os.getpid()}.tmp"
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump({"version": _VERSION, "kernels": kernels}, file, indent=1)
    os.replace(temporary, path)
    return sum(map(len, kernels.values()))


def load_variants(path, threads=None):
    """Builds and loads what save_variants wrote, for the functions that this process has; returns LoadedVariants. What cannot be
    built does not keep the rest from it."""
    from .precompile import compile_all, keep
    began = time.perf_counter()
    kernels, functions = _read_file(path), {}
    for fn in _functions():
        functions.setdefault(fn._fn_name, []).append(fn)
    pairs, failed = _requests(kernels, functions)
    built = set()
    for (fn, request), outcome in zip(pairs, compile_all(pairs, threads)):
        try:
            if isinstance(outcome, BaseException):
                raise outcome
            keep(fn, request, *outcome)
            built.add(id(outcome[0]))
        except Exception as error:
            failed.append((fn.__name__, error))
    asked = {id(fn): fn for fn, _ in pairs}.values()
    records = [record for fn in asked for record in fn.specializations() if id(record.kernel) in built]
    unknown = [name for name in kernels if name not in functions]
    return LoadedVariants(records, time.perf_counter() - began, failed, unknown)


def _requests(kernels, functions):
    from .jit_hooks import read_specialization_data
    pairs, failed = [], []
    for name, texts in kernels.items():
        for fn in functions.get(name, ()):
            fn._global_guards.refresh()
            for text in texts:
                try:
                    pairs.append((fn, read_specialization_data(fn, text)))
                    pairs[-1][1].why = "loaded from a file of variants"
                except Exception as error:  # of another version of the kernel, perhaps
                    failed.append((fn.__name__, error))
    return pairs, failed


def _functions():
    from .jit import live_functions
    return sorted(live_functions(), key=lambda fn: fn._fn_name)


def _read_file(path):
    import json
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    if not isinstance(data, dict) or data.get("version") != _VERSION:
        raise ValueError(f"{path} is no file of variants that this version of Tessera reads")
    return data["kernels"]
