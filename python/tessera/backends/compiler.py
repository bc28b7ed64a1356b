"""Targets, and the options to compile with.

    target = GPUTarget("cuda", 90, 32)
    backend = make_backend(target)
    options = backend.parse_options({"num_warps": 8})       # KeyError for names that no option has
    backend.target_name(options)                            # "cuda:90"
    backend.flags(options)                                  # '{"num-warps": 8}', as the library reads them

Options that equal the library's defaults are left out of the flags, so equal compilations have equal texts.
"""
from __future__ import annotations

from abc import ABCMeta, abstractmethod
from enum import Enum

from .._lazily import lazily
from ..errors import plain


class _Fields:
    """Lets dataclasses.asdict, replace and fields take the objects of a class, and imports dataclasses for those who do alone."""

    def __init__(self):
        self._of = {}  # by class

    def __get__(self, instance, owner):
        if owner not in self._of:
            import dataclasses
            names = getattr(owner, "defaults", None) or dict.fromkeys(owner.__match_args__, dataclasses.MISSING)
            fields = [(name, object, dataclasses.field(default=default)) for name, default in names.items()]
            self._of[owner] = dataclasses.make_dataclass(owner.__name__, fields).__dataclass_fields__
        return self._of[owner]


class GPUTarget:
    """A kind of device: ("cuda", 90, 32), ("hip", "gfx942", 64), ("cpu", "native", 1). Never changes."""

    __match_args__ = ("backend", "arch", "warp_size")
    __dataclass_fields__ = _Fields()

    def __init__(self, backend: str, arch: int | str, warp_size: int) -> None:
        self.__dict__.update(backend=backend, arch=arch, warp_size=warp_size)

    @staticmethod
    def parse(text: str) -> GPUTarget:
        """From "cuda:90", "cuda:90:32", "hip:gfx942:64", "cpu", or a chip of NVIDIA's, "sm_90"."""
        if text.startswith("sm_") and text[3:].rstrip("a").isdecimal():
            text = "cuda:" + text[3:].rstrip("a")
        backend, _, rest = text.partition(":")
        arch, _, warp = rest.partition(":")
        if backend == "cpu":
            return GPUTarget("cpu", arch or "native", 1)
        if not arch:
            raise ValueError(f"a target is written like cuda:90, hip:gfx942 or cpu, not '{text}'")
        return GPUTarget(backend, int(arch) if arch.isdecimal() else arch, int(warp) if warp else _warp_size(backend, arch))

    def __setattr__(self, name: str, value) -> None:
        raise AttributeError(f"a {type(self).__name__} does not change; make another one")

    def __delattr__(self, name: str) -> None:
        self.__setattr__(name, None)

    def _key(self) -> tuple:
        return tuple(self.__dict__.values())

    def __eq__(self, other) -> bool:
        return type(other) is type(self) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"{type(self).__name__}({fields})"


def _warp_size(backend: str, arch: str) -> int:
    """The usual number of threads of a warp: on AMD's chips 64 up to gfx9, and 32 from gfx10 on."""
    if backend != "hip":
        return 32
    from .description import describe
    try:
        return describe(f"hip:{arch}")["language"]["warp_size"]
    except ValueError:  # compiling says which chips there are
        return 64


class Language(Enum):
    """The language of a source."""
    TRITON = 0
    GLUON = 1


class _Defaults:
    """The options of a class with their defaults: from the library, and those of Triton that only describe a target."""

    def __init__(self):
        self._of = {}  # by class

    def __get__(self, instance, owner) -> dict:
        if owner not in self._of:
            self._of[owner] = owner.find_defaults()
        return self._of[owner]


