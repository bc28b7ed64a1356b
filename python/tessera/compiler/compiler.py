"""Compiles a source for a target. Launches, warm-ups, the autotuner and programs all call `compile`.

    source = ASTSource(fn=add_kernel, signature={"x": "*fp32", "n": "i32", "BLOCK": "constexpr"}, constexprs={"BLOCK": 64})
    kernel = compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": 8})
    kernel.asm["ptx"], kernel.metadata.shared

`compile` requests only the binary from the library, which may come from the cache folder. The other stages are computed when they
are read (`AsmDict`), by compiling the same program once more.
"""
from __future__ import annotations

import functools
import json
import os
import sys
import time

from .. import _native, knobs
from .._lazily import lazily
from ..backends.compiler import GPUTarget, make_backend
from ..runtime.driver import native_device
from . import dump
from .session import Job, plan_for, show_warnings
from .sources import ASTSource, IRSource, ProgramSource


def compile(src, target=None, options=None, _env_vars=None) -> CompiledKernel:
    """Compiles an ASTSource, or the file of a stage, for `target` (None: the current device's; "cuda:90" is
    understood too). `options` are the keyword arguments of a launch. Raises what compiler/errors.py and
    runtime/errors.py list.

    The binary has no tensor maps that a launcher must build (docs/abi.md), unless options say {"tma": "auto"}: callers such
    as torch.compile launch it by themselves."""
    target = _as_target(target)
    if target.backend == "cuda" and "TensorMemoryAccess" in make_backend(target).description["features"]:
        options = {"tma": "off", **(options or {})}
    kernel = compile_for_launch(src, target, options)
    if (knobs.runtime.record or "tessera.runtime.record" in sys.modules) and isinstance(src, ASTSource) and src.program is not None:
        from ..runtime import record
        record.note_compilation(kernel, options or {}, knobs.runtime.record)
    return kernel


def compile_for_launch(src, target=None, options=None) -> CompiledKernel:
    """The same for kernels that this package launches."""
    begin = time.perf_counter()
    if type(target) is not GPUTarget:
        target = _as_target(target)
    if type(src) is not ASTSource and isinstance(src, (str, os.PathLike)):
        src = IRSource(src)
    if not isinstance(src, (ASTSource, IRSource, ProgramSource)):
        is_kernel = hasattr(src, "arg_names")
        raise AssertionError("source must be an ASTSource or the path of a stage's file" + (
            ", not a jit function: ASTSource(kernel, signature={...}) says which types it is compiled for" if is_kernel else ""))
    given = {**(options or {}), **src.parse_options()}
    plan = plan_for(target, given)
    if plan.is_overridden:
        given.update(_overriding(src, target))
        plan = plan_for(target, given)
    reports = None
    if plan.is_explained:
        from .explain import ReportFolder
        reports = ReportFolder(knobs.compilation.explain, src, plan)
        if edited := reports.edited_file():
            plan = plan_for(target, {**given, "ir_override": edited})
    if knobs.runtime.add_stages_inspection_hook is not None:
        stages: dict = {}
        plan.backend.add_stages(stages, plan.options, src.language)
        knobs.runtime.add_stages_inspection_hook(plan.backend, stages, plan.options, src.language, target.arch)
    job, kernel = Job(src, plan), None
    job.report_stem = reports.stem if reports is not None else ""
    try:
        kernel = CompiledKernel(job, job.run(plan.binary_ext))
    except Exception as error:
        error._tessera_job = job  # for explain(), which shows how far the compilation came
        raise
    finally:
        if reports is not None:
            reports.write(job, kernel)
    if kernel._native_kernel.warnings:
        show_warnings(kernel._native_kernel)
    if plan.is_shown:
        dump.show(kernel, plan.backend)
    if knobs.compilation.listener is not None:
        _tell_listener(kernel, plan.backend, begin)
    return kernel


def _as_target(target) -> GPUTarget:
    if target is None:
        from ..runtime.driver import driver
        target = driver.active.get_current_target()
    if isinstance(target, str):
        return GPUTarget.parse(target)
    if type(target).__name__ != "GPUTarget":
        raise AssertionError(f"target must be a GPUTarget, not {target!r}")
    # Triton's own will do.
    return target if isinstance(target, GPUTarget) else GPUTarget(target.backend, target.arch, target.warp_size)


