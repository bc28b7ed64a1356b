"""Stores the results of autotuning on disk, per configuration.

    <cache folder>/autotune/<kernel>-<hash>.json
    {"version": 1, "kernel": "matmul_kernel", "key": [...], "device": "NVIDIA H200", "tools": "Tessera 0.1.0",
     "results": {"BM: 128, ..., num_warps: 8": {"ms": [0.41, 0.40, 0.42], "registers": 168, "spills": 0},
                 "BM: 256, ...":               {"failure": "out of resource: shared memory ..."},
                 "BM: 64, ...":                {"failure": "CUDA error: an illegal memory access ...", "fault": true},
                 "BM: 32, ...":                {"suspect": "a process that was measuring it ended on ..."},
                 "BM: 16, ...":                {"passed": "others promised more"}}}

One file holds the results of one kernel for one tuning key on one kind of device. The hash covers the kernel's code with everything
that it reaches, the key, the device and the tools. Results are looked up by configuration, so a changed list of configurations uses
the same file, and only new configurations are measured.

Processes that tune the same kernel at the same time choose alike, for example the ranks of a job: the process that is later takes
the timings in the file instead of its own. Files are written under another name and renamed, under a lock of the folder if the
file system has locks. A file that cannot be read counts as absent; results that cannot be written are not kept.

A fault is a configuration that broke the device, or ended two processes; it is not tried again. A suspect is a configuration that
was being measured when a process ended; it is tried again, after all others. journal.py detects both. A configuration of a space
that was passed over (guided.py) is not measured by later searches, either.
"""
from __future__ import annotations

import functools
import hashlib
import json
import math
import os
import platform
import re
import sys
import tempfile
import time

from ... import _native, knobs
from ..errors import AutotunerError, OutOfResources

VERSION = 1


class Fault(AutotunerError):
    """The error of a configuration that broke the device, or ended the process."""

    def __str__(self):
        return self.error_message


class PassedOver(AutotunerError):
    """The reason why a configuration of a space is not measured (guided.py). It is no failure."""

    def __str__(self):
        return self.error_message


def config_text(config):
    """A str that identifies a configuration of a kernel. A hook counts by its code, because it runs as part of each launch."""
    text = ", ".join(f"{name}: {value!r}" for name, value in config.all_kwargs().items())
    return text if config.pre_hook is None else f"{text}, pre_hook: {code_digest(config.pre_hook)}"


def code_digest(function):
    """A hash of a Python function's code, the same in each process; the name of another callable."""
    code = getattr(function, "__code__", None)
    name = f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', type(function).__qualname__)}"
    return _digest(name + _code_text(code)) if code is not None else name


def _code_text(code):
    constants = [_code_text(c) if hasattr(c, "co_code") else repr(c) for c in code.co_consts]
    return repr((code.co_code, constants, code.co_names, code.co_varnames))


def _digest(text):
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def is_lasting(text):
    """Returns whether a repr means the same in another process: it contains no address."""
    return re.search(r"\bat 0x[0-9a-fA-F]+", text) is None


@functools.lru_cache(maxsize=None)
def device_name(device):
    """The product name of the device "cuda:0" or "cpu", on which timings depend."""
    if not device.startswith(("cuda", "hip")):
        return f"{_processor()}, {len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count()} threads"
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        return torch.cuda.get_device_name(device)
    from ..driver import native_device
    native = native_device(device)
    return f"{native.target}, {native.property('multiprocessor_count')} multiprocessors"


def _processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def tools_text(device):
    """The versions of the compiler and, for a GPU, of its driver and of the assembler, on which the code depends."""
    text = f"Tessera {_native.version()}{_driver_text(device)}"
    path = getattr(knobs.nvidia.ptxas, "path", None) if device.startswith("cuda") else None
    try:
        facts = os.stat(path) if path else None
    except OSError:
        facts = None
    return f"{text}, {path} {facts.st_size} {int(facts.st_mtime)}" if facts else text


