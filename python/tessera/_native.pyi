"""The interface of the C extension, which wraps libtessera.so and implements the launch path.

All classes wrap include/tessera.h, except Launchable, which implements the steps of a launch in C: bind the arguments, classify
them (docs/python.md#specialization), look up the compiled variant, evaluate the grid, launch.

Threads: every call that compiles, loads, launches or waits releases the GIL. Objects may be shared between threads.
"""
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Type, Union

def version() -> str: ...
def describe(target: Optional[str], package_folders: bytes) -> Dict[str, Any]:
    """What the library can do (tessera_describe in include/tessera.h); ValueError for an unknown target."""
def scalar_types() -> Tuple[Tuple[str, str, int, str, Tuple[str, str], Optional[Tuple[int, int]]], ...]:
    """The rows of include/tessera/Kernel/ScalarTypes.def: the spelling in signatures ("fp32"), the name in tl ("float32"), bits, the C
    type of an argument, further spellings in signatures and further names on the host (each separated by spaces), and of a float the
    bits of its mantissa and its exponent's bias."""
def references(text: str, path: str, line: int) -> List[str]:
    """The free names that a function's source reads, as dotted paths; ValueError with the diagnostics if it does not parse."""
def outline(text: str, path: str) -> Dict[str, Any]:
    """The structure of an IR module (tessera_module_outline); ValueError with the diagnostics if it does not parse."""
def link(request: str) -> Dict[str, str]:
    """The header and source of tessera_link, which takes JSON; ValueError if the headers do not fit together."""

class CompileFailure(Exception):
    """`status` is the tessera_status (1 the program is wrong, 2 usage, 3 unsupported, 4 questions, 70 a bug of Tessera); `report` is
    the JSON report of docs/program.md. str() is the message that the command line prints."""
    status: int
    report: str

class DeviceFailure(RuntimeError):
    """tessera.DeviceError: a device cannot be opened, or a kernel cannot be loaded or launched; str() says why."""

class DeviceAssertion(DeviceFailure):
    """tessera.DeviceAssertError: a tl.device_assert of the kernel failed."""

def set_cpu_threads(chosen: int, fallback: int = 0) -> None:
    """Sets the number of threads that run kernels on the CPU: `chosen`, if not 0; else torch's, if torch is loaded; else `fallback`, if not
    0; else one per core."""
def cpu_threads() -> int:
    """The number of threads of a launch from this thread; 0 for one per core."""
def handle_breakpoints() -> None:
    """Lets breakpoint() in sanitized kernels call tessera.runtime.breakpoints.stop."""
def interrupt_compilations() -> None:
    """Ends the assemblers that compilations on other threads than the main one are waiting for."""

def explain_page(report: str) -> str:
    """The HTML page of a report that Session.explain made."""

class Session:
    def __init__(self, settings: Optional[Dict[str, str]] = None) -> None:
        """`settings` are those of tessera_session_set: "ptxas", "libdevice", "disassembler", "cache-dir", "dump-dir", ..."""
    def compile_program(self, program: str, target: str, options: str = "", outputs: Optional[str] = None) -> Kernel:
        """Raises CompileFailure. A KeyboardInterrupt that arrives during the compilation is raised in the place of any other outcome."""
    def program_key(self, program: str, target: str, options: str = "") -> str:
        """The key that compile_program's kernel will have, without compiling it. Raises CompileFailure."""
    def choices(self, kernel: str) -> str:
        """What autotune chose for a kernel of this name, from the session's packs: a JSON array."""
    def fetch(self, name: str) -> Optional[bytes]:
        """A blob of the server behind the cache folder; None if there is no server, it does not answer, or has none."""
    def share(self, name: str, blob: bytes) -> bool:
        """Puts a blob there; returns whether it was kept."""
    def compile_file(self, path: str, text: Optional[str], kernel_name: Optional[str], signature: Optional[str],
                     target: str, options: str = "", outputs: Optional[str] = None) -> Kernel: ...

    def explain(self, path: str, text: Optional[str], kernel_name: Optional[str], signature: Optional[str], target: str,
                options: str = "") -> Tuple[str, int]:
        """What every pass does: the JSON of docs/explain.md, and the status of the compilation (tessera_explain)."""

