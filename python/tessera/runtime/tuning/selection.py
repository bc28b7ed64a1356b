"""Chooses the configuration for a new tuning key: from the store, by a search, or the first that works.

    Searches.find(tuner, key, args, kwargs)       one search for a key, whichever threads ask for it at once
    Selection(tuner, key, args, kwargs).choose()  one search: what is stored, what has to be measured (search.py), the choice

Only one search measures at a time in a process: two would disturb each other's timings.
"""
from __future__ import annotations

import os
import threading
import time
import warnings

from ... import knobs
from ...errors import level_of_program, plain
from . import guard, search, tables, timing
from .journal import Journal, recover
from .progress import Progress, first_line, short_text
from .config import Space
from .guided import Plan
from .store import Fault, PassedOver, keep, recall, store_for
from ..specialize import TRIED_BY_AUTOTUNE, give_reason, restore_reason


_MOST_LINES = 8


class TuningWarning(UserWarning):
    """A configuration of autotune failed, and is left out."""


class _Process:
    """The state that all searches of a process share."""

    def __init__(self):
        self.start()

    def start(self):
        """Also in a forked child, where the lock may belong to a thread that is not there."""
        self.timing_lock = threading.RLock()
        self.thread = threading.local()  # .is_timing: whether this thread holds the lock; .nargs: {id of autotuner: arguments}


process = _Process()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=process.start)


class NamedArguments:
    """While it lasts, `tuner.nargs` has the positional arguments of a call by name, as functions of the user's read them."""
    __slots__ = ("tuner", "args")

    def __init__(self, tuner, args):
        self.tuner, self.args = tuner, args

    def __enter__(self):
        self.tuner.nargs = dict(zip(self.tuner.arg_names, self.args))

    def __exit__(self, *_):
        self.tuner.nargs = None


class _Running:
    """A search that other threads with the same key wait for."""

    def __init__(self):
        self.process, self.done = os.getpid(), threading.Event()


class Searches:
    """The searches of one autotuner. Its length is the number of those that are running."""

    def __init__(self):
        self._running = {}  # {tuning key: _Running}
        self.devices = {}  # {tuning key: the device that it was measured on}

    def __len__(self):
        return len(self._running)

    def find(self, tuner, key, args, kwargs):
        """The configuration for a key that is not in the cache. Threads that ask for the same key at once share one search."""
        mine = _Running()
        while True:
            other = self._running.setdefault(key, mine)
            if other is mine:
                break
            if other.process != os.getpid() or getattr(process.thread, "is_timing", False):
                # Do not wait: the other search runs in the parent of this forked process, or it waits for this thread.
                self._running[key] = mine
                break
            other.done.wait()
            if key in tuner.cache:
                return tuner.cache[key]
        try:
            if key not in tuner.cache:
                tuner.cache[key] = tuner._search(key, args, kwargs)
            return tuner.cache[key]
        finally:
            if self._running.get(key) is mine:
                del self._running[key]
            mine.done.set()