def _driver_text(device, modules="/sys/module"):
    """The version of a GPU's driver, as the kernel of Linux tells it; "" if it does not."""
    module = "nvidia" if device.startswith("cuda") else "amdgpu" if device.startswith("hip") else ""
    try:
        with open(f"{modules}/{module}/version", encoding="utf-8") as file:
            return f", driver {file.read().strip()}"
    except OSError:
        return ""


class TuningStore:
    """The results of one kernel, key, device and toolchain: {configuration's text: result}."""

    def __init__(self, folder, kernel, code, key, device, tools):
        """`key` has the repr of each part of the tuning key."""
        self.facts = {"version": VERSION, "kernel": kernel, "key": list(key), "device": device, "tools": tools}
        name = re.sub(r"\W+", "_", kernel)[:80]
        self.path = os.path.join(folder, "autotune", f"{name}-{_digest(json.dumps([self.facts, code]))}.json")

    def read(self):
        try:
            if not os.path.isfile(self.path):  # reading a pipe would block
                return {}
            with open(self.path, encoding="utf-8") as file:
                return self._results_of(file.read())
        except (OSError, ValueError):
            return {}

    def _results_of(self, text):
        """The results of a file's text; none if it is damaged, or of another kernel."""
        try:
            content = json.loads(text)
            if {name: content.get(name) for name in self.facts} != self.facts:
                return {}
            return {text: result for text, result in content["results"].items() if is_result(result)}
        except (ValueError, AttributeError, KeyError, TypeError, RecursionError):
            return {}

    def fetch(self):
        """Adds the results of the server behind the cache folder to the file, if there is a server."""
        if not knobs.cache.remote:
            return
        blob = _server().fetch(self._name)
        results = self._results_of(blob.decode("utf-8", "replace")) if blob else {}
        if results:
            self.add(results, shares=False)

    def _share(self, results):
        if knobs.cache.remote:
            blob = _server().fetch(self._name)
            known = self._results_of(blob.decode("utf-8", "replace")) if blob else {}
            _server().share(self._name, json.dumps(dict(self.facts, results={**known, **results})).encode())

    @property
    def _name(self):
        return f"autotune/{os.path.basename(self.path)}"

    def add(self, results, replace=False, shares=True):
        """Merges results into the file and returns all. A result that the file has already is kept, unless `replace`, or unless
        it is a suspect or was passed over, or a failure while the new result is a timing."""
        folder = os.path.dirname(self.path)
        try:
            os.makedirs(folder, exist_ok=True)
            with _Locked(folder):
                known = self.read()
                won = {text: old for text, old in known.items()
                       if "ms" in old or "failure" in old and "ms" not in results.get(text, old)}
                merged = {**known, **results, **({} if replace else won)}
                if merged != known:
                    self._write(folder, merged)
            if shares and merged != known:
                self._share(merged)
            return merged
        except (OSError, TypeError, ValueError):  # the folder cannot be created, or JSON cannot hold a configuration
            return results

    def _write(self, folder, results):
        handle, temporary = tempfile.mkstemp(prefix=".autotune-", dir=folder)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(dict(self.facts, results=results), file, indent=1)
            os.replace(temporary, self.path)
        except BaseException:
            os.unlink(temporary)
            raise


def _server():
    """A session of the library, for the server behind the cache folder."""
    from ...compiler.session import server_settings, session_for
    return session_for(server_settings())


def store_for(tuner, key, device):
    """The store of an autotuner's timings for a key; None if they should not be kept, or could not be found again."""
    wanted = tuner.cache_results or (knobs.autotuning.cache is None and tuner.measures_itself)
    if not wanted or knobs.runtime.interpret or not is_lasting(repr(key)):
        return None
    code = code_of(tuner)
    if code is None:
        return None
    return TuningStore(knobs.cache.dir, tuner.base_fn.__name__, code, map(repr, key), device_name(device), tools_text(device))


