"""Types of jit functions and kernels.

A call of a jit function inside another one has the function's signature. A launch also takes options of the compiler, so it
accepts any keyword argument.
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
"""The number of programs along up to three axes, or a function of {parameter: value} that returns them."""

class Launcher(Protocol):
    """kernel[grid]: called with the kernel's arguments and options of the compiler."""

    def __call__(self, *args: Any, num_warps: int = ..., num_stages: int = ..., num_ctas: int = ..., maxnreg: Optional[int] = ...,
                 **kwargs: Any) -> CompiledKernel: ...

class KernelInterface:
    """An object that is launched with kernel[grid](...)."""

    def __getitem__(self, grid: Grid) -> Launcher: ...
    def run(self, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any: ...
    def explain(self, *args: Any, grid: Any = ..., **kwargs: Any) -> Any:
        """What every pass does to the variant that a launch with these arguments would need: a Report, which saves itself as a page
        and shows itself in notebooks."""
    def precompile(self, *args: Any, **kwargs: Any) -> Any:
        """Compiles variants in advance."""
    def specializations(self) -> Specializations:
        """The variants that exist, and why each was compiled; prints as a table."""
    def warmup(self, *args: Any, grid: Any, **kwargs: Any) -> Any:
        """Compiles the variant that a launch with these arguments would run; dtypes such as torch.float32 may stand for tensors."""

class JITCallable:
    """A function whose source the compiler reads."""

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
        """A hash of the function's source and of everything that it reads."""
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
        """A call from another jit function. Host code launches with kernel[grid](...)."""
    def add_pre_run_hook(self, hook: Callable[..., Any]) -> None:
        """`hook(*args, **kwargs)` is called before every run."""
    def precompile(self, *args: Any, all_variants: Union[bool, Iterable[str]] = True, target: Any = None, device: Optional[str] = None,
                   max_variants: int = 1024, threads: Optional[int] = None, **kwargs: Any) -> Specializations:
        """Compiles variants in advance; returns a list of Specialization that prints as a table."""
    def specializations(self) -> Specializations:
        """The variants that exist, and why each was compiled; prints as a table."""
    def preload(self, specialization_data: str) -> Optional[CompiledKernel]:
        """Compiles the variant that the `specialization_data` of a hook describes."""

class ConstexprFunction(JITCallable, Generic[_P, _R]):
    """A function that kernels call at compile time, and that Python code can call too."""

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R: ...

@overload
def jit(fn: Callable[_P, _R]) -> JITFunction[_P, _R]:
    """Makes a function a kernel, with or without arguments: @jit, @jit(do_not_specialize=["n"]).

    do_not_specialize: parameters, by name or index, whose values do not select a variant;
    do_not_specialize_on_alignment: the same for divisibility by 16 alone; debug: checks device assertions and overflow;
    noinline: is not inlined into kernels that call it; repr: the name of a variant in the binary;
    launch_metadata: f(grid, kernel, args) -> a dict for launch hooks.
    """
@overload
def jit(fn: None = None, *, version: Any = None, repr: Optional[Callable[[Any], str]] = None,
        launch_metadata: Optional[Callable[..., Dict[str, Any]]] = None,
        do_not_specialize: Optional[Iterable[Union[int, str]]] = None,
        do_not_specialize_on_alignment: Optional[Iterable[Union[int, str]]] = None, debug: Optional[bool] = None,
        noinline: Optional[bool] = None) -> Callable[[Callable[_P, _R]], JITFunction[_P, _R]]: ...
def constexpr_function(fn: Callable[_P, _R]) -> ConstexprFunction[_P, _R]:
    """Makes a function callable at compile time, with compile-time arguments."""

def must_use_result(value: _T, message: Any = True) -> _T:
    """Makes it an error to ignore the result of the function."""
