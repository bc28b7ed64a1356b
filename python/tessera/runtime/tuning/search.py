"""The search for the fastest configuration of a kernel, for one call's arguments.

    configurations --compile on all cores--> kernels --short measurement--> contenders --measured in turns--> one choice

1. Compile. Configurations compile on threads, in parallel; the compiler does not hold the GIL.
2. Measure each configuration for a short time (a "look"), as soon as it is compiled. On a GPU the compilations on the host do not
   disturb CUDA events. On the CPU they would, so there all configurations are compiled first; likewise for a user's do_bench.
3. Race. When all compilations are done, the configurations within 25 % of the best are measured in turns, until they differ by
   more than the noise or have used their time. Turns prevent a drifting clock from favouring one of them. The other
   configurations keep their first timing.
4. Choose the first configuration of the list that is as fast as the fastest: within its noise, and within 1 %.

Requires: one search at a time in a process (selection.py), because two would disturb each other's timings.
Ensures: a configuration that fails is left out with its reason, and the search goes on. The arguments have their old values
afterwards (guard.py, or the user's reset_to_zero, restore_value and hooks). If a configuration breaks the device, the search ends
with DeviceLost; if it ends the process, the next process learns of it from journal.py.
Cost: the compilations, divided by the number of cores; about 10 ms per configuration, and at most 100 ms per contender.
"""
from __future__ import annotations

import collections
import contextvars
import copy
import math
import os
import queue
import sys
import threading
import zlib

from . import timing
from ..._native import Launchable, interrupt_compilations
from ...errors import without_frames
from ..errors import AutotunerError, OutOfResources
from ..jit import WITHOUT_HOOKS, KernelInterface, MockTensor
from .progress import first_line, short_text
from .store import Fault, PassedOver, config_text, lasting_results
from .timing import quantiles_of

LOOK_MS = 5.0  # the approximate duration of the first measurement
TURN_MS = 20.0  # the approximate duration of a contender's turn
TURNS = 5
MOST_CONTENDERS = 8  # of more than these, each turn of a race keeps half
_BATCH = 2  # configurations of a space that are tried before the model is asked again
CONTENDER_RATIO = 1.25  # a configuration that is slower than the best by more is not measured again
TIE_RATIO = 1.01  # a configuration within this ratio and within the noise counts as equally fast
QUANTILES = (0.5, 0.2, 0.8)  # a timing is the median, and the range of the middle 60 % of the samples


class Trial:
    """One configuration in a search. `timing` are quantiles in ms, or the result of the user's do_bench."""

    def __init__(self, index, config):
        self.index, self.config = index, config
        self.kernel = self.error = self.timing = None
        self.samples, self.is_stored = [], False
        self.is_suspect = False  # a process ended while it was measuring this configuration
        self.cost = 0.0  # the duration of a sample in ms, including the clearing of caches and hooks
        self.registers = self.spills = None
        self.attempts = ""  # the attempts that were made because the kernel spills registers

    def fail(self, problem):
        self.error, self.samples, self.timing = problem, [], None

    def note_resources(self):
        """Reads the registers and spills of the kernel, on targets that have registers."""
        registers = getattr(self.kernel, "n_regs", None)
        if isinstance(registers, int) and registers > 0:
            self.registers, self.spills = registers, getattr(self.kernel, "n_spills", 0) or 0
        record = getattr(self.kernel, "record", None)
        if isinstance(record, dict):
            self.attempts = record.get("attempts", "")

    @property
    def median(self):
        return quantiles_of(self.samples, (0.5,))[0]


class Execution:
    """Runs a trial's kernel on the call's arguments. The autotuner's hooks are not measured, because they only prepare
    a trial; a configuration's hook is, because it runs at each launch."""

    def __init__(self, tuner, trial, args, kwargs):
        self.tuner, self.config, self.args = tuner, trial.config, args
        self.kwargs = {**kwargs, **trial.config.all_kwargs()}
        self.named = {**dict(zip(tuner.arg_names, args)), **self.kwargs}

    def prepare(self):
        self.tuner.pre_hook(self.named)

    def launch(self):
        if self.config.pre_hook is not None:
            self.config.pre_hook(self.named)
        self.tuner.launch(self.args, self.kwargs)

    def finish(self, problem):
        self.tuner.post_hook(self.named, exception=problem)

    def __call__(self):
        """Runs the hooks and the launch, for a user's do_bench."""
        self.prepare()
        try:
            self.launch()
        except Exception as problem:
            try:
                self.finish(problem)
            finally:
                raise problem
        self.finish(None)


