"""tl.target_info: the target that a kernel is compiled for; in host code, the target of the current device."""

from typing import Any

def current_target() -> Any:
    """A GPUTarget with `backend`, `arch` and `warp_size`; None on a host without a device."""

def is_cuda() -> bool:
    """Returns whether the target is NVIDIA's."""

def is_hip() -> bool:
    """Returns whether the target is AMD's."""

def is_hip_cdna3() -> bool:
    """Returns whether the target is AMD's CDNA3 (gfx942)."""

def is_hip_cdna4() -> bool:
    """Returns whether the target is AMD's CDNA4 (gfx950)."""

def cuda_capability_geq(major: int, minor: int = 0) -> bool:
    """Returns whether the target is NVIDIA's with at least this compute capability."""