def _overriding(src, target) -> dict:
    path = dump.override_file(src, make_backend(target))
    return {"ir_override": path} if path else {}


def _tell_listener(kernel, backend, begin: float) -> None:
    times = [(name, int(seconds * 1e6)) for name, seconds in kernel.stage_times(backend)]
    frontend = sum(spent for name, spent in times if name == "frontend")
    stages = [(name, spent) for name, spent in times if name != "frontend"]
    total = int((time.perf_counter() - begin) * 1e6)
    rest = max(total - frontend - sum(spent for _, spent in stages), 0)
    knobs.compilation.listener(src=kernel.src, metadata=kernel.metadata._asdict(), metadata_group=kernel.metadata_group,
                               times=knobs.CompileTimes(frontend, stages, rest),
                               cache_hit=kernel._native_kernel.is_cached)


def get_cache_key(src, backend, backend_options, env_vars=None) -> str:
    """A str that identifies a compilation, for clients. Cache entries have names of their own: CompiledKernel.hash."""
    return f"{_native.version()}-{src.hash()}-{backend.hash()}-{backend_options.hash()}"


class LazyDict:
    """The argument of launch hooks: a dict that is computed when it is read."""

    def __init__(self, data: dict) -> None:
        self.data = data
        self.extras: list = []

    def add(self, func, args) -> None:
        self.extras.append((func, args))

    def get(self) -> dict:
        while self.extras:
            func, args = self.extras.pop(0)
            self.data = {**self.data, **func(*args)}
        return self.data


class AsmDict(dict):
    """The stages of a kernel. A stage is computed when it is first read; iterating computes all of them."""

    _kind = "stages"

    def __init__(self, names, make) -> None:
        """make(name) returns the stage, or raises KeyError."""
        super().__init__()
        self._names = tuple(names)
        self._make = make

    def __missing__(self, name):
        value = self[name] = self._make(name)
        return value

    def __repr__(self) -> str:
        return f"<{self._kind} {', '.join(self._names)}: made when they are read>"

    def __contains__(self, name) -> bool:
        return name in self._names or super().__contains__(name)

    def get(self, name, default=None):
        return self[name] if name in self else default

    def __reduce__(self):
        """Pickles only the stages that were computed already. The function that computes them is part of the state, because it may
        refer to this object."""
        return _new_stages, (type(self), ), (self._names, self._make, {name: self[name] for name in dict.keys(self)})

    def __setstate__(self, state) -> None:
        self._names, self._make, stages = state
        self.update(stages)

    def _complete(self) -> AsmDict:
        for name in self._names:
            self[name]
        return self

    def __iter__(self):
        return dict.__iter__(self._complete())

    def __len__(self) -> int:
        return dict.__len__(self._complete())

    def keys(self):
        return dict.keys(self._complete())

    def items(self):
        return dict.items(self._complete())

    def values(self):
        return dict.values(self._complete())


class _FileGroup(AsmDict):
    """Maps file names to paths. The cache keeps one file per kernel, so a file of this group is written when its path is read."""

    _kind = "files"


def _new_stages(cls) -> AsmDict:
    return cls.__new__(cls)


@functools.lru_cache(maxsize=None)
def _metadata_class(names: tuple):
    from collections import namedtuple
    return namedtuple("KernelMetadata", names)


class _Made:
    """The library's kernel of a job. After unpickling in another process it is compiled again, as a rule from the cache folder."""

    def __init__(self, job, kernel) -> None:
        self.job = job
        self._kernel = kernel
        self.loaded: dict = {}  # device -> the library's loaded kernel

    def __getstate__(self) -> dict:
        return {"job": self.job, "_kernel": None, "loaded": {}}

    @property
    def kernel(self):
        if self._kernel is None:
            self._kernel = self.job.run(self.job.plan.binary_ext)
        return self._kernel

    @lazily
    def _all_stages(self):
        """Computes all stages that the first compilation did not keep, by one more compilation."""
        return self.job.repeated().run(",".join(self.job.asm_stages))

    def stage(self, name: str):
        """A stage as a str, or as bytes if it is the target's binary."""
        job, plan = self.job, self.job.plan
        if name == "sass" and "cubin" in plan.stages:
            from ..tools.disasm import get_sass
            return get_sass(self.stage("cubin"))
        if name not in (*job.asm_stages, *plan.backend.stages_on_demand):
            raise KeyError(f"'{name}' is no stage of '{job.src.name}' for {plan.target}: there are "
                           f"{', '.join((*job.asm_stages, *plan.backend.stages_on_demand))}")
        data = self.kernel.artifact(name) or self._all_stages.artifact(name)
        if data is None:  # computed only when it is requested by name
            data = job.repeated().run(name).artifact(name)
        return data if name in ("cubin", "hsaco", "obj") else data.decode()


