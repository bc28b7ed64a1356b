"""autotune chooses compile-time parameters of a kernel by measuring; heuristics computes them from the arguments.

    @tessera.autotune(configs=[Config({"BLOCK": 128}, num_warps=4), Config({"BLOCK": 1024}, num_warps=8)], key=["n"])
    @tessera.jit
    def kernel(x, n, BLOCK: tl.constexpr): ...

The first launch with a new value of `n`, or with new element types, searches for the fastest configuration. Later launches use it,
which costs them a few microseconds. The folder tuning/ implements the search.

    TESSERA_AUTOTUNE_CHOICE   time     measure the configurations without a stored timing (the default)
                              stored   do not measure: use the best stored or loaded configuration, else the first that works
                              frozen   another word for stored
                              first    neither measure nor read timings: the first configuration that works, on every machine
    TRITON_CACHE_AUTOTUNING   0: keep no timings on disk; 1: keep also those of a user's do_bench
    TRITON_PRINT_AUTOTUNING   1: print a line for each configuration to standard error

kernel.save_tuned(path) and kernel.load_tuned(path) write and read tables of choices that a program can ship.
"""
from __future__ import annotations

import inspect
import sys
import warnings
from functools import partial

from .. import _native, knobs
from ..errors import level_of_program, without_frames
from . import monkey_patching
from .errors import AutotunerError, OutOfResources, PTXASError  # noqa: F401  (clients import these from here)
from .jit import JITFunction, KernelInterface
from .tuning import by_size, pruning, search, tables, timing
from .tuning.config import Config, Space  # noqa: F401  (Space: for clients)
from .tuning.key import TuningKeys
from .tuning.selection import NamedArguments, Searches, Selection, check_conflicts, process
from .tuning.store import keep, recall, store_for
from .tuning.trial_hooks import ArgumentReset, no_post_hook, no_pre_hook
from .tuning.warmup import precompile_each, warm_up


