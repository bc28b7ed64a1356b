"""What autotuning found out, kept on disk for each configuration.

    <cache folder>/autotune/<kernel>-<hash>.json
    {"version": 1, "kernel": "matmul_kernel", "key": [...], "device": "NVIDIA H200", "tools": "Tessera 0.1.0",
     "results": {"BM: 128, ..., num_warps: 8": {"ms": [0.41, 0.40, 0.42], "registers": 168, "spills": 0},
                 "BM: 256, ...":               {"failure": "out of resource: shared memory ..."},
                 "BM: 64, ...":                {"failure": "CUDA error: an illegal memory access ...", "fault": true},
                 "BM: 32, ...":                {"suspect": "a process that was measuring it ended on ..."}}}

One file holds one kernel's results for one tuning key on one kind of device; the hash is over the kernel's code with all that
it reaches, the key, the device and the tools. The results are found by configuration, so that another list of configurations
asks the same file, and only what it does not know is measured.

Processes that tune the same kernel at once agree: who comes later takes over what is there instead of its own timings, so the
ranks of a job that share a cache folder choose alike. Files are written under another name and renamed, in turns (a lock of the
folder) where the file system has locks. Whatever cannot be read is treated as absent; whatever cannot be written is not kept.

A fault is a failure that took the device, or two processes, with it: who knows of it does not try again. What took one process
with it, or was being measured when somebody ended that, is suspect: it is tried again, last. journal.py tells how it is noticed.
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
    """A configuration broke the device, or ended the process."""

    def __str__(self):
        return self.error_message


def config_text(config):
    """What identifies a configuration among a kernel's; a hook by its code, for it runs as part of each launch."""
    text = ", ".join(f"{name}: {value!r}" for name, value in config.all_kwargs().items())
    return text if config.pre_hook is None else f"{text}, pre_hook: {code_digest(config.pre_hook)}"


def code_digest(function):
    """A digest of a Python function's code, the same in each process; other callables go by their names."""
    code = getattr(function, "__code__", None)
    name = f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', type(function).__qualname__)}"
    return _digest(name + _code_text(code)) if code is not None else name


def _code_text(code):
    constants = [_code_text(c) if hasattr(c, "co_code") else repr(c) for c in code.co_consts]
    return repr((code.co_code, constants, code.co_names, code.co_varnames))


def _digest(text):
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def is_lasting(text):
    """Whether a repr means the same in another process: it shows no address."""
    return re.search(r"\bat 0x[0-9a-fA-F]+", text) is None


@functools.lru_cache(maxsize=None)
def device_name(device):
    """What device this is, for "cuda:0" or "cpu": the name of the product, for timings depend on it."""
    if not device.startswith("cuda"):
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
    """The compiler and, for a GPU, the assembler: other tools make other code."""
    text = f"Tessera {_native.version()}"
    path = getattr(knobs.nvidia.ptxas, "path", None) if device.startswith("cuda") else None
    try:
        facts = os.stat(path) if path else None
    except OSError:
        facts = None
    return f"{text}, {path} {facts.st_size} {int(facts.st_mtime)}" if facts else text


class TuningStore:
    """The results of one kernel, key, device and toolchain: {configuration's text: result}."""

    def __init__(self, folder, kernel, code, key, device, tools):
        self.facts = {"version": VERSION, "kernel": kernel, "key": [repr(part) for part in key], "device": device, "tools": tools}
        name = re.sub(r"\W+", "_", kernel)[:80]
        self.path = os.path.join(folder, "autotune", f"{name}-{_digest(json.dumps([self.facts, code]))}.json")

    def read(self):
        try:
            if not os.path.isfile(self.path):  # nor a pipe, which would be waited for
                return {}
            with open(self.path, encoding="utf-8") as file:
                content = json.load(file)
            if {name: content.get(name) for name in self.facts} != self.facts:
                return {}
            return {text: result for text, result in content["results"].items() if is_result(result)}
        except (OSError, ValueError, AttributeError, KeyError, TypeError, RecursionError):
            return {}

    def add(self, results, replace=False):
        """Merges the results into the file; what is there already wins, unless `replace`, or it is a failure and the new one a
        timing, or it is a mere suspicion. Returns all results."""
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
            return merged
        except (OSError, TypeError, ValueError):  # no such folder, or a configuration that JSON cannot hold
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


def store_for(tuner, key, device):
    """Where an autotuner's timings for a key are kept; None if they are not to be kept, or cannot be found again."""
    wanted = tuner.cache_results or (knobs.autotuning.cache is None and tuner.measures_itself)
    if not wanted or knobs.runtime.interpret or not is_lasting(repr(key)):
        return None
    function, rules = tuner.fn, []
    while not hasattr(function, "cache_key"):
        rules += [code_digest(rule) for rule in getattr(function, "values", {}).values()]
        function = getattr(function, "fn", None)
        if function is None:
            return None
    code = [function.cache_key, *rules]
    return TuningStore(knobs.cache.dir, tuner.base_fn.__name__, code, key, device_name(device), tools_text(device))


class _Locked:
    """A lock of a folder between processes; none where the system or the file system has none, or somebody keeps it for long."""

    WAIT = 10.0  # seconds: a file takes a millisecond, so its owner has been stopped

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
                # Closing would not do: a child that another thread has forked meanwhile has the same lock.
                fcntl.flock(self.handle, fcntl.LOCK_UN)
            except (ImportError, OSError):
                pass
            os.close(self.handle)


def is_result(result):
    for reason in ("failure", "suspect"):
        if reason in result:
            return isinstance(result[reason], str)
    times = result["ms"]
    return isinstance(times, list) and len(times) > 0 and all(isinstance(time, (int, float)) for time in times)


# ---- searches and the store -----------------------------------------------------------------------

def recall(store, trials):
    """Gives trials what is stored about them."""
    if knobs.compilation.always_compile:
        return
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
        if "failure" in result:
            trial.error = (Fault if result.get("fault") is True else AutotunerError)(result["failure"])
        else:
            trial.timing = result["ms"]


def keep(store, trials):
    """Stores what was found out, and gives trials what another process stored about them meanwhile."""
    merged = store.add(lasting_results(trials), replace=bool(knobs.compilation.always_compile))
    for trial in trials:
        known = merged.get(config_text(trial.config), {})
        if trial.timing is not None and "ms" in known and isinstance(trial.timing, list):
            trial.timing = known["ms"]


def lasting_results(trials):
    """{configuration's text: result} of the trials that have one worth storing."""
    return {config_text(trial.config): result for trial in trials for result in _lasting_result(trial)}


def _lasting_result(trial):
    """At most one result. Failures that come from the program and the device alone last; others, as a missing assembler, may
    go away."""
    from ...compiler.errors import CompilationError
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
