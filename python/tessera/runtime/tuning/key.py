"""Tuning keys: what decides whether a call needs a search of its own.

    key = TuningKeys(["x", "n", "BLOCK"])
    key.of(["n"], (x, 4096), {})             (4096, "torch.float16"): the values of the key's arguments, then the element
                                             types of all arguments that have one

A launch of a tuned kernel computes one each time, so where the parts of a key come from is planned once for all calls with
arguments of the same types.
"""
from __future__ import annotations

import warnings

from ...errors import level_of_program

_MOST_PLANS = 1000


class TuningKeys:
    """The tuning keys of calls of one kernel."""

    def __init__(self, arg_names):
        self._arg_names = arg_names
        self._dtype_names = {}  # {dtype: its str}
        self._plans = {}  # {keywords' names and arguments' types: see _plan}
        self._has_warned = False

    def of(self, names, args, kwargs):
        """The tuning key of a call, `names` being the key's arguments."""
        values = (*args, *kwargs.values()) if kwargs else args
        plan = self._plans.get((*kwargs, *map(type, values)))
        if plan is None or plan[0] != names:
            plan = self._plan(names, args, kwargs, values)
        _, key, typed = plan
        dtypes = self._dtype_names
        try:
            return tuple([*[values[i] for i in key], *[dtypes[values[i].dtype] for i in typed]])
        except KeyError:
            for i in typed:
                dtypes.setdefault(values[i].dtype, str(values[i].dtype))
            return self.of(names, args, kwargs)

    def _plan(self, names, args, kwargs, values):
        """(names, the indices of the values that are part of the key, of those that have an element type), for all calls with
        arguments of these types and keywords of these names."""
        known = self._arg_names
        places = {name: index for index, name in enumerate((*known[:len(args)], *kwargs)) if name in known}
        typed = [index for index in places.values() if hasattr(values[index], "dtype")]
        plan = names[:], [places[name] for name in names if name in places], typed
        if all(hasattr(type(values[index]), "dtype") == (index in typed) for index in places.values()):
            if len(self._plans) >= _MOST_PLANS:  # of classes that are made anew for each call, perhaps
                self._plans.clear()
            self._plans[(*kwargs, *map(type, values))] = plan  # else it is a matter of the object, not of its type
        return plan

    def warn_of_unknown(self, names, kernel):
        """Warns, once, of names that are no parameters: a misspelt key never leads to another search, and nothing else tells."""
        strange = [name for name in names if name not in self._arg_names] if not self._has_warned else ()
        self._has_warned = True
        for name in strange:
            from difflib import get_close_matches
            near = [known for known in self._arg_names if known.lower() == str(name).lower()]
            near = near or get_close_matches(str(name), self._arg_names, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            warnings.warn(f"the key {name!r} of {kernel}'s autotune is no parameter, so it has no effect{hint}",
                          stacklevel=level_of_program())
