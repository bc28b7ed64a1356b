"""Options for NVIDIA GPUs."""
from __future__ import annotations

import re

from ..compiler import BaseBackend, GPUTarget, Options, common_defaults, language_options
from ..description import describe, describe_or_kin


class CUDAOptions(Options):
    """The options of Triton's CUDA backend, with its names and defaults."""


class CUDABackend(BaseBackend):
    options_class = CUDAOptions

    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        return target.backend == "cuda"

    def parse_options(self, opts: dict) -> CUDAOptions:
        from ... import knobs
        opts = common_defaults(self._known(opts))
        opts["arch"] = knobs.runtime.override_arch or opts.get("arch") or f"sm{self.target.arch}"
        name = f"cuda:{self._capability(opts['arch'])}"
        chip = describe_or_kin(name)
        if opts.get("num_ctas", 1) > 1 and "Clusters" not in chip["features"] and chip["target"] == name:
            able = [each["chip"] for each in describe()["targets"] if "Clusters" in each["features"]]
            raise ValueError(f"num_ctas={opts['num_ctas']} needs thread block clusters, which {chip['chip']} does not have "
                             f"({', '.join(able)} has them); num_ctas=1 works everywhere")
        if "WarpGroupMMA" in chip["features"]:
            opts.setdefault("deprecated_fp8_dot_operand_dtypes", ("fp8e4b15", ))
        opts.setdefault("max_num_imprecise_acc_default", chip["language"]["max_imprecise_accumulations"])
        opts = {**language_options(chip["language"]), **opts}
        opts.setdefault("ptx_options", knobs.nvidia.ptxas_options)
        return CUDAOptions(**opts)

    def _capability(self, arch: str) -> int:
        match = re.fullmatch(r"sm_?(\d+)a?", arch)
        if not match:
            raise ValueError(f"an NVIDIA architecture is written like sm90 (TRITON_OVERRIDE_ARCH, arch=), not '{arch}'")
        return int(match.group(1))

    def target_name(self, options: CUDAOptions) -> str:
        return f"cuda:{self._capability(options.arch)}"

    def extra_flags(self, options: CUDAOptions) -> dict:
        from ... import knobs
        others = [name for name, _ in options.extern_libs if name != "libdevice"]
        if others:
            raise NotImplementedError(f"extern_libs: only libdevice can be replaced, not {', '.join(others)}")
        if not knobs.nvidia.disable_ptxas_opt:
            return {}
        return {"ptxas-options": " ".join(filter(None, ("-O0", options.ptx_options)))}

    def get_module_map(self) -> dict:
        from ...language.extra.cuda import libdevice
        return {"triton.language.extra.libdevice": libdevice}


def __getattr__(name: str):
    if name == "PTXASError":
        from ...runtime.errors import PTXASError
        return PTXASError
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def get_ptxas(arch: int = 90):
    """The assembler: has `path` and `version`."""
    from ... import knobs
    return knobs.nvidia.ptxas_blackwell if arch >= 100 else knobs.nvidia.ptxas


def get_ptxas_version(arch: int = 80) -> str:
    """Returns the output of ptxas --version."""
    import subprocess
    return subprocess.run([get_ptxas(arch).path, "--version"], stdout=subprocess.PIPE, check=True, text=True).stdout


def min_dot_size(target: GPUTarget):
    """f(lhs type, rhs type) -> the least M, N and K of a dot."""
    language = describe_or_kin(f"cuda:{target.arch}" if target else "cuda")["language"]
    return lambda lhs, rhs: (1, 1, language["min_dot_inner_8bit" if lhs.scalar.primitive_bitwidth == 8 else "min_dot_inner"])


def sm_arch_from_capability(capability: int) -> str:
    """"sm_90a" for 90."""
    chips = {each["name"]: each["chip"] for each in describe()["targets"]}
    return chips.get(f"cuda:{capability}", f"sm_{capability}a" if capability > 90 else f"sm_{capability}")
