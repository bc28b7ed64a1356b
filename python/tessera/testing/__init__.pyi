"""Types of tessera.testing: measuring and comparing."""

from typing import Any, Callable, ContextManager, Dict, Iterable, List, Literal, Optional, Sequence, Tuple, TypeVar, Union

_F = TypeVar("_F", bound=Callable[..., Any])
ReturnMode = Literal["min", "max", "mean", "median", "all"]

def do_bench(fn: Callable[[], Any], warmup: float = 25, rep: float = 100, grad_to_none: Optional[Iterable[Any]] = None,
             quantiles: Optional[Sequence[float]] = None, return_mode: ReturnMode = "mean") -> Any:
    """The time of a call in milliseconds; `warmup` and `rep` are milliseconds too. With quantiles, a list of those."""

def do_bench_cudagraph(fn: Callable[[], Any], rep: float = 20, grad_to_none: Optional[Iterable[Any]] = None,
                       quantiles: Optional[Sequence[float]] = None, return_mode: ReturnMode = "mean") -> Any:
    """The same by a CUDA graph of many calls, without the host's time between them."""

def assert_close(x: Any, y: Any, atol: Optional[float] = None, rtol: Optional[float] = None, err_msg: str = "") -> None:
    """Fails unless two arrays agree within the tolerances, which depend on the type by default."""

class Benchmark:
    """What perf_report measures: a line for each of `line_vals`, over `x_vals`."""

    def __init__(self, x_names: List[str], x_vals: Iterable[Any], line_arg: str, line_vals: List[Any], line_names: List[str],
                 plot_name: str, args: Dict[str, Any], xlabel: str = "", ylabel: str = "", x_log: bool = False,
                 y_log: bool = False, styles: Optional[Sequence[Tuple[str, str]]] = None) -> None: ...

class Mark:
    """A function with its benchmarks. See perf_report."""

    fn: Callable[..., Any]
    benchmarks: Union[Benchmark, List[Benchmark]]
    def __init__(self, fn: Callable[..., Any], benchmarks: Union[Benchmark, List[Benchmark]]) -> None: ...
    def run(self, show_plots: bool = False, print_data: bool = False, save_path: str = "", return_df: bool = False,
            **kwargs: Any) -> Any:
        """Measures; with `save_path`, writes tables and plots there."""

def perf_report(benchmarks: Union[Benchmark, List[Benchmark]]) -> Callable[[Callable[..., Any]], Mark]:
    """Decorates a function that measures one point: `f(..., provider)` -> a number, or (value, low, high)."""

def nvsmi(attrs: List[str]) -> List[int]: ...
def get_dram_gbps(device: Optional[int] = None) -> float: ...
def get_max_tensorcore_tflops(dtype: Any, clock_rate: float, device: Optional[int] = None) -> float: ...
def get_max_simd_tflops(dtype: Any, clock_rate: float, device: Optional[int] = None) -> float: ...
def set_gpu_clock(ref_sm_clock: int = 1350, ref_mem_clock: int = 1215) -> ContextManager[Tuple[float, float]]: ...
def cuda_memcheck(**target_kwargs: Any) -> Callable[[_F], _F]: ...
