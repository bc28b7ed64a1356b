"""Config: one choice of an autotuned kernel's parameters and options."""
from __future__ import annotations


class Config:
    """One choice of a kernel's meta-parameters (`kwargs`) and of the compiler's options.

    `pre_hook(arguments)` runs before each launch with this configuration, with a dict of all arguments by name. `ir_override`
    is a file that replaces the code of a stage (.ttir, .ttgir, .llir, .ptx)."""

    def __init__(self, kwargs, num_warps=4, num_stages=3, num_ctas=1, maxnreg=None, pre_hook=None, ir_override=None):
        self.kwargs = kwargs
        self.num_warps = num_warps
        self.num_ctas = num_ctas
        self.num_stages = num_stages
        self.maxnreg = maxnreg
        self.pre_hook = pre_hook
        self.ir_override = ir_override

    def __setstate__(self, state):
        """Unpickles states of older versions, which lack attributes, and of clients' subclasses, which have more."""
        Config.__init__(self, {})
        self.__dict__.update(state)

    def all_kwargs(self):
        """The meta-parameters and the options that are set, as keyword arguments of a launch."""
        found = dict(self.kwargs)
        if self.num_warps is not None:  # written out, because this runs at each launch
            found["num_warps"] = self.num_warps
        if self.num_ctas is not None:
            found["num_ctas"] = self.num_ctas
        if self.num_stages is not None:
            found["num_stages"] = self.num_stages
        if self.maxnreg is not None:
            found["maxnreg"] = self.maxnreg
        if self.ir_override is not None:
            found["ir_override"] = self.ir_override
        return found

    def __str__(self):
        options = {name: getattr(self, name) for name in ("num_warps", "num_ctas", "num_stages", "maxnreg")}
        return ", ".join(f"{name}: {value}" for name, value in (*self.kwargs.items(), *options.items()))

    def __repr__(self):
        return f"<Config {self}>"

    def _identity(self):
        return (*self.all_kwargs().items(), self.pre_hook)

    def __hash__(self):
        return hash(self._identity())

    def __eq__(self, other):
        return self._identity() == other._identity() if isinstance(other, Config) else NotImplemented


class Space(list):
    """The configurations of all combinations of values, for `autotune(configs=Space({...}), key=[...])`.

    Space({"BM": [32, 64, 128], "BN": [32, 64, 128], "num_warps": [4, 8]}, where=lambda BM, BN, num_warps: BM * BN <= 8192)

    Names of options (num_warps, num_stages, num_ctas, maxnreg) set these, all others are meta-parameters. `where` gets the values
    that it has parameters for, and leaves a combination out if it returns false. A list of configurations is measured as a whole; of
    a space `fraction` is on average, which guided.py chooses. The first value of each parameter makes the first configuration, which is
    always measured: it is what the others are compared with, and what is used without measurements."""

    def __init__(self, parameters, where=None, fraction=None):
        import itertools
        from . import guided
        for name, values in parameters.items():
            if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__") or not len(list(values)):
                raise TypeError(f"Space takes a list of values for {name!r}, not {values!r}")
        self.parameters, self.fraction = {name: list(values) for name, values in parameters.items()}, guided.FRACTION if fraction is None else fraction
        if not 0 < self.fraction <= 1:
            raise ValueError(f"the fraction of a space that is measured is more than 0 and at most 1, not {fraction!r}")
        accepts = _constraint(where, self.parameters)
        for chosen in itertools.product(*self.parameters.values()):
            given = dict(zip(self.parameters, chosen))
            if accepts(given):
                options = {name: given.pop(name) for name in _OPTIONS if name in given}
                self.append(Config(given, **options))
        if not self:
            raise ValueError("no combination of the space fulfils its condition")

    def usual_trials(self, count):
        """How many of `count` configurations are measured, on average."""
        from . import guided
        return guided.trials_of(count, self.fraction)


_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")


def _constraint(where, names):
    """A function of {name: value} that calls `where` with the values that it asks for."""
    if where is None:
        return lambda given: True
    import inspect
    wanted = inspect.signature(where).parameters
    if any(each.kind is each.VAR_KEYWORD for each in wanted.values()):
        return lambda given: where(**given)
    unknown = [name for name in wanted if name not in names]
    if unknown:
        raise TypeError(f"the condition of a space asks for {unknown[0]!r}, which the space does not have; it has {', '.join(names)}")
    return lambda given: where(**{name: given[name] for name in wanted})
