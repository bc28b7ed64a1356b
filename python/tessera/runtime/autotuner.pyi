"""Types of autotuning."""

from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from .errors import AutotunerError as AutotunerError
from .errors import OutOfResources as OutOfResources
from .errors import PTXASError as PTXASError
from .jit import KernelInterface
from .tuning.config import Config as Config, Space as Space

class Autotuner(KernelInterface):
    """A kernel with a list of configurations. Use the decorator `autotune`."""

    fn: Any
    base_fn: Callable[..., Any]
    arg_names: List[str]
    configs: List[Config]
    keys: Sequence[str]
    cache: Dict[Any, Config]
    best_config: Config
    configs_timings: Dict[Config, Any]
    bench_time: float
    def __init__(self, fn: Any, arg_names: Sequence[str], configs: Optional[List[Config]], key: Sequence[str],
                 reset_to_zero: Optional[Sequence[str]], restore_value: Optional[Sequence[str]],
                 pre_hook: Optional[Callable[..., Any]] = None, post_hook: Optional[Callable[..., Any]] = None,
                 prune_configs_by: Optional[Mapping[str, Any]] = None, warmup: Optional[int] = None, rep: Optional[int] = None,
                 use_cuda_graph: bool = False, do_bench: Optional[Callable[..., Any]] = None,
                 cache_results: bool = False) -> None: ...
    def run(self, *args: Any, **kwargs: Any) -> Any: ...
    def warmup(self, *args: Any, **kwargs: Any) -> Any: ...
    def prune_configs(self, kwargs: Dict[str, Any]) -> List[Config]: ...
    def tuned(self) -> Any:
        """The choices made so far, as data for JSON."""
    def save_tuned(self, path: Any, parameter: Optional[str] = None) -> None: ...
    def load_tuned(self, path: Any, any_device: bool = False, parameter: Optional[str] = None) -> Any: ...

class Heuristics(KernelInterface):
    """A kernel some of whose parameters are computed from its other arguments. Use the decorator `heuristics`."""

    fn: Any
    values: Mapping[str, Callable[[Dict[str, Any]], Any]]
    arg_names: Sequence[str]
    def __init__(self, fn: Any, arg_names: Sequence[str], values: Mapping[str, Callable[[Dict[str, Any]], Any]]) -> None: ...
    def run(self, *args: Any, **kwargs: Any) -> Any: ...

def autotune(configs: List[Config], key: Sequence[str], prune_configs_by: Optional[Mapping[str, Any]] = None,
             reset_to_zero: Optional[Sequence[str]] = None, restore_value: Optional[Sequence[str]] = None,
             pre_hook: Optional[Callable[..., Any]] = None, post_hook: Optional[Callable[..., Any]] = None,
             warmup: Optional[int] = None, rep: Optional[int] = None, use_cuda_graph: bool = False,
             do_bench: Optional[Callable[..., Any]] = None,
             cache_results: bool = False) -> Callable[[KernelInterface], Autotuner]:
    """Decorator, above `jit` and `heuristics`: takes the kernel's meta-parameters from the fastest of the configurations.

    key: names of arguments; a new value of one starts a search. reset_to_zero, restore_value: arguments that are set
    to zero before, or restored after, each run of a trial. prune_configs_by: "early_config_prune", "perf_model", "top_k".
    """

def heuristics(values: Mapping[str, Callable[[Dict[str, Any]], Any]]) -> Callable[[KernelInterface], Heuristics]:
    """Decorator, above `jit` and below `autotune`: sets meta-parameters to functions of the other arguments."""