@monkey_patching.has_quick_launches
class Autotuner(KernelInterface):
    """A kernel with a list of configurations. Use the decorator `autotune`, which explains the arguments.

    cache             {tuning key: Config}; may be cleared, or filled by hand
    best_config       the configuration of the last launch
    configs_timings   {Config: timing} of the last search, infinite for those that failed
    bench_time        the duration of that search, in seconds
    nargs             during a run: {name: positional argument}"""

    _by_size = None  # (a position in keys, {size: Config}) of a file of vLLM's form

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
        self._tuning_keys, self._searches, self._allowed = TuningKeys(arg_names), Searches(), pruning.AllowedConfigs()
        self._set_hooks(reset_to_zero, restore_value, pre_hook, post_hook)
        prune = prune_configs_by or {}
        self.perf_model = prune.get("perf_model")
        self.configs_top_k = prune.get("top_k", 1.0)
        self.early_config_prune = prune.get("early_config_prune")
        self.num_warmups, self.num_reps, self.use_cuda_graph = warmup, rep, use_cuda_graph
        self._do_bench = do_bench
        if warmup is not None or rep is not None or use_cuda_graph:
            self._do_bench = _benchmark_of_old_arguments(warmup, rep, use_cuda_graph)

    def __repr__(self):
        return f"Autotuner({self.base_fn.__module__}:{self.base_fn.__qualname__}, {len(self.configs)} configurations)"

    # ---- attributes that programs and searches read ----

    def _set_hooks(self, reset_to_zero, restore_value, pre_hook, post_hook):
        self.reset_to_zero = list(reset_to_zero or ())
        self.restore_value = list(restore_value or ())
        self.user_defined_pre_hook, self.user_defined_post_hook = bool(pre_hook), bool(post_hook)
        self.restore_copies = {}
        reset = ArgumentReset(self) if self.reset_to_zero or self.restore_value else None
        self.pre_hook = pre_hook or (reset.before if reset else no_pre_hook)
        self.post_hook = post_hook or (reset.after if self.restore_value else no_post_hook)

    @property
    def has_trial_hooks(self):
        """Returns whether the user gave hooks, reset_to_zero or restore_value."""
        return self.pre_hook is not no_pre_hook or self.post_hook is not no_post_hook

    @property
    def do_bench(self):
        """do_bench(call, quantiles=...) -> timing. If it is the device's default, searches measure by themselves instead."""
        if self._do_bench is not None:
            return self._do_bench
        from .driver import driver
        return driver.active.get_benchmarker()

    @do_bench.setter
    def do_bench(self, benchmark):
        self._do_bench = benchmark

    @property
    def has_own_bench(self):
        """Returns whether a subclass or a program has replaced `_bench`."""
        return getattr(self._bench, "__func__", None) is not _OWN_BENCH

    @property
    def measures_itself(self):
        """Returns whether searches measure by themselves, rather than by a function of the user's or of another driver's."""
        from ..testing import do_bench
        return self.do_bench is do_bench and not self.has_own_bench

    @property
    def nargs(self):
        return getattr(process.thread, "nargs", {}).get(id(self))

    @nargs.setter
    def nargs(self, arguments):
        held = process.thread.__dict__.setdefault("nargs", {})
        if arguments is None:
            held.pop(id(self), None)
        else:
            held[id(self)] = arguments

    # ---- launching ----

    def __getitem__(self, grid):
        run = self.run
        if getattr(run, "__func__", None) is not _OWN_RUN:  # a subclass or a program has replaced `run`
            return partial(run, grid=grid, warmup=False)
        return partial(self._launch_tuned, grid)

    def __call__(self, *args, **kwargs):
        raise _not_called(self.base_fn)

    def run(self, *args, **kwargs):
        if kwargs.get("warmup"):
            return self.warmup(*args, **{name: value for name, value in kwargs.items() if name != "warmup"})
        config = self._config_for(args, kwargs)
        check_conflicts(self, [config], kwargs)
        self.best_config = config
        options = config.all_kwargs()
        with NamedArguments(self, args):
            if config.pre_hook is not None:
                config.pre_hook({**self.nargs, **kwargs, **options})
            return _launch(self.fn, args, dict(**kwargs, **options))

    def _launch_tuned(self, grid, /, *args, **kwargs):
        """The launch of a kernel that is tuned already. It must be quick: it takes about 2.5 us."""
        key = self._tuning_keys.of(self.keys, args, kwargs) if len(self.configs) > 1 else None
        config = self.configs[0] if key is None else self.cache.get(key)
        if config is None or config.pre_hook is not None or type(self.fn) is not JITFunction:
            return self.run(*args, grid=grid, warmup=False, **kwargs)
        if key is not None and self.early_config_prune is not None:
            config = self._allowed.instead_of(self, config, key, args, kwargs, grid=grid, warmup=False)
        self.best_config = config
        try:
            return _bind(self.fn, grid)(*args, **kwargs, **config.all_kwargs())
        except TypeError:
            check_conflicts(self, [config], kwargs)  # the call gives what the configuration sets: that is a better message
            raise

    def _config_for(self, args, kwargs):
        if len(self.configs) == 1:
            return self.configs[0]
        key = self._tuning_keys.of(self.keys, args, kwargs)
        config = self.cache.get(key)
        if config is not None:
            return config if self.early_config_prune is None else self._allowed.instead_of(self, config, key, args, kwargs)
        try:
            with NamedArguments(self, args):
                return self._searches.find(self, key, args, kwargs)
        except Exception as error:
            raise without_frames(error)

    def launch(self, args, kwargs):
        """Launches a trial, with all parameters given."""
        return _launch(self.fn, args, dict(kwargs))

    def warmup(self, *args, **kwargs):
        """Compiles all configurations, in parallel, and returns the kernels in order, without those that do not compile."""
        return warm_up(self, args, kwargs)

    def precompile(self, *args, **kwargs):
        """JITFunction.precompile with each configuration: a list of what it returns, without configurations that fail."""
        return precompile_each(self, args, kwargs)

    # ---- finding a configuration ----

    def prune_configs(self, kwargs):
        """The configurations that prune_configs_by leaves, for the arguments in `nargs` and `kwargs`."""
        return pruning.prune(self, kwargs)

    def _search(self, key, args, kwargs):
        """Chooses the configuration for a key, without looking into the cache."""
        if self._by_size is not None and isinstance(key[self._by_size[0]], int):
            return by_size.nearest(self._by_size[1], key[self._by_size[0]])
        self._tuning_keys.warn_of_unknown(self.keys, self.base_fn.__name__)
        selection = Selection(self, key, args, kwargs)
        config = selection.choose()
        if selection.is_measured:
            self._searches.devices[key] = selection.device
        if selection.device is not None and (knobs.runtime.record or "tessera.runtime.record" in sys.modules):
            from . import record
            from .tuning import problem
            record.note_choice(self.base_fn.__name__, tables.entry_of(key, selection.device, config), knobs.runtime.record,
                               lambda: problem.describe(self, key, [trial.config for trial in selection.trials], args, kwargs, selection.device))
        return config

    # These two are part of Triton's API, for subclasses with a `run` of their own.

    def check_disk_cache(self, tuning_key, configs, bench_fn):
        """Calls bench_fn, which fills `cache` and `configs_timings`, unless all configurations' timings are stored. Returns
        whether they were."""
        store = store_for(self, tuning_key, timing.device_of((self.nargs or {}).values()))
        trials = [search.Trial(index, config) for index, config in enumerate(configs)]
        if store is not None:
            recall(store, trials)
            if all(trial.timing is not None for trial in trials):
                self.cache[tuning_key] = search.choose(trials, self.measures_itself).config
                self.configs_timings = {trial.config: trial.timing for trial in trials}
                return True
        bench_fn()
        if store is not None:
            for trial in trials:
                trial.timing = self.configs_timings.get(trial.config)
            keep(store, trials)
        return False

    def _bench(self, *args, config, **meta):
        """The timing of one configuration, infinite if it fails."""
        check_conflicts(self, [config], meta)
        try:
            execution = search.Execution(self, search.Trial(0, config), args, meta)
            return self.do_bench(execution, quantiles=search.QUANTILES)
        except Exception as problem:
            if knobs.autotuning.print:
                print(f"Autotuning failed with {problem}", file=sys.stderr)
            return [float("inf")] * 3

    # ---- tables ----

    def specializations(self):
        """The variants that exist, and why each was compiled; prints as a table, in which * marks what autotune has chosen."""
        from .specialize import Specializations
        records = self.fn.specializations()
        chosen = [record for record in records if any(_is_of(record, config) for config in list(self.cache.values()))]
        return Specializations(records.name, records, chosen)

    def _repr_html_(self):
        """For notebooks: the configurations with their last timings."""
        from ..compiler.presentation import html_table
        from .tuning.progress import milliseconds, short_text
        timings, best = getattr(self, "configs_timings", {}), getattr(self, "best_config", None)
        rows = [["*" if config is best else "", short_text(config), milliseconds(timings[config]) if config in timings else ""]
                for config in self.configs]
        return html_table(["", "configuration", "time"], rows, f"{self.base_fn.__name__}, tuned by {', '.join(self.keys)}")

    def tuned(self):
        """The choices made so far, as a list of {"key", "device", "kwargs", "num_warps", ...} for JSON. Choices whose key or
        parameters are not numbers, strings and None are left out."""
        return tables.choices_of(self.cache, self._searches.devices)

    def save_tuned(self, path, parameter=None):
        """Writes tuned() to a file that load_tuned reads, here or on another machine with the same device. With `parameter`, one
        of the key's arguments, the file is one of vLLM's and SGLang's form: a configuration for each size (tuning/by_size.py)."""
        if parameter is None:
            return tables.write(path, self.base_fn.__name__, self.tuned())
        place = self._place_of(parameter)
        by_size.write(path, {key[place]: config for key, config in self.cache.items() if isinstance(key[place], int)})

    def _place_of(self, parameter):
        """The position of a parameter's value in tuning keys."""
        if parameter not in self.keys:
            raise ValueError(f"'{parameter}' is not in the key of {self.base_fn.__name__}'s autotune: {', '.join(self.keys)}")
        return [name for name in self.keys if name in self.arg_names].index(parameter)

    def load_tuned(self, path, any_device=False, parameter=None):
        """Adds the choices of a file to the cache, those for other devices only if `any_device`. Returns their number. Their keys
        are not measured any more. With `parameter` the file is one of vLLM's and SGLang's form, and every key takes the
        configuration of the size that is nearest to the parameter's."""
        if parameter is not None:
            self._by_size = self._place_of(parameter), by_size.read(path, self.configs)
            return len(self._by_size[1])
        choices = tables.read(path, self.base_fn.__name__, self.configs, any_device)
        self.cache.update(choices)
        return len(choices)