# ---- compiling ------------------------------------------------------------------------------------

class Compilation:
    """Compiles trials on threads, and yields each as soon as it has a `kernel` or an `error`."""

    def __init__(self, tuner, trials, args, kwargs, spare_cores=0):
        self.tuner, self.args, self.kwargs = tuner, args, kwargs
        self.waiting, self.done, self.left = collections.deque(trials), queue.SimpleQueue(), len(trials)
        prepare = _same_torch_device()
        try:
            for index in range(max(1, min(len(trials), _cores() - spare_cores))):
                # The thread runs in the caller's context, which holds allocators and compile modes.
                work = contextvars.copy_context().run
                threading.Thread(target=work, args=(self._work, prepare), name=f"tessera-autotune-{index}").start()
        except BaseException:  # an interrupt before the `with` statement has begun
            self.waiting.clear()
            raise

    def _work(self, prepare):
        try:
            prepare()
        except Exception:
            pass  # the first use of the device will raise the error
        while True:
            try:
                trial = self.waiting.popleft()
            except IndexError:
                return
            self._compile(trial)

    def _compile(self, trial):
        try:
            trial.kernel = compile_trial(self.tuner, trial, self.args, self.kwargs)
        except Exception as problem:
            trial.error = problem
        except BaseException as problem:  # SystemExit and the like in the user's code also fail only this configuration
            trial.error = AutotunerError(f"{type(problem).__name__}: {problem}")
        self.done.put(trial)

    def __iter__(self):
        while self.left:
            trial = self.done.get()
            self.left -= 1
            yield trial

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.waiting.clear()  # after an interrupt: cancel the rest, without waiting for running compilations
        if exception[0] is not None:
            interrupt_compilations()


def compile_trial(tuner, trial, args, kwargs):
    fn = tuner.fn
    if not compiles_alone(fn):
        return None  # it compiles when it is launched
    kwargs = {name: value for name, value in kwargs.items() if name != "warmup"}
    args, kwargs = _as_the_hook_leaves_them(tuner, trial.config, args, kwargs)
    kwargs.update(trial.config.all_kwargs())
    if _is_ours(fn):  # without pre-run hooks, which are called for launches
        kernel = fn.run(*map(MockTensor.wrap_dtype, args), **kwargs, warmup=WITHOUT_HOOKS)
    else:
        kernel = fn.warmup(*args, **kwargs)
    return kernel.result() if hasattr(kernel, "result") else kernel  # AsyncCompileMode returns a future


def compiles_alone(fn):
    """Returns whether a kernel can be compiled without being launched. A program's own class can if it has a method `warmup`, or a
    `run` with a parameter of that name. Otherwise `run` may launch and change the arguments."""
    if _is_ours(fn):
        return not hasattr(fn.fn, "run") or compiles_alone(fn.fn)  # for heuristics the kernel inside decides
    if not _has_usual_warmup(fn):
        return hasattr(fn, "warmup")
    code = getattr(fn.run, "__code__", None)
    return code is not None and "warmup" in code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]


def _is_ours(fn):
    """Returns whether a kernel is a jit function, or heuristics around one, of this package, without a replaced `run`."""
    return isinstance(fn, KernelInterface) and _has_usual_warmup(fn) \
        and (getattr(fn.run, "__module__", None) or "").startswith("tessera.runtime.")


def _has_usual_warmup(fn):
    """Returns whether `warmup` is this package's own: that of jit functions, in C, or that of KernelInterface, which calls `run`."""
    return "warmup" not in getattr(fn, "__dict__", ()) and \
        getattr(type(fn), "warmup", None) in (KernelInterface.warmup, Launchable.warmup)


