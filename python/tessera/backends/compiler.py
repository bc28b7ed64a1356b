"""What to compile for, and with which options.

    target = GPUTarget("cuda", 90, 32)
    backend = make_backend(target)
    options = backend.parse_options({"num_warps": 8})       # KeyError for names that no option has
    backend.target_name(options)                            # "cuda:90"
    backend.flags(options)                                  # '{"num-warps": 8}', as the library reads them

Options that equal the library's defaults are left out of the flags, so equal compilations have equal texts.
"""
from __future__ import annotations

import hashlib
import json
from abc import ABCMeta, abstractmethod
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any, Optional, Tuple, Union


@dataclass(frozen=True)
class GPUTarget:
    """A kind of device: ("cuda", 90, 32), ("hip", "gfx942", 64), ("cpu", "native", 1)."""
    backend: str
    arch: Union[int, str]
    warp_size: int

    @staticmethod
    def parse(text: str) -> GPUTarget:
        """From "cuda:90", "cuda:90:32", "hip:gfx942:64" or "cpu"."""
        backend, _, rest = text.partition(":")
        arch, _, warp = rest.partition(":")
        if backend == "cpu":
            return GPUTarget("cpu", arch or "native", 1)
        if not arch:
            raise ValueError(f"a target is written like cuda:90, hip:gfx942 or cpu, not '{text}'")
        default_warp = 64 if backend == "hip" else 32
        return GPUTarget(backend, int(arch) if arch.isdecimal() else arch, int(warp) if warp else default_warp)


class Language(Enum):
    """What a source is written in."""
    TRITON = 0
    GLUON = 1


@dataclass(frozen=True)
class Options:
    """What all targets take. A target that has no use for one accepts it, so that one launch fits all."""
    num_warps: int = 4
    num_ctas: int = 1
    num_stages: int = 3
    warp_size: int = 32
    maxnreg: Optional[int] = None
    ptx_version: Optional[int] = None
    ptx_options: Optional[str] = None
    ir_override: Optional[str] = None
    enable_fp_fusion: bool = True
    enable_reflect_ftz: bool = True
    launch_cooperative_grid: bool = False
    launch_pdl: bool = False
    supported_fp8_dtypes: Tuple[str, ...] = ("fp8e5", "fp8e4b15")
    deprecated_fp8_dot_operand_dtypes: Tuple[str, ...] = ()
    default_dot_input_precision: str = "tf32"
    allowed_dot_input_precisions: Tuple[str, ...] = ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6")
    max_num_imprecise_acc_default: Optional[int] = None
    extern_libs: Any = None
    debug: bool = False
    backend_name: str = "cuda"
    sanitize_overflow: bool = True
    arch: Optional[str] = None
    instrumentation_mode: str = ""
    # Of AMD's GPUs; accepted everywhere, so that one launch fits all.
    waves_per_eu: int = 0
    matrix_instr_nonkdim: int = 0
    kpack: int = 1
    allow_flush_denorm: bool = False
    schedule_hint: str = "none"
    # Tessera's own.
    sanitize: bool = False
    debug_info: bool = False
    line_info: bool = True

    def __post_init__(self) -> None:
        libraries = dict(self.extern_libs or ())
        object.__setattr__(self, "extern_libs", tuple(sorted(libraries.items())))
        if not isinstance(self.num_warps, int) or self.num_warps < 1 or self.num_warps & (self.num_warps - 1):
            raise AssertionError(f"num_warps must be a power of 2, not {self.num_warps!r}")

    def hash(self) -> str:
        text = "_".join(f"{name}-{value}" for name, value in sorted(self.__dict__.items()))
        return hashlib.sha256(text.encode()).hexdigest()


# Options that the library knows, by its names (tessera compile --help). The others only describe.
FLAGS = {
    "num_warps": "num-warps",
    "num_ctas": "num-ctas",
    "num_stages": "num-stages",
    "maxnreg": "maxnreg",
    "ptx_version": "ptx-version",
    "ptx_options": "ptxas-options",
    "ir_override": "ir-override",
    "enable_fp_fusion": "enable-fp-fusion",
    "launch_cooperative_grid": "launch-cooperative-grid",
    "launch_pdl": "launch-pdl",
    "default_dot_input_precision": "default-dot-precision",
    "debug": "debug",
    "sanitize_overflow": "sanitize-overflow",
    "sanitize": "sanitize",
    "debug_info": "debug-info",
    "line_info": "line-info",
}
# The library's defaults are those of the class.
_DEFAULTS = {field.name: field.default for field in fields(Options)}