class _OfDevice:
    """An attribute that the device says where the kernel was loaded first; `otherwise(kernel)` is its value before that."""

    def __init__(self, read, otherwise) -> None:
        self._read, self._otherwise = read, otherwise

    def __set_name__(self, owner, name: str) -> None:
        self._name = name

    def __get__(self, kernel, owner=None):
        if kernel is None:
            return self
        first = next(iter(kernel._made.loaded.items()), None)
        if first is None:
            return self._otherwise(kernel)
        return vars(kernel).setdefault(self._name, self._read(kernel, *first))


def _read_module(kernel, device: str, loaded):
    return loaded.handle("module")


def _read_function(kernel, device: str, loaded):
    """Whoever reads the handle may come back with it alone."""
    function = loaded.handle("function")
    if device != "cpu":
        from ..backends.nvidia.driver import remember_function
        remember_function(function, kernel, loaded)
    return function


def _read_threads(kernel, device: str, loaded) -> int:
    return max(loaded.resource("max_threads_per_block"), 0)


def _load_to_read_threads(kernel) -> int:
    kernel._init_handles()
    return kernel.n_max_threads


def _resource(name: str, field: str, unit: int = 1) -> _OfDevice:
    """What the device says, which is more exact than the assembler; before that, and if it does not say, what the record says."""
    def otherwise(kernel) -> int:
        return max(kernel.record[field], 0) // unit

    def read(kernel, device: str, loaded) -> int:
        told = loaded.resource(name)
        return otherwise(kernel) if told < 0 else told // unit

    return _OfDevice(read, otherwise)


def _load_without_maps(job, device: str):
    """Loads the variant for launches whose tensor maps cannot be built. A function of the job, which does not own loaded kernels."""
    plan = job.plan.without_tensor_maps()
    return native_device(device).load(Job(job.src, plan).run(plan.binary_ext))


_MADE_AGAIN = ("metadata", "packed_metadata", "module", "function", "n_regs", "n_spills", "n_max_threads", "_run", "_start", "_is_everywhere")


