"""The search for the fastest configuration of a kernel, for one call's arguments.

    configurations --compile on all cores--> kernels --a short look at each--> contenders --turns--> one choice

1. Compile. Each configuration on a thread of its own; the compiler holds no lock of Python's.
2. Look. A few runs of each, as soon as it is compiled: on a GPU the host's work does not disturb the events that measure.
   On the CPU it does, so there everything is compiled first; likewise for a benchmark function of the user's.
3. Race. Those within 25 % of the best take turns, when nothing compiles any more, until they differ by more than the noise
   or have had their time. Taking turns keeps clocks that drift from favouring anyone. The others keep their first look.
4. Choose. The earliest in the list among those that are as fast as the fastest: within its noise, and within 1 %.

Requires: one search at a time in a process (autotuner.py sees to it), for two searches at once would measure each other.
Ensures: a configuration that fails, in whatever way, is left out with its reason, and the search goes on; the arguments are
as they were, whatever happens (guard.py, or as the user's reset_to_zero, restore_value and hooks do it). Only where the device is
lost with the configuration the search ends, with DeviceLost; and where the process is, journal.py tells the next one.
Cost: the slowest compilation of a core's share, about 10 ms a configuration, at most 100 ms a contender.
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

from . import timing
from ..._native import Launchable
from ...errors import without_frames
from ..errors import AutotunerError, OutOfResources
from ..jit import WITHOUT_HOOKS, KernelInterface, MockTensor
from .progress import first_line, short_text
from .store import Fault, config_text, lasting_results
from .timing import quantiles_of

LOOK_MS = 5.0  # what the first look at a configuration lasts, about
TURN_MS = 20.0  # what a contender's turn lasts, about
TURNS = 5
CONTENDER_RATIO = 1.25  # a configuration slower than the best by more is not looked at again
TIE_RATIO = 1.01  # at most this much slower counts as equally fast, if the noise says so too
QUANTILES = (0.5, 0.2, 0.8)  # what a timing is: median, and where the middle 60 % of the samples lie


class Trial:
    """One configuration in a search. `timing` is what is known of it: quantiles in ms, or what the user's benchmark said."""

    def __init__(self, index, config):
        self.index, self.config = index, config
        self.kernel = self.error = self.timing = None
        self.samples, self.is_stored = [], False
        self.is_suspect = False  # a process ended while it measured this one
        self.cost = 0.0  # of a sample, in ms: more than what it measures, for caches are cleared and hooks run
        self.registers = self.spills = None
        self.attempts = ""  # which compilations were tried because the kernel spills

    def fail(self, problem):
        self.error, self.samples, self.timing = problem, [], None

    def note_resources(self):
        """Registers and spills, where the target has such."""
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
    """Runs a trial's kernel on the call's arguments. The autotuner's own hooks only prepare a trial and are not measured; a
    configuration's hook runs at each launch and is."""

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
        """All of it, for benchmark functions that know nothing of the parts."""
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
    """Compiles trials on threads and hands them out as they are done: a trial then has `kernel` or `error`."""

    def __init__(self, tuner, trials, args, kwargs, spare_cores=0):
        self.tuner, self.args, self.kwargs = tuner, args, kwargs
        self.waiting, self.done, self.left = collections.deque(trials), queue.SimpleQueue(), len(trials)
        prepare = _same_torch_device()
        try:
            for index in range(max(1, min(len(trials), _cores() - spare_cores))):
                # Allocators and compile modes are context variables of the caller's.
                work = contextvars.copy_context().run
                threading.Thread(target=work, args=(self._work, prepare), name=f"tessera-autotune-{index}").start()
        except BaseException:  # an interrupt before there is a `with` that could end
            self.waiting.clear()
            raise

    def _work(self, prepare):
        try:
            prepare()
        except Exception:
            pass  # who needs the device will say what is wrong with it
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
        except BaseException as problem:  # SystemExit and the like from the user's code: this configuration's failure as well
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
        self.waiting.clear()  # after an interrupt, nobody wants the rest; what still compiles is not waited for