class BaseBackend(metaclass=ABCMeta):
    """Turns keyword arguments into the options of one target."""

    supports_native_tensor_specialization = True
    options_class: type = Options
    binary_ext: str = ""
    # In order; the last is the binary. `stages_on_demand` are made only when they are asked for.
    stages: Tuple[str, ...] = ()
    stages_on_demand: Tuple[str, ...] = ()

    def __init__(self, target: GPUTarget) -> None:
        assert self.supports_target(target), f"{type(self).__name__} does not compile for {target}"
        self.target = target

    @staticmethod
    @abstractmethod
    def supports_target(target: GPUTarget) -> bool:
        """Whether this is the backend of `target`."""

    @abstractmethod
    def parse_options(self, opts: dict) -> Options:
        """Raises KeyError for a name that is no option, and ValueError or AssertionError for a wrong value."""

    @abstractmethod
    def target_name(self, options: Options) -> str:
        """As the library and the command line write it: "cuda:90"."""

    def hash(self) -> str:
        return f"{self.target.backend}-{self.target.arch}"

    def flags(self, options: Options) -> str:
        """The options as the library reads them; "" for the defaults."""
        # A target's own default precision is not the other targets'.
        defaults = {**_DEFAULTS, "default_dot_input_precision": self.options_class.default_dot_input_precision}
        given = {
            flag: getattr(options, name)
            for name, flag in FLAGS.items() if getattr(options, name) not in (None, defaults[name])
        }
        given.update(self.extra_flags(options))
        return json.dumps(given, sort_keys=True) if given else ""

    def extra_flags(self, options: Options) -> dict:
        return {}

    def add_stages(self, stages: dict, options, language=Language.TRITON) -> None:
        """Enters the names of the stages. They are not functions of Python: there is nothing to put in their place."""
        stages.update(dict.fromkeys(self.stages))

    def pack_metadata(self, metadata):
        return metadata.num_warps, metadata.num_ctas, metadata.shared

    def load_dialects(self, context) -> None:
        """There is nothing to load: the dialects are part of the library."""

    def get_module_map(self) -> dict:
        return {}

    def get_codegen_implementation(self, options) -> dict:
        return {}

    @staticmethod
    def parse_attr(desc: str) -> list:
        """The attributes that a specialization key stands for."""
        return [["tt.divisibility", 16]] if "D" in desc else []

    @staticmethod
    def get_int_specialization(arg, **kwargs) -> str:
        return "D" if kwargs.get("align", False) and arg % 16 == 0 else ""

    @staticmethod
    def get_tensor_specialization(arg, **kwargs) -> str:
        return "D" if kwargs.get("align", False) and arg.data_ptr() % 16 == 0 else ""

    def _known(self, opts: dict) -> dict:
        """`opts` without the Nones, which ask for the default, after a check of their names."""
        names = self.options_class.__dataclass_fields__
        for name in opts:
            if name not in names:
                raise KeyError(_explain_unknown(name, names))
        return {name: value for name, value in opts.items() if value is not None}


def _explain_unknown(name: str, names) -> str:
    from difflib import get_close_matches
    near = get_close_matches(name, names, n=3)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return f"'{name}' is neither a parameter of the kernel nor a compile option{hint}"


def common_defaults(opts: dict) -> dict:
    """`opts` with what the knobs say for those that are not given."""
    from .. import knobs
    if opts.get("instrumentation_mode", knobs.compilation.instrumentation_mode) == "consan":
        opts = {**opts, "debug": True}  # its findings are device assertions
    if "enable_fp_fusion" not in opts:
        opts["enable_fp_fusion"] = knobs.language.default_fp_fusion
    if "default_dot_input_precision" not in opts and knobs.language.fp32_default:
        opts["default_dot_input_precision"] = knobs.language.fp32_default
    if knobs.runtime.debug:
        opts["debug"] = True
    if knobs.compilation.disable_line_info:
        opts["line_info"] = False
    return opts


def make_backend(target) -> BaseBackend:
    """The one backend of a target."""
    from . import backends
    target = GPUTarget.parse(target) if isinstance(target, str) else target
    package = {"cuda": "nvidia", "hip": "amd", "cpu": "cpu"}.get(target.backend)
    if package is None:
        raise RuntimeError(f"no backend compiles for '{target.backend}': there are cuda, hip and cpu")
    return backends[package].compiler(target)