def _as_the_hook_leaves_them(tuner, config, args, kwargs):
    """Calls a configuration's hook, which may set the block shapes of tensor descriptors, on which compilation depends. The hook
    gets copies of the descriptors, because other trials compile at the same time. It changes nothing else that the compiler reads."""
    values = {**dict(zip(tuner.arg_names, args)), **kwargs}
    descriptors = {name: copy.copy(value) for name, value in values.items() if hasattr(value, "block_shape")}
    if config.pre_hook is None or not descriptors:
        return args, kwargs
    values.update(descriptors)
    config.pre_hook({**values, **config.all_kwargs()})
    return tuple(values[name] for name in tuner.arg_names[:len(args)]), {name: values[name] for name in kwargs}


def _cores():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _same_torch_device():
    """A function that sets torch's current device, which each thread has its own of, to the caller's."""
    torch = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "cuda") or not torch.cuda.is_initialized():
        return lambda: None
    device = torch.cuda.current_device()
    return lambda: torch.cuda.set_device(device)


# ---- timing ---------------------------------------------------------------------------------------

class DeviceLost(AutotunerError):
    """A trial broke the device; its error is a Fault."""


class Search:
    """One search. `clock` is None if the user's own benchmark function measures; `wait` synchronizes with the device, and is
    None for the CPU; `journal` may be None."""

    def __init__(self, tuner, args, kwargs, clock, guard, progress, wait=None, journal=None):
        self.tuner, self.args, self.kwargs = tuner, args, kwargs
        self.clock, self.guard, self.progress = clock, guard, progress
        self.wait, self.journal = wait, journal
        self.has_hooks = tuner.has_trial_hooks

    def execution_of(self, trial):
        return Execution(self.tuner, trial, self.args, self.kwargs)

    def run(self, trials, plan=None):
        """Gives each trial a timing or an error. With a plan (guided.py) for a larger space, only those that it suggests, by their
        indices; the others get the error PassedOver."""
        if self.wait is not None:
            self.wait()  # raises if earlier launches of the caller have broken the device
        if plan is None:
            self._look_at(trials, trials)
        else:
            self._look_as_planned(trials, plan)
        if self.clock is not None:
            self._race([trial for trial in trials if trial.error is None], keep_looks=self.clock.is_host)

    def _look_as_planned(self, trials, plan):
        by_index = {trial.index: trial for trial in trials}
        while batch := plan.suggest(_BATCH):
            tried = [by_index[index] for index in batch if index in by_index]
            self._look_at(tried, trials, plan)
            for index in batch:
                trial = by_index.get(index)
                if trial is not None and isinstance(trial.error, PassedOver):
                    plan.skip(index, str(trial.error))
                else:
                    works = trial is not None and trial.error is None
                    plan.tell(index, promise(trial.timing) if works else None)
        for trial in trials:
            if trial.timing is None and trial.error is None:
                trial.error = PassedOver("others promised more")

    def _look_at(self, tried, trials, plan=None):
        """Compiles some trials and measures each shortly. `trials` are all of the search."""
        overlaps = self.clock is not None and not self.clock.is_host
        waiting = []
        # One core is left to the thread that launches, so that the GPU does not idle.
        with Compilation(self.tuner, tried, self.args, self.kwargs, spare_cores=1 if overlaps else 0) as compilation:
            for trial in compilation:
                self.progress.has_compiled()
                if plan is not None and trial.error is None:
                    reason = plan.pass_over(trial.index, facts_of(trial.kernel, self._grid_of(trial)))
                    trial.error = PassedOver(reason) if reason else None
                if trial.error is not None or overlaps and not trial.is_suspect:
                    self._look(trial, trials)
                else:
                    waiting.append(trial)
        for trial in sorted(waiting, key=lambda trial: (trial.is_suspect, trial.index)):
            self._look(trial, trials)

    def _grid_of(self, trial):
        """The grid of a trial's launches; None if it depends on more than the arguments and the configuration."""
        grid = self.kwargs.get("grid")
        try:
            return tuple(grid(self.execution_of(trial).named)) if callable(grid) else tuple(grid)
        except Exception:
            return None

    def _look(self, trial, trials):
        if trial.error is not None:
            if not isinstance(trial.error, PassedOver):
                self._tell_hooks(trial)
                self.progress.has_failed(trial)
            return
        execution = self.execution_of(trial)
        self.guard.protect(trial)
        if self.journal is not None:
            self.journal.begin(config_text(trial.config))
        if self.clock is None:
            self._attempt(trial, lambda: self._measure_by_user(trial, execution))
        else:
            best = min((min(other.samples) for other in trials if other.samples), default=math.inf)
            self._attempt(trial, lambda: self._measure_short(trial, execution, best))
        if trial.error is None:
            trial.note_resources()
        if self.journal is not None:
            self.journal.end(lasting_results([trial]))
        if trial.error is None:
            self.progress.has_timed(trial)
        else:
            self.progress.has_failed(trial)

    def _measure_by_user(self, trial, execution):
        if self.tuner.has_own_bench:
            found = self.tuner._bench(*self.args, config=trial.config, **self.kwargs)
        else:
            found = self.tuner.do_bench(execution, quantiles=QUANTILES)
        if self.wait is not None:
            self.wait()  # otherwise an asynchronous error would be attributed to the next configuration
        try:
            [float(part) for part in rank(found)]
        except (TypeError, ValueError):
            raise TypeError(f"do_bench returned {found!r}, which is neither a number nor a list of numbers") from None
        trial.timing = found

    def _measure_short(self, trial, execution, best):
        self._sample(trial, execution, 1)  # loads the kernel
        trial.samples = self._sample(trial, execution, 2)
        least = min(trial.samples)  # disturbances only make a sample longer
        if least <= LOOK_MS or least <= 2 * best:  # otherwise it is clearly slower: stop measuring it
            trial.samples += self._sample(trial, execution, _count(LOOK_MS, trial.cost, least=1, most=20))
        trial.timing = quantiles_of(trial.samples, QUANTILES)

    def _race(self, trials, keep_looks):
        if not trials:
            return
        fastest = min(min(trial.samples) for trial in trials)
        contenders = [trial for trial in trials if min(trial.samples) <= fastest * CONTENDER_RATIO]
        self._take_turns(contenders, keep_looks)
        # A configuration whose first timing is now better than the leader's was excluded because of a disturbance: measure it too.
        leader = min((trial for trial in contenders if trial.error is None), key=lambda trial: trial.median, default=None)
        late = [trial for trial in trials if trial not in contenders and (leader is None or trial.median <= leader.median)]
        if late:
            self._take_turns(late + ([leader] if leader else []), keep_looks=False)
        self.progress.has_raced([trial for trial in contenders + late if trial.error is None])

    def _take_turns(self, contenders, keep_looks):
        executions = {trial: self.execution_of(trial) for trial in contenders}
        for turn in range(TURNS):
            if len(contenders) < 2:
                break
            for trial in contenders if turn % 2 == 0 else contenders[::-1]:
                count = _count(TURN_MS, trial.cost, least=1, most=2000)
                earlier = trial.samples if turn or keep_looks else []
                self._attempt(trial, lambda: self._add_samples(trial, executions[trial], count, earlier))
                if trial.error is not None:
                    self.progress.has_failed(trial)
            contenders = halve(still_racing([trial for trial in contenders if trial.error is None]))

    def _add_samples(self, trial, execution, count, earlier):
        trial.samples = earlier + self._sample(trial, execution, count)
        trial.timing = quantiles_of(trial.samples, QUANTILES)

    def _sample(self, trial, execution, count):
        around = (execution.prepare, execution.finish) if self.has_hooks else ()
        begin = timing.time.perf_counter()
        samples = self.clock.samples(execution.launch, count, *around)
        trial.cost = (timing.time.perf_counter() - begin) * 1e3 / count
        return samples

    def _attempt(self, trial, measure):
        """Measures. An exception fails only this trial, unless the device is lost."""
        try:
            measure()
        except Exception as problem:
            trial.fail(problem)
            self._check_device(trial)
        except BaseException:
            self.guard.restore()
            raise
        self.guard.restore()

    def _check_device(self, trial):
        """Raises DeviceLost if the failure has broken the CUDA context: then every later call fails, and so does waiting."""
        if self.wait is None:
            return
        try:
            self.wait()
        except Exception as lost:
            cause, trial.error = trial.error, Fault(f"it broke the device: {first_line(lost)}")
            raise DeviceLost(f"the configuration {short_text(trial.config)} of {self.tuner.base_fn.__name__} broke the device: "
                             f"{first_line(lost)}. This process cannot use the device any more; start it again.") from cause

    def _tell_hooks(self, trial):
        """Calls the hooks for a configuration that failed to compile, because they expect a call for each failure."""
        if not self.has_hooks:
            return
        execution = self.execution_of(trial)
        execution.prepare()
        execution.finish(trial.error)