_OWN_RUN, _OWN_BENCH = Autotuner.run, Autotuner._bench
_bind = _native.Launchable.__getitem__  # the original kernel[grid]: a replacement was called for the autotuner already


def _launch(fn, args, kwargs):
    """Launches the decorated kernel; a jit function is called in C. May change `kwargs`."""
    if type(fn) is JITFunction and "grid" in kwargs:
        kwargs.pop("warmup", None)
        return _bind(fn, kwargs.pop("grid"))(*args, **kwargs)
    return fn.run(*args, **kwargs)


def _is_of(record, config):
    """Returns whether a variant was compiled for a configuration."""
    return all(record.types.get(name) == repr(value) or record.options.get(name) == value
               for name, value in config.all_kwargs().items())


def _not_called(fn):
    name = getattr(fn, "__name__", "a kernel")
    return RuntimeError(f"'{name}' is a kernel: launch it with {name}[grid](...)")


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
    """Decorator, above `jit` and `heuristics`: takes the kernel's meta-parameters from the fastest of the configurations.

    configs           list of Config, of which all are measured; or a Space, of which a part is. A single one is used without being
                      measured.
    key               names of arguments; a new value of one of them, or a new element type of any argument, starts a search
    prune_configs_by  dict of: "early_config_prune", f(configs, named_args, **kwargs) -> the configurations to consider;
                      "perf_model", f(**all arguments) -> estimated time; "top_k", how many of the best estimates to measure, an
                      int, or a float as a fraction of all
    reset_to_zero     names of arguments that are set to zero before each run of a trial, and before the launch that follows
    restore_value     names of arguments that get their value back after each run of a trial
    pre_hook          f(arguments, reset_only=False), called before each run of a trial instead of the two above
    post_hook         f(arguments, exception), called after each run of a trial
    do_bench          f(call, quantiles=...) -> time or its quantiles, instead of the built-in measurement
    cache_results     keep timings on disk also if do_bench measured them
    warmup, rep, use_cuda_graph   deprecated

    Without reset_to_zero, restore_value and hooks, tensors that the kernel may write to are restored after each trial."""
    if hasattr(configs, "all_kwargs"):
        raise TypeError("autotune takes a list of tessera.Config, not a single one; write [Config(...)]")
    if isinstance(key, str):  # one name, whose letters would be taken as names
        key = [key]
    for config in configs if isinstance(configs, (list, tuple)) else ():
        if not hasattr(config, "all_kwargs"):
            raise TypeError(f"autotune takes a list of tessera.Config, and one of these is {config!r}")

    def decorator(fn):
        _check_decorated("autotune", fn)
        _check_names(fn, key, {"reset_to_zero": reset_to_zero, "restore_value": restore_value})
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
        """JITFunction.precompile, with the parameters that the rules compute. A parameter that is given is not computed: rules
        need values, while precompile also takes types."""
        for name, rule in self.values.items():
            if name not in kwargs:
                kwargs[name] = rule({**dict(zip(self.arg_names, args)), **kwargs})
        return self.fn.precompile(*args, **kwargs)


