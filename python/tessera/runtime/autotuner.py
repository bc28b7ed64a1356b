"""Kernels that choose some of their compile-time parameters themselves: by measuring (autotune) or by rule (heuristics).

    @tessera.autotune(configs=[Config({"BLOCK": 128}, num_warps=4), Config({"BLOCK": 1024}, num_warps=8)], key=["n"])
    @tessera.jit
    def kernel(x, n, BLOCK: tl.constexpr): ...

The first launch for a new value of `n`, or new element types, finds the fastest configuration; later ones use it, at a cost of
a few microseconds. How one is found is the matter of the folder tuning/.

    TESSERA_AUTOTUNE_CHOICE   time     measure what is not known yet (the default)
                              stored   measure nothing: the best of what is stored or loaded, else the first that works
                              first    measure and read nothing: the first configuration that works, the same on each machine
    TRITON_CACHE_AUTOTUNING   0: keep no timings on disk; 1: keep also those of a do_bench of the user's
    TRITON_PRINT_AUTOTUNING   1: a line for each configuration on standard error

Tables of choices can be shipped: kernel.save_tuned(path) and kernel.load_tuned(path).
"""
from __future__ import annotations

import inspect
import os
import sys
import threading
import time
import warnings
from functools import partial

from .. import _native, knobs
from .._lazily import lazily
from ..errors import level_of_program, plain, without_frames
from . import monkey_patching
from .errors import AutotunerError, OutOfResources, PTXASError  # noqa: F401  (clients import the last two from here)
from .jit import JITFunction, KernelInterface
from .tuning import guard, search, timing
from .tuning.config import Config
from .tuning.journal import Journal, recover
from .tuning.progress import Progress, first_line, short_text
from .tuning.store import (Fault, TuningStore, choice_entry, code_digest, device_name, is_lasting, is_plain_choice, keep,
                           read_choices, recall, tools_text, write_choices)

_MOST_PLANS = 1000
_NOT_GIVEN = object()
_timing_lock = threading.RLock()  # of the process: searches of two kernels would measure each other
_this_thread = threading.local()  # .is_timing: whether this thread holds the lock; .nargs: {id of autotuner: arguments}


def _forget_other_threads():
    """In a forked child the lock may belong to a thread that is not there."""
    global _timing_lock, _this_thread
    _timing_lock, _this_thread = threading.RLock(), threading.local()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_other_threads)


class _Running:
    """A search that other threads with the same key wait for."""

    def __init__(self):
        self.process, self.done = os.getpid(), threading.Event()


