"""The types of hooks and listeners, under Triton's names: `from triton.knobs import LaunchHook`.

They are not in knobs.py, which `import tessera` reads, because importing `typing` takes longer than all of knobs.py.
"""
from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Protocol, Tuple, TypedDict, Union

KernelAttr = List[Union[str, int]]


class CompilationListener(Protocol):
    """The type of knobs.compilation.listener."""

    def __call__(self, *, src: Any, metadata: Dict[str, Any], metadata_group: Dict[str, str], times: Any,
                 cache_hit: bool) -> None: ...


class BuildImpl(Protocol):
    """The type of knobs.build.impl."""

    def __call__(self, name: str, src: str, srcdir: str, library_dirs: List[str], include_dirs: List[str],
                 libraries: List[str]) -> str: ...


class LaunchHook(Protocol):
    """The type of knobs.runtime.launch_enter_hook and launch_exit_hook."""

    def __call__(self, metadata: Any) -> None: ...


class InitHandleHook(Protocol):
    """The type of knobs.runtime.kernel_load_start_hook, whose module and function are None, and of kernel_load_end_hook."""

    def __call__(self, module: Optional[object], function: Optional[Callable], name: str, metadata_group: Dict[str, str],
                 hash: str) -> None: ...


class JITHookCompileInfo(TypedDict):
    """The description of a compilation that a JITHook gets."""
    key: str
    signature: Dict[Any, str]
    device: int
    constants: None
    num_warps: int
    num_ctas: int
    num_stages: int
    enable_fp_fusion: bool
    launch_cooperative_grid: bool
    extern_libs: Tuple[Tuple[str, str], ...]
    configs: List[Dict[Tuple[int, ...], List[KernelAttr]]]
    specialization_data: str
    is_warmup: bool


class JITHook(Protocol):
    """The type of knobs.runtime.jit_cache_hook and jit_post_compile_hook."""

    def __call__(self, *, key: str, repr: str, fn: Any, compile: JITHookCompileInfo, is_manual_warmup: bool,
                 already_compiled: bool) -> Optional[bool]: ...


class PipelineStagesHook(Protocol):
    """The type of knobs.runtime.add_stages_inspection_hook."""

    def __call__(self, stages: Any, options: Any, language: Any, capability: Any) -> Any: ...
