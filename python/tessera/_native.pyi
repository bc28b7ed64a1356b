"""The contract of the C extension: libtessera.so for Python, and the launch path.

Everything here is thin over include/tessera.h but for Launchable, which does in C what happens at every launch: bind the
arguments, classify them (spec of the language, 2.7), find the compiled variant, evaluate the grid, launch.

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
    """The free names that a function's text reads, as dotted paths; ValueError with the diagnostics if it does not parse."""
def outline(text: str, path: str) -> Dict[str, Any]:
    """The structure of IR text (tessera_module_outline); ValueError with the diagnostics if it does not parse."""

class CompileFailure(Exception):
    """`status` as tessera_status (1 the program, 2 usage, 3 unsupported, 4 questions, 70 a bug of Tessera); `report` is the
    JSON of docs/program.md (compile_program) or the text that the command line prints (compile_file). str() is the text."""
    status: int
    report: str

class DeviceFailure(RuntimeError):
    """A device could not be opened, a kernel not be loaded or launched; str() says why."""

class Session:
    def __init__(self, settings: Optional[Dict[str, str]] = None) -> None:
        """`settings` as for tessera_session_set: "ptxas", "libdevice", "disassembler", "cache-dir", "dump-dir", ..."""
    def compile_program(self, program: str, target: str, options: str = "", outputs: Optional[str] = None) -> Kernel:
        """Raises CompileFailure; a KeyboardInterrupt that came meanwhile takes precedence over any outcome."""
    def program_key(self, program: str, target: str, options: str = "") -> str:
        """The key that compile_program's kernel will have; compiles nothing. CompileFailure."""
    def compile_file(self, path: str, text: Optional[str], kernel_name: Optional[str], signature: Optional[str],
                     target: str, options: str = "", outputs: Optional[str] = None) -> Kernel: ...

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
        """The JSON report of warnings that compile_program gave, if any."""
    def artifact(self, extension: str) -> Optional[bytes]: ...
    def stage_seconds(self, stage: str) -> float: ...
    def pack(self) -> bytes:
        """The kernel with all its outputs, for Kernel.unpack in another process."""
    @staticmethod
    def unpack(key: str, packed: bytes) -> Kernel:
        """ValueError unless the bytes were packed from a kernel with this key, and are whole."""
    def launcher(self, request: str) -> str:
        """The C source and header that launch the kernel: tessera_kernel_launcher, JSON in and out. CompileFailure."""

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
        """Whether kernels on this device may use the address: True on the CPU for all."""
    def load_binary(self, symbol: str, binary: bytes, shared: int = 0) -> LoadedKernel:
        """A CUBIN or PTX of any compiler: has handles, resources and an occupancy; cannot be launched."""
    def set_limit(self, name: str, bytes: int) -> None:
        """"printf_bytes", "heap_bytes", "stack_bytes" of a GPU; `property` reads them."""

class LoadedKernel:
    @property
    def device(self) -> Device: ...
    def resource(self, name: str) -> int: ...
    def handle(self, name: str) -> int:
        """"module" or "function": the CUmodule or CUfunction; 0 where there is none."""
    def occupancy(self, shared: int, cluster: int = 0) -> int:
        """How many blocks with so much dynamic shared memory a multiprocessor holds at once; with `cluster`, how many
        clusters of so many blocks the device holds. DeviceFailure where there is no GPU."""
    def launch(self, gx: int, gy: int, gz: int, stream: int, values: tuple, scratch: int = 0, profile: int = 0,
               extents: Optional[Sequence[Tuple[int, int]]] = None) -> None:
        """Generic, by the argument types of the metadata. `values` are the passed arguments (those without a constant) in
        order; tuples and tensor descriptors among them are flattened as docs/abi.md says. Pointers may be ints, None,
        or anything that kernel[grid](...) takes. `extents`, (address, bytes) for each passed value, are for kernels that
        were compiled with the option sanitize."""