def code_of(tuner):
    """Hashes of the code that an autotuner measures: of the kernel and of its heuristics. None if the kernel has none."""
    function, rules = tuner.fn, []
    while not hasattr(function, "cache_key"):
        rules += [code_digest(rule) for rule in getattr(function, "values", {}).values()]
        function = getattr(function, "fn", None)
        if function is None:
            return None
    return [function.cache_key, *rules]


class _Locked:
    """A lock of a folder between processes. Does nothing without file locks, or if another process keeps it for long."""

    WAIT = 10.0  # seconds; writing takes a millisecond, so an owner that keeps it longer is stopped

    def __init__(self, folder):
        self.folder, self.handle = folder, None

    def __enter__(self):
        try:
            import fcntl
            self.handle = os.open(self.folder, os.O_RDONLY)
            end = time.monotonic() + self.WAIT
            while not self._try(fcntl) and time.monotonic() < end:
                time.sleep(0.002)
        except (ImportError, OSError):
            pass

    def _try(self, fcntl):
        try:
            fcntl.flock(self.handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            return False

    def __exit__(self, *exception):
        if self.handle is not None:
            try:
                import fcntl
                # Closing is not enough: a child that another thread forked meanwhile holds the same lock.
                fcntl.flock(self.handle, fcntl.LOCK_UN)
            except (ImportError, OSError):
                pass
            os.close(self.handle)


def is_result(result):
    for reason in ("failure", "suspect", "passed"):
        if reason in result:
            return isinstance(result[reason], str)
    times = result["ms"]
    return isinstance(times, list) and len(times) > 0 and all(isinstance(time, (int, float)) for time in times)


# ---- searches and the store -----------------------------------------------------------------------

def recall(store, trials):
    """Copies stored results to the trials."""
    if knobs.compilation.always_compile:
        return
    results = store.read()
    if any(config_text(trial.config) not in results for trial in trials):
        store.fetch()
        results = store.read()
    for trial in trials:
        result = results.get(config_text(trial.config))
        if result is None:
            continue
        trial.is_suspect = "suspect" in result
        if trial.is_suspect:
            continue
        trial.is_stored = True
        trial.registers, trial.spills = result.get("registers"), result.get("spills")
        if "passed" in result:
            trial.error = PassedOver(result["passed"])
        elif "failure" in result:
            trial.error = (Fault if result.get("fault") is True else AutotunerError)(result["failure"])
        else:
            trial.timing = result["ms"]


def keep(store, trials):
    """Stores the results of the trials, and copies timings that another process has stored meanwhile to the trials."""
    merged = store.add(lasting_results(trials), replace=bool(knobs.compilation.always_compile))
    for trial in trials:
        known = merged.get(config_text(trial.config), {})
        if trial.timing is not None and "ms" in known and isinstance(trial.timing, list):
            trial.timing = known["ms"]


def lasting_results(trials):
    """{configuration's text: result} of the trials whose result should be stored."""
    return {config_text(trial.config): result for trial in trials for result in _lasting_result(trial)}


def _lasting_result(trial):
    """A list of at most one result. Only failures that depend on the program and the device alone are stored; others, such as a
    missing assembler, may go away."""
    from ...compiler.errors import CompilationError
    if isinstance(trial.error, PassedOver):
        return [{"passed": str(trial.error)}]
    if isinstance(trial.error, Fault):
        return [{"failure": str(trial.error), "fault": True}]
    if isinstance(trial.error, (OutOfResources, CompilationError)):
        return [{"failure": str(trial.error)}]
    if trial.timing is None:
        return []
    timing = list(trial.timing) if isinstance(trial.timing, (list, tuple)) else [trial.timing]
    if not all(isinstance(number, (int, float)) and math.isfinite(number) for number in timing):
        return []
    resources = {} if trial.registers is None else {"registers": trial.registers, "spills": trial.spills}
    return [{"ms": timing, **resources}]