class CompiledKernel:
    """A kernel that can be loaded and launched. It is loaded when it is launched, or when `run` or a handle is read.

    What the library's launches do not need (the record, the metadata, the stages) is read when somebody asks: a first launch of a
    kernel from a pack or from the cache takes as long as its look-up."""

    # Handles; None if the kernel is not loaded.
    module = _OfDevice(_read_module, lambda kernel: None)
    function = _OfDevice(_read_function, lambda kernel: None)
    # The largest number of threads per CTA, given the registers that each needs. Reading it loads the kernel.
    n_max_threads = _OfDevice(_read_threads, _load_to_read_threads)
    # Registers, and 32-bit words of spilled registers and of the stack, per thread.
    n_regs = _resource("registers", "registers")
    n_spills = _resource("local_bytes", "spill_bytes", unit=4)

    # True if the kernel is loaded on the only device that it can run on. What launches it there is kept.
    _is_everywhere = False
    _run = _start = None

    def __init__(self, job, native_kernel) -> None:
        self.src = job.src
        self._made = _Made(job, native_kernel)
        self.hash = native_kernel.key

    @lazily
    def record(self) -> dict:
        """The ABI record of docs/abi.md."""
        return json.loads(self._native_kernel.metadata)

    @lazily
    def asm(self):
        return AsmDict(self._made.job.listed_stages, self._made.stage)

    @lazily
    def name(self) -> str:
        return self.record.get("symbol") or self.record["name"]

    @lazily
    def metadata(self):
        return self._make_metadata()

    @lazily
    def packed_metadata(self):
        return self._backend.pack_metadata(self.metadata)

    def __getstate__(self) -> dict:
        """Leaves the metadata out: its class is created at run time and cannot be pickled. It is computed again from the record."""
        self.record, self.asm, self.name
        return {name: value for name, value in self.__dict__.items() if name not in _MADE_AGAIN}

    def explain(self):
        """Returns what every pass did to this kernel: a Report, which saves itself as a page and shows itself in notebooks."""
        return self._made.job.explain()

    # --- Results ---------------------------------------------------------------------------------------------

    @property
    def _native_kernel(self):
        return self._made.kernel

    @property
    def _backend(self):
        return self._made.job.plan.backend

    @property
    def _options(self):
        return self._made.job.plan.options

    @property
    def flags(self) -> str:
        """The options as the library got them, as JSON; "" for the defaults."""
        return self._made.job.plan.flags

    @lazily
    def metadata_group(self) -> _FileGroup:
        stem = dump.file_stem(self.src)
        return _FileGroup([f"{stem}.{name}" for name in (*self._made.job.kept_stages, "json")], self._write_stage)

    def _write_stage(self, filename: str) -> str:
        name = filename.rpartition(".")[2]
        data = json.dumps(self.metadata._asdict(), default=vars) if name == "json" else self.asm[name]
        return dump.write_file(os.path.join(knobs.cache.kernel_dir, "files", self.hash, filename), data)

    @property
    def kernel(self):
        """The binary; PTX if there is no assembler."""
        return self.asm[self._made.job.plan.binary_ext]

    def _make_metadata(self):
        """A named tuple of the compiler's results and of every option."""
        record = self.record
        fields = {
            **self._options.__dict__,
            "hash": self.hash,
            "target": self._backend.target,
            "name": self.name,
            "shared": record["shared"],
            "num_warps": record["num_warps"] or self._options.num_warps,
            "num_ctas": record["num_ctas"],
            "tmem_size": 0,
            "global_scratch_size": record["global_scratch"]["bytes"],
            "global_scratch_align": record["global_scratch"]["align"],
            "profile_scratch_size": record["profile_scratch"]["bytes"],
            "profile_scratch_align": record["profile_scratch"]["align"],
            "tensordesc_meta": [],
            "triton_version": "3.6.0",
            "tessera_version": record["tessera_version"],
        }
        return _metadata_class(tuple(sorted(fields)))(**fields)

    def stage_times(self, backend) -> list:
        """[(stage, seconds)] of the stages that were run to make the binary; empty for a kernel from the cache."""
        names = [("frontend", "frontend"), *((stage, f"make_{stage}") for stage in backend.stages)]
        times = [(name, self._native_kernel.stage_seconds(stage)) for name, stage in names]
        return [(name, seconds) for name, seconds in times if seconds >= 0]

    # --- On a device -----------------------------------------------------------------------------------------------

    def load(self, device: str):
        """The library's loaded kernel on "cpu" or "cuda:0"; made once for each."""
        loaded = self._made.loaded.get(device)
        return loaded if loaded is not None else self._load(device)

    def _load(self, device: str):
        opened, native, hooks = native_device(device), self._native_kernel, knobs.runtime
        if knobs._is_installed(hooks.kernel_load_start_hook):
            self._tell(hooks.kernel_load_start_hook, None, None)
        try:
            loaded = opened.load(native)
        except _native.DeviceFailure:
            self._check_limit(native.number("shared"), opened.property("max_shared_mem"), "shared memory")
            self._check_threads(opened)
            raise
        if native.number("tensor_maps"):
            loaded.set_fallback(functools.partial(_load_without_maps, self._made.job, device))
        self._made.loaded[device] = loaded
        self._is_everywhere = device == "cpu" or _native.has_one_gpu()
        if knobs._is_installed(hooks.kernel_load_end_hook):
            self._tell(hooks.kernel_load_end_hook, _read_module(self, device, loaded), _read_function(self, device, loaded))
        return loaded

    def _tell(self, hook, module, function) -> None:
        hook(module, function, self.name, self.metadata_group, self.hash)

    @staticmethod
    def _check_limit(required: int, limit: int, name: str) -> None:
        if 0 <= limit < required:
            from ..runtime.errors import OutOfResources
            raise OutOfResources(required, limit, name)

    def _check_threads(self, opened) -> None:
        """Called after a load has failed: raises OutOfResources if a CTA has more threads than its registers allow."""
        try:
            image = self.kernel
            found = opened.load_binary(self.name, image if isinstance(image, bytes) else image.encode())
        except _native.DeviceFailure:
            return
        threads = self.record["num_warps"] * self.record["threads_per_warp"]
        self._check_limit(threads, found.resource("max_threads_per_block"), "threads")

    def _init_handles(self) -> None:
        """Loads the kernel on the current device. Programs call this before each launch."""
        if not self._is_everywhere:
            self.load(self._current_device())

    def _current_device(self) -> str:
        if self._is_everywhere:
            return next(iter(self._made.loaded))
        if self._backend.target.backend == "cpu":
            return "cpu"
        from ..runtime.driver import driver
        return f"cuda:{driver.active.get_current_device()}"

    # --- Launching -------------------------------------------------------------------------------------------------

    @property
    def run(self):
        """f(gx, gy, gz, stream, function, packed_metadata, launch_metadata, enter_hook, exit_hook, *args) on the device
        that is current now. `args` are for all parameters; those of constants are ignored."""
        run = self._run or self._launcher(self._current_device())
        if self._is_everywhere:
            self._run = run
        return run

    def _launcher(self, device: str):
        launch, passed, is_installed = self.load(device).launch, self.src.passed, knobs._is_installed

        def run(gx, gy, gz, stream, function, packed_metadata, launch_metadata, enter_hook, exit_hook, *args) -> None:
            if enter_hook is not None and is_installed(enter_hook):
                enter_hook(launch_metadata)
            launch(gx, gy, gz, stream or 0, passed(args))
            if exit_hook is not None and is_installed(exit_hook):
                exit_hook(launch_metadata)

        return run

    def launch_metadata(self, grid, stream, *args):
        """The argument of launch hooks; None without hooks."""
        if not knobs.has_launch_hooks:
            return None
        self._init_handles()
        data = LazyDict({"name": self.name, "function": self.function, "stream": stream})
        describe = getattr(getattr(self.src, "fn", None), "launch_metadata", None)
        if describe is not None:
            data.add(describe, (grid, self.metadata, dict(zip(self.src.fn.arg_names, args))))
        return data

    def __getitem__(self, grid):
        """kernel[gx, gy, gz](*args, stream=None): arguments for all parameters, constants included."""
        if len(grid) != 3:
            raise ValueError(f"the grid of a compiled kernel has three extents, not {len(grid)}")
        start = self._start or self._starter(self._current_device())
        if self._is_everywhere:
            self._start = start

        def launch(*args, stream=None) -> None:
            if knobs.has_launch_hooks:
                self._launch_with_hooks(grid, stream, args)
            else:
                start(*grid, stream, args)

        return launch

    def _starter(self, device: str):
        """f(gx, gy, gz, stream or None, args) on a device, without hooks."""
        launch, passed, current_stream = self.load(device).launch, self.src.passed, _native.current_stream
        number = None if device == "cpu" else int(device[5:])

        def start(gx, gy, gz, stream, args) -> None:
            if stream is None:
                stream = 0 if number is None else current_stream(number)
            launch(gx, gy, gz, stream, passed(args))

        return start

    def _launch_with_hooks(self, grid, stream, args) -> None:
        device, hooks = self._current_device(), knobs.runtime
        if stream is None:
            stream = 0 if device == "cpu" else _native.current_stream(int(device[5:]))
        self._launcher(device)(*grid, stream, None, None, self.launch_metadata(grid, stream, *args), hooks.launch_enter_hook,
                               hooks.launch_exit_hook, *args)

    def __repr__(self) -> str:
        return f"<CompiledKernel {self.name} for {self._made.job.plan.target}>"


def max_shared_mem(device) -> int:
    """The bytes of shared memory that a kernel can use on the device of this number."""
    from ..runtime.driver import driver
    return driver.active.utils.get_device_properties(device)["max_shared_mem"]


_OF_RUNTIME = {"OutOfResources": "errors", "driver": "driver", "get_cache_invalidating_env_vars": "cache",
               "get_cache_manager": "cache", "get_dump_manager": "cache", "get_override_manager": "cache", "triton_key": "cache"}


def __getattr__(name):
    """Names that ahead-of-time tools import from here. Modules of the runtime, so they are imported at first use."""
    if name not in _OF_RUNTIME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib
    return getattr(importlib.import_module(f"..runtime.{_OF_RUNTIME[name]}", __package__), name)
