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
