"""Saves all variants that a process has compiled to a file, and compiles them again in another process.

    tessera.save_variants("variants.json")       every variant of every jit function, for example after a day of serving
    tessera.load_variants("variants.json")       in another process, after importing its modules: compiles all of them in
                                                 parallel and loads them; later launches compile nothing
    tessera.load_variants("recorded")            the same with the folder of `tessera record`, for this process's device

The file holds types, constants and options, but no code: a kernel that was edited since is compiled in its new form. Saving adds
to the variants that the file has, so that several processes can fill one file. The file is replaced in one step.
"""
from __future__ import annotations

import os
import time

from .specialize import Specializations, _duration

_VERSION = 1


class LoadedVariants(Specializations):
    """The result of load_variants. `failed` has (kernel, reason) of variants that failed to compile, `unknown` the names of kernels
    that this process does not have: import their modules first."""

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
    """Adds every variant that this process has compiled to the file; returns the number of variants in the file. Variants with
    constants that JSON cannot represent (functions inside functions, other objects) are left out."""
    import json
    kernels = _read_file(path) if os.path.exists(path) else {}
    for fn in _functions():
        texts = kernels.setdefault(fn._fn_name, [])
        for record in fn.specializations():
            if record.device and record.can_be_restored and record.data not in texts:
                texts.append(record.data)
    kernels = {name: sorted(texts) for name, texts in sorted(kernels.items()) if texts}
    temporary = f"{path}.{os.getpid()}.tmp"
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump({"version": _VERSION, "kernels": kernels}, file, indent=1)
    os.replace(temporary, path)
    return sum(map(len, kernels.values()))


def load_variants(path, threads=None):
    """Compiles and loads the variants of a file, or of the folder of `tessera record`, for the functions that this process has;
    returns LoadedVariants. Goes on after a failure."""
    from .precompile import compile_all, keep
    began = time.perf_counter()
    is_recorded, functions = os.path.isdir(path), {}
    kernels = _read_recorded(path) if is_recorded else _read_file(path)
    for fn in _functions():
        functions.setdefault(fn.__name__ if is_recorded else fn._fn_name, []).append(fn)
    pairs, failed = (_recorded_requests if is_recorded else _requests)(kernels, functions)
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
                except Exception as error:  # the file may be of another version of the kernel
                    failed.append((fn.__name__, error))
    return pairs, failed


def _recorded_requests(kernels, functions):
    """Requests for the rows of a recorded manifest: {name: [(signature, options)]}."""
    from .precompile import _requests as requests_of
    pairs, failed = [], []
    for name, rows in kernels.items():
        for fn in functions.get(name, ()):
            fn._global_guards.refresh()
            for signature, options in rows:
                try:
                    if signature is None:
                        raise ValueError("a constant of a recorded variant has no signature")
                    request, = requests_of(fn, _entries(signature), dict(options), False, None, None, 1)
                    request.why = "loaded from a recorded manifest"
                    pairs.append((fn, request))
                except Exception as error:  # the manifest may be of another version of the kernel
                    failed.append((fn.__name__, error))
    return pairs, failed


def _entries(signature):
    from .precompile import _split
    return tuple(part.strip() for part in _split(signature))


def _read_recorded(path):
    from .recorded_manifest import Manifest
    from ..backends.description import keyword_options
    kernels, names = {}, {flag: name for name, (flag, _) in keyword_options().items()}
    for kernel in Manifest.read(path).kernels:
        for row in kernel.rows:
            options = {names[flag]: value for flag, value in row.get("options", {}).items() if flag in names}
            kernels.setdefault(kernel.name, []).append((row.get("signature"), options))
    return kernels


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