def compile_trial(tuner, trial, args, kwargs):
    fn = tuner.fn
    if not compiles_alone(fn):
        return None  # it compiles when it is launched
    kwargs = {name: value for name, value in kwargs.items() if name != "warmup"}
    args, kwargs = _as_the_hook_leaves_them(tuner, trial.config, args, kwargs)
    kwargs.update(trial.config.all_kwargs())
    if _is_ours(fn):  # pre-run hooks are for the launches that follow
        kernel = fn.run(*map(MockTensor.wrap_dtype, args), **kwargs, warmup=WITHOUT_HOOKS)
    else:
        kernel = fn.warmup(*args, **kwargs)
    return kernel.result() if hasattr(kernel, "result") else kernel  # AsyncCompileMode gives a future


def compiles_alone(fn):
    """Whether a kernel can be compiled and not launched. One of a program's own says so with a method `warmup`, or a `run` with a
    parameter of that name; else `run` may well launch, and change the arguments, whatever it is given."""
    if _is_ours(fn):
        return not hasattr(fn.fn, "run") or compiles_alone(fn.fn)  # heuristics ask what they are around
    if not _has_usual_warmup(fn):
        return hasattr(fn, "warmup")
    code = getattr(fn.run, "__code__", None)
    return code is not None and "warmup" in code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]


def _is_ours(fn):
    """A jit function, or heuristics around one, as they come with the package."""
    return isinstance(fn, KernelInterface) and _has_usual_warmup(fn) \
        and (getattr(fn.run, "__module__", None) or "").startswith("tessera.runtime.")


def _has_usual_warmup(fn):
    """Whether `warmup` is the package's own: a jit function's, which is C's, or another kernel's, which calls `run`."""
    return "warmup" not in getattr(fn, "__dict__", ()) and \
        getattr(type(fn), "warmup", None) in (KernelInterface.warmup, Launchable.warmup)


def _as_the_hook_leaves_them(tuner, config, args, kwargs):
    """A configuration's hook may set the blocks of tensor descriptors, which the kernel is compiled for. Copies of them take the
    change: other trials compile at the same time. Of other arguments the compiler sees nothing that a hook changes."""
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
    """What makes a thread's current device of torch the caller's: each thread has its own."""
    torch = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "cuda") or not torch.cuda.is_initialized():
        return lambda: None
    device = torch.cuda.current_device()
    return lambda: torch.cuda.set_device(device)


# ---- timing ---------------------------------------------------------------------------------------

class DeviceLost(AutotunerError):
    """A trial broke the device; its error is a Fault."""


