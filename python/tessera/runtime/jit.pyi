"""Types of jit functions and kernels.

A jit function keeps its signature where other jit functions call it; a launch takes the kernel's arguments and the
compiler's options beside them, so it takes anything.
"""

from typing import Any, Callable, Dict, Generic, Iterable, List, Optional, Protocol, Sequence, TypeVar, Union, overload

from typing_extensions import ParamSpec

from ..compiler.compiler import CompiledKernel
from .parameters import KernelParam as KernelParam
from .specialize import Specializations
from .mock_tensors import MockTensor as MockTensor
from .mock_tensors import TensorWrapper as TensorWrapper
from .mock_tensors import reinterpret as reinterpret

_P = ParamSpec("_P")
_R = TypeVar("_R")
_T = TypeVar("_T")

Grid = Union[Sequence[Any], Callable[[Dict[str, Any]], Sequence[Any]]]
"""Programs along up to three axes, or a function of the arguments by name that gives them."""

class Launcher(Protocol):
    """kernel[grid]: called with the kernel's arguments and options of the compiler."""

    def __call__(self, *args: Any, num_warps: int = ..., num_stages: int = ..., num_ctas: int = ..., maxnreg: Optional[int] = ...,
                 **kwargs: Any) -> CompiledKernel: ...

class KernelInterface:
    """What can be launched: kernel[grid](...)."""

    def __getitem__(self, grid: Grid) -> Launcher: ...
    def run(self, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any: ...
    def precompile(self, *args: Any, **kwargs: Any) -> Any:
        """Builds variants before anybody waits for them."""
    def specializations(self) -> Specializations:
        """The variants that exist, and why each was compiled; prints as a table."""
    def warmup(self, *args: Any, grid: Any, **kwargs: Any) -> Any:
        """Compiles what a launch with these arguments would run; types such as torch.float32 may stand for tensors."""

class JITCallable:
    """A function that the compiler reads."""

    fn: Callable[..., Any]
    signature: Any
    @property
    def src(self) -> str: ...
    @property
    def raw_src(self) -> List[str]: ...
    @property
    def starting_line_number(self) -> int: ...
    @property
    def cache_key(self) -> str:
        """A digest of the function's text and of everything that it reads."""
    def parse(self) -> Any: ...

class JITFunction(JITCallable, KernelInterface, Generic[_P, _R]):
    """A kernel, and a function that other kernels call."""

    module: str
    params: List[KernelParam]
    arg_names: List[str]
    constexprs: List[int]
    debug: Optional[bool]
    noinline: Optional[bool]
    pre_run_hooks: List[Callable[..., Any]]
    def __init__(self, fn: Callable[_P, _R], version: Any = None, do_not_specialize: Optional[Iterable[Union[int, str]]] = None,
                 do_not_specialize_on_alignment: Optional[Iterable[Union[int, str]]] = None, debug: Optional[bool] = None,
                 noinline: Optional[bool] = None, repr: Optional[Callable[[Any], str]] = None,
                 launch_metadata: Optional[Callable[..., Dict[str, Any]]] = None) -> None: ...
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """From another jit function; the host launches with kernel[grid](...)."""
    def add_pre_run_hook(self, hook: Callable[..., Any]) -> None:
        """`hook(*args, **kwargs)` is called before every run."""
    def precompile(self, *args: Any, all_variants: Union[bool, Iterable[str]] = True, target: Any = None, device: Optional[str] = None,
                   max_variants: int = 1024, threads: Optional[int] = None, **kwargs: Any) -> Specializations:
        """Builds variants before anybody waits for them; returns a list of Specialization that prints as a table."""
    def specializations(self) -> Specializations:
        """The variants that exist, and why each was compiled; prints as a table."""
    def preload(self, specialization_data: str) -> Optional[CompiledKernel]:
        """Compiles the variant that hooks described by this text."""

class ConstexprFunction(JITCallable, Generic[_P, _R]):
    """A function that runs while kernels are compiled, and on the host like any other."""

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R: ...

@overload
def jit(fn: Callable[_P, _R]) -> JITFunction[_P, _R]:
    """Makes a function a kernel, with or without arguments: @jit, @jit(do_not_specialize=["n"]).

    do_not_specialize: parameters, by name or index, of which no value makes a variant of its own;
    do_not_specialize_on_alignment: the same for divisibility by 16 alone; debug: device asserts and overflow checks;
    noinline: stays a function of its own where kernels call it; repr: names a variant in the binary;
    launch_metadata: f(grid, kernel, args) -> a dict for launch hooks.
    """
@overload
def jit(fn: None = None, *, version: Any = None, repr: Optional[Callable[[Any], str]] = None,
        launch_metadata: Optional[Callable[..., Dict[str, Any]]] = None,
        do_not_specialize: Optional[Iterable[Union[int, str]]] = None,
        do_not_specialize_on_alignment: Optional[Iterable[Union[int, str]]] = None, debug: Optional[bool] = None,
        noinline: Optional[bool] = None) -> Callable[[Callable[_P, _R]], JITFunction[_P, _R]]: ...
def constexpr_function(fn: Callable[_P, _R]) -> ConstexprFunction[_P, _R]:
    """Makes a function one that kernels call while they are compiled, with compile-time arguments."""

def must_use_result(value: _T, message: Any = True) -> _T:
    """Makes a call of the function whose result is dropped an error."""