def halve(trials):
    """The faster half of many contenders: each turn of a race takes time, and most of a large space would take all turns."""
    return trials if len(trials) <= MOST_CONTENDERS else sorted(trials, key=lambda trial: trial.median)[:max(MOST_CONTENDERS, len(trials) // 2)]


def facts_of(kernel, grid=None):
    """What compilation tells about a kernel, for guided.py. On the CPU there are no registers, and the code's size is a fact."""
    record, native = getattr(kernel, "record", None), getattr(kernel, "_native_kernel", None)
    if not isinstance(record, dict) or native is None:
        return {}
    binary = next(filter(None, map(native.artifact, ("cubin", "hsaco", "obj", "ptx"))), b"")
    facts = {"bytes": len(binary)}
    if grid is not None and binary:
        facts["code"] = f"{zlib.crc32(binary):08x} {len(binary)} {record.get('shared')} {record.get('num_warps')} {tuple(grid)}"
    if record.get("registers", -1) >= 0:
        facts.update(registers=record["registers"], spills=max(record["spill_bytes"], 0) // 4, shared=record["shared"])
    return facts


def _count(budget, each, least, most):
    return max(least, min(most, int(budget / max(each, 1e-6))))


def still_racing(trials):
    """The trials whose samples overlap with the fastest one's: their 20 % quantile is at most its 80 % quantile."""
    if not trials:
        return []
    leader = min(trials, key=lambda trial: trial.median)
    upper = quantiles_of(leader.samples, (0.8,))[0]
    return [trial for trial in trials if trial is leader or quantiles_of(trial.samples, (0.2,))[0] <= upper]


# ---- choosing -------------------------------------------------------------------------------------

def rank(timing):
    """A sort key of a timing: a tuple of quantiles, or of a single number."""
    return tuple(timing) if isinstance(timing, (list, tuple)) else (timing,)


def promise(timing):
    """What a plan (guided.py) is told of a short measurement: the 20 % quantile, because other work only makes samples longer. In the
    race, which has more samples, the median decides."""
    return timing[1] if isinstance(timing, (list, tuple)) and len(timing) == len(QUANTILES) else rank(timing)[0]


def choose(trials, with_ties):
    """The trial to use. `with_ties`: the timings are our own quantiles, so equally fast trials can be recognized."""
    best = min(trials, key=lambda trial: rank(trial.timing))
    if not with_ties:
        return best
    median, _, upper = best.timing
    limit = min(max(median, upper), median * TIE_RATIO)
    return next(trial for trial in trials if rank(trial.timing)[0] <= limit)


class NoneFits(AutotunerError, OutOfResources):
    """No configuration fits the device. Also an OutOfResources, with the numbers of the least demanding configuration."""

    def __init__(self, error_message, least):
        OutOfResources.__init__(self, least.required, least.limit, least.name)
        self.error_message = error_message

    def __reduce__(self):
        return NoneFits, (self.error_message, OutOfResources(self.required, self.limit, self.name))

    __str__ = AutotunerError.__str__


def all_failed(kernel, trials):
    """The exception for a search in which all configurations failed. If all failed in the same way, for example because an argument
    is missing, it is that error itself."""
    errors = [trial.error for trial in trials]
    if len({(type(error), str(error)) for error in errors}) == 1 and len(errors) > 1:
        return without_frames(errors[0])
    lines = [f"[{trial.index + 1}/{len(trials)}] {short_text(trial.config)}: {first_line(trial.error, 400)}" for trial in trials]
    text = f"none of the {len(trials)} configurations of {kernel} works:\n  " + "\n  ".join(lines)
    if all(isinstance(error, OutOfResources) for error in errors):
        problem = NoneFits(text, min(errors, key=lambda error: error.required))
    else:
        problem = AutotunerError(text)
    problem.failures = [(trial.config, trial.error) for trial in trials]
    problem.__cause__ = without_frames(errors[0])
    return problem
