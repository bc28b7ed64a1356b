"""Compiles and measures configurations of recorded problems, in the process that it is called in.

    Compiler().compile(problem, 3, "cuda:90")          {"facts": {...}} or {"failure": "why"}
    bench = Bench("cuda:0")
    bench.look(problem, 3, best_ms)                    a short measurement: {"ms": [median, 20 %, 80 %], ...} or {"failure": ...}
    bench.race(problem, [3, 7])                        in turns: {3: {...}, 7: {...}}

The measurements are those of autotune (runtime/tuning/search.py).
"""
from __future__ import annotations

import sys

from .. import _native
from ..compiler.compiler import compile_for_launch
from ..compiler.sources import ProgramSource
from ..runtime.tuning import search, timing
from ..runtime.tuning.progress import first_line
from ..runtime.tuning.store import device_name, lasting_results, tools_text
from .memory import Inputs


def kernel_of(problem, index, target, binary=None):
    """The CompiledKernel of a configuration. `binary` is (key, bytes) of one that was compiled elsewhere."""
    row = problem.rows[index]
    source = ProgramSource(problem.kernel, problem.program_text(index), row["arguments"])
    if binary is not None:
        from ..compiler.compiler import CompiledKernel, _as_target
        from ..compiler.session import Job, plan_for
        return CompiledKernel(Job(source, plan_for(_as_target(target), row["options"])), _native.Kernel.unpack(*binary))
    return compile_for_launch(source, target, dict(row["options"]))


def compile_one(problem, index, target, wants_binary=False):
    """Compiles one configuration; the cache folder keeps it."""
    try:
        kernel = kernel_of(problem, index, target)
    except Exception as error:
        return {"failure": str(error), "line": first_line(error), "lasts": bool(lasting_results([_failed(problem, index, error)]))}
    found = {"facts": search.facts_of(kernel, problem.rows[index]["grid"])}
    if wants_binary:
        found["binary"] = (kernel._native_kernel.key, kernel._native_kernel.pack())
    return found


def _failed(problem, index, error):
    trial = search.Trial(index, problem.configs[index])
    trial.error = error
    return trial


class Lost(Exception):
    """The device is broken; this process cannot go on."""


def _import_torch(device):
    try:
        import torch
    except ImportError:
        raise ModuleNotFoundError(f"measuring on {device} needs torch, which allocates the memory, in {sys.executable}: pip install torch; "
                                  "--devices cpu needs none") from None
    return torch


class Bench:
    """Measures on one device. Keeps the memory of the problem that was measured last."""

    def __init__(self, device):
        if device != "cpu":
            torch = _import_torch(device)  # allocates the memory, and has the events that measure
            torch.cuda.set_device(device)
        self.device = device
        self.clock, self.wait = timing.clock_for(device), timing.waiter_for(device)
        self._problem = self._search = None
        self._facts = self._read_facts()

    def facts(self):
        return self._facts

    def _read_facts(self):
        from ..runtime.driver import target_of_device
        target = target_of_device(self.device)
        name = target.backend if target.backend == "cpu" else f"{target.backend}:{target.arch}"
        return {"device": device_name(self.device), "target": name, "tools": tools_text(self.device)}

    def look(self, problem, index, best=None, binary=None):
        trial = search.Trial(index, problem.configs[index])
        others = search.Trial(-1, problem.configs[index])
        others.samples = [best] if best else []
        self._run(problem, {index: binary}, lambda found: found._look(trial, [others] if best else []), [trial])
        return _outcome(trial)

    def race(self, problem, indices, binaries=None):
        trials = [search.Trial(index, problem.configs[index]) for index in indices]

        def measure(found):
            for trial in trials:
                found._look(trial, trials)
            found._race([trial for trial in trials if trial.error is None], keep_looks=True)
        self._run(problem, dict.fromkeys(indices) if binaries is None else binaries, measure, trials)
        return {trial.index: _outcome(trial) for trial in trials}

    def _run(self, problem, binaries, measure, trials):
        found = self._search_of(problem)
        for trial in trials:
            try:
                trial.kernel = kernel_of(problem, trial.index, self.facts()["target"], binaries.get(trial.index))
            except Exception as error:
                trial.error = error
        try:
            measure(found)
        except search.DeviceLost:
            pass  # the trial has the error

    def _search_of(self, problem):
        if self._problem is not problem:
            self._search = None  # frees the memory before there is more
            self._problem, self._search = problem, RecordedSearch(problem, self.device, self.clock, self.wait)
        return self._search


def _outcome(trial):
    if trial.error is None:
        return lasting_results([trial])[_text(trial)]
    found = lasting_results([trial]).get(_text(trial), {})
    return {"failure": str(trial.error), "line": first_line(trial.error), "lasts": bool(found), "fault": found.get("fault", False)}


def _text(trial):
    from ..runtime.tuning.store import config_text
    return config_text(trial.config)


class RecordedSearch(search.Search):
    """autotune's measurements, of recorded kernels."""

    def __init__(self, problem, device, clock, wait):
        self.problem, self.device = problem, device
        super().__init__(_Tuner(problem.kernel), (), {}, clock, Inputs(problem, device), _Silence(), wait)

    def execution_of(self, trial):
        row = self.problem.rows[trial.index]
        launch, values = trial.kernel.load(self.device).launch, trial.kernel.src.passed(self.guard.arguments(row))
        stream = 0 if self.device == "cpu" else _native.current_stream(int(self.device.partition(":")[2] or 0))
        return _Launch(lambda: launch(*row["grid"], stream, values))


class _Launch:
    def __init__(self, launch):
        self.launch = launch


class _Tuner:
    """The parts of an Autotuner that searches ask for."""
    has_trial_hooks = has_own_bench = False

    def __init__(self, name):
        self.base_fn = type(name, (), {})


class _Silence:
    """A Progress that prints nothing."""

    def __getattr__(self, name):
        return lambda *arguments: None