def heuristics(values):
    """Decorator, above `jit` and below `autotune`: {name: f} sets the meta-parameter `name` to f(arguments) at each launch, in
    the dict's order; `arguments` is a dict of all arguments so far."""
    for name, rule in values.items():
        if not callable(rule):
            raise TypeError(f"heuristics takes functions: {name!r} is {rule!r}; write {{{name!r}: lambda args: {rule!r}}}")

    def decorator(fn):
        _check_decorated("heuristics", fn)
        return Heuristics(fn, fn.arg_names, values)
    return decorator


def _check_decorated(name, fn):
    if not hasattr(fn, "arg_names"):
        raise TypeError(f"@{name} goes above @jit: it takes a jit function, and "
                        f"'{getattr(fn, '__name__', type(fn).__name__)}' is none yet")


def _check_names(fn, key, arguments):
    """Refuses arguments to be reset that a kernel does not have, and warns of such keys, which would never start a search."""
    known = ", ".join(fn.arg_names)
    for option, names in arguments.items():
        for name in names or ():
            if name not in fn.arg_names:
                raise ValueError(f"{option} of autotune names {name!r}, which is no parameter of the kernel; it has {known}")
    for name in key:
        if name not in fn.arg_names:
            from .tuning.selection import TuningWarning
            warnings.warn(f"the key of autotune names {name!r}, which is no parameter of the kernel and changes nothing; it has {known}",
                          TuningWarning, stacklevel=level_of_program())


_OF_OTHERS = {"builtins": "builtins", "hashlib": "hashlib", "json": "json", "driver": ".driver",
              "get_cache_invalidating_env_vars": ".cache", "get_cache_manager": ".cache", "triton_key": ".cache"}


def __getattr__(name):
    """Names that programs which replace methods of Autotuner take from here; the modules are loaded when they are asked for."""
    if name not in _OF_OTHERS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib
    module = importlib.import_module(_OF_OTHERS[name], __package__)
    return getattr(module, name) if module.__name__ != name else module