class Search:
    """One search. `clock` is None if the user's own benchmark function measures; `wait` is what waits for the device, None for
    the CPU; `journal` may be None."""

    def __init__(self, tuner, args, kwargs, clock, guard, progress, wait=None, journal=None):
        self.tuner, self.args, self.kwargs = tuner, args, kwargs
        self.clock, self.guard, self.progress = clock, guard, progress
        self.wait, self.journal = wait, journal
        self.has_hooks = tuner.has_trial_hooks

    def run(self, trials):
        """Gives each trial a timing or an error."""
        if self.wait is not None:
            self.wait()  # what the caller launched before may have broken the device: that is no configuration's fault
        overlaps = self.clock is not None and not self.clock.is_host
        waiting = []
        # A core stays free for the thread that launches, so that the GPU's queue does not run dry.
        with Compilation(self.tuner, trials, self.args, self.kwargs, spare_cores=1 if overlaps else 0) as compilation:
            for trial in compilation:
                self.progress.has_compiled()
                if trial.error is not None or overlaps and not trial.is_suspect:
                    self._look(trial, trials)
                else:
                    waiting.append(trial)
        for trial in sorted(waiting, key=lambda trial: (trial.is_suspect, trial.index)):
            self._look(trial, trials)
        if self.clock is not None:
            self._race([trial for trial in trials if trial.error is None], keep_looks=not overlaps)

    def _look(self, trial, trials):
        if trial.error is not None:
            self._tell_hooks(trial)
            self.progress.has_failed(trial)
            return
        execution = Execution(self.tuner, trial, self.args, self.kwargs)
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
            self.wait()  # a function that does not wait would leave this one's fault to the next
        try:
            [float(part) for part in rank(found)]
        except (TypeError, ValueError):
            raise TypeError(f"do_bench returned {found!r}, which is neither a number nor a list of numbers") from None
        trial.timing = found

    def _measure_short(self, trial, execution, best):
        self._sample(trial, execution, 1)  # loads the kernel
        trial.samples = self._sample(trial, execution, 2)
        least = min(trial.samples)  # whatever disturbs a sample makes it longer
        if least <= LOOK_MS or least <= 2 * best:  # else it is slow beyond doubt: no more of it
            trial.samples += self._sample(trial, execution, _count(LOOK_MS, trial.cost, least=1, most=20))
        trial.timing = quantiles_of(trial.samples, QUANTILES)

    def _race(self, trials, keep_looks):
        if not trials:
            return
        fastest = min(min(trial.samples) for trial in trials)
        contenders = [trial for trial in trials if min(trial.samples) <= fastest * CONTENDER_RATIO]
        self._take_turns(contenders, keep_looks)
        # What was slow at the first look and would win by it now was disturbed, or the others are: it races as well.
        leader = min((trial for trial in contenders if trial.error is None), key=lambda trial: trial.median, default=None)
        late = [trial for trial in trials if trial not in contenders and (leader is None or trial.median <= leader.median)]
        if late:
            self._take_turns(late + ([leader] if leader else []), keep_looks=False)
        self.progress.has_raced([trial for trial in contenders + late if trial.error is None])

    def _take_turns(self, contenders, keep_looks):
        executions = {trial: Execution(self.tuner, trial, self.args, self.kwargs) for trial in contenders}
        for turn in range(TURNS):
            if len(contenders) < 2:
                break
            for trial in contenders if turn % 2 == 0 else contenders[::-1]:
                count = _count(TURN_MS, trial.cost, least=1, most=2000)
                earlier = trial.samples if turn or keep_looks else []
                self._attempt(trial, lambda: self._add_samples(trial, executions[trial], count, earlier))
                if trial.error is not None:
                    self.progress.has_failed(trial)
            contenders = still_racing([trial for trial in contenders if trial.error is None])

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
        """Measures; an exception is the trial's failure and no more, unless the device is lost with it."""
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
        """What breaks a CUDA context makes all that follows fail: who waits for it hears of it again."""
        if self.wait is None:
            return
        try:
            self.wait()
        except Exception as lost:
            cause, trial.error = trial.error, Fault(f"it broke the device: {first_line(lost)}")
            raise DeviceLost(f"the configuration {short_text(trial.config)} of {self.tuner.base_fn.__name__} broke the device: "
                             f"{first_line(lost)}. This process cannot use the device any more; start it again.") from cause

    def _tell_hooks(self, trial):
        """Hooks that count on hearing of each failure hear of one that came before any launch."""
        if not self.has_hooks:
            return
        execution = Execution(self.tuner, trial, self.args, self.kwargs)
        execution.prepare()
        execution.finish(trial.error)


def _count(budget, each, least, most):
    return max(least, min(most, int(budget / max(each, 1e-6))))


def still_racing(trials):
    """Those whose samples overlap with the leader's: the lower end of theirs lies below the upper end of its."""
    if not trials:
        return []
    leader = min(trials, key=lambda trial: trial.median)
    upper = quantiles_of(leader.samples, (0.8,))[0]
    return [trial for trial in trials if trial is leader or quantiles_of(trial.samples, (0.2,))[0] <= upper]


# ---- choosing -------------------------------------------------------------------------------------

def rank(timing):
    """Timings in an order: quantiles one after the other, or single numbers."""
    return tuple(timing) if isinstance(timing, (list, tuple)) else (timing,)


def choose(trials, with_ties):
    """The trial to use; `with_ties`: its timing comes from here, so its quantiles say how sure it is."""
    best = min(trials, key=lambda trial: rank(trial.timing))
    if not with_ties:
        return best
    median, _, upper = best.timing
    limit = min(max(median, upper), median * TIE_RATIO)
    return next(trial for trial in trials if rank(trial.timing)[0] <= limit)


class NoneFits(AutotunerError, OutOfResources):
    """No configuration fits the device. Code that falls back on OutOfResources finds it here, of the least demanding one."""

    def __init__(self, error_message, least):
        OutOfResources.__init__(self, least.required, least.limit, least.name)
        self.error_message = error_message

    def __reduce__(self):
        return NoneFits, (self.error_message, OutOfResources(self.required, self.limit, self.name))

    __str__ = AutotunerError.__str__


def all_failed(kernel, trials):
    """The exception for a search without survivors. What has nothing to do with configurations, as a missing argument, fails
    the same way in each and is told as it is."""
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