class Kernel:
    """A compiled kernel; immutable."""
    @property
    def metadata(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def is_cached(self) -> bool: ...
    @property
    def warnings(self) -> Optional[str]:
        """The JSON report of warnings, or None."""
    def artifact(self, extension: str) -> Optional[bytes]: ...
    def number(self, field: str) -> int: ...
    def stage_seconds(self, stage: str) -> float: ...
    def pack(self) -> bytes:
        """Serializes the kernel with all its outputs, for Kernel.unpack in another process."""
    @staticmethod
    def unpack(key: str, packed: bytes) -> Kernel:
        """Raises ValueError if the bytes are damaged, or were packed from a kernel with another key."""
    def launcher(self, request: str) -> str:
        """The C source and header that launch the kernel (tessera_kernel_launcher); takes and returns JSON. Raises CompileFailure."""

class Device:
    """`name`: "cpu", "cuda", "cuda:1"; `options`: "threads=4" for the CPU. Raises DeviceFailure."""
    def __init__(self, name: str, options: str = "") -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def target(self) -> str: ...
    def property(self, name: str) -> int: ...
    def synchronize(self) -> None: ...
    def load(self, kernel: Kernel) -> LoadedKernel: ...
    def can_access(self, address: int) -> bool:
        """Returns whether kernels on this device can access the address; always True on the CPU."""
    def load_binary(self, symbol: str, binary: bytes, shared: int = 0) -> LoadedKernel:
        """Loads a CUBIN or PTX of another compiler. It has handles, resources and an occupancy, but cannot be launched."""
    def set_limit(self, name: str, bytes: int) -> None:
        """Sets "printf_bytes", "heap_bytes" or "stack_bytes" of a GPU; `property` reads them."""

class LoadedKernel:
    @property
    def device(self) -> Device: ...
    def resource(self, name: str) -> int: ...
    def handle(self, name: str) -> int:
        """The CUmodule ("module") or CUfunction ("function"); 0 on the CPU."""
    def occupancy(self, shared: int, cluster: int = 0) -> int:
        """The number of CTAs with so much dynamic shared memory that a multiprocessor holds at once; with `cluster`, the number of
        clusters of so many CTAs that the device holds. Raises DeviceFailure without a GPU."""
    def set_fallback(self, make: Callable[[], LoadedKernel]) -> None:
        """`make` returns the kernel without tensor maps. It is called once, by the first launch whose tensor maps cannot be built;
        such launches then take that kernel (docs/abi.md). Without it they raise DeviceFailure."""
    def launch(self, gx: int, gy: int, gz: int, stream: int, values: tuple, scratch: int = 0, profile: int = 0,
               extents: Optional[Sequence[Tuple[int, int]]] = None) -> None:
        """Launches the kernel by the argument types of its ABI record. `values` are the passed arguments (those without a constant)
        in order; tuples and tensor descriptors are flattened as docs/abi.md describes. Pointers may be ints, None, or any
        array that kernel[grid](...) takes. `extents` are (address, bytes) of each passed value, for kernels that were compiled
        with the option sanitize."""

class Variant:
    """One loaded variant, as the fast path needs it. `result` is the CompiledKernel that kernel[grid](...) returns."""
    def __init__(self, loaded: LoadedKernel, result: object) -> None: ...
    @property
    def loaded(self) -> LoadedKernel: ...
    @property
    def result(self) -> object: ...
    @property
    def launches(self) -> int: ...

# A leaf is ("i32", "D"), ("*fp32", ""), ("constexpr", value), ("fp32", None), ...; a tuple argument is (types, keys), both
# nested tuples; a forced type keeps the value's key: ("i32", 1).
Specialization = List[Tuple[Union[str, tuple], Any]]

class Launchable:
    """Base class of JITFunction (first in its bases).

    _set_parameters is called once, by __init__. Then kernel[grid](*args, **kwargs) works like this:
      1. `_uses_slow_path`, or launch hooks are installed: return self.run(*args, grid=grid, warmup=False, **kwargs).
      2. Bind and classify. Keyword arguments that are not parameters are options.
      3. Compare `_guards`; if one differs, call self._guards_changed(), which refreshes `_guards` and `_state`.
      4. Look up (device, `_state`, specialization, options). On a miss call self._make_variant(...) and keep its result. If
         it is None (a hook refused), nothing is launched, and the result is None.
      5. Evaluate the grid: a sequence of 1 to 3 ints, or a callable of {parameter name: value}. Launch; return
         variant.result.

    kernel.warmup(*args, grid=grid, **kwargs) does steps 2 and 3, and looks the kernel up in a table of its own. On a miss it calls
    self._compile_for_warmup(...) and keeps its result. If a program has replaced `run`, it returns
    self._warm_up_by_run(*args, grid=grid, **kwargs) instead. A torch.dtype stands for a tensor of it.
    """
    def _set_parameters(self, name: str, parameters: Sequence[Tuple[str, int, Optional[str], bool, Any]]) -> None:
        """`name` is for messages. Per parameter: name, flags, forced type or None, has_default, default. Flags: 1 constexpr,
        2 do_not_specialize, 4 do_not_specialize_on_alignment, 8 const pointer."""
    def __getitem__(self, grid: Any) -> Callable[..., Any]: ...
    def _launch(self, grid: Any, args: tuple, kwargs: Dict[str, Any]) -> Any:
        """Does steps 2 to 5; called by slow paths (hooks, autotuner)."""
    def _classify(self, args: tuple, kwargs: Dict[str, Any]) -> Tuple[Dict[str, Any], Specialization, Dict[str, Any], str]:
        """(bound: {name: value} in the parameters' order with defaults, specialization, options, device)."""
    def _find_variant(self, args: tuple, kwargs: Dict[str, Any]) -> Optional[Variant]:
        """Does steps 2 to 4, without launching."""
    def _find_call(self, args: tuple, kwargs: Dict[str, Any]) -> Optional[Tuple[Variant, Dict[str, Any], str]]:
        """The same, with the arguments of launch hooks: (variant, bound, device)."""
    def warmup(self, *args: Any, grid: Any, **kwargs: Any) -> Any: ...
    def _warm_up(self, args: tuple, kwargs: Dict[str, Any], compiles: bool = True) -> Any:
        """The warm-up for callers in Python, without a grid; returns None on a miss unless `compiles`."""
    def _add_variant(self, specialization: Specialization, options: Dict[str, Any], device: str, variant: Variant,
                     state: Any = ...) -> None:
        """Adds a variant to the table, under `state` or the current state. Called by precompile."""
    def _set_guards(self, guards: Sequence[Tuple[Any, str, Any]], state: Any) -> None:
        """Sets `_guards` and `_state` in one step, because other threads may launch meanwhile."""
    def _clear_variants(self) -> None: ...
    def _variants(self) -> List[Variant]: ...
    # Overridden in Python:
    def _make_variant(self, bound: Dict[str, Any], specialization: Specialization, options: Dict[str, Any],
                      device: str) -> Union[Variant, Tuple[Variant, Any], None]:
        """(variant, the `_state` that it was compiled with), since another thread may have changed `_state`."""
    def _guards_changed(self) -> None: ...
    def _compile_for_warmup(self, bound: Dict[str, Any], specialization: Specialization, options: Dict[str, Any],
                            device: str) -> Union[Tuple[Any, Any], Any]:
        """(kernel, state), or a future of a kernel, which is not added to the table."""
    def _warm_up_by_run(self, *args: Any, grid: Any, **kwargs: Any) -> Any: ...
    def _target_of_program(self) -> Any:
        """The target of warm-ups while set_program_target(True) is in effect; part of the key."""
    # Attributes that the fast path reads:
    _guards: Sequence[Tuple[Any, str, Any]]
    """(namespace, name, value): namespace[name] of a dict, or getattr(namespace, name) of anything else, must be `value`
    itself; `absent` stands for a name that does not exist."""
    _state: Any  # hashable; stands for the values of the guards in the key
    _uses_slow_path: bool

absent: object
def hold(guards: Tuple[Tuple[Any, str, Any], ...]) -> bool:
    """Whether all of these guards hold."""

def set_launch_hooks(launches: bool, warmups: bool = False) -> None:
    """While True every kernel[grid](...), or every kernel.warmup(...), calls self.run in Python."""
def set_program_target(has: bool) -> None:
    """While True warm-ups call self._target_of_program()."""
def set_allocator(allocator: Optional[Callable[[int, int, int], Any]]) -> None:
    """Called with (bytes, alignment, stream) when a kernel on a GPU needs scratch memory; returns an object with data_ptr().
    None: the device allocates the memory."""
def set_default_device(name: Optional[str]) -> None:
    """The device of launches without tensors: "cpu" or "cuda:N". None: torch's current device, else the first GPU,
    else the CPU."""
def current_device() -> str:
    """The device of launches without tensors."""
def current_gpu() -> int:
    """The number of torch's current GPU; without torch that of set_default_device, or the first."""
def has_one_gpu() -> bool:
    """Returns whether torch is loaded and sees exactly one GPU, which is then always the current one."""
def current_stream(device: Optional[int] = None) -> int:
    """The current CUDA stream of torch, 0 without torch."""
def register_type(kind: str, type: Type[Any]) -> None:
    """Registers the kind of arguments of this type and its subclasses: "constexpr" (has .value), "function" (has .cache_key; a
    Launchable needs no registration), "descriptor" (base, shape, strides, block_shape, padding; any class called TensorDescriptor
    is one), "pointer" (has data_ptr(), and each instance a dtype)."""