class Variant:
    """One compiled specialization, as the fast path needs it. `result` is what kernel[grid](...) returns (the
    CompiledKernel)."""
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
      2. Bind and classify. Keyword arguments that are no parameters are options.
      3. Compare `_guards`; if one differs, call self._guards_changed(), which refreshes `_guards` and `_state`.
      4. Look up (device, `_state`, specialization, options). On a miss call self._make_variant(...) and keep its answer;
         None (vetoed) is not kept, nothing is launched, and the result is None.
      5. Evaluate the grid: a sequence of 1 to 3 ints, or a callable of {parameter name: value}. Launch; return
         variant.result.

    kernel.warmup(*args, grid=grid, **kwargs) takes steps 2 and 3, and looks into a table of its own, of compiled kernels. On a miss
    it calls self._compile_for_warmup(...) and keeps its answer. Where launches or this kernel use a `run` of the program's, it
    returns self._warm_up_by_run(*args, grid=grid, **kwargs) instead. A torch.dtype stands for a tensor of it.
    """
    def _set_parameters(self, name: str, parameters: Sequence[Tuple[str, int, Optional[str], bool, Any]]) -> None:
        """`name` is for messages. Per parameter: name, flags, forced type or None, has_default, default. Flags: 1 constexpr,
        2 do_not_specialize, 4 do_not_specialize_on_alignment, 8 const pointer."""
    def __getitem__(self, grid: Any) -> Callable[..., Any]: ...
    def _launch(self, grid: Any, args: tuple, kwargs: Dict[str, Any]) -> Any:
        """Steps 2 to 5: what a slow path (hooks, autotuner) calls in the end."""
    def _classify(self, args: tuple, kwargs: Dict[str, Any]) -> Tuple[Dict[str, Any], Specialization, Dict[str, Any], str]:
        """(bound: {name: value} in the parameters' order with defaults, specialization, options, device)."""
    def _find_variant(self, args: tuple, kwargs: Dict[str, Any]) -> Optional[Variant]:
        """Steps 2 to 4, without a launch."""
    def _find_call(self, args: tuple, kwargs: Dict[str, Any]) -> Optional[Tuple[Variant, Dict[str, Any], str]]:
        """The same with what a launch hook is told besides: (variant, bound, device)."""
    def warmup(self, *args: Any, grid: Any, **kwargs: Any) -> Any: ...
    def _warm_up(self, args: tuple, kwargs: Dict[str, Any], compiles: bool = True) -> Any:
        """The same for who comes from `run`, without the grid; None on a miss unless `compiles`."""
    def _add_variant(self, specialization: Specialization, options: Dict[str, Any], device: str, variant: Variant,
                     state: Any = ...) -> None:
        """Keeps a variant as a miss with these arguments would, under `state`, the present one if none is given: precompile."""
    def _set_guards(self, guards: Sequence[Tuple[Any, str, Any]], state: Any) -> None:
        """Sets `_guards` and `_state` in one step, as launches on other threads need it."""
    def _clear_variants(self) -> None: ...
    def _variants(self) -> List[Variant]: ...
    # Overridden in Python:
    def _make_variant(self, bound: Dict[str, Any], specialization: Specialization, options: Dict[str, Any],
                      device: str) -> Union[Variant, Tuple[Variant, Any], None]:
        """(variant, state): with the `_state` that it was made from, as another thread may have changed it since."""
    def _guards_changed(self) -> None: ...
    def _compile_for_warmup(self, bound: Dict[str, Any], specialization: Specialization, options: Dict[str, Any],
                            device: str) -> Union[Tuple[Any, Any], Any]:
        """(kernel, state), or a kernel that is not to be kept, as it is not there yet."""
    def _warm_up_by_run(self, *args: Any, grid: Any, **kwargs: Any) -> Any: ...
    def _target_of_program(self) -> Any:
        """What warm-ups compile for while set_program_target(True): part of the key."""
    # Attributes that the fast path reads:
    _guards: Sequence[Tuple[Any, str, Any]]
    """(namespace, name, value): namespace[name] of a dict, or getattr(namespace, name) of anything else, must be `value`
    itself; `absent` stands for a name that does not exist."""
    _state: Any  # hashable; part of the key: what the guards stand for
    _uses_slow_path: bool

absent: object

def set_launch_hooks(launches: bool, warmups: bool = False) -> None:
    """While True every kernel[grid](...), or every kernel.warmup(...), goes to self.run in Python."""
def set_program_target(has: bool) -> None:
    """While True warm-ups ask self._target_of_program()."""
def set_allocator(allocator: Optional[Callable[[int, int, int], Any]]) -> None:
    """Called with (bytes, alignment, stream) when a kernel on a GPU needs scratch memory; returns an object with data_ptr().
    None: the device provides the memory."""
def set_default_device(name: Optional[str]) -> None:
    """The device of launches without tensors: "cpu" or "cuda:N"; None finds out (torch's current device, else the first GPU,
    else the CPU)."""
def current_device() -> str:
    """What launches without tensors use now."""
def current_gpu() -> int:
    """torch's current device; without torch that of set_default_device, or the first."""
def has_one_gpu() -> bool:
    """Whether torch is there and counts one GPU, which is then the current one for ever."""
def current_stream(device: Optional[int] = None) -> int:
    """The current CUDA stream of torch, 0 without torch."""
def register_type(kind: str, type: Type[Any]) -> None:
    """Instances of the type, and of its subclasses, as arguments: "constexpr" (has .value), "function" (has .cache_key; a
    Launchable needs no registration), "descriptor" (base, shape, strides, block_shape, padding; any class called TensorDescriptor
    is one), "pointer" (has data_ptr(), and each instance a dtype)."""