@monkey_patching.has_quick_launches
class Autotuner(KernelInterface):
    """A kernel with a list of configurations. Use the decorator `autotune`, which explains the arguments.

    cache             {tuning key: Config}; may be cleared, or filled by hand
    best_config       what the last launch used
    configs_timings   {Config: timing} of the last search, infinite for what failed
    bench_time        how long that took, in seconds
    nargs             during a run: {name: positional argument}"""

    def __init__(self, fn, arg_names, configs, key, reset_to_zero, restore_value, pre_hook=None, post_hook=None,
                 prune_configs_by=None, warmup=None, rep=None, use_cuda_graph=False, do_bench=None, cache_results=False):
        self.configs = configs if configs else [Config({}, num_warps=4, num_stages=3, num_ctas=1)]
        self.keys = key
        self.cache = {}
        self.arg_names = arg_names
        self.cache_results = bool(cache_results or knobs.autotuning.cache) and not knobs.runtime.interpret
        self.fn = fn
        self.base_fn = fn
        while not inspect.isfunction(self.base_fn):
            self.base_fn = self.base_fn.fn
        self.__doc__ = self.base_fn.__doc__
        self._searches = {}  # {tuning key: _Running}
        self._has_checked_keys = False
        self._dtype_names, self._key_plans = {}, {}  # see _tuning_key
        self._tuned_on = {}  # {tuning key: device}
        self._allowed = {}  # see _allowed_instead
        self._set_hooks(reset_to_zero, restore_value, pre_hook, post_hook)
        prune = prune_configs_by or {}
        self.perf_model = prune.get("perf_model")
        self.configs_top_k = prune.get("top_k", 1.0)
        self.early_config_prune = prune.get("early_config_prune")
        self.num_warmups, self.num_reps, self.use_cuda_graph = warmup, rep, use_cuda_graph
        self._do_bench = do_bench
        if warmup is not None or rep is not None or use_cuda_graph:
            self._do_bench = _benchmark_of_old_arguments(warmup, rep, use_cuda_graph)

    # ---- what happens around trials ----

    def _set_hooks(self, reset_to_zero, restore_value, pre_hook, post_hook):
        self.reset_to_zero = list(reset_to_zero or ())
        self.restore_value = list(restore_value or ())
        self.user_defined_pre_hook, self.user_defined_post_hook = bool(pre_hook), bool(post_hook)
        self.restore_copies = {}
        resets, restores = bool(self.reset_to_zero), bool(self.restore_value)
        self.pre_hook = pre_hook or (self._reset_and_copy if resets or restores else _no_pre_hook)
        self.post_hook = post_hook or (self._copy_back if restores else _no_post_hook)

    @property
    def has_trial_hooks(self):
        """Whether the user said what is to happen around trials."""
        return self.pre_hook is not _no_pre_hook or self.post_hook is not _no_post_hook

    def _reset_and_copy(self, kwargs, reset_only=False):
        for name in self.reset_to_zero:
            if kwargs[name] is not None:  # an argument that this call does without
                guard.zero(kwargs[name])
        if not reset_only:
            there = [name for name in self.restore_value if kwargs[name] is not None]
            self.restore_copies = {name: guard.copy_of(kwargs[name]) for name in there}

    def _copy_back(self, kwargs, exception):
        for name, copy in self.restore_copies.items():
            guard.put_back(kwargs[name], copy)
        self.restore_copies = {}

    @property
    def do_bench(self):
        """do_bench(call, quantiles=...) -> timing. Where it is the device's usual one, a search measures by itself."""
        if self._do_bench is not None:
            return self._do_bench
        from .driver import driver
        return driver.active.get_benchmarker()

    @do_bench.setter
    def do_bench(self, benchmark):
        self._do_bench = benchmark

    @property
    def nargs(self):
        return getattr(_this_thread, "nargs", {}).get(id(self))

    @nargs.setter
    def nargs(self, arguments):
        held = _this_thread.__dict__.setdefault("nargs", {})
        if arguments is None:
            held.pop(id(self), None)
        else:
            held[id(self)] = arguments

    def launch(self, args, kwargs):
        """A launch with all parameters given, for trials."""
        return _launch(self.fn, args, dict(kwargs))

    # ---- launching ----

    def __getitem__(self, grid):
        run = self.run
        if getattr(run, "__func__", None) is not _OWN_RUN:  # a subclass, or a program, has its own way
            return partial(run, grid=grid, warmup=False)
        return partial(self._launch_tuned, grid)

    def __call__(self, *args, **kwargs):
        raise _not_called(self.base_fn)

    def run(self, *args, **kwargs):
        if kwargs.get("warmup"):
            return self.warmup(*args, **{name: value for name, value in kwargs.items() if name != "warmup"})
        config = self._config_for(args, kwargs)
        return self._launch_with(config, args, kwargs)

    def _launch_tuned(self, grid, /, *args, **kwargs):
        """What happens at every launch of a kernel that is tuned, and little else: this is measured in microseconds."""
        key = self._tuning_key(args, kwargs) if len(self.configs) > 1 else None
        config = self.configs[0] if key is None else self.cache.get(key)
        if config is None or config.pre_hook is not None or type(self.fn) is not JITFunction:
            return self.run(*args, grid=grid, warmup=False, **kwargs)
        if key is not None and self.early_config_prune is not None:
            config = self._allowed_instead(config, key, args, kwargs, grid=grid, warmup=False)
        self.best_config = config
        return _bind(self.fn, grid)(*args, **kwargs, **config.all_kwargs())

    def _config_for(self, args, kwargs):
        if len(self.configs) == 1:
            return self.configs[0]
        key = self._tuning_key(args, kwargs)
        config = self.cache.get(key)
        if config is not None:
            return config if self.early_config_prune is None else self._allowed_instead(config, key, args, kwargs)
        try:
            return self._with_arguments(self._find_config, key, args, kwargs)
        except Exception as error:
            raise without_frames(error)

    def _with_arguments(self, find, key, args, kwargs):
        """find(key, args, kwargs), while `nargs` has the arguments, as functions of the user's read them."""
        self.nargs = dict(zip(self.arg_names, args))
        try:
            return find(key, args, kwargs)
        finally:
            self.nargs = None

    def _allowed_instead(self, config, key, args, kwargs, **launch):
        """The configuration, which was chosen for the key, or another one if early_config_prune leaves it out for this call: it
        may look at more than the key, as at a constexpr that makes some of the configurations wrong. Asked once for each set of
        constants."""
        given = len(args)
        constants = [args[i] if i < given else kwargs.get(name, _NOT_GIVEN) for i, name in self._constants]
        try:
            situation = (key, *constants)
            asked, found = self._allowed.get(situation, (None, None))
        except TypeError:  # a constant that cannot be hashed
            return config
        if asked is not config:
            try:
                found = self._with_arguments(partial(self._ask_again, config), key, args, {**kwargs, **launch})
            except Exception as error:
                raise without_frames(error)
            if len(self._allowed) >= _MOST_PLANS:
                self._allowed.clear()
            self._allowed[situation] = config, found
        return found

    @lazily
    def _constants(self):
        """[(number, name)] of constexpr parameters."""
        function = self.fn
        while not hasattr(function, "constexprs") and hasattr(function, "fn"):
            function = function.fn
        return [(number, self.arg_names[number]) for number in getattr(function, "constexprs", ())]

    def _ask_again(self, config, key, args, kwargs):
        allowed = self.early_config_prune(self.configs, self.nargs, **kwargs)
        if not allowed or config in allowed or config not in self.configs:  # else it was put into the cache by hand
            return config
        return self._search(key, args, kwargs)

    def _launch_with(self, config, args, kwargs):
        self.best_config = config
        options = config.all_kwargs()
        self.nargs = nargs = dict(zip(self.arg_names, args))
        try:
            if config.pre_hook is not None:
                config.pre_hook({**nargs, **kwargs, **options})
            return _launch(self.fn, args, dict(**kwargs, **options))
        finally:
            self.nargs = None

    def _tuning_key(self, args, kwargs):
        """The values of the key's arguments, then the element types of all that have one."""
        values = (*args, *kwargs.values()) if kwargs else args
        plan = self._key_plans.get((*kwargs, *map(type, values)))
        if plan is None or plan[0] != self.keys:
            plan = self._plan_key(args, kwargs, values)
        _, key, typed = plan
        names = self._dtype_names
        try:
            return tuple([*[values[i] for i in key], *[names[values[i].dtype] for i in typed]])
        except KeyError:
            for i in typed:
                names.setdefault(values[i].dtype, str(values[i].dtype))
            return self._tuning_key(args, kwargs)

    def _plan_key(self, args, kwargs, values):
        """(keys, which values are part of a tuning key, which have an element type), for all calls with arguments of these types
        and keywords of these names."""
        places = {name: index for index, name in enumerate((*self.arg_names[:len(args)], *kwargs)) if name in self.arg_names}
        typed = [index for index in places.values() if hasattr(values[index], "dtype")]
        plan = self.keys[:], [places[name] for name in self.keys if name in places], typed
        if all(hasattr(type(values[index]), "dtype") == (index in typed) for index in places.values()):
            if len(self._key_plans) >= _MOST_PLANS:  # of classes that are made anew for each call, perhaps
                self._key_plans.clear()
            self._key_plans[(*kwargs, *map(type, values))] = plan  # else it is a matter of the object, not of its type
        return plan

    def warmup(self, *args, **kwargs):
        """Compiles all configurations, in parallel, and returns the kernels in order, without those that do not compile."""
        self.nargs = dict(zip(self.arg_names, args))
        try:
            configs = self.prune_configs(kwargs)
            known = self._known_kernels(configs, args, kwargs)
            if known is not None:
                return known
            trials = [search.Trial(index, config) for index, config in enumerate(configs)]
            with search.Compilation(self, trials, args, kwargs) as compilation:
                for _ in compilation:
                    pass
        finally:
            self.nargs = None
        if all(trial.error is not None for trial in trials):
            raise search.all_failed(self.base_fn.__name__, trials)
        return [trial.kernel for trial in trials if trial.error is None]

    def _known_kernels(self, configs, args, kwargs):
        """The kernels of the configurations, if an earlier warm-up has compiled them all; else None."""
        if type(self.fn) is not JITFunction or not search.compiles_alone(self.fn):
            return None
        given, found = {name: value for name, value in kwargs.items() if name != "grid"}, []
        for config in configs:
            if config.pre_hook is not None:  # which may change the arguments
                return None
            kernel = self.fn._warm_up(args, {**given, **config.all_kwargs()}, False)
            if kernel is None:
                return None
            found.append(kernel)
        return found

    def precompile(self, *args, **kwargs):
        """JITFunction.precompile with each configuration: a list of what it returns, without configurations that fail."""
        trials, found = [search.Trial(index, config) for index, config in enumerate(self.configs)], []
        for trial in trials:
            try:
                found.append(self.fn.precompile(*args, **{**kwargs, **trial.config.all_kwargs()}))
            except Exception as problem:
                trial.error = problem
        if not found:
            raise search.all_failed(self.base_fn.__name__, trials)
        return found

    # ---- finding a configuration ----

    def prune_configs(self, kwargs):
        """What prune_configs_by leaves of the configurations, for the arguments in `nargs` and `kwargs`."""
        configs = self.configs
        if self.early_config_prune:
            configs = self.early_config_prune(self.configs, self.nargs, **kwargs)
            if not configs:
                raise AutotunerError(f"early_config_prune of {self.base_fn.__name__} must return at least one configuration")
        if not self.perf_model:
            return list(configs)
        top_k = self.configs_top_k
        if isinstance(top_k, float) and top_k <= 1.0:
            top_k = max(1, int(len(self.configs) * top_k))
        elif not isinstance(top_k, int):
            raise TypeError(f"top_k of {self.base_fn.__name__} must be an int, or a float of at most 1.0, not {top_k!r}")
        if len(configs) <= top_k:
            return list(configs)
        estimates = {config: self.perf_model(**self.nargs, **kwargs, **config.all_kwargs()) for config in configs}
        return sorted(estimates, key=estimates.get)[:top_k]

    def _find_config(self, key, args, kwargs):
        """The configuration for a key that is not in the cache. Threads that ask for the same key at once share one search."""
        mine = _Running()
        while True:
            other = self._searches.setdefault(key, mine)
            if other is mine:
                break
            if other.process != os.getpid() or getattr(_this_thread, "is_timing", False):
                # Nobody to wait for: it ran in the process that this one was forked from, or it waits for this thread.
                self._searches[key] = mine
                break
            other.done.wait()
            if key in self.cache:
                return self.cache[key]
        try:
            if key not in self.cache:
                self.cache[key] = self._search(key, args, kwargs)
            return self.cache[key]
        finally:
            if self._searches.get(key) is mine:
                del self._searches[key]
            mine.done.set()

    def _check_conflicts(self, configs, kwargs):
        for config in configs:
            twice = [name for name in config.kwargs if name in kwargs]
            if twice:
                raise plain(ValueError(f"Conflicting meta-parameters: {', '.join(twice)}. They are tuned, so "
                                       f"{self.base_fn.__name__} cannot be called with them."))
            options = [name for name in config.all_kwargs() if name in kwargs]
            if options:
                raise plain(TypeError(f"{self.base_fn.__name__} got multiple values for {', '.join(options)}: from the call and "
                                      "from its configurations"))

    def _warn_of_strange_keys(self):
        """A key that is misspelt never leads to another search, and nothing else tells."""
        strange = [name for name in self.keys if name not in self.arg_names] if not self._has_checked_keys else ()
        self._has_checked_keys = True
        for name in strange:
            from difflib import get_close_matches
            near = [known for known in self.arg_names if known.lower() == str(name).lower()]
            near = near or get_close_matches(str(name), self.arg_names, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            warnings.warn(f"the key {name!r} of {self.base_fn.__name__}'s autotune is no parameter, so it has no effect{hint}",
                          stacklevel=level_of_program())

    def _search(self, key, args, kwargs):
        self._warn_of_strange_keys()
        configs = self.prune_configs(kwargs)
        self._check_conflicts(configs, kwargs)
        if len(configs) == 1:
            return configs[0]
        begin, choice = time.monotonic(), _choice()
        trials = [search.Trial(index, config) for index, config in enumerate(configs)]
        device = timing.device_of([*args, *kwargs.values()])
        if choice == "time" and timing.is_capturing():
            warnings.warn(f"{self.base_fn.__name__} cannot be tuned while a CUDA graph is recorded; it runs as stored, or with "
                          "its first configuration that works. Launch it once before.", stacklevel=level_of_program())
            choice = "stored"
        store = self._store(key, device) if choice != "first" else None
        if store is not None:
            recover(store)
            recall(store, trials)
            self._leave_faults_out(trials, store)
        if choice != "time":
            known = [trial for trial in trials if trial.timing is not None]
            best = search.choose(known, self._measures_itself()) if known else self._first_valid(trials, args, kwargs)
            return best.config
        best = self._measure(key, trials, args, kwargs, device, store, begin)
        self._tuned_on[key] = device
        return best.config

    def _leave_faults_out(self, trials, store):
        """Tells of configurations that broke the device or the process before. If all did, it was hardly their fault: arguments
        were wrong, and may be right now."""
        faults = [trial for trial in trials if isinstance(trial.error, Fault)]
        if len(faults) == len(trials):
            for trial in faults:
                trial.error, trial.is_stored = None, False
        elif faults:
            reasons = "; ".join(f"{short_text(trial.config)}: {first_line(trial.error)}" for trial in faults)
            warnings.warn(f"{self.base_fn.__name__} is tuned without {len(faults)} of its {len(trials)} configurations, which "
                          f"ended an earlier search ({reasons}). To measure them again, remove {store.path}.",
                          stacklevel=level_of_program())

    def _measure(self, key, trials, args, kwargs, device, store, begin):
        """Measures what is not known, and chooses."""
        if all(trial.error is not None for trial in trials):
            for trial in trials:  # stored failures only: the exception to raise must be a new one
                if not isinstance(trial.error, Fault):
                    trial.error, trial.is_stored = None, False
        unknown = [trial for trial in trials if not trial.is_stored]
        in_full = bool(knobs.autotuning.print) and bool(unknown)
        progress = Progress(self.base_fn.__name__, key, len(trials), in_full)
        try:
            for trial in trials:
                if trial.is_stored:
                    progress.has_known(trial)
            if unknown:
                self._measure_unknown(unknown, args, kwargs, device, progress, store)
        except search.DeviceLost:
            if store is not None:
                keep(store, unknown)
            raise
        except KeyboardInterrupt:
            progress.stop()
            raise
        finally:
            progress.clear()
        if unknown and store is not None:
            keep(store, unknown)
        working = [trial for trial in trials if trial.timing is not None]
        if not working:
            raise search.all_failed(self.base_fn.__name__, trials)
        best = search.choose(working, self._measures_itself())
        self.bench_time = time.monotonic() - begin
        self.configs_timings = {trial.config: [float("inf")] * 3 if trial.timing is None else trial.timing for trial in trials}
        progress.finish(best, self.bench_time)
        if unknown and self.has_trial_hooks:
            self.pre_hook({**self.nargs, **kwargs, **best.config.all_kwargs()}, reset_only=True)
        return best

    def _measure_unknown(self, trials, args, kwargs, device, progress, store):
        with _timing_lock:
            outer, _this_thread.is_timing = getattr(_this_thread, "is_timing", False), True
            guarded, journal = guard.ArgumentGuard({} if self.has_trial_hooks else {**self.nargs, **kwargs}), None
            try:
                journal = Journal.open(store)
                clock = timing.clock_for(device) if self._measures_itself() else None
                wait = timing.waiter_for(device)
                search.Search(self, args, kwargs, clock, guarded, progress, wait, journal).run(trials)
            finally:
                if journal is not None:
                    journal.close()
                _this_thread.is_timing = outer
        if guarded.missed:
            warnings.warn(f"Tuning {self.base_fn.__name__} may have changed {', '.join(guarded.missed)}: there was not enough "
                          "memory for a copy. Tune it on smaller arguments, or say with reset_to_zero or hooks what is to "
                          "happen.", stacklevel=level_of_program())

    def _first_valid(self, trials, args, kwargs):
        """The first that compiles and that the device can hold."""
        for trial in sorted(trials, key=lambda trial: trial.is_suspect):
            if isinstance(trial.error, Fault):
                continue
            try:
                trial.kernel = search.compile_trial(self, trial, args, kwargs)
                if hasattr(trial.kernel, "_init_handles"):
                    trial.kernel._init_handles()
                return trial
            except Exception as problem:
                trial.error = problem
        raise search.all_failed(self.base_fn.__name__, trials)

    def _measures_itself(self):
        """Whether no benchmark function of the user's, or of another driver's, is to be called."""
        from ..testing import do_bench
        return self.do_bench is do_bench and not self.has_own_bench

    @property
    def has_own_bench(self):
        """Whether a subclass, or a program, has put another `_bench` in the place of this class's."""
        return getattr(self._bench, "__func__", None) is not _OWN_BENCH

    # ---- what lasts longer than the process ----

    def _store(self, key, device):
        """Where the timings for a key are kept; None if they are not to be kept, or cannot be found again."""
        wanted = self.cache_results or (knobs.autotuning.cache is None and self._measures_itself())
        if not wanted or knobs.runtime.interpret or not is_lasting(repr(key)):
            return None
        function, rules = self.fn, []
        while not hasattr(function, "cache_key"):
            rules += [code_digest(rule) for rule in getattr(function, "values", {}).values()]
            function = getattr(function, "fn", None)
            if function is None:
                return None
        code = [function.cache_key, *rules]
        return TuningStore(knobs.cache.dir, self.base_fn.__name__, code, key, device_name(device), tools_text(device))

    def check_disk_cache(self, tuning_key, configs, bench_fn):
        """For subclasses with a `run` of their own: calls bench_fn, which fills `cache` and `configs_timings`, unless all
        configurations' timings are stored. Returns whether they were."""
        store = self._store(tuning_key, timing.device_of((self.nargs or {}).values()))
        trials = [search.Trial(index, config) for index, config in enumerate(configs)]
        if store is not None:
            recall(store, trials)
            if all(trial.timing is not None for trial in trials):
                self.cache[tuning_key] = search.choose(trials, self._measures_itself()).config
                self.configs_timings = {trial.config: trial.timing for trial in trials}
                return True
        bench_fn()
        if store is not None:
            for trial in trials:
                trial.timing = self.configs_timings.get(trial.config)
            keep(store, trials)
        return False

    def _bench(self, *args, config, **meta):
        """For subclasses likewise: the timing of one configuration, infinite if it fails."""
        self._check_conflicts([config], meta)
        try:
            execution = search.Execution(self, search.Trial(0, config), args, meta)
            return self.do_bench(execution, quantiles=search.QUANTILES)
        except Exception as problem:
            if knobs.autotuning.print:
                print(f"Autotuning failed with {problem}", file=sys.stderr)
            return [float("inf")] * 3

    def tuned(self):
        """What is chosen by now: a list of {"key", "device", "kwargs", "num_warps", ...} that JSON can hold. Choices whose key
        or parameters hold more than numbers, strings and None are left out."""
        names = {key: device_name(device) for key, device in self._tuned_on.items()}
        chosen = [(key, config) for key, config in list(self.cache.items()) if is_plain_choice(key, config)]
        return [choice_entry(key, names.get(key), config) for key, config in chosen]

    def save_tuned(self, path):
        """Writes tuned() to a file that load_tuned reads, here or on another machine with the same device."""
        write_choices(path, self.base_fn.__name__, self.tuned())

    def load_tuned(self, path, any_device=False):
        """Takes the choices of a file over, those for other devices only if `any_device`. Returns how many; nothing is measured
        for their keys any more."""
        known = {tuple(config.all_kwargs().items()): config for config in self.configs}
        devices = {None, device_name("cpu"), device_name(_native.current_device())}
        choices = [entry for entry in read_choices(path, self.base_fn.__name__) if any_device or entry["device"] in devices]
        for entry in choices:
            config = Config(**{name: value for name, value in entry.items() if name not in ("key", "device")})
            self.cache[tuple(entry["key"])] = known.get(tuple(config.all_kwargs().items()), config)  # with its hook
        return len(choices)


_OWN_RUN, _OWN_BENCH = Autotuner.run, Autotuner._bench
_bind = _native.Launchable.__getitem__  # kernel[grid], whatever a program has put in its place: that is not asked twice


def _launch(fn, args, kwargs):
    """A launch of what is decorated; a jit function's goes straight to C. Takes `kwargs` over."""
    if type(fn) is JITFunction and "grid" in kwargs:
        kwargs.pop("warmup", None)
        return _bind(fn, kwargs.pop("grid"))(*args, **kwargs)
    return fn.run(*args, **kwargs)


def _not_called(fn):
    name = getattr(fn, "__name__", "a kernel")
    return RuntimeError(f"'{name}' is a kernel: launch it with {name}[grid](...)")


def _no_pre_hook(kwargs, reset_only=False):
    return None


def _no_post_hook(kwargs, exception):
    return None


def _choice():
    choice = knobs.autotuning.choice
    if choice not in ("time", "stored", "first"):
        raise ValueError(f"TESSERA_AUTOTUNE_CHOICE is time, stored or first, not {choice!r}")
    return choice


def _benchmark_of_old_arguments(warmup, rep, use_cuda_graph):
    warnings.warn("warmup, rep and use_cuda_graph of autotune are deprecated: give it a do_bench function", DeprecationWarning,
                  stacklevel=level_of_program())  # the line with the decorator
    from .. import testing
    rep = 100 if rep is None else rep
    if use_cuda_graph:
        return partial(testing.do_bench_cudagraph, rep=rep)
    return partial(testing.do_bench, warmup=25 if warmup is None else warmup, rep=rep)


def autotune(configs, key, prune_configs_by=None, reset_to_zero=None, restore_value=None, pre_hook=None, post_hook=None,
             warmup=None, rep=None, use_cuda_graph=False, do_bench=None, cache_results=False):
    """Decorator, above `jit` and `heuristics`: the kernel's meta-parameters come from the fastest of the configurations.

    configs           list of Config. A single one is used without being measured.
    key               names of arguments; a change of their values, or of any argument's element type, means another search
    prune_configs_by  dict of: "early_config_prune", f(configs, named_args, **kwargs) -> the configurations to consider;
                      "perf_model", f(**all arguments) -> estimated time; "top_k", how many of the best estimates to measure, an
                      int, or a float as a fraction of all
    reset_to_zero     names of arguments that are set to zero before each run of a trial, and before the launch that follows
    restore_value     names of arguments that get their value back after each run of a trial
    pre_hook          f(arguments, reset_only=False) before each run of a trial, in place of what the two above do
    post_hook         f(arguments, exception) after each, likewise
    do_bench          f(call, quantiles=...) -> time or quantiles of it, in place of the built-in measurement
    cache_results     keep timings on disk also if do_bench measured them
    warmup, rep, use_cuda_graph   deprecated

    Without reset_to_zero, restore_value and hooks, what the kernel writes to is copied and put back after each trial."""
    for config in configs if isinstance(configs, (list, tuple)) else ():
        if not hasattr(config, "all_kwargs"):
            raise TypeError(f"autotune takes a list of tessera.Config, and one of these is {config!r}")

    def decorator(fn):
        _check_decorated("autotune", fn)
        return Autotuner(fn, fn.arg_names, configs, key, reset_to_zero, restore_value, pre_hook=pre_hook, post_hook=post_hook,
                         prune_configs_by=prune_configs_by, warmup=warmup, rep=rep, use_cuda_graph=use_cuda_graph,
                         do_bench=do_bench, cache_results=cache_results)
    return decorator


class Heuristics(KernelInterface):
    """A kernel some of whose parameters are computed from its other arguments, at each launch. Use `heuristics`."""

    def __init__(self, fn, arg_names, values):
        self.fn = fn
        self.values = values
        self.arg_names = arg_names
        self._is_above_jit = type(fn) is JITFunction  # told here: torch.compile follows `run`, where a kernel has no type

    def __call__(self, *args, **kwargs):
        raise _not_called(self.fn)

    def run(self, *args, **kwargs):
        named = {**dict(zip(self.arg_names, args)), **kwargs}
        for name, rule in self.values.items():
            named[name] = kwargs[name] = rule(dict(named))
        if not self._is_above_jit or kwargs.get("warmup") or "grid" not in kwargs or monkey_patching.brackets_are_replaced:
            return self.fn.run(*args, **kwargs)
        kwargs.pop("warmup", None)
        return self.fn[kwargs.pop("grid")](*args, **kwargs)

    def precompile(self, *args, **kwargs):
        """JITFunction.precompile, with what the rules make of the arguments; a parameter that is given is taken as it is, for
        rules need values, and precompile takes types as well."""
        for name, rule in self.values.items():
            if name not in kwargs:
                kwargs[name] = rule({**dict(zip(self.arg_names, args)), **kwargs})
        return self.fn.precompile(*args, **kwargs)


def heuristics(values):
    """Decorator, above `jit` and below `autotune`: {name: f} sets the meta-parameter `name` to f(arguments) at each launch, in
    the dict's order; `arguments` is a dict of all arguments so far."""
    def decorator(fn):
        _check_decorated("heuristics", fn)
        return Heuristics(fn, fn.arg_names, values)
    return decorator


def _check_decorated(name, fn):
    if not hasattr(fn, "arg_names"):
        raise TypeError(f"@{name} goes above @jit: it takes a jit function, and "
                        f"'{getattr(fn, '__name__', type(fn).__name__)}' is none yet")


_OF_OTHERS = {"builtins": "builtins", "hashlib": "hashlib", "json": "json", "driver": ".driver",
              "get_cache_invalidating_env_vars": ".cache", "get_cache_manager": ".cache", "triton_key": ".cache"}


def __getattr__(name):
    """Names that programs which replace methods of Autotuner take from here; the modules are loaded when they are asked for."""
    if name not in _OF_OTHERS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib
    module = importlib.import_module(_OF_OTHERS[name], __package__)
    return getattr(module, name) if module.__name__ != name else module
