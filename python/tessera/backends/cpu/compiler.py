"""Options for the host's processor."""
from __future__ import annotations

from ..compiler import BaseBackend, GPUTarget, Options, common_defaults
from ..description import describe

# Ways to say "this machine"; any other arch is a processor that LLVM knows, or "portable".
_THIS_MACHINE = ("", "native", "host", "x86_64", "x86-64", 0, None)


class CPUOptions(Options):
    """The CPU's options. Options of GPUs are accepted and ignored, except `debug` and those that change results."""

    backend = "cpu"


class CPUBackend(BaseBackend):
    options_class = CPUOptions

    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        return target.backend == "cpu"

    @property
    def description(self) -> dict:
        return describe("cpu")

    def parse_options(self, opts: dict) -> CPUOptions:
        opts = common_defaults(self._known(opts))
        opts["arch"] = str(opts.get("arch") or self.target.arch or "native")
        return CPUOptions(**opts)

    @property
    def stages_listed(self) -> tuple:
        return self.stages_on_demand

    def target_name(self, options: CPUOptions) -> str:
        return "cpu"

    def extra_flags(self, options: CPUOptions) -> dict:
        return {} if options.arch in _THIS_MACHINE or options.arch.startswith("sm") else {"mcpu": options.arch}