class Selection:
    """One choice among an autotuner's configurations, for one call."""

    def __init__(self, tuner, key, args, kwargs):
        self.tuner, self.key, self.args, self.kwargs = tuner, key, args, kwargs
        self.name = tuner.base_fn.__name__
        self.began = time.monotonic()
        self.trials, self.device, self.store = [], None, None
        self.is_measured = False

    def choose(self):
        """Chooses a configuration. Sets `is_measured` if timings decided, and `device` to where they were measured."""
        configs = self.tuner.prune_configs(self.kwargs)
        check_conflicts(self.tuner, configs, self.kwargs)
        if len(configs) == 1:
            return configs[0]
        self.trials = [search.Trial(index, config) for index, config in enumerate(configs)]
        self.device = timing.device_of([*self.args, *self.kwargs.values()])
        choice = self._way_to_choose()
        if choice != "first":
            packed = tables.packed(self.name, self.key, configs, self.device)
            if packed is not None:
                return packed
            self._recall()
        if choice == "stored" and all(trial.timing is None for trial in self.trials):
            packed = tables.packed(self.name, self.key, configs, self.device, nearest=True)
            if packed is not None:
                return packed
        if choice == "time":
            self.is_measured = True
            best = self._measure()
        else:
            known = [trial for trial in self.trials if trial.timing is not None]
            best = search.choose(known, self.tuner.measures_itself) if known else self._first_valid()
        if knobs.compilation.explain:
            self._mark_report(best)
        return best.config

    def _mark_report(self, best):
        """For TESSERA_EXPLAIN: marks the report of the chosen configuration, which is compiled for that if its timing was stored."""
        from ...compiler.explain import note_choice
        try:
            if best.kernel is None:
                best.kernel = search.compile_trial(self.tuner, best, self.args, self.kwargs)
            note_choice(knobs.compilation.explain, self.key, best, self.trials)
        except Exception as error:  # the launch will raise it, if it matters
            warnings.warn(f"TESSERA_EXPLAIN: the choice of autotune was not noted: {error}", stacklevel=level_of_program())

    def _way_to_choose(self):
        """TESSERA_AUTOTUNE_CHOICE: "time", "stored" ("frozen" is another word for it) or "first". A program that must not compile
        does not search, either."""
        choice = "stored" if knobs.autotuning.choice == "frozen" else knobs.autotuning.choice
        if choice not in ("time", "stored", "first"):
            raise ValueError(f"TESSERA_AUTOTUNE_CHOICE is time, stored, frozen or first, not {choice!r}")
        if choice == "time" and knobs.runtime.on_compile == "error":
            return "stored"
        if choice == "time" and timing.is_capturing():
            warnings.warn(f"{self.name} cannot be tuned while a CUDA graph is recorded; it runs as stored, or with "
                          "its first configuration that works. Launch it once before.", stacklevel=level_of_program())
            return "stored"
        return choice

    def _recall(self):
        """Reads stored results into the trials."""
        self.store = store_for(self.tuner, self.key, self.device)
        if self.store is not None:
            recover(self.store)
            recall(self.store, self.trials)
            self._reconsider()
            self._leave_faults_out()

    def _reconsider(self):
        """If an earlier search of a space was to measure fewer of it, what that one passed over is open again."""
        passed = [trial for trial in self.trials if isinstance(trial.error, PassedOver)]
        tried = sum(trial.is_stored for trial in self.trials) - len(passed)
        if passed and isinstance(self.tuner.configs, Space) and tried < self._plan().least:
            for trial in passed:
                trial.error, trial.is_stored = None, False

    def _leave_faults_out(self):
        """Warns of configurations that broke the device or ended a process before. If all did, the arguments were probably wrong,
        and all are tried again."""
        faults = [trial for trial in self.trials if isinstance(trial.error, Fault)]
        if len(faults) == len(self.trials):
            for trial in faults:
                trial.error, trial.is_stored = None, False
        elif faults:
            reasons = "; ".join(f"{short_text(trial.config)}: {first_line(trial.error)}" for trial in faults)
            warnings.warn(f"{self.name} is tuned without {len(faults)} of its {len(self.trials)} configurations, which "
                          f"ended an earlier search ({reasons}). To measure them again, remove {self.store.path}.",
                          stacklevel=level_of_program())

    def _first_valid(self):
        """The first trial that compiles and fits the device."""
        for trial in sorted(self.trials, key=lambda trial: trial.is_suspect):
            if isinstance(trial.error, Fault):
                continue
            try:
                trial.kernel = search.compile_trial(self.tuner, trial, self.args, self.kwargs)
                if hasattr(trial.kernel, "_init_handles"):
                    trial.kernel._init_handles()
                return trial
            except Exception as problem:
                trial.error = problem
        raise search.all_failed(self.name, self.trials)

    def _measure(self):
        """Measures the trials without a stored result, stores the new results, and chooses."""
        tuner, trials = self.tuner, self.trials
        if all(trial.error is not None for trial in trials):
            for trial in trials:  # all failures are stored: try again, so that a new exception is raised
                if not isinstance(trial.error, Fault):
                    trial.error, trial.is_stored = None, False
        unknown = [trial for trial in trials if not trial.is_stored]
        progress = Progress(self.name, self.key, len(trials), bool(knobs.autotuning.print) and bool(unknown))
        self._measure_with_progress(unknown, progress)
        working = [trial for trial in trials if trial.timing is not None]
        if not working:
            raise search.all_failed(self.name, trials)
        best = search.choose(working, tuner.measures_itself)
        tuner.bench_time = time.monotonic() - self.began
        tuner.configs_timings = {trial.config: [float("inf")] * 3 if trial.timing is None else trial.timing for trial in trials}
        progress.finish(best, tuner.bench_time)
        self._warn_of_failures()
        if unknown and tuner.has_trial_hooks:
            tuner.pre_hook({**tuner.nargs, **self.kwargs, **best.config.all_kwargs()}, reset_only=True)
        return best

    def _plan(self):
        """Which configurations of a space to measure, given what is stored; None for a list, of which all are."""
        if not isinstance(self.tuner.configs, Space):
            return None
        plan = Plan([trial.config.all_kwargs() for trial in self.trials], self.tuner.configs.usual_trials(len(self.trials)))
        for trial in self.trials:
            if trial.is_stored and isinstance(trial.error, PassedOver):
                plan.skip(trial.index, str(trial.error))
            elif trial.is_stored:
                plan.tell(trial.index, search.promise(trial.timing) if trial.timing is not None else None)
        return plan

    def _warn_of_failures(self):
        """One line for each configuration that failed. A failed tl.static_assert is how kernels exclude configurations, so it is
        not a failure; faults have a warning of their own."""
        from ...compiler.errors import CompileTimeAssertionFailure
        failed = [trial for trial in self.trials if trial.error is not None and
                  not isinstance(trial.error, (CompileTimeAssertionFailure, Fault, PassedOver)) and "static assert" not in str(trial.error).lower()]
        if not failed:
            return
        lines = [f"{short_text(trial.config)}: {first_line(trial.error)}" for trial in failed[:_MOST_LINES]]
        more = [f"and {len(failed) - _MOST_LINES} more; TRITON_PRINT_AUTOTUNING=1 lists all"] if len(failed) > _MOST_LINES else []
        gap = "\n  " if len(failed) > 1 else " "
        warnings.warn(f"autotune leaves {len(failed)} of {len(self.trials)} configurations of {self.name} out:"
                      f"{gap}{gap.join(lines + more)}", TuningWarning, stacklevel=level_of_program())

    def _measure_with_progress(self, unknown, progress):
        try:
            for trial in self.trials:
                if trial.is_stored:
                    progress.has_known(trial)
            if unknown:
                self._measure_unknown(unknown, progress)
        except search.DeviceLost:
            if self.store is not None:
                keep(self.store, unknown)
            raise
        except KeyboardInterrupt:
            progress.stop()
            raise
        finally:
            progress.clear()
        if unknown and self.store is not None:
            keep(self.store, unknown)

    def _measure_unknown(self, trials, progress):
        tuner = self.tuner
        with process.timing_lock:
            outer, process.thread.is_timing = getattr(process.thread, "is_timing", False), True
            guarded, journal = guard.ArgumentGuard({} if tuner.has_trial_hooks else {**tuner.nargs, **self.kwargs}), None
            records = _records_of(tuner)
            before, reason = {id(record): record.all_launches for record in records}, give_reason(TRIED_BY_AUTOTUNE)
            try:
                journal = Journal.open(self.store)
                clock = timing.clock_for(self.device) if tuner.measures_itself else None
                wait = timing.waiter_for(self.device)
                search.Search(tuner, self.args, self.kwargs, clock, guarded, progress, wait, journal).run(trials, self._plan())
            finally:
                restore_reason(reason)
                for record in records:
                    record.trials += record.all_launches - before.get(id(record), 0)
                if journal is not None:
                    journal.close()
                process.thread.is_timing = outer
        if guarded.missed:
            warnings.warn(f"Tuning {self.name} may have changed {', '.join(guarded.missed)}: there was not enough "
                          "memory for a copy. Tune it on smaller arguments, or say with reset_to_zero or hooks what is to "
                          "happen.", stacklevel=level_of_program())


def _records_of(tuner):
    """The variants of the tuned kernel, a list that grows; empty for a kernel of another class."""
    find = getattr(tuner.fn, "specializations", None)
    try:
        return find() if find is not None else []
    except AttributeError:
        return []


def check_conflicts(tuner, configs, kwargs):
    """Raises if a call gives a parameter or an option that the configurations set."""
    name = tuner.base_fn.__name__
    for config in configs:
        twice = [parameter for parameter in config.kwargs if parameter in kwargs]
        if twice:
            raise plain(ValueError(f"Conflicting meta-parameters: {', '.join(twice)}. autotune chooses {'it' if len(twice) == 1 else 'them'}: "
                                   f"leave {'it' if len(twice) == 1 else 'them'} out of the call of {name}"))
        options = [option for option in config.all_kwargs() if option in kwargs]
        if options:
            raise plain(TypeError(f"{name} got multiple values for {', '.join(options)}: from the call and "
                                  "from its configurations; leave it out of the call"))
