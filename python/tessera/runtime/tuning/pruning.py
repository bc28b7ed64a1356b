"""Which configurations a call may use: prune_configs_by.

    prune(tuner, kwargs)                          the configurations to measure for the call in `tuner.nargs` and `kwargs`
    AllowedConfigs().instead_of(tuner, config, key, args, kwargs)
                                                  at a launch: the chosen one, or another if this call does not allow it
"""
from __future__ import annotations

from ...errors import without_frames
from ..errors import AutotunerError
from .selection import NamedArguments

_MOST_SITUATIONS = 1000
_NOT_GIVEN = object()


def prune(tuner, kwargs):
    configs, name = tuner.configs, tuner.base_fn.__name__
    if tuner.early_config_prune:
        configs = tuner.early_config_prune(tuner.configs, tuner.nargs, **kwargs)
        if not configs:
            raise AutotunerError(f"early_config_prune of {name} must return at least one configuration")
    if not tuner.perf_model:
        return list(configs)
    top_k = tuner.configs_top_k
    if isinstance(top_k, float) and top_k <= 1.0:
        top_k = max(1, int(len(tuner.configs) * top_k))
    elif not isinstance(top_k, int):
        raise TypeError(f"top_k of {name} must be an int, or a float of at most 1.0, not {top_k!r}")
    if len(configs) <= top_k:
        return list(configs)
    estimates = {config: tuner.perf_model(**tuner.nargs, **kwargs, **config.all_kwargs()) for config in configs}
    return sorted(estimates, key=estimates.get)[:top_k]


class AllowedConfigs:
    """Asks early_config_prune about a configuration that was chosen for a key: the function may look at more than the key, as at
    a constexpr that makes some of the configurations wrong. It is asked once for each set of constants."""

    def __init__(self):
        self._constants = None  # [(index, name)] of the constexpr parameters
        self._found = {}  # {(key, *constants): (the configuration asked about, the one to use)}

    def instead_of(self, tuner, config, key, args, kwargs, **launch):
        """The configuration to use for a call in the place of the one that was chosen for its key: as a rule the same. `launch`
        has keywords that are no arguments of the kernel's."""
        if self._constants is None:
            self._constants = _constants_of(tuner)
        given = len(args)
        constants = [args[i] if i < given else kwargs.get(name, _NOT_GIVEN) for i, name in self._constants]
        try:
            situation = (key, *constants)
            asked, found = self._found.get(situation, (None, None))
        except TypeError:  # a constant that cannot be hashed
            return config
        if asked is not config:
            found = self._ask(tuner, config, key, args, {**kwargs, **launch})
            if len(self._found) >= _MOST_SITUATIONS:
                self._found.clear()
            self._found[situation] = config, found
        return found

    @staticmethod
    def _ask(tuner, config, key, args, kwargs):
        try:
            with NamedArguments(tuner, args):
                allowed = tuner.early_config_prune(tuner.configs, tuner.nargs, **kwargs)
                if not allowed or config in allowed or config not in tuner.configs:  # else it was put into the cache by hand
                    return config
                return tuner._search(key, args, kwargs)
        except Exception as error:
            raise without_frames(error)


def _constants_of(tuner):
    function = tuner.fn
    while not hasattr(function, "constexprs") and hasattr(function, "fn"):
        function = function.fn
    return [(number, tuner.arg_names[number]) for number in getattr(function, "constexprs", ())]
