"""Settings from environment variables, and hooks.

    knobs.compilation.dump_ir                # TRITON_KERNEL_DUMP, read at each access
    knobs.compilation.dump_ir = True         # overrides the variable, and sets it for child processes
    del knobs.compilation.dump_ir            # the variable counts again; `= knobs.env` does the same
    with knobs.compilation.scope(): ...      # restores all values afterwards

Only this module reads the environment; the compiler never does. Knobs become options of a compilation, which are part of the
kernel's key, or settings of a session, which are not (compiler/session.py). `WITHOUT_EFFECT` lists the variables that are
accepted and ignored.
"""
from __future__ import annotations

import os
import sys

from . import _native


class Env:
    """The type of `knobs.env`."""


env = Env()

# If true, assignments are written to the environment.
propagate_env: bool = True

_ABSENT = object()
_TRUE = frozenset(("1", "y", "on", "yes", "true"))

# Variables of Triton that are accepted and ignored, with the reason.
WITHOUT_EFFECT = {
    "TRITON_BACKENDS_IN_TREE": "the targets are part of the library; nothing is discovered",
    "TRITON_DEFAULT_BACKEND": "the arguments of a launch decide",
    "TRITON_PTXAS_BLACKWELL_PATH": "one assembler serves all chips",
    "TRITON_MOCK_PTX_VERSION": "the option ptx_version chooses one",
    "USE_IR_LOC": "compile the dumped stage's file instead: its lines are then the locations",
    "LLVM_EXTRACT_DI_LOCAL_VARIABLES": "there is the option debug_info on the CPU",
    "TRITON_ENABLE_ASAN": "TRITON_INTERPRET=1 and `tessera run --sanitize` check accesses",
    "MLIR_DISABLE_MULTITHREADING": "a compilation uses one thread",
    "LLVM_ENABLE_TIMING": "MLIR_ENABLE_TIMING tells the time of each stage",
    "TRITON_ENABLE_LLVM_DEBUG": "LLVM is built without debug output",
    "TRITON_LLVM_DEBUG_ONLY": "LLVM is built without debug output",
    "DISABLE_LLVM_OPT": "the stages rely on it",
    "DISABLE_MMA_V3": "the chip decides",
    "DISABLE_MMA_V5": "the chip decides",
    "TRITON_INSTRUMENTATION_MODE": "consan turns on debug, as it does in Triton; there is no concurrency sanitizer for GPUs",
    "TRITON_PREFER_TMEM_16x256_LAYOUT": "layouts are chosen by their cost",
    "ALLOW_LHS_TMEM_LAYOUT_CONVERSION": "layouts are chosen by their cost",
    "TRITON_ENABLE_EXPERIMENTAL_CONSAN": "there is no concurrency sanitizer for GPUs",
    "TRITON_DUMP_MIR": "LLVM's machine IR is not shown",
    "LLVM_PASS_PLUGIN_PATH": "no plugins are loaded",
    "TRITON_LIBCUDA_PATH": "libcuda.so.1 is opened as the system finds it",
    "TRITON_LIBHIP_PATH": "the libamdhip64.so that the process has is used, else the one that the system finds, or ROCm's",
}


_in_bytes: dict = {}  # names of variables, as os.environ keeps them


def variable(key: str) -> str | None:
    """os.environ.get(key); five times as fast for a variable that is not set, as most are not."""
    held = getattr(os.environ, "_data", None)
    if held is not None:
        name = _in_bytes.get(key)
        if name is None:
            name = _in_bytes[key] = os.fsencode(key)
        if name not in held:
            return None
    return os.environ.get(key)


def set_variables(variables: dict) -> None:
    """Sets environment variables, or removes those whose value is None."""
    for key, text in variables.items():
        if text is None:
            os.environ.pop(key, None)
        else:
            os.environ[key] = text


def setenv(key: str, value: str | None) -> None:
    if propagate_env:
        set_variables({key: value})


def _as_variable(value):
    """A value as an environment variable; None to unset it, _ABSENT if it cannot be one."""
    if value is None:
        return None
    if type(value) is bool:
        return "1" if value else "0"
    return str(value) if type(value) in (str, int) else _ABSENT