class Options:
    """The options that all targets accept. A target ignores those that it has no use for, so that one launch fits all targets.
    Immutable."""

    __dataclass_fields__ = _Fields()
    defaults = _Defaults()
    backend = "cuda"
    # Options of Triton that are not the library's.
    descriptive = {
        "deprecated_fp8_dot_operand_dtypes": (),
        "max_num_imprecise_acc_default": None,
        "extern_libs": None,
        "arch": None,
        "instrumentation_mode": "",
        # The library's, for which Triton says 0 where nobody has chosen.
        "waves_per_eu": 0,
        "matrix_instr_nonkdim": 0,
    }

    @classmethod
    def find_defaults(cls) -> dict:
        """Every option and its default, for the first chip of the backend."""
        from .description import describe_or_kin, keyword_options
        language = describe_or_kin(cls.backend)["language"]
        library = {name: default for name, (_, default) in keyword_options().items()}
        return {**library, **cls.descriptive, **language_options(language)}

    def __init__(self, **given) -> None:
        self.__dict__.update({**self.defaults, **given})
        self.__dict__["extern_libs"] = tuple(sorted(dict(self.extern_libs or ()).items()))
        warps = self.num_warps
        if not isinstance(warps, int) or warps < 1 or warps & (warps - 1):
            kind = "" if isinstance(warps, int) else f", a {type(warps).__name__}"
            raise plain(AssertionError(f"num_warps must be a power of 2, not {warps!r}{kind}"))

    __setattr__ = GPUTarget.__setattr__
    __delattr__ = GPUTarget.__delattr__
    __repr__ = GPUTarget.__repr__
    _key = GPUTarget._key

    def __eq__(self, other) -> bool:
        return type(other) is type(self) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def hash(self) -> str:
        import hashlib
        text = "_".join(f"{name}-{value}" for name, value in sorted(self.__dict__.items()))
        return hashlib.sha256(text.encode()).hexdigest()


def language_options(language: dict) -> dict:
    """The options that say what a target fixes for the language; `language` is a field of its description."""
    return {
        "backend_name": language["backend"],
        "warp_size": language["warp_size"],
        "supported_fp8_dtypes": tuple(sorted(language["fp8_types"])),
        "default_dot_input_precision": language["dot_precisions"][0],
        "allowed_dot_input_precisions": tuple(language["dot_precisions"]),
    }


def option_flags() -> dict:
    """The library's name of each option that it knows: {"num_warps": "num-warps", ...}. The others only describe."""
    from .description import keyword_options
    return {name: flag for name, (flag, _) in keyword_options().items()}


class BaseBackend(metaclass=ABCMeta):
    """Turns keyword arguments into the options of one target."""

    supports_native_tensor_specialization = True
    options_class: type = Options

    def __init__(self, target: GPUTarget) -> None:
        assert self.supports_target(target), f"{type(self).__name__} does not compile for {target}"
        self.target = target

    @staticmethod
    @abstractmethod
    def supports_target(target: GPUTarget) -> bool:
        """Returns whether this is the backend of `target`."""

    @abstractmethod
    def parse_options(self, opts: dict) -> Options:
        """Raises KeyError for a name that is no option, and ValueError or AssertionError for a wrong value."""

    @abstractmethod
    def target_name(self, options: Options) -> str:
        """The target's name for the library and the command line: "cuda:90"."""

    @property
    def description(self) -> dict:
        """The library's description of the target."""
        from .description import describe_or_kin
        return describe_or_kin(f"{self.target.backend}:{self.target.arch}")

    @lazily
    def stages(self) -> tuple:
        """The extensions of what is made, in order; the last is the binary."""
        return tuple(stage["extension"] for stage in self.description["stages"] if not stage["on_demand"])

    @lazily
    def stages_on_demand(self) -> tuple:
        """The stages that run only when they are asked for."""
        return tuple(stage["extension"] for stage in self.description["stages"] if stage["on_demand"])

    @property
    def stages_listed(self) -> tuple:
        """The stages among stages_on_demand that every machine can make, so that `asm` lists them, too."""
        return ()

    @property
    def binary_ext(self) -> str:
        return self.stages[-1]

    def hash(self) -> str:
        return f"{self.target.backend}-{self.target.arch}"

    def flags(self, options: Options) -> str:
        """The options as the library reads them; "" for the defaults."""
        from .description import keyword_options
        # Each target has a precision of its own.
        precision = self.options_class.defaults["default_dot_input_precision"]
        defaults = {**Options.descriptive, "default_dot_input_precision": precision}
        given = {
            flag: getattr(options, name)
            for name, (flag, default) in keyword_options().items()
            if getattr(options, name) not in (None, defaults.get(name, default))
        }
        given.update(self.extra_flags(options))
        if not given:
            return ""
        import json
        return json.dumps(given, sort_keys=True)

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
        names = self.options_class.defaults
        for name in opts:
            if name in ("device", "stream", "device_type"):
                raise plain(AssertionError(f"there is no option {name}: a launch runs on the arrays' device, if that is a GPU on "
                                           "torch's current one and its current stream"))
            if name not in names:
                raise plain(KeyError(_explain_unknown(name, names)))
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
    if knobs.compilation.print_every_thread:
        opts["print_every_thread"] = True
    if knobs.compilation.print_rows:
        opts["print_rows"] = True
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
