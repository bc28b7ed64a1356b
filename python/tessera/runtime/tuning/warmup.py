"""Compiling an autotuned kernel before it is launched: `Autotuner.warmup` and `Autotuner.precompile`."""
from __future__ import annotations

from ..jit import JITFunction
from . import search
from .selection import NamedArguments


def warm_up(tuner, args, kwargs):
    """Compiles all configurations, in parallel, and returns the kernels in order, without those that do not compile."""
    with NamedArguments(tuner, args):
        configs = tuner.prune_configs(kwargs)
        known = _known_kernels(tuner, configs, args, kwargs)
        if known is not None:
            return known
        trials = [search.Trial(index, config) for index, config in enumerate(configs)]
        with search.Compilation(tuner, trials, args, kwargs) as compilation:
            for _ in compilation:
                pass
    if all(trial.error is not None for trial in trials):
        raise search.all_failed(tuner.base_fn.__name__, trials)
    return [trial.kernel for trial in trials if trial.error is None]


def _known_kernels(tuner, configs, args, kwargs):
    """The kernels of the configurations, if an earlier warm-up has compiled them all; else None."""
    if type(tuner.fn) is not JITFunction or not search.compiles_alone(tuner.fn):
        return None
    given, found = {name: value for name, value in kwargs.items() if name != "grid"}, []
    for config in configs:
        if config.pre_hook is not None:  # which may change the arguments
            return None
        kernel = tuner.fn._warm_up(args, {**given, **config.all_kwargs()}, False)
        if kernel is None:
            return None
        found.append(kernel)
    return found


def precompile_each(tuner, args, kwargs):
    """JITFunction.precompile with each configuration: a list of what it returns, without configurations that fail."""
    trials, found = [search.Trial(index, config) for index, config in enumerate(tuner.configs)], []
    for trial in trials:
        try:
            found.append(tuner.fn.precompile(*args, **{**kwargs, **trial.config.all_kwargs()}))
        except Exception as problem:
            trial.error = problem
    if not found:
        raise search.all_failed(tuner.base_fn.__name__, trials)
    return found