class env_base:
    """A knob: an attribute whose value is that of an environment variable, until it is assigned."""

    def __init__(self, key: str, default=None) -> None:
        self.key = key
        self.default = default
        # The variable's name as os.environ keeps it, if a value for a variable that is not set needs no computing.
        is_plain = not callable(default) and type(self).get is env_base.get
        self._in_bytes = os.fsencode(key) if is_plain else None

    def __set_name__(self, owner, name: str) -> None:
        self.name = name

    def __get__(self, group, owner=None):
        if group is None:
            return self
        value = group.__dict__.get(self.name, _ABSENT)
        if value is not _ABSENT:
            return self.transform(value)
        # Launches read several knobs, and most variables are not set.
        held = getattr(os.environ, "_data", None)
        return self.default if self._in_bytes is not None and held is not None and self._in_bytes not in held else self.get()

    def __set__(self, group, value) -> None:
        if isinstance(value, Env):
            group.__dict__.pop(self.name, None)
            return
        group.__dict__[self.name] = value
        text = _as_variable(value)
        if text is not _ABSENT:
            setenv(self.key, text)

    def __delete__(self, group) -> None:
        group.__dict__.pop(self.name, None)

    def get(self):
        text = variable(self.key)
        if text is None:
            return self.default() if callable(self.default) else self.default
        return self.parse(text)

    def parse(self, text: str):
        return text

    def transform(self, value):
        """The value that reading returns after `value` was assigned."""
        return value


class env_str(env_base):
    pass


class env_opt_str(env_base):
    pass


class env_bool(env_base):

    def __init__(self, key: str, default: bool = False) -> None:
        super().__init__(key, default)

    def parse(self, text: str) -> bool:
        return text.strip().lower() in _TRUE


class env_opt_bool(env_bool):

    def __init__(self, key: str) -> None:
        super().__init__(key, None)


class env_int(env_base):

    def __init__(self, key: str, default: int = 0) -> None:
        super().__init__(key, default)

    def parse(self, text: str) -> int:
        try:
            return int(text)
        except ValueError as error:
            raise RuntimeError(f"{self.key}={text}: a whole number is expected") from error


class env_class(env_base):
    """MODULE:CLASS, where CLASS must be a subclass of one called `base`."""

    def __init__(self, key: str, base: str) -> None:
        super().__init__(key)
        self.base = base

    def parse(self, text: str):
        import importlib
        module, colon, name = text.partition(":")
        if not colon:
            raise RuntimeError(f"{self.key}={text}: MODULE:CLASS is expected")
        try:
            cls = getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError) as error:
            raise RuntimeError(f"{self.key}={text}: {error}") from error
        if all(each.__name__ != self.base for each in cls.__mro__):
            raise RuntimeError(f"{self.key}={text}: {name} is no {self.base}")
        return cls


class env_nvidia_tool(env_base):
    """A program of the CUDA toolkit: assigned as a path, read as a NvidiaTool."""

    def __init__(self, binary: str) -> None:
        super().__init__(f"TRITON_{binary.upper().replace('-', '_')}_PATH")
        self.binary = binary

    def get(self) -> NvidiaTool:
        return self.transform(variable(self.key))

    def transform(self, path) -> NvidiaTool:
        found = self.path_of(path)
        if not found:
            raise RuntimeError(f"no {self.binary} was found; put it on PATH or set {self.key}")
        return NvidiaTool(found)

    def path_of(self, path: str | None) -> str:
        from .backends import description
        if path and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
        return description.find_tool(self.binary) or description.find_tool(self.binary.partition("-")[0])


class NvidiaTool:
    """The path of a tool, and its version, which is computed when it is read."""

    def __init__(self, path: str, version: str | None = None) -> None:
        self.path = path
        self._version = version

    @property
    def version(self) -> str | None:
        if self._version is None:
            self._version = _release_of(self.path)
        return self._version

    @staticmethod
    def from_path(path: str) -> NvidiaTool | None:
        tool = NvidiaTool(path)
        return tool if tool.version else None

    def __repr__(self) -> str:
        return f"NvidiaTool(path={self.path!r})"


