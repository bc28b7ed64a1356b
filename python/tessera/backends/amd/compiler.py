"""Options for AMD GPUs."""
from __future__ import annotations

from ..compiler import BaseBackend, GPUTarget, Options, common_defaults, language_options
from ..description import describe_or_kin


class HIPOptions(Options):
    """The options of Triton's HIP backend, with its names and defaults."""

    backend = "hip"

    @classmethod
    def find_defaults(cls) -> dict:
        return {**super().find_defaults(), "num_stages": 2}


class HIPBackend(BaseBackend):
    options_class = HIPOptions
    supports_native_tensor_specialization = False

    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        return target.backend == "hip"

    def parse_options(self, opts: dict) -> HIPOptions:
        from ... import knobs
        opts = common_defaults(self._known(opts))
        opts["arch"] = knobs.runtime.override_arch or opts.get("arch") or str(self.target.arch)
        chip = describe_or_kin(self._name(opts["arch"]))
        if opts.get("num_ctas", 1) > 1:
            raise ValueError(f"num_ctas={opts['num_ctas']} needs thread block clusters, which {opts['arch']} does not have; "
                             "num_ctas=1 works everywhere")
        opts.setdefault("max_num_imprecise_acc_default", chip["language"]["max_imprecise_accumulations"])
        return HIPOptions(**{**language_options(chip["language"]), **opts})

    @staticmethod
    def _name(arch: str) -> str:
        return f"hip:{arch.partition(':')[0]}"  # "gfx942:sramecc+:xnack-" is a gfx942

    def target_name(self, options: HIPOptions) -> str:
        return self._name(options.arch)

    @staticmethod
    def is_within_2gb(arg) -> bool:
        """Whether the memory that a tensor is part of has less than 2 GiB; False if that is not known."""
        storage = getattr(arg, "untyped_storage", None)
        return storage is not None and storage().size() < 2**31

    @staticmethod
    def parse_attr(desc: str) -> list:
        return BaseBackend.parse_attr(desc) + ([["tt.pointer_range", 32]] if "S" in desc else [])

    @staticmethod
    def get_tensor_specialization(arg, **kwargs) -> str:
        """As Triton's: "S" for a small tensor. Launches classify their arguments in the same way (native/Arguments.cpp)."""
        from ... import knobs
        small = knobs.amd.use_buffer_ops and HIPBackend.is_within_2gb(arg)
        return BaseBackend.get_tensor_specialization(arg, **kwargs) + ("S" if small else "")

    def get_module_map(self) -> dict:
        from ...language.extra.hip import libdevice
        return {"triton.language.extra.libdevice": libdevice}


def get_min_dot_size(target: GPUTarget):
    """f(lhs type, rhs type) -> the least M, N and K of a dot: none, as dots without a matrix instruction are computed by
    multiply-adds."""
    return lambda lhs, rhs: (1, 1, 1)
