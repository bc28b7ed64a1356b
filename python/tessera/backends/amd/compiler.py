"""Options for AMD GPUs."""
from __future__ import annotations

from ..compiler import BaseBackend, GPUTarget, Options, common_defaults


class HIPOptions(Options):
    """AMD's options with Triton's defaults: the library has no AMD target that could describe them."""

    @classmethod
    def find_defaults(cls) -> dict:
        return {**Options.defaults, "num_stages": 2, "warp_size": 64, "backend_name": "hip"}


class HIPBackend(BaseBackend):
    options_class = HIPOptions
    stages = ("ttir", "ttgir", "llir", "amdgcn", "hsaco")
    stages_on_demand = ()

    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        return target.backend == "hip"

    def parse_options(self, opts: dict) -> HIPOptions:
        from ... import knobs
        opts = common_defaults(self._known(opts))
        opts["arch"] = knobs.runtime.override_arch or opts.get("arch") or str(self.target.arch)
        return HIPOptions(**opts)

    def target_name(self, options: HIPOptions) -> str:
        return f"hip:{options.arch}"