def _release_of(program: str) -> str | None:
    """Returns the release that `--version` of a CUDA tool prints, such as "13.0"; None if it prints none."""
    import re
    import subprocess
    try:
        text = subprocess.run([program, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(rb"release (\d+\.\d+)", text)
    return match.group(1).decode() if match else None


class CompileTimes:
    """The argument `times` of `compilation.listener`, in microseconds.

    `ir_initialization` is the time of the frontend, `lowering_stages` a list of (extension, time) in order, `store_results` the
    rest: the key, the cache, the Python objects.
    """

    def __init__(self, ir_initialization: int, lowering_stages, store_results: int) -> None:
        self.ir_initialization = ir_initialization
        self.lowering_stages = lowering_stages
        self.store_results = store_results

    @property
    def total_lowering(self) -> int:
        return sum(time for _, time in self.lowering_stages)

    @property
    def total(self) -> int:
        return self.ir_initialization + self.total_lowering + self.store_results

    def __repr__(self) -> str:
        return (f"CompileTimes(ir_initialization={self.ir_initialization}, lowering_stages={self.lowering_stages}, "
                f"store_results={self.store_results})")


class HookChain:
    """Functions that are called in the order in which they were added, or in the reverse order."""

    def __init__(self, reversed: bool = False) -> None:
        self.calls: list = []
        self.reversed = reversed

    def add(self, func) -> None:
        if func not in self.calls:
            self.calls.append(func)
        _choose_launch_path()

    def remove(self, func) -> None:
        if func in self.calls:
            self.calls.remove(func)
        _choose_launch_path()

    def __call__(self, *args, **kwargs) -> None:
        for call in self.calls[::-1] if self.reversed else self.calls[:]:
            call(*args, **kwargs)


class base_knobs:
    """A group of knobs."""

    @property
    def knob_descriptors(self) -> dict:
        return {name: knob for name, knob in vars(type(self)).items() if isinstance(knob, env_base)}

    @property
    def knobs(self) -> dict:
        """All values; None for a tool that is not found."""

        def value_of(name):
            try:
                return getattr(self, name)
            except RuntimeError:
                return None

        return {name: value_of(name) for name in self.knob_descriptors}

    def copy(self):
        twin = type(self)()
        twin.__dict__.update(self.__dict__)
        return twin

    def reset(self):
        for name in self.knob_descriptors:
            delattr(self, name)
        return self

    def scope(self):
        """A context manager that restores the knobs and their environment variables."""
        from contextlib import contextmanager
        return contextmanager(type(self)._restoring)(self)

    def _restoring(self):
        before = dict(self.__dict__)
        variables = {knob.key: variable(knob.key) for knob in self.knob_descriptors.values()}
        try:
            yield
        finally:
            self.__dict__.clear()
            self.__dict__.update(before)
            set_variables(variables)
            _choose_launch_path()
            choose_cpu_threads()


class build_knobs(base_knobs):
    """For programs that build C modules of their own (runtime/build.py); launches need no C compiler."""
    cc = env_opt_str("CC")
    cudacrt_path = env_opt_str("TRITON_CUDACRT_PATH")
    cudart_path = env_opt_str("TRITON_CUDART_PATH")
    impl = None

    @property
    def backend_dirs(self) -> set:
        return {path for path in (self.cudacrt_path, self.cudart_path) if path is not None}


class redis_knobs(base_knobs):
    key_format = env_str("TRITON_REDIS_KEY_FORMAT", "triton:{key}:{filename}")
    host = env_str("TRITON_REDIS_HOST", "localhost")
    port = env_int("TRITON_REDIS_PORT", 6379)


class cache_knobs(base_knobs):
    home_dir = env_str("TRITON_HOME", lambda: os.path.expanduser("~/"))
    dump_dir = env_str("TRITON_DUMP_DIR", lambda: cache.get_triton_dir("dump"))
    override_dir = env_str("TRITON_OVERRIDE_DIR", lambda: cache.get_triton_dir("override"))
    dir = env_str("TRITON_CACHE_DIR", lambda: cache.get_triton_dir("cache"))
    # all: kernels that other users have put into the folder are loaded, too
    trust = env_str("TESSERA_CACHE_TRUST", "")
    # A server behind the folder, redis://HOST:PORT or http://HOST:PORT/FOLDER; the milliseconds that a call may take; the largest
    # size of the folder, as 10G (docs/packs.md)
    remote = env_str("TESSERA_CACHE_REMOTE", "")
    timeout = env_str("TESSERA_CACHE_TIMEOUT", "")
    limit = env_str("TESSERA_CACHE_LIMIT", "")
    manager_class = env_class("TRITON_CACHE_MANAGER", "CacheManager")
    remote_manager_class = env_class("TRITON_REMOTE_CACHE_BACKEND", "RemoteCacheBackend")

    def get_triton_dir(self, dirname: str) -> str:
        return os.path.join(self.home_dir, ".triton", dirname)

    @property
    def kernel_dir(self) -> str:
        """The folder of compiled kernels: the library's default, which the command line uses too, unless a program assigns `dir`."""
        if not variable("TESSERA_CACHE_DIR") and not {"dir", "home_dir"}.isdisjoint(vars(self)):
            return os.path.join(self.dir, "tessera")  # a folder of our own: another compiler may have `dir`, too
        from .backends.description import describe
        return describe()["cache_folder"]


class compilation_knobs(base_knobs):
    override = env_bool("TRITON_KERNEL_OVERRIDE")
    dump_ir = env_bool("TRITON_KERNEL_DUMP")
    dump_ir_extract_di_local_variables = env_bool("LLVM_EXTRACT_DI_LOCAL_VARIABLES")
    store_binary_only = env_bool("TRITON_STORE_BINARY_ONLY")
    always_compile = env_bool("TRITON_ALWAYS_COMPILE")
    use_ir_loc = env_opt_str("USE_IR_LOC")
    enable_asan = env_bool("TRITON_ENABLE_ASAN")
    disable_line_info = env_bool("TRITON_DISABLE_LINE_INFO")
    front_end_debugging = env_bool("TRITON_FRONT_END_DEBUGGING")
    allow_non_constexpr_globals = env_bool("TRITON_ALLOW_NON_CONSTEXPR_GLOBALS")
    # In Triton these are read in C++; here they are knobs like all others.
    dump_passes = env_str("MLIR_ENABLE_DUMP", "")
    dump_passes_path = env_str("MLIR_DUMP_PATH", "")
    dump_llvm_ir = env_bool("LLVM_IR_ENABLE_DUMP")
    time_stages = env_bool("MLIR_ENABLE_TIMING")
    # A folder for reports of what every pass did, one page for each kernel that is compiled (docs/explain.md)
    explain = env_str("TESSERA_EXPLAIN", "")
    # 1, or a regular expression over the names of passes: print what they decided (docs/debugging.md)
    remarks = env_str("TESSERA_REMARKS", "")
    # Triton's variables for remarks: 1; and a list of kinds, of which "remarks" counts, as all else is part of the error
    enable_remark = env_bool("MLIR_ENABLE_REMARK")
    enable_diagnostics = env_str("MLIR_ENABLE_DIAGNOSTICS", "")
    # True: tl.device_print prints the values of every thread of a GPU, as in Triton; else each value once
    print_every_thread = env_bool("TESSERA_PRINT_EVERY_THREAD")
    # True: on the CPU tl.device_print prints one line per call and program, and shortens long tensors
    print_rows = env_bool("TESSERA_PRINT_ROWS")
    reproducer_path = env_str("TRITON_REPRODUCER_PATH", "")
    # Read once, because launches depend on it; refresh_knobs() reads it again.
    instrumentation_mode: str = os.environ.get("TRITON_INSTRUMENTATION_MODE", "")
    # f(src=, metadata=, metadata_group=, times=, cache_hit=) after each compilation
    listener = None

    @property
    def remarks_pattern(self) -> str:
        """The regular expression over the names of the passes whose remarks are printed; "" for none."""
        if self.remarks not in ("", "0"):
            return "." if self.remarks == "1" else self.remarks
        return "." if self.enable_remark or "remarks" in self.enable_diagnostics.lower().split(",") else ""


class autotuning_knobs(base_knobs):
    # None: keep the timings of the built-in benchmark; False: keep none; True: also those of a user's do_bench
    cache = env_opt_bool("TRITON_CACHE_AUTOTUNING")
    print = env_bool("TRITON_PRINT_AUTOTUNING")
    # time | stored | first: how the best configuration is chosen (runtime/autotuner.py)
    choice = env_str("TESSERA_AUTOTUNE_CHOICE", "time")


class runtime_knobs(base_knobs):
    interpret = env_bool("TRITON_INTERPRET")
    override_arch = env_opt_str("TRITON_OVERRIDE_ARCH")
    # warn | error: the effect of compiling a kernel again (docs/python.md)
    on_recompile = env_str("TESSERA_ON_RECOMPILE", "")
    # A folder to which the kernels that the program launches are recorded (docs/shipping.md)
    record = env_str("TESSERA_RECORD", "")
    # Files of compiled kernels, separated by ':', a public key that they must be signed with, and error, warn or allow for
    # kernels that they do not have (docs/packs.md)
    pack = env_str("TESSERA_PACK", "")
    pack_key = env_str("TESSERA_PACK_KEY", "")
    on_compile = env_str("TESSERA_ON_COMPILE", "")
    # Read once, because every launch depends on them; refresh_knobs() reads them again.
    debug: bool = env_bool("TRITON_DEBUG").get()
    # The number of threads that run kernels on the CPU; 0: torch's number, or that of OMP_NUM_THREADS, or all cores
    cpu_threads: int = 0

    # f(metadata) around each launch; metadata.get() is a dict
    launch_enter_hook = HookChain()
    launch_exit_hook = HookChain(reversed=True)
    # f(module, function, name, metadata_group, hash) around the loading of a binary
    kernel_load_start_hook = HookChain()
    kernel_load_end_hook = HookChain(reversed=True)
    # f(key=, repr=, fn=, compile=, is_manual_warmup=, already_compiled=); a true result of the first prevents the compilation
    jit_cache_hook = None
    jit_post_compile_hook = None
    # f(backend, stages, options, language, capability): called before a compilation with the names of the stages.
    # Changing the dict has no effect, because the stages are implemented in C++.
    add_stages_inspection_hook = None

    def __setattr__(self, name: str, value) -> None:
        super().__setattr__(name, value)
        if name in ("debug", "launch_enter_hook", "launch_exit_hook"):
            _choose_launch_path()
        if name == "cpu_threads":
            choose_cpu_threads()


class language_knobs(base_knobs):
    fp32_default = env_opt_str("TRITON_F32_DEFAULT")
    default_fp_fusion = env_bool("TRITON_DEFAULT_FP_FUSION", True)


class nvidia_knobs(base_knobs):
    cuobjdump = env_nvidia_tool("cuobjdump")
    nvdisasm = env_nvidia_tool("nvdisasm")
    ptxas = env_nvidia_tool("ptxas")
    ptxas_blackwell = env_nvidia_tool("ptxas-blackwell")
    dump_nvptx = env_bool("NVPTX_ENABLE_DUMP")
    disable_ptxas_opt = env_bool("DISABLE_PTXAS_OPT")
    ptxas_options = env_opt_str("PTXAS_OPTIONS")
    mock_ptx_version = env_opt_str("TRITON_MOCK_PTX_VERSION")
    dump_ptxas_log = env_bool("TRITON_DUMP_PTXAS_LOG")
    libdevice_path = env_opt_str("TRITON_LIBDEVICE_PATH")
    libcuda_path = env_opt_str("TRITON_LIBCUDA_PATH")


class amd_knobs(base_knobs):
    use_buffer_ops = env_bool("AMDGCN_USE_BUFFER_OPS", True)
    use_buffer_atomics = env_bool("AMDGCN_USE_BUFFER_ATOMICS", True)
    buffer_ops_analyze_small_tensor_range = env_bool("AMDGCN_ANALYZE_SMALL_TENSOR_RANGE")
    dump_amdgcn = env_bool("AMDGCN_ENABLE_DUMP")
    libhip_path = env_opt_str("TRITON_LIBHIP_PATH")
    use_block_pingpong = env_opt_bool("TRITON_HIP_USE_BLOCK_PINGPONG")
    use_in_thread_transpose = env_opt_bool("TRITON_HIP_USE_IN_THREAD_TRANSPOSE")
    use_async_copy = env_bool("TRITON_HIP_USE_ASYNC_COPY")
    scalarize_packed_fops = env_bool("AMDGCN_SCALARIZE_PACKED_FOPS")


class proton_knobs(base_knobs):
    disable = env_bool("TRITON_PROTON_DISABLE")
    cupti_lib_dir = env_str("TRITON_CUPTI_LIB_PATH", "")
    enable_nvtx = env_bool("TRITON_ENABLE_NVTX", True)


build = build_knobs()
redis = redis_knobs()
cache = cache_knobs()
compilation = compilation_knobs()
autotuning = autotuning_knobs()
runtime = runtime_knobs()
language = language_knobs()
nvidia = nvidia_knobs()
amd = amd_knobs()
proton = proton_knobs()


_last_state: tuple = (None, None)


def state() -> object:
    """An object that stays the same until a variable, a knob or sys.path changes; caches of values that depend on them compare it."""
    global _last_state
    # os.environ keeps the variables in bytes, which are quick to compare.
    now = [getattr(os.environ, "_data", os.environ), sys.path, *map(vars, (build, redis, cache, compilation, autotuning, runtime, language, nvidia, amd, proton))]
    seen, current = _last_state
    if now != seen:
        seen, current = [each.copy() for each in now], object()
        _last_state = seen, current
    return current


def _is_installed(hook) -> bool:
    return bool(hook.calls) if isinstance(hook, HookChain) else hook is not None


_run_is_replaced = False
has_launch_hooks = False


def run_is_replaced(is_replaced: bool) -> None:
    """Called when a program replaces JITFunction.run, or restores it (runtime/monkey_patching.py)."""
    global _run_is_replaced
    _run_is_replaced = is_replaced
    _choose_launch_path()


def _choose_launch_path() -> None:
    """Lets launches call `run` in Python if there are launch hooks, TRITON_DEBUG is set or `run` is replaced, because the fast path
    in C knows none of these. Warm-ups do the same, except that they have no hooks."""
    in_python = _run_is_replaced or runtime.debug
    global has_launch_hooks
    has_launch_hooks = _is_installed(runtime.launch_enter_hook) or _is_installed(runtime.launch_exit_hook)
    _native.set_launch_hooks(in_python or has_launch_hooks, in_python)


def choose_cpu_threads() -> None:
    """Tells the extension how many threads launches on the CPU use."""
    try:
        fallback = max(0, min(4096, int((variable("OMP_NUM_THREADS") or "0").partition(",")[0])))
    except ValueError:  # of OpenMP's variables, which OpenMP complains about itself
        fallback = 0
    if type(runtime.cpu_threads) is not int:
        raise TypeError(f"knobs.runtime.cpu_threads is an int, not {runtime.cpu_threads!r}")
    _native.set_cpu_threads(runtime.cpu_threads, fallback)


def refresh_knobs() -> None:
    """Reads the variables again that are read only once."""
    runtime.cpu_threads = env_int("TESSERA_NUM_THREADS").get()
    runtime.debug = env_bool("TRITON_DEBUG").get()
    compilation.instrumentation_mode = os.environ.get("TRITON_INSTRUMENTATION_MODE", "")


_choose_launch_path()
runtime.cpu_threads = env_int("TESSERA_NUM_THREADS").get()


def __getattr__(name: str):
    """The types of hooks and listeners."""
    if not name.startswith("_"):
        from . import _hook_types
        found = getattr(_hook_types, name, None)
        if getattr(found, "__module__", None) == _hook_types.__name__ or name == "KernelAttr":
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
